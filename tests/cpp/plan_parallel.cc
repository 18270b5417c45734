// Implicit edges: any order that keeps them and the graph's own finds every value; the parallel
// plan has none.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "plan/plan.h"
#include "plan_helpers.h"
#include "random_graphs.h"

using namespace exec_test;

namespace {

using Edges = std::vector<std::pair<NodeId, NodeId>>;

// The nodes in a random order in which every edge goes forward; the plan's tables follow them.
void shuffle(const Edges& implicit, uint64_t seed, Graph* graph, Plan* plan) {
  Random random{seed};
  const size_t n = graph->nodes.size();
  std::vector<std::set<size_t>> before(n);
  for (size_t p = 0; p < n; ++p) {
    for (const Entry& e : graph->nodes[p].inputs) before[p].insert(graph->position(e.node));
  }
  for (const auto& [a, b] : implicit) before[graph->position(b)].insert(graph->position(a));
  std::vector<size_t> order;
  std::vector<bool> done(n, false);
  while (order.size() < n) {
    std::vector<size_t> ready;
    for (size_t p = 0; p < n; ++p) {
      const bool free = std::all_of(before[p].begin(), before[p].end(),
                                    [&](size_t other) { return done[other]; });
      if (!done[p] && free) ready.push_back(p);
    }
    REQUIRE(!ready.empty());
    order.push_back(ready[random.below(static_cast<int64_t>(ready.size()))]);
    done[order.back()] = true;
  }
  const Graph old_graph = *graph;
  const Plan old = *plan;
  const std::set<NodeId> runs(old.steps.begin(), old.steps.end());
  plan->steps.clear();
  for (size_t p = 0; p < n; ++p) {
    graph->nodes[p] = old_graph.nodes[order[p]];
    plan->buffer_of[p] = old.buffer_of[order[p]];
    plan->windows[p] = old.windows[order[p]];
    plan->views[p] = old.views[order[p]];
    if (runs.count(graph->nodes[p].id)) plan->steps.push_back(graph->nodes[p].id);
  }
  graph->reindex();
  for (Buffer& b : plan->buffers) {
    if (b.kind == BufferKind::constant) {
      b.index = graph->position(old_graph.nodes[b.index].id);
    }
  }
}

bool holds(const Graph& graph, const Plan& plan, const Edges& edges, uint64_t seed) {
  Graph shuffled = graph;
  Plan moved = plan;
  shuffle(edges, seed, &shuffled, &moved);
  try {
    check_plan(shuffled, moved);
  } catch (const Error&) {
    return false;
  }
  return true;
}

ProgramRef program_of(const Graph& graph, PlanMethod method) {
  CompileOptions options;
  options.without = {"fuse"};  // more kernels, more edges
  options.plan.method = method;
  return compile(graph, options).program;
}

}  // namespace

TEST_CASE("implicit edges: every order that keeps them finds every value") {
  int with_edges = 0, needed = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const ProgramRef program = program_of(random_graph(seed, 40).graph, PlanMethod::fast);
    const Edges edges = implicit_edges(program->graph(), program->plan());
    with_edges += !edges.empty();
    for (uint64_t order = 1; order <= 10; ++order) {
      INFO("graph ", seed, ", order ", order);
      CHECK(holds(program->graph(), program->plan(), edges, order));
      needed += !holds(program->graph(), program->plan(), {}, order);
    }
  }
  CHECK(with_edges > 5);
  CHECK(needed > 30);
}

TEST_CASE("implicit edges: a parallel plan has none, and any order of its graph is safe") {
  int64_t fast_bytes = 0, parallel_bytes = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Graph graph = random_graph(seed, 40).graph;
    const ProgramRef program = program_of(graph, PlanMethod::parallel);
    INFO("graph ", seed);
    check_plan(program->graph(), program->plan());
    CHECK(implicit_edges(program->graph(), program->plan()).empty());
    for (uint64_t order = 1; order <= 10; ++order) {
      CHECK(holds(program->graph(), program->plan(), {}, order));
    }
    parallel_bytes += program->plan().planned_bytes;
    fast_bytes += program_of(graph, PlanMethod::fast)->plan().planned_bytes;
  }
  CHECK(parallel_bytes > fast_bytes);
}

TEST_CASE("implicit edges: two chains in three buffers and one edge, or in four and none") {
  Maker m;
  const Shape shape{8, 8};
  const Entry x = m.input("x", shape), w = m.input("w", shape);
  Entry a = x, b = x;
  for (int i = 0; i < 3; ++i) a = m.op("dot", {a, w});
  for (int i = 0; i < 3; ++i) b = m.op("dot", {b, w});
  m.output(m.op("dot", {a, b}));
  const auto planned = [&](PlanMethod method, int64_t buffers, size_t edges) {
    CompileOptions options;
    options.passes = {"plan"};
    options.only_these = true;
    options.plan.method = method;
    const ProgramRef program = compile(m.graph, options).program;
    CHECK(program->plan().planned_bytes == buffers * 512);
    CHECK(implicit_edges(program->graph(), program->plan()).size() == edges);
    CHECK(program->plan().optimal);
  };
  planned(PlanMethod::fast, 3, 1);
  planned(PlanMethod::parallel, 4, 0);
}

TEST_CASE("place_apart: pairs that are kept apart do not overlap, and the bound counts them") {
  Random random{5};
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const std::vector<Lifetime> lifetimes = random_lifetimes(seed, 60, 12, 900);
    std::vector<std::pair<int32_t, int32_t>> apart;
    for (int32_t i = 0; i < 60; ++i) {
      for (int32_t k = 0; k < i; ++k) {
        if (!live_together(lifetimes[i], lifetimes[k]) && random.below(8) == 0) {
          apart.push_back({i, k});
        }
      }
    }
    const Layout layout = place_apart(lifetimes, apart, 64);
    check_layout(lifetimes, 64, layout);
    for (const auto& [i, k] : apart) {
      if (lifetimes[i].size == 0 || lifetimes[k].size == 0) continue;
      if (lifetimes[i].lower == lifetimes[i].upper || lifetimes[k].lower == lifetimes[k].upper) {
        continue;
      }
      const bool overlap = layout.offsets[i] < layout.offsets[k] + lifetimes[k].size &&
                           layout.offsets[k] < layout.offsets[i] + lifetimes[i].size;
      CHECK_FALSE(overlap);
    }
  }
}

TEST_CASE("plan: an exact plan passes the checker and is no larger than the fast one") {
  CompileOptions options;
  options.plan.method = PlanMethod::exact;
  const RandomGraph random = random_graph(3, 40);
  const ProgramRef exact = compile(random.graph, options).program;
  check_plan(exact->graph(), exact->plan());
  CHECK(exact->plan().arena_bytes <=
        program_of(random.graph, PlanMethod::fast)->plan().arena_bytes);
}
