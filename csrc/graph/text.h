// Readable, Python-like program text of a graph: what the viewer, print() and messages show.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace hybrid {

struct TextOptions {
  bool inline_scalars = true;  // 0-d expressions used once stand inside the line that uses them
  bool lines = true;           // comments "# line 3"
  bool types = false;          // comments "float32 (10,)", and a first line with the inputs
  int column = 21;             // comments start here or further right
};

// One line a node, in order:
//   c = b * a            # line 3
// A fused node is a group under "# one kernel:", an effect its statement, such as print(10): an
// effect's text is a function ("print") or a template with {0}, {1}, ... for its inputs.
// Names may hold any bytes: control characters become '?', the rest is the viewer's to escape.
// `nodes`: gets the node of each line, of a fused node's line the member; -1: of none.
std::string program_text(const Graph& graph, const TextOptions& options = {},
                         std::vector<NodeId>* nodes = nullptr);

// "dense0_fwd": blocks call what they compute "fwd" all alike.
std::string name_in_block(const Node& node);

// Names of values as program_text writes them, by node position, by output.
std::vector<std::vector<std::string>> value_names(const Graph& graph);

// Expressions of single nodes, for messages; names are made once, at the first use.
class Expressions {
 public:
  explicit Expressions(const Graph& graph);  // keeps a reference
  ~Expressions();
  std::string name(Entry e);                          // "c"; without one of its own "b * a"
  std::string label(const Node& node);                // its values' names, or an effect's text
  std::string shallow(const Node& node);              // "b * a", "dot(x - 2, w)"
  std::string deep(const Node& node, int depth = 6);  // "(1 + 2) + (3 + 4)"

 private:
  struct Impl;
  const Graph& graph_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hybrid
