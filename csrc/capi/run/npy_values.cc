// The elements of an NpyArray: in another dtype, and as text.
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>

#include "capi/hybrid.h"
#include "capi/run/npy.h"
#include "core/error.h"

namespace hybrid {
namespace {

template <class T>
T element(const std::string& data, size_t i) {
  T value;
  std::memcpy(&value, data.data() + i * sizeof(T), sizeof(T));
  return value;
}

// Calls f(T()) with the C++ type of a real dtype; false for the others.
template <class F>
bool with_type(int dtype, F f) {
  switch (dtype) {
    case HYBRID_FLOAT32:
      f(float());
      return true;
    case HYBRID_FLOAT64:
      f(double());
      return true;
    case HYBRID_UINT8:
      f(uint8_t());
      return true;
    case HYBRID_INT8:
      f(int8_t());
      return true;
    case HYBRID_INT16:
      f(int16_t());
      return true;
    case HYBRID_UINT16:
      f(uint16_t());
      return true;
    case HYBRID_INT32:
      f(int32_t());
      return true;
    case HYBRID_UINT32:
      f(uint32_t());
      return true;
    case HYBRID_INT64:
      f(int64_t());
      return true;
    case HYBRID_UINT64:
      f(uint64_t());
      return true;
    case HYBRID_BOOL:
      f(bool());
      return true;
    default:
      return false;
  }
}

template <class From, class To>
To converted(From value, const char* to_name) {
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    const To result = static_cast<To>(value);
    const bool same = static_cast<From>(result) == value && (result < To()) == (value < From());
    require(same, "cast: ", +value, " does not fit into ", to_name);
    return result;
  } else if constexpr (std::is_same_v<From, double> && std::is_same_v<To, float>) {
    // Beyond float32 the conversion is undefined in C++; IEEE's answer is an infinity.
    constexpr double edge = 0x1.ffffffp127;
    if (value >= edge) return std::numeric_limits<float>::infinity();
    if (value <= -edge) return -std::numeric_limits<float>::infinity();
    return static_cast<float>(value);
  } else {
    return static_cast<To>(value);
  }
}

// With as many digits as tell it from its neighbours.
template <class T>
std::string number_text(T value, bool with_sign) {
  if constexpr (!std::is_floating_point_v<T>) return std::to_string(value);
  char digits[40];
  std::snprintf(digits, sizeof digits, with_sign ? "%+.*g" : "%.*g",
                std::numeric_limits<T>::max_digits10, static_cast<double>(value));
  return digits;
}

}  // namespace

NpyArray cast_npy(const NpyArray& array, int dtype) {
  if (array.dtype == dtype) return array;
  const char* to_name = hybrid_dtype_name(dtype);
  const size_t count = array.data.size() / hybrid_dtype_size(array.dtype);
  NpyArray result{dtype, array.shape, {}};
  bool possible = false;
  with_type(array.dtype, [&](auto from) {
    with_type(dtype, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      if constexpr (!std::is_floating_point_v<From> || std::is_floating_point_v<To>) {
        possible = true;
        result.data.resize(count * sizeof(To));
        for (size_t i = 0; i < count; ++i) {
          const To value = converted<From, To>(element<From>(array.data, i), to_name);
          std::memcpy(&result.data[i * sizeof(To)], &value, sizeof(To));
        }
      }
    });
  });
  require(possible, "cast: ", hybrid_dtype_name(array.dtype), " to ", to_name, " is not done");
  return result;
}

std::string elements_text(const NpyArray& array, int64_t most) {
  const auto count = static_cast<int64_t>(array.data.size() / hybrid_dtype_size(array.dtype));
  const bool complex = array.dtype == HYBRID_COMPLEX64 || array.dtype == HYBRID_COMPLEX128;
  const int part = array.dtype == HYBRID_COMPLEX64    ? HYBRID_FLOAT32
                   : array.dtype == HYBRID_COMPLEX128 ? HYBRID_FLOAT64
                                                      : array.dtype;
  std::string text;
  const bool shown = with_type(part, [&](auto type) {
    using T = decltype(type);
    const auto number = [&](int64_t i) { return element<T>(array.data, static_cast<size_t>(i)); };
    for (int64_t i = 0; i < count && i < most; ++i) {
      if (i > 0) text += ' ';
      if (complex) {
        text += number_text(number(2 * i), false) + number_text(number(2 * i + 1), true) + "j";
      } else {
        text += number_text(number(i), false);
      }
    }
  });
  return text + (count > (shown ? most : 0) ? " ..." : "");
}

}  // namespace hybrid
