// CachedGraph: a graph with programs cached per input signature; what hybridize() calls.
#pragma once
#include <memory>
#include <vector>

#include "exec/imperative.h"
#include "exec/program.h"

namespace hybrid {

// After the first call per (shapes, dtypes, ctx, training, recording) signature nothing is compiled.
// Under recording the call is one tape entry: forward saves what the backward program needs, and
// backward() runs that program; gradients equal the unhybridized ones bit for bit.
class CachedGraph {
 public:
  CachedGraph(Graph graph, CompileOptions options);
  std::vector<ArrayRef> call(const std::vector<ArrayRef>& inputs);
  const Graph& graph() const;
  int num_programs() const;
  // Stages of the latest signature compiled with stages kept (compiles again if they were not).
  Compiled report(bool training, bool with_gradient);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hybrid
