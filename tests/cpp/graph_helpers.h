// Building graphs by hand and comparing results bit for bit, for the tests of graph and passes.
#pragma once
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "engine/trace.h"
#include "graph/constant.h"
#include "graph/text.h"
#include "kernels/host_copy.h"
#include "passes/pass.h"
#include "program/program.h"

namespace hybrid {
namespace testing {

// A file under tests/data.
inline std::string read_data(const std::string& name) {
  std::ifstream in(HYBRID_TEST_DATA "/" + name, std::ios::binary);
  if (!in) throw Error("test data missing: " + name);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

template <class T>
NDArray make_array(const Shape& shape, DType dtype, const std::vector<T>& values) {
  NDArray a = NDArray::empty(shape, dtype, Context());
  if (!values.empty()) copy_from_host(a, values.data(), values.size() * sizeof(T));
  return a;
}

inline std::vector<float> floats(const NDArray& a) {
  const std::string bytes = constant_bytes(a);
  std::vector<float> v(bytes.size() / sizeof(float));
  if (!v.empty()) std::memcpy(v.data(), bytes.data(), bytes.size());
  return v;
}

// A graph under construction; every operator is inferred as it is added.
struct GraphMaker {
  using Attributes = std::vector<std::pair<const char*, const char*>>;
  Graph graph;
  int line = 0;  // of the nodes added next; 0: unknown
  bool infer_now = true;

  Node blank(NodeKind kind, const std::string& name) const {
    Node n;
    n.kind = kind;
    n.name = name;
    if (line > 0) n.site = trace::intern_site({"cell", line, 0, ""});
    return n;
  }
  Entry input(const std::string& name, const Shape& shape, DType dtype = DType::float32) {
    Node n = blank(NodeKind::input, name);
    n.shapes = {shape};
    n.dtypes = {dtype};
    const NodeId id = graph.add(std::move(n)).id;
    graph.inputs.push_back(id);
    return {id, 0};
  }
  Entry constant(const NDArray& value, const std::string& text = "") {
    Node n = blank(NodeKind::constant, "");
    n.text = text;
    n.value = value;
    n.shapes = {value.shape};
    n.dtypes = {value.dtype};
    return {graph.add(std::move(n)).id, 0};
  }
  Entry integer(int64_t v) {
    return constant(make_array<int64_t>({}, DType::int64, {v}), std::to_string(v));
  }
  Entry real(float v, const Shape& shape = {}) {
    return constant(make_array<float>(shape, DType::float32, {v}));
  }
  Entry op(const char* op, const std::vector<Entry>& inputs, const std::string& name = "",
           const Attributes& attributes = {}) {
    Node n = blank(NodeKind::op, name);
    n.op = get_op(op);
    n.attrs = Attrs(n.op);
    for (const auto& [key, value] : attributes) n.attrs.set_text(key, value);
    n.inputs = inputs;
    if (n.op->random) n.key_slot = graph.num_keys++;
    n.shapes.assign(static_cast<size_t>(n.op->count_outputs(n.attrs)), Shape::unknown());
    n.dtypes.assign(n.shapes.size(), DType::unknown);
    if (infer_now) infer_node(graph, &n);
    return {graph.add(std::move(n)).id, 0};
  }
  void effect(const std::string& text, const std::vector<Entry>& inputs) {
    Node n = blank(NodeKind::effect, text);
    n.text = text;
    n.inputs = inputs;
    graph.add(std::move(n));
  }
  void output(Entry e, const std::string& name) {
    graph.outputs.push_back(e);
    graph.output_names.push_back(name);
  }
};

// A pass with its changes.
struct Applied {
  Graph graph;
  std::vector<Change> changes;
  // "2 folded into 5: ..." line by line.
  std::string text() const {
    std::string all;
    for (const Change& c : changes) {
      all += std::to_string(c.node) + " " + action_name(c.action) + " into " +
             std::to_string(c.into) + ": " + c.why + "\n";
    }
    return all;
  }
};
inline Applied run_pass(const std::string& pass, const Graph& graph,
                        const PassOptions& options = {}) {
  PassContext context{options, {}};
  Applied result;
  result.graph = find_pass(pass).run(graph, context);
  result.graph.check();
  result.changes = std::move(context.changes);
  return result;
}

inline std::vector<std::string> run_bytes(const Graph& graph, const std::vector<NDArray>& inputs,
                                          bool training = false) {
  std::vector<uint64_t> keys;
  for (int32_t i = 0; i < graph.num_keys; ++i) keys.push_back(1000 + static_cast<uint64_t>(i));
  std::vector<std::string> result;
  for (const NDArray& a : run_graph(graph, inputs, keys, training)) {
    result.push_back(a.shape.str() + dtype_name(a.dtype) + constant_bytes(a));
  }
  return result;
}

// Ids are unique over fused members too; new nodes name where they come from, and what they name
// exists in an earlier stage.
inline void check_origins(const std::vector<const Graph*>& earlier, const Graph& after) {
  for (const Node& n : after.nodes) {
    bool known = false;
    for (const Graph* g : earlier) known |= g->contains(n.id);
    if (!known) require(!n.origins.empty(), "node ", n.id, " is new and names no origin");
    for (NodeId origin : n.origins) {
      bool found = after.contains(origin);
      for (const Graph* g : earlier) found |= g->contains(origin);
      require(found, "node ", n.id, " names the unknown origin ", origin);
    }
  }
}

}  // namespace testing
}  // namespace hybrid
