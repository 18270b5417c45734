// Graph: positions, consistency, hash, and the readable program text.
#include <doctest/doctest.h>

#include "graph_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

// c = b * a; d = c + 1, as the four-line cell records it.
Graph four_lines() {
  GraphMaker g;
  const Entry a = g.input("a", {10});
  const Entry b = g.input("b", {10});
  g.line = 3;
  const Entry c = g.op("mul", {b, a}, "c");
  g.line = 4;
  const Entry d = g.op("add_scalar", {c}, "d", {{"scalar", "1"}});
  g.output(d, "d");
  return g.graph;
}

// print(fancy_func(1, 2, 3, 4)) with its three additions.
Graph fancy() {
  GraphMaker g;
  const Entry one = g.integer(1), two = g.integer(2), three = g.integer(3), four = g.integer(4);
  g.line = 3;
  const Entry e = g.op("add", {one, two});
  const Entry f = g.op("add", {three, four});
  const Entry sum = g.op("add", {e, f});
  g.line = 12;
  g.effect("print", {sum});
  return g.graph;
}

}  // namespace

TEST_CASE("graph: text of the four-line cell") {
  CHECK(program_text(four_lines()) ==
        "c = b * a            # line 3\n"
        "d = c + 1            # line 4\n");
}

TEST_CASE("graph: text with types names the inputs") {
  TextOptions options;
  options.types = true;
  CHECK(program_text(four_lines(), options) ==
        "# input a: float32 (10,)\n"
        "# input b: float32 (10,)\n"
        "c = b * a            # line 3: float32 (10,)\n"
        "d = c + 1            # line 4: float32 (10,)\n");
}

TEST_CASE("graph: scalar expressions stand inside the effect that reads them") {
  TextOptions options;
  options.lines = false;
  CHECK(program_text(fancy(), options) == "print((1 + 2) + (3 + 4))\n");
  CHECK(program_text(fancy()) == "print((1 + 2) + (3 + 4))  # line 12\n");
  options.inline_scalars = false;
  CHECK(program_text(fancy(), options) ==
        "v4 = 1 + 2\n"
        "v5 = 3 + 4\n"
        "v6 = v4 + v5\n"
        "print(v6)\n");
}

TEST_CASE("graph: after folding only the result is printed") {
  TextOptions options;
  options.lines = false;
  const Applied folded = run_pass("fold", fancy());
  CHECK(program_text(folded.graph, options) == "print(10)\n");
  CHECK(folded.graph.nodes.size() == 2);
}

TEST_CASE("graph: an effect's template places its inputs") {
  GraphMaker g;
  const Entry x = g.input("x", {2});
  g.effect("print('x {0} is', {0}, {1}, {7}, {)", {x, g.integer(-3)});
  CHECK(program_text(g.graph) == "print('x x is', x, -3, {7}, {)\n");
}

TEST_CASE("graph: calls, attributes, several outputs and names that clash") {
  GraphMaker g;
  const Entry x = g.input("x", {4, 6});
  const Entry y = g.op("Activation", {x}, "x", {{"act_type", "tanh"}});
  const Entry parts = g.op("split", {y}, "parts", {{"num_outputs", "2"}, {"axis", "1"}});
  const Entry z = g.op("neg", {{parts.node, 1}}, "");
  g.output(z, "z");
  CHECK(program_text(g.graph) ==
        "x_1 = Activation(x, act_type=tanh)\n"
        "parts_0, parts_1 = split(x_1, num_outputs=2)\n"
        "z = -parts_1\n");
}

TEST_CASE("graph: comparisons and numbers on either side are infix") {
  GraphMaker g;
  const Entry x = g.input("x", {4});
  const Entry flag = g.op("greater_scalar", {x}, "flag", {{"scalar", "0"}});
  const Entry mask = g.op("greater_scalar", {x}, "mask", {{"scalar", "0.5"}, {"dtype", "None"}});
  g.output(g.op("rsub_scalar", {g.op("mul", {mask, x}, "m")}, "y", {{"scalar", "1"}}), "y");
  g.output(flag, "flag");
  CHECK(program_text(g.graph) == "flag = x > 0\nmask = x > 0.5\nm = mask * x\ny = 1 - m\n");
}

TEST_CASE("graph: control characters in names do not break lines") {
  GraphMaker g;
  const Entry x = g.input("a\nimport os", {2});
  g.output(g.op("exp", {x}, "<script>"), "y z");
  CHECK(program_text(g.graph) == "<script> = exp(a?import os)\n");
}

TEST_CASE("graph: an output that is an input or a constant gets its line") {
  GraphMaker g;
  const Entry x = g.input("x", {2});
  g.output(x, "same");
  g.output(g.real(2.5f), "number");
  CHECK(program_text(g.graph) == "same = x\nnumber = 2.5\n");
}

TEST_CASE("graph: literals") {
  CHECK(real_text(0.1, false) == "0.1");
  CHECK(real_text(static_cast<double>(0.1f), true) == "0.1");
  CHECK(real_text(1e30, false) == "1e+30");
  CHECK(real_text(3, false) == "3.0");
  CHECK(real_text(-0.0, false) == "-0.0");
  CHECK(literal_text(make_array<uint8_t>({}, DType::boolean, {1})) == "True");
  CHECK(literal_text(make_array<float>({1, 1}, DType::float32, {0.5f})) == "0.5");
  CHECK(literal_text(make_array<float>({2}, DType::float32, {0.5f, 1.f})).empty());
}

TEST_CASE("graph: positions follow reordering") {
  Graph g = four_lines();
  CHECK(g.position(2) == 2);
  CHECK(g.position(99) == -1);
  CHECK_THROWS_AS(g.node(99), Error);
  std::swap(g.nodes[0], g.nodes[1]);
  CHECK(g.position(0) == 1);
  CHECK(g.position(1) == 0);
  CHECK(g.num_kernels() == 2);
  CHECK(g.bytes({2, 0}) == 40);
  CHECK(g.consumers()[static_cast<size_t>(g.position(2))] == std::vector<NodeId>{3});
}

TEST_CASE("graph: check says what is wrong") {
  const auto message = [](const Graph& g) -> std::string {
    try {
      g.check();
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  CHECK(message(four_lines()) == "");
  Graph g = four_lines();
  std::swap(g.nodes[2], g.nodes[3]);
  CHECK(message(g).find("reads node 2, which comes later") != std::string::npos);
  g = four_lines();
  g.nodes[2].inputs.pop_back();
  CHECK(message(g).find("mul takes 2 inputs, given 1") != std::string::npos);
  g = four_lines();
  g.nodes[3].inputs[0].node = 77;
  CHECK(message(g).find("reads node 77, which does not exist") != std::string::npos);
  g = four_lines();
  g.outputs.push_back({3, 1});
  CHECK(message(g).find("output 1 of node 3") != std::string::npos);
  g = four_lines();
  g.inputs.pop_back();
  CHECK(message(g).find("2 input nodes, but 1 are listed") != std::string::npos);
  g = four_lines();
  g.nodes[1].id = 0;
  CHECK(message(g).find("occurs twice") != std::string::npos);
}

TEST_CASE("graph: hash sees structure, attributes, types and constants, not names or lines") {
  const Graph g = four_lines();
  Graph other = g;
  other.nodes[2].name = "renamed";
  other.nodes[2].site = 0;
  CHECK(other.hash() == g.hash());
  // The same structure under other ids.
  Graph renumbered = g;
  for (Node& n : renumbered.nodes) {
    n.id += 5;
    for (Entry& e : n.inputs) e.node += 5;
  }
  for (NodeId& id : renumbered.inputs) id += 5;
  for (Entry& e : renumbered.outputs) e.node += 5;
  renumbered.next_id += 5;
  renumbered.reindex();
  CHECK(renumbered.hash() == g.hash());
  other = g;
  other.nodes[3].attrs.set_text("scalar", "2");
  CHECK(other.hash() != g.hash());
  other = g;
  std::swap(other.nodes[2].inputs[0], other.nodes[2].inputs[1]);
  CHECK(other.hash() != g.hash());
  other = g;
  other.nodes[0].shapes[0] = {11};
  CHECK(other.hash() != g.hash());
  Graph f = fancy();
  const uint64_t before = f.hash();
  f.nodes[0].value = make_array<int64_t>({}, DType::int64, {7});
  CHECK(f.hash() != before);
}

TEST_CASE("graph: a reshape is a view, and so is not counted as a kernel") {
  GraphMaker g;
  const Entry x = g.input("x", {4, 6});
  const Entry t = g.op("transpose", {g.op("exp", {x})});
  const Entry r = g.op("reshape", {x}, "", {{"shape", "(24,)"}});
  const Entry copied = g.op("reshape", {t}, "", {{"shape", "(24,)"}});
  g.output(r, "r");
  g.output(copied, "copied");
  const std::vector<bool> views = view_nodes(g.graph);
  CHECK(views[2]);  // transpose
  CHECK(views[static_cast<size_t>(g.graph.position(r.node))]);
  CHECK_FALSE(views[static_cast<size_t>(g.graph.position(copied.node))]);  // of a transpose: copies
  CHECK(g.graph.num_kernels() == 2);
}
