// Arrays that NumPy's inner loops compute: element by element, reduced, accumulated, products.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "units/arrays.h"
#include "units/chain.h"
#include "units/convert.h"
#include "units/numbers.h"
#include "units/walk.h"

namespace hybrid {
namespace units {
namespace {

constexpr int64_t kAtOnce = 1024;  // elements: in the first cache, no chain pays
constexpr int64_t kCopied = 8192;  // elements: what NumPy buffers when it reduces

void put_beginning(const ArrayLoop& loop, char* to) {
  Register value, none{};
  if (loop.types[0] == Type::f32 || loop.types[0] == Type::f64 || loop.types[0] == Type::c128) {
    value.f = loop.beginning;
  } else {
    value.i = static_cast<int64_t>(loop.beginning);
  }
  put(loop.types[0], to, value, none);
}

// n elements into one.
void fold(const ArrayLoop& loop, char* made, const char* from, intptr_t step, intptr_t n) {
  if (std::isnan(loop.beginning)) {
    std::memcpy(made, from, size_of(loop.types[0]));
    from += step;
    --n;
  } else {
    put_beginning(loop, made);
  }
  if (n == 0) return;
  char* data[3] = {made, const_cast<char*>(from), made};
  const intptr_t strides[3] = {0, step, 0};
  loop.function(data, &n, strides, loop.extra);
}

// Does np.dot copy it before it is multiplied? BLAS takes vectors, rows and columns at any
// distance.
bool is_copied_first(const Array& array) {
  const bool is_matrix = array.rank == 2 && array.shape[0] != 1 && array.shape[1] != 1;
  if (is_matrix) return !is_contiguous(array) && !is_contiguous(array, true);
  for (int axis = 0; axis < array.rank; ++axis) {
    const int64_t step = array.stride[axis];
    if (step < 0 || step % size_of(array.type) != 0 || (step == 0 && array.shape[axis] > 1)) {
      return true;
    }
  }
  return false;
}

// One float by another, as np.dot multiplies vectors of length 1: not added to 0, which has a sign.
bool multiplied(Type type, const char* a, const char* b, char* to) {
  if (type == Type::f32) {
    write<float>(to, read<float>(a) * read<float>(b));
  } else if (type == Type::f64) {
    write<double>(to, read<double>(a) * read<double>(b));
  } else if (type == Type::c128) {
    const double x = read<double>(a), y = read<double>(a + 8);
    const double u = read<double>(b), v = read<double>(b + 8);
    write<double>(to, x * u - y * v);
    write<double>(to + 8, x * v + y * u);
  } else {
    return false;
  }
  return true;
}

}  // namespace

// In C's order, with the shape of `like` by itself: every axis has a stride.
static bool is_whole(const Array& array, const Array& like) {
  if (array.rank != like.rank || !in_order(array) || is_reversed(array)) return false;
  for (int axis = 0; axis < array.rank; ++axis) {
    if (array.shape[axis] != like.shape[axis] || array.stride[axis] == 0) return false;
  }
  return true;
}

bool Arrays::reusable(int64_t number, const Array& like) const {
  const Array& array = arrays_[number];
  if (array.memory < 0 || array.type != like.type || array.rank != like.rank) return false;
  const Memory& memory = memories_[array.memory];
  return memory.users == 1 && memory.lender < 0 && !array.is_view && !array.kept && !array.listed &&
         in_order(array) && std::equal(like.shape, like.shape + like.rank, array.shape);
}

Did Arrays::apply(const ArrayLoop& loop, Input* inputs, bool later, bool updates, int64_t* made) {
  Array like{};
  like.type = loop.types[loop.inputs];
  for (int k = 0; k < loop.inputs; ++k) {
    if (inputs[k].array >= 0) like.rank = std::max(like.rank, arrays_[inputs[k].array].rank);
  }
  std::fill_n(like.shape, like.rank, 1);
  int64_t strides[2][kMaxRank] = {};
  char* data[3];
  bool all_in_order = true;
  for (int k = 0; k < loop.inputs; ++k) {
    data[k] = inputs[k].scalar;
    if (inputs[k].array < 0) continue;
    const Array& array = arrays_[inputs[k].array];
    if (array.type != loop.types[k]) return Did::cannot;
    all_in_order = all_in_order && in_order(array);
    // NumPy turns axes round, which only the exact functions don't tell.
    if (like.rank > 1 && loop.path < 0 && is_reversed(array)) return Did::cannot;
    data[k] = array.data;
    for (int axis = 0, to = like.rank - array.rank; axis < array.rank; ++axis, ++to) {
      if (array.shape[axis] != 1) {
        if (like.shape[to] != 1 && like.shape[to] != array.shape[axis]) return Did::cannot;
        like.shape[to] = array.shape[axis];
        strides[k][to] = array.stride[axis];
      }
    }
  }
  if (like.rank > 1 && !all_in_order) {  // where operands disagree, C's order wins
    const auto decides = [&](const Input& input) {
      return input.array >= 0 && is_whole(arrays_[input.array], like);
    };
    if (!decides(inputs[0]) && (loop.inputs < 2 || !decides(inputs[1]))) return Did::cannot;
  }
  const int64_t count = count_of(like.shape, like.rank);
  if (count > kLarge) return Did::large;
  int nodes = 1;
  bool chain = false;
  for (int k = 0; k < loop.inputs; ++k) {
    if (inputs[k].array < 0 || arrays_[inputs[k].array].later == 0) continue;
    const Array& array = arrays_[inputs[k].array];
    const int own = laters_[array.later - 1].nodes;
    if (nodes + own > kMostNodes || array.rank != like.rank ||
        !std::equal(like.shape, like.shape + like.rank, array.shape)) {
      compute(inputs[k].array);
      data[k] = arrays_[inputs[k].array].data;
    } else {
      nodes += own;
      chain = true;
    }
  }
  if (later && count > kAtOnce) {
    like.memory = like.from = -1;
    put_in_order(&like);
    const Later one{&loop, {inputs[0], loop.inputs == 2 ? inputs[1] : Input{}}, nodes};
    if (free_laters_.empty()) {
      laters_.push_back(one);
      like.later = static_cast<int>(laters_.size());
    } else {
      like.later = free_laters_.back();
      free_laters_.pop_back();
      laters_[like.later - 1] = one;
    }
    *made = add(like);
    return Did::well;
  }
  if (chain) {
    *made = make(like.shape, like.rank, like.type);
    compute_into(loop, inputs, arrays_[*made]);
    return Did::well;
  }
  int64_t number = -1;
  for (int k = 0; k < loop.inputs && number < 0; ++k) {
    const Input& input = inputs[k];
    // One complex number in place of another is computed otherwise.
    const bool may = loop.in_place && (count != 1 || like.type != Type::c128);
    if (may && input.dies && reusable(input.array, like)) number = input.array;
  }
  if (number < 0) number = make(like.shape, like.rank, like.type);
  const Array& output = arrays_[number];
  data[loop.inputs] = output.data;
  if (count == 1) {
    // NumPy tells its loops how far the next element were: these choose by that.
    intptr_t steps[3] = {};
    bool alike = !updates;
    for (int k = 0; k < loop.inputs; ++k) {
      if (inputs[k].array < 0) continue;
      const Array& array = arrays_[inputs[k].array];
      alike = alike && array.rank == like.rank;
      steps[k] = array.rank == 1 ? array.stride[0] : size_of(array.type);
    }
    steps[loop.inputs] = size_of(like.type);
    if (!alike) std::fill_n(steps, 3, 0);
    const intptr_t one = 1;
    loop.function(data, &one, steps, loop.extra);
  } else if (count != 0) {
    const int64_t* all[3] = {strides[0], strides[1], nullptr};
    all[loop.inputs] = output.stride;
    Walk(output.shape, output.rank, all, loop.inputs + 1)
        .each(data, loop.inputs + 1, [&](char* const* at, const intptr_t* steps, int64_t n) {
          char* given[3] = {at[0], at[1], loop.inputs == 2 ? at[2] : nullptr};
          const intptr_t size = n;
          loop.function(given, &size, steps, loop.extra);
        });
  }
  for (int k = 0; k < loop.inputs; ++k) {
    if (inputs[k].dies && inputs[k].array != number) release(inputs[k].array);
  }
  *made = number;
  return Did::well;
}

void Arrays::compute_into(const ArrayLoop& loop, const Input* inputs, const Array& output) {
  if (count_of(output.shape, output.rank) != 0) {
    Chain(*this, loop, inputs, output).go(&scratch_);
  }
  drop(loop, inputs);
}

void Arrays::drop(const ArrayLoop& loop, const Input* inputs) {
  for (int k = 0; k < loop.inputs; ++k) {
    const int64_t number = inputs[k].array;
    if (number < 0) continue;
    if (arrays_[number].later != 0) {
      const Later later = laters_[arrays_[number].later - 1];
      drop(*later.loop, later.inputs);
    }
    if (inputs[k].dies) release(number);
  }
}

void Arrays::compute(int64_t number) {
  const Array wanted = arrays_[number];
  const Later later = laters_[wanted.later - 1];
  const int64_t made = make(wanted.shape, wanted.rank, wanted.type);
  compute_into(*later.loop, later.inputs, arrays_[made]);
  free_laters_.push_back(wanted.later);
  arrays_[number] = arrays_[made];  // whose place is free again
  arrays_[made].used = false;
  free_arrays_.push_back(static_cast<int>(made));
  --made_;
}

Did Arrays::converted(int64_t of, Type type, int64_t* made, bool as_it_lies) {
  const Convert function = converter(arrays_[of].type, type);
  const bool turns = !in_order(arrays_[of]);
  // Of two axes, those of a matrix's transposed view.
  if (turns && (!as_it_lies || arrays_[of].rank != 2 || is_reversed(arrays_[of]))) {
    return Did::cannot;
  }
  if (function == nullptr) return Did::cannot;
  if (count_of(arrays_[of].shape, arrays_[of].rank) > kLarge) return Did::large;
  *made = make(arrays_[of].shape, arrays_[of].rank, type);
  if (turns) {
    Array& turned = arrays_[*made];
    turned.stride[0] = size_of(type);
    turned.stride[1] = turned.shape[0] * turned.stride[0];
    memories_[turned.memory].whole = turned;
  }
  const Array &from = arrays_[of], &to = arrays_[*made];
  if (count_of(from.shape, from.rank) == 0) return Did::well;
  char* data[2] = {from.data, to.data};
  const int64_t* const strides[2] = {from.stride, to.stride};
  Walk(from.shape, from.rank, strides, 2)
      .each(data, 2, [&](char* const* at, const intptr_t* steps, int64_t n) {
        function(n, at[0], steps[0], at[1], steps[1]);
      });
  return Did::well;
}

Did Arrays::reduced(const ArrayLoop& loop, int64_t of, char* made) {
  const Array array = arrays_[of];
  const int64_t count = count_of(array.shape, array.rank);
  if (array.type != loop.types[0] || (count == 0 && std::isnan(loop.beginning))) return Did::cannot;
  const int last = array.rank - 1;
  if (array.rank == 1) {
    fold(loop, made, array.data, array.stride[0], count);
  } else if (is_contiguous(array)) {
    fold(loop, made, array.data, size_of(array.type), count);
  } else {  // NumPy buffers it
    if (count > kCopied || last < 0) return Did::cannot;
    int64_t copy;
    const Did did = converted(of, array.type, &copy);
    if (did != Did::well) return did;
    fold(loop, made, arrays_[copy].data, size_of(array.type), count);
    release(copy);
  }
  return Did::well;
}

Did Arrays::reduced(const ArrayLoop& loop, int64_t of, int axis, int64_t* made) {
  const Array array = arrays_[of];
  if (array.type != loop.types[0] || !in_order(array) || array.rank < 2) return Did::cannot;
  Array rest = array;  // without the axis
  --rest.rank;
  std::copy(array.shape + axis + 1, array.shape + array.rank, rest.shape + axis);
  std::copy(array.stride + axis + 1, array.stride + array.rank, rest.stride + axis);
  const int64_t n = array.shape[axis], step = array.stride[axis];
  if ((n == 0 && std::isnan(loop.beginning)) || array.stride[axis] == 0) return Did::cannot;
  if (count_of(array.shape, array.rank) > kLarge) return Did::large;
  int inner = array.rank - 1;  // what NumPy goes along
  while (inner > 0 && array.shape[inner] == 1) --inner;
  *made = make(rest.shape, rest.rank, array.type);
  const Array output = arrays_[*made];
  if (count_of(output.shape, output.rank) == 0) return Did::well;
  const int64_t* const strides[3] = {output.stride, rest.stride, output.stride};
  const Walk walk(rest.shape, rest.rank, strides, 3);
  char* data[3] = {output.data, array.data, output.data};
  if (inner == axis || n <= 1) {
    walk.each(data, 3, [&](char* const* at, const intptr_t* steps, int64_t count) {
      for (int64_t k = 0; k < count; ++k) {
        fold(loop, at[0] + k * steps[0], at[1] + k * steps[1], step, n);
      }
    });
    return Did::well;
  }
  const bool first = std::isnan(loop.beginning);
  const Convert copy = converter(array.type, array.type);
  char beginning[16];
  if (!first) put_beginning(loop, beginning);
  for (int64_t k = 0; k < n; ++k) {
    if (k == 0) {
      walk.each(data, 3, [&](char* const* at, const intptr_t* steps, int64_t count) {
        copy(count, first ? at[1] : beginning, first ? steps[1] : 0, at[0], steps[0]);
      });
      if (first) continue;
    }
    char* now[3] = {output.data, array.data + k * step, output.data};
    walk.each(now, 3, [&](char* const* at, const intptr_t* steps, int64_t count) {
      char* given[3] = {at[0], at[1], at[2]};
      const intptr_t size = count;
      loop.function(given, &size, steps, loop.extra);
    });
  }
  return Did::well;
}

void Arrays::add_axis(int64_t made, int axis) {
  Array& array = arrays_[made];
  std::copy_backward(array.shape + axis, array.shape + array.rank, array.shape + array.rank + 1);
  array.shape[axis] = 1;
  ++array.rank;
  put_in_order(&array);
  memories_[array.memory].whole = array;
}

Did Arrays::accumulated(const ArrayLoop& loop, int64_t of, int64_t* made) {
  const Array array = arrays_[of];
  if (array.type != loop.types[0]) return Did::cannot;
  if (array.shape[0] > kLarge) return Did::large;
  *made = make(array.shape, 1, array.type);
  if (array.shape[0] == 0) return Did::well;
  char* const to = arrays_[*made].data;
  const intptr_t size = size_of(array.type), n = array.shape[0] - 1;
  std::memcpy(to, array.data, size);
  char* data[3] = {to, array.data + array.stride[0], to + size};
  const intptr_t strides[3] = {size, array.stride[0], size};
  if (n > 0) loop.function(data, &n, strides, loop.extra);
  return Did::well;
}

Did Arrays::product(const ArrayLoop& loop, int64_t left, int64_t right, bool apart, int64_t* made,
                    char* scalar) {
  int64_t copies[2] = {-1, -1};
  int64_t numbers[2] = {left, right};
  for (int k = 0; k < 2; ++k) {
    const Array& array = arrays_[numbers[k]];
    if (array.type != loop.types[k] || array.rank > 2) return Did::cannot;
    if (apart && is_copied_first(array)) {
      const Did did = converted(numbers[k], array.type, &copies[k]);
      if (did != Did::well) return did;
      numbers[k] = copies[k];
    }
  }
  const Array a = arrays_[numbers[0]], b = arrays_[numbers[1]];
  const bool rows = a.rank == 2, columns = b.rank == 2;
  const intptr_t m = rows ? a.shape[0] : 1, n = a.shape[a.rank - 1], p = columns ? b.shape[1] : 1;
  if (n != b.shape[0]) return Did::cannot;
  if (m > kLarge || p > kLarge || m * p > kLarge) return Did::large;
  const intptr_t size = size_of(loop.types[2]);
  char* to = scalar;
  if (rows || columns) {
    int64_t shape[2];
    int rank = 0;
    if (rows) shape[rank++] = m;
    if (columns) shape[rank++] = p;
    *made = make(shape, rank, loop.types[2]);
    to = arrays_[*made].data;
  }
  if (n == 0) std::memset(to, 0, m * p * size);
  if (apart && !rows && !columns && n == 1 && multiplied(loop.types[2], a.data, b.data, to)) {
    return Did::well;
  }
  char* data[3] = {a.data, b.data, to};
  const intptr_t dimensions[4] = {1, m, n, p};
  const intptr_t strides[9] = {0,
                               0,
                               0,
                               rows ? a.stride[0] : 0,
                               a.stride[a.rank - 1],
                               b.stride[0],
                               columns ? b.stride[1] : 0,
                               rows ? (columns ? p * size : size) : 0,
                               columns ? size : 0};
  if (n != 0 && m != 0 && p != 0) loop.function(data, dimensions, strides, loop.extra);
  for (const int64_t copy : copies) {
    if (copy >= 0) release(copy);
  }
  return Did::well;
}

}  // namespace units
}  // namespace hybrid
