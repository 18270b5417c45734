// Arrays of a run of a unit: views of what it was given and of memory that it makes, the loops of
// NumPy over them, and a log of what is written.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace hybrid {
namespace units {

enum class Type : int32_t { b1, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, c128 };
constexpr int kNumTypes = 12;

union Register {
  int64_t i;
  double f;
};

constexpr int kMaxRank = 8;
struct Array {
  char* data;
  int64_t shape[kMaxRank], stride[kMaxRank];  // bytes
  int rank;
  Type type;
  int from;      // whose memory: the number of an array that was given, ...
  int memory;    // ... or of what was made; -1: of neither
  bool is_view;  // of memory that another array had first
  bool used;
  bool kept;    // by something that is no register, for good
  bool listed;  // a list has or had it
  int later;    // its elements are computed with what takes them: 1 more than which; 0: they are
                // there
  char* tags;   // of a list or tuple: what each item is, from the first one on; null: it is none
  // Of a list that may grow 1 more than which; 0: it may not. Of one that was given 1, or -1 where
  // it refers to others.
  int list;
};

// What an item of a list or tuple is. Its value is that of a register, of NumPy's scalars too,
// whose tags are 1 more than their types.
namespace tags {
constexpr char kInteger = 'i', kBool = 'b', kFloat = 'f';  // Python's
// The value is an array's number.
constexpr char kList = 'a', kTuple = 't', kArray = 'r', kReadOnly = 'R';
inline bool is_reference(char tag) {
  return tag == kList || tag == kTuple || tag == kArray || tag == kReadOnly;
}
inline bool is_scalar(char tag) { return tag > 0 && tag <= kNumTypes; }
inline bool is_float(char tag) {
  return tag == kFloat || tag == 1 + static_cast<int>(Type::f32) ||
         tag == 1 + static_cast<int>(Type::f64);
}
}  // namespace tags

int64_t count_of(const int64_t* shape, int rank);
void bounds_of(const Array& array, const char** low, const char** high);  // of its bytes
// Would NumPy give a result that is like it C's order?
bool in_order(const Array& array);
// Gives an array the strides of C's order, NumPy's where it has no elements; its bytes.
int64_t put_in_order(Array* array);

// A loop over n elements of each of its arrays, as NumPy's universal functions have them.
using InnerLoop = void (*)(char** data, const intptr_t* dimensions, const intptr_t* strides,
                           void* extra);

struct ArrayLoop {
  InnerLoop function;
  void* extra;
  int inputs;
  Type types[3];     // of the inputs, then of the output
  bool in_place;     // an input that nobody else has may hold the output
  double beginning;  // of a reduction; nan: its first element
  int path = -1;     // the same of floats in registers (PathCode); -1: there is none
};

// What came of it: `large` arrays are better recorded.
enum class Did : int32_t { well, cannot, large };

class Arrays {
 public:
  explicit Arrays(std::vector<Array> given);
  ~Arrays();
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  const Array& operator[](int64_t number) const { return arrays_[number]; }
  int64_t count() const { return static_cast<int64_t>(arrays_.size()); }
  bool was_given(int64_t number) const { return number < given_; }
  const Array& whole(int memory) const { return memories_[memory].whole; }
  int lender(int memory) const { return memories_[memory].lender; }  // -1: it was made here

  // Views. `parts` has four numbers for each part: what it is (Part), and registers or -1.
  enum class Part : int32_t { index, slice, axis };
  int64_t view(int64_t of, const int32_t* parts, int count, const Register* registers);
  int64_t turned(int64_t of);  // its axes in the opposite order
  // Of one in C's order; a length of -1 is what is left.
  int64_t reshaped(int64_t of, int64_t* shape, int rank);

  // New arrays; the result is written to *made. An input is an array's number, or -1 and a scalar
  // of the loop's type.
  struct Input {
    int64_t array = -1;
    bool dies = false;  // nobody has it afterwards
    alignas(16) char scalar[16];
  };
  int64_t counted(int64_t first, int64_t step, int64_t count);
  int64_t filled(const int64_t* shape, int rank, Type type, const char* value);
  // `later`: the result goes into another apply or an assign, once, and nothing is written before.
  // Such chains are computed block by block.
  // `updates`: NumPy writes into the first input, which is given the result afterwards.
  Did apply(const ArrayLoop& loop, Input* inputs, bool later, bool updates, int64_t* made);
  // `as_it_lies`: the result's axes lie as those of what it is made of do.
  Did converted(int64_t of, Type type, int64_t* made, bool as_it_lies = false);
  Did reduced(const ArrayLoop& loop, int64_t of, int axis, int64_t* made);
  void add_axis(int64_t made, int axis);  // of length 1, to what was just made
  Did reduced(const ArrayLoop& loop, int64_t of, char* made);
  Did accumulated(const ArrayLoop& loop, int64_t of, int64_t* made);  // of a vector
  // matmul's loop; `made` is an array unless both are vectors, whose product is the scalar.
  // `apart`: a matrix in several pieces, or a vector that runs backwards, is copied first, as
  // np.dot does.
  Did product(const ArrayLoop& loop, int64_t left, int64_t right, bool apart, int64_t* made,
              char* scalar);

  // Elements that arrays choose: by indices (whole rows of what has more axes) or by truth.
  Did taken(int64_t of, int64_t indices, int64_t* made);
  int64_t best(int64_t of, bool least) const;  // of a vector the index; -1: it has none
  Did chosen(int64_t condition, Type type, const Input* two, int64_t* made);

  // Writes, of which the log can be taken back.
  // `value`: -1 is a number of the target's type.
  Did put_at(int64_t target, int64_t chosen_by, int64_t value, const char* number);
  Did assign(int64_t target, int64_t value);
  Did fill(int64_t target, const char* value);
  bool log_element(char* address, Type type);  // false: the log is full
  void take_back();
  void commit();

  bool will_write(int64_t number) { return log_region(arrays_[number]); }  // by somebody else

  // One that is in somebody's memory; -1: it is too large. Who has lent it hears, by the number
  // given, when nobody needs it any more.
  int64_t lent(const Array& array, int lender);
  std::vector<int>& returned() { return returned_; }

  // Lists, whose items change under the same log. None of these may be called for what is no list
  // that may grow but where it says so; an index counts from the end where it is negative.
  int64_t new_list(int64_t room, bool is_tuple = false);  // which grows until the code has it
  bool wrote_items() const { return wrote_items_; }       // of any that was there before
  bool may_grow(int64_t number) const { return arrays_[number].list != 0; }
  bool is_tuple(int64_t number) const { return lists_[arrays_[number].list - 1].is_tuple; }
  bool push(int64_t list, char tag, Register value);
  bool insert(int64_t list, int64_t at, char tag, Register value);
  bool pop(int64_t list, int64_t at, char tag, Register* made);  // false: it has no such item
  bool extend(int64_t list, int64_t more);                       // more: or a tuple, or a part
  bool reverse(int64_t list);
  bool sort(int64_t list, char tag);                                  // false: it has other items
  bool set_item(int64_t list, char* item, char tag, Register value);  // of one that may not, too
  int64_t list_of(int64_t of);                    // the items of a list, a tuple or a part of one
  int64_t repeated(int64_t list, int64_t times);  // -1: too many
  Did gathered(int64_t of, char tag, int64_t* made);  // an array of them
  // Where an item first is; -1: nowhere. False: there are items of another kind.
  bool find(int64_t of, char tag, Register value, int64_t* at) const;

  void keep(int64_t number) { arrays_[number].kept = true; }
  void release(int64_t number);
  // Forgets the arrays that none of these registers may be the number of; says that it is worth it.
  bool has_garbage() const { return made_ > kept_ + (kept_ > kGarbage ? kept_ / 2 : 0); }
  bool should_collect() const { return made_ > kept_ + kGarbage + kept_ / 2; }
  void collect(const Register* first, size_t count, const Register* others, size_t other_count);

 private:
  static constexpr int kGarbage = 128;
  static constexpr size_t kMaxLog = 1u << 22;                  // writes between two commits
  static constexpr int64_t kItemBytes = sizeof(Register) + 1;  // with its tag
  static constexpr int64_t kLarge = 1 << 17;                   // elements
  static constexpr int kMostNodes = 24;                        // of a chain
  struct Memory {
    Array whole;  // what it was made for
    int64_t bytes;
    int users;
    int64_t made_in;  // the transaction
    int lender = -1;
  };
  struct Written {
    char* address;
    int32_t type;  // or what else it is (kRegion, ...)
    char old[16];  // or its number there
  };
  // A part of an array; a list; an item, with its tag below that.
  static constexpr int32_t kRegion = -1, kGrown = -2, kItem = -3;
  struct List {
    int64_t room;                          // of memory of its own
    int64_t made_in, logged_in, moved_in;  // transactions; moved: what it was is kept whole
    int64_t before;                        // its length when it was logged
    bool refers;                           // to lists or arrays
    bool is_tuple;
  };
  struct Grown {  // what a list was
    int64_t number, length, room;
    char *data, *tags;
  };
  struct Region {
    Array array;
    size_t at;  // of its old elements
  };

  struct Later {
    const ArrayLoop* loop;
    Input inputs[2];
    int nodes;  // of its chain
  };
  class Chain;

  Did selected(int64_t of, int64_t mask, int64_t* made);

  char* memory_of(int64_t bytes);
  static void free_memory(char* data, int64_t bytes);
  void give_back(char* data, int64_t bytes);
  void free(int64_t number);
  void free_list(const Array& list);
  bool log_item(const Array& list, char* item);
  bool log_length(int64_t list);
  bool log_items(int64_t list);  // all of them
  bool lengthen(int64_t list, int64_t count);
  void move_items(int64_t list, int64_t room);
  void put_item(int64_t list, int64_t at, char tag, Register value);
  void ungrow(const Grown& was);
  bool refer(const Array& list, int64_t to);
  // What a list, or what the log may take back, refers to.
  void follow(const Array& list, const std::function<void(int64_t)>& mark) const;
  void follow_log(const std::function<void(int64_t)>& mark) const;

  // Where one of these has its elements from here on.
  void compute(int64_t number);
  void drop(const ArrayLoop& loop, const Input* inputs);  // what nobody needs after that
  void compute_into(const ArrayLoop& loop, const Input* inputs, const Array& output);
  int64_t add(const Array& array);
  int64_t add(Array array, const Memory& memory);  // the first one of it
  int64_t make(const int64_t* shape, int rank, Type type);
  // What a region holds, which is about to be written. With `later` its place in the log is given,
  // null: it needs none, to be filled in C's order before the region is written.
  bool log_region(const Array& array, char** later = nullptr);
  bool needs_no_log(const Array& array) const {
    return array.memory >= 0 && memories_[array.memory].made_in == transaction_;
  }
  bool reusable(int64_t number, const Array& like) const;

  std::vector<Array> arrays_;
  std::vector<int> free_arrays_;
  std::vector<Memory> memories_;
  std::vector<int> free_memories_;
  static constexpr int kSizes = 48;
  std::vector<char*> spare_[kSizes];  // by the logarithm of their size
  std::vector<char*> slabs_;          // which hold the small ones
  std::vector<Written> log_;
  std::vector<Region> regions_;
  std::vector<List> lists_;
  std::vector<int> free_lists_;
  std::vector<Grown> grown_;
  std::unique_ptr<char[]> saved_;
  size_t saved_size_ = 0, saved_capacity_ = 0;
  std::vector<int> returned_;
  std::vector<Later> laters_;
  std::vector<int> free_laters_;
  std::vector<char> scratch_;
  int64_t given_;
  int64_t transaction_ = 0;
  bool wrote_items_ = false;
  int made_ = 0, kept_ = 0;  // arrays that there are, and that there were when all were looked at
};

}  // namespace units
}  // namespace hybrid
