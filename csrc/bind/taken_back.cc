// Taking back: values of recorded programs that an interruption has ended are recorded again.
#include "bind/taken_back.h"

#include <algorithm>
#include <deque>
#include <unordered_set>

#include "array/old_value.h"
#include "array/trace_writes.h"
#include "engine/engine.h"
#include "kernels/host_copy.h"
#include "launch/launch.h"
#include "trace/pending.h"

namespace hybrid {
namespace bind {

namespace {

// An array object's value. History and memory are held until the program is known to be done.
struct Value {
  py::object array;
  SymEntry entry;
  NDArray value;
  bool forgets;
};

struct UnderWay {
  std::deque<StorageRef> order;
  std::unordered_set<const Storage*> storages;  // the same
  std::deque<Value> values;
};
UnderWay& under_way() {
  static UnderWay* all = new UnderWay;
  return *all;
}

bool is_written(const Storage& s) { return s.var.pending_writes.load() != 0; }

void let_go(const Value& value) {
  if (value.forgets) forget_history(value.entry.node.get());
}

void wait_for_all() {
  UnderWay& all = under_way();
  for (size_t i = 0; i < all.order.size();) {
    const StorageRef storage = all.order[i];
    if (!is_written(*storage)) {
      ++i;
      continue;
    }
    const MaybeReleaseGil released(true);
    engine::wait_until_written(storage.get());
    i = 0;  // other threads may have changed the list
  }
}

NDArray& slot(const SymEntry& e) { return e.node->values.at(static_cast<size_t>(e.out)); }

bool same_window(const NDArray& a, const NDArray& b) {
  return a.storage == b.storage && a.offset == b.offset && a.shape == b.shape &&
         a.strides == b.strides && a.dtype == b.dtype;
}

std::vector<SymEntry> entries_of(const std::vector<Value>& values) {
  std::vector<SymEntry> entries;
  for (const Value& v : values) entries.push_back(v.entry);
  return entries;
}

// What was recorded on from a lost value, as an input, is recorded on from where that is recorded.
void join_leaves(const std::vector<Value>& lost) {
  std::vector<SymEntry> heads = entries_of(lost);
  for (const py::object& array : live_traced_arrays()) {
    heads.push_back(as_array(array.ptr())->ref.extra->entry);
  }
  for (const SymEntry& stop : pending_for(heads).stops) {
    SymNode& leaf = *stop.node;
    if (leaf.kind != NodeKind::input) continue;
    const NDArray value = slot(stop);
    const auto source = std::find_if(lost.begin(), lost.end(),
                                     [&](const Value& v) { return same_window(v.value, value); });
    if (source != lost.end()) become_copy(&leaf, source->entry);
  }
}

// All that it is computed from is there, or recorded.
bool can_be_computed(const std::vector<SymEntry>& wanted) {
  const Pending pending = pending_for(wanted);
  if (!pending.plain) return false;
  return std::all_of(pending.stops.begin(), pending.stops.end(), [](const SymEntry& stop) {
    const Storage& storage = *slot(stop).storage;
    const auto out = static_cast<size_t>(stop.out);
    const std::vector<uint64_t>& versions = stop.node->versions;
    const bool unchanged = out >= versions.size() || versions[out] == storage.var.version.load();
    return unchanged && !engine::was_discarded(storage);
  });
}

// Leaves those that can be; the others have their lost values back.
void keep_computable(std::vector<Value>* lost) {
  if (can_be_computed(entries_of(*lost))) return;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto v = lost->begin(); v != lost->end();) {
      if (can_be_computed({v->entry})) {
        ++v;
        continue;
      }
      slot(v->entry) = v->value;
      v = lost->erase(v);
      changed = true;
    }
  }
}

void make_pending(const Value& lost) {
  PyArray* array = as_array(lost.array.ptr());
  if (!same_window(array->ref.array, lost.value)) return;  // it stands for something else by now
  ArrayRef ref;
  ref.extra = Ref<ArrayExtra>(new ArrayExtra);
  ref.extra->entry = lost.entry;
  ref.extra->traced = true;
  rebind(array, std::move(ref));
}

// Ends what is under way.
void take_back() {
  forget_done();
  if (under_way().order.empty()) return;
  engine::take_back_recorded();
  take_back_discarded();
}

bool can_be_taken_back(const py::sequence& arrays) {
  std::vector<SymEntry> heads;
  for (const py::handle array : arrays) {
    const ArrayRef& ref = peek_ref(array.ptr());
    if (ref.extra && ref.extra->variable) return false;
    if (!ref.array.defined()) heads.push_back(ref.extra->entry);
  }
  return pending_for(heads).plain;
}

double cost_of(const SymNode& node) {
  if (node.op == nullptr) return 0;
  std::vector<Shape> shapes;
  for (const SymEntry& input : node.inputs) {
    shapes.push_back(input.node->shapes.at(static_cast<size_t>(input.out)));
  }
  return estimate_cost_ns(*node.op, node.attrs, shapes, node.shapes, node.dtypes.at(0));
}

// What arrays are computed from becomes theirs alone, where copies of it cost less than they do.
bool own_inputs(const py::sequence& arrays) {
  constexpr double kShortNs = 20e6, kCopiedBytesPerNs = 2;
  std::vector<SymEntry> heads;
  for (const py::handle array : arrays) {
    const ArrayRef& ref = peek_ref(array.ptr());
    if (!ref.array.defined()) heads.push_back(ref.extra->entry);
  }
  const Pending pending = pending_for(heads);
  if (!pending.plain) return false;
  double ns = 0, bytes = 0;
  bool endless = false;
  for (const SymNode* node : pending.nodes) {
    ns += cost_of(*node);
    endless = endless || (node->op != nullptr && runs_programs(*node->op));
  }
  std::vector<SymEntry> others;
  for (const SymEntry& stop : pending.stops) {
    const NDArray& value = slot(stop);
    const bool waits = awaits_write(value.storage.get());
    if (!waits && value.storage->release_external == nullptr) continue;
    if (waits || stop.node->kind != NodeKind::input) return false;
    others.push_back(stop);
    bytes += static_cast<double>(value.nbytes());
  }
  if (!endless && ns < std::max(kShortNs, bytes / kCopiedBytesPerNs)) return false;
  std::vector<NDArray> copies;
  for (const SymEntry& stop : others) {
    const NDArray value = slot(stop);  // memory of the host's, which nobody of ours writes
    const MaybeReleaseGil released(true);
    copies.push_back(NDArray::empty(value.shape, value.dtype, value.ctx()));
    copy_to_host(value, copies.back().data(), static_cast<size_t>(value.nbytes()));
  }
  for (size_t i = 0; i < others.size(); ++i) {
    SymNode& leaf = *others[i].node;
    leaf.values = {copies[i]};
    leaf.versions = {copies[i].storage->var.version.load()};
    leaf.seen.reset();
  }
  return true;
}

}  // namespace

void forget_done() {
  UnderWay& all = under_way();  // the oldest come first
  while (!all.order.empty() && !is_written(*all.order.front()) &&
         !engine::was_discarded(*all.order.front())) {
    all.storages.erase(all.order.front().get());
    all.order.pop_front();
  }
  while (!all.values.empty() && all.storages.count(all.values.front().value.storage.get()) == 0) {
    const Value done = std::move(all.values.front());
    all.values.pop_front();
    let_go(done);
  }
}

Submission::Submission(OnInterrupt on_interrupt) : before_(thread_state().on_interrupt) {
  forget_done();
  if (on_interrupt == OnInterrupt::go_on) wait_for_all();
  thread_state().on_interrupt = on_interrupt;
}

void Submission::made(const std::vector<NDArray>& results) const {
  if (thread_state().on_interrupt != OnInterrupt::take_back) return;
  UnderWay& all = under_way();
  for (const NDArray& result : results) {
    if (is_written(*result.storage) && all.storages.insert(result.storage.get()).second) {
      all.order.push_back(result.storage);
    }
  }
}

bool keep_until_done(PyArray* array, const NDArray& value, bool forgets) {
  UnderWay& all = under_way();
  if (all.storages.count(value.storage.get()) == 0) return false;
  all.values.push_back({py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(array)),
                        array->ref.extra->entry, value, forgets});
  return true;
}

void wait_until_done(const NDArray& value) {
  if (under_way().storages.count(value.storage.get()) == 0) return;
  const StorageRef held = value.storage;
  const MaybeReleaseGil released(true);
  engine::wait_until_written(held.get());
}

void take_back_discarded() {
  if (under_way().order.empty()) return;
  wait_for_all();
  UnderWay& all = under_way();
  all.order.clear();
  all.storages.clear();
  std::vector<Value> lost;
  for (Value& v : std::exchange(all.values, {})) {
    if (engine::was_discarded(*v.value.storage)) {
      lost.push_back(std::move(v));
    } else {
      let_go(v);
    }
  }
  if (lost.empty()) return;
  for (const Value& v : lost) slot(v.entry) = NDArray();
  join_leaves(lost);
  keep_computable(&lost);
  for (const Value& v : lost) make_pending(v);
}

void bind_taken_back(py::module_& m) {
  m.def("take_back", &take_back,
        "Ends the recorded programs that are under way; what they compute is pending again.");
  m.def("can_be_taken_back", &can_be_taken_back, py::arg("arrays"),
        "Nothing but these arrays comes of computing them.");
  m.def("own_inputs", &own_inputs, py::arg("arrays"),
        "Copies what others may write of what these traced arrays are computed from. False, and "
        "nothing is copied, where computing them is as cheap.");
}

}  // namespace bind
}  // namespace hybrid
