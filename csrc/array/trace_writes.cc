#include "array/trace_writes.h"

#include <algorithm>

#include "array/history.h"
#include "array/old_value.h"
#include "core/error.h"
#include "launch/launch.h"
#include "plan/windows.h"

namespace hybrid {
namespace {

std::vector<TraceWrite>& table() {
  static auto* writes = new std::vector<TraceWrite>;
  return *writes;
}

TraceHooks hooks;

bool same_window(const NDArray& a, const NDArray& b) {
  return a.storage == b.storage && a.offset == b.offset && a.shape == b.shape &&
         a.strides == b.strides && a.dtype == b.dtype;
}

}  // namespace

const TraceWrite* find_trace_write(const NDArray& array) {
  if (thread_state().writes == 0) return nullptr;
  for (const TraceWrite& write : table()) {
    if (same_window(write.target, array)) return &write;
  }
  return nullptr;
}

bool awaits_write(const Storage* storage) {
  if (thread_state().writes == 0) return false;
  return std::any_of(table().begin(), table().end(),
                     [&](const TraceWrite& w) { return w.target.storage.get() == storage; });
}

const std::vector<TraceWrite>& trace_writes() { return table(); }

std::vector<TraceWrite> take_trace_writes() {
  thread_state().writes = 0;
  return std::exchange(table(), {});
}

void become_copy(SymNode* node, const SymEntry& value) {
  static const OpDef* copy = get_op("identity");
  node->kind = NodeKind::op;
  node->op = copy;
  node->attrs = Attrs(copy);
  node->inputs = {value};
  node->values.clear();
  node->versions.clear();
  node->seen.reset();
}

static SymNodeRef node_of_value(const SymEntry& value) {
  const auto out = static_cast<size_t>(value.out);
  auto node = std::make_shared<SymNode>();
  become_copy(node.get(), value);
  node->site = current_site();
  node->segment = thread_state().segment;
  node->shapes = {value.node->shapes.at(out)};
  node->dtypes = {value.node->dtypes.at(out)};
  node->ctx = value.node->ctx;
  node->serial = next_serial();
  node->traced = true;
  return node;
}

SymEntry traced_copy(const SymEntry& value, std::shared_ptr<void> slot) {
  SymNodeRef node = node_of_value(value);
  if (!slot && (thread_state().mode & kRecording) && has_history(*value.node)) {
    node->tape = Tape::recorded;
  }
  node->held = std::move(slot);
  return {node, 0};
}

SymEntry traced_window(const SymEntry& value) {
  static const OpDef* window = get_op("reshape");
  SymNodeRef node = node_of_value(value);
  node->op = window;
  node->attrs = Attrs(window);
  node->attrs.set("shape", node->shapes[0].to_vector());
  return {node, 0};
}

void make_leaf_of_copy(SymNode* node) {
  node->kind = NodeKind::input;
  node->op = nullptr;
  node->attrs = Attrs();
  node->inputs.clear();
}

void trace_write(const NDArray& target, const SymEntry& value, std::shared_ptr<void> slot,
                 bool shared) {
  before_trace_effect("an array is written in place");
  if (awaits_write(target.storage.get()) && !find_trace_write(target)) {
    settle_trace_writes("an array that shares memory with a written one is written");
  }
  const SymEntry own = slot || shared ? traced_copy(value, std::move(slot)) : value;
  const std::shared_ptr<void> holder = hooks.hold ? hooks.hold(own) : nullptr;
  for (TraceWrite& write : table()) {
    if (!same_window(write.target, target)) continue;
    write.value = own;
    write.holder = holder;
    return;
  }
  table().push_back({target, own, holder});
  thread_state().writes = static_cast<uint32_t>(table().size());
}

SymEntry memory_of(SymEntry entry) {
  while (entry.node && entry.node->is_window() && entry.out == 0 && entry.node->values.empty()) {
    const SymEntry& from = entry.node->inputs.at(0);
    const Shape& in = from.node->shapes.at(static_cast<size_t>(from.out));
    const TensorView window{nullptr, from.node->dtypes.at(static_cast<size_t>(from.out)), in,
                            contiguous_strides(in)};
    Shape shape, strides;
    int64_t offset = 0;
    if (!entry.node->op->view(entry.node->attrs, window, &shape, &strides, &offset)) break;
    if (repeats(shape, strides)) break;  // a broadcast result has memory of its own
    entry = from;
  }
  return entry;
}

void note_overwritten(const SymEntry& entry) {
  if (keeps_old_values()) return;
  const SymEntry memory = memory_of(entry);
  if (has_history(*memory.node)) memory.node->overwritten = true;
}

void set_trace_hooks(const TraceHooks& given) { hooks = given; }

void settle_trace_writes(const char* why) {
  if (thread_state().writes != 0 && hooks.settle) hooks.settle(why);
}

void before_trace_effect(const char* what) {
  if (hooks.effect) hooks.effect(what);
}

void run_pending() {
  if ((thread_state().mode & kRecording) != 0 || !hooks.run) return;
  const uint32_t site = current_site();
  hooks.run();
  thread_state().site = site;  // of the operator that is recorded next
}

}  // namespace hybrid
