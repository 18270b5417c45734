// Numbers of an array as those of another type, as NumPy's assignments make them.
#pragma once
#include <cstdint>

#include "units/arrays.h"

namespace hybrid {
namespace units {

// n numbers, with the bytes from one to the next.
using Convert = void (*)(int64_t n, const char* from, int64_t from_step, char* to, int64_t to_step);

// Null: by rules of NumPy's that are not known here. Of the same type they are copied.
Convert converter(Type from, Type to);

}  // namespace units
}  // namespace hybrid
