// Memory plans in Python.
#include "plan/plan.h"
#include "bind/graph_view.h"

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
  }
  return "?";
}

py::list buffers_of(const Plan& plan) {
  py::list list;
  for (const Buffer& buffer : plan.buffers) {
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

py::dict place(const std::vector<std::tuple<int32_t, int64_t, int64_t, int64_t>>& lifetimes,
               int64_t alignment) {
  std::vector<Lifetime> given;
  for (const auto& [id, lower, upper, size] : lifetimes) given.push_back({id, lower, upper, size});
  Layout layout;
  {
    const MaybeReleaseGil released(true);
    layout = place_buffers(given, alignment);
  }
  py::dict d;
  d["offsets"] = layout.offsets;
  d["peak"] = layout.peak;
  d["lower_bound"] = layout.lower_bound;
  d["optimal"] = layout.optimal;
  return d;
}

}  // namespace

void bind_plan(py::module_& m) {
  py::class_<Plan>(m, "Plan", "Where every value of a program lives, and until when.")
      .def_property_readonly(
          "steps", [](const Plan& p) { return p.steps; }, "Ids of the nodes in order of execution.")
      .def_property_readonly(
          "buffers", &buffers_of,
          "dicts: id, kind, bytes, offset, start, end (steps, inclusive), entries, index.")
      .def_property_readonly(
          "buffer_of", [](const Plan& p) { return p.buffer_of; },
          "By node position and output: a buffer id, -1 for none.")
      .def_readonly("arena_bytes", &Plan::arena_bytes, "Size of the shared arena, aligned.")
      .def_readonly("planned_bytes", &Plan::planned_bytes,
                    "Peak of logical bytes, outputs included.")
      .def_readonly("lower_bound_bytes", &Plan::lower_bound_bytes)
      .def_readonly("imperative_bytes", &Plan::imperative_bytes)
      .def_readonly("optimal", &Plan::optimal)
      .def_readonly("why", &Plan::why);
  m.def("place_buffers", &place, py::arg("lifetimes"), py::arg("alignment") = 1,
        "Offsets for (id, lower, upper, size) lifetimes [lower, upper): a dict with offsets, peak, "
        "lower_bound, optimal.");
}

}  // namespace bind
}  // namespace hybrid
