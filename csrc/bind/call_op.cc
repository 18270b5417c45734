// Running operators for Python, and the rules of writing into arrays.
#include <algorithm>
#include <cstring>

#include "array/old_value.h"
#include "array/trace_writes.h"
#include "bind/invoke.h"
#include "bind/site.h"
#include "bind/trace_graph.h"
#include "bind/trace_writes.h"
#include "call/invoke.h"
#include "engine/engine.h"
#include "launch/launch.h"
#include "ops/copy_to_device.h"
#include "tape/tape.h"
#include "trace/trace_gradient.h"
#include "trace/trace_op.h"

namespace hybrid {
namespace bind {

namespace {

thread_local std::string node_name, node_scope;

// Work above this many elements may take longer than giving the GIL away and back.
constexpr int64_t kLongElements = 4096;

bool may_take_long(const OpDef& op, const std::vector<ArrayRef>& inputs) {
  if (inputs.empty() || op.family == Family::linear || op.family == Family::conv) return true;
  int64_t elements = 0;
  for (const ArrayRef& a : inputs) {
    if (!a.array.defined()) return true;  // will be computed
    elements += a.array.shape.size();
  }
  // A full queue makes the push wait.
  return elements > kLongElements || engine::pending() > 1000;
}

bool same_entry(const SymEntry& a, const SymEntry& b) { return a.node == b.node && a.out == b.out; }

struct View {
  py::object array;
  SymEntry entry;
};

// Everything recorded so far is computed: the materialize hook gets all live traced arrays.
void compute_traced() {
  for (const py::object& array : live_traced_arrays()) value_of(as_array(array.ptr()));
}

// The value at `entry`, by the view operators between it and `base`, as a window on base's memory.
NDArray replay(const SymEntry& entry, const SymEntry& base, const NDArray& value) {
  if (same_entry(entry, base)) return value;
  const NDArray from = replay(entry.node->inputs.at(0), base, value);
  return run_op(*entry.node->op, entry.node->attrs, {from}, 0).at(0);
}

// What is recorded with these goes on from a value that is gone, with the new contents: the tape
// does that, a trace can't.
bool uses_overwritten(const std::vector<ArrayRef>& inputs) {
  if ((thread_state().mode & kRecording) == 0) return false;
  return std::any_of(inputs.begin(), inputs.end(), [](const ArrayRef& a) {
    if (!a.array.defined() || !a.extra || !a.extra->entry.node) return false;
    const SymNode& node = *a.extra->entry.node;
    const auto out = static_cast<size_t>(a.extra->entry.out);
    if (node.kind != NodeKind::op || !has_history(node) || variable_slot(node)) return false;
    if (awaits_write(a.array.storage.get())) return true;
    return out < node.versions.size() && node.values.at(out).defined() &&
           node.versions[out] != node.values[out].storage->var.version.load();
  });
}

const NDArray* known_value(const SymEntry& entry) {
  const auto out = static_cast<size_t>(entry.out);
  const std::vector<NDArray>& values = entry.node->values;
  return out < values.size() && values[out].defined() ? &values[out] : nullptr;
}

// `a` shares its memory with other live arrays: gives the whole family real shared memory.
void make_family_concrete(const SymEntry& base, const std::vector<View>& family) {
  ArrayRef ref;
  ref.extra = Ref<ArrayExtra>(new ArrayExtra);
  ref.extra->entry = base;
  ref.extra->traced = base.node->values.empty();
  const py::object holder = ref.extra->traced ? wrap(std::move(ref)) : py::object();
  compute_traced();
  const NDArray value = base.node->values.at(static_cast<size_t>(base.out));
  for (const View& view : family) {
    PyArray* member = as_array(view.array.ptr());
    const bool variable = member->ref.extra && member->ref.extra->variable;
    if (variable && same_entry(view.entry, base)) {  // it keeps its gradient
      if (is_traced(member)) set_array_value(member, value);
      continue;
    }
    const NDArray window = replay(view.entry, base, value);
    if (has_history(*view.entry.node)) {  // so does what was recorded
      set_array_value(member, window);
    } else {
      rebind(member, ArrayRef{window, Ref<ArrayExtra>()});
    }
  }
}

}  // namespace

std::vector<ArrayRef> call_op(const OpDef& op, const Attrs& attrs,
                              const std::vector<ArrayRef>& inputs, const std::vector<ArrayRef>* out,
                              Context ctx) {
  mark_site();
  try {
    const bool traced = tracing() && !leaves_call();
    const bool overwritten = traced && uses_overwritten(inputs);
    const bool meets = traced && !op.meeting_key(attrs).empty();
    if (traced && !overwritten && !meets) {
      return trace_op(op, attrs, inputs, ctx, node_name, node_scope);
    }
    if (overwritten) leave_trace_for("a recorded array that was overwritten is used again");
    if (meets) end_trace_for(kMeets);
    const ModeScope mode(thread_state().mode & ~static_cast<uint32_t>(kTracing));
    const PushScope push(may_take_long(op, inputs));
    return invoke(op, attrs, inputs, out, ctx);
  } catch (const engine::Interrupted&) {
    throw;
  } catch (const Error& e) {  // from below the operators: memory, sizes
    if (std::strstr(e.what(), op.name) != nullptr) throw;
    fail(op.name, ": ", e.what());
  }
}

NodeNameScope::NodeNameScope(std::string name)
    : saved_(std::exchange(node_name, std::move(name))) {}
NodeNameScope::~NodeNameScope() { node_name = std::move(saved_); }
std::string set_scope(std::string scope) { return std::exchange(node_scope, std::move(scope)); }
const std::string& current_scope() { return node_scope; }

ArrayRef call_one(const OpDef& op, const Attrs& attrs, const std::vector<ArrayRef>& inputs) {
  return std::move(call_op(op, attrs, inputs).at(0));
}

ArrayRef call_reshape(const ArrayRef& ref, const Shape& shape) {
  Attrs attrs(get_op("reshape"));
  attrs.set("shape", shape.to_vector());
  return call_one(*attrs.op(), attrs, {ref});
}

ArrayRef moved_to(Context home, const ArrayRef& a) {
  if (context_of(a) == home) return a;
  return call_one(*copy_to_device_op(), copy_to_device_attrs(home), {a});
}

void require_same_dtype(const char* op, const ArrayRef& a, const ArrayRef& b) {
  const DType x = dtype_of(a), y = dtype_of(b);
  if (x == y) return;
  fail(op, ": one array is ", dtype_name(x), ", the other ", dtype_name(y),
       ", expected one dtype; write .astype('", dtype_name(x), "') after the ", dtype_name(y),
       " one");
}

void set_array_values(const std::vector<PyArray*>& arrays, const std::vector<NDArray>& values,
                      const std::vector<bool>& alias) {
  for (const bool windows : {false, true}) {  // what others are windows of comes first
    for (size_t i = 0; i < arrays.size(); ++i) {
      PyArray* a = arrays[i];
      const bool traced = is_traced(a);
      const SymEntry entry = traced ? a->ref.extra->entry : SymEntry{};
      const bool shares = traced && alias[i] && !a->separate;
      const SymEntry base = shares ? memory_of(entry) : entry;
      if ((traced && !same_entry(base, entry)) != windows) continue;
      // Another object may be of the very same entry, and have its value by now.
      const NDArray* memory = shares ? known_value(base) : nullptr;
      set_array_value(a, memory != nullptr ? replay(entry, base, *memory) : values[i]);
      if (memory == nullptr || !windows) continue;
      // A window on what is to be written somewhere is one on that place; what was recorded from it
      // reads the value, which is not there yet.
      for (const TraceWrite& write : trace_writes()) {
        if (same_entry(write.value, base)) a->ref.array = replay(entry, base, write.target);
      }
    }
  }
}

std::vector<std::vector<py::object>> alias_groups(const std::vector<py::object>& arrays) {
  struct Group {
    SymEntry base;
    std::vector<py::object> members;
    bool has_base = false;
  };
  std::vector<Group> groups;
  for (const py::object& array : arrays) {
    PyArray* a = as_array(array.ptr());
    if (!is_traced(a) || a->separate) continue;
    const SymEntry entry = a->ref.extra->entry;
    const SymEntry base = memory_of(entry);
    if (known_value(base) != nullptr) continue;  // its memory is there already
    Group* found = nullptr;
    for (Group& group : groups) {
      if (same_entry(group.base, base)) found = &group;
    }
    if (found == nullptr) {
      groups.push_back({base, {}, false});
      found = &groups.back();
    }
    found->members.push_back(array);
    found->has_base = found->has_base || same_entry(base, entry);
  }
  std::vector<std::vector<py::object>> result;
  for (Group& group : groups) {
    if (group.members.size() < 2) continue;
    if (!group.has_base) {
      ArrayRef ref;
      ref.extra = Ref<ArrayExtra>(new ArrayExtra);
      ref.extra->entry = group.base;
      ref.extra->traced = true;
      group.members.push_back(wrap(std::move(ref)));
    }
    result.push_back(std::move(group.members));
  }
  return result;
}

// Live arrays that are, or are windows on, the value of `entry`, other than the write's own holder.
static std::vector<View> windows_on(const SymEntry& entry, const void* holder) {
  std::vector<View> views;
  for (const py::object& other : live_traced_arrays()) {
    const SymEntry& e = as_array(other.ptr())->ref.extra->entry;
    if (other.ptr() != holder && same_entry(memory_of(e), entry)) views.push_back({other, e});
  }
  return views;
}

// Its memory is held by this object, a leaf of the trace and the node that computed it alone.
static bool holders_known(const PyArray* a) {
  const NDArray& array = a->ref.array;
  int known = 2;
  if (a->ref.extra && a->ref.extra->entry.node) {
    for (const NDArray& value : a->ref.extra->entry.node->values) {
      known += value.defined() && value.storage == array.storage;
    }
  }
  return covers_storage(array) && array.storage->ref_count() <= known;
}

namespace {

thread_local int64_t num_writes = 0;

Write how_to_write(PyArray* a, const char* op, bool is_output) {
  if (!tracing()) {
    value_of(a);
    return Write::now;
  }
  const bool recording = (thread_state().mode & kRecording) != 0;
  require(!recording || !has_history(a->ref), op,
          ": cannot write into an array that is part of a recorded graph: Inplace operations "
          "(+=, -=, x[:]=, etc) are not supported when recording with autograd; "
          "inside autograd.record() write y = y + 1 instead of y += 1 or y[:] = ...");
  // Another object of the same value was computed: windows may be on that memory.
  if (is_traced(a) && known_value(a->ref.extra->entry) != nullptr) value_of(a);
  // A recorded array keeps its history when it is written outside record(): the tape refuses what
  // needs the old contents, as it does without a cell.
  const ArrayExtra* extra = a->ref.extra.get();
  const bool recorded =
      extra != nullptr && extra->entry.node && !extra->variable && has_history(*extra->entry.node);
  if (!is_traced(a)) {
    const ArrayRef& ref = a->ref;
    const SymEntry entry = trace_entry(ref);
    const TraceWrite* waits = find_trace_write(ref.array);
    // Held by this object and by the leaf's node, and by nobody who would miss the write.
    const bool external = ref.array.storage->release_external != nullptr;
    const bool alone = ref.array.storage->ref_count() <= 2 && !ref.extra && !external && !waits;
    const std::vector<View> views = windows_on(entry, waits ? waits->holder.get() : nullptr);
    if (!views.empty()) {  // the write must reach them
      settle_trace_writes("an array with recorded windows on it is written");
      make_family_concrete(entry, views);
      return Write::now;
    }
    if (alone) return Write::rebind;
    // Windows would be read from memory next, so the write waits only where there are likely none:
    // in variables, gradients, an optimizer's states, and what an earlier cell has computed.
    const bool trained = (ref.extra && ref.extra->variable) || ref.array.storage->of_gradient;
    const bool no_windows = (is_output && covers_storage(ref.array)) || holders_known(a);
    if (!external && !recorded && (trained || waits || no_windows)) return Write::later;
    note_overwritten(entry);
    compute_traced();
    settle_trace_writes("an array that others hold is written");
    return Write::now;
  }
  const SymEntry entry = a->ref.extra->entry;
  const SymEntry base = memory_of(entry);
  std::vector<View> family;
  bool shared = false;
  for (const py::object& other : live_traced_arrays()) {
    const SymEntry& e = as_array(other.ptr())->ref.extra->entry;
    if (!same_entry(memory_of(e), base)) continue;
    family.push_back({other, e});
    shared = shared || as_array(other.ptr()) != a;
  }
  // A window on memory that is there, an input's or what was computed: that is written too.
  const bool of_known = known_value(base) != nullptr && !same_entry(entry, base);
  if (!shared && !of_known && !recorded) return Write::rebind;
  note_overwritten(base);
  make_family_concrete(base, family);
  settle_trace_writes("an array that shares memory is written");
  return Write::now;
}

}  // namespace

Write before_write(PyArray* a, const char* op, bool is_output) {
  const bool is_there = !is_traced(a);
  const Write how = how_to_write(a, op, is_output);
  if (keeps_old_values() && a->ref.array.defined()) keep_old_value(a->ref);
  num_writes += is_there || how == Write::now;
  return how;
}

int64_t count_writes() { return num_writes; }

void store_result(PyArray* target, ArrayRef result, Write how) {
  if (how != Write::now) {
    result = moved_to(context_of(target->ref), result);  // an array stays on its device
    // Not before: an operator that was refused has overwritten nothing.
    const SymEntry before = trace_entry(target->ref);
    note_overwritten(before);
    if (how == Write::rebind && !is_traced(target)) note_written_leaf(target, before.node);
  }
  if (how == Write::rebind) {
    ArrayExtra* extra = is_traced(target) ? target->ref.extra.get() : nullptr;
    if (extra != nullptr && extra->variable) {
      before_trace_effect("a variable is written in place");
      write_traced_variable(extra, trace_entry(result));
      touch_traced();
    } else {
      rebind(target, std::move(result));
    }
  } else if (how == Write::later) {
    const ArrayRef& ref = target->ref;
    std::shared_ptr<void> slot;
    if (ref.extra && ref.extra->variable) slot = ref.extra->entry.node->held;
    // Nobody else holds a result: who writes what others hold copies it first.
    trace_write(ref.array, trace_entry(result), std::move(slot), false);
  } else if (result.extra && result.extra->entry.node) {
    target->ref.extra = result.extra;  // recorded: gradients flow through the new value
  }
}

}  // namespace bind
}  // namespace hybrid
