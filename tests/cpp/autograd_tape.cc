// The tape: hand cases, second order, requests, freeing, overwritten values, long chains.
#include <doctest/doctest.h>

#include <chrono>

#include "array/array_ref.h"
#include "call/invoke.h"
#include "core/error.h"
#include "engine/trace.h"
#include "exec_helpers.h"
#include "launch/random.h"
#include "launch/run_op.h"
#include "launch/thread_state.h"
#include "tape/autograd.h"

using namespace exec_test;

namespace {

std::vector<double> grad_of(const ArrayRef& v) { return values_of(v.extra->grad); }

ArrayRef scaled(const ArrayRef& a, const char* factor) {
  return call("mul_scalar", {a}, {{"scalar", factor}});
}

}  // namespace

TEST_CASE("autograd: d = b * a + 1 at a = 1, b = 2") {
  ArrayRef a = variable(array({1}, {1.0})), b = variable(array({1}, {2.0}));
  ArrayRef d;
  {
    Recording on;
    d = call("add_scalar", {call("mul", {b, a})}, {{"scalar", "1"}});
  }
  backward({d}, {}, false, true);
  CHECK(values_of(d.array) == std::vector<double>{3});
  CHECK(grad_of(a) == std::vector<double>{2});
  CHECK(grad_of(b) == std::vector<double>{1});
  CHECK(a.extra->has_fresh_grad);
}

TEST_CASE("autograd: a value used twice adds up; head gradients; heads that are not scalars") {
  ArrayRef x = variable(array({3}, {1, 2, 3}));
  ArrayRef y;
  {
    Recording on;
    y = call("add", {call("mul", {x, x}), x});  // x^2 + x
  }
  backward({y}, {}, true, true);
  CHECK(grad_of(x) == std::vector<double>{3, 5, 7});
  backward({y}, {ref(array({3}, {1, 10, 100}))}, false, true);
  CHECK(grad_of(x) == std::vector<double>{3, 50, 700});
  CHECK_THROWS_AS(backward({x}, {ref(array({2}, {1, 1}))}, false, true), Error);
}

TEST_CASE("autograd: second order of x * x * x by create_graph, and by it twice") {
  ArrayRef x = variable(array({2}, {2, 3}));
  ArrayRef y, first, second, third;
  {
    Recording on;
    y = call("mul", {call("mul", {x, x}), x});
    first = grad({y}, {x}, {}, true, true, true)[0];       // 3 x^2
    second = grad({first}, {x}, {}, true, true, true)[0];  // 6 x
    third = grad({second}, {x}, {}, true, true, true)[0];  // 6
  }
  CHECK(values_of(first.array) == std::vector<double>{12, 27});
  CHECK(values_of(second.array) == std::vector<double>{12, 18});
  CHECK(values_of(third.array) == std::vector<double>{6, 6});
  backward({first}, {}, false, true);
  CHECK(grad_of(x) == std::vector<double>{12, 18});
}

TEST_CASE("autograd: requests write, add and null") {
  ArrayRef w = variable(array({1}, {3})), s = variable(array({1}, {3}), ArrayExtra::add);
  ArrayRef n = variable(array({1}, {3}), ArrayExtra::null);
  for (int i = 0; i < 3; ++i) {
    Recording on;
    const ArrayRef y = call("add", {call("mul", {w, s}), n});
    backward({y}, {}, false, true);
  }
  CHECK(grad_of(w) == std::vector<double>{3});
  CHECK(grad_of(s) == std::vector<double>{9});
  CHECK(!n.extra->grad.defined());
}

TEST_CASE("autograd: the gradient buffer keeps its memory, also when it is read") {
  ArrayRef x = variable(array({2}, {1, 2}));
  const NDArray buffer = x.extra->grad;
  for (int i = 0; i < 2; ++i) {
    ArrayRef y;
    {
      Recording on;  // the old gradient is data of the new computation
      y = call("mul", {call("add", {x, ref(buffer)}), x});
    }
    backward({y}, {}, false, true);
    CHECK(x.extra->grad.storage == buffer.storage);
    // d/dx (x + g) x = 2 x + g with g the gradient before.
    CHECK(values_of(buffer) == (i == 0 ? std::vector<double>{2, 4} : std::vector<double>{4, 8}));
  }
}

TEST_CASE("autograd: what is not recorded, freed or overwritten is refused by name") {
  ArrayRef x = variable(array({2}, {1, 2}));
  const ArrayRef outside = call("square", {x});
  CHECK(error_of([&] { backward({outside}, {}, false, true); }).find("record") !=
        std::string::npos);
  ArrayRef y, z;
  {
    Recording on;
    y = call("square", {x});
    z = call("exp", {y});
  }
  backward({z}, {}, false, true);
  const std::string again = error_of([&] { backward({z}, {}, false, true); });
  CHECK(again.find("retain_graph") != std::string::npos);
  const std::string part = error_of([&] { backward({y}, {}, false, true); });
  CHECK(part.find("retain_graph") != std::string::npos);

  const OpDef* zeros = get_op("zeros_like");
  ArrayRef w;
  {
    Recording on;
    thread_state().site = trace::intern_site({"", 12, 0, "cell"});
    y = call("exp", {x});
    thread_state().site = 0;
    w = call("mul", {y, y});
    const std::string inside = error_of([&] {
      std::vector<ArrayRef> out{y};
      invoke(*zeros, Attrs(zeros), {y}, &out);
    });
    CHECK(inside.find("recorded") != std::string::npos);
  }
  std::vector<NDArray> out{y.array};
  run_op(*zeros, Attrs(zeros), {y.array}, 0, &out);  // outside record: seen by its version
  const std::string overwritten = error_of([&] { backward({w}, {}, false, true); });
  CHECK(overwritten.find("exp") != std::string::npos);
  CHECK(overwritten.find("line 12") != std::string::npos);
  CHECK(overwritten.find("overwritten") != std::string::npos);
}

TEST_CASE("autograd: a variable changed by a step is recorded anew") {
  ArrayRef w = variable(array({1}, {4}));
  const OpDef* sub = get_op("sub");
  for (int i = 0; i < 3; ++i) {
    {
      Recording on;
      backward({call("square", {w})}, {}, false, true);
    }
    std::vector<NDArray> into{w.array};  // w -= grad / 4: halves it
    run_op(*sub, Attrs(sub),
           {w.array, eager("mul_scalar", {w.extra->grad}, {{"scalar", "0.25"}})[0]}, 0, &into);
  }
  CHECK(values_of(w.array) == std::vector<double>{0.5});

  // Written between two uses that need no saved value: both uses count.
  ArrayRef v = variable(array({1}, {1}));
  ArrayRef first, sum;
  {
    Recording on;
    first = scaled(v, "2");
  }
  std::vector<NDArray> into{v.array};
  run_op(*sub, Attrs(sub), {v.array, v.array}, 0, &into);
  {
    Recording on;
    sum = call("add", {first, scaled(v, "3")});
  }
  backward({sum}, {}, false, true);
  CHECK(grad_of(v) == std::vector<double>{5});
}

TEST_CASE("autograd: history that was freed is a constant for new recordings") {
  ArrayRef w = variable(array({1}, {3}));
  ArrayRef h = ref(array({1}, {1}));
  for (int i = 0; i < 4; ++i) {  // truncated back-propagation: no detach, no growth
    Recording on;
    h = call("mul", {h, w});
    backward({h}, {}, false, true);
  }
  CHECK(values_of(h.array) == std::vector<double>{81});
  CHECK(grad_of(w) == std::vector<double>{27});
}

TEST_CASE("autograd: gradients through views, broadcasts and reductions") {
  ArrayRef a = variable(array({2, 3}, {1, 2, 3, 4, 5, 6})), b = variable(array({3}, {1, 0, 2}));
  ArrayRef y;
  {
    Recording on;
    y = call("sum", {call("mul", {call("transpose", {call("add", {a, b})}),
                                  call("reshape", {a}, {{"shape", "(3, 2)"}})})});
  }
  backward({y}, {}, false, true);
  CHECK(y.array.shape == Shape{});
  // t = (a + b).T, r = a.reshape(3, 2); dy/da = r.T + t.reshape(2, 3), dy/db = column sums of r.T.
  CHECK(grad_of(a) == std::vector<double>{1 + 2, 3 + 5, 5 + 2, 2 + 5, 4 + 5, 6 + 8});
  CHECK(grad_of(b) == std::vector<double>{3, 7, 11});
}

TEST_CASE("autograd: the gradient of Dropout uses the mask that was drawn") {
  seed(11);
  ArrayRef x = variable(array({64}, std::vector<double>(64, 1.0)));
  ArrayRef y;
  {
    Recording on;
    y = call("Dropout", {x}, {{"p", "0.5"}});
  }
  backward({y}, {}, false, true);
  CHECK(grad_of(x) == values_of(y.array));
  const auto state = random_state();
  {
    Recording on(false);  // predict mode: identity, no draw
    y = call("Dropout", {x}, {{"p", "0.5"}});
  }
  CHECK(random_state() == state);
  CHECK(values_of(y.array) == std::vector<double>(64, 1.0));
  CHECK(!(y.array.storage == x.array.storage));
  backward({y}, {}, false, true);
  CHECK(grad_of(x) == std::vector<double>(64, 1.0));
}

TEST_CASE("autograd: the tape equals the compiled gradient bit for bit") {
  const NDArray x0 = sample({5, 7}, 1), w0 = sample({3, 7}, 2), b0 = sample({3}, 3);
  ArrayRef x = variable(x0), w = variable(w0), b = variable(b0);
  ArrayRef y;
  {
    Recording on;
    const ArrayRef h = call("tanh", {call("FullyConnected", {x, w, b}, {{"num_hidden", "3"}})});
    y = call("sum", {call("mul", {call("softmax", {h}), call("square", {h})})});
  }
  backward({y}, {}, true, true);

  Maker m;
  const Entry gx = m.input("x", {5, 7}), gw = m.input("w", {3, 7}), gb = m.input("b", {3});
  const Entry h = m.op("tanh", {m.op("FullyConnected", {gx, gw, gb}, {{"num_hidden", "3"}})});
  const Entry out = m.op("sum", {m.op("mul", {m.op("softmax", {h}), m.op("square", {h})})});
  m.output(out);
  CompileOptions o;
  o.pass.training = true;
  o.pass.grad_of = {out};
  o.pass.grad_wrt = {gx.node, gw.node, gb.node};
  const std::vector<NDArray> r = compile(m.graph, o).program->run({x0, w0, b0}, {});
  CHECK(bytes_of(r[0]) == bytes_of(y.array));
  CHECK(bytes_of(r[1]) == bytes_of(x.extra->grad));
  CHECK(bytes_of(r[2]) == bytes_of(w.extra->grad));
  CHECK(bytes_of(r[3]) == bytes_of(b.extra->grad));
}

TEST_CASE("autograd: a chain of 100,000 nodes") {
  const auto start = std::chrono::steady_clock::now();
  ArrayRef x = variable(array({1}, {1}));
  {
    ArrayRef y = x;
    {
      Recording on;
      for (int i = 0; i < 100000; ++i) y = call("add_scalar", {y}, {{"scalar", "1"}});
    }
    backward({y}, {}, false, true);
    CHECK(values_of(y.array) == std::vector<double>{100001});
  }
  CHECK(grad_of(x) == std::vector<double>{1});
  MESSAGE("100,000 nodes recorded and differentiated in ",
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), " s");
}

TEST_CASE("autograd: grad by unmarked or unrelated arrays is refused") {
  ArrayRef x = variable(array({1}, {1})), other = variable(array({1}, {1}));
  ArrayRef plain = ref(array({1}, {1}));
  ArrayRef y;
  {
    Recording on;
    y = call("mul", {x, plain});
  }
  CHECK(error_of([&] { grad({y}, {plain}, {}, true, false, true); }).find("attach_grad") !=
        std::string::npos);
  CHECK(error_of([&] { grad({y}, {other}, {}, true, false, true); }).find("depend") !=
        std::string::npos);
  const NDArray g = grad({y}, {x}, {}, true, false, true)[0].array;
  CHECK(values_of(g) == std::vector<double>{1});
  ArrayRef ints = ref(array<int32_t>({1}, {1}, DType::int32));
  CHECK_NOTHROW(attach_grad(ints, ArrayExtra::write));  // as in MXNet
}
