// Programs used again: other lines and names, or other sizes, but the same structure.
#include "program/rebuild.h"

#include <utility>

#include "core/error.h"
#include "program/row_program.h"

namespace hybrid {
namespace {

// The node of `written` that tells where a node of an optimised graph comes from, or null.
const Node* origin_in(const Graph& written, const Node& node) {
  if (written.contains(node.id)) return &written.node(node.id);
  for (auto member = node.members.rbegin(); member != node.members.rend(); ++member) {
    if (const Node* found = origin_in(written, *member)) return found;
  }
  for (const NodeId id : node.origins) {
    if (written.contains(id)) return &written.node(id);
  }
  return nullptr;
}

void relabel(const Graph& written, Node* node) {
  for (Node& member : node->members) relabel(written, &member);
  const Node* from = origin_in(written, *node);
  if (from == nullptr) return;
  node->site = from->site;
  node->scope = from->scope;
  node->segment = from->segment;
  node->forward = from->forward;
  node->name = from->name;
  if (from->id != node->id) return;
  node->text = from->text;
  if (node->attrs == from->attrs)
    node->attrs = from->attrs;  // equal bodies have lines of their own
}

Graph relabelled_graph(const Graph& graph, const Graph& written) {
  Graph result = graph;
  for (Node& node : result.nodes) relabel(written, &node);
  result.output_names = written.output_names;
  return result;
}

// `known` is the graph so far with the members of fused nodes beside the nodes themselves.
void infer_again(const Graph& written, const Graph& known, Node* node) {
  if (node->kind != NodeKind::op) return;
  node->shapes.assign(node->shapes.size(), Shape::unknown());
  infer_node(known, node);
  if (!written.contains(node->id)) return;
  const Node& recorded = written.node(node->id);
  require(recorded.shapes == node->shapes && recorded.dtypes == node->dtypes, node->op->name, ": '",
          recorded.name, "' has other shapes than the optimised graph gives it");
}

}  // namespace

ProgramRef relabelled(const Program& program, const Graph& written) {
  return program.with_labels([&](const Graph& graph) {
    Graph result = relabelled_graph(graph, written);
    if (graph.inputs.size() != written.inputs.size() || graph.inputs != written.inputs) {
      result.output_names = graph.output_names;  // a part's
    }
    return result;
  });
}

Graph resized(const Graph& optimised, const Graph& written) {
  require(optimised.inputs == written.inputs, "resized: the graphs have other inputs");
  Graph result = relabelled_graph(optimised, written);
  Graph known;
  for (Node& node : result.nodes) {
    if (node.kind == NodeKind::input) {
      node.shapes = written.node(node.id).shapes;
    } else if (node.kind == NodeKind::fused) {
      for (Node& member : node.members) {
        infer_again(written, known, &member);
        known.add(member);
      }
      for (size_t i = 0; i < node.member_outputs.size(); ++i) {
        node.shapes[i] = known.shape(node.member_outputs[i]);
      }
      if (node.kernel == KernelKind::rows)
        find_rows(known, node);  // throws: other sizes, other rows
    } else {
      infer_again(written, known, &node);
    }
    known.add(node);
  }
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    require(i < written.outputs.size() &&
                result.shape(result.outputs[i]) == written.shape(written.outputs[i]) &&
                result.dtype(result.outputs[i]) == written.dtype(written.outputs[i]),
            "resized: output ", i, " has another shape than was recorded");
  }
  return result;
}

ProgramRef planned(Graph optimised, const PlanOptions& options) {
  return Program::make(std::move(optimised), options);
}

}  // namespace hybrid
