// A program on several devices: parts that are planned programs of one device, and copies.
#pragma once
#include <memory>
#include <vector>

#include "program/parts.h"
#include "program/program.h"

namespace hybrid {

struct Program::Placed {
  struct PartProgram {
    Context ctx;
    ProgramRef program;
    std::vector<int32_t> reads, writes;  // values, by input and output of the program
    // By input: given up by the run itself, or given up when the caller gives up graph input i.
    std::vector<bool> own;
    std::vector<int32_t> donor;  // -1: not given up by a caller
  };
  struct Copy {
    NodeId node;
    uint32_t site;
    int32_t from, to;  // values
    Context ctx;
  };
  struct Step {  // one of them; then the values that nothing reads any more
    int32_t part, copy;
    std::vector<int32_t> over;
  };
  struct Result {
    int32_t value;  // -1: a constant
    bool copied;    // it is an input, a constant, or a result that was handed out already
    NDArray constant;
  };
  std::vector<PartProgram> parts;
  std::vector<Copy> copies;
  std::vector<Step> steps;
  std::vector<Result> results;   // by graph.outputs
  std::vector<int32_t> updates;  // by graph.outputs: kFresh, kGiven or an input
  std::vector<int32_t> inputs;   // by graph.inputs: value
  int32_t num_values = 0;
  PlanOptions options;  // that the parts were planned with

  std::vector<NDArray> run(const Graph& graph, const std::vector<NDArray>& inputs,
                           const std::vector<uint64_t>& keys, const std::vector<bool>& donated,
                           const std::vector<NDArray>& given) const;
};

// The plan of the whole: the parts' plans one after the other, every device's arena a band of its
// own in one address space.
Plan plan_of_parts(const Graph& graph, const Parts& parts,
                   const std::vector<Program::Placed::PartProgram>& programs,
                   const PlanOptions& options);

}  // namespace hybrid
