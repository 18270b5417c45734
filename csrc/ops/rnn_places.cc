// Where recurrent layers have their weights and what they keep.
#include "core/error.h"
#include "ops/rnn_layers.h"

namespace hybrid {

namespace {

int64_t product(std::initializer_list<int64_t> factors) {
  int64_t result = 1;
  for (int64_t f : factors) {
    require(!__builtin_mul_overflow(result, f, &result) && result < (int64_t{1} << 56),
            "RNN: the given sizes take more numbers than memory has");
  }
  return result;
}

// Takes consecutive places.
class Places {
 public:
  int64_t take(int64_t count) {
    const int64_t at = next_;
    next_ += count;
    require(next_ < (int64_t{1} << 60), "RNN: the given sizes take more numbers than memory has");
    return at;
  }
  int64_t next() const { return next_; }

 private:
  int64_t next_ = 0;
};

int64_t matrices_of(const RnnShape& s, int64_t layer) {
  return product({s.gates(), s.hidden, s.input_of(layer) + s.state()}) +
         product({s.projection, s.hidden});
}

// All matrices of the layers below.
int64_t matrices_below(const RnnShape& s, int64_t layer) {
  if (layer == 0) return 0;
  return s.directions * (matrices_of(s, 0) + product({layer - 1, matrices_of(s, 1)}));
}

int64_t kept_of(const RnnShape& s, RnnKept* kept, Places* places) {
  const int64_t hidden = product({s.rows(), s.hidden});
  if (s.mode == RnnMode::lstm || s.mode == RnnMode::gru) {
    kept->gates = places->take(product({s.gates(), hidden}));
  }
  if (s.mode == RnnMode::gru) kept->hidden = places->take(hidden);
  if (s.mode == RnnMode::lstm) kept->cells = places->take(hidden);
  if (s.projection > 0) kept->unprojected = places->take(hidden);
  if (s.lengths) kept->states = places->take(product({s.rows(), s.state()}));
  return places->next();
}

int64_t kept_by_one(const RnnShape& s) {
  RnnKept kept;
  Places places;
  return kept_of(s, &kept, &places);
}

int64_t kept_between(const RnnShape& s) { return product({s.rows(), s.width()}); }

}  // namespace

RnnWeights rnn_weights(const RnnShape& s, int64_t layer, int64_t direction) {
  RnnWeights w;
  w.x = matrices_below(s, layer) + direction * matrices_of(s, layer);
  w.h = w.x + s.gates() * s.hidden * s.input_of(layer);
  w.projection = w.h + s.gates() * s.hidden * s.state();
  w.x_bias =
      matrices_below(s, s.layers) + (layer * s.directions + direction) * 2 * s.gates() * s.hidden;
  w.h_bias = w.x_bias + s.gates() * s.hidden;
  return w;
}

int64_t rnn_parameters(const RnnShape& s) {
  return matrices_below(s, s.layers) + product({s.layers, s.directions, 2, s.gates(), s.hidden});
}

// By layer and direction what each keeps; then what is between layers: outputs, masks, inputs.
int64_t rnn_reserve(const RnnShape& s) {
  const int64_t parts = s.p > 0 ? 3 : 1;
  return product({s.layers, s.directions, kept_by_one(s)}) +
         product({parts, s.layers - 1, kept_between(s)});
}

RnnKept rnn_kept(const RnnShape& s, int64_t layer, int64_t direction) {
  RnnKept kept;
  Places places;
  places.take((layer * s.directions + direction) * kept_by_one(s));
  kept_of(s, &kept, &places);
  return kept;
}

RnnLayerKept rnn_layer_kept(const RnnShape& s, int64_t layer) {
  const int64_t first = s.layers * s.directions * kept_by_one(s), one = kept_between(s);
  RnnLayerKept kept;
  if (layer + 1 < s.layers) kept.output = first + layer * one;
  if (layer > 0 && s.p > 0) {
    kept.mask = first + (s.layers - 1 + layer - 1) * one;
    kept.input = first + (2 * (s.layers - 1) + layer - 1) * one;
  }
  return kept;
}

}  // namespace hybrid
