// hawkesll: log likelihood of Hawkes processes with exponential decay (Hawkes 1971).
#include <cmath>
#include <cstring>

#include "kernels/by_dtype.h"
#include "ops/differentiable_once.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

constexpr int kLda = 0, kAlpha = 1, kBeta = 2, kState = 3, kLags = 4, kMarks = 5, kLengths = 6,
              kEnd = 7;

void infer_inputs(InferContext& c, size_t first) {
  const auto at = [&](int i) { return first + static_cast<size_t>(i); };
  const DType dtype = unify_dtypes(
      c, {at(kLda), at(kAlpha), at(kBeta), at(kState), at(kLags), at(kLengths), at(kEnd)});
  if (c.in_dtypes[at(kMarks)] == DType::unknown) c.in_dtypes[at(kMarks)] = DType::int32;
  for (size_t i = 0; i < c.out_dtypes.size(); ++i) set_dtype(c, i, dtype);
  for (int i : {kLda, kState}) expect_rank(c, at(i), 2, "samples, processes");
  for (int i : {kLags, kMarks}) expect_rank(c, at(i), 2, "samples, points");
  const Shape lda = c.in_shapes[at(kLda)];
  if (!lda.rank_known()) return;
  expect_shape(c, at(kState), lda);
  for (int i : {kAlpha, kBeta}) expect_shape(c, at(i), {lda[1]});
  for (int i : {kLengths, kEnd}) expect_shape(c, at(i), {lda[0]});
  const Shape lags = c.in_shapes[at(kLags)];
  if (!lags.rank_known()) return;
  expect_shape(c, at(kLags), {lda[0], lags[1]});
  expect_shape(c, at(kMarks), {lda[0], lags[1]});
}

void infer_hawkes(InferContext& c) {
  infer_inputs(c, 0);
  const Shape& lda = c.in_shapes[kLda];
  if (!lda.rank_known()) return;
  set_shape(c, 0, {lda[0]});
  set_shape(c, 1, lda);
}

// The state of one process, with its slopes by beta and by the first state.
struct Process {
  double state, by_beta = 0, by_first = 1, last = 0;
};
// Slopes of a quantity.
struct Slopes {
  double lda = 0, alpha = 0, beta = 0, state = 0;
  void add(double factor, const Slopes& o) {
    lda += factor * o.lda;
    alpha += factor * o.alpha;
    beta += factor * o.beta;
    state += factor * o.state;
  }
};

// From the process's last point to `time`: what the compensator grows by, and the decay.
struct Step {
  double decay, by_beta, compensator;
  Slopes slopes;
  Step(const Process& p, double lda, double alpha, double beta, double time) {
    const double d = time - p.last;
    decay = std::exp(-beta * d);
    by_beta = -d * decay;
    compensator = lda * d + alpha * p.state * (1 - decay);
    slopes = {d, p.state * (1 - decay), alpha * (p.by_beta * (1 - decay) - p.state * by_beta),
              alpha * p.by_first * (1 - decay)};
  }
};

// One sample: calls each(mark, slopes of the log likelihood) and last(mark, state at the end, its
// slopes by beta and by the first state); returns the log likelihood.
template <class T, class Each, class Last>
double sample(const TensorView* in, int64_t n, Each each, Last last) {
  const int64_t marks = in[kLda].shape[1], points = in[kLags].shape[1];
  const T *lda = in[kLda].as<T>() + n * marks, *first = in[kState].as<T>() + n * marks;
  const T *alpha = in[kAlpha].as<T>(), *beta = in[kBeta].as<T>();
  const IndexReader mark(in[kMarks]);
  std::vector<Process> processes;
  for (int64_t k = 0; k < marks; ++k) processes.push_back({static_cast<double>(first[k])});
  const auto step = [&](int64_t k, double time) {
    return Step(processes[static_cast<size_t>(k)], static_cast<double>(lda[k]),
                static_cast<double>(alpha[k]), static_cast<double>(beta[k]), time);
  };
  const int64_t length = IndexReader(in[kLengths])[n];
  require(length >= 0 && length <= points, "hawkesll: given valid_length ", length,
          ", expected 0 to ", points);
  double total = 0, time = 0;
  for (int64_t i = 0; i < length; ++i) {
    const int64_t k = mark[n * points + i];
    require(k >= 0 && k < marks, "hawkesll: given mark ", k, ", expected 0 to ", marks - 1);
    time += static_cast<double>(in[kLags].as<T>()[n * points + i]);
    const Step s = step(k, time);
    Process& p = processes[static_cast<size_t>(k)];
    const auto a = static_cast<double>(alpha[k]), b = static_cast<double>(beta[k]);
    const double rate = static_cast<double>(lda[k]) + a * b * p.state * s.decay;
    total += std::log(rate) - s.compensator;
    Slopes slopes;
    slopes.add(1 / rate, {1, b * p.state * s.decay,
                          a * (p.state * s.decay + b * (p.by_beta * s.decay + p.state * s.by_beta)),
                          a * b * s.decay * p.by_first});
    slopes.add(-1, s.slopes);
    each(k, slopes);
    p = {1 + p.state * s.decay, p.by_beta * s.decay + p.state * s.by_beta, p.by_first * s.decay,
         time};
  }
  const double end = static_cast<double>(in[kEnd].as<T>()[n]);
  for (int64_t k = 0; k < marks; ++k) {
    const Step s = step(k, end);
    const Process& p = processes[static_cast<size_t>(k)];
    total -= s.compensator;
    Slopes slopes;
    slopes.add(-1, s.slopes);
    each(k, slopes);
    last(k, p.state * s.decay, p.by_beta * s.decay + p.state * s.by_beta, p.by_first * s.decay);
  }
  return total;
}

void run_hawkes(KernelContext& c) {
  const int64_t marks = c.in[kLda].shape[1];
  for_float(c.in[kLda].dtype, "hawkesll", [&](auto zero) {
    using T = decltype(zero);
    c.resources.parallel(c.in[kLda].shape[0], 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        const auto put = [&](int64_t k, double state, double, double) {
          c.out[1].as<T>()[n * marks + k] = static_cast<T>(state);
        };
        c.out[0].as<T>()[n] =
            static_cast<T>(sample<T>(c.in, n, [](int64_t, const Slopes&) {}, put));
      }
    });
  });
}

void grad_hawkes(GradBuilder& b) {
  std::vector<Entry> inputs = {b.out_grad(0), b.out_grad(1)};
  for (int i = 0; i < b.num_inputs(); ++i) inputs.push_back(b.input(i));
  const Entry first = b.op("hawkesll_grad", inputs);
  for (int i : {kLda, kAlpha, kBeta, kState}) {
    if (b.wanted(i)) b.set(i, {first.node, i});
  }
}

void infer_hawkes_grad(InferContext& c) {
  infer_inputs(c, 2);
  for (size_t i = 0; i < 4; ++i) set_shape(c, i, c.in_shapes[i + 2]);
}

void run_hawkes_grad(KernelContext& c) {
  const TensorView* const in = c.in + 2;
  const int64_t samples = in[kLda].shape[0], marks = in[kLda].shape[1];
  for_float(in[kLda].dtype, "hawkesll", [&](auto zero) {
    using T = decltype(zero);
    std::vector<double> sums(static_cast<size_t>(2 * marks));  // by alpha, by beta
    for (int64_t n = 0; n < samples; ++n) {
      T* const lda = c.out[kLda].as<T>() + n * marks;
      T* const state = c.out[kState].as<T>() + n * marks;
      std::vector<Slopes> total(static_cast<size_t>(marks));
      const auto flow = static_cast<double>(c.in[0].as<T>()[n]);
      sample<T>(
          in, n, [&](int64_t k, const Slopes& s) { total[static_cast<size_t>(k)].add(flow, s); },
          [&](int64_t k, double, double by_beta, double by_first) {
            const auto state_flow = static_cast<double>(c.in[1].as<T>()[n * marks + k]);
            total[static_cast<size_t>(k)].add(state_flow, {0, 0, by_beta, by_first});
          });
      for (int64_t k = 0; k < marks; ++k) {
        const Slopes& s = total[static_cast<size_t>(k)];
        lda[k] = static_cast<T>(s.lda);
        state[k] = static_cast<T>(s.state);
        sums[static_cast<size_t>(k)] += s.alpha;
        sums[static_cast<size_t>(marks + k)] += s.beta;
      }
    }
    for (int64_t k = 0; k < marks; ++k) {
      c.out[kAlpha].as<T>()[k] = static_cast<T>(sums[static_cast<size_t>(k)]);
      c.out[kBeta].as<T>()[k] = static_cast<T>(sums[static_cast<size_t>(marks + k)]);
    }
  });
}

}  // namespace

void register_hawkes() {
  OpDef def;
  def.name = "hawkesll";
  def.family = Family::loss;
  def.doc =
      "Log likelihood of independent Hawkes processes (Hawkes 1971) with rates lda + alpha beta "
      "sum(exp(-beta (t - t_i))), of every sample (n,), and their states at max_time (n, k). "
      "MXNet's contrib.hawkesll.";
  def.inputs = {{"lda", "background rates (n, k)"},
                {"alpha", "branching ratios (k,)"},
                {"beta", "decay rates (k,)"},
                {"state", "states at time 0 (n, k)"},
                {"lags", "times since the point before (n, t)", false},
                {"marks", "process of every point (n, t)", false},
                {"valid_length", "number of points (n,)", false},
                {"max_time", "end of the observation (n,)", false}};
  def.num_outputs = 2;
  def.infer = infer_hawkes;
  def.cpu = run_hawkes;
  def.gradient = grad_hawkes;
  OpDef grad = def;
  add_op(std::move(def));

  grad.name = "hawkesll_grad";
  grad.doc = "The gradients of hawkesll by lda, alpha, beta and state.";
  grad.inputs.insert(grad.inputs.begin(), {{"grad", "gradient of the log likelihood"},
                                           {"grad_state", "gradient of the states"}});
  grad.num_outputs = 4;
  grad.infer = infer_hawkes_grad;
  grad.cpu = run_hawkes_grad;
  grad.gradient = differentiable_once;
  add_op(std::move(grad));
}

}  // namespace hybrid
