// Symbol: naming, arguments, outputs, composing, and to and from Graph.
#include <doctest/doctest.h>

#include <thread>

#include "graph_helpers.h"
#include "symbol/symbol.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

using Names = std::vector<std::string>;

Symbol dense(const Symbol& data, const char* hidden, const std::string& name = "") {
  const OpDef* op = get_op("FullyConnected");
  Attrs attrs(op);
  attrs.set_text("num_hidden", hidden);
  return Symbol::apply(op, attrs, {data}, name);
}

Symbol call(const char* name, const std::vector<Symbol>& inputs, const std::string& as = "") {
  return Symbol::apply(get_op(name), Attrs(get_op(name)), inputs, as);
}

}  // namespace

TEST_CASE("symbol: missing inputs become variables, as in MXNet") {
  const Symbol net = dense(Symbol::variable("data"), "10", "fc1");
  CHECK(net.list_arguments() == Names{"data", "fc1_weight", "fc1_bias"});
  CHECK(net.list_outputs() == Names{"fc1_output"});
  CHECK(net.name() == "fc1");
  const OpDef* op = get_op("FullyConnected");
  Attrs attrs(op);
  attrs.set_text("num_hidden", "10");
  attrs.set_text("no_bias", "True");
  CHECK(Symbol::apply(op, attrs, {Symbol(), Symbol::variable("w")}, "fc").list_arguments() ==
        Names{"fc_data", "w"});
}

TEST_CASE("symbol: automatic names count per operator and thread") {
  Names names;
  std::thread([&] {
    const Symbol x = Symbol::variable("x");
    names = {dense(x, "3").name(), dense(x, "3").name(), call("exp", {x}).name()};
  }).join();
  CHECK(names == Names{"fullyconnected0", "fullyconnected1", "exp0"});
}

TEST_CASE("symbol: bad uses are refused") {
  const Symbol x = Symbol::variable("x");
  CHECK_THROWS_WITH_AS(call("add", {x, x, x}), doctest::Contains("takes 2 inputs, given 3"), Error);
  CHECK_THROWS_AS(dense(Symbol::group({x, x}), "3"), Error);
  CHECK_THROWS_AS(x[1], Error);
  const OpDef* op = get_op("FullyConnected");
  CHECK_THROWS_WITH_AS(Symbol::apply(op, Attrs(op), {x}, ""), doctest::Contains("num_hidden"),
                       Error);
  CHECK_THROWS_AS(Symbol::variable("w", {{"__shape__", "(1, x)"}}), Error);
  CHECK_THROWS_AS(Symbol::variable("w", {{"__dtype__", "99"}}), Error);
}

TEST_CASE("symbol: two variables of one name are refused when bound") {
  const Symbol sum = call("add", {Symbol::variable("x"), Symbol::variable("x")});
  CHECK(sum.list_arguments() == Names{"x", "x"});
  CHECK_THROWS_WITH_AS(require_unique_arguments(sum), doctest::Contains("'x'"), Error);
  const Symbol x = Symbol::variable("x");
  CHECK_NOTHROW(require_unique_arguments(call("add", {x, x})));
}

TEST_CASE("symbol: compose replaces variables and leaves the original alone") {
  const Symbol net = call("exp", {dense(Symbol::variable("data"), "10", "fc")}, "e");
  const Symbol wider = net.compose({{"data", call("neg", {Symbol::variable("raw")}, "n")}});
  CHECK(wider.list_arguments() == Names{"raw", "fc_weight", "fc_bias"});
  CHECK(net.list_arguments() == Names{"data", "fc_weight", "fc_bias"});
  CHECK_THROWS_WITH_AS(net.compose({{"dat", Symbol::variable("x")}}), doctest::Contains("'dat'"),
                       Error);
  // Weights are shared between the two.
  const auto weight = [](const Symbol& s) {
    for (SymNode* n : s.nodes()) {
      if (n->name == "fc_weight") return n;
    }
    return static_cast<SymNode*>(nullptr);
  };
  CHECK(weight(net) == weight(wider));
  to_graph(wider).check();
}

TEST_CASE("symbol: internals list every output, inputs first") {
  const Symbol net = call("exp", {dense(Symbol::variable("data"), "10", "fc")}, "e");
  CHECK(net.internals().list_outputs() ==
        Names{"data", "fc_weight", "fc_bias", "fc_output", "e_output"});
}

TEST_CASE("symbol: to_graph keeps the order of code, and list_arguments binds the inputs") {
  const Symbol a = Symbol::variable("a"), b = Symbol::variable("b");
  const Symbol second = call("exp", {b}, "written_first");
  const Symbol first = call("neg", {a}, "written_second");
  const Graph g = to_graph(call("sub", {first, second}, "difference"));
  g.check();
  CHECK(g.str() ==
        "written_first = exp(b)\nwritten_second = -a\n"
        "difference = written_second - written_first\n");
  REQUIRE(g.inputs.size() == 2);
  CHECK(g.node(g.inputs[0]).name == "a");
  CHECK(g.output_names == Names{"difference_output"});
  for (size_t i = 0; i < g.nodes.size(); ++i) CHECK(g.nodes[i].id == static_cast<NodeId>(i));
}

TEST_CASE("symbol: a cut makes its entries inputs and leaves out what lies below") {
  const Symbol x = Symbol::variable("x"), w = Symbol::variable("w");
  const Symbol hidden = call("exp", {x}, "hidden");
  const Symbol y = call("mul", {hidden, w}, "y");
  GraphSources sources;
  const Graph g = to_graph(y, {hidden.outputs[0], x.outputs[0]}, &sources);
  g.check();
  CHECK(g.str() == "y = in0 * w\n");
  REQUIRE(g.inputs.size() == 3);  // the cut, x although unused, then the other variable
  CHECK(g.node(g.inputs[0]).name == "in0");
  CHECK(g.node(g.inputs[1]).name == "x");
  CHECK(g.node(g.inputs[2]).name == "w");
  REQUIRE(sources.nodes.size() == g.nodes.size());
  CHECK(sources.nodes[static_cast<size_t>(g.inputs[0])] == hidden.outputs[0].node.get());
}

TEST_CASE("symbol: random draws get key slots in the order of code") {
  const Symbol x = Symbol::variable("x");
  const Symbol one = call("Dropout", {x}, "one"), two = call("Dropout", {one[0]}, "two");
  one.outputs[0].node->key = 11;
  two.outputs[0].node->key = 22;
  GraphSources sources;
  const Graph g = to_graph(two[0], {}, &sources);
  g.check();
  CHECK(g.num_keys == 2);
  CHECK(sources.keys == std::vector<uint64_t>{11, 22});
}

TEST_CASE("symbol: effects among the outputs become effect nodes") {
  const Symbol x = Symbol::variable("x");
  auto print = std::make_shared<SymNode>();
  print->kind = NodeKind::effect;
  print->text = "print";
  print->num_outputs = 0;
  print->inputs = {call("exp", {x}, "e").outputs[0]};
  print->serial = next_serial();
  Symbol all = call("neg", {x}, "n");
  all.outputs.push_back({print, 0});
  const Graph g = to_graph(all);
  g.check();
  CHECK(g.outputs.size() == 1);
  CHECK(g.str() == "e = exp(x)\nprint(e)\nn = -x\n");
}

TEST_CASE("symbol: from_graph gives back the same graph") {
  GraphMaker g;
  const Entry x = g.input("x", {3});
  const Entry e = g.op("exp", {x}, "e");
  const Entry s = g.op("add", {e, g.real(2.f)}, "s");
  g.output(g.op("mul", {s, e}, "m"), "m_output");
  CHECK(to_graph(from_graph(g.graph)).hash() == g.graph.hash());
  // And a fused one comes back as its members.
  const Applied fused = run_pass("fuse", g.graph);
  REQUIRE(fused.graph.num_kernels() == 1);
  CHECK(to_graph(from_graph(fused.graph)).str() == g.graph.str());
}

TEST_CASE(
    "symbol: a chain of a million nodes is listed, converted and destroyed without recursion") {
  Symbol s = Symbol::variable("x");
  for (int i = 0; i < 1000000; ++i) s = call("neg", {s}, "n");
  CHECK(s.nodes().size() == 1000001);
  CHECK(to_graph(s).nodes.size() == 1000001);
  const Symbol other = s.compose({{"x", Symbol::variable("y")}});
  CHECK(other.list_arguments() == Names{"y"});
}

TEST_CASE("symbol: declared shapes and dtypes reach the graph") {
  const Graph g = to_graph(Symbol::variable("w", {{"__shape__", "(256, 0)"}, {"__dtype__", "1"}}));
  CHECK(g.nodes[0].shapes[0] == Shape({256, -1}));
  CHECK(g.nodes[0].dtypes[0] == DType::float64);
}
