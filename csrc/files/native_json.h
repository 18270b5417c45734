// symbol.json for this package alone: what MXNet has no operator for keeps the core's name.
#pragma once
#include <string>

#include "symbol/symbol.h"

namespace hybrid {

// Before the core's name of an operator that MXNet lacks.
constexpr const char* kNativePrefix = "_hybrid_";
// As symbol_to_json; symbol_from_json reads both. Shapes are NumPy's: 0 is a size, () a scalar.
std::string symbol_to_native_json(const Symbol& symbol);

}  // namespace hybrid
