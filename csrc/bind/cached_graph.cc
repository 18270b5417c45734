// CachedGraph in Python: what hybridize() calls.
#include "call/cached_graph.h"
#include "bind/array_object.h"
#include "bind/graph_view.h"
#include "bind/invoke.h"
#include "bind/options.h"
#include "bind/site.h"
#include "bind/states.h"
#include "bind/trace_writes.h"
#include "launch/thread_state.h"

namespace hybrid {
namespace bind {

namespace {

std::unique_ptr<CachedGraph> make(const GraphRef& graph, py::object passes, bool only_these,
                                  std::vector<std::string> without, bool fast, bool keep_stages,
                                  py::object plan, double plan_seconds, py::object progress,
                                  py::object groups, py::object home, std::vector<int32_t> updates,
                                  const py::kwargs& settings) {
  return std::make_unique<CachedGraph>(
      *graph,
      compile_options({py::none(), py::none(), passes,      only_these,   without,    {},
                       false,      fast,       keep_stages, py::none(),   py::none(), py::none(),
                       py::none(), updates,    plan,        plan_seconds, progress,   py::list(),
                       groups,     home,       settings}));
}

py::list call(CachedGraph& self, const py::sequence& inputs) {
  std::vector<ArrayRef> refs;
  refs.reserve(inputs.size());
  for (const py::handle input : inputs) refs.push_back(ref_of(input, "CachedGraph"));
  mark_site();
  if (tracing()) leaves_call();
  std::vector<ArrayRef> results;
  std::vector<CachedGraph::NewState> states;
  const bool meets = tracing() && self.meets(thread_state().training);
  if (meets) end_trace_for(kMeets);
  {
    const ModeScope mode(thread_state().mode & ~(meets ? static_cast<uint32_t>(kTracing) : 0u));
    const PushScope push((thread_state().mode & kTracing) == 0);
    results = self.call(refs, &states);
  }
  for (const CachedGraph::NewState& state : states) {
    write_state(py::object(inputs[static_cast<size_t>(state.input)]), state.value);
  }
  py::list list;
  for (ArrayRef& result : results) list.append(wrap(std::move(result)));
  return list;
}

CompiledView report(CachedGraph& self, bool training, bool with_gradient) {
  Compiled compiled;
  {
    const MaybeReleaseGil released(true);
    compiled = self.report(training, with_gradient);
  }
  return view_of_compiled(std::move(compiled));
}

}  // namespace

void bind_cached_graph(py::module_& m) {
  py::class_<CachedGraph>(m, "CachedGraph",
                          "A graph with one compiled program per input signature.")
      .def(py::init(&make), py::arg("graph"), py::kw_only(), py::arg("passes") = py::none(),
           py::arg("only_these") = false, py::arg("without") = std::vector<std::string>(),
           py::arg("fast") = false, py::arg("keep_stages") = false, py::arg("plan") = py::none(),
           py::arg("plan_seconds") = 10.0, py::arg("progress") = py::none(),
           py::arg("groups") = py::none(), py::arg("home") = py::none(),
           py::arg("updates") = std::vector<int32_t>(),
           "updates: the inputs whose new contents the last outputs are; calls write these.")
      .def("call", &call, py::arg("inputs"), "Runs it on arrays in the order of graph.inputs.")
      .def_property_readonly(
          "graph", [](const CachedGraph& c) { return std::make_shared<Graph>(c.graph()); })
      .def_property_readonly("num_programs", &CachedGraph::num_programs)
      .def("report", &report, py::arg("training") = false, py::arg("with_gradient") = false,
           "Compiled of the latest signature, every stage kept.");
}

}  // namespace bind
}  // namespace hybrid
