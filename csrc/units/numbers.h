// Numbers as Python and NumPy compute with them, one at a time.
#pragma once
#include <cmath>
#include <cstring>
#include <utility>

#include "units/arrays.h"

namespace hybrid {
namespace units {

// Functions of Python's module math, in the order of their numbers.
enum class Math1 : int32_t {
  sqrt,
  exp,
  log,
  log2,
  log10,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh
};
enum class Math2 : int32_t { atan2, fmod, copysign };
double math_1(Math1 which, double x);
double math_2(Math2 which, double x, double y);

// The sign of a remainder is the divisor's, which is not 0.
double remainder(double a, double b);
double floor_divided(double a, double b);
// A quotient of complex numbers, (real, imaginary): by Smith's way ("Algorithm 116", 1962), in
// which NumPy multiplies by a reciprocal. False where the divisor is 0, or the result no number.
bool divide(std::pair<double, double> a, std::pair<double, double> b, bool numpys, double* real,
            double* imaginary);
// False where the result has more than 64 bits, or is no integer.
bool power(int64_t base, int64_t exponent, int64_t* result);

inline int size_of(Type type) {
  constexpr int sizes[kNumTypes] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 16};
  return sizes[static_cast<int>(type)];
}
inline bool fits(Type type, int64_t value) {
  switch (type) {
    case Type::b1:
      return value == 0 || value == 1;
    case Type::i8:
      return value == static_cast<int8_t>(value);
    case Type::i16:
      return value == static_cast<int16_t>(value);
    case Type::i32:
      return value == static_cast<int32_t>(value);
    case Type::u8:
      return value == static_cast<uint8_t>(value);
    case Type::u16:
      return value == static_cast<uint16_t>(value);
    case Type::u32:
      return value == static_cast<uint32_t>(value);
    case Type::u64:
      return value >= 0;
    default:
      return true;
  }
}
template <typename T, typename V>
void write(char* p, V value) {
  const T made = static_cast<T>(value);
  std::memcpy(p, &made, sizeof made);
}
template <typename T>
T read(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

// A register's number to memory, and back: false for integers beyond 63 bits.
inline void put(Type type, char* p, Register value, Register imaginary) {
  switch (type) {
    case Type::b1:
    case Type::u8:
      return write<uint8_t>(p, value.i);
    case Type::i8:
      return write<int8_t>(p, value.i);
    case Type::i16:
      return write<int16_t>(p, value.i);
    case Type::u16:
      return write<uint16_t>(p, value.i);
    case Type::i32:
      return write<int32_t>(p, value.i);
    case Type::u32:
      return write<uint32_t>(p, value.i);
    case Type::i64:
    case Type::u64:
      return write<int64_t>(p, value.i);
    case Type::f32:
      return write<float>(p, value.f);
    case Type::f64:
      return write<double>(p, value.f);
    case Type::c128:
      write<double>(p, value.f);
      return write<double>(p + 8, imaginary.f);
  }
}
inline bool get(Type type, const char* p, Register* value, Register* imaginary) {
  switch (type) {
    case Type::b1:
    case Type::u8:
      value->i = read<uint8_t>(p);
      break;
    case Type::i8:
      value->i = read<int8_t>(p);
      break;
    case Type::i16:
      value->i = read<int16_t>(p);
      break;
    case Type::u16:
      value->i = read<uint16_t>(p);
      break;
    case Type::i32:
      value->i = read<int32_t>(p);
      break;
    case Type::u32:
      value->i = read<uint32_t>(p);
      break;
    case Type::i64:
      value->i = read<int64_t>(p);
      break;
    case Type::u64:
      value->i = read<int64_t>(p);
      return value->i >= 0;
    case Type::f32:
      value->f = read<float>(p);
      break;
    case Type::f64:
      value->f = read<double>(p);
      break;
    case Type::c128:
      value->f = read<double>(p);
      imaginary->f = read<double>(p + 8);
      break;
  }
  return true;
}

}  // namespace units
}  // namespace hybrid
