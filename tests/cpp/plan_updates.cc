// Outputs that are the new contents of an input, or are written into arrays given to the run.
#include <doctest/doctest.h>

#include "core/error.h"
#include "launch/random.h"
#include "launch/run_op.h"
#include "random_graphs.h"

using namespace exec_test;

namespace {

PlanOptions updating(std::vector<int32_t> updates) {
  PlanOptions options;
  options.updates = std::move(updates);
  return options;
}

NDArray copy_of(const NDArray& a) {
  const NDArray copy = NDArray::empty(a.shape, a.dtype, Context());
  copy_array(a, copy);
  engine::wait_to_read(copy.storage.get());
  return copy;
}

}  // namespace

TEST_CASE("updates: a new value takes the old one's memory") {
  Maker m;
  const Entry w = m.input("w", {10}), g = m.input("g", {10});
  const Entry scaled = m.op("mul_scalar", {g}, {{"scalar", "0.5"}});
  m.output(m.op("sub", {w, scaled}));
  const Plan plan = make_plan(m.graph, updating({0}));
  CHECK(plan.commits.empty());
  CHECK(plan.planned_bytes == 80);  // the product alone
  check_plan(m.graph, plan);
  PlanOptions off = updating({0});
  off.enabled = false;
  const Plan unplanned = make_plan(m.graph, off);
  CHECK(unplanned.commits.size() == 1);
  check_plan(m.graph, unplanned);
}

TEST_CASE("updates: a value that is read later, or by an operator that may fail, is kept") {
  Maker m;
  const Entry w = m.input("w", {4}), x = m.input("x", {4});
  const Entry fresh = m.op("add", {w, x});
  m.output(fresh);
  m.output(m.op("mul", {w, w}));
  const Plan late = make_plan(m.graph, updating({0}));
  CHECK(late.commits.size() == 1);
  check_plan(m.graph, late);

  Maker n;
  const Entry v = n.input("v", {4});
  const Entry index = n.input("index", {2});
  n.output(n.op("add", {v, v}));
  n.output(n.op("take", {v, index}, {{"mode", "raise"}}));
  const Plan failing = make_plan(n.graph, updating({0}));
  CHECK(failing.commits.size() == 1);
  check_plan(n.graph, failing);
}

TEST_CASE("updates: shapes must agree and an input has one new value") {
  Maker m;
  const Entry w = m.input("w", {4}), x = m.input("x", {2, 4});
  m.output(m.op("add", {w, x}));
  m.output(m.op("neg", {w}));
  m.output(m.op("abs", {w}));
  CHECK(error_of([&] { make_plan(m.graph, updating({0})); }).find("update of 'w'") !=
        std::string::npos);
  CHECK(error_of([&] { make_plan(m.graph, updating({kFresh, 0, 0})); }).find("two outputs") !=
        std::string::npos);
}

TEST_CASE("updates: random graphs end with the values that they have without updates") {
  const PoisonFreed poison;
  int in_place = 0, given_count = 0;
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    CAPTURE(seed);
    RandomGraph r = random_graph(seed, 12 + static_cast<int>(seed) / 3);
    Graph& graph = r.graph;
    uint64_t state = seed;
    const auto below = [&state](size_t n) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      return static_cast<size_t>(state >> 33) % n;
    };
    std::vector<int32_t> updates(graph.outputs.size(), kFresh);
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const Entry in{graph.inputs[i], 0};
      std::vector<Entry> fitting;
      for (const Node& n : graph.nodes) {
        for (int32_t o = 0; o < n.num_outputs(); ++o) {
          const Entry e{n.id, o};
          if (graph.shape(e) == graph.shape(in) && graph.dtype(e) == graph.dtype(in)) {
            fitting.push_back(e);
          }
        }
      }
      if (fitting.empty() || below(3) == 0) continue;
      // Late values more often: they can be computed in place.
      graph.outputs.push_back(below(2) ? fitting.back() : fitting[below(fitting.size())]);
      graph.output_names.push_back("new" + std::to_string(i));
      updates.push_back(below(4) ? static_cast<int32_t>(i) : kGiven);
    }
    const std::vector<uint64_t> keys = next_keys(graph.num_keys);
    const bool training = seed % 2 == 0;
    const std::vector<NDArray> expected = run_eagerly(graph, r.inputs, keys, training);
    CompileOptions options;
    options.pass.training = training;
    options.plan.updates = updates;
    if (seed % 5 == 0) options.without = {"fuse"};
    if (seed % 7 == 0) options.without = {"plan"};
    for (const NDArray& a : r.inputs) {
      options.pass.input_shapes.push_back(a.shape);
      options.pass.input_dtypes.push_back(a.dtype);
    }
    const Compiled compiled = compile(graph, options);
    const Plan& plan = compiled.program->plan();
    check_plan(compiled.program->graph(), plan);
    std::vector<NDArray> inputs, given(updates.size());
    for (const NDArray& a : r.inputs) inputs.push_back(copy_of(a));
    for (size_t k = 0; k < updates.size(); ++k) {
      if (updates[k] != kGiven) continue;
      given[k] = copy_of(expected[k]);
      std::memset(given[k].data(), 0, static_cast<size_t>(given[k].nbytes()));
      ++given_count;
    }
    const auto made = compiled.program->run(inputs, keys, {}, nullptr, nullptr, given);
    REQUIRE(made.size() == expected.size());
    for (size_t k = 0; k < made.size(); ++k) {
      CAPTURE(k);
      CHECK(bytes_of(made[k]) == bytes_of(expected[k]));
      if (updates[k] >= 0) {
        CHECK(bytes_of(inputs[updates[k]]) == bytes_of(expected[k]));
        CHECK(made[k].storage == inputs[updates[k]].storage);
      } else if (updates[k] == kGiven) {
        CHECK(bytes_of(given[k]) == bytes_of(expected[k]));
      }
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (std::find(updates.begin(), updates.end(), static_cast<int32_t>(i)) == updates.end()) {
        CHECK(bytes_of(inputs[i]) == bytes_of(r.inputs[i]));
      }
    }
    for (const int32_t u : updates) in_place += u != kFresh;
    in_place -= static_cast<int>(plan.commits.size());
  }
  CHECK(in_place > 30);
  CHECK(given_count > 10);
}
