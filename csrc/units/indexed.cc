// Elements of arrays that other arrays choose: by their indices, or by truth.
#include <algorithm>
#include <cstring>

#include "units/arrays.h"
#include "units/numbers.h"
#include "units/walk.h"

namespace hybrid {
namespace units {
namespace {

// act(a constant): the size of an element, where copies of constant sizes are no calls.
template <typename Act>
auto by_size(int64_t size, const Act& act) {
  switch (size) {
    case 1:
      return act(std::integral_constant<int, 1>());
    case 2:
      return act(std::integral_constant<int, 2>());
    case 4:
      return act(std::integral_constant<int, 4>());
    case 8:
      return act(std::integral_constant<int, 8>());
    case 16:
      return act(std::integral_constant<int, 16>());
    default:
      return act(size);
  }
}

// inner(index from 0 on) for each, in C's order; false where one is out of range.
template <typename I, typename Inner>
bool each_index(const Array& indices, int64_t size, const Inner& inner) {
  char* data[1] = {indices.data};
  const int64_t* const strides[1] = {indices.stride};
  bool fits = true;
  Walk(indices.shape, indices.rank, strides, 1)
      .each(data, 1, [&](char* const* from, const intptr_t* steps, int64_t n) {
        for (int64_t k = 0; fits && k < n; ++k) {
          int64_t at = read<I>(from[0] + k * steps[0]);
          at += at < 0 ? size : 0;
          fits = static_cast<uint64_t>(at) < static_cast<uint64_t>(size);
          if (fits) inner(at);
        }
      });
  return fits;
}

template <typename Inner>
bool each_index(const Array& indices, int64_t size, const Inner& inner) {
  if (count_of(indices.shape, indices.rank) == 0) return true;
  if (indices.type == Type::i64) return each_index<int64_t>(indices, size, inner);
  return indices.type == Type::i32 && each_index<int32_t>(indices, size, inner);
}

// inner(element of `array`) where the mask, which has its shape, is true, in C's order.
template <typename Inner>
void each_true(const Array& mask, const Array& array, const Inner& inner) {
  if (count_of(mask.shape, mask.rank) == 0) return;
  char* data[2] = {mask.data, array.data};
  const int64_t* const strides[2] = {mask.stride, array.stride};
  Walk(mask.shape, mask.rank, strides, 2)
      .each(data, 2, [&](char* const* from, const intptr_t* steps, int64_t n) {
        for (int64_t k = 0; k < n; ++k) {
          if (from[0][k * steps[0]]) inner(from[1] + k * steps[1]);
        }
      });
}

bool is_mask_of(const Array& mask, const Array& array) {
  return mask.type == Type::b1 && mask.rank == array.rank &&
         std::equal(mask.shape, mask.shape + mask.rank, array.shape);
}

bool overlap(const Array& one, const Array& other) {
  const char *low, *high, *other_low, *other_high;
  bounds_of(one, &low, &high);
  bounds_of(other, &other_low, &other_high);
  return low < other_high && other_low < high;
}

// Of the first number that none is larger than, or smaller; the first nan is either.
template <typename T>
int64_t best_of(const Array& array, bool least) {
  const auto value = [&](int64_t k) { return read<T>(array.data + k * array.stride[0]); };
  T best = value(0);
  int64_t at = 0;
  for (int64_t k = 1; k < array.shape[0] && best == best; ++k) {
    const T now = value(k);
    if (now != now || (least ? now < best : now > best)) {
      best = now;
      at = k;
    }
  }
  return at;
}

}  // namespace

int64_t Arrays::best(int64_t of, bool least) const {
  const Array& array = arrays_[of];
  if (array.rank != 1 || array.shape[0] == 0) return -1;
  switch (array.type) {
    case Type::b1:
    case Type::u8:
      return best_of<uint8_t>(array, least);
    case Type::i8:
      return best_of<int8_t>(array, least);
    case Type::i16:
      return best_of<int16_t>(array, least);
    case Type::i32:
      return best_of<int32_t>(array, least);
    case Type::i64:
      return best_of<int64_t>(array, least);
    case Type::u16:
      return best_of<uint16_t>(array, least);
    case Type::u32:
      return best_of<uint32_t>(array, least);
    case Type::u64:
      return best_of<uint64_t>(array, least);
    case Type::f32:
      return best_of<float>(array, least);
    case Type::f64:
      return best_of<double>(array, least);
    default:
      return -1;
  }
}

Did Arrays::taken(int64_t of, int64_t indices, int64_t* made) {
  if (arrays_[indices].type == Type::b1) return selected(of, indices, made);
  const Array array = arrays_[of], index = arrays_[indices];
  const int rank = index.rank + array.rank - 1;
  // A result's axes lie as those of what it is made of do.
  if (rank > kMaxRank || !in_order(index) || is_reversed(index)) return Did::cannot;
  if (array.rank > 1 && !is_contiguous(array)) return Did::cannot;
  int64_t shape[kMaxRank];
  std::copy(index.shape, index.shape + index.rank, shape);
  std::copy(array.shape + 1, array.shape + array.rank, shape + index.rank);
  if (count_of(shape, rank) > kLarge) return Did::large;
  *made = make(shape, rank, array.type);
  char* to = arrays_[*made].data;
  const int64_t row = count_of(array.shape + 1, array.rank - 1) * size_of(array.type);
  const bool fits = by_size(row, [&](auto bytes) {
    return each_index(index, array.shape[0], [&](int64_t at) {
      std::memcpy(to, array.data + at * array.stride[0], static_cast<size_t>(bytes));
      to += bytes;
    });
  });
  if (!fits) release(*made);
  return fits ? Did::well : Did::cannot;
}

Did Arrays::selected(int64_t of, int64_t mask, int64_t* made) {
  const Array array = arrays_[of], truth = arrays_[mask];
  if (!is_mask_of(truth, array)) return Did::cannot;
  if (count_of(array.shape, array.rank) > kLarge) return Did::large;
  int64_t count = 0;
  each_true(truth, truth, [&](const char*) { ++count; });
  *made = make(&count, 1, array.type);
  char* to = arrays_[*made].data;
  by_size(size_of(array.type), [&](auto bytes) {
    each_true(truth, array, [&](const char* from) {
      std::memcpy(to, from, static_cast<size_t>(bytes));
      to += bytes;
    });
  });
  return Did::well;
}

Did Arrays::chosen(int64_t condition, Type type, const Input* two, int64_t* made) {
  const int64_t numbers[3] = {condition, two[0].array, two[1].array};
  Array like{};
  like.type = type;
  for (const int64_t number : numbers) {
    if (number >= 0) like.rank = std::max(like.rank, arrays_[number].rank);
  }
  std::fill_n(like.shape, like.rank, 1);
  int64_t strides[3][kMaxRank] = {};
  char* data[4] = {nullptr, const_cast<char*>(two[0].scalar), const_cast<char*>(two[1].scalar)};
  for (int k = 0; k < 3; ++k) {
    if (numbers[k] < 0) continue;
    const Array& array = arrays_[numbers[k]];
    if (array.type != (k == 0 ? Type::b1 : type)) return Did::cannot;
    if (like.rank > 1 && (!in_order(array) || is_reversed(array))) return Did::cannot;
    data[k] = array.data;
    for (int axis = 0, to = like.rank - array.rank; axis < array.rank; ++axis, ++to) {
      if (array.shape[axis] == 1) continue;
      if (like.shape[to] != 1 && like.shape[to] != array.shape[axis]) return Did::cannot;
      like.shape[to] = array.shape[axis];
      strides[k][to] = array.stride[axis];
    }
  }
  const int64_t count = count_of(like.shape, like.rank);
  if (count > kLarge) return Did::large;
  *made = make(like.shape, like.rank, type);
  if (count == 0) return Did::well;
  const Array& output = arrays_[*made];
  data[3] = output.data;
  const int64_t* const all[4] = {strides[0], strides[1], strides[2], output.stride};
  const Walk walk(output.shape, output.rank, all, 4);
  by_size(size_of(type), [&](auto bytes) {
    walk.each(data, 4, [&](char* const* at, const intptr_t* steps, int64_t n) {
      for (int64_t k = 0; k < n; ++k) {
        const int which = at[0][k * steps[0]] ? 1 : 2;
        std::memcpy(at[3] + k * steps[3], at[which] + k * steps[which], static_cast<size_t>(bytes));
      }
    });
  });
  return Did::well;
}

Did Arrays::put_at(int64_t target, int64_t chosen_by, int64_t value, const char* number) {
  const Array to = arrays_[target], by = arrays_[chosen_by];
  const bool is_mask = by.type == Type::b1;
  if (is_mask ? !is_mask_of(by, to) : to.rank != 1 || by.rank != 1) return Did::cannot;
  const int64_t all = count_of(to.shape, to.rank);
  int64_t count = count_of(by.shape, by.rank);
  if (all > kLarge || count > kLarge) return Did::large;
  if (is_mask) {
    count = 0;
    each_true(by, by, [&](const char*) { ++count; });
  } else if (!each_index(by, to.shape[0], [](int64_t) {})) {
    return Did::cannot;
  }
  const char* from = number;
  int64_t step = 0;
  if (value >= 0) {
    const Array& given = arrays_[value];
    if (given.type != to.type || given.rank != 1) return Did::cannot;
    if (given.shape[0] != count && given.shape[0] != 1) return Did::cannot;
    if (overlap(given, to)) return Did::cannot;
    from = given.data;
    step = given.shape[0] == 1 ? 0 : given.stride[0];
  }
  if (overlap(by, to)) return Did::cannot;
  if (count == 0) return Did::well;
  const bool one_by_one = 4 * count < all && !needs_no_log(to);
  if (!one_by_one && !log_region(to)) return Did::cannot;
  bool is_logged = true;
  by_size(size_of(to.type), [&](auto bytes) {
    const auto put = [&](char* element) {
      if (one_by_one) is_logged = is_logged && log_element(element, to.type);
      if (is_logged) std::memcpy(element, from, static_cast<size_t>(bytes));
      from += step;
    };
    if (is_mask) {
      each_true(by, to, put);
    } else {
      each_index(by, to.shape[0], [&](int64_t at) { put(to.data + at * to.stride[0]); });
    }
  });
  return is_logged ? Did::well : Did::cannot;
}

}  // namespace units
}  // namespace hybrid
