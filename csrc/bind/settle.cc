// Settling: what recorded arrays wait for, found and run again without a graph where the same code
// recorded the same work before.
#include <algorithm>
#include <list>
#include <unordered_map>

#include "array/trace_writes.h"
#include "bind/array_object.h"
#include "bind/run_times.h"
#include "bind/taken_back.h"
#include "engine/engine.h"
#include "engine/trace.h"
#include "launch/thread_state.h"
#include "program/program.h"
#include "trace/pending.h"

namespace hybrid {
namespace bind {

namespace {

constexpr size_t kMostKnown = 1024;   // of one table
constexpr double kLongNs = 20 * 1e3;  // a run that may be worth giving the GIL away

// A program that ran for a form, and what the front end keeps about it.
struct Known {
  KnownForm form;
  ProgramRef program;
  py::object record;
};

// Programs by form, the latest used first.
class Settled {
 public:
  const Known* find(const Form& form) {
    const auto [first, last] = by_hash_.equal_range(form.hash);
    for (auto it = first; it != last; ++it) {
      if (!it->second->form.same(form)) continue;
      known_.splice(known_.begin(), known_, it->second);
      return &known_.front();
    }
    return nullptr;
  }

  void add(const KnownForm& form, ProgramRef program, py::object record) {
    known_.push_front({form, std::move(program), std::move(record)});
    by_hash_.emplace(form.hash, known_.begin());
    if (known_.size() > kMostKnown) forget(std::prev(known_.end()));
  }

  void clear() {
    by_hash_.clear();
    known_.clear();
  }

  size_t size() const { return known_.size(); }

 private:
  using Place = std::list<Known>::iterator;

  void forget(Place place) {
    const auto [first, last] = by_hash_.equal_range(place->form.hash);
    for (auto it = first; it != last; ++it) {
      if (it->second == place) {
        by_hash_.erase(it);
        break;
      }
    }
    known_.erase(place);
  }

  std::list<Known> known_;
  std::unordered_multimap<uint64_t, Place> by_hash_;
};

// What has to be computed for some arrays: those, and live ones on the way to them.
struct Work {
  Pending pending;
  std::vector<PyArray*> arrays;
  std::vector<SymEntry> entries;  // of those arrays
  bool plain = true;              // nobody shares memory with what is computed, no gradients
};

bool is_window(const PyArray* a) { return !a->separate && a->ref.extra->entry.node->is_window(); }

// The work for pending values with these entries; of arrays that are apart, for those in `asked`.
Work work_for(const std::vector<SymEntry>& heads, const std::vector<PyArray*>& asked) {
  Work work;
  work.pending = pending_for(heads);
  work.plain = work.pending.plain;
  const auto add = [&work](PyArray* a) {
    work.arrays.push_back(a);
    work.entries.push_back(a->ref.extra->entry);
  };
  for (PyArray* a : asked) add(a);
  for (PyArray* a = first_own_traced(); a != nullptr; a = a->next) {
    work.plain = work.plain && !is_window(a);
    if (work.pending.contains(a->ref.extra->entry.node.get())) add(a);
  }
  return work;
}

py::list list_of(const std::vector<PyArray*>& arrays) {
  py::list list;
  for (PyArray* a : arrays) {
    list.append(py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(a)));
  }
  return list;
}

// Runs the program on what the work starts from; the arrays have their values afterwards.
void run_known(const Program& program, const Work& work, PyRunTimes* times) {
  const py::list held = list_of(work.arrays);  // another thread may let go of them meanwhile
  std::vector<NDArray> inputs;
  for (const SymEntry& stop : work.pending.stops) inputs.push_back(recorded_value(stop));
  const std::vector<uint64_t> keys = draw_keys(work.pending);
  if (!work.pending.nodes.empty()) {
    const uint32_t site = work.pending.nodes.back()->site;
    trace::set_current_site(site);
    thread_state().site = site;
  }
  std::vector<NDArray> results;
  const Submission submission(OnInterrupt::take_back);
  {
    const PushScope push(program.cost_ns() > kLongNs || engine::pending() > 1000);
    TimedRun timed(times);
    results = program.run(inputs, keys);
    timed.watch(inputs, keys);
  }
  submission.made(results);
  for (size_t i = 0; i < work.arrays.size(); ++i) set_array_value(work.arrays[i], results[i]);
}

// What Settled.settle returns.
py::tuple settle_work(Settled& settled, const Work& work, bool run, PyRunTimes* times) {
  if (work.arrays.empty()) return py::make_tuple(py::none(), py::list(), py::none());
  if (!work.plain) return py::make_tuple(py::none(), list_of(work.arrays), py::none());
  const Form form = form_of(work.pending, work.entries);
  const Known* known = run ? settled.find(form) : nullptr;
  if (known == nullptr) {
    return py::make_tuple(py::none(), list_of(work.arrays), std::make_shared<KnownForm>(form));
  }
  py::list keys;
  for (const SymEntry& entry : work.entries) {
    keys.append(py::make_tuple(entry.node->serial, entry.out));
  }
  const ProgramRef program = known->program;
  const py::object record = known->record;
  run_known(*program, work, times);
  return py::make_tuple(record, keys, py::none());
}

py::tuple settle(Settled& settled, const py::sequence& wanted, bool run, PyRunTimes* times) {
  forget_pending();
  std::vector<SymEntry> heads;
  std::vector<PyArray*> apart;
  for (const py::handle array : wanted) {
    const ArrayRef& ref = peek_ref(array.ptr());
    if (ref.array.defined()) continue;
    heads.push_back(ref.extra->entry);
    if (as_array(array.ptr())->apart) apart.push_back(as_array(array.ptr()));
  }
  return settle_work(settled, work_for(heads, apart), run, times);
}

// Live arrays of the running cell that are computed from memory that may be written.
std::vector<PyArray*> readers() {
  std::vector<SymEntry> heads;
  for (PyArray* a = first_own_traced(); a != nullptr; a = a->next) {
    heads.push_back(a->ref.extra->entry);
  }
  if (heads.empty()) return {};
  const Pending pending = pending_for(heads);
  const std::vector<bool> reads = reads_changing(pending, [](const NDArray& a) {
    return a.storage->release_external != nullptr || awaits_write(a.storage.get());
  });
  std::vector<PyArray*> found;
  for (PyArray* a = first_own_traced(); a != nullptr; a = a->next) {
    const SymNode* node = a->ref.extra->entry.node.get();
    if (pending.contains(node) && reads[static_cast<size_t>(node->place)]) found.push_back(a);
  }
  return found;
}

py::object settle_readers(Settled& settled, bool run, PyRunTimes* times) {
  const std::vector<PyArray*> found = readers();
  if (found.empty()) return py::none();
  forget_pending();
  std::vector<SymEntry> heads;
  for (const PyArray* a : found) heads.push_back(a->ref.extra->entry);
  const py::list held = list_of(found);
  return py::make_tuple(held, settle_work(settled, work_for(heads, {}), run, times));
}

}  // namespace

void bind_settle(py::module_& m) {
  py::class_<KnownForm, std::shared_ptr<KnownForm>>(m, "Form", "How recorded work is known again.");
  py::class_<Settled>(m, "Settled", "Programs that ran, by the form of what was recorded.")
      .def(py::init<>())
      .def("__len__", &Settled::size)
      .def("clear", &Settled::clear)
      .def(
          "add",
          [](Settled& settled, const KnownForm& form, std::shared_ptr<Program> program,
             py::object record) { settled.add(form, std::move(program), std::move(record)); },
          py::arg("form"), py::arg("program"), py::arg("record"),
          "From here on work of this form is run by this program; record: what settle() returns.")
      .def("settle", &settle, py::arg("arrays"), py::arg("run"), py::arg("times") = nullptr,
           "Computes traced arrays and the live ones on the way to them, where a program is known "
           "and may be run: (its record, their keys, None); times is told how long it takes. Else "
           "nothing is run: (None, all those "
           "arrays, their form or None where a graph is needed each time).")
      .def("settle_readers", &settle_readers, py::arg("run"), py::arg("times") = nullptr,
           "settle() of those live arrays of the cell that are computed from memory which may be "
           "written: (those arrays, what settle() returns), or None where there are none.");
  m.def("note_step", &note_step,
        "A recorded loop takes its next step: the same place now records once more.");
  m.def(
      "readers", [] { return list_of(readers()); },
      "Live traced arrays of the cell that are computed from memory which may be written.");
  m.def(
      "value_key",
      [](const py::object& array) -> py::object {
        const ArrayRef& ref = peek_ref(array.ptr());
        if (!ref.extra || !ref.extra->entry.node) return py::none();
        return py::make_tuple(ref.extra->entry.node->serial, ref.extra->entry.out);
      },
      py::arg("array"),
      "What tells this recorded value from all others, now and after it was computed; None for an "
      "array that was not recorded.");
  m.def(
      "set_apart",
      [](const py::sequence& arrays) {
        for (const py::handle array : arrays) set_apart(as_array(array.ptr()));
      },
      py::arg("arrays"), "These are not the running cell's to compute, unless they are asked for.");
  m.def(
      "own_traced",
      [] {
        py::list list;
        for (PyArray* a = first_own_traced(); a != nullptr; a = a->next) {
          list.append(py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(a)));
        }
        return list;
      },
      "The live traced arrays that are the running cell's to compute, in order of creation.");
}

}  // namespace bind
}  // namespace hybrid
