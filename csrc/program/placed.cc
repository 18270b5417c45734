// Making programs of placed graphs.
#include "program/placed.h"

#include <algorithm>
#include <map>

#include "core/device_name.h"
#include "core/error.h"
#include "passes/devices.h"
#include "plan/lifetimes.h"

namespace hybrid {
namespace {

using Placed = Program::Placed;

class Making {
 public:
  Making(const Parts& parts, const PlanOptions& options, Placed* placed)
      : parts_(parts), graph_(parts.graph), options_(options), placed_(*placed) {}

  void run() {
    check_updates(graph_, options_.updates);
    placed_.options = options_;
    placed_.updates = options_.updates;
    placed_.updates.resize(graph_.outputs.size(), kFresh);
    for (const NodeId id : graph_.inputs) placed_.inputs.push_back(value({id, 0}));
    count_readers();
    for (const Part& part : parts_.parts) add_part(part);
    for (const PartStep& step : parts_.steps) add_step(step);
    add_results();
    release_values();
    placed_.num_values = static_cast<int32_t>(values_.size());
  }

 private:
  int32_t value(Entry e) {
    return values_.emplace(e, static_cast<int32_t>(values_.size())).first->second;
  }

  void count_readers() {
    for (const Part& part : parts_.parts) {
      for (const Entry& e : part.reads) ++readers_[e];
    }
    for (const PartStep& step : parts_.steps) {
      if (step.copy >= 0) ++readers_[graph_.node(step.copy).inputs[0]];
    }
    for (const Entry& e : graph_.outputs) ++readers_[e];
  }

  void add_part(const Part& part) {
    Placed::PartProgram made;
    made.ctx = part.ctx;
    PlanOptions options = options_;
    options.updates.clear();  // new contents are written when every part is done
    options.donated.clear();
    for (const Entry& e : part.reads) {
      made.reads.push_back(value(e));
      const auto input = std::find(graph_.inputs.begin(), graph_.inputs.end(), e.node);
      // Its memory says where it is: a result in it would be there.
      const bool alone = readers_.at(e) == 1 && same_worker(graph_.node(e.node).ctx, part.ctx);
      int32_t donor = -1;
      if (input != graph_.inputs.end() && alone) {
        const auto i = static_cast<size_t>(input - graph_.inputs.begin());
        const bool updated = std::find(placed_.updates.begin(), placed_.updates.end(),
                                       static_cast<int32_t>(i)) != placed_.updates.end();
        if (i < options_.donated.size() && options_.donated[i] && !updated) {
          donor = static_cast<int32_t>(i);
        }
      }
      made.donor.push_back(donor);
      made.own.push_back(alone && input == graph_.inputs.end());
      options.donated.push_back(made.own.back() || donor >= 0);
    }
    for (const Entry& e : part.writes) made.writes.push_back(value(e));
    Graph graph = part.graph;
    Plan plan = make_plan(graph, options);
    made.program = Program::make(std::move(graph), std::move(plan));
    placed_.parts.push_back(std::move(made));
  }

  void add_step(const PartStep& step) {
    if (step.copy < 0) {
      placed_.steps.push_back({step.part, -1, {}});
      return;
    }
    const Node& n = graph_.node(step.copy);
    placed_.steps.push_back({-1, static_cast<int32_t>(placed_.copies.size()), {}});
    const Node& source = graph_.node(n.inputs[0].node);
    require(source.kind != NodeKind::constant, "program: '", n.name,
            "' copies a constant, which every device has");
    placed_.copies.push_back({n.id, n.site, value(n.inputs[0]), value({n.id, 0}), n.ctx});
  }

  void add_results() {
    std::vector<Entry> handed;
    for (size_t k = 0; k < graph_.outputs.size(); ++k) {
      const Entry e = graph_.outputs[k];
      const Node& n = graph_.node(e.node);
      const bool again = std::find(handed.begin(), handed.end(), e) != handed.end();
      handed.push_back(e);
      if (n.kind == NodeKind::constant) {
        placed_.results.push_back({-1, true, n.value});
      } else {
        placed_.results.push_back({value(e), again || n.kind == NodeKind::input, NDArray()});
      }
    }
  }

  // A value goes as soon as its last reader is pushed, which then holds it.
  void release_values() {
    std::map<int32_t, size_t> last;
    for (size_t s = 0; s < placed_.steps.size(); ++s) {
      const Placed::Step& step = placed_.steps[s];
      if (step.copy >= 0) {
        last[placed_.copies[static_cast<size_t>(step.copy)].from] = s;
        continue;
      }
      const Placed::PartProgram& part = placed_.parts[static_cast<size_t>(step.part)];
      for (const int32_t v : part.reads) last[v] = s;
    }
    for (const int32_t v : placed_.inputs) last.erase(v);
    for (const Placed::Result& r : placed_.results) last.erase(r.value);
    for (const auto& [v, s] : last) placed_.steps[s].over.push_back(v);
  }

  const Parts& parts_;
  const Graph& graph_;
  const PlanOptions& options_;
  Placed& placed_;
  std::map<Entry, int32_t> values_;
  std::map<Entry, int> readers_;  // parts, copies and outputs
};

}  // namespace

std::shared_ptr<const Program> Program::make(Graph graph, const PlanOptions& options) {
  if (!is_placed(graph)) {
    Plan plan = make_plan(graph, options);
    return make(std::move(graph), std::move(plan));
  }
  Parts parts = split_by_device(graph);
  auto placed = std::make_shared<Placed>();
  Making(parts, options, placed.get()).run();
  auto program = std::make_shared<Program>();
  program->plan_ = plan_of_parts(parts.graph, parts, placed->parts, options);
  program->graph_ = std::move(parts.graph);
  program->placed_ = std::move(placed);
  return program;
}

std::vector<ProgramRef> Program::parts() const {
  std::vector<ProgramRef> result;
  if (!placed_) return result;
  for (const Placed::PartProgram& part : placed_->parts) result.push_back(part.program);
  return result;
}

std::shared_ptr<const Program> Program::with_labels(
    const std::function<Graph(const Graph&)>& relabel) const {
  if (!placed_) return make(relabel(graph_), plan_);
  auto placed = std::make_shared<Placed>(*placed_);
  auto program = std::make_shared<Program>();
  program->plan_ = plan_;
  program->graph_ = relabel(graph_);
  for (Placed::PartProgram& part : placed->parts) part.program = part.program->with_labels(relabel);
  for (Placed::Copy& copy : placed->copies) copy.site = program->graph_.node(copy.node).site;
  program->placed_ = std::move(placed);
  return program;
}

}  // namespace hybrid
