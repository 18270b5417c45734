#include "units/arrays.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "units/convert.h"
#include "units/numbers.h"
#include "units/walk.h"

namespace hybrid {
namespace units {
namespace {

constexpr int kSmallestMemory = 6, kSmall = 9;  // logarithms
constexpr size_t kSlab = 1 << 14;               // bytes of what small memory is cut of

int size_class(int64_t bytes) {
  int found = kSmallestMemory;
  while ((int64_t{1} << found) < bytes) ++found;
  return found;
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
    if (arrays_[k].list == 0) continue;
    lists_.push_back({0, -1, -1, -1, 0, arrays_[k].list < 0, false});
    arrays_[k].list = static_cast<int>(lists_.size());
  }
}

Arrays::~Arrays() {
  for (const Memory& memory : memories_) {
    if (memory.users > 0 && memory.lender < 0) free_memory(memory.whole.data, memory.bytes);
  }
  for (const Array& array : arrays_) {
    const int64_t room = array.used && array.list != 0 ? lists_[array.list - 1].room : 0;
    if (room != 0) free_memory(array.data, kItemBytes * room);
  }
  for (const Grown& one : grown_) {
    const bool moved = one.room != 0 && one.data != arrays_[one.number].data;
    if (moved) free_memory(one.data, kItemBytes * one.room);
  }
  for (int which = kSmall + 1; which < kSizes; ++which) {
    for (char* data : spare_[which]) std::free(data);
  }
  for (char* slab : slabs_) std::free(slab);
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
  arrays_[number].kept = arrays_[number].listed = false;
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

int64_t put_in_order(Array* array) {
  int64_t bytes = size_of(array->type);
  bool empty = false;
  for (int axis = array->rank - 1; axis >= 0; --axis) {
    array->stride[axis] = bytes;
    empty = empty || array->shape[axis] == 0;
    if (array->shape[axis] != 0) bytes *= array->shape[axis];
  }
  return empty ? 0 : bytes;
}

char* Arrays::memory_of(int64_t bytes) {
  const int which = size_class(bytes);
  std::vector<char*>& spare = spare_[which];
  if (spare.empty()) {
    const size_t size = size_t{1} << which, pieces = which <= kSmall ? kSlab / size : 1;
    auto* const data = static_cast<char*>(std::aligned_alloc(64, pieces * size));
    if (data == nullptr) throw std::bad_alloc();
    if (which > kSmall) return data;
    slabs_.push_back(data);
    for (size_t k = pieces; k-- > 0;) spare.push_back(data + k * size);
  }
  char* const data = spare.back();
  spare.pop_back();
  return data;
}

// At the end of a run.
void Arrays::free_memory(char* data, int64_t bytes) {
  if (size_class(bytes) > kSmall) std::free(data);
}

void Arrays::give_back(char* data, int64_t bytes) { spare_[size_class(bytes)].push_back(data); }

int64_t Arrays::make(const int64_t* shape, int rank, Type type) {
  Array made{};
  made.rank = rank;
  made.type = type;
  made.from = -1;
  std::copy(shape, shape + rank, made.shape);
  const int64_t bytes = put_in_order(&made);
  made.data = memory_of(bytes);
  const Memory memory{made, bytes, 0, transaction_, -1};
  return add(made, memory);
}

void Arrays::release(int64_t number) {
  const Array& array = arrays_[number];
  if (!was_given(number) && !array.kept && !array.listed) free(number);
}

void Arrays::free(int64_t number) {
  Array& array = arrays_[number];
  array.used = false;
  free_arrays_.push_back(static_cast<int>(number));
  --made_;
  if (array.later != 0) free_laters_.push_back(array.later);
  if (array.list != 0) free_list(array);
  if (array.memory < 0) return;
  Memory& memory = memories_[array.memory];
  if (--memory.users == 0) {
    if (memory.lender < 0) {
      give_back(memory.whole.data, memory.bytes);
    } else {
      returned_.push_back(memory.lender);
    }
    free_memories_.push_back(array.memory);
  }
}

void Arrays::collect(const Register* first, size_t count, const Register* others,
                     size_t other_count) {
  std::vector<char> held(arrays_.size());
  std::vector<int64_t> lists;  // to be looked into
  const auto mark = [&](int64_t number) {
    if (static_cast<uint64_t>(number) >= held.size() || held[number]) return;
    held[number] = 1;
    const Array& array = arrays_[number];
    if (array.list != 0 && lists_[array.list - 1].refers) lists.push_back(number);
  };
  for (size_t k = 0; k < count; ++k) mark(first[k].i);
  for (size_t k = 0; k < other_count; ++k) mark(others[k].i);
  if (!lists_.empty()) {
    for (size_t k = 0; k < arrays_.size(); ++k) {
      const bool stays = static_cast<int64_t>(k) < given_ || arrays_[k].kept;
      if (stays && arrays_[k].used) mark(static_cast<int64_t>(k));
    }
    follow_log(mark);
    while (!lists.empty()) {
      const Array list = arrays_[lists.back()];
      lists.pop_back();
      follow(list, mark);
    }
  }
  for (size_t k = given_; k < arrays_.size(); ++k) {
    if (arrays_[k].used && !arrays_[k].kept && !held[k]) free(static_cast<int64_t>(k));
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
  made.list = 0;
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

}  // namespace units
}  // namespace hybrid
