// Programs against the same graph run node by node, bit for bit; donation; errors; small cost.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>

#include "core/error.h"
#include "kernels/host_copy.h"
#include "launch/random.h"
#include "random_graphs.h"

using namespace exec_test;

namespace {

void check_same(const std::vector<NDArray>& a, const std::vector<NDArray>& b) {
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    CAPTURE(i);
    CHECK(a[i].shape == b[i].shape);
    CHECK(a[i].dtype == b[i].dtype);
    CHECK(bytes_of(a[i]) == bytes_of(b[i]));
  }
}

CompileOptions options_for(const std::vector<NDArray>& inputs, bool training) {
  CompileOptions o;
  o.pass.training = training;
  for (const NDArray& a : inputs) {
    o.pass.input_shapes.push_back(a.shape);
    o.pass.input_dtypes.push_back(a.dtype);
  }
  return o;
}

}  // namespace

TEST_CASE("program: random graphs equal eager execution bit for bit, at every stage") {
  const PoisonFreed poison;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const bool training = seed % 2 == 0;
    const RandomGraph r = random_graph(seed, 12 + static_cast<int>(seed));
    const std::vector<uint64_t> keys = next_keys(r.graph.num_keys);
    const std::vector<NDArray> expected = run_eagerly(r.graph, r.inputs, keys, training);
    const Compiled compiled = compile(r.graph, options_for(r.inputs, training));
    check_plan(compiled.program->graph(), compiled.program->plan());
    check_same(compiled.program->run(r.inputs, keys), expected);
    check_same(compiled.program->run(r.inputs, keys), expected);  // memory of the first run
    for (const Stage& stage : compiled.stages) {
      CAPTURE(stage.name);
      check_same(run_graph(stage.graph, r.inputs, keys, training), expected);
    }
  }
}

TEST_CASE("program: queued runs equal inline ones") {
  const PoisonFreed poison;
  const engine::Settings before = engine::settings();
  const RandomGraph r = random_graph(7, 60);
  const std::vector<uint64_t> keys = next_keys(r.graph.num_keys);
  const ProgramRef program = compile(r.graph, options_for(r.inputs, true)).program;
  const std::vector<NDArray> expected = program->run(r.inputs, keys);
  engine::Settings queued = before;
  queued.inline_small = false;
  engine::set_settings(queued);
  std::vector<std::vector<NDArray>> runs;
  for (int i = 0; i < 20; ++i) runs.push_back(program->run(r.inputs, keys));
  for (const auto& run : runs) check_same(run, expected);
  engine::set_settings(before);
}

TEST_CASE("program: donated inputs are overwritten only when they may be") {
  Maker m;
  const Entry a = m.input("a", {6}), b = m.input("b", {6});
  m.output(m.op("add_scalar", {m.op("mul", {a, b})}, {{"scalar", "1"}}));
  CompileOptions o;
  o.pass.donated = {false, true};
  const ProgramRef program = compile(m.graph, o).program;
  const NDArray x = array({6}, {1, 2, 3, 4, 5, 6}), y = array({6}, {1, 1, 2, 2, 3, 3});
  const std::vector<double> expected = {2, 3, 7, 9, 16, 19};

  const NDArray kept = program->run({x, y}, {})[0];  // not donated in this run
  CHECK(values_of(kept) == expected);
  CHECK(values_of(y) == std::vector<double>{1, 1, 2, 2, 3, 3});
  const NDArray same = program->run({y, y}, {}, {false, true})[0];  // read by the other input too
  CHECK(values_of(y) == std::vector<double>{1, 1, 2, 2, 3, 3});
  CHECK(values_of(same) == std::vector<double>{2, 2, 5, 5, 10, 10});
  const NDArray reused = program->run({x, y}, {}, {false, true})[0];
  CHECK(values_of(reused) == expected);
  CHECK(reused.storage == y.storage);
}

TEST_CASE("program: strided inputs and given outputs") {
  Maker m;
  const Entry x = m.input("x", {3, 2});
  m.output(m.op("square", {m.op("add", {x, x})}));
  const ProgramRef program = compile(m.graph, {}).program;
  const NDArray wide = array({2, 3}, {1, 2, 3, 4, 5, 6});
  const NDArray turned = eager("transpose", {wide})[0];
  REQUIRE(!turned.contiguous());
  const std::vector<double> expected = {4, 64, 16, 100, 36, 144};
  CHECK(values_of(program->run({turned}, {})[0]) == expected);

  const std::vector<NDArray> into{NDArray::empty({3, 2}, DType::float64, Context())};
  CHECK(program->run({turned}, {}, {}, &into)[0].storage == into[0].storage);
  CHECK(values_of(into[0]) == expected);
  // The result over the input it is computed from.
  const std::vector<NDArray> itself{array({3, 2}, {1, 2, 3, 4, 5, 6})};
  program->run({itself[0]}, {}, {}, &itself);
  CHECK(values_of(itself[0]) == std::vector<double>{4, 16, 36, 64, 100, 144});
}

TEST_CASE("program: wrong inputs are named") {
  Maker m;
  m.output(m.op("square", {m.input("data", {3})}));
  const ProgramRef program = compile(m.graph, {}).program;
  const std::string shape = error_of([&] { program->run({sample({4}, 1)}, {}); });
  CHECK(shape.find("'data'") != std::string::npos);
  CHECK(shape.find("float64 (3,)") != std::string::npos);
  CHECK(shape.find("float64 (4,)") != std::string::npos);
  CHECK(error_of([&] { program->run({}, {}); }).find("expected 1") != std::string::npos);
  CHECK(error_of([&] { program->run({NDArray()}, {}); }).find("no value") != std::string::npos);
}

TEST_CASE("compile: stages, skipped ones with the reason, chosen passes") {
  Maker m;
  const Entry x = m.input("x", {4});
  const Entry two = m.op("mul_scalar", {x}, {{"scalar", "2"}});
  m.output(m.op("add_scalar", {two}, {{"scalar", "1"}}));
  const Compiled all = compile(m.graph, {});
  CHECK(all.stages.front().name == "written");
  CHECK(all.stages.back().name == "plan");
  CHECK(all.program->graph().num_kernels() == 1);
  for (const Stage& s : all.stages) {
    CHECK(!s.label.empty());
    if (!s.changed) CHECK(!s.why_skipped.empty());
    if (s.name == "gradient") CHECK(s.why_skipped.find("no gradient") != std::string::npos);
  }
  CompileOptions only;
  only.only_these = true;
  only.passes = {"plan"};
  const Compiled plain = compile(m.graph, only);
  CHECK(plain.program->graph().num_kernels() == 2);
  CompileOptions without;
  without.without = {"fuse"};
  CHECK(compile(m.graph, without).program->graph().num_kernels() == 2);
  without.without = {"fuze"};
  CHECK_THROWS_AS(compile(m.graph, without), Error);
  CompileOptions lean;
  lean.keep_stages = false;
  CHECK(compile(m.graph, lean).stages.size() == 1);
}

TEST_CASE("compile: with the gradient") {
  Maker m;
  const Entry a = m.input("a", {1}), b = m.input("b", {1});
  const Entry d = m.op("add_scalar", {m.op("mul", {b, a})}, {{"scalar", "1"}});
  m.output(d);
  CompileOptions o;
  o.pass.grad_of = {d};
  o.pass.grad_wrt = {a.node, b.node};
  const std::vector<NDArray> r =
      compile(m.graph, o).program->run({array({1}, {1.0}), array({1}, {2.0})}, {});
  REQUIRE(r.size() == 3);
  CHECK(values_of(r[0])[0] == 3);
  CHECK(values_of(r[1])[0] == 2);
  CHECK(values_of(r[2])[0] == 1);
}

TEST_CASE("program: cost of a small run (printed)") {
  using Clock = std::chrono::steady_clock;
  const auto best_ns = [](const std::function<void()>& action, int repeats) {
    double best = 1e18;
    for (int round = 0; round < 7; ++round) {
      const auto start = Clock::now();
      for (int i = 0; i < repeats; ++i) action();
      const std::chrono::duration<double, std::nano> took = Clock::now() - start;
      best = std::min(best, took.count() / repeats);
    }
    return best;
  };
  Maker tiny;
  tiny.output(tiny.op("add_scalar", {tiny.input("x", {4})}, {{"scalar", "1"}}));
  const ProgramRef add = compile(tiny.graph, {}).program;
  const std::vector<NDArray> four{sample({4}, 1)};
  const double tiny_ns = best_ns([&] { add->run(four, {}); }, 20000);

  Maker mlp;
  Entry h = mlp.input("data", {1, 512}, DType::float32);
  std::vector<NDArray> arrays{NDArray::empty({1, 512}, DType::float32, Context())};
  int64_t in = 512;
  for (int64_t out : {256, 128, 2}) {
    const Entry w = mlp.input("w" + std::to_string(out), {out, in}, DType::float32);
    const Entry b = mlp.input("b" + std::to_string(out), {out}, DType::float32);
    arrays.push_back(NDArray::empty({out, in}, DType::float32, Context()));
    arrays.push_back(NDArray::empty({out}, DType::float32, Context()));
    h = mlp.op("FullyConnected", {h, w, b}, {{"num_hidden", std::to_string(out)}});
    if (out > 2) h = mlp.op("relu", {h});
    in = out;
  }
  mlp.output(h);
  for (const NDArray& a : arrays) {
    const std::vector<float> values(static_cast<size_t>(a.shape.size()), 0.01f);
    copy_from_host(a, values.data(), values.size() * 4);
  }
  const ProgramRef net = compile(mlp.graph, {}).program;
  const double mlp_ns =
      best_ns([&] { engine::wait_to_read(net->run(arrays, {})[0].storage.get()); }, 2000);
  MESSAGE("program of one kernel: ", tiny_ns, " ns; MLP 512-256-128-2, batch 1: ", mlp_ns / 1000,
          " us (estimate ", net->cost_ns() / 1000, " us)");
}
