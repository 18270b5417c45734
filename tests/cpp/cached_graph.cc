// Cached graphs: one compilation per signature, gradients equal to the unhybridized ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "call/cached_graph.h"
#include "call/invoke.h"
#include "core/error.h"
#include "launch/random.h"
#include "launch/run_op.h"
#include "launch/thread_state.h"
#include "random_graphs.h"
#include "tape/autograd.h"
#include "trace/trace_op.h"

using namespace exec_test;

namespace {

// data -> dense -> tanh -> dropout -> dense -> log_softmax; parameters as further inputs.
Graph net(const char* dropout = "0.5") {
  Maker m;
  const auto open = [&](const char* name) {
    const Entry e = m.input(name, Shape::unknown(), DType::unknown);
    return e;
  };
  const Entry x = open("data"), w1 = open("w1"), b1 = open("b1"), w2 = open("w2"), b2 = open("b2");
  Entry h = m.op("FullyConnected", {x, w1, b1}, {{"num_hidden", "6"}});
  h = m.op("Dropout", {m.op("tanh", {h})}, {{"p", dropout}});
  m.output(m.op("log_softmax", {m.op("FullyConnected", {h, w2, b2}, {{"num_hidden", "3"}})}));
  m.output(m.op("square", {h}));
  return m.graph;
}

std::vector<NDArray> arguments(int64_t batch) {
  return {sample({batch, 5}, 1), sample({6, 5}, 2), sample({6}, 3), sample({3, 6}, 4),
          sample({3}, 5)};
}

std::vector<ArrayRef> refs(const std::vector<NDArray>& arrays, bool variables) {
  std::vector<ArrayRef> result;
  for (const NDArray& a : arrays) result.push_back(variables ? variable(a) : ref(a));
  return result;
}

// The same net by hand, one operator at a time.
std::vector<ArrayRef> by_hand(const std::vector<ArrayRef>& in) {
  ArrayRef h = call("FullyConnected", {in[0], in[1], in[2]}, {{"num_hidden", "6"}});
  h = call("Dropout", {call("tanh", {h})}, {{"p", "0.5"}});
  const ArrayRef out =
      call("log_softmax", {call("FullyConnected", {h, in[3], in[4]}, {{"num_hidden", "3"}})});
  return {out, call("square", {h})};
}

// A graph's operators called one by one on arrays.
std::vector<ArrayRef> trace_by_hand(const Graph& graph, const std::vector<ArrayRef>& inputs) {
  std::map<Entry, ArrayRef> values;
  for (size_t i = 0; i < inputs.size(); ++i) values[{graph.inputs[i], 0}] = inputs[i];
  for (const Node& n : graph.nodes) {
    if (n.kind == NodeKind::constant) values[{n.id, 0}] = ref(n.value);
    if (n.kind != NodeKind::op) continue;
    std::vector<ArrayRef> arguments;
    for (const Entry& e : n.inputs) arguments.push_back(values.at(e));
    values[{n.id, 0}] = invoke(*n.op, n.attrs, arguments)[0];
  }
  std::vector<ArrayRef> results;
  for (const Entry& e : graph.outputs) results.push_back(values.at(e));
  return results;
}

}  // namespace

TEST_CASE("cached graph: compiles once per signature") {
  CachedGraph cached(net(), {});
  const std::vector<ArrayRef> two = refs(arguments(2), false), four = refs(arguments(4), false);
  for (int i = 0; i < 3; ++i) cached.call(two);
  CHECK(cached.num_programs() == 1);
  for (int i = 0; i < 3; ++i) {
    cached.call(four);
    cached.call(two);
  }
  CHECK(cached.num_programs() == 2);
  thread_state().training = true;
  cached.call(two);
  thread_state().training = false;
  CHECK(cached.num_programs() == 3);
  {
    Recording on;  // nothing has a gradient: the same as without recording
    cached.call(two);
  }
  CHECK(cached.num_programs() == 3);
  const std::vector<ArrayRef> wanted = refs(arguments(2), true);
  for (int i = 0; i < 3; ++i) {
    Recording on;
    backward(cached.call(wanted), {}, false, true);
  }
  CHECK(cached.num_programs() == 5);  // forward that saves, and backward
  CHECK_THROWS_AS(cached.call({two[0]}), Error);
}

TEST_CASE("cached graph: results, draws and gradients equal those of single calls bit for bit") {
  const PoisonFreed poison;
  for (bool training : {true, false}) {
    CAPTURE(training);
    CachedGraph cached(net(), {});
    seed(5);
    const std::vector<ArrayRef> a = refs(arguments(3), true);
    std::vector<ArrayRef> out_a, out_b;
    for (int i = 0; i < 3; ++i) {
      Recording on(training);
      out_a = by_hand(a);
      backward(out_a, {}, true, training);
    }
    const auto state = random_state();
    seed(5);
    const std::vector<ArrayRef> b = refs(arguments(3), true);
    for (int i = 0; i < 3; ++i) {
      Recording on(training);
      out_b = cached.call(b);
      backward(out_b, {}, true, training);
    }
    CHECK(random_state() == state);
    for (size_t i = 0; i < 2; ++i) CHECK(bytes_of(out_a[i].array) == bytes_of(out_b[i].array));
    for (size_t i = 0; i < a.size(); ++i) {
      CAPTURE(i);
      CHECK(bytes_of(a[i].extra->grad) == bytes_of(b[i].extra->grad));
    }
    // One head only, then the other one.
    for (size_t head = 0; head < 2; ++head) {
      backward({out_a[head]}, {}, true, training);
      backward({out_b[head]}, {}, true, training);
      for (size_t i = 0; i < (head == 0 ? 5u : 3u); ++i) {
        CHECK(bytes_of(a[i].extra->grad) == bytes_of(b[i].extra->grad));
      }
    }
  }
}

TEST_CASE("cached graph: random graphs have the gradients of the tape bit for bit") {
  const PoisonFreed poison;
  for (uint64_t seed_value = 1; seed_value <= 40; ++seed_value) {
    CAPTURE(seed_value);
    const RandomGraph r = random_graph(seed_value, 15 + static_cast<int>(seed_value) / 2);
    const std::vector<ArrayRef> a = refs(r.inputs, true), b = refs(r.inputs, true);
    CachedGraph cached(r.graph, {});
    std::vector<ArrayRef> heads_a, heads_b;
    const auto state = random_state();
    {
      Recording on;
      const std::vector<ArrayRef> out = trace_by_hand(r.graph, a);
      set_random_state(state);
      const std::vector<ArrayRef> called = cached.call(b);
      REQUIRE(out.size() == called.size());
      for (size_t i = 0; i < out.size(); ++i) {
        CHECK(bytes_of(out[i].array) == bytes_of(called[i].array));
        if (!out[i].extra) continue;  // a constant
        heads_a.push_back(out[i]);
        heads_b.push_back(called[i]);
      }
    }
    for (int times = 0; times < 2; ++times) {  // all heads, then the first one alone
      if (heads_a.empty()) break;
      backward(heads_a, {}, true, true);
      backward(heads_b, {}, true, true);
      for (size_t i = 0; i < a.size(); ++i) {
        CAPTURE(i);
        CHECK(bytes_of(a[i].extra->grad) == bytes_of(b[i].extra->grad));
      }
      heads_a.resize(1);
      heads_b.resize(1);
      for (size_t i = 0; i < a.size(); ++i) {  // what the first head does not reach stays
        const OpDef* zeros = get_op("zeros_like");
        for (const NDArray& g : {a[i].extra->grad, b[i].extra->grad}) {
          const std::vector<NDArray> into{g};
          run_op(*zeros, Attrs(zeros), {g}, 0, &into);
        }
      }
    }
  }
}

TEST_CASE("cached graph: inside a larger recording, with head gradients and second order") {
  Maker m;
  const Entry x = m.input("x", {3});
  m.output(m.op("mul", {m.op("mul", {x, x}), x}));
  CachedGraph cube(m.graph, {});
  ArrayRef v = variable(array({3}, {1, 2, 3}));
  ArrayRef y, first, second;
  {
    Recording on;
    const ArrayRef scaled = call("mul_scalar", {v}, {{"scalar", "2"}});
    y = call("sum", {cube.call({scaled})[0]});  // sum (2 v)^3 = 8 v^3
    first = grad({y}, {v}, {}, true, true, true)[0];
    second = grad({first}, {v}, {}, true, true, true)[0];
  }
  CHECK(values_of(first.array) == std::vector<double>{24, 96, 216});
  CHECK(values_of(second.array) == std::vector<double>{48, 96, 144});
  backward({first}, {}, false, true);
  CHECK(values_of(v.extra->grad) == std::vector<double>{48, 96, 144});
}

TEST_CASE("cached graph: overwritten and freed values are refused") {
  Maker m;
  const Entry x = m.input("x", {2});
  m.output(m.op("exp", {x}));
  CachedGraph cached(m.graph, {});
  ArrayRef v = variable(array({2}, {0, 1}));
  ArrayRef y;
  {
    Recording on;
    y = cached.call({v})[0];
  }
  backward({y}, {}, false, true);
  CHECK(error_of([&] { backward({y}, {}, false, true); }).find("retain_graph") !=
        std::string::npos);
  {
    Recording on;
    y = cached.call({v})[0];
  }
  const OpDef* zeros = get_op("zeros_like");
  std::vector<NDArray> into{y.array};
  run_op(*zeros, Attrs(zeros), {y.array}, 0, &into);  // the gradient of exp is its result
  CHECK(error_of([&] { backward({y}, {}, false, true); }).find("overwritten") != std::string::npos);
}

TEST_CASE("cached graph: traced, it is inlined") {
  CachedGraph cached(net(), {});
  const std::vector<NDArray> given = arguments(2);
  const ThreadState before = thread_state();
  clear_trace_leaves(true);
  thread_state().mode = kTracing;
  const std::vector<ArrayRef> out = cached.call(refs(given, false));
  thread_state() = before;
  clear_trace_leaves(false);
  Symbol symbol;
  for (const ArrayRef& a : out) symbol.outputs.push_back(a.extra->entry);
  GraphSources sources;
  const Graph graph = to_graph(symbol, {}, &sources);
  std::vector<NDArray> inputs;
  for (NodeId id : graph.inputs) inputs.push_back(sources.nodes[id]->values[0]);
  const std::vector<NDArray> inlined = run_graph(graph, inputs, sources.keys, false);
  const std::vector<ArrayRef> called = cached.call(refs(given, false));
  for (size_t i = 0; i < 2; ++i) CHECK(bytes_of(inlined[i]) == bytes_of(called[i].array));
}

TEST_CASE("cached graph: report keeps the stages") {
  CachedGraph cached(net(), {});
  CHECK_THROWS_AS(cached.report(false, false), Error);
  cached.call(refs(arguments(2), false));
  const Compiled plain = cached.report(false, false), full = cached.report(true, true);
  CHECK(plain.stages.front().name == "written");
  CHECK(full.program->graph().outputs.size() == 7);  // two heads, five gradients
  CHECK(cached.num_programs() == 1);
}

TEST_CASE("cached graph: called from several threads") {
  CachedGraph cached(net(), {});
  const std::vector<ArrayRef> shared = refs(arguments(2), false);
  const std::string expected = bytes_of(cached.call(shared)[0].array);
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const std::vector<ArrayRef> own = refs(arguments(2 + (t + i) % 3), false);
        cached.call(own);
        wrong[t] += bytes_of(cached.call(shared)[0].array) != expected;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(wrong == std::vector<int>(4, 0));
  CHECK(cached.num_programs() == 3);
}

TEST_CASE("cached graph: cost of a call (printed)") {
  Maker m;
  m.output(m.op("add_scalar", {m.input("x", {4})}, {{"scalar", "1"}}));
  CachedGraph cached(m.graph, {});
  const std::vector<ArrayRef> input{ref(sample({4}, 1))};
  double best = 1e18;
  for (int round = 0; round < 7; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 20000; ++i) cached.call(input);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / 20000);
  }
  MESSAGE("cached graph of one kernel: ", best, " ns a call");
}
