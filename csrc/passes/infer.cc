// Pass: shapes and dtypes of every value, forward and backward, to a fixed point.
#include "graph/infer_node.h"

#include <algorithm>
#include <unordered_set>

#include "core/error.h"
#include "ops/infer.h"
#include "passes/pass.h"

namespace hybrid {

namespace {

std::string type_text(const Shape& shape, DType dtype) {
  return std::string(dtype == DType::unknown ? "?" : dtype_name(dtype)) + " " + shape.str();
}

bool shapes_known(const Node& n) {
  for (const Shape& s : n.shapes) {
    if (!s.known()) return false;
  }
  return true;
}

bool node_known(const Node& n) {
  if (!shapes_known(n)) return false;
  for (DType d : n.dtypes) {
    if (d == DType::unknown) return false;
  }
  return true;
}

class Inference {
 public:
  Inference(Graph* graph, PassContext* context) : graph_(*graph), context_(*context) {}

  void run() {
    bind_inputs();
    sweep_until_stable();
    while (fill_open_size() || close_undecided()) sweep_until_stable();
    write_decided();
    if (!context_.options.assume_dtype) return;
    // MXNet's default for what nothing decides: the first such input is float32, then look again.
    while (Node* open = input_without_dtype()) {
      open->dtypes[0] = DType::float32;
      sweep_until_stable();
    }
  }

 private:
  void bind_inputs() {
    const PassOptions& given = context_.options;
    const size_t count = graph_.inputs.size();
    require(given.input_shapes.empty() || given.input_shapes.size() == count,
            "infer: the graph has ", count, " inputs, given ", given.input_shapes.size(),
            " shapes");
    require(given.input_dtypes.empty() || given.input_dtypes.size() == count,
            "infer: the graph has ", count, " inputs, given ", given.input_dtypes.size(),
            " dtypes");
    for (size_t i = 0; i < count; ++i) {
      Node& n = graph_.node(graph_.inputs[i]);
      if (i < given.input_shapes.size()) {
        const Shape declared = n.shapes[0];
        if (given.assume_equal && given.input_shapes[i].rank_known())
          n.shapes[0] = Shape::unknown();
        require(merge_shape(&n.shapes[0], given.input_shapes[i]), "infer: input '", n.name,
                "' was declared with shape ", declared, ", given ", given.input_shapes[i]);
      }
      if (i < given.input_dtypes.size() && given.input_dtypes[i] != DType::unknown) {
        if (given.assume_equal) n.dtypes[0] = given.input_dtypes[i];
        require(n.dtypes[0] == DType::unknown || n.dtypes[0] == given.input_dtypes[i],
                "infer: input '", n.name, "' was declared ", dtype_name(n.dtypes[0]), ", given ",
                dtype_name(given.input_dtypes[i]));
        n.dtypes[0] = given.input_dtypes[i];
      }
    }
  }

  static bool is_open(const Node& n) {
    if (n.kind != NodeKind::op || !n.inputs.empty()) return false;
    const auto says = [&](const char* attr) {
      return n.op->attr_index(attr) >= 0 && n.attrs.boolean(attr);
    };
    return says("open") || says("infer_range");
  }

  // No shape, and nothing decides although all inputs are known: (1,), as in imperative MXNet.
  // Closes one; false when there is none.
  bool close_undecided() {
    const auto known = [&](NodeId id) { return graph_.shape({id, 0}).known(); };
    if (!std::all_of(graph_.inputs.begin(), graph_.inputs.end(), known)) return false;
    for (Node& n : graph_.nodes) {
      if (is_open(n) && !n.shapes[0].rank_known()) return store(n, 0, {1}, DType::unknown, n);
    }
    return false;
  }

  // Passes that follow read the shape that was decided, and so does who looks at the graph.
  void write_decided() {
    for (Node& n : graph_.nodes) {
      if (!is_open(n) || !shapes_known(n) || n.op->attr_index("shape") < 0) continue;
      n.attrs.set("shape", n.shapes[0].to_vector());
      n.attrs.set("open", false);
    }
  }

  // zeros(0, 7) of MXNet's symbols meet the batch in an addition, which broadcasts here: their open
  // size is the other operand's. Fills one; false when there is none.
  bool fill_open_size() {
    std::unordered_set<NodeId> open;  // what such a size has reached
    for (const Node& n : graph_.nodes) {
      if (n.kind != NodeKind::op || shapes_known(n)) continue;
      bool reached = is_open(n);
      for (const Entry& e : n.inputs) reached |= open.count(e.node) > 0;
      if (reached) open.insert(n.id);
    }
    const bool all = context_.options.assume_equal;
    if (open.empty() && !all) return false;
    for (const Node& n : graph_.nodes) {
      if (n.kind != NodeKind::op || n.op->rule != infer_broadcast || n.inputs.size() != 2) continue;
      for (size_t i = 0; i < 2; ++i) {
        const Entry e = n.inputs[i];
        Shape shape = graph_.shape(e);
        const Shape& other = graph_.shape(n.inputs[1 - i]);
        const bool from_open = open.count(e.node) > 0;
        if (all && !from_open && !shape.rank_known() && says_all(other)) shape = other;
        if (from_open && !shape.rank_known() && other.known()) shape = other;
        if ((!from_open && !all) || shape.ndim() != other.ndim()) continue;
        const Shape& sum = n.shapes[0];
        for (int d = 0; d < shape.ndim(); ++d) {
          if (shape[d] >= 0) continue;
          shape[d] = other[d];
          if (from_open) continue;
          if (shape[d] < 0 && sum.ndim() == shape.ndim()) shape[d] = sum[d];
          if (shape[d] == 1) shape[d] = -1;  // 1 broadcasts: it says nothing
        }
        if (store(graph_.node(e.node), static_cast<size_t>(e.out), shape, DType::unknown, n)) {
          return true;
        }
      }
    }
    return false;
  }

  // Every size is known, and none is 1, which another one could stand beside.
  static bool says_all(const Shape& shape) {
    if (!shape.known() || shape.ndim() == 0) return false;
    return std::none_of(shape.begin(), shape.end(), [](int64_t size) { return size == 1; });
  }

  Node* input_without_dtype() {
    for (NodeId id : graph_.inputs) {
      Node& n = graph_.node(id);
      if (n.dtypes[0] == DType::unknown) return &n;
    }
    return nullptr;
  }

  // Forward, then backward, until nothing new is learnt. The first forward sweep checks every
  // node; later ones visit only what is still open.
  void sweep_until_stable() {
    for (bool first = true;; first = false) {
      bool learnt = false;
      const auto visit = [&](Node& n) {
        if (n.kind != NodeKind::op) return;
        if ((first && !checked_) || !settled(n)) learnt |= step(n);
      };
      for (Node& n : graph_.nodes) visit(n);
      checked_ = true;
      if (!learnt) return;
      bool open = false;
      for (const Node& n : graph_.nodes) open |= !node_known(n);
      if (!open && !inputs_filled_) return;
      inputs_filled_ = false;
      for (auto n = graph_.nodes.rbegin(); n != graph_.nodes.rend(); ++n) visit(*n);
    }
  }

  // Nothing left to learn here.
  bool settled(const Node& n) const {
    if (!node_known(n)) return false;
    for (const Entry& e : n.inputs) {
      if (!graph_.shape(e).known() || graph_.dtype(e) == DType::unknown) return false;
    }
    return true;
  }

  bool step(Node& n) {
    run_infer(graph_, n, &buffers_);
    bool learnt = false;
    for (size_t i = 0; i < buffers_.out_shapes.size(); ++i) {
      learnt |= store(n, i, buffers_.out_shapes[i], buffers_.out_dtypes[i], n);
    }
    for (size_t i = 0; i < n.inputs.size(); ++i) {
      Node& from = graph_.node(n.inputs[i].node);
      const bool filled = store(from, static_cast<size_t>(n.inputs[i].out), buffers_.in_shapes[i],
                                buffers_.in_dtypes[i], n);
      inputs_filled_ |= filled;
      learnt |= filled;
    }
    return learnt;
  }

  // Writes what `by` found out about one output of `n`.
  bool store(Node& n, size_t out, const Shape& shape, DType dtype, const Node& by) {
    if (n.shapes.size() <= out) {
      n.shapes.resize(out + 1, Shape::unknown());
      n.dtypes.resize(out + 1, DType::unknown);
    }
    if (n.shapes[out] == shape && n.dtypes[out] == dtype) return false;
    Shape merged = n.shapes[out];
    if (!merge_shape(&merged, shape)) conflict(n, out, type_text(shape, dtype), by);
    DType type = n.dtypes[out];
    if (type == DType::unknown) type = dtype;
    if (dtype != DType::unknown && type != dtype) conflict(n, out, type_text(shape, dtype), by);
    if (merged == n.shapes[out] && type == n.dtypes[out]) return false;
    n.shapes[out] = merged;
    n.dtypes[out] = type;
    if (context_.explain && node_known(n)) {
      std::string why = type_text(merged, type);
      why += &n == &by ? " follows from its inputs" : " is what '" + by.name + "' needs here";
      context_.begin(&n == &by ? "types of inputs -> type of the result"
                               : "what a reader needs -> type of its input");
      context_.note(Change::rewritten, n.id, n.id, std::move(why));
    }
    return true;
  }

  [[noreturn]] void conflict(const Node& n, size_t out, const std::string& found, const Node& by) {
    const std::string line = line_of(by.site);
    fail(by.op->name, ": '", n.name, "' is ", type_text(n.shapes[out], n.dtypes[out]), ", but '",
         by.name, "'", line.empty() ? "" : " (" + line + ")", " expects ", found);
  }

  Graph& graph_;
  PassContext& context_;
  InferBuffers buffers_;
  bool checked_ = false;
  bool inputs_filled_ = false;
};

}  // namespace

Graph infer(const Graph& before, PassContext& context) {
  Graph graph = before;
  Inference(&graph, &context).run();
  return graph;
}

}  // namespace hybrid
