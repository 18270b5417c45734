#include "graph/window_write.h"

#include <cstring>

#include "kernels/elementwise.h"
#include "ops/op.h"

namespace hybrid {
namespace {

constexpr int64_t kMinElements = 1 << 14;

}  // namespace

bool is_window_write(const OpDef& op) { return std::strcmp(op.name, "slice_assign") == 0; }

bool find_window_write(const Node& n, const Shape& value, WindowWrite* found) {
  if (n.kind != NodeKind::op || n.op == nullptr || !is_window_write(*n.op) ||
      n.inputs.size() != 2 || !value.known() || !n.shapes[0].known()) {
    return false;
  }
  TensorView whole;
  whole.dtype = n.dtypes[0];
  whole.shape = n.shapes[0];
  whole.strides = contiguous_strides(whole.shape);
  Shape strides;
  if (whole.size() < kMinElements || value.size() >= whole.size() ||
      value.size() < whole.size() / 4 * 3 ||
      !get_op("slice")->view(n.attrs, whole, &found->size, &strides, &found->offset) ||
      found->size != value || strides != whole.strides) {
    return false;
  }
  int64_t rest = found->offset;
  found->begin = Shape::of_rank(whole.shape.ndim(), 0);
  for (int d = 0; d < whole.shape.ndim(); ++d) {
    found->begin[d] = rest / whole.strides[d];
    rest %= whole.strides[d];
  }
  return true;
}

}  // namespace hybrid
