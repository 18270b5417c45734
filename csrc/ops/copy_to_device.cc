#include "ops/copy_to_device.h"

#include "core/devices.h"
#include "kernels/kernels.h"
#include "ops/grad_builder.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

void infer_copy(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  if (c.in_shapes[0].rank_known()) set_shape(c, 0, c.in_shapes[0]);
}

// The way back is the gradient pass's and the place pass's: they know where the input is.
void grad_copy(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.out_grad(0));
}

}  // namespace

const OpDef* copy_to_device_op() {
  static const OpDef* op = get_op("copy_to_device");
  return op;
}

Attrs copy_to_device_attrs(Context to) {
  Attrs attrs(copy_to_device_op());
  attrs.set("ctx", to.str());
  return attrs;
}

Context target_of_copy(const Attrs& attrs) {
  const Context to = parse_context(attrs.string("ctx"));
  devices::check_exists(to);
  return to;
}

void register_device() {
  OpDef def;
  def.name = "copy_to_device";
  def.family = Family::other;
  def.doc =
      "The same values on the device ctx; what reads the result is computed there. "
      "as_in_context(), copyto() and the pass place make it.";
  def.inputs = {{"data", "an array on any device"}};
  def.attrs = {{"ctx", AttrType::string, nullptr, "where to, such as gpu(1)"}};
  def.dtypes = ~DTypeSet{0};
  def.infer = infer_copy;
  def.cpu = [](KernelContext& c) { strided_copy(c.in[0], c.out[0], c.resources); };
  def.on_device = true;
  def.gradient = grad_copy;
  def.strided_ok = true;
  def.flops = [](const Attrs&, const std::vector<Shape>&, const std::vector<Shape>&) {
    return 0.0;
  };
  add_op(std::move(def));
}

}  // namespace hybrid
