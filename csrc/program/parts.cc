#include "program/parts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/error.h"
#include "ops/copy_to_device.h"

namespace hybrid {
namespace {

constexpr double kGrainNs = 20000;  // a part of this cost is worth its wake on another device

double cost_of(const Graph& graph, const Node& n) {
  double ns = 20;
  const auto add = [&](const Node& of) {
    std::vector<Shape> shapes;  // a member's result has the shape of what it is made from
    for (const Entry& e : of.inputs) {
      shapes.push_back(graph.contains(e.node) ? graph.shape(e) : of.shapes[0]);
    }
    ns += estimate_cost_ns(*of.op, of.attrs, shapes, of.shapes, of.dtypes[0]);
  };
  if (n.kind == NodeKind::fused) {
    for (const Node& m : n.members) add(m);
  } else {
    add(n);
  }
  return ns;
}

class Splitting {
 public:
  explicit Splitting(const Graph& graph) : graph_(graph) {}

  Parts run() {
    for (const Node& n : graph_.nodes) {
      require(n.kind != NodeKind::op || n.op->meeting_key(n.attrs).empty(), n.name, ": ",
              n.op ? n.op->name : "",
              " waits for other devices, which it can't within one graph "
              "over several: call a graph a device");
    }
    find_dependencies();
    for (size_t p = 0; p < graph_.nodes.size(); ++p) {
      const NodeKind kind = graph_.nodes[p].kind;
      if (kind != NodeKind::input && kind != NodeKind::constant) continue;
      order_.push_back(p);
      finish(p);
    }
    flush();
    while (!ready_.empty()) take_part();
    for (size_t p = 0; p < graph_.nodes.size(); ++p) {
      require(done_[p], "parts: node ", graph_.nodes[p].id, " waits for itself");
    }
    result_.graph = graph_;
    result_.graph.nodes.clear();
    for (const size_t p : order_) result_.graph.nodes.push_back(graph_.nodes[p]);
    result_.graph.reindex();
    make_parts();
    return std::move(result_);
  }

 private:
  size_t at(Entry e) const { return static_cast<size_t>(graph_.position(e.node)); }
  bool is_copy(const Node& n) const { return crosses_devices(graph_, n); }
  bool computes(const Node& n) const {
    return (n.kind == NodeKind::op || n.kind == NodeKind::fused) && !is_copy(n);
  }
  Context device(size_t p) const { return worker_of(graph_.nodes[p].ctx); }

  void find_dependencies() {
    waits_.assign(graph_.nodes.size(), 0);
    after_.resize(graph_.nodes.size());
    done_.assign(graph_.nodes.size(), false);
    leaves_.assign(graph_.nodes.size(), false);
    arrives_.assign(graph_.nodes.size(), false);
    size_t effect = graph_.nodes.size();
    for (size_t p = 0; p < graph_.nodes.size(); ++p) {
      const Node& n = graph_.nodes[p];
      std::set<size_t> before;
      for (const Entry& e : n.inputs) before.insert(at(e));
      if (n.kind == NodeKind::effect) {
        if (effect < graph_.nodes.size()) before.insert(effect);
        effect = p;
      }
      for (const size_t b : before) {
        after_[b].push_back(p);
        const bool crosses = computes(n) && computes(graph_.nodes[b]) && device(b) != device(p);
        if (is_copy(n) || crosses) leaves_[b] = true;
        if (computes(n) && (is_copy(graph_.nodes[b]) || crosses)) arrives_[p] = true;
      }
      waits_[p] = before.size();
      if (computes(n) && before.empty()) ready_.insert(p);
      if (!computes(n) && before.empty() && n.kind != NodeKind::input &&
          n.kind != NodeKind::constant) {
        pending_.insert(p);
      }
    }
  }

  // What may run once p has.
  void finish(size_t p) {
    done_[p] = true;
    for (const size_t next : after_[p]) {
      if (--waits_[next] > 0) continue;
      (computes(graph_.nodes[next]) ? ready_ : pending_).insert(next);
    }
  }

  // Copies and effects, between parts.
  void flush() {
    while (!pending_.empty()) {
      const size_t p = *pending_.begin();
      pending_.erase(pending_.begin());
      order_.push_back(p);
      if (is_copy(graph_.nodes[p])) result_.steps.push_back({-1, graph_.nodes[p].id});
      finish(p);
    }
  }

  // The next kernel on a device; one that waits for another device comes last.
  std::optional<size_t> next_on(Context ctx) const {
    std::optional<size_t> waiting;
    for (const size_t p : ready_) {
      if (device(p) != ctx) continue;
      if (!arrives_[p]) return p;
      if (!waiting) waiting = p;
    }
    return waiting;
  }

  void take_part() {
    const Context ctx = device(*ready_.begin());
    std::vector<size_t> nodes;
    double ns = 0;
    while (const std::optional<size_t> next = next_on(ctx)) {
      const size_t p = *next;
      if (arrives_[p] && ns >= kGrainNs) break;
      ready_.erase(p);
      nodes.push_back(p);
      order_.push_back(p);
      finish(p);
      ns += cost_of(graph_, graph_.nodes[p]);
      if (leaves_[p] && ns >= kGrainNs) break;
    }
    result_.steps.push_back({static_cast<int32_t>(parts_.size()), -1});
    parts_.push_back({ctx, std::move(nodes)});
    flush();
  }

  // Values that are read in another step than the one that makes them.
  void make_parts() {
    std::map<NodeId, int32_t> part_of;
    for (size_t i = 0; i < parts_.size(); ++i) {
      for (const size_t p : parts_[i].second) {
        part_of[graph_.nodes[p].id] = static_cast<int32_t>(i);
      }
    }
    const auto part = [&](NodeId id) {
      const auto found = part_of.find(id);
      return found == part_of.end() ? -1 : found->second;
    };
    std::set<Entry> leaving(graph_.outputs.begin(), graph_.outputs.end());
    for (const Node& n : graph_.nodes) {
      if (n.kind == NodeKind::effect) continue;
      for (const Entry& e : n.inputs) {
        if (part(e.node) != part(n.id) || is_copy(n)) leaving.insert(e);
      }
    }
    for (auto& [ctx, nodes] : parts_) result_.parts.push_back(make_part(ctx, nodes, leaving));
  }

  Part make_part(Context ctx, const std::vector<size_t>& nodes, const std::set<Entry>& leaving) {
    Part part;
    part.ctx = ctx;
    Graph& g = part.graph;
    g.next_id = graph_.next_id;
    g.num_keys = graph_.num_keys;
    std::map<Entry, Entry> here;
    const auto bring = [&](Entry e) {
      if (g.contains(e.node)) {
        const auto found = here.find(e);
        return found == here.end() ? e : found->second;
      }
      if (const auto found = here.find(e); found != here.end()) return found->second;
      const Node& source = graph_.node(e.node);
      if (source.kind == NodeKind::constant) {
        g.add(source);
        return e;
      }
      Node input;
      input.kind = NodeKind::input;
      input.id = source.num_outputs() == 1 ? source.id : -1;
      input.name = source.name;
      input.shapes = {source.shapes[static_cast<size_t>(e.out)]};
      input.dtypes = {source.dtypes[static_cast<size_t>(e.out)]};
      input.origins = {source.id};
      input.site = source.site;
      input.ctx = ctx;
      const Entry made{g.add(std::move(input)).id, 0};
      g.inputs.push_back(made.node);
      part.reads.push_back(e);
      here[e] = made;
      return made;
    };
    for (const size_t p : nodes) {
      Node n = graph_.nodes[p];
      for (size_t k = 0; k < n.inputs.size(); ++k) {
        const Entry from = n.inputs[k], to = bring(from);
        n.inputs[k] = to;
        if (from == to) continue;
        for (Node& m : n.members) std::replace(m.inputs.begin(), m.inputs.end(), from, to);
      }
      const NodeId id = n.id;
      const int32_t outputs = n.num_outputs();
      g.add(std::move(n));
      for (int32_t o = 0; o < outputs; ++o) {
        if (leaving.count({id, o})) part.writes.push_back({id, o});
      }
    }
    // What nobody reads is computed all the same, as without parts: an error in it shows.
    if (part.writes.empty()) part.writes.push_back({graph_.nodes[nodes.back()].id, 0});
    for (const Entry& e : part.writes) {
      g.outputs.push_back(e);
      g.output_names.push_back(graph_.node(e.node).name);
    }
    return part;
  }

  const Graph& graph_;
  std::vector<size_t> waits_;               // by position: how many that come before are left
  std::vector<std::vector<size_t>> after_;  // by position
  std::vector<bool> done_;                  // by position
  std::vector<bool> leaves_, arrives_;      // another device reads it; it reads from another device
  std::set<size_t> ready_, pending_;        // positions: kernels; copies and effects
  std::vector<size_t> order_;
  std::vector<std::pair<Context, std::vector<size_t>>> parts_;
  Parts result_;
};

}  // namespace

bool crosses_devices(const Graph& graph, const Node& n) {
  return n.kind == NodeKind::op && is_device_copy(n.op) &&
         graph.node(n.inputs[0].node).kind != NodeKind::constant;
}

Parts split_by_device(const Graph& graph) { return Splitting(graph).run(); }

}  // namespace hybrid
