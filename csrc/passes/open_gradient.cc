#include "passes/open_gradient.h"

#include <algorithm>

#include "core/error.h"
#include "ops/grad_builder.h"
#include "ops/infer.h"
#include "passes/devices.h"
#include "passes/rewriter.h"

namespace hybrid {
namespace {

// Inputs: output 0 of the operator, those of its inputs that are wanted, then what flows back.
void infer_open(InferContext& c) {
  const size_t wanted = c.attrs.ints("wanted").size();
  require(c.in_shapes.size() == 1 + wanted + c.attrs.ints("given").size(), "open_gradient: given ",
          c.in_shapes.size(), " inputs for ", wanted, " gradients");
  for (size_t k = 0; k < wanted; ++k) {
    set_shape(c, k, c.in_shapes[1 + k]);
    expect_shape(c, 1 + k, c.out_shapes[k]);
    set_dtype(c, k, c.in_dtypes[1 + k]);
  }
}

[[noreturn]] void run_open(KernelContext&) {
  fail(
      "open_gradient: this gradient's rule needs shapes and dtypes that were not known when it was "
      "made: "
      "compile the graph with the shapes of its inputs");
}

void grad_open(GradBuilder&) {
  fail(
      "open_gradient: a gradient is taken of a gradient whose shapes and dtypes are not known; "
      "give them "
      "where the variables are made, as in Variable('a', shape=(2, 3), dtype='float32')");
}

// Not in the table: nobody calls it.
const OpDef* open_op() {
  static const OpDef& op = *new OpDef([] {
    OpDef open;
    open.name = "open_gradient";
    open.doc =
        "The gradients by some inputs of the operator that made `data[0]`, whose rule needs shapes "
        "that are not known yet: replaced by the rule's operators when a graph is compiled.";
    open.inputs = {{"data", "a result, the inputs wanted, the gradients given"}};
    open.variadic = true;
    open.attrs = {{"wanted", AttrType::ints, nullptr, "inputs of the operator, by position"},
                  {"given", AttrType::ints, nullptr, "its outputs that a gradient flows into"}};
    open.defaults.resize(open.attrs.size());
    open.num_outputs_fn = [](const Attrs& a) { return static_cast<int>(a.ints("wanted").size()); };
    open.dtypes = kAllComputed;
    open.infer = infer_open;
    open.cpu = run_open;
    open.gradient = grad_open;
    return open;
  }());
  return &op;
}

bool is_open(const Node& n) { return n.kind == NodeKind::op && n.op == open_op(); }

void close(const Node& open, Rewriter* rewriter) {
  Graph& graph = rewriter->after;
  const std::vector<Entry> inputs = rewriter->copy(open).inputs;
  const std::vector<int64_t> wanted = open.attrs.ints("wanted"), given = open.attrs.ints("given");
  const Node forward = graph.node(inputs.at(0).node);  // adding nodes moves the originals
  require(forward.kind == NodeKind::op && forward.op->gradient != nullptr, "gradient: '", open.name,
          "' is of '", forward.name, "', which has no gradient");
  std::vector<Entry> out_grads(static_cast<size_t>(forward.num_outputs()));
  for (size_t k = 0; k < given.size(); ++k) {
    out_grads.at(static_cast<size_t>(given[k])) = inputs.at(1 + wanted.size() + k);
  }
  const size_t first = graph.nodes.size();
  GradBuilder builder(graph, forward, out_grads);
  std::vector<bool> flags(forward.inputs.size(), false);
  for (int64_t input : wanted) flags.at(static_cast<size_t>(input)) = true;
  builder.set_wanted(flags);
  forward.op->gradient(builder);
  const std::vector<Entry> grads = builder.result();
  for (size_t k = 0; k < wanted.size(); ++k) {
    Entry grad = grads.at(static_cast<size_t>(wanted[k]));
    if (!grad.defined()) grad = builder.op("zeros_like", {inputs[1 + k]});
    rewriter->replace({open.id, static_cast<int32_t>(k)}, grad);
  }
  for (size_t i = first; i < graph.nodes.size(); ++i) {
    Node& n = graph.nodes[i];
    n.scope = open.scope;
    n.site = open.site;
    n.segment = open.segment;
    n.ctx = open.ctx;
    const auto group = open.extra.find(kGroupAttribute);
    if (group != open.extra.end()) n.extra.insert(*group);
    if (!open.name.empty()) n.name = open.name + (i > first ? std::to_string(i - first) : "");
  }
}

}  // namespace

Node make_open_gradient(const Node& forward, const std::vector<int64_t>& wanted,
                        const std::vector<Entry>& out_grads) {
  Node open;
  open.op = open_op();
  open.attrs = Attrs(open.op);
  open.inputs = {{forward.id, 0}};
  for (int64_t input : wanted) open.inputs.push_back(forward.inputs[static_cast<size_t>(input)]);
  std::vector<int64_t> given;
  for (size_t k = 0; k < out_grads.size(); ++k) {
    if (!out_grads[k].defined()) continue;
    given.push_back(static_cast<int64_t>(k));
    open.inputs.push_back(out_grads[k]);
  }
  open.attrs.set("wanted", wanted);
  open.attrs.set("given", given);
  return open;
}

bool has_open_gradient(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), is_open);
}

Graph close_gradients(const Graph& graph) {
  Rewriter rewriter(graph);
  for (const Node& n : graph.nodes) {
    if (is_open(n)) {
      close(n, &rewriter);
    } else {
      rewriter.keep(n);
    }
  }
  return rewriter.finish();
}

}  // namespace hybrid
