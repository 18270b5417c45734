#include "ops/updates.h"

#include <cmath>
#include <string>
#include <unordered_map>

#include "kernels/device_kernels.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "ops/states.h"

namespace hybrid {

namespace {

std::unordered_map<const OpDef*, UpdateRule>& rules() {
  static auto* known = new std::unordered_map<const OpDef*, UpdateRule>;
  return *known;
}

const UpdateRule& rule_of(const Attrs& attrs) { return rules().at(attrs.op()); }

int count_weights(const Attrs& attrs) {
  if (!rule_of(attrs).many) return 1;
  const int64_t n = attrs.integer("num_weights");
  require(n > 0 && n < (1 << 16), attrs.op()->name, ": given num_weights ", n,
          ", expected 1 or more");
  return static_cast<int>(n);
}

int count_outputs(const Attrs& attrs) { return count_weights(attrs) * (1 + rule_of(attrs).kept()); }

// Hidden outputs: of each weight in turn its new states.
std::vector<StateUpdate> written(const Attrs& attrs) {
  const UpdateRule& rule = rule_of(attrs);
  const int weights = count_weights(attrs);
  std::vector<StateUpdate> result;
  for (int w = 0; w < weights; ++w) {
    for (int s = 0; s < rule.kept(); ++s) {
      result.push_back({w * rule.per_weight() + 2 + s, weights + w * rule.kept() + s});
    }
  }
  return result;
}

// --- Shapes and dtypes --------------------------------------------------------------------------

void check_count(InferContext& c, const UpdateRule& rule, int weights) {
  const size_t more = (rule.preloaded ? 2 : 0) + (rule.scale_is_input ? 1 : 0);
  const size_t expected = static_cast<size_t>(weights * rule.per_weight()) + more;
  require(c.in_shapes.size() == expected, c.op_name, ": given ", c.in_shapes.size(),
          " arrays, expected ", expected, " of ", weights, " weights");
}

void check_lists(InferContext& c, int weights) {
  for (const char* list : {"lrs", "wds", "etas"}) {
    if (c.attrs.op()->attr_index(list) < 0) continue;
    const size_t given = c.attrs.reals(list).size();
    require(given == static_cast<size_t>(weights), c.op_name, ": given ", given, " ", list,
            ", expected ", weights, ", one a weight");
  }
}

// Weight, gradient and states have one shape; all but a copied weight and its gradient one dtype.
void infer_one(InferContext& c, const UpdateRule& rule, int weights, int w) {
  const auto first = static_cast<size_t>(w * rule.per_weight());
  const auto end = first + static_cast<size_t>(rule.per_weight());
  const auto hidden = static_cast<size_t>(weights + w * rule.kept());
  const auto out = static_cast<size_t>(w);
  Shape shape = c.out_shapes[out];
  for (size_t i = first; i < end; ++i) {
    require(merge_shape(&shape, c.in_shapes[i]), c.op_name, ": given array ", i, " of shape ",
            c.in_shapes[i], ", expected ", shape, ", as of its weight");
  }
  for (size_t i = first; i < end; ++i) c.in_shapes[i] = shape;
  set_shape(c, out, shape);
  DType dtype = unify_dtypes(c, {first, first + 1});
  require(!rule.copies || dtype == DType::unknown || is_half(dtype) || dtype == DType::float32,
          c.op_name, ": given a weight of ",
          dtype_name(dtype == DType::unknown ? DType::float32 : dtype),
          ", expected float16, bfloat16 or float32");
  set_dtype(c, out, dtype);
  const DType own = rule.copies ? DType::float32 : dtype;
  for (size_t i = first + 2; i < end; ++i) expect_dtype(c, i, own);
  for (int s = 0; s < rule.kept(); ++s) {
    set_shape(c, hidden + static_cast<size_t>(s), shape);
    set_dtype(c, hidden + static_cast<size_t>(s), own);
  }
}

void infer_update(InferContext& c) {
  const UpdateRule& rule = rule_of(c.attrs);
  const int weights = count_weights(c.attrs);
  check_count(c, rule, weights);
  check_lists(c, weights);
  for (int w = 0; w < weights; ++w) infer_one(c, rule, weights, w);
  size_t last = c.in_shapes.size();
  if (rule.scale_is_input) expect_shape(c, --last, {1});
  for (int i = 0; rule.preloaded && i < 2; ++i) expect_shape(c, --last, {weights});
}

// --- The kernel ---------------------------------------------------------------------------------

double number_at(const TensorView& array, int i) {
  const int64_t at = i * (array.strides.ndim() ? array.strides[0] : 0);
  return array.dtype == DType::float64 ? array.as<double>()[at]
                                       : static_cast<double>(array.as<float>()[at]);
}

// Those of one weight's operator.
void set_numbers(const Attrs& attrs, Step* step) {
  const OpDef& op = *attrs.op();
  using Numbers = std::initializer_list<std::pair<const char*, double*>>;
  for (const auto& [name, number] : Numbers{{"lr", &step->lr},
                                            {"wd", &step->wd},
                                            {"eta", &step->eta},
                                            {"rescale_grad", &step->rescale}}) {
    if (op.attr_index(name) >= 0) *number = attrs.real(name);
  }
}

void set_numbers(KernelContext& c, const UpdateRule& rule, int w, Step* step) {
  const Attrs& attrs = c.attrs;
  const OpDef& op = *attrs.op();
  set_numbers(attrs, step);
  if (rule.many && !rule.preloaded) {
    step->lr = attrs.reals("lrs")[static_cast<size_t>(w)];
    step->wd = attrs.reals("wds")[static_cast<size_t>(w)];
    if (op.attr_index("etas") >= 0) step->eta = attrs.reals("etas")[static_cast<size_t>(w)];
  } else if (rule.preloaded) {
    step->lr = number_at(c.in[c.num_in - 2], w);
    step->wd = number_at(c.in[c.num_in - 1], w);
  }
  if (rule.scale_is_input) step->rescale = number_at(c.in[c.num_in - 1], 0);
}

void run_one(KernelContext& c, const UpdateRule& rule, int weights, int w) {
  const TensorView* const in = c.in + w * rule.per_weight();
  const int kept = rule.kept();
  const DType d = rule.copies ? DType::float32 : in[0].dtype;
  ElemProgram program;
  Emitter e(&program.instrs);
  std::vector<TensorView> inputs(in, in + rule.per_weight());
  if (rule.copies) inputs[0] = inputs[static_cast<size_t>(1 + kept)];  // the copy is the weight
  for (const TensorView& v : inputs) program.inputs.push_back(v.dtype);
  const auto term = [&](int i) { return Term(e, d, Emitter::input(i)); };
  Step step{c.attrs, 0, 0, 0, 1, term(0), term(1), {}};
  set_numbers(c, rule, w, &step);
  for (int s = 0; s < rule.states; ++s) step.states.push_back(term(2 + s));
  const bool skipped = rule.scale_is_input && (!std::isfinite(step.rescale) || step.rescale == 0);
  std::vector<Term> made;
  if (skipped) {  // AdamW's way to leave out a step whose gradients are not finite
    made.push_back(Term::unary(ElemCode::copy, step.weight));
    for (const Term& s : step.states) made.push_back(Term::unary(ElemCode::copy, s));
  } else {
    made = rule.formula(step);
  }
  if (rule.copies) made.push_back(made[0]);
  std::vector<TensorView> outputs = {c.out[w]};
  for (int s = 0; s < kept; ++s) outputs.push_back(c.out[weights + w * kept + s]);
  for (const Term& t : made) {
    require(t.value().operand.kind == ElemOperand::temp, c.attrs.op()->name, ": no result");
    program.outputs.push_back(t.value().operand.index);
  }
  run_elementwise(program, inputs.data(), outputs.data(), c.resources);
}

void run_update(KernelContext& c) {
  const UpdateRule& rule = rule_of(c.attrs);
  if (rule.preloaded || rule.scale_is_input) only_on_host(c.resources, c.attrs.op()->name);
  const int weights = count_weights(c.attrs);
  for (int w = 0; w < weights; ++w) run_one(c, rule, weights, w);
}

// Of one weight without states: it fuses.
void emit_update(const Attrs& attrs, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  Step step{attrs, 0, 0, 0, 1, Term(e, in[0], Emitter::input(0)), Term(e, in[0], Emitter::input(1)),
            {}};
  set_numbers(attrs, &step);
  rule_of(attrs).formula(step);
}

}  // namespace

Term Step::clipped_grad(const char* bound) const {
  const Term g = rescale == 1 ? grad : grad * rescale;
  const double c = attrs.real(bound);
  return c > 0 ? cut(g, c) : g;
}

Term Step::clipped_decayed_grad(const char* bound) const {
  Term g = rescale == 1 ? grad : grad * rescale;
  if (wd != 0) g = g + weight * wd;
  const double c = attrs.real(bound);
  return c > 0 ? cut(g, c) : g;
}

AttrDef update_lr() { return {"lr", AttrType::real, nullptr, "learning rate"}; }
AttrDef update_wd() {
  return {"wd", AttrType::real, "0.0", "weight decay: wd * weight is added to the gradient"};
}
AttrDef update_rescale() {
  return {"rescale_grad", AttrType::real, "1.0", "factor of the gradient, applied first"};
}
AttrDef update_clip(const char* name) {
  return {name, AttrType::real, "-1.0", "the gradient is cut to [-c, c]; 0 or less: not"};
}
AttrDef update_lazy() {
  return {"lazy_update", AttrType::boolean, "True", "accepted; updates are dense"};
}

double share(const Attrs& attrs, const char* name) {
  return static_cast<double>(static_cast<float>(attrs.real(name)));
}

void add_update(const UpdateDef& def) {
  const UpdateRule& rule = def.rule;
  OpDef op;
  op.name = def.name;
  op.family = Family::other;
  op.doc = def.doc;
  if (rule.many) {
    op.variadic = true;
    op.inputs = {{"data", "weight, gradient and states of each weight in turn", false}};
  } else {
    op.inputs = {{"weight", "parameter", false}, {"grad", "its gradient", false}};
    for (const InputDef& s : def.states) op.inputs.push_back({s.name, s.doc, false});
    if (rule.copies) op.inputs.push_back({"weight32", "the weight's float32 copy", false});
    if (rule.scale_is_input) {
      op.inputs.push_back({"rescale_grad", "factor of the gradient, of shape (1,)", false});
    }
    op.in_place = {{0, 0}};
    for (int s = 0; s < rule.kept(); ++s) {
      op.in_place.push_back({static_cast<int8_t>(2 + s), static_cast<int8_t>(1 + s)});
    }
  }
  op.attrs = def.attrs;
  if (rule.many) op.attrs.push_back({"num_weights", AttrType::integer, "1", "number of weights"});
  op.num_outputs = 1 + rule.kept();
  op.num_outputs_fn = rule.many ? count_outputs : nullptr;
  op.infer = infer_update;
  if (rule.kept() == 0 && !rule.many) {
    op.family = Family::elementwise;
    op.elementwise = emit_update;
    op.code = ElemCode::mul;
  } else {
    op.cpu = run_update;
    op.on_device = true;
  }
  const OpDef* known = add_op(std::move(op));
  rules().emplace(known, rule);
  if (rule.kept() == 0 && !rule.many) return;
  StatesDef states;
  states.written = written;
  states.num_visible = count_weights;
  add_states(known, std::move(states));
}

void register_optimizer() {
  register_updates_of_sgd();
  register_updates_of_moments();
  register_updates_of_layers();
}

}  // namespace hybrid
