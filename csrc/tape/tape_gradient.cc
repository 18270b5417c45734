#include "tape/tape_gradient.h"

#include <map>
#include <unordered_set>

#include "core/error.h"
#include "launch/random.h"
#include "launch/run_op.h"
#include "launch/thread_state.h"
#include "passes/pass.h"
#include "tape/compiled_call.h"
#include "tape/host_call.h"
#include "tape/tape.h"

namespace hybrid {

namespace {

// Gradients of a call, which are no operator: they read the heads alone, the call knows the rest.
bool is_of_call(const OpDef* op) { return is_cached_backward(op) || is_host_backward(op); }

}  // namespace

GradientRun::GradientRun(Graph graph, const GraphSources& sources, std::vector<Entry> heads)
    : graph_(std::move(graph)), sources_(sources), heads_(std::move(heads)) {}

void GradientRun::set_head_grads(const std::vector<ArrayRef>& grads) {
  require(grads.empty() || grads.size() == heads_.size(), "backward: ", heads_.size(),
          " heads, given ", grads.size(), " head gradients");
  head_grads_.assign(heads_.size(), Entry());
  for (size_t i = 0; i < grads.size(); ++i) {
    if (!grads[i].array.defined() && !grads[i].extra) continue;
    Node n;
    n.kind = NodeKind::input;
    n.name = "head_grad" + std::to_string(i);
    n.shapes = {shape_of(grads[i])};
    n.dtypes = {dtype_of(grads[i])};
    n.ctx = context_of(grads[i]);
    require(n.shapes[0] == graph_.shape(heads_[i]) && n.dtypes[0] == graph_.dtype(heads_[i]),
            "backward: head ", i, " is ", dtype_name(graph_.dtype(heads_[i])), " ",
            graph_.shape(heads_[i]), ", its head gradient ", dtype_name(n.dtypes[0]), " ",
            n.shapes[0]);
    const NodeId id = graph_.add(std::move(n)).id;
    graph_.inputs.push_back(id);
    given_.emplace(id, grads[i]);
    head_grads_[i] = {id, 0};
  }
}

size_t GradientRun::value_index(Entry e) const {
  const size_t p = static_cast<size_t>(graph_.position(e.node));
  return p < num_forward_ ? ~size_t{0} : first_[p - num_forward_] + static_cast<size_t>(e.out);
}

ArrayRef GradientRun::fetch(Entry e) {
  const size_t v = value_index(e);
  if (v != ~size_t{0}) {
    require(values_[v].array.defined(), "backward: node ", e.node, " has no value");
    ArrayRef value = values_[v];
    if (--uses_[v] == 0) values_[v] = ArrayRef();
    return value;
  }
  const auto given = given_.find(e.node);
  if (given != given_.end()) {
    ArrayRef value = given->second;
    value.array = concrete(value);
    return value;
  }
  const SymNode* node = sources_.nodes.at(e.node);
  const int cut = sources_.stop_outs.at(static_cast<size_t>(e.node));
  const int out = cut >= 0 ? cut : e.out;
  ArrayRef value{saved_value(*node, out), Ref<ArrayExtra>(new ArrayExtra)};
  // The entry keeps the node alive, and history with it when the gradient is recorded again.
  value.extra->entry = {std::const_pointer_cast<SymNode>(node->shared_from_this()), out};
  return value;
}

// A gradient that one kernel makes, alone, may go straight into its buffer, unless that memory is
// read by the gradient itself.
void GradientRun::plan_direct_writes() {
  if (buffers_.empty()) return;
  std::unordered_set<const Storage*> read;
  for (const auto& [id, array] : given_) {
    if (array.array.defined()) read.insert(array.array.storage.get());
  }
  for (size_t p = num_forward_; p < graph_.nodes.size(); ++p) {
    for (const Entry& e : graph_.nodes[p].inputs) {
      if (value_index(e) != ~size_t{0} || given_.count(e.node)) continue;
      const SymNode* node = sources_.nodes.at(e.node);
      if (e.out < static_cast<int>(node->values.size())) {
        read.insert(node->values[e.out].storage.get());
      }
    }
  }
  std::unordered_map<NodeId, int> times;
  std::map<std::pair<NodeId, int32_t>, int> times_of;  // as an output
  for (const Entry& e : results_) {
    ++times[e.node];
    ++times_of[{e.node, e.out}];
  }
  for (size_t i = 0; i < wrt_.size(); ++i) {
    const auto buffer = buffers_.find(wrt_[i]);
    const Entry e = results_[i];
    if (buffer == buffers_.end() || value_index(e) == ~size_t{0} || times_of[{e.node, e.out}] != 1)
      continue;
    const Node& node = graph_.node(e.node);
    const bool alone = times[e.node] == 1 && node.num_outputs() == 1 && !is_of_call(node.op);
    if (!(alone || is_cached_backward(node.op)) || node.op->view) continue;
    if (read.count(buffer->second.storage.get())) continue;
    std::vector<NDArray>& into = direct_[e.node];
    into.resize(static_cast<size_t>(node.num_outputs()));
    into[static_cast<size_t>(e.out)] = buffer->second;
    written_[i] = true;
  }
}

void GradientRun::run_node(const Node& node, bool recorded) {
  std::vector<ArrayRef> inputs, results;
  if (is_of_call(node.op)) {
    // The node's last inputs only tell shapes; the call itself says which values it needs.
    const SymNode& call = *sources_.nodes.at(node.origins.at(0));
    const size_t num_grads = node.attrs.ints("heads").size();
    for (size_t i = 0; i < num_grads; ++i) inputs.push_back(fetch(node.inputs[i]));
    if (is_host_backward(node.op)) {
      results = run_host_backward(node.attrs, call, inputs, recorded);
    } else if (recorded) {
      results = record_cached_backward(node.attrs, call, inputs);
    } else {
      std::vector<NDArray> grads;
      for (const ArrayRef& a : inputs) grads.push_back(a.array);
      for (NDArray& a : run_cached_backward(node.attrs, call, grads, direct_[node.id])) {
        results.push_back({std::move(a), {}});
      }
    }
  } else {
    for (const Entry& e : node.inputs) inputs.push_back(fetch(e));
    const uint64_t key = node.op->random ? sources_.keys.at(node.key_slot) : 0;
    const bool through = node.op->training_only &&
                         !draws_key(*node.op, node.attrs, thread_state().training) &&
                         !thread_state().training;
    if (through) {
      results.push_back(inputs.at(0));
    } else if (recorded) {
      results = run_recorded(*node.op, node.attrs, inputs, key, node.ctx);
    } else {
      std::vector<NDArray> values;
      for (const ArrayRef& a : inputs) values.push_back(a.array);
      const auto direct = direct_.find(node.id);
      const std::vector<NDArray>* into = direct == direct_.end() ? nullptr : &direct->second;
      std::vector<NDArray> made = run_op(*node.op, node.attrs, values, key, into, node.ctx);
      for (NDArray& a : made) results.push_back({std::move(a), {}});
    }
  }
  const size_t first = value_index({node.id, 0});
  for (size_t i = 0; i < results.size(); ++i) {
    if (uses_[first + i] > 0) values_[first + i] = std::move(results[i]);
  }
}

void GradientRun::run(bool recorded) {
  if (wrt_.empty()) return;
  PassOptions options;
  options.training = thread_state().training;
  options.grad_of = heads_;
  options.head_grads = head_grads_;
  options.grad_wrt = wrt_;
  PassContext context{options, {}, false};
  num_forward_ = graph_.nodes.size();
  const size_t old_outputs = graph_.outputs.size();
  graph_ = gradient(graph_, context);
  results_.assign(graph_.outputs.begin() + old_outputs, graph_.outputs.end());
  require(results_.size() == wrt_.size(), "backward: the gradient pass returned ", results_.size(),
          " gradients for ", wrt_.size(), " variables");
  size_t count = 0;
  for (size_t p = num_forward_; p < graph_.nodes.size(); ++p) {
    first_.push_back(count);
    count += static_cast<size_t>(graph_.nodes[p].num_outputs());
  }
  values_.resize(count);
  uses_.assign(count, 0);
  written_.assign(wrt_.size(), false);
  for (size_t p = num_forward_; p < graph_.nodes.size(); ++p) {
    const Node& node = graph_.nodes[p];
    const size_t read = is_of_call(node.op) ? node.attrs.ints("heads").size() : node.inputs.size();
    for (size_t i = 0; i < read; ++i) {
      const size_t v = value_index(node.inputs[i]);
      if (v != ~size_t{0}) ++uses_[v];
    }
  }
  for (const Entry& e : results_) {
    const size_t v = value_index(e);
    if (v != ~size_t{0}) ++uses_[v];
  }
  plan_direct_writes();
  for (size_t p = num_forward_; p < graph_.nodes.size(); ++p) {
    const Node& node = graph_.nodes[p];
    thread_state().site = node.site;
    run_node(node, recorded);
  }
}

ArrayRef GradientRun::result(size_t i) const {
  GradientRun* self = const_cast<GradientRun*>(this);
  const size_t v = value_index(results_.at(i));
  return v == ~size_t{0} ? self->fetch(results_[i]) : values_[v];
}

bool GradientRun::is_fresh(size_t i) const {
  const Entry e = results_.at(i);
  if (value_index(e) == ~size_t{0}) return false;
  const Node& node = graph_.node(e.node);
  if (is_host_backward(node.op)) return false;  // Python may hold it
  return is_cached_backward(node.op) || (!node.op->view && !node.op->training_only);
}

}  // namespace hybrid
