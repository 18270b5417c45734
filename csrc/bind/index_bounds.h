// Bounds of recorded indices, found without computing them.
#pragma once
#include "bind/common.h"

namespace hybrid {
namespace bind {

void bind_index_bounds(py::module_& m);

}  // namespace bind
}  // namespace hybrid
