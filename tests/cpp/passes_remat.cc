// remat: bit for bit what keeping everything gives, on chains and random graphs; and less memory.
#include <doctest/doctest.h>

#include "passes/remat.h"
#include "plan/plan.h"
#include "random_graphs.h"
#include "step_checks.h"

using namespace exec_test;

namespace {

struct Chain {
  Graph graph;
  std::vector<NDArray> inputs;
};

// n products, each through tanh and dropout, then a sum.
Chain chain(int n) {
  Maker m;
  Chain result;
  const Shape shape{16, 16};
  Entry x = m.input("x", shape);
  result.inputs.push_back(sample(shape, 1));
  for (int i = 0; i < n; ++i) {
    const Entry w = m.input("w" + std::to_string(i), shape);
    result.inputs.push_back(sample(shape, 2 + i));
    x = m.op("Dropout", {m.op("tanh", {m.op("dot", {x, w})})}, {{"p", "0.3"}});
  }
  m.output(m.op("sum", {x}));
  result.graph = std::move(m.graph);
  return result;
}

CompileOptions gradients_of(const Graph& graph, int32_t segments, int64_t budget = 0) {
  CompileOptions options;
  options.pass.training = true;
  options.pass.grad_of = graph.outputs;
  options.pass.grad_wrt = graph.inputs;
  options.pass.remat_segments = segments;
  options.pass.remat_budget = budget;
  return options;
}

std::vector<std::string> run(const Compiled& compiled, const std::vector<NDArray>& inputs) {
  std::vector<uint64_t> keys;
  for (int32_t k = 0; k < compiled.program->graph().num_keys; ++k) keys.push_back(77 + k);
  std::vector<std::string> result;
  for (const NDArray& a : compiled.program->run(inputs, keys)) result.push_back(bytes_of(a));
  return result;
}

int count_again(const Graph& graph) {
  int count = 0;
  for (const Node& n : graph.nodes) {
    const auto again = [](const Node& m) { return m.name.find("_again") != std::string::npos; };
    count += again(n);
    for (const Node& m : n.members) count += again(m);
  }
  return count;
}

}  // namespace

TEST_CASE("passes: remat of a chain is exact and takes the square root of the depth") {
  const PoisonFreed poison;
  for (int n : {4, 9, 25}) {
    CAPTURE(n);
    const Chain c = chain(n);
    const Compiled whole = compile(c.graph, gradients_of(c.graph, 0));
    const std::vector<std::string> expected = run(whole, c.inputs);
    for (int32_t segments : {2, 3, 5, 100, kSqrtSegments}) {
      CAPTURE(segments);
      const Compiled again = compile(c.graph, gradients_of(c.graph, segments));
      check_plan(again.program->graph(), again.program->plan());
      // A segment a value: everything is handed on, so everything is kept.
      CHECK((count_again(again.program->graph()) > 0) == (segments < 100));
      CHECK(run(again, c.inputs) == expected);
    }
  }
  const Chain c = chain(64);
  const int64_t value = 16 * 16 * 8;
  const Compiled whole = compile(c.graph, gradients_of(c.graph, 0));
  const Compiled root = compile(c.graph, gradients_of(c.graph, kSqrtSegments));
  CHECK(whole.program->plan().arena_bytes >= 60 * value);
  CHECK(root.program->plan().arena_bytes <= 4 * 8 * value);
}

TEST_CASE("passes: remat of random graphs is exact") {
  const PoisonFreed poison;
  int changed = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    RandomGraph r = random_graph(seed, 12 + static_cast<int>(seed));
    const Compiled whole = compile(r.graph, gradients_of(r.graph, 0));
    const std::vector<std::string> expected = run(whole, r.inputs);
    for (int32_t segments : {2, 3, 4, kSqrtSegments}) {
      CAPTURE(segments);
      const Compiled again = compile(r.graph, gradients_of(r.graph, segments));
      if (segments == kSqrtSegments) {  // only where it saves
        CHECK(again.program->plan().planned_bytes <= whole.program->plan().planned_bytes);
      }
      again.program->graph().check();
      check_plan(again.program->graph(), again.program->plan());
      changed += count_again(again.program->graph()) > 0;
      CHECK(run(again, r.inputs) == expected);
    }
  }
  CHECK(changed >= 30);
}

TEST_CASE("passes: remat meets a budget or refuses it") {
  const Chain c = chain(36);
  const Compiled whole = compile(c.graph, gradients_of(c.graph, 0));
  const std::vector<std::string> expected = run(whole, c.inputs);
  const int64_t all = whole.program->plan().planned_bytes;
  const int64_t least =
      compile(c.graph, gradients_of(c.graph, kSqrtSegments)).program->plan().planned_bytes;
  REQUIRE(least < all);
  for (int64_t budget : {all, (all + least) / 2, least}) {
    const Compiled met = compile(c.graph, gradients_of(c.graph, 0, budget));
    CHECK(met.program->plan().planned_bytes <= budget);
    CHECK(run(met, c.inputs) == expected);
  }
  // As much is kept as the budget allows.
  CHECK(count_again(compile(c.graph, gradients_of(c.graph, 0, all)).program->graph()) == 0);
  const std::string refused =
      error_of([&] { compile(c.graph, gradients_of(c.graph, 0, least / 2)); });
  CHECK(refused.find("a budget of " + std::to_string(least / 2)) != std::string::npos);
  CHECK(refused.find("the least that was reached is") != std::string::npos);
}

TEST_CASE("passes: remat leaves a graph without a gradient alone, and says what it did") {
  const Chain c = chain(9);
  CompileOptions options;
  options.pass.training = true;
  options.pass.remat_segments = 3;
  CHECK(count_again(compile(c.graph, options).program->graph()) == 0);
  const std::vector<Stage> stages = compile(c.graph, gradients_of(c.graph, 3)).stages;
  for (const Stage& stage : stages) {
    if (stage.name != "remat") continue;
    REQUIRE(!stage.changes.empty());
    testing::check_steps((&stage)[-1].graph, stage.graph, stage.changes);
    for (const Change& change : stage.changes) {
      CHECK(change.action == Change::added);
      const Node& n = stage.graph.node(change.into);
      REQUIRE(n.origins.size() == 1);
      CHECK(stage.graph.node(n.origins[0]).op == n.op);
      CHECK(stage.graph.node(n.origins[0]).key_slot == n.key_slot);
      CHECK(change.why.find("again for the gradient") != std::string::npos);
    }
  }
}
