// gradient: the graph it builds, its order of accumulation, and its values.
#include <doctest/doctest.h>

#include <cmath>

#include "graph_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

PassOptions of(const Graph& g, const std::vector<Entry>& wrt) {
  PassOptions options;
  options.grad_of = g.outputs;
  for (const Entry& e : wrt) options.grad_wrt.push_back(e.node);
  return options;
}

}  // namespace

TEST_CASE("passes: gradient of d = b * a + 1") {
  GraphMaker g;
  const Entry a = g.input("a", {1});
  const Entry b = g.input("b", {1});
  g.line = 2;
  const Entry c = g.op("mul", {b, a}, "c");
  g.line = 3;
  g.output(g.op("add_scalar", {c}, "d", {{"scalar", "1"}}), "d");
  const Applied done = run_pass("gradient", g.graph, of(g.graph, {a, b}));
  REQUIRE(done.graph.outputs.size() == 3);
  CHECK(done.graph.output_names == std::vector<std::string>{"d", "a_grad", "b_grad"});
  for (const Change& change : done.changes) CHECK(change.action == Change::added);
  for (size_t i = g.graph.nodes.size(); i < done.graph.nodes.size(); ++i) {
    CHECK(done.graph.nodes[i].scope == "backward");
    CHECK(line_of(done.graph.nodes[i].site) != "");
  }
  CHECK(program_text(done.graph).find("# backward of line 2") != std::string::npos);
  check_origins({&g.graph}, done.graph);
  const std::vector<NDArray> out = run_graph(done.graph,
                                             {make_array<float>({1}, DType::float32, {1.f}),
                                              make_array<float>({1}, DType::float32, {2.f})},
                                             {}, true);
  CHECK(floats(out[0]) == std::vector<float>{3.f});
  CHECK(floats(out[1]) == std::vector<float>{2.f});
  CHECK(floats(out[2]) == std::vector<float>{1.f});
  // Taken once: running the pass again adds nothing.
  CHECK(run_pass("gradient", done.graph, of(g.graph, {a, b})).changes.empty());
}

TEST_CASE("passes: gradient adds up what several readers send back") {
  GraphMaker g;
  const Entry x = g.input("x", {3});
  const Entry y = g.op("add", {g.op("mul", {x, x}), g.op("exp", {x})}, "y");
  g.output(y, "y");
  const Applied done = run_pass("gradient", g.graph, of(g.graph, {x}));
  const std::vector<float> values = {0.f, 1.f, -2.f};
  const auto out =
      run_graph(done.graph, {make_array<float>({3}, DType::float32, values)}, {}, true);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(floats(out[1])[i] == doctest::Approx(2 * values[i] + std::exp(values[i])).epsilon(1e-5));
  }
}

TEST_CASE("passes: gradient takes given head gradients and gives zeros where nothing flows") {
  GraphMaker g;
  const Entry x = g.input("x", {2});
  const Entry unused = g.input("unused", {3});
  const Entry head = g.input("head", {2});
  g.output(g.op("mul_scalar", {x}, "y", {{"scalar", "3"}}), "y");
  PassOptions options = of(g.graph, {x, unused});
  options.head_grads = {head};
  const Applied done = run_pass("gradient", g.graph, options);
  const auto out = run_graph(done.graph,
                             {make_array<float>({2}, DType::float32, {1.f, 1.f}),
                              make_array<float>({3}, DType::float32, {1.f, 1.f, 1.f}),
                              make_array<float>({2}, DType::float32, {10.f, 20.f})},
                             {}, true);
  CHECK(floats(out[1]) == std::vector<float>{30.f, 60.f});
  CHECK(floats(out[2]) == std::vector<float>{0.f, 0.f, 0.f});
  options.head_grads = {unused};
  CHECK_THROWS_WITH_AS(run_pass("gradient", g.graph, options), doctest::Contains("shape (2,)"),
                       Error);
  options = of(g.graph, {g.graph.outputs[0]});
  CHECK_THROWS_WITH_AS(run_pass("gradient", g.graph, options), doctest::Contains("not an input"),
                       Error);
}

TEST_CASE("passes: gradient stops at integers and at what it was not asked for") {
  GraphMaker g;
  const Entry x = g.input("x", {4});
  const Entry w = g.input("w", {4});
  const Entry mask = g.op("cast", {g.op("greater_scalar", {x}, "", {{"scalar", "0"}})}, "mask",
                          {{"dtype", "float32"}});
  g.output(g.op("mul", {g.op("mul", {mask, w}), x}), "y");
  const Applied done = run_pass("gradient", g.graph, of(g.graph, {x}));
  const auto out = run_graph(done.graph,
                             {make_array<float>({4}, DType::float32, {-1.f, 0.f, 2.f, 3.f}),
                              make_array<float>({4}, DType::float32, {5.f, 6.f, 7.f, 8.f})},
                             {}, true);
  CHECK(floats(out[1]) == std::vector<float>{0.f, 0.f, 7.f, 8.f});
}

TEST_CASE("passes: what a gradient will pass through keeps its structure until it is taken") {
  GraphMaker g;
  const Entry x = g.input("x", {3});
  const Entry h = g.op("mul_scalar", {x}, "h", {{"scalar", "1"}});
  const Entry e1 = g.op("exp", {x}, "e1"), e2 = g.op("exp", {x}, "e2");
  g.output(g.op("add", {g.op("add", {e1, e2}), h}), "y");
  const PassOptions options = of(g.graph, {x});
  CHECK(run_pass("simplify", g.graph, options).changes.empty());
  CHECK(run_pass("cse", g.graph, options).changes.empty());
  CHECK(run_pass("cse", g.graph).changes.size() == 1);
  const Graph after = run_pass("gradient", g.graph, options).graph;
  CHECK(run_pass("cse", after, options).changes.size() >= 1);
  CHECK(run_pass("simplify", after, options).changes.size() >= 1);
}

TEST_CASE("passes: MXNet's where of equal shapes is the one that fuses, also under a gradient") {
  GraphMaker g;
  const Entry x = g.input("x", {3, 3}), rows = g.input("rows", {3});
  const Entry positive = g.op("greater_scalar", {x}, "", {{"scalar", "0"}});
  const Entry chosen = g.op("where_rows", {positive, x, g.op("neg", {x})}, "chosen");
  g.output(g.op("exp", {g.op("where_rows", {rows, chosen, x}, "of_rows")}), "y");
  const Applied done = run_pass("simplify", g.graph, of(g.graph, {x}));
  REQUIRE(done.changes.size() == 1);
  CHECK(done.changes[0].node == chosen.node);
  CHECK(program_text(done.graph, TextOptions()).find("where_rows(rows, ") != std::string::npos);
}
