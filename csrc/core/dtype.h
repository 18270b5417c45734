// Element types: the enum (MXNet 1.x type flags, then our own), sizes and names.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace hybrid {

// Values 0-12 are MXNet's type flags, as stored in .params and symbol.json.
enum class DType : int8_t {
  unknown = -1,
  float32 = 0,
  float64 = 1,
  float16 = 2,
  uint8 = 3,
  int32 = 4,
  int8 = 5,
  int64 = 6,
  boolean = 7,
  int16 = 8,
  uint16 = 9,
  uint32 = 10,
  uint64 = 11,
  bfloat16 = 12,
  complex64 = 13,
  complex128 = 14,
};
constexpr int kNumDTypes = 15;

size_t dtype_size(DType dtype);             // bytes an element; throws on unknown
const char* dtype_name(DType dtype);        // NumPy's name: "float32", "bool", ...
DType dtype_from_name(const std::string&);  // throws Error naming what was given
DType dtype_from_flag(int64_t flag);        // MXNet type flag; throws on others
bool is_floating(DType dtype);              // float16/32/64, bfloat16
bool is_half(DType dtype);                  // float16, bfloat16: computed in float32
double rounded_to(DType half, double x);    // to the nearest that float16 or bfloat16 has
bool is_integer(DType dtype);               // signed and unsigned, not bool
bool is_complex(DType dtype);               // complex64, complex128
DType real_part(DType dtype);               // complex64: float32...; others: themselves

// Bit sets of dtypes, for the op table.
using DTypeSet = uint32_t;
constexpr DTypeSet dtype_bit(DType d) { return DTypeSet{1} << static_cast<int>(d); }
constexpr DTypeSet kHalves = dtype_bit(DType::float16) | dtype_bit(DType::bfloat16);
constexpr DTypeSet kFloats = dtype_bit(DType::float32) | dtype_bit(DType::float64) | kHalves;
constexpr DTypeSet kInts = dtype_bit(DType::int8) | dtype_bit(DType::int16) |
                           dtype_bit(DType::int32) | dtype_bit(DType::int64) |
                           dtype_bit(DType::uint8) | dtype_bit(DType::uint16) |
                           dtype_bit(DType::uint32) | dtype_bit(DType::uint64);
constexpr DTypeSet kComplex = dtype_bit(DType::complex64) | dtype_bit(DType::complex128);
constexpr DTypeSet kNumbers = kFloats | kInts;  // what has an order
constexpr DTypeSet kFloatsComplex = kFloats | kComplex;
constexpr DTypeSet kNumbersComplex = kNumbers | kComplex;
constexpr DTypeSet kAllOrdered = kNumbers | dtype_bit(DType::boolean);
constexpr DTypeSet kAllComputed = kAllOrdered | kComplex;
std::string dtype_set_names(DTypeSet set);  // "float32, float64"

}  // namespace hybrid
