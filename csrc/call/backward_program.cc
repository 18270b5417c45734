// The gradient of a cached graph as a program of its own, cut off the forward.
#include <map>

#include "call/signature.h"
#include "core/error.h"
#include "passes/remat.h"

namespace hybrid {
namespace {

// Cuts the gradient nodes off the forward: values they read become inputs, views and constants are
// made again.
struct Cut {
  const Graph& joint;
  size_t num_forward;
  Graph graph;
  std::vector<Entry> saved;  // by saved input
  std::vector<NodeId> saved_nodes;
  std::map<Entry, Entry> imported;

  Entry import(Entry e) {
    const auto found = imported.find(e);
    if (found != imported.end()) return found->second;
    const Node& n = joint.node(e.node);
    Entry result = e;
    if (n.kind == NodeKind::input || n.kind == NodeKind::constant) {
      graph.add(n);
    } else if (n.op->view && !n.inputs.empty()) {
      Node view = n;
      for (Entry& input : view.inputs) input = import(input);
      graph.add(std::move(view));
    } else {
      Node input;
      input.kind = NodeKind::input;
      input.name = "saved" + std::to_string(saved.size());
      input.shapes = {n.shapes[e.out]};
      input.dtypes = {n.dtypes[e.out]};
      input.origins = {n.id};
      input.site = n.site;
      input.ctx = n.ctx;
      result = {graph.add(std::move(input)).id, 0};
      saved.push_back(e);
      saved_nodes.push_back(result.node);
    }
    imported[e] = result;
    return result;
  }

  bool is_forward(Entry e) const {
    return static_cast<size_t>(joint.position(e.node)) < num_forward;
  }

  void run() {
    graph.next_id = joint.next_id;
    graph.num_keys = joint.num_keys;
    for (NodeId id : joint.inputs) import({id, 0});
    for (size_t p = num_forward; p < joint.nodes.size(); ++p) {
      for (const Entry& e : joint.nodes[p].inputs) {
        if (is_forward(e)) import(e);
      }
    }
    for (const Entry& e : joint.outputs) {
      if (is_forward(e)) import(e);
    }
    for (size_t p = num_forward; p < joint.nodes.size(); ++p) {
      Node n = joint.nodes[p];
      for (Entry& e : n.inputs) e = is_forward(e) ? import(e) : e;
      graph.add(std::move(n));
    }
    for (const Entry& e : joint.outputs) graph.outputs.push_back(is_forward(e) ? import(e) : e);
    graph.output_names = joint.output_names;
    graph.inputs = joint.inputs;
    graph.inputs.insert(graph.inputs.end(), saved_nodes.begin(), saved_nodes.end());
  }
};

// Which inputs the compiled graph still reads; the others are taken out of it.
std::vector<bool> drop_unused_inputs(Graph* graph) {
  std::vector<bool> read(graph->nodes.size(), false);
  for (const Node& n : graph->nodes) {
    for (const Entry& e : n.inputs) read[graph->position(e.node)] = true;
  }
  for (const Entry& e : graph->outputs) read[graph->position(e.node)] = true;
  std::vector<bool> kept_input;
  std::vector<NodeId> inputs;
  for (NodeId id : graph->inputs) {
    kept_input.push_back(read[graph->position(id)]);
    if (kept_input.back()) inputs.push_back(id);
  }
  std::vector<Node> nodes;
  for (size_t p = 0; p < read.size(); ++p) {
    if (graph->nodes[p].kind != NodeKind::input || read[p]) {
      nodes.push_back(std::move(graph->nodes[p]));
    }
  }
  graph->nodes = std::move(nodes);
  graph->inputs = std::move(inputs);
  graph->reindex();
  return kept_input;
}

}  // namespace

Graph joint_gradient(const Signature& s, const Signature::Choice& choice, size_t* num_forward) {
  Graph joint = s.typed;
  PassOptions options = s.options.pass;
  options.input_shapes.clear();
  options.input_dtypes.clear();
  std::vector<NodeId> head_inputs;
  for (int h : choice.first) {
    const Entry head = joint.outputs.at(h);
    Node n;
    n.kind = NodeKind::input;
    n.name = "head_grad" + std::to_string(h);
    n.shapes = {joint.shape(head)};
    n.dtypes = {joint.dtype(head)};
    n.ctx = joint.node(head.node).ctx;
    const NodeId id = joint.add(std::move(n)).id;
    head_inputs.push_back(id);
    options.grad_of.push_back(head);
    options.head_grads.push_back({id, 0});
  }
  for (int i : choice.second) options.grad_wrt.push_back(joint.inputs.at(i));
  *num_forward = joint.nodes.size();
  const size_t num_outputs = joint.outputs.size();
  joint.inputs.insert(joint.inputs.begin(), head_inputs.begin(), head_inputs.end());
  PassContext context{options, {}, false};
  Graph result = gradient(joint, context);
  require(result.outputs.size() == num_outputs + options.grad_wrt.size(),
          "cached graph: ", options.grad_wrt.size(), " gradients were asked for, the pass added ",
          result.outputs.size() - num_outputs);
  int32_t segments = options.remat_segments;
  if (segments == kSqrtSegments) segments = sqrt_segments(count_kept(result, *num_forward));
  result = rematerialize(result, *num_forward, segments, context);
  result.has_gradient = false;  // its gradients are plain outputs, to be differentiated again
  result.outputs.erase(result.outputs.begin(), result.outputs.begin() + num_outputs);
  result.output_names.erase(result.output_names.begin(), result.output_names.begin() + num_outputs);
  return result;
}

std::shared_ptr<BackwardProgram> make_backward(const Signature& s,
                                               const Signature::Choice& choice) {
  size_t num_forward = 0;
  const Graph joint = joint_gradient(s, choice, &num_forward);
  Cut cut{joint, num_forward, {}, {}, {}, {}};
  cut.run();
  CompileOptions options = s.options;
  options.pass.input_shapes.clear();
  options.pass.input_dtypes.clear();
  options.pass.donated.clear();
  options.plan.donated.clear();
  options.pass.remat_segments = 0;  // done on the whole
  Graph compiled = compile(cut.graph, options).program->graph();
  const std::vector<bool> kept = drop_unused_inputs(&compiled);
  PlanOptions plan = options.plan;
  plan.training = options.pass.training;
  auto result = std::make_shared<BackwardProgram>();
  result->program = Program::make(std::move(compiled), plan);
  const size_t num_heads = choice.first.size(), num_inputs = s.typed.inputs.size();
  for (size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    if (i < num_heads) {
      result->heads.push_back(static_cast<int>(i));
    } else if (i < num_heads + num_inputs) {
      result->inputs.push_back(static_cast<int>(i - num_heads));
    } else {
      result->saved.push_back(cut.saved[i - num_heads - num_inputs]);
    }
  }
  ++*s.num_programs;
  return result;
}

}  // namespace hybrid
