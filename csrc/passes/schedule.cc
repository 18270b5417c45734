// Pass: an order of the nodes with fewer bytes alive at once; the order of the code unless it
// helps.
#include <algorithm>
#include <numeric>

#include "graph/text.h"
#include "passes/order.h"
#include "passes/pass.h"
#include "passes/peak.h"

namespace hybrid {

namespace {

constexpr size_t kMaxNodes = 4000;  // beyond, choosing among the ready nodes takes too long
constexpr int kMaxRounds = 8;

// Always runs the ready node that leaves the fewest bytes alive; ties keep the order of the code.
std::vector<size_t> greedy_order(const Graph& graph, const Liveness& liveness,
                                 const std::vector<std::vector<size_t>>& before) {
  const size_t count = graph.nodes.size();
  std::vector<std::vector<size_t>> after(count);
  std::vector<size_t> waits(count, 0);
  for (size_t i = 0; i < count; ++i) {
    for (size_t b : before[i]) {
      after[b].push_back(i);
      ++waits[i];
    }
  }
  std::vector<size_t> ready;
  for (size_t i = 0; i < count; ++i) {
    if (waits[i] == 0) ready.push_back(i);
  }
  std::vector<int> left = liveness.readers();
  std::vector<size_t> order;
  while (!ready.empty()) {
    size_t best = 0;
    Liveness::Delta best_delta;
    for (size_t k = 0; k < ready.size(); ++k) {
      const Node& n = graph.nodes[ready[k]];
      const Liveness::Delta d = liveness.delta(ready[k], left);
      if (k > 0) {
        const Node& chosen = graph.nodes[ready[best]];
        if (n.segment != chosen.segment) {
          if (n.segment > chosen.segment) continue;
        } else if (d.after != best_delta.after) {
          if (d.after > best_delta.after) continue;
        } else if (ready[k] > ready[best]) {
          continue;
        }
      }
      best = k;
      best_delta = d;
    }
    const size_t i = ready[best];
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(best));
    order.push_back(i);
    liveness.step(i, &left);
    for (size_t v : after[i]) {
      if (--waits[v] == 0) ready.push_back(v);
    }
  }
  return order;
}

// Every output and effect in turn, each with what it needs just before it.
std::vector<size_t> demand_order(const Graph& graph,
                                 const std::vector<std::vector<size_t>>& before) {
  std::vector<size_t> order;
  std::vector<char> seen(graph.nodes.size(), 0);
  std::vector<std::pair<size_t, size_t>> stack;
  const auto visit = [&](size_t i) {
    if (!seen[i]) stack.emplace_back(i, 0);
    seen[i] = 1;
  };
  std::vector<size_t> wanted;
  for (const Entry& e : graph.outputs)
    wanted.push_back(static_cast<size_t>(graph.position(e.node)));
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].kind == NodeKind::effect) wanted.push_back(i);
  }
  std::sort(wanted.begin(), wanted.end());
  for (size_t i = 0; i < graph.nodes.size(); ++i) wanted.push_back(i);  // what nobody wants: last
  for (size_t root : wanted) {
    visit(root);
    while (!stack.empty()) {
      const size_t i = stack.back().first;
      const size_t k = stack.back().second;
      if (k == before[i].size()) {
        order.push_back(i);
        stack.pop_back();
      } else {
        ++stack.back().second;
        visit(before[i][k]);
      }
    }
  }
  return order;
}

// Segments of a cell are run one after the other: an order must not mix them.
bool keeps_segments(const Graph& graph, const std::vector<size_t>& order) {
  return std::is_sorted(order.begin(), order.end(), [&](size_t a, size_t b) {
    return graph.nodes[a].segment < graph.nodes[b].segment;
  });
}

// Positions that stay in order relative to each other: a longest increasing subsequence.
std::vector<bool> unmoved(const std::vector<size_t>& order) {
  std::vector<size_t> tails;  // index into order of the last element of the best run, by length
  std::vector<size_t> previous(order.size(), order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const auto slot = std::lower_bound(tails.begin(), tails.end(), order[i],
                                       [&](size_t t, size_t v) { return order[t] < v; });
    if (slot != tails.begin()) previous[i] = *(slot - 1);
    if (slot == tails.end()) {
      tails.push_back(i);
    } else {
      *slot = i;
    }
  }
  std::vector<bool> result(order.size(), false);
  for (size_t i = tails.empty() ? order.size() : tails.back(); i < order.size(); i = previous[i]) {
    result[order[i]] = true;
  }
  return result;
}

struct Order {
  std::vector<size_t> nodes;  // positions
  int64_t peak = 0;           // bytes
  bool better = false;        // than the order they stand in
};

Order best_order(const Graph& graph) {
  Order best;
  best.nodes.resize(graph.nodes.size());
  std::iota(best.nodes.begin(), best.nodes.end(), size_t{0});
  const auto before = must_precede(graph);
  const Liveness liveness(graph);
  const bool segments = keeps_segments(graph, best.nodes);
  best.peak = liveness.peak(best.nodes);
  const auto consider = [&](std::vector<size_t> order) {
    const int64_t peak = liveness.peak(order);
    if (peak >= best.peak || (segments && !keeps_segments(graph, order))) return;
    best = {std::move(order), peak, true};
  };
  consider(greedy_order(graph, liveness, before));
  consider(demand_order(graph, before));
  return best;
}

std::string bytes_text(const Graph& before, const Graph& after) {
  std::vector<size_t> all(before.nodes.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return ": at most " + std::to_string(Liveness(after).peak(all)) +
         " bytes are then alive at once, not " + std::to_string(Liveness(before).peak(all));
}

void explain(const Graph& before, const Graph& after, PassContext& context) {
  std::vector<size_t> from;  // by new position: the old one
  for (const Node& n : after.nodes) from.push_back(static_cast<size_t>(before.position(n.id)));
  const std::vector<bool> stays = unmoved(from);
  const std::string bytes = bytes_text(before, after);
  Expressions text(before);
  for (size_t k = 0; k < after.nodes.size(); ++k) {
    const Node& n = after.nodes[k];
    if (stays[from[k]] || (n.kind != NodeKind::op && n.kind != NodeKind::fused)) continue;
    context.begin("order of the code -> fewer bytes alive at once");
    context.note(Change::moved, n.id, n.id,
                 (k == 0 ? "runs first" : "runs after " + text.label(after.nodes[k - 1])) + bytes);
  }
}

// Bytes alive were counted; what is computed in place shows only in a plan. Why the new order is no
// better, or "".
std::string why_no_better(const Graph& before, const Graph& after, const PassContext& context) {
  const int64_t old_order = context.planned_bytes(before);
  const int64_t new_order = context.planned_bytes(after);
  if (new_order < old_order) return "";
  return "another order would take " + std::to_string(new_order) +
         " bytes, that of the code takes " + std::to_string(old_order);
}

}  // namespace

Graph schedule(const Graph& before, PassContext& context) {
  if (before.nodes.size() < 3 || before.nodes.size() > kMaxNodes) return before;
  Graph after = before;
  bool moved = false;
  // A better order may open the way to a still better one.
  for (int round = 0; round < kMaxRounds; ++round) {
    const Order best = best_order(after);
    if (!best.better) break;
    std::vector<Node> nodes;
    nodes.reserve(best.nodes.size());
    for (size_t i : best.nodes) nodes.push_back(std::move(after.nodes[i]));
    after.nodes = std::move(nodes);
    after.reindex();
    moved = true;
  }
  if (moved && context.planned_bytes && after.hash() != before.hash()) {
    context.why_left = why_no_better(before, after, context);
    if (!context.why_left.empty()) return before;
  }
  if (moved && context.explain) explain(before, after, context);
  return after;
}

}  // namespace hybrid
