// RnnRows: where the numbers of one layer and direction lie, by step.
#pragma once
#include "ops/rnn_layers.h"

namespace hybrid {

class RnnRows {
 public:
  RnnRows(const RnnShape& s, const RnnArrays& a, int64_t layer, int64_t direction)
      : s_(s),
        a_(a),
        index_(layer * s.directions + direction),
        direction_(direction),
        item_(static_cast<int64_t>(dtype_size(a.dtype))),
        weights_(rnn_weights(s, layer, direction)),
        kept_(rnn_kept(s, layer, direction)),
        layer_(rnn_layer_kept(s, layer)) {}

  int64_t index() const { return index_; }  // of its states
  const RnnWeights& weights() const { return weights_; }
  char* at(const void* base, int64_t elements) const {
    return static_cast<char*>(const_cast<void*>(base)) + elements * item_;
  }
  // The k-th step takes row `time(k)` of the sequence: the second direction runs backward.
  int64_t time(int64_t k) const { return direction_ == 0 ? k : s_.steps - 1 - k; }

  char* x() const { return at(a_.parameters, weights_.x); }
  char* w_h() const { return at(a_.parameters, weights_.h); }
  char* w_projection() const { return at(a_.parameters, weights_.projection); }
  char* x_bias() const { return at(a_.parameters, weights_.x_bias); }
  char* h_bias() const { return at(a_.parameters, weights_.h_bias); }

  bool has_gates() const { return kept_.gates >= 0; }
  char* gates(int64_t t) const { return kept(kept_.gates, t, s_.gates() * s_.hidden); }
  char* part(int64_t t) const { return kept(kept_.hidden, t, s_.hidden); }
  char* cells(int64_t t) const { return kept(kept_.cells, t, s_.hidden); }
  char* unprojected(int64_t t) const { return kept(kept_.unprojected, t, s_.hidden); }

  char* layer_output() const {
    return layer_.output < 0 ? static_cast<char*>(a_.output) : at(a_.reserve, layer_.output);
  }
  // This direction's part of the output; its rows are width() apart.
  char* out(int64_t t) const {
    return at(layer_output(), t * s_.batch * s_.width() + direction_ * s_.state());
  }
  char* h(int64_t t) const {
    return kept_.states >= 0 ? kept(kept_.states, t, s_.state()) : out(t);
  }
  int64_t h_stride() const { return kept_.states >= 0 ? s_.state() : s_.width(); }
  char* h_first() const { return at(a_.state, index_ * s_.batch * s_.state()); }
  char* h_before(int64_t k) const { return k == 0 ? h_first() : h(time(k - 1)); }
  int64_t h_before_stride(int64_t k) const { return k == 0 ? s_.state() : h_stride(); }
  char* c_before(int64_t k) const {
    return k == 0 ? at(a_.cell, index_ * s_.batch * s_.hidden) : cells(time(k - 1));
  }

 private:
  char* kept(int64_t first, int64_t t, int64_t columns) const {
    return at(a_.reserve, first + t * s_.batch * columns);
  }

  const RnnShape& s_;
  const RnnArrays& a_;
  int64_t index_, direction_, item_;
  RnnWeights weights_;
  RnnKept kept_;
  RnnLayerKept layer_;
};

}  // namespace hybrid
