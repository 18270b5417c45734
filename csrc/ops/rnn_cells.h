// What a recurrent step computes element by element, as programs over (batch, hidden) windows.
#pragma once
#include <vector>

#include "ops/rnn_layers.h"

namespace hybrid {

// A window of `rows` rows, `stride` elements apart; stride 0: one row for all.
TensorView rnn_window(DType dtype, const void* data, int64_t rows, int64_t columns, int64_t stride);

// A program whose operands are windows that move from step to step.
class RnnProgram {
 public:
  void run(const std::vector<TensorView>& in, const std::vector<TensorView>& out,
           Resources& resources) const {
    if (out[0].size() > 0) run_elementwise(program_, in.data(), out.data(), resources);
  }
  ElemProgram& program() { return program_; }

 private:
  ElemProgram program_;
};

// In: x and h products (gates each), biases of both together (gates; GRU: and h2h's of the new gate
// last), then LSTM's cells or GRU's h before. Out: LSTM: four gates, cells, h; GRU: three gates,
// h2h's part of the new one, h; others: h.
RnnProgram rnn_forward_program(const RnnShape& s, DType dtype);

// In: parts of h's gradient (one or two), then by mode
// LSTM: four gates, cells, cells before, cells' gradient. Out: four gates' gradients, cells'.
// GRU: three gates, h2h's part of the new one, h before. Out: three gates' gradients, that of
// h2h's part of the new one, and what flows to h before beside the products.
// others: h. Out: the gate's gradient.
RnnProgram rnn_backward_program(const RnnShape& s, DType dtype, int gradients);

// out = code(a, b) of windows of one shape.
void rnn_combine(ElemCode code, const TensorView& a, const TensorView& b, const TensorView& out,
                 Resources& resources);

// Memory for the insides of a run, taken from the front; what is left is given again to the next.
class RnnScratch {
 public:
  RnnScratch(DType dtype, int64_t elements, int parts, Resources& resources);
  void restart() { used_ = 0; }
  char* take(int64_t elements);

 private:
  char* data_;
  size_t item_, used_ = 0;
};

}  // namespace hybrid
