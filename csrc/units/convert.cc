#include "units/convert.h"

#include <cstring>
#include <type_traits>

#include "units/numbers.h"

namespace hybrid {
namespace units {
namespace {

template <typename From, typename To>
void convert(int64_t n, const char* from, int64_t from_step, char* to, int64_t to_step) {
  const auto all = [&](int64_t one, int64_t other) {
    for (int64_t k = 0; k < n; ++k) {
      const From value = read<From>(from + k * one);
      if constexpr (std::is_same_v<To, bool>) {
        write<uint8_t>(to + k * other, value != 0);
      } else {
        write<To>(to + k * other, value);
      }
    }
  };
  constexpr int64_t kFrom = sizeof(From), kTo = sizeof(To);
  if (from_step == kFrom && to_step == kTo) {
    all(kFrom, kTo);  // which compilers make several of
  } else {
    all(from_step, to_step);
  }
}

template <typename From>
Convert converter_from(Type to) {
  constexpr bool whole = std::is_integral_v<From>;
  switch (to) {
    case Type::b1:
      return &convert<From, bool>;
    case Type::f32:
      return &convert<From, float>;
    case Type::f64:
      return &convert<From, double>;
    case Type::i8:
      return whole ? &convert<From, int8_t> : nullptr;
    case Type::i16:
      return whole ? &convert<From, int16_t> : nullptr;
    case Type::i32:
      return whole ? &convert<From, int32_t> : nullptr;
    case Type::i64:
      return whole ? &convert<From, int64_t> : nullptr;
    case Type::u8:
      return whole ? &convert<From, uint8_t> : nullptr;
    case Type::u16:
      return whole ? &convert<From, uint16_t> : nullptr;
    case Type::u32:
      return whole ? &convert<From, uint32_t> : nullptr;
    case Type::u64:
      return whole ? &convert<From, uint64_t> : nullptr;
    default:
      return nullptr;
  }
}

template <int kSize>
void moved(int64_t n, const char* from, int64_t from_step, char* to, int64_t to_step) {
  if (from_step == kSize && to_step == kSize) {
    std::memmove(to, from, n * kSize);
    return;
  }
  for (int64_t k = 0; k < n; ++k, from += from_step, to += to_step) std::memcpy(to, from, kSize);
}

}  // namespace

Convert converter(Type from, Type to) {
  if (from == to) {
    switch (size_of(from)) {
      case 1:
        return &moved<1>;
      case 2:
        return &moved<2>;
      case 4:
        return &moved<4>;
      case 8:
        return &moved<8>;
      default:
        return &moved<16>;
    }
  }
  switch (from) {
    case Type::b1:
    case Type::u8:
      return converter_from<uint8_t>(to);
    case Type::i8:
      return converter_from<int8_t>(to);
    case Type::i16:
      return converter_from<int16_t>(to);
    case Type::i32:
      return converter_from<int32_t>(to);
    case Type::i64:
      return converter_from<int64_t>(to);
    case Type::u16:
      return converter_from<uint16_t>(to);
    case Type::u32:
      return converter_from<uint32_t>(to);
    case Type::u64:
      return converter_from<uint64_t>(to);
    case Type::f32:
      return converter_from<float>(to);
    case Type::f64:
      return converter_from<double>(to);
    default:
      return nullptr;
  }
}

}  // namespace units
}  // namespace hybrid
