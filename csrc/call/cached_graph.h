// CachedGraph: a graph with programs cached per input signature; what hybridize() calls.
#pragma once
#include <memory>
#include <vector>

#include "array/array_ref.h"
#include "program/program.h"

namespace hybrid {

// After the first call per (shapes, dtypes, ctx, training, recording) signature nothing is
// compiled. Under recording the call is one tape entry: forward saves what the backward program
// needs, and backward() runs that program; gradients equal the unhybridized ones bit for bit. While
// tracing, the graph's nodes are traced one by one: the call is inlined in the cell.
class CachedGraph {
 public:
  // options.plan.updates: the inputs that the graph's last outputs are new contents of; calls don't
  // return these.
  CachedGraph(Graph graph, CompileOptions options);
  // New contents, and in training those of states (ops/states.h), are written into their inputs'
  // arrays; while tracing they are recorded in `new_states` instead, for the caller to write.
  struct NewState {
    int32_t input;
    ArrayRef value;
  };
  std::vector<ArrayRef> call(const std::vector<ArrayRef>& inputs,
                             std::vector<NewState>* new_states = nullptr);
  // With the keys of random nodes given, by slot, instead of drawn.
  std::vector<ArrayRef> call_with_keys(const std::vector<ArrayRef>& inputs,
                                       const std::vector<uint64_t>& keys);
  const Graph& graph() const;
  bool meets(bool training) const;  // does it wait for those of other devices?
  int num_programs() const;         // compiled so far, backward programs included
  // Stages of the latest signature compiled with stages kept (compiles again if they were not).
  // `with_gradient`: of the outputs by every float input.
  Compiled report(bool training, bool with_gradient);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hybrid
