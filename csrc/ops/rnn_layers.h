// Recurrent layers: the inputs of all steps are one product, then there is one product a step.
#pragma once
#include "kernels/elementwise.h"

namespace hybrid {

enum class RnnMode : uint8_t { relu, tanh, lstm, gru };

// What is computed. Data is (steps, batch, input); h of a layer and direction has `state()`
// numbers.
struct RnnShape {
  RnnMode mode = RnnMode::lstm;
  int64_t steps = 0, batch = 0, input = 0, hidden = 0;
  int64_t projection = 0;  // numbers of h after LSTM's projection; 0: there is none
  int64_t layers = 1, directions = 1;
  bool lengths = false;                  // every sequence of the batch has its own
  double p = 0;                          // dropout between layers
  bool clips = false, clip_nan = false;  // LSTM's cells
  double clip_min = 0, clip_max = 0;

  int64_t gates() const { return mode == RnnMode::lstm ? 4 : mode == RnnMode::gru ? 3 : 1; }
  int64_t state() const { return projection > 0 ? projection : hidden; }
  int64_t width() const { return directions * state(); }  // of a layer's output
  int64_t input_of(int64_t layer) const { return layer == 0 ? input : width(); }
  int64_t rows() const { return steps * batch; }
};

// Where one layer and direction has its weights among the parameters, in elements: MXNet's order,
// all matrices (i2h, h2h, h2r) by layer and direction, then all biases (i2h, h2h).
struct RnnWeights {
  int64_t x = 0, h = 0, projection = 0, x_bias = 0, h_bias = 0;
};
RnnWeights rnn_weights(const RnnShape& s, int64_t layer, int64_t direction);
// Numbers of parameters, and of what a forward run leaves to the gradient. Throws Error beyond
// 2^62.
int64_t rnn_parameters(const RnnShape& s);
int64_t rnn_reserve(const RnnShape& s);

// Where a forward run leaves what the gradient reads, in elements; -1: it is not there.
struct RnnKept {
  int64_t gates = -1;        // (steps, batch, gates * hidden), activated; LSTM and GRU
  int64_t hidden = -1;       // (steps, batch, hidden): GRU's h2h part of the new gate
  int64_t cells = -1;        // (steps, batch, hidden)
  int64_t unprojected = -1;  // (steps, batch, hidden)
  int64_t states = -1;       // (steps, batch, state): h where it is not the output (lengths)
};
struct RnnLayerKept {
  int64_t output = -1;  // (steps, batch, width) of all layers but the last
  int64_t mask = -1;    // of the dropout before it, and what it left
  int64_t input = -1;
};
RnnKept rnn_kept(const RnnShape& s, int64_t layer, int64_t direction);
RnnLayerKept rnn_layer_kept(const RnnShape& s, int64_t layer);

// Contiguous arrays of one dtype; `cell`, `lengths` and their gradients may be null.
struct RnnArrays {
  DType dtype = DType::float32;
  const void* data = nullptr;
  const void* parameters = nullptr;
  const void* state = nullptr;
  const void* cell = nullptr;
  const int64_t* lengths = nullptr;  // within 0 and steps
  void* reserve = nullptr;
  void* output = nullptr;
};
struct RnnResults {
  void* state = nullptr;
  void* cell = nullptr;
};
// A key of 0 drops nothing.
void rnn_forward(const RnnShape& s, const RnnArrays& a, const RnnResults& last, uint64_t key,
                 Resources& resources);

struct RnnGradients {
  const void* output = nullptr;  // that flow in
  const void* last_state = nullptr;
  const void* last_cell = nullptr;
  void* data = nullptr;  // that are computed
  void* parameters = nullptr;
  void* state = nullptr;
  void* cell = nullptr;
};
void rnn_backward(const RnnShape& s, const RnnArrays& a, const RnnGradients& g,
                  Resources& resources);

}  // namespace hybrid
