// Copies of whole arrays: other layouts, other devices.
#include "core/error.h"
#include "kernels/kernels.h"
#include "launch/launch.h"

namespace hybrid {
namespace {

OpDef copy_definition(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.family = Family::shape;
  def.doc = doc;
  def.inputs = {{"data", "source"}};
  def.dtypes = ~DTypeSet{0};
  def.strided_ok = true;
  def.on_device = true;
  def.cpu = [](KernelContext& c) { strided_copy(c.in[0], c.out[0], c.resources); };
  return def;
}

}  // namespace

void copy_array(const NDArray& src, const NDArray& dst) {
  static const OpDef& op =
      *new OpDef(copy_definition("copy", "Copies an array, between devices too."));
  require(src.shape == dst.shape && src.dtype == dst.dtype, "copy: from ", dtype_name(src.dtype),
          " ", src.shape, " to ", dtype_name(dst.dtype), " ", dst.shape);
  if (src.storage == dst.storage) {
    if (src.offset == dst.offset && src.strides == dst.strides) return;
    const NDArray between = NDArray::empty(src.shape, src.dtype, src.ctx());
    copy_array(src, between);
    copy_array(between, dst);
    return;
  }
  before_overwrite(dst);
  const Context from = src.ctx(), to = dst.ctx();
  if (from == to || (from.is_cpu() && to.is_cpu())) {
    launch(op, Attrs(&op), {src}, {dst}, 0, to);
  } else if (to.is_cpu()) {
    launch(op, Attrs(&op), {src}, {dst}, 0, from, engine::LaneKind::copy_out);
  } else {
    launch(op, Attrs(&op), {src}, {dst}, 0, to, engine::LaneKind::copy_in);
  }
}

NDArray make_contiguous(const NDArray& array) {
  static const OpDef& op =
      *new OpDef(copy_definition("contiguous", "Lays a strided array out row by row."));
  if (array.contiguous()) return array;
  const NDArray result = NDArray::empty(array.shape, array.dtype, array.ctx());
  launch(op, Attrs(&op), {array}, {result}, 0, array.ctx());
  return result;
}

}  // namespace hybrid
