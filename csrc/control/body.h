// Body: a graph that an operator runs, as a branch or as the body of a loop.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "core/fork.h"
#include "program/program.h"

namespace hybrid {

// Compiled once for each list of input types, with the exact passes; equal bodies share programs.
class Body : public Subgraph {
 public:
  // Throws Error when the graph draws random numbers (one key would serve every step) or prints.
  static std::shared_ptr<const Body> make(Graph graph);
  const Graph& graph() const override { return graph_; }
  uint64_t hash() const override { return hash_; }
  std::string summary() const override;

  ProgramRef program(const std::vector<Shape>& shapes, const std::vector<DType>& dtypes) const;
  // Of one run on inputs of these shapes; 0 where no program was made for them.
  double cost_ns(const std::vector<Shape>& shapes) const;

 private:
  Graph graph_;
  uint64_t hash_ = 0;   // of the structure
  uint64_t lines_ = 0;  // of the lines its operators came from: errors name them
  struct Made {
    std::vector<Shape> shapes;
    std::vector<DType> dtypes;
    ProgramRef program;
  };
  mutable ObjectMutex mutex_;
  mutable std::vector<Made> made_;
};

}  // namespace hybrid
