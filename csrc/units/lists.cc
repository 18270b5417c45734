// Lists of a run: items that are registers' values, and what each is. Their memory moves as they
// grow; what a list was when a transaction began is kept until that ends.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "units/arrays.h"
#include "units/convert.h"
#include "units/numbers.h"
#include "units/walk.h"

namespace hybrid {
namespace units {
namespace {

constexpr int64_t kLeastRoom = 7;  // in the smallest memory
constexpr int64_t kMostItems = int64_t{1} << 31;

Register* items_of(const Array& list) { return reinterpret_cast<Register*>(list.data); }

// Of where it lies, from the first one on.
ptrdiff_t item_number(const Array& list, const char* item) {
  return (item - list.data) / static_cast<ptrdiff_t>(sizeof(Register));
}

}  // namespace

int64_t Arrays::new_list(int64_t room, bool is_tuple) {
  Array made{};
  made.rank = 1;
  made.type = Type::i64;
  made.from = made.memory = -1;
  made.stride[0] = sizeof(Register);
  room = std::max(room, kLeastRoom);
  made.data = memory_of(kItemBytes * room);
  made.tags = made.data + sizeof(Register) * room;
  const List list{room, transaction_, -1, -1, 0, false, is_tuple};
  if (free_lists_.empty()) {
    lists_.push_back(list);
    made.list = static_cast<int>(lists_.size());
  } else {
    made.list = free_lists_.back();
    free_lists_.pop_back();
    lists_[made.list - 1] = list;
  }
  return add(made);
}

void Arrays::free_list(const Array& list) {
  const int64_t room = lists_[list.list - 1].room;
  if (room != 0) give_back(list.data, kItemBytes * room);
  free_lists_.push_back(list.list);
}

// What changes ------------------------------------------------------------------------------------
bool Arrays::log_length(int64_t number) {
  const Array& array = arrays_[number];
  List& list = lists_[array.list - 1];
  if (list.made_in == transaction_ || list.logged_in == transaction_) return true;
  wrote_items_ = true;
  if (log_.size() >= kMaxLog) return false;
  list.logged_in = transaction_;
  list.before = array.shape[0];
  const size_t at = grown_.size();
  grown_.push_back({number, array.shape[0], list.room, array.data, array.tags});
  log_.emplace_back();
  log_.back().type = kGrown;
  std::memcpy(log_.back().old, &at, sizeof at);
  return true;
}

void Arrays::ungrow(const Grown& was) {
  Array& array = arrays_[was.number];
  List& list = lists_[array.list - 1];
  if (array.data != was.data && list.room != 0) give_back(array.data, kItemBytes * list.room);
  array.data = was.data;
  array.tags = was.tags;
  array.shape[0] = was.length;
  list.room = was.room;
}

// To other memory. Where that was there when the transaction began, the log has it now.
void Arrays::move_items(int64_t number, int64_t room) {
  char* const data = memory_of(kItemBytes * room);
  Array& array = arrays_[number];
  List& list = lists_[array.list - 1];
  char* const tags = data + sizeof(Register) * room;
  if (array.shape[0] != 0) {
    std::memcpy(data, array.data, sizeof(Register) * array.shape[0]);
    std::memcpy(tags, array.tags, array.shape[0]);
  }
  const bool is_own = list.made_in == transaction_ || list.moved_in == transaction_;
  if (is_own && list.room != 0) give_back(array.data, kItemBytes * list.room);
  list.moved_in = transaction_;
  list.room = room;
  array.data = data;
  array.tags = tags;
}

bool Arrays::log_items(int64_t number) {
  if (!log_length(number)) return false;
  const Array& array = arrays_[number];
  const List& list = lists_[array.list - 1];
  if (list.made_in != transaction_ && list.moved_in != transaction_) {
    move_items(number, std::max({list.room, array.shape[0], kLeastRoom}));
  }
  return true;
}

bool Arrays::log_item(const Array& array, char* item) {
  if (array.list != 0) {
    const List& list = lists_[array.list - 1];
    if (list.made_in == transaction_ || list.moved_in == transaction_) return true;
    if (list.logged_in == transaction_ && item_number(array, item) >= list.before) return true;
  }
  wrote_items_ = true;
  if (log_.size() >= kMaxLog) return false;
  char* const tag = array.tags + item_number(array, item);
  log_.emplace_back();
  Written& written = log_.back();
  written.address = item;
  written.type = kItem - *tag;
  std::memcpy(written.old, item, sizeof(Register));
  std::memcpy(written.old + sizeof(Register), &tag, sizeof tag);
  return true;
}

bool Arrays::set_item(int64_t number, char* item, char tag, Register value) {
  const Array& array = arrays_[number];
  if (!log_item(array, item)) return false;
  std::memcpy(item, &value, sizeof value);
  array.tags[item_number(array, item)] = tag;
  return !tags::is_reference(tag) || refer(array, value.i);
}

// False: it may not grow, and refers to nothing.
bool Arrays::refer(const Array& list, int64_t to) {
  if (list.list == 0) return false;
  lists_[list.list - 1].refers = true;
  arrays_[to].listed = true;
  return true;
}

void Arrays::put_item(int64_t number, int64_t at, char tag, Register value) {
  const Array& array = arrays_[number];
  items_of(array)[at] = value;
  array.tags[at] = tag;
  if (tags::is_reference(tag)) refer(array, value.i);
}

// Room for more items behind the last one, of which the old ones are logged.
bool Arrays::lengthen(int64_t number, int64_t count) {
  if (!log_length(number)) return false;
  const int64_t length = arrays_[number].shape[0], wanted = length + count;
  if (wanted > kMostItems) return false;
  const int64_t room = lists_[arrays_[number].list - 1].room;  // 0: memory that was given
  if (wanted > room) move_items(number, std::max({wanted, 2 * length, kLeastRoom}));
  const Array& array = arrays_[number];
  const int64_t before = lists_[array.list - 1].before;
  for (int64_t k = length; k < std::min(wanted, before); ++k) {
    if (!log_item(array, array.data + sizeof(Register) * k)) return false;
  }
  arrays_[number].shape[0] = wanted;
  return true;
}

bool Arrays::push(int64_t number, char tag, Register value) {
  if (!lengthen(number, 1)) return false;
  put_item(number, arrays_[number].shape[0] - 1, tag, value);
  return true;
}

bool Arrays::insert(int64_t number, int64_t at, char tag, Register value) {
  const int64_t length = arrays_[number].shape[0];
  if (at < 0) at = std::max<int64_t>(at + length, 0);
  if (at >= length) return push(number, tag, value);
  if (!log_items(number) || !push(number, tag, value)) return false;
  const Array& array = arrays_[number];
  std::memmove(items_of(array) + at + 1, items_of(array) + at, sizeof(Register) * (length - at));
  std::memmove(array.tags + at + 1, array.tags + at, length - at);
  put_item(number, at, tag, value);
  return true;
}

bool Arrays::pop(int64_t number, int64_t at, char tag, Register* made) {
  const int64_t length = arrays_[number].shape[0];
  at += at < 0 ? length : 0;
  if (at < 0 || at >= length || arrays_[number].tags[at] != tag) return false;
  *made = items_of(arrays_[number])[at];
  const int64_t rest = length - at - 1;
  if (!(rest == 0 ? log_length(number) : log_items(number))) return false;
  Array& array = arrays_[number];
  std::memmove(items_of(array) + at, items_of(array) + at + 1, sizeof(Register) * rest);
  std::memmove(array.tags + at, array.tags + at + 1, rest);
  --array.shape[0];
  return true;
}

bool Arrays::extend(int64_t number, int64_t more) {
  const int64_t count = arrays_[more].shape[0], length = arrays_[number].shape[0];
  if (count == 0) return true;
  if (!lengthen(number, count)) return false;
  const Array &array = arrays_[number], &from = arrays_[more];
  if (from.stride[0] == sizeof(Register)) {
    std::memcpy(items_of(array) + length, from.data, sizeof(Register) * count);
    std::memcpy(array.tags + length, from.tags, count);
  } else {
    for (int64_t k = 0; k < count; ++k) {
      const char* const item = from.data + k * from.stride[0];
      items_of(array)[length + k] = read<Register>(item);
      array.tags[length + k] = from.tags[item_number(from, item)];
    }
  }
  for (int64_t k = length; k < length + count; ++k) {
    if (tags::is_reference(array.tags[k])) refer(array, items_of(array)[k].i);
  }
  return true;
}

bool Arrays::reverse(int64_t number) {
  if (!log_items(number)) return false;
  const Array& array = arrays_[number];
  std::reverse(items_of(array), items_of(array) + array.shape[0]);
  std::reverse(array.tags, array.tags + array.shape[0]);
  return true;
}

bool Arrays::sort(int64_t number, char tag) {
  if (!log_items(number)) return false;
  const Array& array = arrays_[number];
  Register* const items = items_of(array);
  const int64_t length = array.shape[0];
  if (tags::is_reference(tag)) return false;
  for (int64_t k = 0; k < length; ++k) {
    if (array.tags[k] != tag || (tags::is_float(tag) && std::isnan(items[k].f))) return false;
  }
  if (tags::is_float(tag)) {  // zeros of either sign are equal
    std::stable_sort(items, items + length, [](Register a, Register b) { return a.f < b.f; });
  } else {
    std::sort(items, items + length, [](Register a, Register b) { return a.i < b.i; });
  }
  return true;
}

// What is made of lists ---------------------------------------------------------------------------
int64_t Arrays::list_of(int64_t of) {
  const int64_t made = new_list(arrays_[of].shape[0]);
  extend(made, of);
  return made;
}

int64_t Arrays::repeated(int64_t list, int64_t times) {
  const int64_t length = arrays_[list].shape[0];
  int64_t count;
  times = std::max<int64_t>(times, 0);
  if (__builtin_mul_overflow(length, times, &count) || count > kMostItems) return -1;
  const int64_t made = new_list(count);
  for (int64_t k = 0; k < times && length != 0; ++k) extend(made, list);
  return made;
}

Did Arrays::gathered(int64_t of, char tag, int64_t* made) {
  const Array from = arrays_[of];
  const int64_t count = count_of(from.shape, from.rank);
  if (count > kLarge) return Did::large;
  if (count == 0 && tag != tags::kFloat) return Did::cannot;  // NumPy makes floats
  if (from.rank != 1 && !is_contiguous(from)) return Did::cannot;
  const int64_t step = from.rank == 1 ? from.stride[0] : static_cast<int64_t>(sizeof(Register));
  const Type type = tag == tags::kFloat    ? Type::f64
                    : tag == tags::kBool   ? Type::b1
                    : tags::is_scalar(tag) ? static_cast<Type>(tag - 1)
                                           : Type::i64;
  const int64_t number = make(from.shape, from.rank, type);
  char* to = arrays_[number].data;
  for (int64_t k = 0; k < count; ++k, to += size_of(type)) {
    const char* const item = from.data + k * step;
    if (from.tags[item_number(from, item)] != tag) return Did::cannot;
    put(type, to, read<Register>(item), Register{});
  }
  *made = number;
  return Did::well;
}

bool Arrays::find(int64_t of, char tag, Register value, int64_t* at) const {
  const Array& from = arrays_[of];
  *at = -1;
  if (tags::is_reference(tag)) return false;
  for (int64_t k = 0; k < from.shape[0]; ++k) {
    const char* const place = from.data + k * from.stride[0];
    if (from.tags[item_number(from, place)] != tag) return false;
    const Register item = read<Register>(place);
    if (tags::is_float(tag) ? item.f == value.f : item.i == value.i) {
      *at = k;
      return true;
    }
  }
  return true;
}

// Who refers to whom ------------------------------------------------------------------------------
namespace {

void follow_items(const char* data, const char* tags, int64_t length,
                  const std::function<void(int64_t)>& mark) {
  for (int64_t k = 0; k < length; ++k) {
    if (tags::is_reference(tags[k])) mark(read<Register>(data + k * sizeof(Register)).i);
  }
}

}  // namespace

void Arrays::follow(const Array& list, const std::function<void(int64_t)>& mark) const {
  follow_items(list.data, list.tags, list.shape[0], mark);
}

void Arrays::follow_log(const std::function<void(int64_t)>& mark) const {
  for (const Grown& was : grown_) follow_items(was.data, was.tags, was.length, mark);
  for (const Written& written : log_) {
    if (written.type > kItem) continue;
    if (tags::is_reference(static_cast<char>(kItem - written.type))) {
      mark(read<Register>(written.old).i);
    }
  }
}

}  // namespace units
}  // namespace hybrid
