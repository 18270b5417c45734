// compile(): the passes in order with a snapshot of each, then the plan and the program.
#include <algorithm>
#include <chrono>

#include "core/device_name.h"
#include "core/error.h"
#include "passes/mode.h"
#include "passes/open_gradient.h"
#include "plan/bytes.h"
#include "program/program.h"

namespace hybrid {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The graph that is compiled: its mode decided, every gradient in it by its operator's rule.
Graph decided(const Graph& graph, const PassOptions& options) {
  Graph result = in_mode(graph, options.training, nullptr);
  if (!has_open_gradient(result)) return result;
  PassContext context{options, {}, false};
  return close_gradients(infer(result, context));
}

// Decides where nodes run; true when that is on several devices.
bool find_devices(Graph* graph, const CompileOptions& options) {
  const DeviceOptions& devices = options.devices;
  bool decided = options.pass.devices;
  if (devices.wanted && names_devices(*graph, devices)) {
    assign_devices(graph, devices);
    decided = true;
  }
  return decided && devices_of(*graph).size() > 1;
}

PlanOptions plan_options_of(const Graph& graph, const CompileOptions& options) {
  PlanOptions plan = options.plan;
  plan.training = options.pass.training;
  plan.has_backward = plan.has_backward || !options.pass.grad_of.empty() ||
                      std::any_of(graph.nodes.begin(), graph.nodes.end(), is_backward);
  plan.remat_asked = plan.remat_asked || options.pass.remat_segments != 0;
  if (plan.donated.empty()) plan.donated = options.pass.donated;
  if (options.switched_off(kPlanStage)) plan.enabled = false;
  return plan;
}

// Of the plan that a graph would get, made fast.
int64_t planned_bytes(const Graph& graph, PlanOptions plan) {
  plan.method = PlanMethod::fast;
  if (!is_placed(graph)) return make_plan(graph, plan).planned_bytes;
  return Program::make(graph, plan)->plan().planned_bytes;
}

Stage stage_called(const char* name) {
  Stage stage;
  stage.name = name;
  stage.label = stage_label(name);
  return stage;
}

Stage stage_of(Pipeline::Step&& step) {
  Stage stage;
  stage.name = step.pass.name;
  stage.label = step.pass.label;
  stage.changes = std::move(step.changes);
  stage.changed = step.changed;
  stage.why_skipped = std::move(step.why_skipped);
  stage.seconds = step.seconds;
  return stage;
}

Compiled compile_as_asked(const Graph& graph, const CompileOptions& options) {
  const double begin = now();
  Compiled result;
  Graph current = decided(graph, options.pass);
  PassOptions pass_options = options.pass;
  pass_options.devices = find_devices(&current, options);
  const PlanOptions plan_options = plan_options_of(current, options);
  const auto keep = [&](Stage stage, const Graph& after) {
    if (!options.keep_stages) return;
    stage.graph = after;
    result.stages.push_back(std::move(stage));
  };
  keep(stage_called("written"), current);
  int64_t imperative = 0;
  const Pipeline pipeline(pass_options, options, options.keep_stages,
                          [&](const Graph& g) { return planned_bytes(g, plan_options); });
  current = pipeline.run(std::move(current), [&](Pipeline::Step&& step, const Graph& after) {
    if (step.pass.types) {
      const bool training = options.pass.training;
      imperative = options.count_bound ? imperative_bytes(after, options.bound, training)
                                       : imperative_bytes_unfreed(after, training);
    }
    keep(stage_of(std::move(step)), after);
  });
  const double start = now();
  Stage planned = stage_called(kPlanStage);
  const auto program =
      std::const_pointer_cast<Program>(Program::make(std::move(current), plan_options));
  program->set_imperative_bytes(imperative);
  if (options.keep_stages) {
    planned.changed = plan_options.enabled;
    if (!plan_options.enabled) planned.why_skipped = "switched off: every value has its own buffer";
    planned.seconds = now() - start;
  }
  planned.graph = program->graph();
  result.stages.push_back(std::move(planned));
  result.program = program;
  result.seconds = now() - begin;
  return result;
}

// Recomputing costs time, so it has to save something: a graph whose outputs hold what is kept
// anyway takes more with it.
Compiled by_root(const Graph& graph, const CompileOptions& options) {
  CompileOptions tried = options;
  tried.keep_stages = false;
  tried.plan.method = PlanMethod::fast;
  const int64_t with = compile_as_asked(graph, tried).program->plan().planned_bytes;
  tried.pass.remat_segments = 0;
  const int64_t without = compile_as_asked(graph, tried).program->plan().planned_bytes;
  if (with < without) return compile_as_asked(graph, options);
  CompileOptions plain = options;
  plain.pass.remat_segments = 0;
  plain.plan.remat_asked = true;
  plain.pass.why_no_remat = "it saves nothing here: " + std::to_string(with) + " bytes with it, " +
                            std::to_string(without) + " without";
  return compile_as_asked(graph, plain);
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
  options.check();
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
  return compile_as_asked(graph, options);
}

ProgramRef program_of_stage(const Graph& graph, const std::vector<NDArray>& inputs, bool training,
                            bool share) {
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
  plan.enabled = share;
  plan.training = training;
  return Program::make(std::move(typed), plan);
}

std::vector<NDArray> run_graph(const Graph& graph, const std::vector<NDArray>& inputs,
                               const std::vector<uint64_t>& keys, bool training) {
  return program_of_stage(graph, inputs, training, false)->run(inputs, keys);
}

}  // namespace hybrid
