// symbol.json for this package alone: what MXNet has no operator for keeps the core's name.
#pragma once
#include <string>

#include "symbol/symbol.h"

namespace hybrid {

// Before the core's name of an operator that MXNet lacks.
constexpr const char* kNativePrefix = "_hybrid_";
// On MXNet's _copy: the device that the value goes to. MXNet runs the graph on one device.
constexpr const char* kCopyAttribute = "__copy_to__";
// As symbol_to_json; symbol_from_json reads both. Shapes are NumPy's: 0 is a size, () a scalar.
std::string symbol_to_native_json(const Symbol& symbol);

}  // namespace hybrid
