// Shape helpers for gradient rules.
#include "ops/grad_shape.h"

namespace hybrid {

namespace {

const char* op_name(const GradBuilder& b) {
  return b.attrs().op() ? b.attrs().op()->name : "gradient";
}

}  // namespace

Entry reshape_to(GradBuilder& b, Entry x, const Shape& shape) {
  const Shape from = b.shape(x);
  if (from.known() && from == shape) return x;
  return b.op("reshape", {x}, {{"shape", shape.to_vector()}});
}

Entry reshape_as(GradBuilder& b, Entry x, Entry like) {
  const Shape to = b.shape(like);
  if (to.known()) return reshape_to(b, x, to);
  return b.op("reshape_like", {x, like});
}

Shape known_shape(const GradBuilder& b, Entry x) {
  const Shape shape = b.shape(x);
  if (!shape.known()) {
    throw NeedsTypes(std::string(op_name(b)) + ": its gradient needs a known shape, given " +
                     shape.str() + ": give the shapes of the inputs");
  }
  return shape;
}

int known_rank(const GradBuilder& b, Entry x) {
  const Shape shape = b.shape(x);
  if (!shape.rank_known()) {
    throw NeedsTypes(
        std::string(op_name(b)) +
        ": its gradient needs the number of dimensions: give the shapes of the inputs");
  }
  return shape.ndim();
}

DType known_dtype(const GradBuilder& b, Entry x) {
  const DType dtype = b.dtype(x);
  if (dtype == DType::unknown) {
    throw NeedsTypes(std::string(op_name(b)) +
                     ": its gradient needs the dtype: give the dtypes of the inputs");
  }
  return dtype;
}

}  // namespace hybrid
