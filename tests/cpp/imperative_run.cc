// run_op and invoke: views, writing into arrays, dtypes, errors, random keys, versions.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>

#include "array/array_ref.h"
#include "call/invoke.h"
#include "core/error.h"
#include "exec_helpers.h"
#include "launch/random.h"
#include "launch/run_op.h"
#include "launch/thread_state.h"
#include "trace/trace_op.h"

using namespace exec_test;

TEST_CASE("imperative: elementwise, broadcasting and views") {
  const NDArray a = array({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(values_of(eager("add", {a, a})[0]) == std::vector<double>{2, 4, 6, 8, 10, 12});
  const NDArray row = array({3}, {10, 20, 30}), column = array({2, 1}, {100, 200});
  CHECK(values_of(eager("add", {a, row})[0]) == std::vector<double>{11, 22, 33, 14, 25, 36});
  CHECK(values_of(eager("add", {column, row})[0]) ==
        std::vector<double>{110, 120, 130, 210, 220, 230});
  const NDArray t = eager("transpose", {a})[0];
  CHECK(t.storage == a.storage);
  CHECK(t.shape == Shape{3, 2});
  CHECK(values_of(eager("add", {t, t})[0]) == std::vector<double>{2, 8, 4, 10, 6, 12});
  const NDArray flat = eager("reshape", {t}, {{"shape", "(6,)"}})[0];  // must copy
  CHECK(!(flat.storage == a.storage));
  CHECK(values_of(flat) == std::vector<double>{1, 4, 2, 5, 3, 6});
  CHECK(values_of(eager("dot", {t, a})[0]) ==
        std::vector<double>{17, 22, 27, 22, 29, 36, 27, 36, 45});
}

TEST_CASE("imperative: small and large arrays, inline and queued, agree") {
  const engine::Settings before = engine::settings();
  for (int64_t n : {1, 7, 1000, 300000}) {
    CAPTURE(n);
    const NDArray x = sample({n}, 3), y = sample({n}, 4);
    const std::string fast = bytes_of(eager("tanh", {eager("mul", {x, y})[0]})[0]);
    engine::Settings queued = before;
    queued.inline_small = false;
    engine::set_settings(queued);
    const std::string slow = bytes_of(eager("tanh", {eager("mul", {x, y})[0]})[0]);
    engine::set_settings(before);
    CHECK(fast == slow);
  }
}

TEST_CASE("imperative: writing into an array, also one that is read") {
  const OpDef* add = get_op("add");
  const OpDef* dot = get_op("dot");
  const NDArray a = array({2, 2}, {1, 2, 3, 4}), b = array({2, 2}, {1, 0, 0, 1});
  const uint64_t version = a.storage->var.version.load();
  std::vector<NDArray> out{a};
  CHECK(run_op(*add, Attrs(add), {a, b}, 0, &out)[0].storage == a.storage);
  CHECK(values_of(a) == std::vector<double>{2, 2, 3, 5});
  CHECK(a.storage->var.version.load() > version);
  run_op(*dot, attrs_of(dot), {a, a}, 0, &out);  // reads all of a while writing it
  CHECK(values_of(a) == std::vector<double>{10, 14, 21, 31});
  // A window on itself, shifted: a[0, :] = a[1, :] + a[1, :]; then over a transposed window.
  const NDArray second = eager("slice_axis", {a}, {{"axis", "0"}, {"begin", "1"}, {"end", "2"}})[0];
  std::vector<NDArray> first{
      eager("slice_axis", {a}, {{"axis", "0"}, {"begin", "0"}, {"end", "1"}})[0]};
  REQUIRE(first[0].storage == a.storage);
  run_op(*add, Attrs(add), {second, second}, 0, &first);
  CHECK(values_of(a) == std::vector<double>{42, 62, 21, 31});
  std::vector<NDArray> turned{eager("transpose", {a})[0]};
  run_op(*add, Attrs(add), {a, b}, 0, &turned);
  CHECK(values_of(a) == std::vector<double>{43, 21, 62, 32});
  std::vector<NDArray> wrong{NDArray::empty({3}, DType::float64, Context())};
  CHECK_THROWS_AS(run_op(*add, Attrs(add), {a, b}, 0, &wrong), Error);
}

TEST_CASE("imperative: errors name operator, given and expected") {
  const NDArray f = sample({2, 3}, 1);
  const NDArray ints = array<int32_t>({3}, {1, 2, 3}, DType::int32);
  const std::string dtype = error_of([&] { eager("softmax", {ints}); });
  CHECK(dtype.find("softmax") != std::string::npos);
  CHECK(dtype.find("int32") != std::string::npos);
  CHECK(dtype.find("float64") != std::string::npos);
  const std::string shape = error_of([&] { eager("add", {f, sample({4}, 1)}); });
  CHECK(shape.find("add") != std::string::npos);
  CHECK(shape.find("(2, 3)") != std::string::npos);
  CHECK(shape.find("(4,)") != std::string::npos);
  CHECK(error_of([&] { eager("add", {f}); }).find("add") != std::string::npos);
  CHECK(error_of([&] { eager("add", {f, NDArray()}); }).find("no value") != std::string::npos);
  CHECK(error_of([&] { eager("addd", {f, f}); }).find("add") != std::string::npos);
}

TEST_CASE("imperative: arrays on two devices do not mix, copies go between them") {
  const VirtualGpus gpus(1);
  const Context gpu{DeviceType::gpu, 0};
  const NDArray host = sample({5}, 1), device = NDArray::empty({5}, DType::float64, gpu);
  copy_array(host, device);
  const std::string error = error_of([&] { eager("add", {host, device}); });
  CHECK(error.find("cpu(0)") != std::string::npos);
  CHECK(error.find("gpu(0)") != std::string::npos);
  const NDArray sum = eager("add", {device, device})[0];
  CHECK(sum.ctx() == gpu);
  const NDArray back = NDArray::empty({5}, DType::float64, Context());
  copy_array(sum, back);
  CHECK(bytes_of(back) == bytes_of(eager("add", {host, host})[0]));
  engine::wait_all();
}

TEST_CASE("random keys: drawn in order, state goes and comes back") {
  seed(42);
  const uint64_t first = next_key(), second = next_key();
  CHECK(first != second);
  seed(42);
  CHECK(next_keys(2) == std::vector<uint64_t>{first, second});
  const auto state = random_state();
  const uint64_t third = next_key();
  set_random_state(state);
  CHECK(next_key() == third);
  seed(43);
  CHECK(next_key() != first);
  seed(7);
  const OpDef* normal = get_op("random_normal");
  const Attrs attrs = attrs_of(normal, {{"shape", "(100,)"}});
  const std::string one = bytes_of(invoke(*normal, attrs, {})[0].array);
  const std::string two = bytes_of(invoke(*normal, attrs, {})[0].array);
  CHECK(one != two);
  seed(7);
  CHECK(bytes_of(invoke(*normal, attrs, {})[0].array) == one);
}

TEST_CASE("tracing: nothing runs, the graph does what the code says") {
  const NDArray x = sample({3, 4}, 5);
  const ThreadState before = thread_state();
  clear_trace_leaves(true);
  thread_state().mode = kTracing;
  const ArrayRef a = call("tanh", {ref(x)});
  const ArrayRef b = call("add", {a, ref(x)});
  thread_state() = before;
  clear_trace_leaves(false);
  CHECK(!b.array.defined());
  CHECK(b.extra->traced);
  CHECK(shape_of(b) == Shape{3, 4});
  CHECK(dtype_of(b) == DType::float64);
  CHECK_THROWS_AS(concrete(b), Error);
  Symbol symbol;
  symbol.outputs = {b.extra->entry};
  const Graph graph = to_graph(symbol);
  CHECK(graph.inputs.size() == 1);  // x is one input, though used twice
  CHECK(graph.nodes.size() == 3);
  const NDArray expected = eager("add", {eager("tanh", {x})[0], x})[0];
  CHECK(bytes_of(run_graph(graph, {x}, {}, false)[0]) == bytes_of(expected));
  CHECK_THROWS_AS(([&] {
                    thread_state().mode = kTracing;
                    try {
                      call("add", {a, ref(sample({5}, 1))});
                    } catch (...) {
                      thread_state() = before;
                      throw;
                    }
                  }()),
                  Error);
}

TEST_CASE(
    "tracing: a leaf knows which value the trace has left in its memory, until it is written") {
  const NDArray x = sample({3, 4}, 5);
  const auto source = [](const NDArray& a) { return leaf_source(*trace_leaf(ref(a)).node).serial; };
  note_trace_written(x, {7, 0});  // no trace: nothing is kept
  CHECK(x.storage->ref_count() == 1);
  clear_trace_leaves(true);
  note_trace_written(x, {7, 0});
  CHECK(source(x) == 7);
  CHECK(source(sample({3, 4}, 5)) == 0);
  x.storage->var.version.fetch_add(1);  // as a write does
  CHECK(source(x) == 0);
  note_trace_written(x, {8, 0}, true);  // NumPy's memory, which is written untold
  x.storage->var.version.fetch_add(1);
  note_trace_written(x, {9, 0}, true);
  CHECK(source(x) == 9);
  forget_numpy_contents(nullptr);
  x.storage->var.version.fetch_add(1);
  CHECK(source(x) == 0);
  note_trace_written(x, {10, 0});
  CHECK(x.storage->ref_count() == 2);
  clear_trace_leaves(false);
  CHECK(x.storage->ref_count() == 1);
}

TEST_CASE("imperative: cost of a small call (printed)") {
  using Clock = std::chrono::steady_clock;
  const NDArray a = array({1}, {1.0}), b = array({1}, {2.0});
  const OpDef* add = get_op("add");
  const Attrs attrs(add);
  const NDArray* inputs[] = {&a, &b};
  double small = 1e18, general = 1e18;
  for (int round = 0; round < 7; ++round) {
    auto start = Clock::now();
    for (int i = 0; i < 50000; ++i) {
      NDArray out;
      REQUIRE(run_small(*add, attrs, inputs, 2, &out));
    }
    small = std::min(small, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
    start = Clock::now();
    for (int i = 0; i < 50000; ++i) invoke(*add, attrs, {ref(a), ref(b)});
    general =
        std::min(general, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  MESSAGE("a + b on one element: run_small ", small / 50000, " ns, invoke ", general / 50000,
          " ns");
}
