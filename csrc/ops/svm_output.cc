// SVMOutput: scores whose gradient is that of hinge losses, one class against the others.
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_builder.h"
#include "ops/infer.h"
#include "ops/run_elem.h"

namespace hybrid {

namespace {

void infer_svm(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  if (c.in_dtypes[1] == DType::unknown) c.in_dtypes[1] = c.in_dtypes[0];
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known()) return;
  require(data.ndim() >= 1, c.op_name, ": given data of shape ", data,
          ", expected (batch, classes)");
  expect_shape(c, 1, {data[0]});
  set_shape(c, 0, data);
}

void run_svm(KernelContext& c) { run_unary(ElemCode::copy, c.in[0], c.out[0], c.resources); }

// With s = 1 for the label's class and -1 for others, max(0, margin - s y) has the gradient -s
// where it is not 0; its square twice the difference times that.
void run_svm_grad(KernelContext& c) {
  const TensorView& y = c.in[0];
  if (y.size() == 0) return;
  const int64_t classes = y.size() / y.shape[0];
  const IndexReader label(c.in[1]);
  const double margin = c.attrs.real("margin");
  const double factor = c.attrs.real("regularization_coefficient");
  const bool linear = c.attrs.boolean("use_linear");
  dispatch(y.dtype, "SVMOutput", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < y.size(); ++i) {
      const double sign = label[i / classes] == i % classes ? 1 : -1;
      const double short_of = margin - sign * static_cast<double>(y.as<T>()[i]);
      const double slope = short_of > 0 ? (linear ? 1 : 2 * short_of) : 0;
      c.out[0].as<T>()[i] = static_cast<T>(-sign * factor * slope);
    }
  });
}

void grad_svm(GradBuilder& b) {
  if (!b.wanted(0)) return;
  Attrs attrs(get_op("svm_output_grad"));
  for (const AttrDef& def : attrs.op()->attrs) attrs.set(def.name, b.attrs().at(def.name));
  b.set(0, b.op("svm_output_grad", {b.output(), b.input(1)}, attrs));
}

}  // namespace

void register_svm_output() {
  OpDef output;
  output.name = "SVMOutput";
  output.family = Family::loss;
  output.doc =
      "data; its gradient is that of the hinge losses of every class against the others (Tang "
      "2013), squared unless use_linear, whatever flows in. MXNet's SVMOutput.";
  output.inputs = {{"data", "scores (n, classes)"}, {"label", "class numbers (n,)", false}};
  output.attrs = {{"margin", AttrType::real, "1.0", "a score beyond it costs nothing"},
                  {"regularization_coefficient", AttrType::real, "1.0", "factor of the gradient"},
                  {"use_linear", AttrType::boolean, "False", "the loss itself, not its square"}};
  output.infer = infer_svm;
  output.cpu = run_svm;
  output.gradient = grad_svm;
  OpDef grad = output;
  add_op(std::move(output));

  grad.name = "svm_output_grad";
  grad.doc = "The gradient of SVMOutput, from its result and label.";
  grad.inputs = {{"result", "scores", false}, {"label", "class numbers", false}};
  grad.cpu = run_svm_grad;
  grad.gradient = nullptr;
  add_op(std::move(grad));
}

}  // namespace hybrid
