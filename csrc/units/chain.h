// A chain: whole-array operations whose results go straight into the next one, a block of elements
// after the other. What floats only pass through on their way stays in registers.
#pragma once
#include <new>
#include <vector>

#include "kernels/elem_path.h"
#include "units/arrays.h"
#include "units/numbers.h"

namespace hybrid {
namespace units {

// At most so many, in place: chains of small arrays are made millions of times.
template <class T, int most>
class Few {
 public:
  void push_back(const T& item) { new (at(size_++)) T(item); }
  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](int k) { return *at(k); }
  const T& operator[](int k) const { return *const_cast<Few*>(this)->at(k); }
  T& back() { return *at(size_ - 1); }
  const T& back() const { return (*this)[size_ - 1]; }
  T* begin() { return at(0); }
  T* end() { return at(size_); }
  const T* begin() const { return &(*this)[0]; }
  const T* end() const { return &(*this)[size_]; }

 private:
  T* at(int k) { return reinterpret_cast<T*>(bytes_) + k; }

  alignas(T) unsigned char bytes_[most * sizeof(T)];
  int size_ = 0;
};

class Arrays::Chain {
 public:
  // `loop` and what its inputs are computed by, into `output`.
  Chain(const Arrays& arrays, const ArrayLoop& loop, const Input* inputs, const Array& output);

  // Does what is written overlap with what is read, but for an array that is the very same?
  bool overlaps() const;
  // Functions that round otherwise where what they write is apart would have written a new array.
  bool may_be_straight() const {
    return nodes_.back().loop->path >= 0 || steps_[rank_ - 1] == size_of(output_.type);
  }
  // What is overwritten goes to `saved`, in C's order; null: nowhere.
  void go(std::vector<char>* scratch, char* saved = nullptr);

 private:
  struct Leaf {
    const Array* array;
    char* data;
    int64_t strides[kMaxRank], steps[kMaxRank];  // along the result's axes, and the joined ones
  };
  struct Operand {
    int leaf = -1, node = -1;
    const char* scalar = nullptr;
  };
  struct Node {
    const ArrayLoop* loop;
    Operand operands[2];
  };
  // A loop over a block; or a path, which may do what several nodes say.
  struct Stage {
    int node;        // the last one
    int begin, end;  // of a path's steps; a loop has none
  };

  int add(const ArrayLoop& loop, const Input* inputs);
  void join(int axis);
  void divide();  // into stages
  void add_step(PathCode code, const Operand& operand, int size);
  bool goes_by_steps(const Operand& operand, int size) const;
  void row(char* out, char* scratch, char** saved);
  void block(const Stage& stage, int64_t begin, int64_t n, char* out, char* scratch);

  const Arrays& arrays_;
  const Array output_;
  Few<Leaf, 2 * kMostNodes> leaves_;
  Few<Node, kMostNodes> nodes_;  // each behind those that it needs
  Few<Stage, kMostNodes> stages_;
  Few<PathStep, 2 * kMostNodes> steps_of_paths_;
  Few<Operand, 2 * kMostNodes> operands_;  // of these
  bool has_loops_ = false;
  int rank_ = 0, flags_ = 0;
  int64_t shape_[kMaxRank], steps_[kMaxRank];
};

}  // namespace units
}  // namespace hybrid
