// Bytes alive at once for an order of a graph's nodes: what the schedule pass compares.
#pragma once
#include <vector>

#include "graph/graph.h"

namespace hybrid {

// Sizes and readers of the buffers a graph makes. Views share their base's buffer; inputs and
// constants are not counted, outputs live to the end.
class Liveness {
 public:
  explicit Liveness(const Graph& graph);

  // Bytes while node i runs, and after it, as changes to what was alive before, given how many
  // readers every buffer still has; `step` then takes the node's reads off.
  struct Delta {
    int64_t during = 0, after = 0;
  };
  Delta delta(size_t i, const std::vector<int>& readers_left) const;
  void step(size_t i, std::vector<int>* readers_left) const;
  const std::vector<int>& readers() const { return readers_; }
  int64_t peak(const std::vector<size_t>& order) const;

 private:
  struct Reads {
    size_t buffer;
    bool reusable;  // an output of the same size may be written over it
  };
  std::vector<std::vector<Reads>> reads_;    // by position, each buffer once
  std::vector<std::vector<size_t>> writes_;  // by position: buffers made
  std::vector<int64_t> bytes_;               // by buffer
  std::vector<int> readers_;                 // by buffer; outputs count as one more
};

}  // namespace hybrid
