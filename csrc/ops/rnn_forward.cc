// Recurrent layers, forward.
#include <algorithm>
#include <cstring>

#include "kernels/kernels.h"
#include "ops/rnn_cells.h"
#include "ops/rnn_rows.h"
#include "ops/run_elem.h"

namespace hybrid {

namespace {

// One direction of one layer.
class Direction {
 public:
  Direction(const RnnShape& s, const RnnArrays& a, int64_t layer, int64_t direction,
            const RnnProgram& cell, RnnScratch* scratch, Resources& resources)
      : s_(s),
        a_(a),
        p_(s, a, layer, direction),
        in_(s.input_of(layer)),
        gh_(s.gates() * s.hidden),
        cell_(cell),
        resources_(resources) {
    scratch->restart();
    products_ = p_.has_gates() ? p_.gates(0) : scratch->take(s.rows() * gh_);
    steps_ = scratch->take(s.batch * gh_);
    bias_ = add_biases(scratch->take(4 * s.hidden));
  }

  static RnnScratch scratch(const RnnShape& s, DType dtype, Resources& resources) {
    return RnnScratch(dtype, s.gates() * s.hidden * (s.rows() + s.batch) + 4 * s.hidden, 3,
                      resources);
  }

  // x: (steps, batch, in).
  void run(const char* x) {
    gemm(a_.dtype, false, true, s_.rows(), gh_, in_, x, in_, p_.x(), in_, products_, gh_, false,
         resources_);
    for (int64_t k = 0; k < s_.steps; ++k) {
      if (resources_.cancelled()) return;
      step(k);
    }
  }

  void last(const RnnResults& r) const {
    const int64_t index = p_.index();
    const int64_t t = p_.time(s_.steps - 1);
    const bool any = s_.steps > 0;
    copy_rows(any ? p_.h(t) : p_.h_before(0), any ? p_.h_stride() : s_.state(), s_.state(),
              at(r.state, index * s_.batch * s_.state()));
    if (r.cell == nullptr) return;
    copy_rows(any ? p_.cells(t) : p_.c_before(0), s_.hidden, s_.hidden,
              at(r.cell, index * s_.batch * s_.hidden));
  }

 private:
  char* at(const void* base, int64_t elements) const { return p_.at(base, elements); }
  // Both biases of a gate together; GRU keeps those of the new gate apart.
  char* add_biases(char* bias) const {
    const bool gru = s_.mode == RnnMode::gru;
    const int64_t together = gru ? 2 * s_.hidden : gh_;
    const auto line = [&](const char* data) {
      return rnn_window(a_.dtype, data, 1, together, together);
    };
    rnn_combine(ElemCode::add, line(p_.x_bias()), line(p_.h_bias()), line(bias), resources_);
    if (gru) {
      const size_t bytes = static_cast<size_t>(s_.hidden) * dtype_size(a_.dtype);
      std::memcpy(at(bias, together), at(p_.x_bias(), together), bytes);
      std::memcpy(at(bias, together + s_.hidden), at(p_.h_bias(), together), bytes);
    }
    return bias;
  }

  TensorView window(const char* data, int64_t stride) const {
    return rnn_window(a_.dtype, data, s_.batch, s_.hidden, stride);
  }

  void step(int64_t k) {
    const int64_t t = p_.time(k);
    gemm(a_.dtype, false, true, s_.batch, gh_, s_.state(), p_.h_before(k), p_.h_before_stride(k),
         p_.w_h(), s_.state(), steps_, gh_, false, resources_);
    char* const products = at(products_, t * s_.batch * gh_);
    in_views_.clear();
    out_views_.clear();
    for (const char* part : {products, steps_}) {
      for (int64_t g = 0; g < s_.gates(); ++g) {
        in_views_.push_back(window(at(part, g * s_.hidden), gh_));
      }
    }
    const int64_t biases = s_.mode == RnnMode::gru ? 4 : s_.gates();
    for (int64_t g = 0; g < biases; ++g) in_views_.push_back(window(at(bias_, g * s_.hidden), 0));
    if (s_.mode == RnnMode::lstm) in_views_.push_back(window(p_.c_before(k), s_.hidden));
    if (s_.mode == RnnMode::gru) in_views_.push_back(window(p_.h_before(k), p_.h_before_stride(k)));
    if (p_.has_gates()) {
      for (int64_t g = 0; g < s_.gates(); ++g) {
        out_views_.push_back(window(at(products, g * s_.hidden), gh_));
      }
    }
    if (s_.mode == RnnMode::gru) out_views_.push_back(window(p_.part(t), s_.hidden));
    if (s_.mode == RnnMode::lstm) out_views_.push_back(window(p_.cells(t), s_.hidden));
    const bool projects = s_.projection > 0;
    out_views_.push_back(projects ? window(p_.unprojected(t), s_.hidden)
                                  : window(p_.h(t), p_.h_stride()));
    cell_.run(in_views_, out_views_, resources_);
    if (projects) {
      gemm(a_.dtype, false, true, s_.batch, s_.projection, s_.hidden, p_.unprojected(t), s_.hidden,
           p_.w_projection(), s_.hidden, p_.h(t), p_.h_stride(), false, resources_);
    }
    if (s_.lengths) end_sequences(k);
  }

  // Beyond its length a sequence keeps its state and gives zeros.
  void end_sequences(int64_t k) const {
    const int64_t t = p_.time(k);
    const size_t item = dtype_size(a_.dtype), state = static_cast<size_t>(s_.state()) * item;
    for (int64_t n = 0; n < s_.batch; ++n) {
      char* const h = at(p_.h(t), n * p_.h_stride());
      char* const out = at(p_.out(t), n * s_.width());
      if (t < a_.lengths[n]) {
        std::memcpy(out, h, state);
        continue;
      }
      std::memset(out, 0, state);
      std::memcpy(h, at(p_.h_before(k), n * p_.h_before_stride(k)), state);
      if (s_.mode != RnnMode::lstm) continue;
      std::memcpy(at(p_.cells(t), n * s_.hidden), at(p_.c_before(k), n * s_.hidden),
                  static_cast<size_t>(s_.hidden) * item);
    }
  }

  void copy_rows(const char* from, int64_t stride, int64_t columns, char* to) const {
    for (int64_t n = 0; n < s_.batch; ++n) {
      std::memcpy(at(to, n * columns), at(from, n * stride),
                  static_cast<size_t>(columns) * dtype_size(a_.dtype));
    }
  }

  const RnnShape& s_;
  const RnnArrays& a_;
  const RnnRows p_;
  const int64_t in_, gh_;
  const RnnProgram& cell_;
  Resources& resources_;
  char* products_ = nullptr;
  char* steps_ = nullptr;
  char* bias_ = nullptr;
  std::vector<TensorView> in_views_, out_views_;
};

// What the next layer reads: the output of the one before, some of it dropped.
const char* drop(const RnnShape& s, const RnnArrays& a, int64_t layer, const char* x,
                 Resources& resources) {
  const RnnLayerKept kept = rnn_layer_kept(s, layer);
  if (kept.mask < 0) return x;
  const int64_t item = static_cast<int64_t>(dtype_size(a.dtype));
  char* const reserve = static_cast<char*>(a.reserve);
  const int64_t count = s.rows() * s.width();
  char* const to = reserve + kept.input * item;
  const auto line = [&](const char* data) { return rnn_window(a.dtype, data, 1, count, count); };
  rnn_combine(ElemCode::mul, line(x), line(reserve + kept.mask * item), line(to), resources);
  return to;
}

void draw_masks(const RnnShape& s, const RnnArrays& a, uint64_t key, Resources& resources) {
  if (s.p <= 0 || s.layers < 2 || s.rows() * s.width() == 0) return;
  char* const first = static_cast<char*>(a.reserve) +
                      rnn_layer_kept(s, 1).mask * static_cast<int64_t>(dtype_size(a.dtype));
  const int64_t count = (s.layers - 1) * s.rows() * s.width();
  if (key != 0 && s.p < 1) return dropout_mask(a.dtype, key, s.p, count, first, resources);
  run_fill(key == 0 ? 1 : 0, rnn_window(a.dtype, first, 1, count, count), resources);
}

}  // namespace

void rnn_forward(const RnnShape& s, const RnnArrays& a, const RnnResults& last, uint64_t key,
                 Resources& resources) {
  const RnnProgram cell = rnn_forward_program(s, a.dtype);
  RnnScratch scratch = Direction::scratch(s, a.dtype, resources);
  draw_masks(s, a, key, resources);
  const char* x = static_cast<const char*>(a.data);
  for (int64_t layer = 0; layer < s.layers; ++layer) {
    if (layer > 0) x = drop(s, a, layer, x, resources);
    for (int64_t d = 0; d < s.directions; ++d) {
      Direction one(s, a, layer, d, cell, &scratch, resources);
      one.run(x);
      one.last(last);
    }
    x = RnnRows(s, a, layer, 0).layer_output();
  }
}

}  // namespace hybrid
