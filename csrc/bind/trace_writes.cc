#include "bind/trace_writes.h"

#include <set>
#include <utility>

#include "array/old_value.h"
#include "array/trace_writes.h"
#include "bind/create.h"
#include "bind/invoke.h"
#include "bind/taken_back.h"
#include "bind/trace_graph.h"
#include "launch/run_op.h"
#include "tape/autograd.h"
#include "tape/tape_graph.h"
#include "trace/pending.h"
#include "trace/trace_op.h"

namespace hybrid {
namespace bind {

namespace {

PyObject* settle_hook = nullptr;  // (why)
PyObject* effect_hook = nullptr;  // (what)
PyObject* leave_hook = nullptr;   // (why)
PyObject* run_hook = nullptr;     // (why)
PyObject* end_hook = nullptr;     // (why)
PyObject* aside_hook = nullptr;   // (operators, steps) -> whether the trace is put aside

py::object traced_object(const SymEntry& entry) {
  ArrayRef ref;
  ref.extra = Ref<ArrayExtra>(new ArrayExtra);
  ref.extra->entry = entry;
  ref.extra->traced = true;
  return wrap(std::move(ref));
}

// A traced object: it is live, so the cell computes it.
std::shared_ptr<void> hold(const SymEntry& value) {
  const py::gil_scoped_acquire gil;
  return {traced_object(value).release().ptr(), [](void* object) {
            const py::gil_scoped_acquire held;
            Py_DECREF(static_cast<PyObject*>(object));
          }};
}

void call(PyObject* hook, const char* text) {
  const py::gil_scoped_acquire gil;
  if (hook != nullptr) py::reinterpret_borrow<py::object>(hook)(text);
}

py::object holder_of(const TraceWrite& write) {
  return py::reinterpret_borrow<py::object>(static_cast<PyObject*>(write.holder.get()));
}

// Every write whose value is known, in order; what they overwrite is computed first by those who
// call this.
void finish_writes() {
  for (const TraceWrite& write : trace_writes()) {
    PyArray* holder =
        as_array(write.holder.get() ? static_cast<PyObject*>(write.holder.get()) : nullptr);
    wait_until_done(peek_ref(reinterpret_cast<PyObject*>(holder)).array);
    require(!is_traced(holder), "finish_trace_writes: a written value was not computed");
  }
  const ModeScope mode(kEager);
  for (const TraceWrite& write : take_trace_writes()) {
    PyArray* holder = as_array(static_cast<PyObject*>(write.holder.get()));
    const NDArray value = holder->ref.array;
    const NDArray& to = write.target;  // a program may have computed it there
    const bool there = value.storage == to.storage && value.offset == to.offset &&
                       value.shape == to.shape && value.strides == to.strides;
    if (!there) {
      const PushScope push(value.shape.size() > 4096);
      copy_array(value, write.target);
    }
    // One memory from here on: the copy is freed, and a later write to the array is noticed.
    SymNode& node = *write.value.node;
    const auto out = static_cast<size_t>(write.value.out);
    node.values.at(out) = write.target;
    node.versions.at(out) = write.target.storage->var.version.load();
    if (node.kind == NodeKind::input) note_seen(write.target, &node);
    holder->ref.array = write.target;
    note_trace_written(write.target, {node.serial, write.value.out});
  }
}

py::list writes() {
  py::list list;
  for (const TraceWrite& write : trace_writes()) {
    list.append(py::make_tuple(holder_of(write), trace_input_object(write.target)));
  }
  return list;
}

py::list tape_values(const py::sequence& arrays) {
  std::vector<ArrayRef> heads;
  for (const py::handle array : arrays) heads.push_back(peek_ref(array.ptr()));
  std::set<std::pair<const SymNode*, int>> written;  // computed anyway
  for (const TraceWrite& write : trace_writes()) {
    written.emplace(write.value.node.get(), write.value.out);
  }
  py::list list;
  for (const SymEntry& entry : unkept_values(heads)) {
    if (written.count({entry.node.get(), entry.out}) == 0) list.append(traced_object(entry));
  }
  return list;
}

uint32_t suspend_trace(const std::string& why) {
  const uint32_t mode = thread_state().mode;
  if (!tracing()) return mode;
  before_trace_effect(why.c_str());
  thread_state().mode = kEager;
  return mode;
}

void replace(PyObject** hook, const py::object& with) {
  PyObject* old = *hook;
  *hook = with.is_none() ? nullptr : py::object(with).release().ptr();
  Py_XDECREF(old);
}

}  // namespace

void leave_trace_for(const char* why) { call(leave_hook, why); }

void end_trace_for(const char* why) { call(end_hook, why); }

bool put_trace_aside(int64_t operators, int steps) {
  return aside_hook != nullptr && py::handle(aside_hook)(operators, steps).cast<bool>();
}

void bind_trace_writes(py::module_& m) {
  set_trace_hooks({&hold, [](const char* why) { call(settle_hook, why); },
                   [](const char* what) { call(effect_hook, what); },
                   [] {
                     forget_pending();
                     call(run_hook, "enough work waits");
                   }});
  m.def(
      "set_trace_hooks",
      [](const py::object& settle, const py::object& effect, const py::object& leave,
         const py::object& run, const py::object& aside, const py::object& end) {
        replace(&settle_hook, settle);
        replace(&effect_hook, effect);
        replace(&leave_hook, leave);
        replace(&run_hook, run);
        replace(&aside_hook, aside);
        replace(&end_hook, end);
      },
      py::arg("settle"), py::arg("effect"), py::arg("leave"), py::arg("run"), py::arg("aside"),
      py::arg("end"),
      "settle(why): computes and does the writes that wait. effect(what): the trace is about to "
      "change something outside it. leave(why): computes everything. run(why): computes what is "
      "recorded, so that not too much waits. aside(operators, steps): a call has recorded so many, "
      "and called backward() so often; computes everything and returns True where its rest is to "
      "run imperatively. end(why): computes everything, and nothing more is recorded.");
  m.def("trace_writes", &writes,
        "(traced array of the new value, array that will be written) of every write that waits.");
  m.def("finish_trace_writes", &finish_writes,
        "Does the writes that wait; each new value must have been computed.");
  m.def(
      "drop_trace_writes",
      [] {
        take_trace_writes();
        clear_trace_leaves(false);
      },
      "All of the trace is computed: forgets the writes that wait, and what it was computed from.");
  m.def(
      "note_contents",
      [](const py::object& read, const py::object& computed) {
        const NDArray& memory = peek_ref(read.ptr()).array;
        const ArrayRef& value = peek_ref(computed.ptr());
        if (!memory.defined() || !value.extra || !value.extra->entry.node) return;
        note_trace_written(memory, {value.extra->entry.node->serial, value.extra->entry.out}, true);
      },
      py::arg("read"), py::arg("computed"),
      "The memory of an ndarray that is read holds what the cell has computed, until "
      "forget_contents().");
  m.def(
      "forget_contents",
      [](const py::object& read) {
        forget_numpy_contents(read.is_none() ? nullptr : peek_ref(read.ptr()).array.storage.get());
      },
      py::arg("read") = py::none(), "An ndarray, None: any, may have been written by others.");
  m.def(
      "hold_trace_writes",
      [](bool on) {
        thread_state().writes = on ? 0 : static_cast<uint32_t>(trace_writes().size());
      },
      py::arg("on"), "While on, arrays are read as they were before the writes that wait.");
  m.def(
      "is_variable",
      [](const py::object& array) {
        const ArrayRef& ref = peek_ref(array.ptr());
        return ref.extra && ref.extra->variable;
      },
      py::arg("array"), "attach_grad() was called on it.");
  m.def(
      "is_window",
      [](const py::object& traced, bool is_there) {
        const ArrayRef& ref = peek_ref(traced.ptr());
        if (ref.array.defined() || !ref.extra || !ref.extra->entry.node) return false;
        const SymEntry memory = memory_of(ref.extra->entry);
        const auto out = static_cast<size_t>(memory.out);
        const std::vector<NDArray>& known = memory.node->values;
        const bool there = out < known.size() && known[out].defined();
        return memory.node != ref.extra->entry.node && (there || !is_there);
      },
      py::arg("traced"), py::arg("is_there") = true,
      "A traced array is to share another one's memory; only if that is there.");
  m.def(
      "awaits_write",
      [](const py::object& array) {
        const ArrayRef& ref = peek_ref(array.ptr());
        return ref.array.defined() && awaits_write(ref.array.storage.get());
      },
      py::arg("array"), "A write to its memory waits.");
  m.def(
      "reads_memory",
      [](const py::object& traced, const py::object& target) {
        Symbol symbol;
        symbol.outputs = {peek_ref(traced.ptr()).extra->entry};
        if (symbol.outputs[0].node->kind == NodeKind::constant) return false;
        const Storage* memory = peek_ref(target.ptr()).array.storage.get();
        for (const SymEntry& stop : stops_of(symbol)) {
          if (stop.node->values.at(static_cast<size_t>(stop.out)).storage.get() == memory) {
            return true;
          }
        }
        return false;
      },
      py::arg("traced"), py::arg("target"),
      "A traced array is computed from the memory of this array.");
  m.def("tape_values", &tape_values, py::arg("arrays"),
        "What backward() from these arrays may read and has no value yet, as traced arrays; not "
        "the new "
        "values of writes that wait.");
  m.def("suspend_trace", &suspend_trace, py::arg("why"),
        "Operators run at once until resume_trace(); returns what that takes.");
  m.def("resume_trace", [](uint32_t mode) { thread_state().mode = mode; }, py::arg("mode"));
}

}  // namespace bind
}  // namespace hybrid
