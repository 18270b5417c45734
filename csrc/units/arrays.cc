#include "units/arrays.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "units/chain.h"
#include "units/convert.h"
#include "units/numbers.h"
#include "units/walk.h"

namespace hybrid {
namespace units {
namespace {

constexpr int64_t kAtOnce = 1024;                    // elements: in the first cache, no chain pays
constexpr int64_t kCopied = 8192;                    // elements: what NumPy buffers when it reduces
constexpr size_t kMaxLog = 1u << 22;                 // writes between two commits
constexpr size_t kMaxSaved = 64u << 20;              // bytes of those of regions
constexpr int64_t kSmallestMemory = 6, kSizes = 48;  // logarithms

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

}  // namespace

int64_t count_of(const int64_t* shape, int rank) {
  int64_t made = 1;
  for (int axis = 0; axis < rank; ++axis) made *= shape[axis];
  return made;
}

void bounds_of(const Array& array, const char** low, const char** high) {
  *low = *high = array.data;
  for (int axis = 0; axis < array.rank; ++axis) {
    const int64_t reach = (array.shape[axis] - 1) * array.stride[axis];
    (reach < 0 ? *low : *high) += reach;
  }
  *high += size_of(array.type);
}

bool in_order(const Array& array) {
  int64_t before = INT64_MAX;
  for (int axis = 0; axis < array.rank; ++axis) {
    const int64_t stride = std::abs(array.stride[axis]);
    if (array.shape[axis] == 1 || stride == 0) continue;
    if (stride > before) return false;
    before = stride;
  }
  return true;
}

Arrays::Arrays(std::vector<Array> given)
    : arrays_(std::move(given)), given_(static_cast<int64_t>(arrays_.size())) {
  for (int64_t k = 0; k < given_; ++k) {
    arrays_[k].from = static_cast<int>(k);
    arrays_[k].memory = -1;
    arrays_[k].used = true;
  }
}

Arrays::~Arrays() {
  for (const Memory& memory : memories_) {
    if (memory.users > 0 && memory.lender < 0) std::free(memory.whole.data);
  }
  for (const auto& spare : spare_) {
    for (char* data : spare) std::free(data);
  }
}

// Memory and numbers ------------------------------------------------------------------------------
int64_t Arrays::add(const Array& array) {
  ++made_;
  if (array.memory >= 0) ++memories_[array.memory].users;
  int64_t number;
  if (free_arrays_.empty()) {
    number = static_cast<int64_t>(arrays_.size());
    arrays_.push_back(array);
  } else {
    number = free_arrays_.back();
    free_arrays_.pop_back();
    arrays_[number] = array;
  }
  arrays_[number].used = true;
  arrays_[number].kept = false;
  return number;
}

int64_t Arrays::add(Array array, const Memory& memory) {
  if (free_memories_.empty()) {
    array.memory = static_cast<int>(memories_.size());
    memories_.push_back(memory);
  } else {
    array.memory = free_memories_.back();
    free_memories_.pop_back();
    memories_[array.memory] = memory;
  }
  return add(array);
}

static int size_class(int64_t bytes) {
  int found = kSmallestMemory;
  while ((int64_t{1} << found) < bytes) ++found;
  return found;
}

// Gives an array the strides of C's order, NumPy's where it has no elements; its bytes.
static int64_t put_in_order(Array* array) {
  int64_t bytes = size_of(array->type);
  bool empty = false;
  for (int axis = array->rank - 1; axis >= 0; --axis) {
    array->stride[axis] = bytes;
    empty = empty || array->shape[axis] == 0;
    if (array->shape[axis] != 0) bytes *= array->shape[axis];
  }
  return empty ? 0 : bytes;
}

int64_t Arrays::make(const int64_t* shape, int rank, Type type) {
  Array made{};
  made.rank = rank;
  made.type = type;
  made.from = -1;
  std::copy(shape, shape + rank, made.shape);
  const int64_t bytes = put_in_order(&made);
  const int which = size_class(bytes);
  char* data;
  if (!spare_[which].empty()) {
    data = spare_[which].back();
    spare_[which].pop_back();
  } else {
    data = static_cast<char*>(std::aligned_alloc(64, size_t{1} << which));
    if (data == nullptr) throw std::bad_alloc();
  }
  made.data = data;
  const Memory memory{made, bytes, 0, transaction_, -1};
  return add(made, memory);
}

void Arrays::release(int64_t number) {
  Array& array = arrays_[number];
  if (was_given(number) || array.kept) return;
  array.used = false;
  free_arrays_.push_back(static_cast<int>(number));
  --made_;
  if (array.later != 0) free_laters_.push_back(array.later);
  if (array.memory < 0) return;
  Memory& memory = memories_[array.memory];
  if (--memory.users == 0) {
    if (memory.lender < 0) {
      spare_[size_class(memory.bytes)].push_back(memory.whole.data);
    } else {
      returned_.push_back(memory.lender);
    }
    free_memories_.push_back(array.memory);
  }
}

void Arrays::collect(const Register* first, size_t count, const Register* others,
                     size_t other_count) {
  std::vector<char> held(arrays_.size());
  const auto look = [&](const Register* registers, size_t n) {
    for (size_t k = 0; k < n; ++k) {
      if (static_cast<uint64_t>(registers[k].i) < held.size()) held[registers[k].i] = 1;
    }
  };
  look(first, count);
  look(others, other_count);
  for (size_t k = given_; k < arrays_.size(); ++k) {
    if (arrays_[k].used && !held[k]) release(static_cast<int64_t>(k));
  }
  kept_ = made_;
}

// Views -------------------------------------------------------------------------------------------
int64_t Arrays::view(int64_t of, const int32_t* parts, int count, const Register* registers) {
  const Array& whole = arrays_[of];
  Array made = whole;
  made.is_view = true;
  made.rank = 0;
  int axis = 0;
  const auto keep = [&](int64_t size, int64_t stride) {
    made.shape[made.rank] = size;
    made.stride[made.rank++] = stride;
  };
  for (int k = 0; k < count; ++k, parts += 4) {
    if (static_cast<Part>(parts[0]) == Part::axis) {
      if (made.rank == kMaxRank) return -1;
      keep(1, 0);
      continue;
    }
    if (axis == whole.rank) return -1;
    const int64_t size = whole.shape[axis], stride = whole.stride[axis];
    ++axis;
    if (static_cast<Part>(parts[0]) == Part::index) {
      int64_t at = registers[parts[1]].i;
      at += at < 0 ? size : 0;
      if (static_cast<uint64_t>(at) >= static_cast<uint64_t>(size)) return -1;
      made.data += at * stride;
      continue;
    }
    // As Python's slice.indices does.
    const int64_t step = parts[3] < 0 ? 1 : registers[parts[3]].i;
    if (step == 0 || step == INT64_MIN) return -1;
    const int64_t lowest = step < 0 ? -1 : 0, highest = step < 0 ? size - 1 : size;
    const auto bound = [&](int32_t given, int64_t none) {
      if (given < 0) return none;
      int64_t value = registers[given].i;
      if (value < 0) value = value < -size ? lowest : value + size;
      return std::max(lowest, std::min(value, highest));
    };
    const int64_t start = bound(parts[1], step < 0 ? size - 1 : 0);
    const int64_t stop = bound(parts[2], step < 0 ? -1 : size);
    int64_t length = 0;
    if (step > 0 && start < stop) length = (stop - start - 1) / step + 1;
    if (step < 0 && start > stop) length = (start - stop - 1) / -step + 1;
    made.data += length == 0 ? 0 : start * stride;
    if (made.rank == kMaxRank) return -1;
    keep(length, length == 0 ? stride : step * stride);
  }
  for (; axis < whole.rank; ++axis) {
    if (made.rank == kMaxRank) return -1;
    keep(whole.shape[axis], whole.stride[axis]);
  }
  if (whole.tags != nullptr) made.tags += (made.data - whole.data) / sizeof(Register);
  return add(made);
}

int64_t Arrays::turned(int64_t of) {
  Array made = arrays_[of];
  made.is_view = true;
  std::reverse(made.shape, made.shape + made.rank);
  std::reverse(made.stride, made.stride + made.rank);
  return add(made);
}

int64_t Arrays::reshaped(int64_t of, int64_t* shape, int rank) {
  Array made = arrays_[of];
  const int64_t count = count_of(made.shape, made.rank);
  if (!is_contiguous(made) || count == 0) return -1;
  int64_t known = 1, open = -1;
  for (int axis = 0; axis < rank; ++axis) {
    if (shape[axis] == -1 && open < 0) {
      open = axis;
    } else if (shape[axis] <= 0 || shape[axis] > count) {
      return -1;
    } else {
      known *= shape[axis];
      if (known > count) return -1;
    }
  }
  if (open >= 0) shape[open] = count / known;
  if (count_of(shape, rank) != count) return -1;
  made.is_view = true;
  made.rank = rank;
  std::copy(shape, shape + rank, made.shape);
  put_in_order(&made);
  return add(made);
}

// New arrays --------------------------------------------------------------------------------------
int64_t Arrays::filled(const int64_t* shape, int rank, Type type, const char* value) {
  for (int axis = 0; axis < rank; ++axis) {
    if (shape[axis] < 0 || shape[axis] > kLarge) return -1;
  }
  const int64_t count = count_of(shape, rank);
  if (count > kLarge) return -1;
  const int64_t number = make(shape, rank, type);
  const int size = size_of(type);
  char* to = arrays_[number].data;
  static const char nothing[16] = {};
  if (std::memcmp(value, nothing, size) == 0) {
    std::memset(to, 0, count * size);
  } else {
    converter(type, type)(count, value, 0, to, size);
  }
  return number;
}

int64_t Arrays::counted(int64_t first, int64_t step, int64_t count) {
  int64_t last;
  if (count > kLarge || __builtin_mul_overflow(step, count, &last) ||
      __builtin_add_overflow(first, last, &last)) {
    return -1;
  }
  const int64_t number = make(&count, 1, Type::i64);
  int64_t* const to = reinterpret_cast<int64_t*>(arrays_[number].data);
  for (int64_t k = 0; k < count; ++k) to[k] = first + k * step;
  return number;
}

int64_t Arrays::lent(const Array& array, int lender) {
  if (count_of(array.shape, array.rank) > kLarge) return -1;
  Array made = array;
  made.from = -1;
  const Memory memory{made, 0, 0, transaction_, lender};
  return add(made, memory);
}

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
  return memory.users == 1 && memory.lender < 0 && !array.is_view && !array.kept &&
         in_order(array) && std::equal(like.shape, like.shape + like.rank, array.shape);
}

Did Arrays::apply(const ArrayLoop& loop, Input* inputs, bool later, int64_t* made) {
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
    if (loop.in_place && input.dies && reusable(input.array, like)) number = input.array;
  }
  if (number < 0) number = make(like.shape, like.rank, like.type);
  const Array& output = arrays_[number];
  data[loop.inputs] = output.data;
  if (count != 0) {
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
    if (apart && array.rank == 2 && !is_contiguous(array) && !is_contiguous(array, true)) {
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

// Writes ------------------------------------------------------------------------------------------
bool Arrays::log_element(char* address, Type type) {
  if (log_.size() >= kMaxLog) return false;
  log_.emplace_back();
  Written& written = log_.back();
  written.address = address;
  written.type = static_cast<int32_t>(type);
  char* const old = written.old;
  switch (size_of(type)) {  // copies of sizes that are known are no calls
    case 1:
      std::memcpy(old, address, 1);
      break;
    case 2:
      std::memcpy(old, address, 2);
      break;
    case 4:
      std::memcpy(old, address, 4);
      break;
    case 8:
      std::memcpy(old, address, 8);
      break;
    default:
      std::memcpy(old, address, 16);
  }
  return true;
}

bool Arrays::log_region(const Array& array, char** later) {
  if (later != nullptr) *later = nullptr;
  if (needs_no_log(array)) return true;
  const size_t bytes = count_of(array.shape, array.rank) * size_of(array.type);
  if (saved_size_ + bytes > kMaxSaved || log_.size() >= kMaxLog) return false;
  log_.emplace_back();
  log_.back().type = -1;
  const size_t number = regions_.size();
  std::memcpy(log_.back().old, &number, sizeof number);
  regions_.push_back({array, saved_size_});
  if (saved_size_ + bytes > saved_capacity_) {  // a vector would clear what is written at once
    const size_t capacity = std::max(2 * saved_capacity_, saved_size_ + bytes);
    std::unique_ptr<char[]> more(new char[capacity]);
    if (saved_size_ != 0) std::memcpy(more.get(), saved_.get(), saved_size_);
    saved_ = std::move(more);
    saved_capacity_ = capacity;
  }
  char* to = saved_.get() + saved_size_;
  saved_size_ += bytes;
  if (later != nullptr) {
    *later = to;
    return true;
  }
  const Convert copy = converter(array.type, array.type);
  const int size = size_of(array.type);
  char* data[1] = {array.data};
  const int64_t* const strides[1] = {array.stride};
  Walk(array.shape, array.rank, strides, 1)
      .each(data, 1, [&](char* const* at, const intptr_t* steps, int64_t n) {
        copy(n, at[0], steps[0], to, size);
        to += n * size;
      });
  return true;
}

void Arrays::take_back() {
  for (size_t k = log_.size(); k-- > 0;) {
    const Written& written = log_[k];
    if (written.type >= 0) {
      std::memcpy(written.address, written.old, size_of(static_cast<Type>(written.type)));
      continue;
    }
    size_t number;
    std::memcpy(&number, written.old, sizeof number);
    const Array& array = regions_[number].array;
    const char* from = saved_.get() + regions_[number].at;
    const Convert copy = converter(array.type, array.type);
    const int size = size_of(array.type);
    char* data[1] = {array.data};
    const int64_t* const strides[1] = {array.stride};
    Walk(array.shape, array.rank, strides, 1)
        .each(data, 1, [&](char* const* at, const intptr_t* steps, int64_t n) {
          copy(n, from, size, at[0], steps[0]);
          from += n * size;
        });
  }
  commit();
}

void Arrays::commit() {
  log_.clear();
  regions_.clear();
  saved_size_ = 0;
  ++transaction_;
}

Did Arrays::assign(int64_t target, int64_t value) {
  const Array to = arrays_[target];
  if (const Array& given = arrays_[value]; given.later != 0) {
    const Later later = laters_[given.later - 1];
    bool straight = given.type == to.type && given.rank == to.rank &&
                    std::equal(to.shape, to.shape + to.rank, given.shape) &&
                    count_of(to.shape, to.rank) != 0;
    if (straight) {
      Chain chain(*this, *later.loop, later.inputs, to);
      straight = !chain.overlaps() && chain.may_be_straight();
      if (straight) {
        char* saved;
        if (!log_region(to, &saved)) return Did::cannot;
        chain.go(&scratch_, saved);
        drop(*later.loop, later.inputs);
        return Did::well;
      }
    }
    compute(value);
  }
  Array from = arrays_[value];
  const Convert function = converter(from.type, to.type);
  if (function == nullptr || from.rank > to.rank) return Did::cannot;
  int64_t strides[kMaxRank] = {};
  for (int axis = 0, at = to.rank - from.rank; axis < from.rank; ++axis, ++at) {
    if (from.shape[axis] != 1) {
      if (from.shape[axis] != to.shape[at]) return Did::cannot;
      strides[at] = from.stride[axis];
    }
  }
  const int64_t count = count_of(to.shape, to.rank);
  if (count > kLarge) return Did::large;
  if (count == 0) return Did::well;
  const char *low, *high, *other_low, *other_high;
  bounds_of(to, &low, &high);
  bounds_of(from, &other_low, &other_high);
  if (low < other_high && other_low < high) {
    // NumPy copies these element by element, and what it has written then.
    const bool one = to.rank == 1 && from.rank == 1 && to.shape[0] > 1;
    if (one && from.stride[0] != to.stride[0] && (from.stride[0] < 0) == (to.stride[0] < 0)) {
      return Did::cannot;
    }
    int64_t copy;
    const Did did = converted(value, from.type, &copy);
    if (did != Did::well) return did;
    const Did written = assign(target, copy);
    release(copy);
    return written;
  }
  if (!log_region(to)) return Did::cannot;
  char* data[2] = {from.data, to.data};
  const int64_t* const all[2] = {strides, to.stride};
  Walk(to.shape, to.rank, all, 2)
      .each(data, 2, [&](char* const* at, const intptr_t* steps, int64_t n) {
        function(n, at[0], steps[0], at[1], steps[1]);
      });
  return Did::well;
}

Did Arrays::fill(int64_t target, const char* value) {
  const Array to = arrays_[target];
  const int64_t count = count_of(to.shape, to.rank);
  if (count > kLarge) return Did::large;
  if (count == 0) return Did::well;
  if (!log_region(to)) return Did::cannot;
  const Convert copy = converter(to.type, to.type);
  char* data[1] = {to.data};
  const int64_t* const strides[1] = {to.stride};
  Walk(to.shape, to.rank, strides, 1)
      .each(data, 1, [&](char* const* at, const intptr_t* steps, int64_t n) {
        copy(n, value, 0, at[0], steps[0]);
      });
  return Did::well;
}

}  // namespace units
}  // namespace hybrid
