#include "passes/symbol_gradient.h"

#include <algorithm>

#include "core/error.h"
#include "passes/pass.h"
#include "symbol/symbol_states.h"

namespace hybrid {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

// New nodes of a differentiated graph on the nodes of the symbol that it was made of.
class Appending {
 public:
  explicit Appending(const GraphSources& sources) : sources_(sources) {}

  void add(const Node& n) {
    auto node = std::make_shared<SymNode>();
    node->kind = n.kind;
    node->op = n.op;
    node->attrs = n.attrs;
    node->name = n.name;
    for (const Entry& e : n.inputs) node->inputs.push_back(entry(e));
    node->site = n.site;
    node->scope = n.scope;
    node->text = n.text;
    node->extra = n.extra;
    node->segment = n.segment;
    node->num_outputs = n.num_outputs();
    node->shapes = n.shapes;
    node->dtypes = n.dtypes;
    node->ctx = n.ctx;
    if (n.kind == NodeKind::constant) node->values = {n.value};
    node->serial = next_serial();
    if (n.key_slot >= 0) node->draw_of = drawn_.at(n.key_slot);
    for (int i = 0; i < node->num_outputs; ++i) made_[{n.id, i}] = {node, i};
  }

  // A random node of the symbol: what repeats its draw is made later.
  void note_draw(const Node& n) {
    const SymNodeRef node = entry({n.id, 0}).node;
    drawn_.emplace(n.key_slot, node->draw_of ? node->draw_of : node);
  }

  SymEntry entry(Entry e) const {
    const auto made = made_.find(e);
    if (made != made_.end()) return made->second;
    const SymNode* node = sources_.nodes.at(static_cast<size_t>(e.node));
    return {std::const_pointer_cast<SymNode>(node->shared_from_this()), e.out};
  }

 private:
  const GraphSources& sources_;
  std::map<Entry, SymEntry> made_;
  std::map<int32_t, SymNodeRef> drawn_;  // by key slot
};

}  // namespace

Symbol gradient_of(const Symbol& symbol, const std::vector<std::string>& wrt) {
  require_unique_arguments(symbol);
  GraphSources sources;
  const Graph graph = to_graph(symbol, {}, &sources);
  const std::vector<std::string> names = list_inputs(symbol);
  PassOptions options;
  options.grad_of = graph.outputs;
  for (const std::string& name : wrt) {
    const auto found = std::find(names.begin(), names.end(), name);
    require(found != names.end(), "grad: there is no argument '", name, "'; there are ",
            listed(names));
    options.grad_wrt.push_back(graph.inputs[static_cast<size_t>(found - names.begin())]);
  }
  options.training = true;
  options.assume_dtype = false;  // the arrays that it is compiled for decide
  PassContext inferring{options, {}, false};
  const Graph inferred = infer(graph, inferring);
  PassContext context{options, {}, false};
  const Graph with_grads = gradient(inferred, context);
  Appending appending(sources);
  for (size_t p = 0; p < with_grads.nodes.size(); ++p) {
    const Node& n = with_grads.nodes[p];
    if (p >= inferred.nodes.size()) {
      appending.add(n);
    } else if (n.key_slot >= 0) {
      appending.note_draw(n);
    }
  }
  Symbol result;
  for (size_t k = graph.outputs.size(); k < with_grads.outputs.size(); ++k) {
    result.outputs.push_back(appending.entry(with_grads.outputs[k]));
  }
  return result;
}

}  // namespace hybrid
