// CTCLoss: connectionist temporal classification.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops/ctc_paths.h"
#include "ops/differentiable_once.h"
#include "ops/dispatch.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/states.h"

namespace hybrid {

namespace {

void infer_inputs(InferContext& c) {
  if (c.in_dtypes[1] == DType::unknown) c.in_dtypes[1] = c.in_dtypes[0];
  expect_rank(c, 0, 3, "steps, batch, classes");
  expect_rank(c, 1, 2, "batch, length of the labels");
  Shape& data = c.in_shapes[0];
  Shape& label = c.in_shapes[1];
  if (data.rank_known()) {
    require(data[2] != 0 && data[2] != 1, c.op_name, ": given data of shape ", data,
            ", expected at least two classes, one of them the blank");
    if (label.rank_known()) expect_shape(c, 1, {data[1], label[1]});
  }
  const int64_t batch = data.rank_known() ? data[1] : -1;
  for (size_t i = 2; i < c.in_shapes.size(); ++i) {
    if (c.in_dtypes[i] == DType::unknown) c.in_dtypes[i] = c.in_dtypes[0];
    expect_shape(c, i, {batch});
  }
}

void infer_loss(InferContext& c) {
  infer_inputs(c);
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  set_shape(c, 0, {c.in_shapes[0].rank_known() ? c.in_shapes[0][1] : -1});
}

void infer_loss_grad(InferContext& c) {
  infer_inputs(c);
  set_dtype(c, 0, c.in_dtypes[0]);
  set_shape(c, 0, c.in_shapes[0]);
}

// What belongs to one example of the batch.
class Batch {
 public:
  explicit Batch(const KernelContext& c) : c_(c), first_(c.attrs.string("blank_label") == "first") {
    int next = 2;
    if (c.attrs.boolean("use_data_lengths")) data_lengths_ = &c.in[next++];
    if (c.attrs.boolean("use_label_lengths")) label_lengths_ = &c.in[next];
  }
  int64_t count() const { return c_.in[0].shape[1]; }
  int64_t classes() const { return c_.in[0].shape[2]; }
  int64_t blank() const { return first_ ? 0 : classes() - 1; }

  int64_t steps(int64_t n) const {
    return data_lengths_ ? length(*data_lengths_, n, c_.in[0].shape[0], "data_lengths")
                         : c_.in[0].shape[0];
  }

  // Up to its length, or to the first padding: -1, and 0 where that is the blank.
  std::vector<int64_t> label(int64_t n) const {
    const int64_t most = c_.in[1].shape[1];
    const int64_t count = label_lengths_ ? length(*label_lengths_, n, most, "label_lengths") : most;
    const IndexReader read(c_.in[1]);
    std::vector<int64_t> label;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t k = read[n * most + i];
      if (!label_lengths_ && (k == -1 || (first_ && k == 0))) break;
      require(k >= 0 && k < classes(), "CTCLoss: given label ", k, ", expected 0 to ",
              classes() - 1);
      label.push_back(k);
    }
    return label;
  }

  // Logarithms of the softmax of each step.
  std::vector<double> log_p(int64_t n, int64_t steps) const {
    const int64_t width = classes();
    std::vector<double> rows(static_cast<size_t>(steps * width));
    dispatch(c_.in[0].dtype, "CTCLoss", [&](auto zero) {
      using T = decltype(zero);
      for (int64_t t = 0; t < steps; ++t) {
        const T* const x = c_.in[0].as<T>() + (t * count() + n) * width;
        double* const row = rows.data() + t * width;
        const double most = static_cast<double>(*std::max_element(x, x + width));
        double sum = 0;
        for (int64_t k = 0; k < width; ++k) sum += std::exp(static_cast<double>(x[k]) - most);
        for (int64_t k = 0; k < width; ++k) {
          row[k] = static_cast<double>(x[k]) - most - std::log(sum);
        }
      }
    });
    return rows;
  }

 private:
  static int64_t length(const TensorView& given, int64_t n, int64_t most, const char* what) {
    const int64_t k = IndexReader(given)[n];
    require(k >= 0 && k <= most, "CTCLoss: given ", what, " ", k, ", expected 0 to ", most);
    return k;
  }

  const KernelContext& c_;
  bool first_;
  const TensorView* data_lengths_ = nullptr;
  const TensorView* label_lengths_ = nullptr;
};

void run_loss(KernelContext& c) {
  const Batch batch(c);
  c.resources.parallel(batch.count(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      const int64_t steps = batch.steps(n);
      const std::vector<double> log_p = batch.log_p(n, steps);
      const CtcPaths paths(log_p, steps, batch.classes(), batch.label(n), batch.blank());
      dispatch(c.out[0].dtype, "CTCLoss", [&](auto zero) {
        using T = decltype(zero);
        c.out[0].as<T>()[n] = static_cast<T>(paths.loss());
      });
    }
  });
}

// Softmax minus the probability that an alignment has the class there; 0 beyond the length.
void run_loss_grad(KernelContext& c) {
  const Batch batch(c);
  const int64_t width = batch.classes();
  if (c.out[0].size() == 0) return;
  std::memset(c.out[0].data, 0, static_cast<size_t>(c.out[0].size()) * dtype_size(c.out[0].dtype));
  c.resources.parallel(batch.count(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      const int64_t steps = batch.steps(n);
      const std::vector<double> log_p = batch.log_p(n, steps);
      const CtcPaths paths(log_p, steps, width, batch.label(n), batch.blank());
      if (!paths.possible()) continue;
      std::vector<double> posterior(log_p.size());
      paths.add_posteriors(&posterior);
      dispatch(c.out[0].dtype, "CTCLoss", [&](auto zero) {
        using T = decltype(zero);
        for (int64_t t = 0; t < steps; ++t) {
          T* const row = c.out[0].as<T>() + (t * batch.count() + n) * width;
          for (int64_t k = 0; k < width; ++k) {
            const auto at = static_cast<size_t>(t * width + k);
            row[k] = static_cast<T>(std::exp(log_p[at]) - posterior[at]);
          }
        }
      });
    }
  });
}

void grad_loss(GradBuilder& b) {
  if (!b.wanted(0)) return;
  Attrs attrs(get_op("ctc_loss_grad"));
  std::vector<Entry> inputs;
  for (int i = 0; i < b.num_inputs(); ++i) inputs.push_back(b.input(i));
  for (const AttrDef& def : attrs.op()->attrs) attrs.set(def.name, b.attrs().at(def.name));
  const int64_t batch = known_shape(b, b.input(0))[1];
  const Expr flow(b, reshape_to(b, b.out_grad(), {1, batch, 1}));
  b.set(0, (Expr(b, b.op("ctc_loss_grad", inputs, attrs)) * flow).entry());
}

double loss_flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
  const double by_step = static_cast<double>(in[0][2]) + 6 * static_cast<double>(in[1][1]);
  return 40 * by_step * static_cast<double>(in[0][0] * in[0][1]);
}

}  // namespace

void register_ctc_loss() {
  OpDef loss;
  loss.name = "CTCLoss";
  loss.family = Family::loss;
  loss.doc =
      "Connectionist temporal classification (Graves et al. 2006): -log of the probability that "
      "softmax(data) gives the label when repeats and blanks are left out. A label that is too "
      "long for its data costs 0 and has no gradient. MXNet's CTCLoss.";
  loss.inputs = {{"data", "scores (steps, batch, classes)"},
                 {"label", "class numbers (batch, length); the first padding ends a label", false},
                 {"data_lengths", "steps of every example (batch,)", false, "!use_data_lengths"},
                 {"label_lengths", "length of every label (batch,)", false, "!use_label_lengths"}};
  loss.attrs = {{"use_data_lengths", AttrType::boolean, "False", "data_lengths is given"},
                {"use_label_lengths", AttrType::boolean, "False",
                 "label_lengths is given; otherwise labels end at padding"},
                {"blank_label", AttrType::string, "first",
                 "which class is the blank: the first (padding is 0 or -1) or the last (padding is "
                 "-1)",
                 "first|last"}};
  loss.infer = infer_loss;
  loss.cpu = run_loss;
  loss.gradient = grad_loss;
  loss.flops = loss_flops;
  OpDef grad = loss;
  StatesDef shown;
  shown.num_visible = [](const Attrs&) { return 1; };
  shown.output_names = {"output0"};  // MXNet counts its hidden output too
  shown.mx_outputs = 2;
  add_states(add_op(std::move(loss)), std::move(shown));

  grad.name = "ctc_loss_grad";
  grad.doc = "The gradient of CTCLoss by data, for a gradient of 1 that flows in.";
  grad.infer = infer_loss_grad;
  grad.cpu = run_loss_grad;
  grad.gradient = differentiable_once;
  add_op(std::move(grad));
}

}  // namespace hybrid
