#include "trace/trace_op.h"

#include <unordered_map>

#include "array/old_value.h"
#include "array/trace_writes.h"
#include "core/error.h"
#include "launch/call_types.h"
#include "launch/launch.h"
#include "launch/random.h"
#include "ops/copy_to_device.h"
#include "tape/tape.h"
#include "trace/pending.h"

namespace hybrid {
namespace {

struct Leaf {
  std::weak_ptr<SymNode> node;
  ValueKey source;
};

// Leaves of the running trace, by memory and version: an array used twice is one input. A leaf that
// no recorded node is computed from any more is gone, and its array with it.
struct Leaves {
  std::unordered_multimap<const Storage*, Leaf> map;
  size_t sweep_at = 64;

  void add(const Storage* storage, const SymNodeRef& leaf, ValueKey source) {
    map.emplace(storage, Leaf{leaf, source});
    if (map.size() < sweep_at) return;
    for (auto it = map.begin(); it != map.end();) {
      it = it->second.node.expired() ? map.erase(it) : std::next(it);
    }
    sweep_at = 2 * map.size() + 64;
  }
};
Leaves& leaves() {
  thread_local Leaves all;
  return all;
}

bool same_window(const NDArray& a, const NDArray& b) {
  return a.storage == b.storage && a.offset == b.offset && a.shape == b.shape &&
         a.strides == b.strides && a.dtype == b.dtype;
}

bool is_leaf_of(const SymNode& leaf, const NDArray& a) {
  if (leaf.kind != NodeKind::input) return false;  // taken back since
  return same_window(leaf.values[0], a) && leaf.versions[0] == a.storage->var.version.load();
}

// Arrays that this trace has written, while somebody else holds them.
struct Written {
  NDArray target;
  uint64_t version;
  ValueKey value;
  bool numpy;
};
std::unordered_map<const Storage*, Written>& written() {
  thread_local std::unordered_map<const Storage*, Written> all;
  return all;
}

bool& notes_writes() {
  thread_local bool notes = false;
  return notes;
}

// The recorded value that an array with contents has.
ValueKey source_of(const ArrayRef& array) {
  const NDArray& a = array.array;
  const uint64_t now = a.storage->var.version.load();
  const auto write = written().find(a.storage.get());
  if (write != written().end() && write->second.version == now &&
      same_window(write->second.target, a)) {
    return write->second.value;
  }
  if (!array.extra || !array.extra->entry.node) return {};
  const SymEntry& e = array.extra->entry;
  const auto out = static_cast<size_t>(e.out);
  const bool known = e.node->kind == NodeKind::op && out < e.node->values.size() &&
                     same_window(e.node->values[out], a) && e.node->versions.at(out) == now;
  return known ? ValueKey{e.node->serial, e.out} : ValueKey{};
}

}  // namespace

void clear_trace_leaves(bool begins) {
  leaves().map.clear();
  written().clear();
  notes_writes() = begins;
}

void forget_unheld_writes() {
  for (auto it = written().begin(); it != written().end();) {
    it = it->second.target.storage->ref_count() == 1 ? written().erase(it) : std::next(it);
  }
}

void note_trace_written(const NDArray& target, ValueKey value, bool numpy) {
  if (!notes_writes()) return;  // nobody would let go of the array
  forget_unheld_writes();
  written()[target.storage.get()] = {target, target.storage->var.version.load(), value, numpy};
}

void forget_numpy_contents(const Storage* storage) {
  for (auto it = written().begin(); it != written().end();) {
    const bool other = storage != nullptr && it->first != storage;
    it = other || !it->second.numpy ? std::next(it) : written().erase(it);
  }
}

ValueKey leaf_source(const SymNode& leaf) {
  const auto [first, last] = leaves().map.equal_range(leaf.values.at(0).storage.get());
  for (auto it = first; it != last; ++it) {
    if (it->second.node.lock().get() == &leaf) return it->second.source;
  }
  return {};
}

SymEntry trace_leaf(const ArrayRef& array) {
  const NDArray& a = array.array;
  const auto [first, last] = leaves().map.equal_range(a.storage.get());
  for (auto it = first; it != last; ++it) {
    SymNodeRef leaf = it->second.node.lock();
    if (leaf && is_leaf_of(*leaf, a)) return {std::move(leaf), 0};
  }
  auto node = std::make_shared<SymNode>();
  node->kind = NodeKind::input;
  node->values = {a};
  node->versions = {a.storage->var.version.load()};
  node->shapes = {a.shape};
  node->dtypes = {a.dtype};
  node->ctx = a.ctx();
  node->site = current_site();
  node->segment = thread_state().segment;
  node->serial = next_serial();
  node->traced = true;
  note_seen(a, node.get());
  leaves().add(a.storage.get(), node, source_of(array));
  note_pending_bytes(a.nbytes());
  return {node, 0};
}

// What waits to be written to the memory of `a`. It may be a variable's node where another array on
// that memory is the variable, whose gradient is not a's.
static SymEntry seen_by(const ArrayRef& a, const SymEntry& value) {
  const bool known = a.extra && a.extra->entry.node;
  const std::shared_ptr<void> own =
      known && variable_slot(*a.extra->entry.node) ? a.extra->entry.node->held : nullptr;
  if (variable_slot(*value.node) ? value.node->held == own : !own) return value;
  if (!own) return traced_window(value);
  trace_write(a.array, SymEntry(value), own, false);  // from here on it is this variable's
  return find_trace_write(a.array)->value;
}

SymEntry trace_entry(const ArrayRef& a) {
  if (!a.array.defined()) return a.extra->entry;
  if (awaits_write(a.array.storage.get())) {
    if (const TraceWrite* write = find_trace_write(a.array)) return seen_by(a, write->value);
    settle_trace_writes("a part of a written array is read");
  }
  if (a.extra && a.extra->entry.node) {
    if (variable_slot(*a.extra->entry.node)) return tape_entry(a, a.array);
    const bool recording = (thread_state().mode & kRecording) != 0;
    if (recording && has_history(*a.extra->entry.node)) return a.extra->entry;
  }
  return trace_leaf(a);
}

std::vector<ArrayRef> trace_op(const OpDef& op, const Attrs& attrs,
                               const std::vector<ArrayRef>& inputs, Context ctx,
                               const std::string& name, const std::string& scope) {
  check_arity(op, attrs, inputs.size());
  if (pending_is_enough()) run_pending();
  thread_local CallTypes types;
  types.clear();
  auto node = std::make_shared<SymNode>();
  node->inputs.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ArrayRef& a = inputs[i];
    const bool traced = !a.array.defined();
    if (traced && !(a.extra && a.extra->entry.node)) {
      fail(op.name, ": input '", input_name(op, i), "' has no value");
    }
    types.add_input(shape_of(a), dtype_of(a));
    const Context where = context_of(a);
    if (i == 0) ctx = where;
    if (where != ctx && !(where.is_cpu() && ctx.is_cpu())) {
      fail(op.name, ": '", input_name(op, 0), "' is on ", ctx.str(), ", '", input_name(op, i),
           "' on ", where.str(), "; copy one with as_in_context() first");
    }
    node->inputs.push_back(trace_entry(a));
  }
  infer_call(op, attrs, &types);
  if (inputs.empty()) check_device(op, ctx);
  if (is_device_copy(&op)) {
    before_trace_effect("it copies an array to another device");
    ctx = target_of_copy(attrs);
  }
  const size_t num_outputs = types.out_shapes.size();
  std::vector<ArrayRef> results(num_outputs);
  if (op.training_only && !draws_key(op, attrs, thread_state().training) &&
      !thread_state().training) {
    // Does nothing outside training; but the result is an array of its own, which may be written.
    static const Attrs copy(get_op("identity"));
    return trace_op(*copy.op(), copy, inputs, ctx, name, scope);
  }
  if (thread_state().mode & kRecording) {
    for (const SymEntry& e : node->inputs) {
      if (has_history(*e.node)) node->tape = Tape::recorded;
    }
  }
  node->traced = true;
  node->copies = op.view != nullptr && !thread_state().windows;
  node->kind = NodeKind::op;
  node->op = &op;
  node->attrs = attrs;
  node->name = name.empty() ? trace_name(op.name) : name;
  node->scope = scope;
  node->site = current_site();
  node->segment = thread_state().segment;
  if (draws_key(op, attrs, thread_state().training)) node->key = next_key();
  node->num_outputs = static_cast<int>(num_outputs);
  node->shapes = types.out_shapes;
  node->dtypes = types.out_dtypes;
  node->ctx = ctx;
  node->serial = next_serial();
  if (!op.control_flow) {  // what a loop will take, nobody knows
    note_pending(estimate_cost_ns(op, attrs, types.in_shapes, types.out_shapes,
                                  types.out_dtypes.empty() ? DType::float32 : types.out_dtypes[0]));
  }
  for (size_t i = 0; i < num_outputs; ++i) {
    results[i].extra = Ref<ArrayExtra>(new ArrayExtra);
    results[i].extra->entry = {node, static_cast<int>(i)};
    results[i].extra->traced = true;
  }
  return results;
}

}  // namespace hybrid
