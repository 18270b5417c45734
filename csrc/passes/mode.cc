#include "passes/mode.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "ops/states.h"

namespace hybrid {
namespace {

bool is_open(const Node& n) { return n.kind == NodeKind::op && is_mode_open(*n.op, n.attrs); }

// A batch of no elements has no statistics: as outside training the states serve, and stay.
bool is_empty(const Graph& graph, Entry data) {
  const Shape& shape = graph.shape(data);
  return shape.known() && shape.size() == 0;
}

// A gradient of such an operator, made before the mode was known.
bool is_open_gradient(const Node& n) {
  static const OpDef* const grad = get_op("batch_norm_grad");
  static const OpDef* const sync_grad = get_op("sync_batch_norm_grad");
  return n.kind == NodeKind::op && (n.op == grad || n.op == sync_grad) &&
         !n.attrs.has("batch_stats");
}

bool writes(const Node& n) {
  return n.kind == NodeKind::op && states_of(*n.op) != nullptr &&
         states_of(*n.op)->written != nullptr;
}

class Deciding {
 public:
  Deciding(const Graph& graph, bool training, std::vector<StateValue>* states)
      : graph_(graph), training_(training), states_(states) {}

  Graph run() {
    after_ = graph_;
    after_.nodes.clear();
    after_.reindex();
    for (const Node& n : graph_.nodes) {
      if (is_open(n)) {
        decide(n);
        continue;
      }
      Node copy = redirected(n);
      if (is_open_gradient(n)) {
        set_mode(training_ && !is_empty(graph_, n.inputs.at(1)), &copy.attrs);
      }
      after_.add(std::move(copy));
      if (writes(n) && states_ != nullptr) note_written(n);
    }
    for (Entry& e : after_.outputs) e = current(e);
    after_.reindex();
    if (states_ != nullptr) {
      for (const auto& [id, value] : value_of_) {
        const auto at = std::find(graph_.inputs.begin(), graph_.inputs.end(), id);
        states_->push_back({static_cast<int32_t>(at - graph_.inputs.begin()), value});
      }
    }
    return std::move(after_);
  }

 private:
  Entry current(Entry e) const {
    const auto found = value_of_.find(e.node);
    return found == value_of_.end() ? e : found->second;
  }

  Node redirected(const Node& n) const {
    Node copy = n;
    for (Entry& e : copy.inputs) e = current(e);
    return copy;
  }

  void require_variable(const Node& n, int32_t input, const char* when) const {
    const OpDef& op = *n.op;
    const auto at = static_cast<size_t>(input);
    require(graph_.node(n.inputs.at(at).node).kind == NodeKind::input, op.name, " '", n.name,
            "': its ", op.variadic ? "state " + std::to_string(input) : op.inputs[at].name,
            " changes ", when, " and must be a variable");
  }

  void note_written(const Node& n) {
    for (const StateUpdate& u : written_states(*n.op, n.attrs)) {
      require_variable(n, u.state, "whenever it runs");
      value_of_[n.inputs[static_cast<size_t>(u.state)].node] = {n.id, u.output};
    }
  }

  void decide(const Node& n) {
    Node copy = redirected(n);
    const bool changes = set_mode(training_ && !is_empty(graph_, n.inputs.at(0)), &copy.attrs);
    if (!changes) {
      after_.add(std::move(copy));
      return;
    }
    copy.inputs.resize(static_cast<size_t>(n.op->count_inputs(copy.attrs)));
    const Attrs attrs = copy.attrs;
    after_.add(std::move(copy));
    if (states_ == nullptr) return;
    for (const StateUpdate& u : states_of(*n.op)->updates) {
      const Entry state = n.inputs.at(static_cast<size_t>(u.state));
      require_variable(n, u.state, "in training");
      Node average;
      average.attrs = moving_average_of(attrs);
      average.op = average.attrs.op();
      average.name = n.name + "_" + n.op->inputs[static_cast<size_t>(u.state)].name;
      average.inputs = {current(state), {n.id, u.output}};
      average.origins = {n.id};
      average.site = n.site;
      average.scope = n.scope;
      average.segment = n.segment;
      average.ctx = n.ctx;
      infer_node(after_, &average);
      value_of_[state.node] = {after_.add(std::move(average)).id, 0};
    }
  }

  const Graph& graph_;
  const bool training_;
  std::vector<StateValue>* states_;
  Graph after_;
  std::map<NodeId, Entry> value_of_;  // by state: what it is by now
};

}  // namespace

bool has_open_mode(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Node& n) { return is_open(n) || is_open_gradient(n) || writes(n); });
}

Graph in_mode(const Graph& graph, bool training, std::vector<StateValue>* states) {
  if (!has_open_mode(graph)) return graph;
  return Deciding(graph, training, states).run();
}

}  // namespace hybrid
