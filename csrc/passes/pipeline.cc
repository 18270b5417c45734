#include "passes/pipeline.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/error.h"

namespace hybrid {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name != kPlanStage) find_pass(name);  // throws on an unknown one
  }
}

std::string why_needed(const PassInfo& pass, const Graph& graph, const PassOptions& options) {
  return pass.why_needed ? pass.why_needed(graph, options) : "";
}

// What a pass looked at and left alone says more than a fixed sentence.
std::string why_unchanged(const std::vector<Change>& changes) {
  for (const Change& c : changes) {
    if (c.action == Change::kept && !c.why.empty()) return "nothing to do: " + c.why;
  }
  return "nothing to do here";
}

}  // namespace

bool PassChoice::switched_off(const char* name) const {
  return std::find(without.begin(), without.end(), name) != without.end();
}

void PassChoice::check() const {
  check_names(passes);
  check_names(without);
}

Pipeline::Pipeline(const PassOptions& options, const PassChoice& choice, bool explain,
                   PlannedBytes planned_bytes)
    : options_(options),
      choice_(choice),
      explain_(explain),
      planned_bytes_(std::move(planned_bytes)) {}

// Why a pass is not run, or "".
std::string Pipeline::why_not(const PassInfo& pass, const Graph& graph) const {
  if (pass.types || !why_needed(pass, graph, options_).empty()) return "";
  if (choice_.switched_off(pass.name)) return "switched off";
  const auto& listed = choice_.passes;
  if (choice_.only_these && std::find(listed.begin(), listed.end(), pass.name) == listed.end()) {
    return "not in the list of passes";
  }
  if (!pass.exact && !options_.fast) return "changes results in the last bits: only with fast";
  return pass.why_idle ? pass.why_idle(graph, options_) : "";
}

Graph Pipeline::run_pass(const Graph& graph, Step* step) const {
  const double start = now();
  PassContext context{options_, {}, explain_, planned_bytes_};
  Graph after = step->pass.run(graph, context);
  step->why_skipped = std::move(context.why_left);
  if (explain_ && step->why_skipped.empty()) {
    step->changed = changes_something(context.changes) || after.hash() != graph.hash();
    if (!step->changed) step->why_skipped = why_unchanged(context.changes);
  }
  step->changes = std::move(context.changes);
  step->seconds = now() - start;
  return after;
}

Graph Pipeline::run(Graph graph,
                    const std::function<void(Step&&, const Graph& after)>& seen) const {
  for (const PassInfo& pass : pass_table()) {
    const std::string why = why_needed(pass, graph, options_);
    require(why.empty() || !choice_.switched_off(pass.name), "compile: the pass ", pass.name,
            " is switched off, but ", why);
  }
  for (const PassInfo& pass : pass_table()) {
    Step step{pass, {}, false, why_not(pass, graph), 0};
    if (step.why_skipped.empty()) graph = run_pass(graph, &step);
    seen(std::move(step), graph);
  }
  return graph;
}

}  // namespace hybrid
