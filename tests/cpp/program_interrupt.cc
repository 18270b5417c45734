// A program that is interrupted while it runs: nothing of it is seen, or all that it updates is.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "control/control.h"
#include "core/error.h"
#include "engine/interrupt.h"
#include "exec_helpers.h"
#include "kernels/layout.h"

using namespace exec_test;

namespace {

int kernels_run = 0;

// Operators that hand on their input, counted; the first kind also interrupts as it runs.
template <bool interrupts>
const OpDef& counting_op() {
  static const OpDef op = [] {
    OpDef def;
    def.name = interrupts ? "interrupt" : "count";
    def.family = Family::reduce;  // does not fail, and is not fused
    def.inputs = {{"data", "anything"}};
    def.infer = [](InferContext& c) {
      c.out_shapes[0] = c.in_shapes[0];
      c.out_dtypes[0] = c.in_dtypes[0];
    };
    def.cpu = [](KernelContext& c) {
      ++kernels_run;
      std::memcpy(c.out[0].data, c.in[0].data,
                  static_cast<size_t>(c.in[0].size()) * dtype_size(c.in[0].dtype));
      if (interrupts) CHECK_THROWS_AS(engine::throw_interrupted(), engine::Interrupted);
    };
    return def;
  }();
  return op;
}

Entry add(Maker* m, const Attrs& attrs, Entry x) {
  Node n;
  n.op = attrs.op();
  n.attrs = attrs;
  n.name = n.op->name;
  n.inputs = {x};
  infer_node(m->graph, &n);
  return {m->graph.add(std::move(n)).id, 0};
}
Entry interrupt(Maker* m, Entry x) { return add(m, Attrs(&counting_op<true>()), x); }
Entry count(Maker* m, Entry x) { return add(m, Attrs(&counting_op<false>()), x); }

// Runs it in the queue. `updates`: by output, the input that gets the new contents.
std::vector<NDArray> run_queued(const Maker& m, const std::vector<int32_t>& updates,
                                const std::vector<NDArray>& inputs,
                                const std::vector<NDArray>& given = {}) {
  const engine::Settings before = engine::settings();
  engine::Settings queued = before;
  queued.inline_small = false;
  engine::set_settings(queued);
  CompileOptions options;
  options.plan.updates = updates;
  options.only_these = true;
  kernels_run = 0;
  const auto results =
      compile(m.graph, options).program->run(inputs, {}, {}, nullptr, nullptr, given);
  while (engine::pending() > 0) std::this_thread::yield();
  engine::set_settings(before);
  return results;
}

std::string read_error(const NDArray& a) {
  return error_of([&] { engine::wait_to_read(a.storage.get()); });
}

}  // namespace

TEST_CASE("program: interrupted between two kernels, it stops and its arrays are as before") {
  Maker m;
  Entry x = m.input("x", {2});
  x = interrupt(&m, x);
  for (int i = 0; i < 3; ++i) x = count(&m, x);
  m.output(m.op("mul", {x, x}));
  m.output(x);
  const NDArray a = array({2}, {3, 4});
  const auto out = run_queued(m, {0, kFresh}, {a});
  CHECK(kernels_run == 1);
  CHECK(values_of(a) == std::vector<double>{3, 4});
  CHECK(read_error(out[1]).find("interrupted") != std::string::npos);
  CHECK_NOTHROW(engine::wait_all());
}

TEST_CASE("program: interrupted when an array is being updated, it updates all and no more") {
  Maker m;
  const Entry x = m.input("x", {2}), y = m.input("y", {2});
  m.output(interrupt(&m, x));
  m.output(count(&m, count(&m, x)));  // nobody needs it then
  m.output(count(&m, y));
  const NDArray a = array({2}, {0, 0}), b = array({2}, {0, 0});
  const auto out = run_queued(m, {kGiven, kFresh, kGiven}, {array({2}, {3, 4}), array({2}, {5, 6})},
                              {a, NDArray(), b});
  CHECK(kernels_run == 2);
  CHECK(values_of(a) == std::vector<double>{3, 4});
  CHECK(values_of(b) == std::vector<double>{5, 6});
  CHECK(read_error(out[1]).find("interrupted") != std::string::npos);
}

TEST_CASE("program: a loop in it is interrupted between two steps") {
  Maker step;
  step.input("p", {});
  step.output(interrupt(&step, {0, 0}));
  Counter endless;
  endless.steps = int64_t{1} << 40;
  Maker m;
  const Entry x = m.input("x", {});
  m.output(add(&m, foreach_attrs(Body::make(std::move(step.graph)), 0, 1, endless), x));
  const NDArray a = array({}, {3});
  const auto out = run_queued(m, {0}, {a});
  CHECK(kernels_run == 1);
  CHECK(values_of(a)[0] == 3);
  CHECK(out[0].storage == a.storage);
}

TEST_CASE("program: one long kernel stops on its way") {
  const Shape shape{1 << 19};
  const NDArray from = sample(shape, 1), to = NDArray::empty(shape, DType::float64, Context());
  const auto out = reinterpret_cast<double*>(to.data());
  std::fill(out, out + shape.size(), 7.0);
  const Attrs attrs = attrs_of(get_op("sort"));
  std::atomic<bool> cancel{true};
  Resources& resources = Resources::current();
  resources.start_operator(&cancel, false);
  const TensorView in = view_of(from), result = view_of(to);
  KernelContext context{attrs, &in, 1, &result, 1, 0, resources};
  attrs.op()->cpu(context);
  CHECK(resources.was_cancelled());
  resources.finish_operator();
  CHECK(std::all_of(out, out + shape.size(), [](double v) { return v == 7; }));
}
