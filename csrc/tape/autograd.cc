// attach_grad, backward and grad: the gradient pass over the tape, run node by node.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "array/old_value.h"
#include "core/error.h"
#include "core/held_blocks.h"
#include "launch/launch.h"
#include "tape/autograd.h"
#include "tape/tape_gradient.h"
#include "tape/tape_graph.h"

namespace hybrid {

void mark_variable(ArrayRef& array, const NDArray& grad, ArrayExtra::Req req) {
  const NDArray value = concrete(array);
  require(is_floating(value.dtype) || is_integer(value.dtype),
          "attach_grad: gradients are of numbers, the array is ", dtype_name(value.dtype));
  if (req != ArrayExtra::null) {
    require(grad.defined() && grad.shape == value.shape && grad.dtype == value.dtype,
            "attach_grad: the array is ", dtype_name(value.dtype), " ", value.shape,
            ", the gradient buffer ", dtype_name(grad.dtype), " ", grad.shape);
  }
  if (!array.extra) array.extra = Ref<ArrayExtra>(new ArrayExtra);
  ArrayExtra& extra = *array.extra;
  array.array = value;
  extra.traced = false;
  extra.variable = true;
  held::mark(value.storage.get(), held::Kind::parameters);
  extra.grad = grad;
  if (grad.defined()) held::mark(grad.storage.get(), held::Kind::gradients);
  extra.grad_req = req;
  extra.has_fresh_grad = false;
  auto slot = std::make_shared<VariableSlot>();
  slot->grad = grad;
  slot->req = req;
  slot->extra = &extra;
  auto node = std::make_shared<SymNode>();
  node->kind = NodeKind::input;
  node->values = {value};
  node->versions = {value.storage->var.version.load()};
  node->shapes = {value.shape};
  node->dtypes = {value.dtype};
  node->ctx = value.ctx();
  node->site = current_site();
  node->serial = next_serial();
  node->held = std::move(slot);
  note_seen(value, node.get());
  extra.entry = {std::move(node), 0};
}

void attach_grad(ArrayRef& array, ArrayExtra::Req req) {
  const NDArray value = concrete(array);
  NDArray buffer;
  if (req != ArrayExtra::null) {
    static const OpDef* zeros_like = get_op("zeros_like");
    require(is_floating(value.dtype) || is_integer(value.dtype),
            "attach_grad: gradients are of numbers, the array is ", dtype_name(value.dtype));
    buffer = run_op(*zeros_like, Attrs(zeros_like), {value}, 0)[0];
  }
  mark_variable(array, buffer, req);
}

namespace {

const OpDef& add_op_def() {
  static const OpDef* op = get_op("add");
  return *op;
}

struct TrainingScope {
  explicit TrainingScope(bool training) : before(thread_state()) {
    thread_state().training = training;
  }
  ~TrainingScope() {
    thread_state().mode = before.mode;
    thread_state().training = before.training;
    thread_state().site = before.site;
  }
  ThreadState before;
};

// Sums what belongs to one variable; the order is that of the uses.
ArrayRef sum_parts(const std::vector<ArrayRef>& parts, bool recorded) {
  ArrayRef total = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) {
    if (recorded) {
      total = run_recorded(add_op_def(), Attrs(&add_op_def()), {total, parts[i]}, 0, Context())[0];
    } else {
      total.array = run_op(add_op_def(), Attrs(&add_op_def()), {total.array, parts[i].array}, 0)[0];
    }
  }
  return total;
}

// A gradient that is the same everywhere, with the history of what it belongs to: the gradient of
// that is 0, and no error.
ArrayRef with_history_of(const ArrayRef& constant, const ArrayRef& variable) {
  static const OpDef* op = get_op("reshape_like");
  return run_recorded(*op, Attrs(op), {constant, variable}, 0, Context())[0];
}

}  // namespace

Graph tape_graph(const std::vector<ArrayRef>& heads) {
  return tape_graph_of(heads, "tape_graph").graph;
}

void backward(const std::vector<ArrayRef>& heads, const std::vector<ArrayRef>& head_grads,
              bool retain_graph, bool train_mode) {
  TapeGraph tape = tape_graph_of(heads, "backward");
  std::vector<Target> targets = find_targets(tape);
  targets.erase(std::remove_if(targets.begin(), targets.end(),
                               [](const Target& t) { return req_of(*t.slot) == ArrayExtra::null; }),
                targets.end());
  TrainingScope scope(train_mode);
  thread_state().mode = kEager;
  GradientRun run(std::move(tape.graph), tape.sources, tape.heads);
  for (const Target& t : targets) {
    for (NodeId id : t.nodes) run.differentiate_by(id);
  }
  run.set_head_grads(head_grads);
  std::unordered_map<const Storage*, int> gradients_in;  // shared memory is written in order, below
  for (const Target& t : targets) ++gradients_in[t.slot->grad.storage.get()];
  for (const Target& t : targets) {  // results may go straight into their buffers
    if (t.nodes.size() == 1 && req_of(*t.slot) == ArrayExtra::write &&
        gradients_in[t.slot->grad.storage.get()] == 1) {
      run.write_into(t.nodes[0], t.slot->grad);
    }
  }
  run.run(false);
  size_t next = 0;
  for (const Target& t : targets) {
    std::vector<ArrayRef> parts;
    bool written = false;
    for (size_t i = 0; i < t.nodes.size(); ++i, ++next) {
      parts.push_back(run.result(next));
      written = run.was_written(next);
    }
    const ArrayRef total = sum_parts(parts, false);
    if (req_of(*t.slot) == ArrayExtra::add) {
      const std::vector<NDArray> into{t.slot->grad};
      run_op(add_op_def(), Attrs(&add_op_def()), {t.slot->grad, total.array}, 0, &into);
    } else if (!written) {
      copy_array(total.array, t.slot->grad);
    }
    if (t.slot->extra) t.slot->extra->has_fresh_grad = true;
  }
  if (!retain_graph) free_tape(heads, tape, true);
}

std::vector<ArrayRef> grad(const std::vector<ArrayRef>& heads,
                           const std::vector<ArrayRef>& variables,
                           const std::vector<ArrayRef>& head_grads, bool retain_graph,
                           bool create_graph, bool train_mode) {
  TapeGraph tape = tape_graph_of(heads, "grad");
  const std::vector<Target> targets = find_targets(tape);
  TrainingScope scope(train_mode);
  thread_state().mode = create_graph ? kRecording : kEager;
  GradientRun run(std::move(tape.graph), tape.sources, tape.heads);
  std::vector<std::vector<size_t>> parts_of(variables.size());
  size_t count = 0;
  for (size_t v = 0; v < variables.size(); ++v) {
    VariableSlot* slot = slot_of(variables[v], v);
    const auto target = std::find_if(targets.begin(), targets.end(),
                                     [&](const Target& t) { return t.slot == slot; });
    require(target != targets.end(), "grad: the heads do not depend on variable ", v);
    for (NodeId id : target->nodes) {
      run.differentiate_by(id);
      parts_of[v].push_back(count++);
    }
  }
  run.set_head_grads(head_grads);
  run.run(create_graph);
  std::vector<ArrayRef> results;
  std::unordered_set<const Storage*> handed_out;
  for (size_t v = 0; v < variables.size(); ++v) {
    const std::vector<size_t>& indices = parts_of[v];
    std::vector<ArrayRef> parts;
    bool fresh = indices.size() > 1;
    for (size_t i : indices) {
      parts.push_back(run.result(i));
      fresh = fresh || run.is_fresh(i);
    }
    ArrayRef total = sum_parts(parts, create_graph);
    if (create_graph && !has_history(total)) total = with_history_of(total, variables[v]);
    if (!fresh || !handed_out.insert(total.array.storage.get()).second) {
      // Memory that somebody else sees as well: the caller may write to what it gets.
      const NDArray own = NDArray::empty(total.array.shape, total.array.dtype, total.array.ctx());
      copy_array(total.array, own);
      ArrayRef copy{own, {}};
      if (total.extra && total.extra->entry.node) {
        copy.extra = Ref<ArrayExtra>(new ArrayExtra);
        copy.extra->entry = total.extra->entry;
      }
      total = copy;
    }
    results.push_back(total);
  }
  if (!retain_graph && !create_graph) free_tape(heads, tape, true);
  return results;
}

}  // namespace hybrid
