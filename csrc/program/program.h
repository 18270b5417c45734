// Program: a compiled, planned graph that runs without Python; and compile(), which makes it.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "passes/devices.h"
#include "passes/pass.h"
#include "passes/pipeline.h"
#include "plan/plan.h"

namespace hybrid {

class Program {
 public:
  // One engine task for the whole program: kernels in plan order, one trace record each (node id
  // and site), arena from the pool per run, outputs from the pool. Stays asynchronous.
  // Inputs: by graph.inputs, checked against the compiled shapes, dtypes and one context, or the
  // devices that the program was placed for.
  // keys: one per key slot. `donated`: which inputs the caller gives up; one that the plan may
  // overwrite but is not donated in this run is copied first.
  // `outputs_into`: optional existing arrays to write outputs to; where one is not defined the
  // output gets memory of its own.
  // `ctx`: where to run; null: where the first input is.
  // `given`: by output, where the plan says kGiven, the array to write.
  // Arrays that get new contents are as they were when the run fails or is interrupted; an error
  // that comes after the first of them was written (memory) poisons them, an interrupt then lets
  // all of them be written.
  std::vector<NDArray> run(const std::vector<NDArray>& inputs, const std::vector<uint64_t>& keys,
                           const std::vector<bool>& donated = {},
                           const std::vector<NDArray>* outputs_into = nullptr,
                           const Context* ctx = nullptr,
                           const std::vector<NDArray>& given = {}) const;
  // Runs on this thread now, inside another operator's kernel: the inputs hold their values and are
  // contiguous, and nothing enters the queue. An error names the kernel's line. Returns early, with
  // results undefined, when `resources` is cancelled.
  std::vector<NDArray> run_nested(const std::vector<NDArray>& inputs, Resources& resources) const;
  const Graph& graph() const { return graph_; }
  const Plan& plan() const { return plan_; }
  void set_imperative_bytes(int64_t bytes) { plan_.imperative_bytes = bytes; }
  double cost_ns() const;  // estimate of the whole run on one core
  // What a run on one modelled device takes there, for loops that run it: a step's kernels.
  const std::vector<model::Kernel>& device_kernels() const;
  // What its spans in the trace call node 0; the others follow by their ids. 0: on several devices.
  uint32_t first_serial() const;
  uint32_t num_ids() const;  // ids of its graph's nodes are below
  struct Impl;
  struct Placed;
  static std::shared_ptr<const Program> make(Graph graph, Plan plan);
  // Plans it; a graph that was placed on several devices becomes planned parts, one engine task
  // each, and copies between them (program/placed.h).
  static std::shared_ptr<const Program> make(Graph graph, const PlanOptions& options);
  // The same program with other lines and names.
  std::shared_ptr<const Program> with_labels(
      const std::function<Graph(const Graph&)>& relabel) const;
  // Of several devices: the programs of its parts, in order.
  std::vector<std::shared_ptr<const Program>> parts() const;

 private:
  Graph graph_;
  Plan plan_;
  std::shared_ptr<const Impl> impl_;
  std::shared_ptr<const Placed> placed_;  // of several devices; then impl_ is null
};
using ProgramRef = std::shared_ptr<const Program>;

struct Stage {
  std::string name, label;
  Graph graph;
  std::vector<Change> changes;
  bool changed = true;
  std::string why_skipped;  // when unchanged or switched off
  double seconds = 0;
};

struct CompileOptions : PassChoice {
  PassOptions pass;
  PlanOptions plan;         // training and donated are taken from `pass` as well
  DeviceOptions devices;    // where nodes run
  bool keep_stages = true;  // false: only the last graph (programs of gluon)
  // Values of the graph given that names are bound to: they live to the end in the imperative
  // count (plan.imperative_bytes). Without: every value does.
  std::vector<Entry> bound;
  bool count_bound = false;
};

struct Compiled {
  std::vector<Stage> stages;  // "written" first, "plan" last
  ProgramRef program;
  double seconds = 0;
};
Compiled compile(const Graph& graph, const CompileOptions& options);
// Rematerialization within a budget: calls bytes_with(1), (2), ... until the bytes that it answers
// are not above the budget. Throws Error saying the least when none is.
void within_budget(int64_t budget, const std::function<int64_t(int32_t segments)>& bytes_with);
// A program of any stage's graph as it stands, no further pass run, on the inputs' devices.
// `share`: values share memory as planned; else each has a buffer of its own.
ProgramRef program_of_stage(const Graph& graph, const std::vector<NDArray>& inputs, bool training,
                            bool share);
// Runs any stage's graph, unplanned: for "every stage's graph can be run" and for tests.
std::vector<NDArray> run_graph(const Graph& graph, const std::vector<NDArray>& inputs,
                               const std::vector<uint64_t>& keys, bool training);

}  // namespace hybrid
