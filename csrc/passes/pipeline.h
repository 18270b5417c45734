// Pipeline: the passes of the table in turn, as far as they are asked for and find something to do.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "passes/pass.h"

namespace hybrid {

// Of the stages "plan" is one that can be switched off without being a pass.
constexpr const char* kPlanStage = "plan";

struct PassChoice {
  std::vector<std::string> passes;  // exactly these (and what is always run) when only_these
  bool only_these = false;
  std::vector<std::string> without;  // switched off by name; "plan": no sharing
  bool switched_off(const char* name) const;
  void check() const;  // throws Error on the name of no pass
};

class Pipeline {
 public:
  // One pass of the table, run or not.
  struct Step {
    const PassInfo& pass;
    std::vector<Change> changes;
    bool changed = false;     // known when changes are explained
    std::string why_skipped;  // when unchanged, or not run
    double seconds = 0;
  };
  using PlannedBytes = std::function<int64_t(const Graph&)>;

  // `planned_bytes`: of the plan that a graph would get. What it is given outlives it.
  Pipeline(const PassOptions& options, const PassChoice& choice, bool explain,
           PlannedBytes planned_bytes);
  // Calls `seen` with every step and the graph after it. Throws Error when a pass is switched off
  // without which the graph can't be run.
  Graph run(Graph graph, const std::function<void(Step&&, const Graph& after)>& seen) const;

 private:
  std::string why_not(const PassInfo& pass, const Graph& graph) const;
  Graph run_pass(const Graph& graph, Step* step) const;

  const PassOptions& options_;
  const PassChoice& choice_;
  const bool explain_;
  const PlannedBytes planned_bytes_;
};

}  // namespace hybrid
