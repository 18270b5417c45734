// infer: forward, backward, defaults, and errors that name operator, node and line.
#include <doctest/doctest.h>

#include "graph_helpers.h"
#include "symbol/symbol.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

GraphMaker lazily() {
  GraphMaker g;
  g.infer_now = false;
  return g;
}

}  // namespace

TEST_CASE("passes: infer fills weights from the data, in both directions") {
  GraphMaker g = lazily();
  const Entry x = g.input("data", Shape::unknown(), DType::unknown);
  const Entry w = g.input("w", {256, -1}, DType::unknown);
  const Entry b = g.input("b", Shape::unknown(), DType::unknown);
  const Entry y = g.op("FullyConnected", {x, w, b}, "fc", {{"num_hidden", "256"}});
  const Entry z = g.op("Activation", {y}, "relu", {{"act_type", "relu"}});
  g.output(z, "z");
  PassOptions options;
  options.input_shapes = {{4, 512}, Shape::unknown(), Shape::unknown()};
  options.input_dtypes = {DType::float64, DType::unknown, DType::unknown};
  const Applied done = run_pass("infer", g.graph, options);
  CHECK(is_inferred(done.graph));
  CHECK(done.graph.shape(w) == Shape({256, 512}));
  CHECK(done.graph.shape(b) == Shape({256}));
  CHECK(done.graph.shape(z) == Shape({4, 256}));
  CHECK(done.graph.dtype(w) == DType::float64);
  CHECK(done.text().find("float64 (256, 512) is what 'fc' needs here") != std::string::npos);
  CHECK(run_pass("infer", done.graph, options).changes.empty());
}

TEST_CASE("passes: infer leaves open what nothing decides, and float32 is the default") {
  GraphMaker g = lazily();
  const Entry x = g.input("x", Shape::unknown(), DType::unknown);
  const Entry y = g.op("exp", {x}, "y");
  g.output(y, "y");
  const Applied done = run_pass("infer", g.graph);
  CHECK_FALSE(is_inferred(done.graph));
  CHECK(done.graph.dtype(y) == DType::float32);
}

TEST_CASE("passes: infer learns a data shape from what reads it") {
  GraphMaker g = lazily();
  const Entry a = g.input("a", {2, 3});
  const Entry b = g.input("b", Shape::unknown(), DType::unknown);
  const Entry deep = g.op("exp", {g.op("exp", {b})});
  const Entry c = g.op("where", {g.op("ones_like", {a}), a, a}, "c");
  g.output(g.op("add_n", {c, deep}), "sum");
  const Applied done = run_pass("infer", g.graph);
  CHECK(done.graph.shape(b) == Shape({2, 3}));
  CHECK(done.graph.dtype(b) == DType::float32);
}

TEST_CASE("passes: infer errors name operator, node, line, given and expected") {
  GraphMaker g = lazily();
  const Entry x = g.input("x", {2, 3});
  const Entry w = g.input("w", {10, 4});
  const Entry b = g.input("b", {10});
  g.line = 7;
  g.output(g.op("FullyConnected", {x, w, b}, "fc1", {{"num_hidden", "10"}}), "y");
  std::string message;
  try {
    run_pass("infer", g.graph);
  } catch (const Error& e) {
    message = e.what();
  }
  for (const char* part : {"FullyConnected", "'fc1'", "line 7", "(10, 4)", "(10, 3)", "(2, 3)"}) {
    CAPTURE(message);
    CHECK(message.find(part) != std::string::npos);
  }
}

TEST_CASE("passes: infer refuses inputs that contradict their declaration") {
  GraphMaker g = lazily();
  g.output(g.op("exp", {g.input("x", {2, 3})}), "y");
  PassOptions options;
  options.input_shapes = {{2, 4}};
  CHECK_THROWS_WITH_AS(run_pass("infer", g.graph, options), doctest::Contains("'x' was declared"),
                       Error);
  options.input_shapes = {{2, 3}, {2, 3}};
  CHECK_THROWS_WITH_AS(run_pass("infer", g.graph, options), doctest::Contains("1 inputs, given 2"),
                       Error);
  options.input_shapes = {};
  options.input_dtypes = {DType::int32};
  CHECK_THROWS_WITH_AS(run_pass("infer", g.graph, options), doctest::Contains("given int32"),
                       Error);
}

TEST_CASE("passes: infer of a huge declared shape is an error, not a crash") {
  GraphMaker g = lazily();
  const Entry x = g.input("x", {int64_t{1} << 40, int64_t{1} << 40});
  g.output(g.op("exp", {x}), "y");
  CHECK_THROWS_AS(run_pass("infer", g.graph).graph.bytes({0, 0}), Error);
}
