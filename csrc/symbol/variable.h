// Declared properties of a variable, from MXNet's double-underscore attributes.
#pragma once
#include <map>
#include <string>

#include "core/dtype.h"
#include "core/shape.h"

namespace hybrid {

// "__shape__": "(256, 0)" with 0 (and -1) unknown; unknown rank when not given or "()". With NumPy
// shapes 0 is a size, "()" a 0-d array and only -1 unknown.
Shape declared_shape(const std::string& name, const std::map<std::string, std::string>& extra,
                     bool np_shape = false);
// "__dtype__": MXNet's type flag or a dtype's name; unknown when not given or "-1".
DType declared_dtype(const std::string& name, const std::map<std::string, std::string>& extra);

}  // namespace hybrid
