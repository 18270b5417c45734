// RunTimes in Python.
#include "bind/run_times.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "bind/array_object.h"
#include "engine/trace.h"

namespace hybrid {
namespace bind {
namespace {

bool is_running(const PyRunTimes& times) {
  return times.own->running() ||
         std::any_of(times.taken.begin(), times.taken.end(),
                     [](const std::shared_ptr<engine::RunTimes>& t) { return t->running(); });
}

void wait(const PyRunTimes& times) {
  if (!is_running(times)) return;
  const std::deque<std::shared_ptr<engine::RunTimes>> all = times.taken;
  const std::shared_ptr<engine::RunTimes> own = times.own;
  const MaybeReleaseGil released(true);
  own->wait();
  for (const std::shared_ptr<engine::RunTimes>& t : all) t->wait();
}

double seconds(const PyRunTimes& times) {
  int64_t ns = times.own->ns();
  for (const std::shared_ptr<engine::RunTimes>& t : times.taken) ns += t->ns();
  return static_cast<double>(ns) * 1e-9;
}

// Node of the planned graph -> seconds. Several runs of one program are added.
py::dict kernel_seconds(const PyRunTimes& times) {
  std::vector<engine::KernelTimesRef> all{times.own->kernels()};
  for (const std::shared_ptr<engine::RunTimes>& t : times.taken) all.push_back(t->kernels());
  std::unordered_map<int32_t, uint64_t> ticks;
  engine::KernelTimes::Nodes nodes;
  for (const engine::KernelTimesRef& k : all) {
    if (!k || (nodes && !k->are_of(nodes))) continue;
    nodes = k->nodes();
    for (size_t i = 0; i < nodes->size(); ++i) ticks[(*nodes)[i]] += k->ticks(i);
  }
  py::dict seconds;
  for (const auto& [node, sum] : ticks) {
    const int64_t ns = trace::to_ns(sum) - trace::to_ns(0);
    seconds[py::int_(node)] = static_cast<double>(ns) * 1e-9;
  }
  return seconds;
}

// What `from` knows becomes known to `to`; `from` starts afresh.
void take(PyRunTimes& to, PyRunTimes& from) {
  while (!to.taken.empty() && to.own->absorb(to.taken.front().get())) to.taken.pop_front();
  to.taken.insert(to.taken.end(), from.taken.begin(), from.taken.end());
  from.taken.clear();
  if (to.own->absorb(from.own.get())) return;
  to.taken.push_back(from.own);
  from.own = std::make_shared<engine::RunTimes>();
}

}  // namespace

TimedRun::TimedRun(PyRunTimes* times)
    : times_(times),
      watch_(times ? std::make_shared<engine::FloatWatch>() : nullptr),
      time_(times ? std::make_shared<engine::RunTime>(times->own, watch_) : nullptr),
      scope_(time_) {}

void TimedRun::watch(const std::vector<NDArray>& inputs, const std::vector<uint64_t>& keys) {
  const bool over = time_.use_count() == 1;
  if (times_ == nullptr || (over && !watch_->met.load(std::memory_order_relaxed))) return;
  times_->watched.push_back({watch_, inputs, keys});
}

void bind_run_times(py::module_& m) {
  m.def("waited_ns", &engine::waited_ns,
        "How long this thread has stood still in waits of the engine, all together.");
  py::class_<WatchedRun>(m, "WatchedRun",
                         "A run that has met floating-point exceptions, or still may.")
      .def_property_readonly(
          "met",
          [](const WatchedRun& run) { return run.watch->met.load(std::memory_order_relaxed); },
          "It has. A hint: kernels may in lanes that nobody reads.")
      .def_property_readonly(
          "over", [](const WatchedRun& run) { return run.watch.use_count() == 1; },
          "No kernel of it is still to run.")
      .def_readonly("keys", &WatchedRun::keys, "Of its random draws.")
      .def_property_readonly(
          "inputs",
          [](const WatchedRun& run) {
            py::list list;
            for (const NDArray& a : run.inputs) list.append(wrap(a));
            return list;
          },
          "What it started from.");
  py::class_<PyRunTimes>(m, "RunTimes", "How long runs of programs took on their devices.")
      .def(py::init<>())
      .def_property_readonly("running", &is_running, "One of them waits or runs.")
      .def("wait", &wait, "Until none does.")
      .def("seconds", &seconds,
           "Of those that are over: each from its first kernel's start to its last one's end.")
      .def("kernel_seconds", &kernel_seconds,
           "Of those that are over, by node of the planned graph; what a GPU ran is not in it.")
      .def(
          "take_watched", [](PyRunTimes& times) { return std::exchange(times.watched, {}); },
          "Its runs that met floating-point exceptions or are not over, each told once.")
      .def("take", &take, py::arg("other"), "Counts the other's runs too; the other begins anew.")
      .def_property_readonly(
          "latest",
          [](const PyRunTimes& times) -> py::object {
            const engine::RunTimes& t = times.taken.empty() ? *times.own : *times.taken.back();
            if (t.end() == 0) return py::none();
            return py::make_tuple(static_cast<double>(t.begin()) * 1e-6,
                                  static_cast<double>(t.end()) * 1e-6);
          },
          "(begin, end) of the run that was over last, in ms of the trace's clock, or None.");
}

}  // namespace bind
}  // namespace hybrid
