// Updates of weights as functions: they give new values, which may be written over the old ones.
#include "ops/emit.h"
#include "ops/families.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

std::vector<AttrDef> update_attrs() {
  return {{"lr", AttrType::real, nullptr, "learning rate"},
          {"wd", AttrType::real, "0.0", "weight decay: wd * weight is added to the gradient"},
          {"rescale_grad", AttrType::real, "1.0", "factor of the gradient, applied first"},
          {"clip_gradient", AttrType::real, "-1.0", "then cut to [-c, c]; 0 or less: not"},
          {"lazy_update", AttrType::boolean, "True", "accepted; updates are dense"}};
}

// clip(rescale_grad * grad) + wd * weight.
ElemValue step_direction(Emitter& e, const Attrs& attrs, DType d) {
  const ElemValue weight = Emitter::input(0);
  ElemValue g = Emitter::input(1);
  const double rescale = attrs.real("rescale_grad"), clip = attrs.real("clip_gradient");
  const double wd = attrs.real("wd");
  if (rescale != 1) g = e.op(ElemCode::mul, d, g, Emitter::number(rescale));
  if (clip > 0) {
    g = e.op(ElemCode::maximum, d, g, Emitter::number(-clip));
    g = e.op(ElemCode::minimum, d, g, Emitter::number(clip));
  }
  if (wd != 0) g = e.op(ElemCode::add, d, g, e.op(ElemCode::mul, d, weight, Emitter::number(wd)));
  return e.op(ElemCode::mul, d, g, Emitter::number(attrs.real("lr")));
}

void emit_sgd(const Attrs& attrs, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  const ElemValue step = step_direction(e, attrs, in[0]);
  e.op(ElemCode::sub, in[0], Emitter::input(0), step);
}

void infer_momentum(InferContext& c) {
  infer_like(c);
  set_shape(c, 1, c.out_shapes[0]);
}

void run_momentum(KernelContext& c) {
  ElemProgram program;
  program.inputs = {c.in[0].dtype, c.in[1].dtype, c.in[2].dtype};
  Emitter e(&program.instrs);
  const DType d = c.in[0].dtype;
  const ElemValue step = step_direction(e, c.attrs, d);
  const ElemValue kept =
      e.op(ElemCode::mul, d, Emitter::input(2), Emitter::number(c.attrs.real("momentum")));
  const ElemValue momentum = e.op(ElemCode::sub, d, kept, step);
  const ElemValue weight = e.op(ElemCode::add, d, Emitter::input(0), momentum);
  program.outputs = {weight.operand.index, momentum.operand.index};
  run_elementwise(program, c.in, c.out, c.resources);
}

}  // namespace

void register_optimizer() {
  OpDef sgd;
  sgd.name = "sgd_update";
  sgd.family = Family::elementwise;
  sgd.doc =
      "One step of stochastic gradient descent: weight - lr * (clip(rescale_grad * grad) + wd * "
      "weight). Returns the new weight.";
  sgd.inputs = {{"weight", "parameter", false}, {"grad", "its gradient", false}};
  sgd.attrs = update_attrs();
  sgd.infer = infer_like;
  sgd.elementwise = emit_sgd;
  sgd.code = ElemCode::mul;
  sgd.in_place = {{0, 0}};
  OpDef momentum = sgd;
  add_op(std::move(sgd));

  momentum.name = "sgd_mom_update";
  momentum.doc =
      "One step of gradient descent with momentum: new_mom = momentum * mom - lr * "
      "(clip(rescale_grad "
      "* grad) + wd * weight). Returns weight + new_mom and new_mom.";
  momentum.inputs.push_back({"mom", "accumulated steps", false});
  momentum.attrs.push_back({"momentum", AttrType::real, "0.0", "part of mom that stays"});
  momentum.num_outputs = 2;
  momentum.infer = infer_momentum;
  momentum.elementwise = nullptr;
  momentum.cpu = run_momentum;
  momentum.on_device = true;
  momentum.in_place = {{0, 0}, {2, 1}};
  add_op(std::move(momentum));
}

}  // namespace hybrid
