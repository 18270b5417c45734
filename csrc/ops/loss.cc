// Losses with gradients of their own: SoftmaxOutput, softmax_cross_entropy, regression outputs.
#include <cmath>

#include "kernels/kernels.h"
#include "ops/dispatch.h"
#include "ops/emit.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/run_elem.h"

namespace hybrid {

namespace {

// --- SoftmaxOutput ------------------------------------------------------------------------------

std::vector<AttrDef> softmax_output_attrs() {
  return {
      {"grad_scale", AttrType::real, "1.0", "factor of the gradient"},
      {"ignore_label", AttrType::real, "-1.0", "label without gradient, with use_ignore"},
      {"multi_output", AttrType::boolean, "False", "classes on axis 1, a label for every place"},
      {"use_ignore", AttrType::boolean, "False", "ignore_label counts"},
      {"preserve_shape", AttrType::boolean, "False", "classes on the last axis"},
      {"normalization", AttrType::string, "null",
       "gradient divided by nothing, by the batch, or by the labels not ignored",
       "null|batch|valid"},
      {"out_grad", AttrType::boolean, "False", "multiply by the gradient that flows in"},
      {"smooth_alpha", AttrType::real, "0.0", "label smoothing"}};
}

// Data as (outer, classes, inner): classes on axis 1, on the last, or all axes but the first.
AxisView classes_of(const Attrs& attrs, const Shape& data) {
  if (attrs.boolean("multi_output")) return AxisView(data, 1);
  if (attrs.boolean("preserve_shape")) return AxisView(data, data.ndim() - 1);
  AxisView v(data, 0);
  v.outer = data[0];
  v.size = data[0] == 0 ? 1 : data.size() / data[0];
  v.inner = 1;
  return v;
}

Shape label_shape(const Attrs& attrs, const Shape& data) {
  Shape label;
  const bool multi = attrs.boolean("multi_output"), preserve = attrs.boolean("preserve_shape");
  for (int i = 0; i < data.ndim(); ++i) {
    const bool kept = multi ? i != 1 : preserve ? i + 1 < data.ndim() : i == 0;
    if (kept) label.push_back(data[i]);
  }
  return label;
}

void infer_softmax_output(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  if (c.in_dtypes[1] == DType::unknown) c.in_dtypes[1] = c.in_dtypes[0];
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known()) return;
  require(data.ndim() >= 2, c.op_name, ": given data of shape ", data,
          ", expected (batch, classes, ...)");
  const Shape& label = c.in_shapes[1];
  if (c.attrs.boolean("multi_output") && label.rank_known() && label.ndim() == 2 &&
      data.ndim() > 3 && data.known()) {  // places in one axis
    expect_shape(c, 1, {data[0], data[0] * data[1] == 0 ? 0 : data.size() / (data[0] * data[1])});
    return set_shape(c, 0, data);
  }
  Shape soft = data;  // probabilities instead of class numbers
  if (!c.in_shapes[1].rank_known() || c.in_shapes[1].ndim() != data.ndim() ||
      !merge_shape(&soft, c.in_shapes[1])) {
    expect_shape(c, 1, label_shape(c.attrs, data));
  }
  set_shape(c, 0, data);
}

void run_softmax_output(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  const AxisView v = classes_of(c.attrs, c.in[0].shape);
  softmax(c.in[0].dtype, v.outer, v.size, v.inner, c.in[0].data, c.out[0].data, 1.0, false,
          c.resources);
}

// (y - one_hot(label)) * grad_scale, normalized as MXNet 1.x does.
template <class T>
void softmax_output_grad(KernelContext& c) {
  const Attrs& a = c.attrs;
  const TensorView &y = c.in[0], &label = c.in[1];
  const AxisView v = classes_of(a, y.shape);
  const bool soft = label.shape == y.shape && label.shape.ndim() == y.shape.ndim();
  const double ignored = a.real("ignore_label"), alpha = a.real("smooth_alpha");
  const bool use_ignore = a.boolean("use_ignore");
  const IndexReader classes(label);
  const int64_t places = v.outer * v.inner;
  double scale = a.real("grad_scale");
  const std::string& normalization = a.string("normalization");
  if (normalization == "valid") {
    int64_t valid = places;
    for (int64_t k = 0; !soft && k < places; ++k)
      valid -= static_cast<double>(classes[k]) == ignored;
    scale /= static_cast<double>(std::max<int64_t>(valid, 1));
  } else {
    scale /= static_cast<double>(v.inner);
    if (normalization == "batch") scale /= static_cast<double>(y.shape[0]);
  }
  const double others = v.size > 1 ? alpha / static_cast<double>(v.size - 1) : 0;
  const T* probability = y.as<T>();
  T* out = c.out[0].as<T>();
  std::vector<double> targets;
  if (soft) {
    targets.resize(static_cast<size_t>(y.size()));
    dispatch(label.dtype, "SoftmaxOutput", [&](auto zero) {
      using L = decltype(zero);
      for (size_t i = 0; i < targets.size(); ++i)
        targets[i] = static_cast<double>(label.as<L>()[i]);
    });
  }
  for (int64_t k = 0; k < places; ++k) {
    const int64_t base = k / v.inner * v.size * v.inner + k % v.inner;
    const int64_t target = soft ? -1 : classes[k];
    const bool skip = !soft && use_ignore && static_cast<double>(target) == ignored;
    for (int64_t j = 0; j < v.size; ++j) {
      const int64_t at = base + j * v.inner;
      const double wanted = soft          ? targets[static_cast<size_t>(at)]
                            : j == target ? 1 - alpha
                                          : others;
      out[at] =
          skip ? T(0) : static_cast<T>((static_cast<double>(probability[at]) - wanted) * scale);
    }
  }
}

void run_softmax_output_grad(KernelContext& c) {
  if (c.in[0].dtype == DType::float32) return softmax_output_grad<float>(c);
  softmax_output_grad<double>(c);
}

void grad_softmax_output(GradBuilder& b) {
  if (!b.wanted(0)) return;
  Attrs attrs(get_op("softmax_output_grad"));
  for (const AttrDef& def : attrs.op()->attrs) attrs.set(def.name, b.attrs().at(def.name));
  const Expr own(b, b.op("softmax_output_grad", {b.output(), b.input(1)}, attrs));
  b.set(0, (b.attrs().boolean("out_grad") ? own * Expr(b, b.out_grad()) : own).entry());
}

// --- softmax_cross_entropy ----------------------------------------------------------------------

void infer_cross_entropy(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  if (c.in_dtypes[1] == DType::unknown) c.in_dtypes[1] = c.in_dtypes[0];
  expect_rank(c, 0, 2, "batch, classes");
  if (c.in_shapes[0].rank_known()) expect_shape(c, 1, {c.in_shapes[0][0]});
  set_shape(c, 0, c.attrs.boolean("at_least_1d") ? Shape{1} : Shape{});
}

void run_cross_entropy(KernelContext& c) {
  const int64_t n = c.in[0].shape[0], classes = c.in[0].shape[1];
  const IndexReader label(c.in[1]);
  const TensorView logs = scratch_view(c.in[0].dtype, c.in[0].shape, c.resources);
  if (c.in[0].size() > 0) {
    softmax(c.in[0].dtype, n, classes, 1, c.in[0].data, logs.data, 1.0, true, c.resources);
  }
  dispatch(c.in[0].dtype, "softmax_cross_entropy", [&](auto zero) {
    using T = decltype(zero);
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t k = label[i];
      require(k >= 0 && k < classes, "softmax_cross_entropy: given label ", k, ", expected 0 to ",
              classes - 1);
      sum -= static_cast<double>(logs.as<T>()[i * classes + k]);
    }
    *c.out[0].as<T>() = static_cast<T>(sum);
  });
}

void grad_cross_entropy(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Shape data = known_shape(b, b.input(0));
  const Expr p(b, b.op("softmax", {b.input(0)}));
  const Expr target(
      b, b.op("one_hot", {b.input(1)},
              {{"depth", data[1]}, {"dtype", static_cast<int64_t>(known_dtype(b, b.input(0)))}}));
  b.set(0, ((p - target) * Expr(b, b.out_grad())).entry());
}

// --- Linear-, Logistic- and MAERegressionOutput
// ---------------------------------------------------

void infer_regression(InferContext& c) {
  one_dtype(c);
  const Shape& data = c.in_shapes[0];
  set_shape(c, 0, data);
  if (!data.rank_known()) return;
  Shape flat;  // (n,) stands for (n, 1)
  for (int64_t d : data) {
    if (d != 1 || flat.ndim() == 0) flat.push_back(d);
  }
  const bool squeezed = c.in_shapes[1].rank_known() && c.in_shapes[1].ndim() < data.ndim();
  expect_shape(c, 1, squeezed ? flat : data);
}

template <ElemCode link>
void run_regression(KernelContext& c) {
  run_unary(link, c.in[0], c.out[0], c.resources);
}

template <bool sign_only>
void grad_regression(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Shape data = known_shape(b, b.input(0));
  const double outputs = data.size() == 0 ? 1 : static_cast<double>(data.size() / data[0]);
  const Expr error = Expr(b, b.output()) - Expr(b, reshape_as(b, b.input(1), b.input(0)));
  b.set(0, (b.attrs().real("grad_scale") / outputs * (sign_only ? unary("sign", error) : error))
               .entry());
}

void add_regression(const char* name, const char* doc, void (*run)(KernelContext&),
                    void (*gradient)(GradBuilder&)) {
  OpDef def;
  def.name = name;
  def.family = Family::loss;
  def.doc = doc;
  def.inputs = {{"data", "predictions (n, ...)"}, {"label", "targets, data's shape", false}};
  def.attrs = {{"grad_scale", AttrType::real, "1.0", "factor of the gradient"}};
  def.infer = infer_regression;
  def.cpu = run;
  def.on_device = true;
  def.gradient = gradient;
  def.in_place = {{0, 0}};
  add_op(std::move(def));
}

}  // namespace

void register_loss() {
  OpDef output;
  output.name = "SoftmaxOutput";
  output.family = Family::loss;
  output.doc =
      "Softmax over the classes; its gradient is that of cross entropy with label, whatever flows "
      "in: "
      "(softmax(data) - one_hot(label)) * grad_scale. Classes are all axes but the first, axis 1 "
      "(multi_output) or the last (preserve_shape). MXNet's SoftmaxOutput.";
  output.inputs = {{"data", "(n, classes), or more axes"},
                   {"label", "class numbers (n,), or probabilities", false}};
  output.attrs = softmax_output_attrs();
  output.infer = infer_softmax_output;
  output.cpu = run_softmax_output;
  output.gradient = grad_softmax_output;
  output.in_place = {{0, 0}};
  OpDef grad = output;
  add_op(std::move(output));

  grad.name = "softmax_output_grad";
  grad.doc = "The gradient of SoftmaxOutput, from its result and label.";
  grad.inputs = {{"result", "the softmax", false},
                 {"label", "class numbers or probabilities", false}};
  grad.cpu = run_softmax_output_grad;
  grad.gradient = nullptr;
  add_op(std::move(grad));

  OpDef entropy;
  entropy.name = "softmax_cross_entropy";
  entropy.family = Family::loss;
  entropy.doc = "Sum over the batch of -log(softmax(data)[label]). MXNet's softmax_cross_entropy.";
  entropy.inputs = {{"data", "(n, classes)"}, {"label", "class numbers (n,)", false}};
  entropy.attrs = {
      {"at_least_1d", AttrType::boolean, "False", "shape (1,) instead of () (MXNet 1.x)"}};
  entropy.infer = infer_cross_entropy;
  entropy.cpu = run_cross_entropy;
  entropy.gradient = grad_cross_entropy;
  add_op(std::move(entropy));

  add_regression(
      "LinearRegressionOutput",
      "data; its gradient is (data - label) * grad_scale / outputs per example, whatever "
      "flows in.",
      run_regression<ElemCode::copy>, grad_regression<false>);
  add_regression(
      "LogisticRegressionOutput",
      "sigmoid(data); its gradient is (sigmoid(data) - label) * grad_scale / outputs per "
      "example, whatever flows in.",
      run_regression<ElemCode::sigmoid>, grad_regression<false>);
  add_regression(
      "MAERegressionOutput",
      "data; its gradient is sign(data - label) * grad_scale / outputs per example, whatever "
      "flows in.",
      run_regression<ElemCode::copy>, grad_regression<true>);
}

}  // namespace hybrid
