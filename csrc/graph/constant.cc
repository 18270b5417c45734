// Constants of a graph: their host bytes, single values and literal text.
#include "graph/constant.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/error.h"
#include "kernels/host_copy.h"

namespace hybrid {

std::string constant_bytes(const NDArray& value) {
  std::string bytes(static_cast<size_t>(value.nbytes()), '\0');
  if (!bytes.empty()) copy_to_host(value, bytes.data(), bytes.size());
  return bytes;
}

std::string real_text(double value, bool single) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[40];
  const int most = single ? 9 : 17;
  for (int digits = 1; digits <= most; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    const bool same = single ? std::strtof(text, nullptr) == static_cast<float>(value)
                             : std::strtod(text, nullptr) == value;
    if (same) break;
  }
  // As Python writes it: 80000.0, not 8e+04.
  const bool whole = std::fabs(value) < 1e16 && value == std::floor(value);
  if (whole && std::strchr(text, 'e')) std::snprintf(text, sizeof text, "%.0f", value);
  std::string result = text;
  if (result.find_first_of(".en") == std::string::npos) result += ".0";
  return result;
}

namespace {

template <class T>
T read_as(const std::string& bytes) {
  T v;
  std::memcpy(&v, bytes.data(), sizeof v);
  return v;
}

}  // namespace

bool scalar_value(const NDArray& value, ScalarValue* out) {
  if (!value.defined() || value.shape.size() != 1) return false;
  const std::string b = constant_bytes(value);
  out->is_int = true;
  switch (value.dtype) {
    case DType::float32:
      out->is_int = false;
      out->real = static_cast<double>(read_as<float>(b));
      return true;
    case DType::float64:
      out->is_int = false;
      out->real = read_as<double>(b);
      return true;
    case DType::boolean:
      out->integer = read_as<uint8_t>(b) != 0;
      break;
    case DType::uint8:
      out->integer = read_as<uint8_t>(b);
      break;
    case DType::int8:
      out->integer = read_as<int8_t>(b);
      break;
    case DType::int16:
      out->integer = read_as<int16_t>(b);
      break;
    case DType::uint16:
      out->integer = read_as<uint16_t>(b);
      break;
    case DType::int32:
      out->integer = read_as<int32_t>(b);
      break;
    case DType::uint32:
      out->integer = read_as<uint32_t>(b);
      break;
    case DType::int64:
      out->integer = read_as<int64_t>(b);
      break;
    default:
      return false;
  }
  out->real = static_cast<double>(out->integer);
  return true;
}

std::string literal_text(const NDArray& value) {
  ScalarValue v;
  if (!scalar_value(value, &v)) return "";
  if (value.dtype == DType::boolean) return v.integer ? "True" : "False";
  return v.is_int ? std::to_string(v.integer) : real_text(v.real, value.dtype == DType::float32);
}

}  // namespace hybrid
