// Memory plans in Python.
#include "plan/plan.h"
#include "bind/graph_view.h"
#include "bind/options.h"
#include "plan/lifetimes.h"

namespace hybrid {
namespace bind {

namespace {

const char* kind_name(BufferKind kind) {
  switch (kind) {
    case BufferKind::arena:
      return "arena";
    case BufferKind::output:
      return "output";
    case BufferKind::input:
      return "input";
    case BufferKind::constant:
      return "constant";
    case BufferKind::given:
      return "given";
  }
  return "?";
}

const char* method_name(PlanMethod method) {
  switch (method) {
    case PlanMethod::fast:
      return "fast";
    case PlanMethod::exact:
      return "exact";
    case PlanMethod::parallel:
      return "parallel";
  }
  return "?";
}

py::list buffers_to_python(const std::vector<Buffer>& buffers) {
  py::list list;
  for (const Buffer& buffer : buffers) {
    py::dict d;
    d["id"] = buffer.id;
    d["kind"] = kind_name(buffer.kind);
    d["bytes"] = buffer.bytes;
    d["offset"] = buffer.offset;
    d["start"] = buffer.start;
    d["end"] = buffer.end;
    d["entries"] = entries_to_python(buffer.entries);
    d["index"] = buffer.index;
    list.append(d);
  }
  return list;
}

using Tuples = std::vector<std::tuple<int32_t, int64_t, int64_t, int64_t>>;

std::vector<Lifetime> lifetimes_from(const Tuples& tuples) {
  std::vector<Lifetime> result;
  for (const auto& [id, lower, upper, size] : tuples) result.push_back({id, lower, upper, size});
  return result;
}

py::list attempts_to_python(const std::vector<Attempt>& attempts) {
  py::list list;
  for (const Attempt& a : attempts) list.append(py::make_tuple(a.name, a.peak));
  return list;
}

py::dict layout_to_python(const Layout& layout) {
  py::dict d;
  d["order"] = layout.order;
  d["offsets"] = layout.offsets;
  d["peak"] = layout.peak;
  d["lower_bound"] = layout.lower_bound;
  d["proven_bound"] = layout.proven_bound;
  d["optimal"] = layout.optimal;
  d["attempts"] = attempts_to_python(layout.attempts);
  return d;
}

py::dict place(const Tuples& lifetimes, int64_t alignment, double milliseconds) {
  const std::vector<Lifetime> given = lifetimes_from(lifetimes);
  Layout layout;
  {
    const MaybeReleaseGil released(true);
    layout = place_buffers(given, alignment, milliseconds);
  }
  return layout_to_python(layout);
}

py::list by_each(const Tuples& lifetimes, int64_t alignment, double milliseconds) {
  py::list list;
  for (const MethodFigure& f : place_by_each(lifetimes_from(lifetimes), alignment, milliseconds)) {
    py::dict d;
    d["name"] = f.name;
    d["peak"] = f.peak;
    d["seconds"] = f.seconds;
    d["offsets"] = f.offsets;
    list.append(d);
  }
  return list;
}

py::dict exact(const Tuples& lifetimes, int64_t alignment, double seconds,
               const py::object& progress, int64_t capacity) {
  const std::vector<Lifetime> given = lifetimes_from(lifetimes);
  Layout layout;
  {
    const MaybeReleaseGil released(true);
    layout = place_exact(given, alignment, seconds, exact_progress(progress), capacity);
  }
  return layout_to_python(layout);
}

}  // namespace

std::function<bool(const ExactProgress&)> exact_progress(py::object progress) {
  std::shared_ptr<py::object> callback;
  if (!progress.is_none()) {  // held by programs, let go of under the GIL
    callback.reset(new py::object(std::move(progress)), [](py::object* held) {
      const py::gil_scoped_acquire gil;
      delete held;
    });
  }
  return [callback, last = -1.0](const ExactProgress& now) mutable {
    const bool same_search = now.seconds >= last;
    if (same_search && last >= 0 && now.seconds < last + 0.05) return true;
    last = now.seconds;
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (callback) (*callback)(now.seconds, now.peak, now.bound);
    return true;
  };
}

void bind_plan(py::module_& m) {
  py::class_<Plan>(m, "Plan", "Where every value of a program lives, and until when.")
      .def_property_readonly(
          "steps", [](const Plan& p) { return p.steps; }, "Ids of the nodes in order of execution.")
      .def_property_readonly(
          "buffers", [](const Plan& p) { return buffers_to_python(p.buffers); },
          "dicts: id, kind, bytes, offset, start, end (steps, inclusive), entries, index.")
      .def_property_readonly(
          "buffer_of", [](const Plan& p) { return p.buffer_of; },
          "By node position and output: a buffer id, -1 for none.")
      .def_readonly("updates", &Plan::updates,
                    "By output: -1 for a new array, -2 for one given to each run, or the input "
                    "whose array gets this value.")
      .def_property_readonly(
          "commits",
          [](const Plan& p) {
            py::list list;
            for (const Commit& c : p.commits) list.append(py::make_tuple(c.output, c.buffer));
            return list;
          },
          "(output, buffer) of new contents that are copied into place at the end.")
      .def_property_readonly(
          "devices",
          [](const Plan& p) {
            py::list list;
            for (const DevicePlan& d : p.devices) {
              py::dict row;
              row["device"] = d.ctx.str();
              row["arena_bytes"] = d.arena_bytes;
              row["arena_offset"] = d.arena_offset;
              row["planned_bytes"] = d.planned_bytes;
              row["lower_bound_bytes"] = d.lower_bound_bytes;
              list.append(row);
            }
            return list;
          },
          "Of a program on several devices: dicts with device, arena_bytes, arena_offset, "
          "planned_bytes, lower_bound_bytes; the totals are their sums. Else empty.")
      .def_readonly("arena_bytes", &Plan::arena_bytes, "Size of the shared arena, aligned.")
      .def_readonly("planned_bytes", &Plan::planned_bytes,
                    "Peak of logical bytes, outputs included.")
      .def_readonly("lower_bound_bytes", &Plan::lower_bound_bytes)
      .def_readonly("imperative_bytes", &Plan::imperative_bytes)
      .def_readonly("optimal", &Plan::optimal)
      .def_property_readonly(
          "method", [](const Plan& p) { return method_name(p.method); },
          "How offsets were asked for: 'fast', 'exact' or 'parallel'.")
      .def_readonly("why", &Plan::why)
      .def_property_readonly(
          "placed", [](const Plan& p) { return p.placed; },
          "Ids of the arena's buffers in the order in which the planner placed them.")
      .def_property_readonly(
          "attempts", [](const Plan& p) { return attempts_to_python(p.attempts); },
          "(method, bytes) of what was tried and better than all before; the last is the plan.");
  m.def(
      "implicit_edges",
      [](const GraphRef& graph, const Plan& plan) { return implicit_edges(*graph, plan); },
      py::arg("graph"), py::arg("plan"),
      "Pairs of node ids of a program's graph: the second waits for the first only because it "
      "writes where values of the first are. MXNetError for more than 16,384 nodes.");
  m.def(
      "buffer_lifetimes",
      [](const GraphRef& graph, bool training, bool in_place) {
        PlanOptions options;
        options.training = training;
        options.in_place = in_place;
        const ValueIndex values(*graph);
        const Windows windows = find_windows(*graph, values, training);
        return buffers_to_python(find_lifetimes(*graph, values, windows, options).buffers);
      },
      py::arg("graph"), py::arg("training") = false, py::arg("in_place") = true,
      "The buffers of an inferred and scheduled graph before they are placed: dicts as in "
      "Plan.buffers, offsets zero.");
  m.def("place_buffers", &place, py::arg("lifetimes"), py::arg("alignment") = 1,
        py::arg("milliseconds") = 10.0,
        "Offsets for (id, lower, upper, size) lifetimes [lower, upper): a dict with offsets, peak, "
        "lower_bound, proven_bound, optimal, attempts (name, peak), order (positions as placed).");
  m.def("place_by_each", &by_each, py::arg("lifetimes"), py::arg("alignment") = 1,
        py::arg("milliseconds") = 2.0,
        "The same by each heuristic alone: dicts with name, peak, seconds, offsets. Those beyond "
        "so many milliseconds of counted work are left out.");
  m.def("place_exact", &exact, py::arg("lifetimes"), py::arg("alignment") = 1,
        py::arg("seconds") = 60.0, py::arg("progress") = py::none(), py::arg("capacity") = 0,
        "The same by branch and bound, for at most `seconds`; progress(seconds, peak, bound) is "
        "called some twenty times a second; an interrupt ends it. `capacity`: a placement that "
        "fits into so many bytes ends it as well.");
}

}  // namespace bind
}  // namespace hybrid
