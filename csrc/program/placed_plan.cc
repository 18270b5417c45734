// The memory plan of a program on several devices, put together from those of its parts.
#include <algorithm>
#include <map>

#include "core/device_name.h"
#include "plan/bytes.h"
#include "program/placed.h"

namespace hybrid {
namespace {

using PartPrograms = std::vector<Program::Placed::PartProgram>;

class Joining {
 public:
  Joining(const Graph& graph, const Parts& parts, const PartPrograms& programs,
          const PlanOptions& options)
      : graph_(graph), parts_(parts), programs_(programs), options_(options) {}

  Plan run() {
    plan_.training = options_.training;
    plan_.donated = options_.donated;
    plan_.donated.resize(graph_.inputs.size(), false);
    plan_.updates = options_.updates;
    plan_.updates.resize(graph_.outputs.size(), kFresh);
    plan_.views.assign(graph_.nodes.size(), false);
    plan_.buffer_of.resize(graph_.nodes.size());
    plan_.windows.resize(graph_.nodes.size());
    for (size_t p = 0; p < graph_.nodes.size(); ++p) {
      const Node& n = graph_.nodes[p];
      plan_.buffer_of[p].assign(static_cast<size_t>(n.num_outputs()), -1);
      for (const Shape& s : n.shapes) plan_.windows[p].push_back({contiguous_strides(s), 0});
    }
    find_devices();
    add_given();
    for (const PartStep& step : parts_.steps) {
      if (step.copy >= 0) {
        add_copy(graph_.node(step.copy));
      } else {
        add_part(static_cast<size_t>(step.part));
      }
    }
    extend_lives();
    count_bytes();
    plan_.imperative_bytes = imperative_bytes_unfreed(graph_, options_.training);
    add_commits();
    return std::move(plan_);
  }

 private:
  size_t at(NodeId id) const { return static_cast<size_t>(graph_.position(id)); }
  int32_t& buffer_of(Entry e) { return plan_.buffer_of[at(e.node)][static_cast<size_t>(e.out)]; }

  size_t find_device(Context ctx) {
    for (size_t d = 0; d < plan_.devices.size(); ++d) {
      if (plan_.devices[d].ctx == worker_of(ctx)) return d;
    }
    DevicePlan fresh;
    fresh.ctx = worker_of(ctx);
    fresh.arena_offset = plan_.arena_bytes;
    plan_.devices.push_back(fresh);
    return plan_.devices.size() - 1;
  }

  // Devices in the order in which they work, and where each one's arena begins.
  void find_devices() {
    for (const PartStep& step : parts_.steps) {
      if (step.copy >= 0) {
        find_device(graph_.node(step.copy).ctx);
        continue;
      }
      const Program::Placed::PartProgram& part = programs_[static_cast<size_t>(step.part)];
      const size_t d = find_device(part.ctx);
      int64_t& bytes = plan_.devices[d].arena_bytes;
      bytes = std::max(bytes, part.program->plan().arena_bytes);
    }
    for (DevicePlan& d : plan_.devices) {
      d.arena_offset = plan_.arena_bytes;
      plan_.arena_bytes += d.arena_bytes;
    }
  }

  int32_t add_buffer(Buffer b, Context ctx) {
    b.id = static_cast<int32_t>(plan_.buffers.size());
    plan_.buffers.push_back(std::move(b));
    home_.push_back(find_device(ctx));
    return plan_.buffers.back().id;
  }

  void add_given() {
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      const Entry e{graph_.inputs[i], 0};
      Buffer b;
      b.kind = BufferKind::input;
      b.bytes = graph_.bytes(e);
      b.entries = {e};
      b.index = static_cast<int32_t>(i);
      buffer_of(e) = add_buffer(std::move(b), graph_.node(e.node).ctx);
    }
    for (size_t p = 0; p < graph_.nodes.size(); ++p) {
      const Node& n = graph_.nodes[p];
      if (n.kind != NodeKind::constant) continue;
      Buffer b;
      b.kind = BufferKind::constant;
      b.bytes = graph_.bytes({n.id, 0});
      b.entries = {{n.id, 0}};
      b.index = static_cast<int32_t>(p);
      buffer_of({n.id, 0}) = add_buffer(std::move(b), n.ctx);
    }
  }

  int32_t output_index(Entry e) const {
    const auto found = std::find(graph_.outputs.begin(), graph_.outputs.end(), e);
    return found == graph_.outputs.end() ? -1
                                         : static_cast<int32_t>(found - graph_.outputs.begin());
  }

  void add_copy(const Node& n) {
    Buffer b;
    b.kind = BufferKind::output;  // memory of its own
    b.bytes = graph_.bytes({n.id, 0});
    b.start = b.end = static_cast<int32_t>(plan_.steps.size());
    b.entries = {{n.id, 0}};
    b.index = output_index({n.id, 0});
    buffer_of({n.id, 0}) = add_buffer(std::move(b), n.ctx);
    reads_.push_back({n.inputs[0]});
    plan_.steps.push_back(n.id);
  }

  void add_part(size_t i) {
    const Part& part = parts_.parts[i];
    const Plan& own = programs_[i].program->plan();
    const Graph& graph = programs_[i].program->graph();
    const size_t d = find_device(part.ctx);
    const auto first = static_cast<int32_t>(plan_.steps.size());
    std::vector<int32_t> number(own.buffers.size(), -1);
    for (const Buffer& b : own.buffers) {
      if (b.kind == BufferKind::input) {
        number[b.id] = buffer_of(part.reads[static_cast<size_t>(b.index)]);
        Buffer& whole = plan_.buffers[number[b.id]];
        for (const Entry& e : b.entries) {
          const bool read = graph.node(e.node).kind == NodeKind::input;
          if (!read && graph_.contains(e.node)) whole.entries.push_back(e);
        }
      } else if (b.kind == BufferKind::constant) {
        number[b.id] = buffer_of({graph.nodes[static_cast<size_t>(b.index)].id, 0});
      } else {
        Buffer whole = b;
        whole.start += first;
        whole.end += first;
        whole.offset += plan_.devices[d].arena_offset;
        whole.index = b.kind == BufferKind::output
                          ? output_index(part.writes[static_cast<size_t>(b.index)])
                          : -1;
        number[b.id] = add_buffer(std::move(whole), part.ctx);
      }
    }
    for (size_t p = 0; p < graph.nodes.size(); ++p) {
      const Node& n = graph.nodes[p];
      if (n.kind != NodeKind::op && n.kind != NodeKind::fused) continue;
      const size_t q = at(n.id);
      plan_.views[q] = own.views[p];
      plan_.windows[q] = own.windows[p];
      for (size_t o = 0; o < own.buffer_of[p].size(); ++o) {
        const int32_t b = own.buffer_of[p][o];
        plan_.buffer_of[q][o] = b < 0 ? -1 : number[b];
      }
    }
    for (const OutputCopy& copy : own.copies) {  // the value that others see
      buffer_of(part.writes[static_cast<size_t>(copy.output)]) = number[copy.buffer];
    }
    for (const int32_t b : own.placed) plan_.placed.push_back(number[b]);
    int64_t scratch = own.planned_bytes;
    for (const Buffer& b : own.buffers) scratch -= b.kind == BufferKind::output ? b.bytes : 0;
    for (const NodeId id : own.steps) {
      scratch_.resize(plan_.steps.size() + 1, 0);
      scratch_.back() = scratch;
      reads_.resize(plan_.steps.size());
      reads_.push_back(part.reads);
      plan_.steps.push_back(id);
    }
    optimal_ = optimal_ && own.optimal;
    if (!own.optimal && why_.empty()) why_ = own.why;
    if (!own.attempts.empty() && own.arena_bytes >= largest_) {
      largest_ = own.arena_bytes;
      plan_.attempts = own.attempts;
    }
  }

  // A value that other steps read lives until the last of them, an output to the end.
  void extend_lives() {
    reads_.resize(plan_.steps.size());
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      for (const Entry& e : reads_[s]) {
        Buffer& b = plan_.buffers[static_cast<size_t>(buffer_of(e))];
        b.end = std::max(b.end, static_cast<int32_t>(s));
      }
    }
    for (const Entry& e : graph_.outputs) {
      if (buffer_of(e) < 0) continue;
      Buffer& b = plan_.buffers[static_cast<size_t>(buffer_of(e))];
      b.end = std::max(b.end, static_cast<int32_t>(plan_.steps.size()));
    }
  }

  void count_bytes() {
    scratch_.resize(plan_.steps.size() + 1, 0);
    for (size_t s = 0; s <= plan_.steps.size(); ++s) {
      std::vector<int64_t> live(plan_.devices.size(), 0), own(plan_.devices.size(), 0);
      for (const Buffer& b : plan_.buffers) {
        const bool made = b.kind == BufferKind::arena || b.kind == BufferKind::output;
        if (!made || static_cast<int32_t>(s) < b.start || static_cast<int32_t>(s) > b.end) continue;
        live[home_[b.id]] += b.bytes;
        if (b.kind == BufferKind::output) own[home_[b.id]] += b.bytes;
      }
      const bool runs = s < plan_.steps.size();
      const size_t busy = runs ? find_device(graph_.node(plan_.steps[s]).ctx) : ~size_t{0};
      for (size_t d = 0; d < plan_.devices.size(); ++d) {
        DevicePlan& plan = plan_.devices[d];
        plan.lower_bound_bytes = std::max(plan.lower_bound_bytes, live[d]);
        plan.planned_bytes =
            std::max({plan.planned_bytes, live[d], own[d] + (d == busy ? scratch_[s] : 0)});
      }
    }
    for (const DevicePlan& d : plan_.devices) {
      plan_.planned_bytes += d.planned_bytes;
      plan_.lower_bound_bytes += d.lower_bound_bytes;
    }
    plan_.optimal = optimal_;
    plan_.why = !options_.enabled ? "no sharing: planning is switched off"
                : optimal_        ? "optimal: on every device each part's arena is as large as the "
                                    "values live at one time"
                                  : why_;
  }

  void add_commits() {
    for (size_t k = 0; k < graph_.outputs.size(); ++k) {
      const int32_t u = plan_.updates[k];
      if (u == kFresh) continue;
      int32_t buffer = -1;
      if (u == kGiven) {
        Buffer b;
        b.kind = BufferKind::given;
        b.bytes = graph_.bytes(graph_.outputs[k]);
        b.start = b.end = static_cast<int32_t>(plan_.steps.size());
        b.index = static_cast<int32_t>(k);
        buffer = add_buffer(std::move(b), graph_.node(graph_.outputs[k].node).ctx);
      } else {
        buffer = buffer_of({graph_.inputs[static_cast<size_t>(u)], 0});
      }
      plan_.commits.push_back({static_cast<int32_t>(k), buffer});
    }
  }

  const Graph& graph_;
  const Parts& parts_;
  const PartPrograms& programs_;
  const PlanOptions& options_;
  Plan plan_;
  std::vector<size_t> home_;               // by buffer
  std::vector<std::vector<Entry>> reads_;  // by step: values of other steps
  std::vector<int64_t> scratch_;           // by step: arena bytes that its part uses
  bool optimal_ = true;
  std::string why_;
  int64_t largest_ = 0;
};

}  // namespace

Plan plan_of_parts(const Graph& graph, const Parts& parts, const PartPrograms& programs,
                   const PlanOptions& options) {
  return Joining(graph, parts, programs, options).run();
}

}  // namespace hybrid
