// Updates that look at whole layers or rows: LAMB, LARS, AdaGrad by rows.
#include <cmath>
#include <memory>

#include "kernels/device_kernels.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "ops/states.h"
#include "ops/updates.h"

namespace hybrid {

namespace {

bool has_copies(const Attrs& attrs) {
  const std::string name = attrs.op()->name;
  return name.find("mp_") != std::string::npos;
}

int one_visible(const Attrs&) { return 1; }

AttrDef real(const char* name, const char* standard, const char* doc) {
  return {name, AttrType::real, standard, doc};
}

double number_of(const TensorView& v) {
  return v.dtype == DType::float64 ? *v.as<double>() : static_cast<double>(*v.as<float>());
}

// --- LAMB, of one weight in two steps -----------------------------------------------------------

// Adam's direction, with weight decay: s.attrs has beta1, beta2, epsilon, bias_correction.
std::vector<Term> direction(const Step& s, int64_t t) {
  const double beta1 = share(s.attrs, "beta1"), beta2 = share(s.attrs, "beta2");
  const Term g = s.clipped_grad();
  const Term mean = s.states[0] * beta1 + g * (1 - beta1);
  const Term var = s.states[1] * beta2 + square(g) * (1 - beta2);
  Term root = sqrt(var), step = mean;
  if (s.attrs.boolean("bias_correction")) {
    root = sqrt(var / (1 - std::pow(beta2, static_cast<double>(t))));
    step = mean / (1 - std::pow(beta1, static_cast<double>(t)));
  }
  step = step / (root + s.attrs.real("epsilon"));
  if (s.wd != 0) step = step + s.weight * s.wd;
  return {step, mean, var};
}

// Of `in`: weight (or its copy), grad, mean, var; of `out`: direction, mean, var.
void run_direction(const Attrs& attrs, const TensorView* in, const TensorView* out, double wd,
                   int64_t t, Resources& resources) {
  ElemProgram program;
  Emitter e(&program.instrs);
  const DType d = in[0].dtype;
  const auto term = [&](int i) { return Term(e, d, Emitter::input(i)); };
  program.inputs.assign(4, d);
  const Step step{
      attrs, 0, wd, 0, attrs.real("rescale_grad"), term(0), term(1), {term(2), term(3)}};
  for (const Term& made : direction(step, t)) {
    program.outputs.push_back(made.value().operand.index);
  }
  run_elementwise(program, in, out, resources);
}

void infer_phase1(InferContext& c) {
  const bool copies = has_copies(c.attrs);
  one_shape(c);
  set_shape(c, 1, c.out_shapes[0]);
  set_shape(c, 2, c.out_shapes[0]);
  const DType given = unify_dtypes(c, {0, 1});
  require(!copies || given != DType::float64, c.op_name,
          ": given a weight of float64, expected float16, bfloat16 or float32");
  const DType own = copies ? DType::float32 : given;
  for (size_t i = 2; i < c.in_dtypes.size(); ++i) expect_dtype(c, i, own);
  for (size_t i = 0; i < 3; ++i) set_dtype(c, i, own);
}

void run_phase1(KernelContext& c) {
  TensorView in[] = {c.in[has_copies(c.attrs) ? 4 : 0], c.in[1], c.in[2], c.in[3]};
  run_direction(c.attrs, in, c.out, c.attrs.real("wd"), c.attrs.integer("t"), c.resources);
}

// The learning rate times the layer's: |weight| within bounds, by the direction's length.
double layer_rate(const Attrs& attrs, double lr, double r1, double r2) {
  const double low = attrs.real("lower_bound"), high = attrs.real("upper_bound");
  if (low >= 0) r1 = std::fmax(r1, low);
  if (high >= 0) r1 = std::fmin(r1, high);
  return r1 == 0 || r2 == 0 ? lr : lr * r1 / r2;
}

// weight - rate * direction; also into `copy`, where there is one.
void run_step(const TensorView* in, double rate, const TensorView* out, int outputs,
              Resources& resources) {
  ElemProgram program;
  Emitter e(&program.instrs);
  const DType d = in[0].dtype;
  program.inputs.assign(2, d);
  const Term weight(e, d, Emitter::input(0)), way(e, d, Emitter::input(1));
  const int16_t made = (weight - way * rate).value().operand.index;
  program.outputs.assign(static_cast<size_t>(outputs), made);
  run_elementwise(program, in, out, resources);
}

void infer_phase2(InferContext& c) {
  const bool copies = has_copies(c.attrs);
  Shape shape = c.out_shapes[0];
  for (const size_t i : {size_t{0}, size_t{1}, size_t{4}}) {
    if (i >= c.in_shapes.size()) continue;
    require(merge_shape(&shape, c.in_shapes[i]), c.op_name, ": given array ", i, " of shape ",
            c.in_shapes[i], ", expected ", shape);
    c.in_shapes[i] = shape;
  }
  for (const size_t i : {size_t{2}, size_t{3}}) {
    const Shape& norm = c.in_shapes[i];
    require(!norm.known() || norm.size() == 1, c.op_name, ": given a norm of shape ", norm,
            ", expected one number");
  }
  const DType given = c.in_dtypes[0];
  require(!copies || given != DType::float64, c.op_name,
          ": given a weight of float64, expected float16, bfloat16 or float32");
  const DType own = copies ? DType::float32 : given;
  for (size_t i = 1; i < c.in_dtypes.size(); ++i) expect_dtype(c, i, own);
  for (size_t i = 0; i < c.out_shapes.size(); ++i) {
    set_shape(c, i, shape);
    set_dtype(c, i, i == 0 ? given : own);
  }
}

void run_phase2(KernelContext& c) {
  only_on_host(c.resources, c.attrs.op()->name);
  const TensorView in[] = {c.in[has_copies(c.attrs) ? 4 : 0], c.in[1]};
  const double rate =
      layer_rate(c.attrs, c.attrs.real("lr"), number_of(c.in[2]), number_of(c.in[3]));
  run_step(in, rate, c.out, c.num_out, c.resources);
}

const AttrDef kBeta1{"beta1", AttrType::real, "0.9", "part of mean that stays"};
const AttrDef kBeta2{"beta2", AttrType::real, "0.999", "part of var that stays"};
const AttrDef kEpsilon{"epsilon", AttrType::real, "1e-06", "keeps the divisor from 0"};
const AttrDef kCorrection{"bias_correction", AttrType::boolean, "True",
                          "divides mean and var by 1 - beta ** t"};
const AttrDef kLower{"lower_bound", AttrType::real, "-1.0", "of the weight's norm; negative: none"};
const AttrDef kUpper{"upper_bound", AttrType::real, "-1.0", "of the weight's norm; negative: none"};

std::vector<StateUpdate> phase1_written(const Attrs&) { return {{2, 1}, {3, 2}}; }
std::vector<StateUpdate> copy_written(const Attrs&) { return {{4, 1}}; }

void add_phase1(const char* name, bool copies) {
  OpDef op;
  op.name = name;
  op.doc =
      "The direction of LAMB's step (You and others, 2020), number t: mean / (sqrt(var) + epsilon) "
      "+ wd * weight, of mean and var of clip(rescale_grad * grad), which are written.";
  op.inputs = {{"weight", "parameter", false},
               {"grad", "its gradient", false},
               {"mean", "moving average of the gradient", false},
               {"var", "moving average of its square", false}};
  if (copies) op.inputs.push_back({"weight32", "the weight's float32 copy", false});
  AttrDef wd = update_wd();
  wd.default_text = nullptr;
  op.attrs = {kBeta1,           kBeta2,
              kEpsilon,         {"t", AttrType::integer, nullptr, "number of the step, from 1"},
              kCorrection,      wd,
              update_rescale(), update_clip()};
  op.num_outputs = 3;
  op.infer = infer_phase1;
  op.cpu = run_phase1;
  op.on_device = true;
  op.in_place = {{2, 1}, {3, 2}};
  StatesDef states;
  states.written = phase1_written;
  states.num_visible = one_visible;
  add_states(add_op(std::move(op)), std::move(states));
}

void add_phase2(const char* name, bool copies) {
  OpDef op;
  op.name = name;
  op.doc =
      "LAMB's step: weight - lr * r1 / r2 * g, of the weight's norm r1 within the bounds and the "
      "direction's norm r2; without the factor where one of them is 0.";
  op.inputs = {{"weight", "parameter", false},
               {"g", "direction", false},
               {"r1", "the weight's norm: one number", false},
               {"r2", "the direction's norm: one number", false}};
  if (copies) op.inputs.push_back({"weight32", "the weight's float32 copy", false});
  op.attrs = {update_lr(), kLower, kUpper};
  op.num_outputs = copies ? 2 : 1;
  op.infer = infer_phase2;
  op.cpu = run_phase2;
  op.on_device = true;
  op.in_place = {{0, 0}};
  const OpDef* known = add_op(std::move(op));
  if (!copies) return;
  StatesDef states;
  states.written = copy_written;
  states.num_visible = one_visible;
  add_states(known, std::move(states));
}

// --- LAMB of several weights --------------------------------------------------------------------

int tensors(const Attrs& attrs) {
  const int64_t n = attrs.integer("num_tensors");
  require(n > 0 && n < (1 << 16), attrs.op()->name, ": given num_tensors ", n,
          ", expected 1 or more");
  return static_cast<int>(n);
}

int kept_by(const Attrs& attrs) { return has_copies(attrs) ? 3 : 2; }

int lamb_outputs(const Attrs& attrs) { return tensors(attrs) * (1 + kept_by(attrs)); }

std::vector<StateUpdate> lamb_written(const Attrs& attrs) {
  const int n = tensors(attrs), kept = kept_by(attrs);
  std::vector<StateUpdate> result;
  for (int w = 0; w < n; ++w) {
    for (int s = 0; s < kept; ++s) result.push_back({w * (2 + kept) + 2 + s, n + w * kept + s});
  }
  return result;
}

void infer_lamb(InferContext& c) {
  const int n = tensors(c.attrs), kept = kept_by(c.attrs), each = 2 + kept;
  require(c.in_shapes.size() == static_cast<size_t>(n * each), c.op_name, ": given ",
          c.in_shapes.size(), " arrays, expected ", n * each, " of ", n, " weights");
  const size_t lists[] = {c.attrs.reals("learning_rates").size(), c.attrs.reals("wds").size(),
                          c.attrs.ints("step_count").size()};
  for (const size_t given : lists) {
    require(given == static_cast<size_t>(n), c.op_name, ": given ", given,
            " numbers in learning_rates, wds or step_count, expected ", n, ", one a weight");
  }
  for (int w = 0; w < n; ++w) {
    const auto first = static_cast<size_t>(w * each), out = static_cast<size_t>(w);
    Shape shape = c.out_shapes[out];
    for (size_t i = first; i < first + static_cast<size_t>(each); ++i) {
      require(merge_shape(&shape, c.in_shapes[i]), c.op_name, ": given array ", i, " of shape ",
              c.in_shapes[i], ", expected ", shape, ", as of its weight");
    }
    for (size_t i = first; i < first + static_cast<size_t>(each); ++i) c.in_shapes[i] = shape;
    set_shape(c, out, shape);
    const DType dtype = unify_dtypes(c, {first, first + 1});
    const DType own = has_copies(c.attrs) ? DType::float32 : dtype;
    set_dtype(c, out, dtype);
    for (int s = 0; s < kept; ++s) {
      expect_dtype(c, first + 2 + static_cast<size_t>(s), own);
      set_shape(c, static_cast<size_t>(n + w * kept + s), shape);
      set_dtype(c, static_cast<size_t>(n + w * kept + s), own);
    }
  }
}

double norm(const TensorView& x) {
  double sum = 0;
  dispatch(x.dtype, "multi_lamb_update", [&](auto zero) {
    const auto* at = x.as<decltype(zero)>();
    for (int64_t i = 0; i < x.size(); ++i) {
      sum += static_cast<double>(at[i]) * static_cast<double>(at[i]);
    }
  });
  return std::sqrt(sum);
}

void run_lamb(KernelContext& c) {
  only_on_host(c.resources, c.attrs.op()->name);
  const int n = tensors(c.attrs), kept = kept_by(c.attrs), each = 2 + kept;
  for (int w = 0; w < n; ++w) {
    const auto at = static_cast<size_t>(w);
    const TensorView* const in = c.in + w * each;
    const TensorView* const out = c.out + n + w * kept;
    const TensorView& weight = has_copies(c.attrs) ? in[4] : in[0];
    const std::unique_ptr<double[]> held(new double[static_cast<size_t>(weight.size()) + 1]);
    TensorView way = weight;
    way.data = held.get();
    way.strides = contiguous_strides(way.shape);
    const TensorView read[] = {weight, in[1], in[2], in[3]};
    const TensorView made[] = {way, out[0], out[1]};
    run_direction(c.attrs, read, made, c.attrs.reals("wds")[at], c.attrs.ints("step_count")[at],
                  c.resources);
    // The norm is the weight's own, as in MXNet, also where the step is its copy's.
    const double rate =
        layer_rate(c.attrs, c.attrs.reals("learning_rates")[at], norm(in[0]), norm(way));
    const TensorView step[] = {weight, way};
    const TensorView results[] = {c.out[w], kept == 3 ? out[2] : c.out[w]};
    run_step(step, rate, results, kept == 3 ? 2 : 1, c.resources);
  }
}

void add_lamb(const char* name) {
  OpDef op;
  op.name = name;
  op.doc =
      "LAMB's step of several weights (lamb_update_phase1 and 2). Arrays are weight, gradient, "
      "mean, var and, with mp, float32 copy of each weight in turn; all but the first two are "
      "written. Returns the new weights.";
  op.inputs = {{"data", "arrays of each weight in turn", false}};
  op.variadic = true;
  op.attrs = {{"learning_rates", AttrType::reals, nullptr, "learning rates"},
              kBeta1,
              kBeta2,
              kEpsilon,
              {"wds", AttrType::reals, nullptr, "weight decays"},
              update_rescale(),
              kLower,
              kUpper,
              update_clip(),
              kCorrection,
              {"step_count", AttrType::ints, nullptr, "numbers of the steps, from 1"},
              {"num_tensors", AttrType::integer, "1", "number of weights"}};
  op.num_outputs_fn = lamb_outputs;
  op.infer = infer_lamb;
  op.cpu = run_lamb;
  StatesDef states;
  states.written = lamb_written;
  states.num_visible = tensors;
  add_states(add_op(std::move(op)), std::move(states));
}

// --- LARS ---------------------------------------------------------------------------------------

void emit_lars(const Attrs& attrs, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  const auto term = [&](int i) { return Term(e, in[0], Emitter::input(i)); };
  const Term lr = term(0), weight = sqrt(term(1)), wd = term(3);
  const Term grad = sqrt(term(2)) * attrs.real("rescale_grad");
  const Term rate = lr * weight * attrs.real("eta") / (grad + weight * wd + attrs.real("eps"));
  const Term where_grad = Term::where_greater(grad, 0, rate, lr);
  Term::where_greater(weight, 0, where_grad, lr);
}

void add_lars() {
  OpDef op;
  op.name = "multi_lars";
  op.family = Family::elementwise;
  op.doc =
      "Learning rates of layers (LARS: You and others, 2017), of the sums of squares of weights "
      "and gradients: lr * eta * |w| / (|rescale_grad * g| + wd * |w| + eps); lr where a norm is "
      "0.";
  op.inputs = {{"lrs", "learning rates", false},
               {"weights_sum_sq", "sums of the weights' squares", false},
               {"grads_sum_sq", "sums of the gradients' squares", false},
               {"wds", "weight decays", false}};
  op.attrs = {{"eta", AttrType::real, nullptr, "factor"},
              {"eps", AttrType::real, nullptr, "keeps the divisor from 0"},
              update_rescale()};
  op.infer = infer_like;
  op.elementwise = emit_lars;
  op.code = ElemCode::sqrt;
  add_op(std::move(op));
}

// --- AdaGrad with one learning rate a row -------------------------------------------------------

std::vector<StateUpdate> history_written(const Attrs&) { return {{2, 1}}; }

void infer_rows(InferContext& c) {
  Shape shape = c.out_shapes[0];
  for (const size_t i : {size_t{0}, size_t{1}}) {
    require(merge_shape(&shape, c.in_shapes[i]), c.op_name, ": given array ", i, " of shape ",
            c.in_shapes[i], ", expected ", shape);
  }
  c.in_shapes[0] = c.in_shapes[1] = shape;
  set_shape(c, 0, shape);
  one_dtype(c);
  if (!shape.rank_known()) return;
  require(shape.ndim() >= 1, c.op_name, ": given a weight of shape (), expected rows");
  const Shape& history = c.in_shapes[2];
  if (!history.known()) return;
  require(
      shape[0] < 0 || (history.ndim() >= 1 && history[0] == shape[0] && history.size() == shape[0]),
      c.op_name, ": given history of shape ", history, ", expected one number a row of ", shape);
  set_shape(c, 1, history);
}

template <class T>
void update_rows(KernelContext& c) {
  const int64_t rows = c.in[0].shape[0], size = rows ? c.in[0].size() / rows : 0;
  const auto rescale = static_cast<T>(c.attrs.real("rescale_grad"));
  const auto clip = static_cast<T>(c.attrs.real("clip_gradient"));
  const auto lr = static_cast<T>(c.attrs.real("lr"));
  const auto epsilon = static_cast<T>(c.attrs.real("epsilon"));
  for (int64_t r = 0; r < rows; ++r) {
    const T* const weight = c.in[0].as<T>() + r * size;
    const T* const grad = c.in[1].as<T>() + r * size;
    T* const out = c.out[0].as<T>() + r * size;
    const auto scaled = [&](int64_t i) {
      const T g = grad[i] * rescale;
      return clip > 0 ? std::fmin(std::fmax(g, -clip), clip) : g;
    };
    double squares = 0;
    for (int64_t i = 0; i < size; ++i) squares += static_cast<double>(scaled(i)) * scaled(i);
    const T mean = size ? static_cast<T>(squares / static_cast<double>(size)) : T(0);
    const T history = c.in[2].as<T>()[r] + mean;
    c.out[1].as<T>()[r] = history;
    const T root = std::sqrt(history + epsilon);
    for (int64_t i = 0; i < size; ++i) out[i] = weight[i] - lr * scaled(i) / root;
  }
}

void run_rows(KernelContext& c) {
  if (c.in[0].dtype == DType::float64) return update_rows<double>(c);
  update_rows<float>(c);
}

void add_adagrad() {
  OpDef op;
  op.name = "group_adagrad_update";
  op.doc =
      "One step of AdaGrad with one learning rate a row: of g = clip(rescale_grad * grad), the "
      "mean of g ** 2 of each row is added to history, which is written. Returns weight - lr * g / "
      "sqrt(history + epsilon).";
  op.inputs = {{"weight", "parameter, rows along axis 0", false},
               {"grad", "its gradient", false},
               {"history", "one number a row: (rows, 1)", false}};
  op.attrs = {update_lr(), update_rescale(), update_clip(),
              real("epsilon", "1e-05", "keeps the root from 0")};
  op.num_outputs = 2;
  op.infer = infer_rows;
  op.cpu = run_rows;
  op.in_place = {{2, 1}};
  StatesDef states;
  states.written = history_written;
  states.num_visible = one_visible;
  add_states(add_op(std::move(op)), std::move(states));
}

}  // namespace

void register_updates_of_layers() {
  add_phase1("lamb_update_phase1", false);
  add_phase1("mp_lamb_update_phase1", true);
  add_phase2("lamb_update_phase2", false);
  add_phase2("mp_lamb_update_phase2", true);
  add_lamb("multi_lamb_update");
  add_lamb("multi_mp_lamb_update");
  add_lars();
  add_adagrad();
}

}  // namespace hybrid
