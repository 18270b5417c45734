// What a unit writes into arrays, and the log by which it is taken back.
#include <algorithm>
#include <cstring>
#include <memory>

#include "units/arrays.h"
#include "units/chain.h"
#include "units/convert.h"
#include "units/numbers.h"
#include "units/walk.h"

namespace hybrid {
namespace units {
namespace {

constexpr size_t kMaxSaved = 64u << 20;  // bytes of those of regions

}  // namespace

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
  log_.back().type = kRegion;
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
    if (written.type <= kItem) {
      char* tag;
      std::memcpy(written.address, written.old, sizeof(Register));
      std::memcpy(&tag, written.old + sizeof(Register), sizeof tag);
      *tag = static_cast<char>(kItem - written.type);
      continue;
    }
    size_t number;
    std::memcpy(&number, written.old, sizeof number);
    if (written.type == kGrown) {
      ungrow(grown_[number]);
      continue;
    }
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
  for (const Grown& one : grown_) {
    if (one.room != 0 && one.data != arrays_[one.number].data)
      give_back(one.data, kItemBytes * one.room);
  }
  grown_.clear();
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
