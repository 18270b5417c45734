// Element types: sizes, NumPy names, MXNet type flags.
#include "core/dtype.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace hybrid {
namespace {

struct Entry {
  const char* name;
  size_t size;
};

constexpr Entry kTable[kNumDTypes] = {
    {"float32", 4}, {"float64", 8}, {"float16", 2},  {"uint8", 1},     {"int32", 4},
    {"int8", 1},    {"int64", 8},   {"bool", 1},     {"int16", 2},     {"uint16", 2},
    {"uint32", 4},  {"uint64", 8},  {"bfloat16", 2}, {"complex64", 8}, {"complex128", 16},
};

bool valid(DType dtype) {
  const int i = static_cast<int>(dtype);
  return i >= 0 && i < kNumDTypes;
}

}  // namespace

size_t dtype_size(DType dtype) {
  if (!valid(dtype)) fail("dtype: unknown element type has no size");
  return kTable[static_cast<int>(dtype)].size;
}

const char* dtype_name(DType dtype) {
  return valid(dtype) ? kTable[static_cast<int>(dtype)].name : "unknown";
}

DType dtype_from_name(const std::string& name) {
  for (int i = 0; i < kNumDTypes; ++i) {
    if (name == kTable[i].name) return static_cast<DType>(i);
  }
  std::string known;
  for (const Entry& entry : kTable) known += std::string(known.empty() ? "" : ", ") + entry.name;
  fail("dtype: '", name, "' is not a known element type (", known, ")");
}

DType dtype_from_flag(int64_t flag) {
  require(flag >= 0 && flag < kNumDTypes, "dtype: type flag ", flag, " is not in 0..",
          kNumDTypes - 1);
  return static_cast<DType>(flag);
}

bool is_half(DType d) { return d == DType::float16 || d == DType::bfloat16; }

double rounded_to(DType half, double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const bool brain = half == DType::bfloat16;
  const int bits = brain ? 8 : 11, least = brain ? -133 : -24;  // exponents of the last place
  int exponent = 0;
  std::frexp(x, &exponent);
  const int place = std::max(exponent - bits, least);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -place)), place);
  const double largest = brain ? std::ldexp(255, 120) : 65504;
  if (std::abs(rounded) <= largest) return rounded;
  return std::copysign(std::numeric_limits<double>::infinity(), x);
}

bool is_floating(DType d) {
  return d == DType::float32 || d == DType::float64 || d == DType::float16 || d == DType::bfloat16;
}

bool is_integer(DType d) {
  switch (d) {
    case DType::uint8:
    case DType::uint16:
    case DType::uint32:
    case DType::uint64:
    case DType::int8:
    case DType::int16:
    case DType::int32:
    case DType::int64:
      return true;
    default:
      return false;
  }
}

bool is_complex(DType d) { return d == DType::complex64 || d == DType::complex128; }

DType real_part(DType d) {
  if (d == DType::complex64) return DType::float32;
  return d == DType::complex128 ? DType::float64 : d;
}

std::string dtype_set_names(DTypeSet set) {
  std::string names;
  for (int i = 0; i < kNumDTypes; ++i) {
    if (!(set & dtype_bit(static_cast<DType>(i)))) continue;
    if (!names.empty()) names += ", ";
    names += kTable[i].name;
  }
  return names;
}

}  // namespace hybrid
