// SoftmaxActivation: softmax over the last axis, or over the channels of every place.
#include "kernels/kernels.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// Data as (outer, classes, inner).
AxisView classes_of(const Attrs& attrs, const Shape& data) {
  if (attrs.string("mode") == "channel") return AxisView(data, 1);
  return AxisView(data, data.ndim() - 1);
}

void infer(InferContext& c) {
  infer_like(c);
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known()) return;
  const int least = c.attrs.string("mode") == "channel" ? 3 : 1;
  require(data.ndim() >= least, c.op_name, ": given data of shape ", data, ", expected at least ",
          least, " dimensions in mode ", c.attrs.string("mode"));
}

void run(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  const AxisView v = classes_of(c.attrs, c.in[0].shape);
  softmax(c.in[0].dtype, v.outer, v.size, v.inner, c.in[0].data, c.out[0].data, 1.0, false,
          c.resources);
}

void gradient(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Shape data = known_shape(b, b.input(0));
  if (data.size() == 0) return b.set(0, b.zeros_as(b.input(0)));
  const AxisView v = classes_of(b.attrs(), data);
  const Shape rows{v.outer, v.size, v.inner};
  const Entry grad =
      b.op("softmax_grad", {reshape_to(b, b.out_grad(), rows), reshape_to(b, b.output(), rows)},
           {{"axis", 1}});
  b.set(0, reshape_to(b, grad, data));
}

}  // namespace

void register_softmax_activation() {
  OpDef def;
  def.name = "SoftmaxActivation";
  def.family = Family::loss;
  def.doc =
      "Softmax over the last axis (instance), or over axis 1 of every place (channel). "
      "MXNet's SoftmaxActivation, which softmax replaces.";
  def.inputs = {{"data", "(n, ...)"}};
  def.attrs = {{"mode", AttrType::string, "instance", "what is normalized", "channel|instance"}};
  def.infer = infer;
  def.cpu = run;
  def.gradient = gradient;
  def.in_place = {{0, 0}};
  add_op(std::move(def));
}

}  // namespace hybrid
