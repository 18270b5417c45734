// The tape: recorded operators as nodes that keep their values and the versions of their memory.
#include "array/old_value.h"
#include "array/trace_writes.h"
#include "core/error.h"
#include "launch/launch.h"
#include "tape/tape.h"

namespace hybrid {
namespace {

uint64_t version_of(const NDArray& a) {
  return a.storage->var.version.load(std::memory_order_relaxed);
}

SymNodeRef make_leaf(const NDArray& value) {
  auto node = std::make_shared<SymNode>();
  node->kind = NodeKind::input;
  node->values = {value};
  node->versions = {version_of(value)};
  node->shapes = {value.shape};
  node->dtypes = {value.dtype};
  node->ctx = value.ctx();
  node->site = current_site();
  node->serial = next_serial();
  note_seen(value, node.get());
  return node;
}

}  // namespace

const SymEntry* standing_entry(const ArrayRef& a) {
  if (a.array.defined()) {
    if (const TraceWrite* write = find_trace_write(a.array)) return &write->value;
  }
  return a.extra && a.extra->entry.node ? &a.extra->entry : nullptr;
}

bool has_history(const ArrayRef& a) {
  const SymEntry* entry = standing_entry(a);
  return entry != nullptr && has_history(*entry->node);
}

SymEntry tape_entry(const ArrayRef& a, const NDArray& value) {
  if (!has_history(a)) return {make_leaf(value), 0};
  SymEntry& entry = a.extra->entry;
  // A variable written since its node was made (a trainer's step): this use sees the new value.
  if (entry.node->kind == NodeKind::input && entry.node->versions[0] != version_of(value)) {
    SymNodeRef fresh = make_leaf(value);
    fresh->held = entry.node->held;
    fresh->name = entry.node->name;
    entry = {fresh, 0};
  }
  return entry;
}

std::vector<ArrayRef> record(const OpDef& op, const Attrs& attrs,
                             const std::vector<ArrayRef>& inputs,
                             const std::vector<NDArray>& values,
                             const std::vector<NDArray>& results, uint64_t key,
                             std::shared_ptr<void> held) {
  auto node = std::make_shared<SymNode>();
  node->inputs.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    node->inputs.push_back(tape_entry(inputs[i], values[i]));
  }
  for (const SymEntry& e : node->inputs) node->traced = node->traced || e.node->traced;
  node->kind = NodeKind::op;
  node->tape = Tape::recorded;
  node->op = &op;
  node->attrs = attrs;
  node->site = current_site();
  node->key = key;
  node->num_outputs = static_cast<int>(results.size());
  node->values = results;
  node->held = std::move(held);
  for (const NDArray& r : results) {
    node->versions.push_back(version_of(r));
    node->shapes.push_back(r.shape);
    node->dtypes.push_back(r.dtype);
  }
  node->ctx = results.at(0).ctx();
  node->serial = next_serial();
  std::vector<ArrayRef> refs(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    refs[i].array = results[i];
    refs[i].extra = Ref<ArrayExtra>(new ArrayExtra);
    refs[i].extra->entry = {node, static_cast<int>(i)};
  }
  return refs;
}

std::vector<ArrayRef> run_recorded(const OpDef& op, const Attrs& attrs,
                                   const std::vector<ArrayRef>& inputs, uint64_t key, Context ctx) {
  std::vector<NDArray> values;
  bool history = false;
  for (const ArrayRef& a : inputs) {
    values.push_back(concrete(a));
    history = history || has_history(a);
  }
  std::vector<NDArray> results = run_op(op, attrs, values, key, nullptr, ctx);
  if (history) return record(op, attrs, inputs, values, results, key);
  std::vector<ArrayRef> refs(results.size());
  for (size_t i = 0; i < results.size(); ++i) refs[i].array = std::move(results[i]);
  return refs;
}

std::string describe_node(const SymNode& node) {
  std::string text = node.op ? node.op->name : node.name.empty() ? "an input" : node.name;
  const std::string line = line_of(node.site);
  return line.empty() ? text : text + " (" + line + ")";
}

void check_not_freed(const SymNode& node) {
  if (!is_freed(node)) return;
  fail("backward: what ", describe_node(node),
       " computed was freed by an earlier backward(); give "
       "that one retain_graph=True to differentiate twice");
}

NDArray saved_value(const SymNode& node, int out) {
  check_not_freed(node);
  if (out >= static_cast<int>(node.values.size()) || !node.values[out].defined()) {
    fail("backward: the value of ", describe_node(node), " was not kept");
  }
  const NDArray& value = node.values[out];
  if (version_of(value) != node.versions[out]) {
    if (const std::optional<NDArray> kept = kept_value(node, out)) return *kept;
    fail("backward: the gradient needs the value of ", describe_node(node),
         ", which was overwritten after it was recorded");
  }
  return value;
}

}  // namespace hybrid
