// compile(), its stages, and programs in Python.
#include <algorithm>

#include "bind/create.h"
#include "bind/graph_view.h"
#include "bind/options.h"
#include "bind/run_times.h"
#include "bind/site.h"
#include "bind/taken_back.h"
#include "core/error.h"
#include "launch/random.h"
#include "launch/thread_state.h"
#include "program/program.h"
#include "program/rebuild.h"

namespace hybrid {
namespace bind {

namespace {

struct ChangeView {
  std::string action;
  NodeId node, into;
  std::string why;
  int32_t step;
  std::string rule;
};

struct StageView {
  std::string name, label;
  GraphRef graph;
  std::vector<ChangeView> changes;
  bool changed;
  std::string why_skipped;
  double seconds;
};

}  // namespace

CompiledView view_of_compiled(Compiled compiled) {
  py::list stages;
  for (Stage& stage : compiled.stages) {
    StageView view{stage.name,   stage.label,   std::make_shared<Graph>(std::move(stage.graph)),
                   {},           stage.changed, stage.why_skipped,
                   stage.seconds};
    for (Change& c : stage.changes) {
      view.changes.push_back(
          {action_name(c.action), c.node, c.into, std::move(c.why), c.step, std::move(c.rule)});
    }
    stages.append(std::move(view));
  }
  return {stages, compiled.program, compiled.seconds};
}

namespace {

// By the names that the table of passes gives them.
void set_settings(const py::dict& settings, PassOptions* options) {
  for (const auto& [key, value] : settings) {
    const std::string name = key.cast<std::string>();
    const PassSetting* const setting = find_setting(name);
    if (!setting) throw py::type_error("compile: no pass has a setting '" + name + "'");
    const std::string shown = py::repr(value).cast<std::string>();
    AttrValue given;
    if (py::isinstance<py::bool_>(value)) {
      given = value.cast<bool>();
    } else if (py::isinstance<py::int_>(value)) {
      given = value.cast<int64_t>();
    } else if (py::isinstance<py::float_>(value)) {
      given = value.cast<double>();
    } else if (py::isinstance<py::str>(value)) {
      given = value.cast<std::string>();
    } else {
      require(value.is_none(), name, ": expected ", setting->doc, ", got ", shown);
    }
    if (setting->set) {
      setting->set(given, shown, options);
    } else {
      options->settings.set(*setting, std::move(given), shown);
    }
  }
}

PlanMethod plan_method(const py::object& plan) {
  if (plan.is_none()) return PlanMethod::fast;
  const std::string name = py::isinstance<py::str>(plan) ? plan.cast<std::string>() : "";
  if (name == "fast") return PlanMethod::fast;
  if (name == "exact") return PlanMethod::exact;
  require(name == "parallel", "plan: expected 'fast', 'exact' or 'parallel', got ",
          py::repr(plan).cast<std::string>());
  return PlanMethod::parallel;
}

}  // namespace

DeviceOptions device_options(const py::object& devices, const py::object& groups,
                             const py::object& home) {
  DeviceOptions options;
  options.wanted = !devices.is_none() || !groups.is_none();
  options.recorded = py::isinstance<py::str>(devices);
  if (!devices.is_none() && !options.recorded) {
    for (const py::handle ctx : devices) options.inputs.push_back(context_from_python(ctx));
  }
  if (!groups.is_none()) {
    for (const auto& [group, ctx] : py::reinterpret_borrow<py::dict>(groups)) {
      options.groups[group.cast<std::string>()] = context_from_python(ctx);
    }
  }
  if (!home.is_none()) {
    options.home = context_from_python(home);
  } else if (!options.inputs.empty()) {
    options.home = options.inputs[0];
  }
  return options;
}

CompileOptions compile_options(const CompileArguments& a) {
  CompileOptions options;
  options.devices = device_options(a.devices, a.groups, a.home);
  PassOptions& pass = options.pass;
  pass.training = a.training;
  pass.fast = a.fast;
  if (!a.input_shapes.is_none()) {
    for (const py::handle shape : a.input_shapes) {
      pass.input_shapes.push_back(shape.is_none() ? Shape::unknown()
                                                  : shape_from_python(shape, "input_shapes"));
    }
  }
  if (!a.input_dtypes.is_none()) {
    for (const py::handle dtype : a.input_dtypes) {
      pass.input_dtypes.push_back(dtype.is_none() ? DType::unknown : dtype_from_python(dtype));
    }
  }
  pass.grad_of = entries_from_python(a.grad_of);
  if (!a.grad_wrt.is_none()) pass.grad_wrt = a.grad_wrt.cast<std::vector<NodeId>>();
  pass.head_grads = entries_from_python(a.head_grads);
  pass.donated = a.donated;
  options.plan.donated = a.donated;
  options.plan.training = a.training;
  options.plan.updates = a.updates;
  if (!a.passes.is_none()) options.passes = a.passes.cast<std::vector<std::string>>();
  options.only_these = a.only_these;
  options.without = a.without;
  options.keep_stages = a.keep_stages;
  options.bound = entries_from_python(a.bound);
  options.count_bound = !a.bound.is_none();
  set_settings(a.settings, &pass);
  options.plan.method = plan_method(a.plan);
  if (options.plan.method == PlanMethod::exact) {
    require(a.plan_seconds > 0, "plan_seconds: expected a positive number, got ", a.plan_seconds);
    options.plan.exact_seconds = a.plan_seconds;
    options.plan.exact_progress = exact_progress(a.progress);
  }
  return options;
}

namespace {

// One run; results that may still be computed. `settled`: arrays that it overwrites have no reader
// left that the overwrite hook would have to look for.
std::vector<NDArray> run_once(const Program& program, const std::vector<NDArray>& values,
                              const std::vector<uint64_t>& keys, const std::vector<bool>& donated,
                              const std::vector<NDArray>& targets, bool settled, const Context* ctx,
                              PyRunTimes* times) {
  mark_site();
  const PushScope push(true);
  const FlagScope scope(&thread_state().settled, settled);
  TimedRun timed(times);
  std::vector<NDArray> results = program.run(values, keys, donated, nullptr, ctx, targets);
  timed.watch(values, keys);
  return results;
}

std::vector<NDArray> values_of(const py::sequence& arrays) {
  std::vector<NDArray> values;
  for (const py::handle array : arrays) {
    values.push_back(array.is_none() ? NDArray() : value_of(array, "Program.run"));
  }
  return values;
}

std::vector<NDArray> targets_of(const py::object& given) {
  return given.is_none() ? std::vector<NDArray>() : values_of(given);
}

// Between ndarrays, in whose place there may be arrays of ours.
py::list run_numpy(const Program& program, const py::sequence& inputs,
                   const std::vector<bool>& numpys, PyRunTimes* times) {
  const Context ctx = current_context();
  std::vector<NDArray> values;
  values.reserve(inputs.size());
  for (const py::object input : inputs) {
    const bool is_ours = is_array(input.ptr());
    values.push_back(is_ours ? value_of(input, "Program.run") : shared_or_copied(input, ctx));
  }
  const bool awaited = std::find(numpys.begin(), numpys.end(), true) != numpys.end();
  const FlagScope scope(&thread_state().awaited, awaited);
  std::vector<NDArray> results = run_once(program, values, {}, {}, {}, false, nullptr, times);
  require(results.size() == numpys.size(), "Program.run_numpy: given ", numpys.size(),
          " flags for ", results.size(), " results");
  values.clear();  // whoever holds an input still
  py::list made(results.size());
  for (size_t k = 0; k < results.size(); ++k) {
    made[k] = numpys[k] ? taken_ndarray(results[k]) : wrap(std::move(results[k]));
  }
  return made;
}

py::list run_program(const Program& program, const py::sequence& inputs, const py::object& keys,
                     const std::vector<bool>& donated, const py::object& given, bool recorded,
                     PyRunTimes* times) {
  const auto drawn =
      keys.is_none() ? next_keys(program.graph().num_keys) : keys.cast<std::vector<uint64_t>>();
  const Context ctx = current_context();
  py::list list;
  for (NDArray& result : run_once(program, values_of(inputs), drawn, donated, targets_of(given),
                                  false, recorded ? nullptr : &ctx, times)) {
    list.append(wrap(std::move(result)));
  }
  return list;
}

// In one step: no signal is handled between the run, which may overwrite arrays, and its values.
void compute_arrays(const Program& program, const std::vector<py::object>& arrays,
                    const py::sequence& inputs, const std::vector<uint64_t>& keys,
                    const std::vector<bool>& donated, const py::object& given,
                    const std::vector<bool>& shares, bool settled, bool taken_back,
                    PyRunTimes* times) {
  require(arrays.size() == shares.size(), "Program.compute: given ", arrays.size(), " arrays and ",
          shares.size(), " flags");
  std::vector<PyArray*> made;
  for (const py::object& array : arrays) {
    peek_ref(array.ptr());
    made.push_back(as_array(array.ptr()));
  }
  const Submission submission(taken_back ? OnInterrupt::take_back : OnInterrupt::go_on);
  const std::vector<NDArray> results = run_once(program, values_of(inputs), keys, donated,
                                                targets_of(given), settled, nullptr, times);
  require(arrays.size() == results.size(), "Program.compute: given ", arrays.size(), " arrays for ",
          results.size(), " results");
  submission.made(results);
  set_array_values(made, results, shares);
}

py::list pass_rows() {
  py::list rows;
  for (const PassInfo& pass : pass_table()) {
    py::dict row;
    row["name"] = pass.name;
    row["label"] = pass.label;
    row["doc"] = pass.doc;
    row["exact"] = pass.exact;
    py::dict settings;
    for (const PassSetting& setting : pass.settings) settings[setting.name] = setting.doc;
    row["settings"] = settings;
    rows.append(row);
  }
  return rows;
}

}  // namespace

void bind_compile(py::module_& m) {
  bind_run_times(m);
  py::class_<ChangeView>(m, "Change", "What a pass did to one node, and why.")
      .def_readonly("action", &ChangeView::action,
                    "folded, merged, removed, fused, rewritten, added, moved or kept.")
      .def_readonly("node", &ChangeView::node)
      .def_property_readonly("into",
                             [](const ChangeView& c) -> py::object {
                               if (c.into < 0) return py::none();
                               return py::int_(c.into);
                             })
      .def_readonly("why", &ChangeView::why)
      .def_readonly("step", &ChangeView::step,
                    "Number of the rewrite that it is part of, in its pass; -1 of what is kept.")
      .def_readonly("rule", &ChangeView::rule, "Of that rewrite: 'x * 1 -> x'.")
      .def("__repr__", [](const ChangeView& c) {
        return "<" + c.action + " " + std::to_string(c.node) + ": " + c.why + ">";
      });
  py::class_<StageView>(m, "Stage", "The graph after one pass.")
      .def_readonly("name", &StageView::name)
      .def_readonly("label", &StageView::label)
      .def_readonly("graph", &StageView::graph)
      .def_readonly("changes", &StageView::changes)
      .def_readonly("changed", &StageView::changed)
      .def_readonly("why_skipped", &StageView::why_skipped)
      .def_readonly("seconds", &StageView::seconds)
      .def("__repr__", [](const StageView& s) { return "<Stage " + s.name + ">"; });
  py::class_<Program, std::shared_ptr<Program>>(m, "Program",
                                                "A planned graph that runs without Python.")
      .def_property_readonly("graph",
                             [](const Program& p) { return std::make_shared<Graph>(p.graph()); })
      .def_property_readonly("plan", &Program::plan, py::return_value_policy::reference_internal)
      .def_property_readonly("cost_ns", &Program::cost_ns, "Estimated ns of one run on one core.")
      .def_property_readonly(
          "serials", [](const Program& p) { return py::make_tuple(p.first_serial(), p.num_ids()); },
          "(first, count) of what the trace calls its graph's nodes: first + id. (0, ...): of "
          "several devices, whose parts have their own.")
      .def("run", &run_program, py::arg("inputs"), py::arg("keys") = py::none(),
           py::arg("donated") = std::vector<bool>(), py::arg("given") = py::none(),
           py::arg("recorded") = false, py::arg("times") = nullptr,
           "Pushes one run; a list of arrays that may still be computed. keys: fresh unless given. "
           "given: by output, the array that it is written to where the program was compiled so. "
           "recorded: on the devices of the recording. times: told how long its kernels take.")
      .def("run_numpy", &run_numpy, py::arg("inputs"), py::arg("numpys"), py::arg("times"),
           "A run between ndarrays, which our arrays may stand for, on the devices of the "
           "recording. "
           "numpys: by result, is it an ndarray's?")
      .def("compute", &compute_arrays, py::arg("arrays"), py::arg("inputs"), py::arg("keys"),
           py::arg("donated"), py::arg("given"), py::arg("shares"), py::arg("settled"),
           py::arg("taken_back"), py::arg("times"),
           "run() that gives recorded arrays their values, by output. shares: a recorded window on "
           "an array that has a value becomes a window on its memory. settled: nobody "
           "else has still to read what these arrays hold now. taken_back: an interrupt makes them "
           "pending again; else the run goes on.")
      .def(
          "relabelled",
          [](const Program& p, const Graph& written) {
            return std::const_pointer_cast<Program>(relabelled(p, written));
          },
          py::arg("written"),
          "The same program with the lines and names of a graph of the same hash and node ids.");
  m.def(
      "resized",
      [](const Graph& optimised, const Graph& written) {
        return std::make_shared<Graph>(resized(optimised, written));
      },
      py::arg("optimised"), py::arg("written"),
      "An optimised graph for the input shapes of another recording that differs in shapes only. "
      "Raises MXNetError naming the node that is in the way.");
  m.def(
      "plan_program",
      [](const Graph& optimised, std::vector<bool> donated, bool share,
         std::vector<int32_t> updates) {
        PlanOptions options;
        options.donated = std::move(donated);
        options.enabled = share;
        options.updates = std::move(updates);
        return std::const_pointer_cast<Program>(planned(optimised, options));
      },
      py::arg("optimised"), py::arg("donated") = std::vector<bool>(), py::arg("share") = true,
      py::arg("updates") = std::vector<int32_t>(),
      "A program of an optimised graph, planned as it stands.");
  py::class_<CompiledView>(m, "Compiled", "What compile() made: every stage, and the program.")
      .def_readonly("stages", &CompiledView::stages)
      .def_property_readonly(
          "program",
          [](const CompiledView& c) { return std::const_pointer_cast<Program>(c.program); })
      .def_readonly("seconds", &CompiledView::seconds);
  m.def(
      "compile",
      [](const GraphRef& graph, py::object input_shapes, py::object input_dtypes, py::object passes,
         bool only_these, std::vector<std::string> without, std::vector<bool> donated,
         bool training, bool fast, bool keep_stages, py::object grad_of, py::object grad_wrt,
         py::object head_grads, py::object bound, std::vector<int32_t> updates, py::object plan,
         double plan_seconds, py::object progress, py::object devices, py::object groups,
         py::object home, const py::kwargs& settings) {
        const CompileOptions options = compile_options({input_shapes, input_dtypes,
                                                        passes,       only_these,
                                                        without,      donated,
                                                        training,     fast,
                                                        keep_stages,  grad_of,
                                                        grad_wrt,     head_grads,
                                                        bound,        std::move(updates),
                                                        plan,         plan_seconds,
                                                        progress,     devices,
                                                        groups,       home,
                                                        settings});
        Compiled compiled;
        {
          const MaybeReleaseGil released(true);
          compiled = compile(*graph, options);
        }
        return view_of_compiled(std::move(compiled));
      },
      py::arg("graph"), py::arg("input_shapes") = py::none(), py::arg("input_dtypes") = py::none(),
      py::arg("passes") = py::none(), py::arg("only_these") = false,
      py::arg("without") = std::vector<std::string>(), py::arg("donated") = std::vector<bool>(),
      py::arg("training") = false, py::arg("fast") = false, py::arg("keep_stages") = true,
      py::arg("grad_of") = py::none(), py::arg("grad_wrt") = py::none(),
      py::arg("head_grads") = py::none(), py::arg("bound") = py::none(),
      py::arg("updates") = std::vector<int32_t>(), py::arg("plan") = py::none(),
      py::arg("plan_seconds") = 10.0, py::arg("progress") = py::none(),
      py::arg("devices") = py::none(), py::arg("groups") = py::none(), py::arg("home") = py::none(),
      "Runs the passes and plans memory. plan: 'fast', 'exact' (a search for at most plan_seconds "
      "that calls progress(seconds, peak, bound) and can be interrupted) or 'parallel' (no two "
      "values share memory unless the graph's edges order their uses). bound: (node, output) pairs "
      "that names hold to the end. "
      "updates: by output, -1 for a new array, -2 for an array given to each run, or the number of "
      "the input whose array gets this value. devices: of the inputs, or 'recorded': as traced; "
      "groups: of __ctx_group__; home: of what neither decides. Settings of passes are given by "
      "name "
      "(pass_table).");
  m.def(
      "input_devices",
      [](const GraphRef& graph, const py::object& groups, const py::object& home) {
        DeviceOptions options = device_options(py::none(), groups, home);
        Graph assigned = *graph;
        assign_devices(&assigned, options);
        py::list devices;
        for (const NodeId id : assigned.inputs) {
          devices.append(context_to_python(assigned.node(id).ctx));
        }
        return devices;
      },
      py::arg("graph"), py::arg("groups"), py::arg("home"),
      "Where groups want the arrays of the inputs: on their group's device, or on that of their "
      "first reader.");
  m.def("pass_table", &pass_rows,
        "dicts with name, label, doc, exact, settings (name: doc), in running order.");
}

}  // namespace bind
}  // namespace hybrid
