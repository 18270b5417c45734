// Plans of graphs: the textbook example, in-place rules, outputs of their own, the checker.
#include <doctest/doctest.h>

#include <set>

#include "core/error.h"
#include "exec_helpers.h"
#include "plan/bytes.h"
#include "random_graphs.h"

using namespace exec_test;

namespace {

// a = ones(10); t = ones(10); b = t * 2; c = b * a; d = c + 1, float64.
Maker example(Entry* a, Entry* b, Entry* c, Entry* d) {
  Maker m;
  const Texts ones{{"shape", "(10,)"}, {"dtype", "float64"}};
  *a = m.op("ones", {}, ones);
  const Entry t = m.op("ones", {}, ones);
  *b = m.op("mul_scalar", {t}, {{"scalar", "2"}});
  *c = m.op("mul", {*b, *a});
  *d = m.op("add_scalar", {*c}, {{"scalar", "1"}});
  return m;
}

int count_buffers(const Plan& plan, BufferKind kind) {
  int count = 0;
  for (const Buffer& b : plan.buffers) count += b.kind == kind;
  return count;
}

int32_t buffer_of(const Graph& g, const Plan& plan, Entry e) {
  return plan.buffer_of[g.position(e.node)][e.out];
}

}  // namespace

TEST_CASE("plan: the ten-element example takes 160 bytes instead of 320") {
  Entry a, b, c, d;
  Maker m = example(&a, &b, &c, &d);
  m.output(d);
  const Plan plan = make_plan(m.graph, {});
  CHECK(plan.planned_bytes == 160);
  CHECK(plan.lower_bound_bytes == 160);
  CHECK(plan.arena_bytes == 128);  // one buffer of 80 bytes, rounded up to 64
  CHECK(plan.optimal);
  CHECK(plan.imperative_bytes == 400);  // five values of 80 bytes, none given back
  CHECK(imperative_bytes(m.graph, {a, b, c, d}) == 320);  // t goes when b is made
  CHECK(imperative_bytes(m.graph, {d}) == 240);           // at c: a, b and c itself
  check_plan(m.graph, plan);

  PlanOptions off;
  off.enabled = false;
  CHECK(make_plan(m.graph, off).planned_bytes == 400);
}

TEST_CASE("plan: a donated input saves what it holds") {
  Maker m;
  const Entry a = m.input("a", {10}), b = m.input("b", {10});
  const Entry c = m.op("mul", {b, a});
  m.output(m.op("add_scalar", {c}, {{"scalar", "1"}}));
  CHECK(make_plan(m.graph, {}).planned_bytes == 80);
  PlanOptions donate;
  donate.donated = {false, true};
  const Plan plan = make_plan(m.graph, donate);
  CHECK(plan.planned_bytes == 0);  // everything happens in b's memory
  check_plan(m.graph, plan);
}

TEST_CASE("plan: forward needs two buffers however deep, without in-place") {
  Maker m;
  Entry x = m.input("x", {16, 16});
  for (int i = 0; i < 12; ++i) x = m.op("dot", {x, x});  // never in place
  m.output(x);
  const Plan plan = make_plan(m.graph, {});
  CHECK(plan.planned_bytes == 2 * 16 * 16 * 8);
  check_plan(m.graph, plan);
}

TEST_CASE("plan: in place over a last read, not over a value read later") {
  Maker m;
  const Entry x = m.input("x", {8});
  const Entry a = m.op("exp", {x}), b = m.op("square", {a}), c = m.op("add", {a, b});
  m.output(c);
  const Plan plan = make_plan(m.graph, {});
  check_plan(m.graph, plan);
  CHECK(buffer_of(m.graph, plan, a) != buffer_of(m.graph, plan, b));  // a is read again
  const int32_t last = buffer_of(m.graph, plan, c);
  CHECK((last == buffer_of(m.graph, plan, a) || last == buffer_of(m.graph, plan, b)));
  CHECK(buffer_of(m.graph, plan, a) != buffer_of(m.graph, plan, x));  // x was not donated
}

TEST_CASE("plan: the trap of a value read twice in different layouts") {
  Maker m;
  const Entry x = m.input("x", {5, 5});
  const Entry a = m.op("exp", {x});
  const Entry t = m.op("transpose", {a});
  const Entry c = m.op("add", {a, t});  // a[i, j] + a[j, i]: writing over a spoils a[j, i]
  m.output(c);
  const Plan plan = make_plan(m.graph, {});
  check_plan(m.graph, plan);
  CHECK(buffer_of(m.graph, plan, t) == buffer_of(m.graph, plan, a));  // a view
  CHECK(buffer_of(m.graph, plan, c) != buffer_of(m.graph, plan, a));

  // The same layout twice is no trap.
  Maker twice;
  const Entry y = twice.op("exp", {twice.input("x", {5})});
  const Entry z = twice.op("mul", {y, y});
  twice.output(z);
  const Plan shared = make_plan(twice.graph, {});
  CHECK(buffer_of(twice.graph, shared, z) == buffer_of(twice.graph, shared, y));

  // A broadcast reads elements again that are already overwritten.
  Maker wide;
  const Entry u = wide.op("exp", {wide.input("x", {5, 5})});
  const Entry row = wide.op("slice_axis", {u}, {{"axis", "0"}, {"begin", "0"}, {"end", "1"}});
  const Entry v = wide.op("add", {u, row});
  wide.output(v);
  const Plan broadcast = make_plan(wide.graph, {});
  check_plan(wide.graph, broadcast);
  CHECK(buffer_of(wide.graph, broadcast, v) != buffer_of(wide.graph, broadcast, u));
}

TEST_CASE("plan: every output has memory of its own") {
  Maker m;
  const Entry x = m.input("x", {4, 6});
  const Entry a = m.op("exp", {x});
  const Entry view = m.op("reshape", {a}, {{"shape", "(6, 4)"}});
  m.output(a);
  m.output(a);     // twice
  m.output(view);  // a view of another output
  m.output(x);     // an input
  const Plan plan = make_plan(m.graph, {});
  check_plan(m.graph, plan);
  CHECK(count_buffers(plan, BufferKind::output) == 4);
  CHECK(plan.copies.size() == 3);
  const NDArray given = sample({4, 6}, 1);
  const std::vector<NDArray> results = Program::make(m.graph, plan)->run({given}, {});
  std::set<const Storage*> memory{given.storage.get()};
  for (const NDArray& r : results) memory.insert(r.storage.get());
  CHECK(memory.size() == 5);
  CHECK(bytes_of(results[0]) == bytes_of(results[1]));
  CHECK(bytes_of(results[0]) == bytes_of(results[2]));
  CHECK(bytes_of(results[3]) == bytes_of(given));
}

TEST_CASE("plan: an output's memory is scratch before its first step") {
  Maker m;
  const Entry x = m.input("x", {8, 8});
  Entry early = m.op("dot", {m.op("dot", {x, x}), x});
  const Entry small = m.op("sum", {early});
  const Entry late = m.op("mul", {m.op("dot", {x, x}), small});  // 8 x 8, starts after early ends
  m.output(late);
  const Plan plan = make_plan(m.graph, {});
  check_plan(m.graph, plan);
  const int32_t home = buffer_of(m.graph, plan, late);
  CHECK(plan.buffers[home].entries.size() >= 2);
  CHECK(plan.planned_bytes < 3 * 8 * 8 * 8);
}

TEST_CASE("plan: random graphs pass the independent check and respect the bound") {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const RandomGraph r = random_graph(seed, 10 + static_cast<int>(seed));
    for (bool in_place : {true, false}) {
      PlanOptions options;
      options.in_place = in_place;
      options.training = seed % 2 == 0;
      if (seed % 3 == 0) options.donated.assign(r.graph.inputs.size(), true);
      const Plan plan = make_plan(r.graph, options);
      CHECK_NOTHROW(check_plan(r.graph, plan));
      CHECK(plan.planned_bytes >= plan.lower_bound_bytes);
    }
  }
}

TEST_CASE("plan: the checker finds what is wrong") {
  Entry a, b, c, d;
  Maker m = example(&a, &b, &c, &d);
  m.output(d);
  const Plan good = make_plan(m.graph, {});
  Plan bad = good;  // a and b in one place
  bad.buffer_of[m.graph.position(a.node)][0] = bad.buffer_of[m.graph.position(b.node)][0];
  CHECK_THROWS_AS(check_plan(m.graph, bad), Error);
  bad = good;
  for (Buffer& buffer : bad.buffers) {
    if (buffer.kind == BufferKind::arena) buffer.offset = 128;
  }
  CHECK_THROWS_AS(check_plan(m.graph, bad), Error);
  bad = good;
  std::swap(bad.steps[0], bad.steps[4]);
  CHECK_THROWS_AS(check_plan(m.graph, bad), Error);

  Maker trap;
  const Entry x = trap.op("exp", {trap.input("x", {5, 5})});
  const Entry t = trap.op("transpose", {x});
  const Entry sum = trap.op("add", {x, t});
  trap.output(sum);
  Plan plan = make_plan(trap.graph, {});
  plan.buffer_of[trap.graph.position(sum.node)][0] = plan.buffer_of[trap.graph.position(x.node)][0];
  CHECK_THROWS_AS(check_plan(trap.graph, plan), Error);
}
