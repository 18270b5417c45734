// Shape: known and unknown dimensions, broadcasting, merging.
#include "core/shape.h"

#include <sstream>

#include "core/error.h"

namespace hybrid {
namespace {

constexpr int64_t kMaxElements = int64_t{1} << 62;

void check_rank(size_t ndim) {
  require(ndim <= kMaxDims, "shape: ", ndim, " dimensions given, at most ", kMaxDims,
          " are supported");
}

}  // namespace

Shape::Shape(std::initializer_list<int64_t> dims) {
  check_rank(dims.size());
  for (int64_t d : dims) dims_[ndim_++] = d;
}

Shape::Shape(const std::vector<int64_t>& dims) {
  check_rank(dims.size());
  for (int64_t d : dims) dims_[ndim_++] = d;
}

Shape Shape::unknown() {
  Shape shape;
  shape.ndim_ = -1;
  return shape;
}

Shape Shape::of_rank(int ndim, int64_t fill) {
  require(ndim >= 0, "shape: negative rank ", ndim);
  check_rank(static_cast<size_t>(ndim));
  Shape shape;
  shape.ndim_ = static_cast<int8_t>(ndim);
  for (int i = 0; i < ndim; ++i) shape.dims_[i] = fill;
  return shape;
}

bool Shape::known() const {
  if (ndim_ < 0) return false;
  for (int64_t d : *this) {
    if (d < 0) return false;
  }
  return true;
}

void Shape::push_back(int64_t dim) {
  require(ndim_ >= 0, "shape: cannot append to a shape of unknown rank");
  check_rank(static_cast<size_t>(ndim_) + 1);
  dims_[ndim_++] = dim;
}

int64_t Shape::size() const {
  require(ndim_ >= 0, "shape: the rank is not known, so the size is not either");
  bool zero = false, overflow = false;
  int64_t n = 1;
  for (int64_t d : *this) {
    if (d < 0) fail("shape: ", *this, " has an unknown or negative dimension");
    zero = zero || d == 0;
    overflow = __builtin_mul_overflow(n, d == 0 ? 1 : d, &n) || n > kMaxElements || overflow;
  }
  if (zero) return 0;
  if (overflow) fail("shape: ", *this, " has more than 2^62 elements");
  return n;
}

std::string Shape::str() const {
  if (ndim_ < 0) return "(unknown rank)";
  std::string text = "(";
  for (int i = 0; i < ndim_; ++i) {
    if (i) text += ", ";
    text += dims_[i] == -1 ? "?" : std::to_string(dims_[i]);
  }
  return text + (ndim_ == 1 ? ",)" : ")");
}

bool Shape::operator==(const Shape& other) const {
  if (ndim_ != other.ndim_) return false;
  for (int i = 0; i < ndim_; ++i) {
    if (dims_[i] != other.dims_[i]) return false;
  }
  return true;
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.str(); }

Shape broadcast_shapes(const Shape& a, const Shape& b, const char* op) {
  if (!a.rank_known() || !b.rank_known()) return Shape::unknown();
  const int ndim = a.ndim() > b.ndim() ? a.ndim() : b.ndim();
  Shape out = Shape::of_rank(ndim);
  for (int i = 0; i < ndim; ++i) {
    const int ia = i - (ndim - a.ndim()), ib = i - (ndim - b.ndim());
    const int64_t da = ia < 0 ? 1 : a[ia], db = ib < 0 ? 1 : b[ib];
    if (da == db) {
      out[i] = da;
    } else if (da == 1) {
      out[i] = db;
    } else if (db == 1) {
      out[i] = da;
    } else if (da < 0 || db < 0) {
      out[i] = da < 0 ? db : da;  // a known size other than 1 decides
    } else {
      fail(op, ": shapes ", a, " and ", b, " do not broadcast: ", da, " against ", db,
           " in dimension ", i - ndim);
    }
  }
  return out;
}

bool merge_shape(Shape* shape, const Shape& other) {
  if (!other.rank_known()) return true;
  if (!shape->rank_known()) {
    *shape = other;
    return true;
  }
  if (shape->ndim() != other.ndim()) return false;
  Shape merged = *shape;
  for (int i = 0; i < merged.ndim(); ++i) {
    if (merged[i] < 0) {
      merged[i] = other[i];
    } else if (other[i] >= 0 && other[i] != merged[i]) {
      return false;
    }
  }
  *shape = merged;
  return true;
}

Shape contiguous_strides(const Shape& shape) {
  if (!shape.rank_known()) return Shape::unknown();
  Shape strides = Shape::of_rank(shape.ndim(), 1);
  uint64_t step = 1;  // may wrap, harmlessly, when another dimension is 0
  for (int i = shape.ndim() - 1; i >= 0; --i) {
    strides[i] = static_cast<int64_t>(step);
    if (shape[i] > 1) step *= static_cast<uint64_t>(shape[i]);
  }
  return strides;
}

int normalize_axis(int64_t axis, int ndim, const char* op) {
  require(axis >= -ndim && axis < ndim, op, ": axis ", axis, " is out of range for ", ndim,
          ndim == 1 ? " dimension" : " dimensions");
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

}  // namespace hybrid
