// Recurrent layers, backward: every step's gates first, then the weights in products of all steps.
#include <cstring>

#include "kernels/kernels.h"
#include "ops/rnn_cells.h"
#include "ops/rnn_rows.h"

namespace hybrid {

namespace {

// One direction of one layer.
class Backward {
 public:
  Backward(const RnnShape& s, const RnnArrays& a, const RnnGradients& g, int64_t layer,
           int64_t direction, const RnnProgram& cell, RnnScratch* scratch, Resources& resources)
      : s_(s),
        a_(a),
        g_(g),
        p_(s, a, layer, direction),
        in_(s.input_of(layer)),
        gh_(s.gates() * s.hidden),
        direction_(direction),
        cell_(cell),
        resources_(resources) {
    scratch->restart();
    by_x_ = scratch->take(s.rows() * gh_);
    by_h_ = s.mode == RnnMode::gru ? scratch->take(s.rows() * gh_) : by_x_;
    by_c_ = scratch->take(s.batch * s.hidden);
    by_hidden_ = scratch->take(s.batch * s.hidden);
    kept_c_ = scratch->take(s.batch * s.hidden);
    state_ = scratch->take(s.batch * s.state());
    kept_state_ = scratch->take(s.batch * s.state());
    by_out_ = scratch->take(s.projection > 0 ? s.rows() * s.state() : 0);
  }

  static RnnScratch scratch(const RnnShape& s, DType dtype, Resources& resources) {
    const int64_t by_step = (s.mode == RnnMode::gru ? 2 : 1) * s.gates() * s.hidden + s.state();
    const int64_t elements = s.rows() * by_step + s.batch * (3 * s.hidden + 2 * s.state());
    return RnnScratch(dtype, elements, 8, resources);
  }

  // grad: (steps, batch, width) of this layer's output; x and by_input: (steps, batch, in).
  void run(const char* grad, const char* x, char* by_input) {
    start();
    for (int64_t k = s_.steps - 1; k >= 0; --k) {
      if (resources_.cancelled()) return;
      step(k, grad);
    }
    finish();
    weights(x);
    gemm(a_.dtype, false, false, s_.rows(), in_, gh_, by_x_, gh_, p_.x(), in_, by_input, in_,
         direction_ > 0, resources_);
  }

 private:
  char* at(const void* base, int64_t elements) const { return p_.at(base, elements); }
  size_t bytes(int64_t elements) const {
    return static_cast<size_t>(elements) * dtype_size(a_.dtype);
  }
  TensorView window(const char* data, int64_t stride) const {
    return rnn_window(a_.dtype, data, s_.batch, s_.hidden, stride);
  }

  void start() {
    const int64_t states = s_.batch * s_.state(), cells = s_.batch * s_.hidden;
    std::memcpy(state_, at(g_.last_state, p_.index() * states), bytes(states));
    if (g_.last_cell != nullptr) {
      std::memcpy(by_c_, at(g_.last_cell, p_.index() * cells), bytes(cells));
    }
  }

  void finish() const {
    const int64_t states = s_.batch * s_.state(), cells = s_.batch * s_.hidden;
    std::memcpy(at(g_.state, p_.index() * states), state_, bytes(states));
    if (g_.cell != nullptr) std::memcpy(at(g_.cell, p_.index() * cells), by_c_, bytes(cells));
  }

  void step(int64_t k, const char* grad) {
    const int64_t t = p_.time(k);
    const char* const by_out = at(grad, t * s_.batch * s_.width() + direction_ * s_.state());
    if (s_.lengths) {
      std::memcpy(kept_state_, state_, bytes(s_.batch * s_.state()));
      std::memcpy(kept_c_, by_c_, bytes(s_.batch * s_.hidden));
    }
    in_views_.clear();
    out_views_.clear();
    if (s_.projection > 0) {
      add_projected(t, by_out);
      in_views_.push_back(window(by_hidden_, s_.hidden));
    } else {
      in_views_.push_back(window(by_out, s_.width()));
      in_views_.push_back(window(state_, s_.hidden));
    }
    char* const gates = at(by_x_, t * s_.batch * gh_);
    char* const h_gates = at(by_h_, t * s_.batch * gh_);
    for (int64_t g = 0; g < s_.gates() && p_.has_gates(); ++g) {
      in_views_.push_back(window(at(p_.gates(t), g * s_.hidden), gh_));
    }
    for (int64_t g = 0; g < s_.gates(); ++g) {
      out_views_.push_back(window(at(gates, g * s_.hidden), gh_));
    }
    const bool gru = s_.mode == RnnMode::gru;
    if (s_.mode == RnnMode::lstm) {
      in_views_.push_back(window(p_.cells(t), s_.hidden));
      in_views_.push_back(window(p_.c_before(k), s_.hidden));
      in_views_.push_back(window(by_c_, s_.hidden));
      out_views_.push_back(window(by_c_, s_.hidden));
    } else if (gru) {
      in_views_.push_back(window(p_.part(t), s_.hidden));
      in_views_.push_back(window(p_.h_before(k), p_.h_before_stride(k)));
      out_views_.push_back(window(at(h_gates, 2 * s_.hidden), gh_));
      out_views_.push_back(window(state_, s_.hidden));
    } else {
      in_views_.push_back(window(p_.h(t), p_.h_stride()));
    }
    cell_.run(in_views_, out_views_, resources_);
    if (gru) copy_two_gates(gates, h_gates);
    if (s_.lengths) end_sequences(t, gates, h_gates);
    gemm(a_.dtype, false, false, s_.batch, s_.state(), gh_, h_gates, gh_, p_.w_h(), s_.state(),
         state_, s_.state(), gru, resources_);
    if (s_.lengths) keep_states(t);
  }

  // by_out and what flows from the next step, through the projection.
  void add_projected(int64_t t, const char* by_out) {
    char* const sum = at(by_out_, t * s_.batch * s_.state());
    const auto rows = [&](const char* data, int64_t stride) {
      return rnn_window(a_.dtype, data, s_.batch, s_.state(), stride);
    };
    rnn_combine(ElemCode::add, rows(by_out, s_.width()), rows(state_, s_.state()),
                rows(sum, s_.state()), resources_);
    if (s_.lengths) clear_ended(t, sum, s_.state());
    gemm(a_.dtype, false, false, s_.batch, s_.hidden, s_.projection, sum, s_.projection,
         p_.w_projection(), s_.hidden, by_hidden_, s_.hidden, false, resources_);
  }

  void copy_two_gates(const char* from, char* to) const {
    for (int64_t n = 0; n < s_.batch; ++n) {
      std::memcpy(at(to, n * gh_), at(from, n * gh_), bytes(2 * s_.hidden));
    }
  }

  void clear_ended(int64_t t, char* rows, int64_t columns) const {
    for (int64_t n = 0; n < s_.batch; ++n) {
      if (t >= a_.lengths[n]) std::memset(at(rows, n * columns), 0, bytes(columns));
    }
  }

  void end_sequences(int64_t t, char* gates, char* h_gates) const {
    clear_ended(t, gates, gh_);
    if (h_gates != gates) clear_ended(t, h_gates, gh_);
  }

  // What flows to a sequence's state beyond its end flows past the step.
  void keep_states(int64_t t) const {
    for (int64_t n = 0; n < s_.batch; ++n) {
      if (t < a_.lengths[n]) continue;
      std::memcpy(at(state_, n * s_.state()), at(kept_state_, n * s_.state()), bytes(s_.state()));
      std::memcpy(at(by_c_, n * s_.hidden), at(kept_c_, n * s_.hidden), bytes(s_.hidden));
    }
  }

  // Sums over all steps and examples.
  void weights(const char* x) const {
    const RnnWeights& w = p_.weights();
    const auto to = [&](int64_t place) { return at(g_.parameters, place); };
    gemm(a_.dtype, true, false, gh_, in_, s_.rows(), by_x_, gh_, x, in_, to(w.x), in_, false,
         resources_);
    state_weights(to(w.h));
    if (s_.projection > 0) {
      gemm(a_.dtype, true, false, s_.projection, s_.hidden, s_.rows(), by_out_, s_.projection,
           p_.unprojected(0), s_.hidden, to(w.projection), s_.hidden, false, resources_);
    }
    sum_rows(by_x_, to(w.x_bias));
    sum_rows(by_h_, to(w.h_bias));
  }

  // The first step read the given state, every other one the output of the step before.
  void state_weights(char* to) const {
    const int64_t state = s_.state(), n = s_.batch;
    const int64_t first = p_.time(0);
    const bool any = s_.steps > 0;
    gemm(a_.dtype, true, false, gh_, state, any ? n : 0, at(by_h_, any ? first * n * gh_ : 0), gh_,
         p_.h_first(), state, to, state, false, resources_);
    if (s_.steps < 2) return;
    const bool forward = direction_ == 0;
    gemm(a_.dtype, true, false, gh_, state, (s_.steps - 1) * n, at(by_h_, forward ? n * gh_ : 0),
         gh_, p_.h(forward ? 0 : 1), p_.h_stride(), to, state, true, resources_);
  }

  void sum_rows(const char* from, char* to) const {
    if (gh_ == 0) return;
    TensorView sums = rnn_window(a_.dtype, to, 1, gh_, gh_);
    sums.shape = {gh_};
    sums.strides = {1};
    reduce(Reduction::sum, rnn_window(a_.dtype, from, s_.rows(), gh_, gh_), 1u, sums, resources_);
  }

  const RnnShape& s_;
  const RnnArrays& a_;
  const RnnGradients& g_;
  const RnnRows p_;
  const int64_t in_, gh_, direction_;
  const RnnProgram& cell_;
  Resources& resources_;
  // Gradients: of the gates' x and h parts by step, and of what flows from step to step.
  char* by_x_ = nullptr;
  char* by_h_ = nullptr;
  char* by_c_ = nullptr;
  char* state_ = nullptr;
  char* by_out_ = nullptr;
  char* by_hidden_ = nullptr;
  char* kept_state_ = nullptr;
  char* kept_c_ = nullptr;
  std::vector<TensorView> in_views_, out_views_;
};

}  // namespace

void rnn_backward(const RnnShape& s, const RnnArrays& a, const RnnGradients& g,
                  Resources& resources) {
  const RnnProgram cell = rnn_backward_program(s, a.dtype, s.projection > 0 ? 1 : 2);
  RnnScratch scratch = Backward::scratch(s, a.dtype, resources);
  const int64_t item = static_cast<int64_t>(dtype_size(a.dtype));
  const int64_t between = s.rows() * s.width();
  char* const reserve = static_cast<char*>(a.reserve);
  const char* grad = static_cast<const char*>(g.output);
  for (int64_t layer = s.layers - 1; layer >= 0; --layer) {
    const RnnLayerKept kept = rnn_layer_kept(s, layer);
    const char* x = static_cast<const char*>(a.data);
    if (layer > 0) {
      x = kept.input >= 0 ? reserve + kept.input * item
                          : RnnRows(s, a, layer - 1, 0).layer_output();
    }
    char* const by_input =
        layer == 0 ? static_cast<char*>(g.data)
                   : static_cast<char*>(resources.workspace(static_cast<size_t>(between * item)));
    for (int64_t d = 0; d < s.directions; ++d) {
      Backward(s, a, g, layer, d, cell, &scratch, resources).run(grad, x, by_input);
    }
    if (kept.mask >= 0) {
      const TensorView to = rnn_window(a.dtype, by_input, 1, between, between);
      rnn_combine(ElemCode::mul, to,
                  rnn_window(a.dtype, reserve + kept.mask * item, 1, between, between), to,
                  resources);
    }
    grad = by_input;
  }
}

}  // namespace hybrid
