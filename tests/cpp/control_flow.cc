// cond, while_loop and foreach: values, types, text, passes around them, gradients, errors, cancel.
#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "control/control.h"
#include "core/error.h"
#include "engine/errors.h"
#include "exec_helpers.h"

using namespace exec_test;

namespace {

using BodyRef = std::shared_ptr<const Body>;

// A body over float64 inputs of these shapes; `make` adds its operators and outputs.
BodyRef body(const std::vector<Shape>& shapes, const std::function<void(Maker&)>& make,
             DType dtype = DType::float64) {
  Maker m;
  for (size_t i = 0; i < shapes.size(); ++i) m.input("p" + std::to_string(i), shapes[i], dtype);
  make(m);
  return Body::make(std::move(m.graph));
}

Entry in(int i) { return {static_cast<NodeId>(i), 0}; }

Entry add_node(Maker& m, const Attrs& attrs, const std::vector<Entry>& inputs) {
  Node n;
  n.op = attrs.op();
  n.attrs = attrs;
  n.name = std::string(n.op->name) + std::to_string(m.graph.next_id);
  n.inputs = inputs;
  infer_node(m.graph, &n);
  return {m.graph.add(std::move(n)).id, 0};
}

std::vector<NDArray> run(const Graph& graph, const std::vector<NDArray>& inputs) {
  return compile(graph, CompileOptions()).program->run(inputs, {});
}

// x <- 2 x while x < limit; inputs x, limit.
Attrs doubling() {
  const BodyRef condition =
      body({{}, {}}, [](Maker& m) { m.output(m.op("lesser", {in(0), in(1)})); });
  const BodyRef step = body({{}, {}}, [](Maker& m) { m.output(m.op("add", {in(0), in(0)})); });
  return while_loop_attrs(condition, step, 1);
}

Attrs absolute(const Shape& shape) {
  const BodyRef yes = body({shape}, [](Maker& m) { m.output(m.op("square", {in(0)})); });
  const BodyRef no = body({shape}, [](Maker& m) { m.output(m.op("neg", {in(0)})); });
  return cond_attrs(yes, no);
}

}  // namespace

TEST_CASE("control flow: while_loop runs until its condition fails, also not at all") {
  const PoisonFreed poison;
  Maker m;
  const Entry x = m.input("x", {}), limit = m.input("limit", {});
  m.output(add_node(m, doubling(), {x, limit}));
  for (const auto& [start, end] : {std::pair<double, double>{1, 1024}, {5000, 5000}, {999, 1998}}) {
    const auto out = run(m.graph, {array({}, {start}), array({}, {1000})});
    CHECK(values_of(out[0])[0] == end);
  }
}

TEST_CASE("control flow: foreach stacks outputs and carries values, as operators one by one") {
  const PoisonFreed poison;
  const NDArray data = sample({7, 3}, 1), start = sample({3}, 2), scale = sample({3}, 3);
  // sum <- sum * scale + row; out: sum before.
  const BodyRef step = body({{3}, {3}, {3}}, [](Maker& m) {
    m.output(in(1));
    m.output(m.op("add", {m.op("mul", {in(1), in(2)}), in(0)}));
  });
  Maker m;
  const Entry d = m.input("d", {7, 3}), s = m.input("s", {3}), k = m.input("k", {3});
  const Entry loop = add_node(m, foreach_attrs(step, 1, 1), {d, s, k});
  m.output(loop);
  m.output({loop.node, 1});
  CHECK(m.graph.shape(loop) == Shape{7, 3});
  const auto out = run(m.graph, {data, start, scale});
  NDArray sum = start;
  std::string rows;
  for (int64_t t = 0; t < 7; ++t) {
    rows += bytes_of(sum);
    NDArray row = data;
    row.offset += 3 * t;
    row.shape = Shape{3};
    row.strides = Shape{1};
    sum = eager("add", {eager("mul", {sum, scale})[0], row})[0];
  }
  CHECK(bytes_of(out[0]) == rows);
  CHECK(bytes_of(out[1]) == bytes_of(sum));
}

TEST_CASE("control flow: a counted loop gives its body the counter") {
  const BodyRef step = [] {
    Maker m;
    m.input("i", {}, DType::int64);
    m.input("total", {}, DType::int64);
    m.output(m.op("add", {in(0), in(1)}));
    return Body::make(std::move(m.graph));
  }();
  Maker m;
  const Entry total = m.input("total", {}, DType::int64);
  Counter counter;
  counter.used = true;
  counter.start = 10;
  counter.step = -3;
  counter.steps = 4;
  m.output(add_node(m, foreach_attrs(step, 0, 1, counter), {total}));
  const auto out = run(m.graph, {array<int64_t>({}, {100}, DType::int64)});
  CHECK(values_of<int64_t>(out[0])[0] == 100 + 10 + 7 + 4 + 1);
  counter.steps = 0;
  Maker none;
  const Entry t = none.input("total", {}, DType::int64);
  none.output(add_node(none, foreach_attrs(step, 0, 1, counter), {t}));
  const auto same = run(none.graph, {array<int64_t>({}, {100}, DType::int64)});
  CHECK(values_of<int64_t>(same[0])[0] == 100);
}

TEST_CASE("control flow: values that change places between steps") {
  const BodyRef step = body({{2}, {2}}, [](Maker& m) {
    m.output(in(1));
    m.output(in(0));
  });
  Counter counter;
  counter.steps = 5;
  Maker m;
  const Entry a = m.input("a", {2}), b = m.input("b", {2});
  const Entry loop = add_node(m, foreach_attrs(step, 0, 2, counter), {a, b});
  m.output(loop);
  m.output({loop.node, 1});
  const NDArray x = sample({2}, 4), y = sample({2}, 5);
  const auto out = run(m.graph, {x, y});
  CHECK(bytes_of(out[0]) == bytes_of(y));
  CHECK(bytes_of(out[1]) == bytes_of(x));
}

TEST_CASE("control flow: cond runs one branch; both must have one type") {
  Maker m;
  const Entry p = m.input("p", {}), x = m.input("x", {3});
  m.output(add_node(m, absolute({3}), {p, x}));
  const NDArray a = sample({3}, 6);
  CHECK(bytes_of(run(m.graph, {array({}, {1}), a})[0]) == bytes_of(eager("square", {a})[0]));
  CHECK(bytes_of(run(m.graph, {array({}, {-0.0}), a})[0]) == bytes_of(eager("neg", {a})[0]));

  const BodyRef same = body({{3}}, [](Maker& b) { b.output(in(0)); });
  const BodyRef other =
      body({{3}}, [](Maker& b) { b.output(b.op("cast", {in(0)}, {{"dtype", "float32"}})); });
  const std::string error = error_of([&] { add_node(m, cond_attrs(same, other), {p, x}); });
  CHECK(error.find("float64 (3,) in one branch and float32 (3,) in the other") !=
        std::string::npos);
}

TEST_CASE("control flow: a carried value keeps its type") {
  const BodyRef condition = body({{2}}, [](Maker& m) { m.output(m.op("sum", {in(0)})); });
  const BodyRef step = body({{2}}, [](Maker& m) { m.output(m.op("sum", {in(0)})); });
  Maker m;
  const Entry x = m.input("x", {2});
  const std::string error =
      error_of([&] { add_node(m, while_loop_attrs(condition, step, 1), {x}); });
  CHECK(error.find("a loop keeps shapes and dtypes") != std::string::npos);
  CHECK(error.find("float64 (2,)") != std::string::npos);
}

TEST_CASE("control flow: bodies are written out below their line, and are part of the hash") {
  Maker a, b;
  for (Maker* m : {&a, &b}) {
    const Entry x = m->input("x", {}), limit = m->input("limit", {});
    m->output(add_node(*m, doubling(), {x, limit}));
  }
  CHECK(a.graph.hash() == b.graph.hash());
  Maker c;
  const Entry x = c.input("x", {}), limit = c.input("limit", {});
  const BodyRef condition =
      body({{}, {}}, [](Maker& m) { m.output(m.op("lesser", {in(0), in(1)})); });
  const BodyRef step = body({{}, {}}, [](Maker& m) { m.output(m.op("mul", {in(0), in(0)})); });
  c.output(add_node(c, while_loop_attrs(condition, step, 1), {x, limit}));
  CHECK(a.graph.hash() != c.graph.hash());
  const std::string text = a.graph.str();
  CHECK(text.find("out0 = while_loop(x, limit, carried=1)") != std::string::npos);
  CHECK(text.find("\n  condition(p0, p1):\n") != std::string::npos);
  CHECK(text.find("    return ") != std::string::npos);
}

TEST_CASE("control flow: equal loops are merged, dead ones dropped, constant ones folded") {
  Maker m;
  const Entry x = m.input("x", {}), limit = m.input("limit", {});
  const Entry one = add_node(m, doubling(), {x, limit}), two = add_node(m, doubling(), {x, limit});
  add_node(m, doubling(), {limit, x});
  m.output(m.op("add", {one, two}));
  m.output(add_node(m, doubling(), {m.constant(array({}, {3})), m.constant(array({}, {20}))}));
  const Compiled compiled = compile(m.graph, CompileOptions());
  int loops = 0;
  for (const Node& n : compiled.program->graph().nodes)
    loops += n.op != nullptr && n.op->control_flow;
  CHECK(loops == 1);
  const auto out = compiled.program->run({array({}, {1}), array({}, {10})}, {});
  CHECK(values_of(out[0])[0] == 32);
  CHECK(values_of(out[1])[0] == 24);
}

TEST_CASE("control flow: cond is differentiated branch by branch, twice") {
  for (const double p : {1.0, 0.0}) {
    Maker m;
    const Entry pred = m.input("p", {}), x = m.input("x", {3});
    m.output(m.op("sum", {add_node(m, absolute({3}), {pred, x})}));
    CompileOptions options;
    options.pass.grad_of = {m.graph.outputs[0]};
    options.pass.grad_wrt = {x.node};
    const NDArray a = sample({3}, 7);
    const auto out = compile(m.graph, options).program->run({array({}, {p}), a}, {});
    const auto values = values_of(a), grad = values_of(out[1]);
    for (int i = 0; i < 3; ++i) CHECK(grad[i] == (p != 0 ? 2 * values[i] : -1.0));
  }
}

TEST_CASE("control flow: a while loop is differentiated by the steps that it made") {
  Maker m;
  const Entry x = m.input("x", {}), limit = m.input("limit", {});
  m.output(add_node(m, doubling(), {x, limit}));
  CompileOptions options;
  options.pass.grad_of = {m.graph.outputs[0]};
  options.pass.grad_wrt = {x.node};
  const Compiled compiled = compile(m.graph, options);
  for (const auto& [start, grad] :
       {std::pair(1.0, 16.0), std::pair(3.0, 4.0), std::pair(40.0, 1.0)}) {
    const auto out = compiled.program->run({array({}, {start}), array({}, {10})}, {});
    CHECK(values_of(out[1])[0] == grad);  // doubled until it is above 10
  }
}

TEST_CASE("control flow: random draws stay outside") {
  const std::string error = error_of([] {
    body({}, [](Maker& m) {
      m.output(m.op("random_uniform", {}, {{"shape", "(2,)"}, {"dtype", "float64"}}));
    });
  });
  CHECK(error.find("cannot draw random numbers") != std::string::npos);
}

TEST_CASE("control flow: nested loops") {
  // outer: 3 times; inner: 4 times y <- y + x; x <- y.
  const BodyRef inner = body({{}, {}}, [](Maker& m) { m.output(m.op("add", {in(0), in(1)})); });
  Counter four, three;
  four.steps = 4;
  three.steps = 3;
  const BodyRef outer = body({{}}, [&](Maker& m) {
    m.output(add_node(m, foreach_attrs(inner, 0, 1, four), {in(0), in(0)}));
  });
  Maker m;
  const Entry x = m.input("x", {});
  m.output(add_node(m, foreach_attrs(outer, 0, 1, three), {x}));
  CHECK(values_of(run(m.graph, {array({}, {2})})[0])[0] == 2 * 125);
}

TEST_CASE("control flow: an endless loop stops when it is cancelled") {
  const BodyRef condition =
      body({{}, {}}, [](Maker& m) { m.output(m.op("lesser", {in(0), in(1)})); });
  const BodyRef step = body({{}, {}}, [](Maker& m) { m.output(m.op("identity", {in(0)})); });
  Maker m;
  const Entry x = m.input("x", {}), limit = m.input("limit", {});
  m.output(add_node(m, while_loop_attrs(condition, step, 1), {x, limit}));
  const auto out = run(m.graph, {array({}, {1}), array({}, {2})});
  while (engine::pending() > 0) {  // it may not have begun
    engine::cancel_running();
    std::this_thread::yield();
  }
  CHECK_THROWS(engine::wait_to_read(out[0].storage.get()));
}
