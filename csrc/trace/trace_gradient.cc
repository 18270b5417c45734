#include "trace/trace_gradient.h"

#include <algorithm>
#include <map>
#include <set>

#include "array/trace_writes.h"
#include "core/error.h"
#include "core/held_blocks.h"
#include "launch/launch.h"
#include "launch/random.h"
#include "passes/pass.h"
#include "tape/compiled_call.h"
#include "tape/host_call.h"
#include "tape/tape_graph.h"
#include "trace/trace_op.h"

namespace hybrid {
namespace {

class TrainingMode {
 public:
  explicit TrainingMode(bool training) : saved_(thread_state().training) {
    thread_state().training = training;
  }
  ~TrainingMode() { thread_state().training = saved_; }
  TrainingMode(const TrainingMode&) = delete;
  TrainingMode& operator=(const TrainingMode&) = delete;

 private:
  bool saved_;
};

class RecordingMode {
 public:
  explicit RecordingMode(bool recording) : saved_(thread_state().mode) {
    thread_state().mode = recording ? saved_ | kRecording : saved_ & ~uint32_t{kRecording};
  }
  ~RecordingMode() { thread_state().mode = saved_; }
  RecordingMode(const RecordingMode&) = delete;
  RecordingMode& operator=(const RecordingMode&) = delete;

 private:
  uint32_t saved_;
};

const OpDef& add_op_def() {
  static const OpDef* op = get_op("add");
  return *op;
}

ArrayRef traced_ref(const SymEntry& entry) {
  ArrayRef ref;
  ref.extra = Ref<ArrayExtra>(new ArrayExtra);
  ref.extra->entry = entry;
  ref.extra->traced = true;
  return ref;
}

// The gradient pass over a tape's graph, its new nodes appended to the trace.
class TraceGradient {
 public:
  explicit TraceGradient(TapeGraph tape) : tape_(std::move(tape)) {}

  void set_head_grads(const std::vector<ArrayRef>& grads) {
    require(grads.empty() || grads.size() == tape_.heads.size(), "backward: ", tape_.heads.size(),
            " heads, given ", grads.size(), " head gradients");
    head_grads_.assign(tape_.heads.size(), Entry());
    for (size_t i = 0; i < grads.size(); ++i) {
      if (!grads[i].array.defined() && !grads[i].extra) continue;
      Graph& graph = tape_.graph;
      Node n;
      n.kind = NodeKind::input;
      n.name = "head_grad" + std::to_string(i);
      n.shapes = {shape_of(grads[i])};
      n.dtypes = {dtype_of(grads[i])};
      n.ctx = context_of(grads[i]);
      const Entry head = tape_.heads[i];
      require(n.shapes[0] == graph.shape(head) && n.dtypes[0] == graph.dtype(head),
              "backward: head ", i, " is ", dtype_name(graph.dtype(head)), " ", graph.shape(head),
              ", its head gradient ", dtype_name(n.dtypes[0]), " ", n.shapes[0]);
      const NodeId id = graph.add(std::move(n)).id;
      graph.inputs.push_back(id);
      made_[{id, 0}] = trace_entry(grads[i]);
      head_grads_[i] = {id, 0};
    }
  }

  // Gradients by the inputs `wrt`, in their order. Nodes are recorded again when the mode says so.
  std::vector<SymEntry> run(const std::vector<NodeId>& wrt) {
    if (wrt.empty()) return {};
    PassOptions options;
    options.training = thread_state().training;
    options.grad_of = tape_.heads;
    options.head_grads = head_grads_;
    options.grad_wrt = wrt;
    PassContext context{options, {}, false};
    const size_t old_nodes = tape_.graph.nodes.size(), old_outputs = tape_.graph.outputs.size();
    const Graph graph = gradient(tape_.graph, context);
    for (size_t p = old_nodes; p < graph.nodes.size(); ++p) append(graph.nodes[p]);
    std::vector<SymEntry> results;
    for (size_t i = old_outputs; i < graph.outputs.size(); ++i) {
      results.push_back(entry(graph.outputs[i]));
    }
    require(results.size() == wrt.size(), "backward: the gradient pass returned ", results.size(),
            " gradients for ", wrt.size(), " variables");
    return results;
  }

 private:
  SymEntry entry(Entry e) const {
    const auto made = made_.find(e);
    if (made != made_.end()) return made->second;
    const SymNode* node = tape_.sources.nodes.at(static_cast<size_t>(e.node));
    const int cut = tape_.sources.stop_outs.at(static_cast<size_t>(e.node));
    return {std::const_pointer_cast<SymNode>(node->shared_from_this()), cut >= 0 ? cut : e.out};
  }

  // What a gradient reads of the forward computation.
  SymEntry read(Entry e) const {
    const SymEntry found = entry(e);
    require(made_.count(e) != 0 || !memory_of(found).node->overwritten,
            "backward: the gradient needs the value of ", describe_node(*found.node),
            ", which was overwritten after it was recorded");
    return found;
  }

  void append(const Node& n) {
    std::vector<SymEntry> inputs;
    for (const Entry& e : n.inputs) inputs.push_back(read(e));
    const bool training = thread_state().training;
    if (n.op->training_only && !draws_key(*n.op, n.attrs, training) && !training) {
      made_[{n.id, 0}] = inputs.at(0);
      return;
    }
    auto node = std::make_shared<SymNode>();
    node->op = n.op;
    node->attrs = n.attrs;
    node->name = n.name;
    node->scope = n.scope;
    node->site = n.site;
    node->segment = thread_state().segment;
    if (n.forward >= 0) node->forward = entry({n.forward, 0}).node->serial;
    if (n.op->random) node->key = tape_.sources.keys.at(static_cast<size_t>(n.key_slot));
    node->num_outputs = n.num_outputs();
    node->shapes = n.shapes;
    node->dtypes = n.dtypes;
    node->ctx = n.ctx;
    node->serial = next_serial();
    node->traced = true;
    if (thread_state().mode & kRecording) {
      for (const SymEntry& e : inputs) {
        if (has_history(*e.node)) node->tape = Tape::recorded;
      }
    }
    node->inputs = std::move(inputs);
    for (int i = 0; i < node->num_outputs; ++i) made_[{n.id, i}] = {node, i};
  }

  TapeGraph tape_;
  std::vector<Entry> head_grads_;
  std::map<Entry, SymEntry> made_;  // head gradients and new nodes
};

// Sums what belongs to one variable; the order is that of the uses.
SymEntry sum_parts(const std::vector<SymEntry>& parts) {
  SymEntry total = parts.at(0);
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::vector<ArrayRef> both{traced_ref(total), traced_ref(parts[i])};
    total = trace_op(add_op_def(), Attrs(&add_op_def()), both, Context())[0].extra->entry;
  }
  return total;
}

// A gradient that is the same everywhere, with the history of what it belongs to: the gradient of
// that is 0, and no error.
SymEntry with_history_of(const SymEntry& constant, const ArrayRef& variable) {
  static const OpDef* op = get_op("reshape_like");
  return trace_op(*op, Attrs(op), {traced_ref(constant), variable}, Context())[0].extra->entry;
}

// True once for a value that this gradient made for one result alone.
bool is_own(const SymEntry& e, int64_t since, std::set<std::pair<const SymNode*, int>>* taken) {
  const SymEntry memory = memory_of(e);
  return memory.node->serial > since && taken->emplace(memory.node.get(), memory.out).second;
}

// Gradients of calls are no operators that a trace could hold.
bool has_call(const TapeGraph& tape) {
  return std::any_of(tape.graph.nodes.begin(), tape.graph.nodes.end(), [](const Node& n) {
    return n.kind == NodeKind::op && (n.op == &cached_call_op() || n.op == &host_call_op());
  });
}

}  // namespace

bool trace_backward(const std::vector<ArrayRef>& heads, const std::vector<ArrayRef>& head_grads,
                    bool retain_graph, bool train_mode) {
  const TapeGraph tape = tape_graph_of(heads, "backward");
  if (has_call(tape)) return false;
  before_trace_effect("backward() writes gradients");
  std::vector<Target> targets = find_targets(tape);
  targets.erase(std::remove_if(targets.begin(), targets.end(),
                               [](const Target& t) { return req_of(*t.slot) == ArrayExtra::null; }),
                targets.end());
  for (const Target& t : targets) {  // every write that waits elsewhere on a gradient's memory
    if (awaits_write(t.slot->grad.storage.get()) && !find_trace_write(t.slot->grad)) {
      settle_trace_writes("a gradient shares memory with an array that was written");
    }
  }
  const TrainingMode training(train_mode);
  const RecordingMode recording(false);
  const int64_t since = next_serial();
  TraceGradient gradient(tape);
  std::vector<NodeId> wrt;
  for (const Target& t : targets) wrt.insert(wrt.end(), t.nodes.begin(), t.nodes.end());
  gradient.set_head_grads(head_grads);
  const std::vector<SymEntry> found = gradient.run(wrt);
  std::set<std::pair<const SymNode*, int>> taken;
  auto next = found.begin();
  for (const Target& t : targets) {
    const std::vector<SymEntry> parts(next, next + static_cast<std::ptrdiff_t>(t.nodes.size()));
    next += static_cast<std::ptrdiff_t>(t.nodes.size());
    SymEntry total = sum_parts(parts);
    if (req_of(*t.slot) == ArrayExtra::add) {
      const std::vector<ArrayRef> both{{t.slot->grad, {}}, traced_ref(total)};
      total = trace_op(add_op_def(), Attrs(&add_op_def()), both, Context())[0].extra->entry;
    }
    trace_write(t.slot->grad, total, nullptr, !is_own(total, since, &taken));
    if (t.slot->extra) t.slot->extra->has_fresh_grad = true;
  }
  if (!retain_graph) free_tape(heads, tape, false);
  return true;
}

bool trace_grad(const std::vector<ArrayRef>& heads, const std::vector<ArrayRef>& variables,
                const std::vector<ArrayRef>& head_grads, bool retain_graph, bool create_graph,
                bool train_mode, std::vector<ArrayRef>* results) {
  const TapeGraph tape = tape_graph_of(heads, "grad");
  if (has_call(tape)) return false;
  const std::vector<Target> targets = find_targets(tape);
  const TrainingMode training(train_mode);
  const RecordingMode recording(create_graph);
  const int64_t since = next_serial();
  TraceGradient gradient(tape);
  std::vector<NodeId> wrt;
  std::vector<size_t> counts;
  for (size_t v = 0; v < variables.size(); ++v) {
    const VariableSlot* slot = slot_of(variables[v], v);
    const auto target = std::find_if(targets.begin(), targets.end(),
                                     [&](const Target& t) { return t.slot == slot; });
    require(target != targets.end(), "grad: the heads do not depend on variable ", v);
    wrt.insert(wrt.end(), target->nodes.begin(), target->nodes.end());
    counts.push_back(target->nodes.size());
  }
  gradient.set_head_grads(head_grads);
  const std::vector<SymEntry> found = gradient.run(wrt);
  std::set<std::pair<const SymNode*, int>> taken;
  auto next = found.begin();
  for (size_t v = 0; v < counts.size(); ++v) {
    const auto count = static_cast<std::ptrdiff_t>(counts[v]);
    const std::vector<SymEntry> parts(next, next + count);
    next += count;
    SymEntry total = sum_parts(parts);
    if (create_graph && !has_history(*total.node)) total = with_history_of(total, variables[v]);
    // The caller may write to what it gets, so nobody else holds it.
    results->push_back(
        traced_ref(is_own(total, since, &taken) ? total : traced_copy(total, nullptr)));
  }
  if (!retain_graph && !create_graph) free_tape(heads, tape, false);
  return true;
}

void trace_attach_grad(ArrayRef& array, ArrayExtra::Req req) {
  before_trace_effect("attach_grad() makes a gradient array");
  const DType dtype = dtype_of(array);
  require(is_floating(dtype) || is_integer(dtype),
          "attach_grad: gradients are of numbers, the array is ", dtype_name(dtype));
  auto slot = std::make_shared<VariableSlot>();
  slot->req = req;
  if (req != ArrayExtra::null) {
    static const OpDef* zeros = get_op("zeros");
    Attrs attrs(zeros);
    attrs.set("shape", shape_of(array).to_vector());
    attrs.set("dtype", static_cast<int64_t>(dtype));
    slot->grad = run_op(*zeros, attrs, {}, 0, nullptr, context_of(array))[0];
    held::mark(slot->grad.storage.get(), held::Kind::gradients);
  }
  ArrayExtra& extra = *array.extra;
  if (VariableSlot* old = variable_slot(*extra.entry.node)) {
    if (old->extra == &extra) old->extra = nullptr;
  }
  slot->extra = &extra;
  extra.variable = true;
  extra.grad = slot->grad;
  extra.grad_req = req;
  extra.has_fresh_grad = false;
  extra.entry = traced_copy(extra.entry, std::move(slot));
}

void write_traced_variable(ArrayExtra* variable, const SymEntry& value) {
  variable->entry = traced_copy(value, variable->entry.node->held);
}

}  // namespace hybrid
