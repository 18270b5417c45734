// Shape: up to 8 dimension sizes held in place; -1 marks an unknown dimension or rank.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

namespace hybrid {

constexpr int kMaxDims = 8;

class Shape {
 public:
  Shape() = default;  // rank 0: a scalar
  Shape(std::initializer_list<int64_t> dims);
  explicit Shape(const std::vector<int64_t>& dims);  // throws above kMaxDims
  static Shape unknown();                            // rank not known
  static Shape of_rank(int ndim, int64_t fill = -1);

  int ndim() const { return ndim_; }
  bool rank_known() const { return ndim_ >= 0; }
  bool known() const;  // rank and every dimension known
  int64_t operator[](int i) const { return dims_[i]; }
  int64_t& operator[](int i) { return dims_[i]; }
  const int64_t* begin() const { return dims_.data(); }
  const int64_t* end() const { return dims_.data() + (ndim_ > 0 ? ndim_ : 0); }
  void push_back(int64_t dim);
  int64_t size() const;  // element count; throws when unknown, negative or above 2^62
  std::vector<int64_t> to_vector() const { return {begin(), end()}; }
  std::string str() const;  // "(2, 3)", "(4,)", "()", "(?, 3)"
  bool operator==(const Shape& other) const;
  bool operator!=(const Shape& other) const { return !(*this == other); }

 private:
  int8_t ndim_ = 0;
  std::array<int64_t, kMaxDims> dims_{};
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);

// NumPy's rule; throws Error naming `op` and both shapes when they do not broadcast.
// Unknown dimensions stay unknown unless the other side decides them.
Shape broadcast_shapes(const Shape& a, const Shape& b, const char* op);
// Fills unknown dimensions of `shape` from `other`; false when they contradict.
bool merge_shape(Shape* shape, const Shape& other);
// Element strides of a contiguous (row-major) array.
Shape contiguous_strides(const Shape& shape);
// Axis in [-ndim, ndim) to [0, ndim); throws Error naming `op`.
int normalize_axis(int64_t axis, int ndim, const char* op);

}  // namespace hybrid
