// Helpers of operators whose result is a window on their input.
#include "ops/view.h"

#include "core/error.h"

namespace hybrid {

void copy_window(KernelContext& c) {
  const TensorView& in = c.in[0];
  TensorView window = in;
  int64_t offset = 0;
  const bool is_window = c.attrs.op()->view(c.attrs, in, &window.shape, &window.strides, &offset);
  if (!is_window) {  // a reshape that strides cannot say: lay the input out first
    TensorView packed = in;
    packed.strides = contiguous_strides(in.shape);
    packed.data = c.resources.workspace(static_cast<size_t>(in.size()) * dtype_size(in.dtype));
    strided_copy(in, packed, c.resources);
    require(c.attrs.op()->view(c.attrs, packed, &window.shape, &window.strides, &offset),
            c.attrs.op()->name, ": has no window on a contiguous array");
    window.data = packed.data;
  }
  window.data =
      static_cast<char*>(window.data) + offset * static_cast<int64_t>(dtype_size(in.dtype));
  TensorView out = c.out[0];
  window.shape = out.shape;
  strided_copy(window, out, c.resources);
}

bool reshape_strides(const TensorView& view, const Shape& to, Shape* strides) {
  *strides = Shape::of_rank(to.ndim(), 1);
  if (view.size() <= 1) {
    *strides = contiguous_strides(to);
    return true;
  }
  // Walks both shapes from the left in groups of equal element counts; inside a group the old
  // dimensions must lie as one contiguous run.
  const Shape& from = view.shape;
  int i = 0, j = 0;
  while (i < from.ndim() && j < to.ndim()) {
    const int i0 = i, j0 = j;
    int64_t old_size = from[i++], new_size = to[j++];
    while (old_size != new_size) {
      if (old_size < new_size) {
        old_size *= from[i++];
      } else {
        new_size *= to[j++];
      }
    }
    int last = i0;  // dimensions of size 1 have strides that mean nothing
    for (int d = i0; d < i; ++d) {
      if (from[d] != 1) last = d;
    }
    for (int d = last, next = -1; d >= i0; --d) {
      if (from[d] == 1) continue;
      if (next >= 0 && view.strides[d] != view.strides[next] * from[next]) return false;
      next = d;
    }
    int64_t step = old_size == 1 ? 1 : view.strides[last];
    for (int d = j - 1; d >= j0; --d) {
      (*strides)[d] = step;
      step *= to[d];
    }
  }
  for (; j < to.ndim(); ++j) (*strides)[j] = 1;  // trailing ones
  return true;
}

OpDef view_def(const char* name, const char* doc,
               bool (*view)(const Attrs&, const TensorView&, Shape*, Shape*, int64_t*)) {
  OpDef def;
  def.name = name;
  def.family = Family::shape;
  def.doc = doc;
  def.inputs = {{"data", "array of any shape"}};
  def.dtypes = kAllComputed;
  def.view = view;
  def.cpu = copy_window;
  def.strided_ok = true;
  def.on_device = true;
  return def;
}

}  // namespace hybrid
