// compile(): the passes in order with a snapshot of each, then the plan and the program.
#include <algorithm>
#include <chrono>

#include "core/device_name.h"
#include "core/error.h"
#include "passes/mode.h"
#include "passes/open_gradient.h"
#include "plan/bytes.h"
#include "program/passthrough.h"
#include "program/program.h"

namespace hybrid {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool listed(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name != "plan") find_pass(name);  // throws on an unknown one
  }
}

// The graph that is compiled: its mode decided, every gradient in it by its operator's rule.
Graph decided(const Graph& graph, const PassOptions& options) {
  Graph result = in_mode(graph, options.training, nullptr);
  if (!has_open_gradient(result)) return result;
  PassContext context{options, {}, false};
  return close_gradients(infer(result, context));
}

bool has_backward(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), is_backward);
}

// Why a pass is not run, or "".
std::string why_not(const PassInfo& pass, const CompileOptions& o, const Graph& graph,
                    const std::string& no_remat, bool several_devices) {
  const std::string name = pass.name;
  if (name == "infer" || (name == "place" && several_devices)) return "";
  if (listed(o.without, name)) return "switched off";
  if (o.only_these && !listed(o.passes, name)) return "not in the list of passes";
  if (!pass.exact && !o.pass.fast) return "changes results in the last bits: only with fast";
  if (name == "gradient" && o.pass.grad_of.empty()) {
    return has_backward(graph) ? "the gradient is part of the graph as written"
                               : "no gradient was asked for";
  }
  if (name == "remat" && o.pass.remat_segments == 0) return no_remat;
  if (name == "place") return "everything is on one device";
  return "";
}

std::string device_names(const Graph& graph) {
  std::string text;
  for (const Context ctx : devices_of(graph)) text += (text.empty() ? "" : ", ") + ctx.str();
  return text;
}

// Decides where nodes run; true when that is on several devices.
bool find_devices(Graph* graph, const CompileOptions& options) {
  const DeviceOptions& devices = options.devices;
  bool decided = options.pass.devices;
  if (devices.wanted && names_devices(*graph, devices)) {
    assign_devices(graph, devices);
    decided = true;
  }
  if (!decided || devices_of(*graph).size() < 2) return false;
  require(!listed(options.without, "place"),
          "compile: the pass place is switched off, but the graph runs on ", device_names(*graph));
  return true;
}

// What a pass looked at and left alone says more than a fixed sentence.
std::string why_unchanged(const std::vector<Change>& changes) {
  for (const Change& c : changes) {
    if (c.action == Change::kept && !c.why.empty()) return "nothing to do: " + c.why;
  }
  return "nothing to do here";
}

PlanOptions plan_options_of(const CompileOptions& options) {
  PlanOptions plan = options.plan;
  plan.training = options.pass.training;
  if (plan.donated.empty()) plan.donated = options.pass.donated;
  if (listed(options.without, "plan")) plan.enabled = false;
  return plan;
}

// The schedule counts bytes alive; what is computed in place shows only in a plan. Why the new
// order is no better, or "".
std::string why_not_order(const Graph& before, const Graph& after, const CompileOptions& options) {
  PlanOptions plan = plan_options_of(options);
  plan.method = PlanMethod::fast;
  const auto planned_bytes = [&plan](const Graph& graph) {
    if (!is_placed(graph)) return make_plan(graph, plan).planned_bytes;
    return Program::make(graph, plan)->plan().planned_bytes;
  };
  const int64_t old_order = planned_bytes(before), new_order = planned_bytes(after);
  if (new_order < old_order) return "";
  return "another order would take " + std::to_string(new_order) +
         " bytes, that of the code takes " + std::to_string(old_order);
}

// `no_remat`: why that pass is not run, when it is not.
Compiled compile_as_asked(const Graph& graph, const CompileOptions& options,
                          const std::string& no_remat) {
  const double begin = now();
  Compiled result;
  const bool training = options.pass.training;
  Graph current = decided(graph, options.pass);
  PassOptions pass_options = options.pass;
  pass_options.devices = find_devices(&current, options);
  int64_t imperative = 0;
  const auto keep = [&](Stage stage) {
    if (options.keep_stages) result.stages.push_back(std::move(stage));
  };
  const auto snapshot = [&](const std::string& name) {
    Stage stage;
    stage.name = name;
    stage.label = stage_label(name);
    return stage;
  };
  if (options.keep_stages) {
    Stage written = snapshot("written");
    written.graph = current;
    keep(std::move(written));
  }
  for (const PassInfo& pass : pass_table()) {
    Stage stage = snapshot(pass.name);
    stage.why_skipped = why_not(pass, options, current, no_remat, pass_options.devices);
    stage.changed = false;
    if (stage.why_skipped.empty()) {
      const double start = now();
      PassContext context{pass_options, {}, options.keep_stages};
      const bool differentiates = std::string(pass.name) == "gradient";
      Graph after =
          pass.run(differentiates ? without_passthrough(current, training) : current, context);
      if (std::string(pass.name) == "schedule" && after.hash() != current.hash()) {
        stage.why_skipped = why_not_order(current, after, options);
        if (!stage.why_skipped.empty()) {
          after = current;
          context.changes.clear();
        }
      }
      if (options.keep_stages && stage.why_skipped.empty()) {
        stage.changed = changes_something(context.changes) || after.hash() != current.hash();
        if (!stage.changed) stage.why_skipped = why_unchanged(context.changes);
      }
      stage.changes = std::move(context.changes);
      current = std::move(after);
      stage.seconds = now() - start;
    }
    if (std::string(pass.name) == "infer") {
      imperative = options.count_bound ? imperative_bytes(current, options.bound, training)
                                       : imperative_bytes_unfreed(current, training);
    }
    if (options.keep_stages) {
      stage.graph = current;
      keep(std::move(stage));
    }
  }
  const double start = now();
  const PlanOptions plan_options = plan_options_of(options);
  Stage planned = snapshot("plan");
  planned.changed = plan_options.enabled;
  if (!plan_options.enabled) planned.why_skipped = "switched off: every value has its own buffer";
  const auto program =
      std::const_pointer_cast<Program>(Program::make(std::move(current), plan_options));
  program->set_imperative_bytes(imperative);
  planned.graph = program->graph();
  result.program = program;
  planned.seconds = now() - start;
  keep(std::move(planned));
  if (!options.keep_stages) {
    Stage last = snapshot("plan");
    last.graph = result.program->graph();
    result.stages.push_back(std::move(last));
  }
  result.seconds = now() - begin;
  return result;
}

// Recomputing costs time, so it has to save something: a graph whose outputs hold what is kept
// anyway takes more with it.
Compiled by_root(const Graph& graph, const CompileOptions& options) {
  CompileOptions tried = options;
  tried.keep_stages = false;
  tried.plan.method = PlanMethod::fast;
  const std::string none = "not asked for: remat=...";
  const int64_t with = compile_as_asked(graph, tried, none).program->plan().planned_bytes;
  tried.pass.remat_segments = 0;
  const int64_t without = compile_as_asked(graph, tried, none).program->plan().planned_bytes;
  if (with < without) return compile_as_asked(graph, options, none);
  CompileOptions plain = options;
  plain.pass.remat_segments = 0;
  return compile_as_asked(graph, plain,
                          "it saves nothing here: " + std::to_string(with) + " bytes with it, " +
                              std::to_string(without) + " without");
}

}  // namespace

void within_budget(int64_t budget, const std::function<int64_t(int32_t segments)>& bytes_with) {
  constexpr int32_t kMost = 64;
  constexpr int kWorse = 6;  // segments tried on after the last that needed less
  int64_t least = INT64_MAX;
  int worse = 0;
  for (int32_t segments = 1; segments <= kMost && worse < kWorse; ++segments) {
    const int64_t bytes = bytes_with(segments);
    if (bytes <= budget) return;
    worse = bytes < least ? 0 : worse + 1;
    least = std::min(least, bytes);
  }
  fail("remat: a budget of ", budget, " bytes was given, the least that was reached is ", least);
}

Compiled compile(const Graph& graph, const CompileOptions& options) {
  check_names(options.passes);
  check_names(options.without);
  if (options.pass.remat_budget > 0) {
    Compiled result;
    within_budget(options.pass.remat_budget, [&](int32_t segments) {
      CompileOptions tried = options;
      tried.pass.remat_budget = 0;
      tried.pass.remat_segments = segments;
      result = compile(graph, tried);
      return result.program->plan().planned_bytes;
    });
    return result;
  }
  if (options.pass.remat_segments == kSqrtSegments) return by_root(graph, options);
  return compile_as_asked(graph, options, "not asked for: remat=...");
}

std::vector<NDArray> run_graph(const Graph& graph, const std::vector<NDArray>& inputs,
                               const std::vector<uint64_t>& keys, bool training) {
  PassOptions options;
  options.training = training;
  for (const NDArray& a : inputs) {
    options.input_shapes.push_back(a.shape);
    options.input_dtypes.push_back(a.dtype);
  }
  Graph typed = decided(graph, options);
  DeviceOptions devices;
  options.devices = devices_of(typed).size() > 1;
  for (size_t i = 0; i < inputs.size(); ++i) {
    devices.inputs.push_back(inputs[i].ctx());
    const Context here = typed.node(typed.inputs.at(i)).ctx;
    options.devices = options.devices && same_device(inputs[i].ctx(), here);
  }
  if (!options.devices && names_devices(typed, devices)) {
    assign_devices(&typed, devices);
    options.devices = devices_of(typed).size() > 1;
  }
  PassContext context{options, {}, false};
  typed = infer(typed, context);
  if (options.devices) typed = place(typed, context);
  PlanOptions plan;
  plan.enabled = false;
  plan.training = training;
  return Program::make(std::move(typed), plan)->run(inputs, keys);
}

}  // namespace hybrid
