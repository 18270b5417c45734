// Kernel kinds: what the passes tell the nodes that they make, and that the table has all of them.
#include "graph/kernel_kind.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "graph_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

Graph elementwise_graph() {
  GraphMaker g;
  const Entry x = g.input("x", {10});
  g.output(g.op("exp", {g.op("neg", {x})}), "y");
  return g.graph;
}

Graph rows_graph() {
  GraphMaker g;
  const Entry x = g.op("exp", {g.input("x", {64, 300})});
  const Entry sum = g.op("sum", {x}, "", {{"axis", "(1,)"}, {"keepdims", "True"}});
  g.output(g.op("div", {x, sum}), "y");
  return g.graph;
}

Graph write_graph() {
  GraphMaker g;
  const Entry whole = g.input("whole", {32768}), part = g.input("part", {30000});
  const Entry value = g.op("exp", {g.op("neg", {part})});
  g.output(g.op("slice_assign", {whole, value}, "", {{"begin", "(0,)"}, {"end", "(30000,)"}}), "y");
  return g.graph;
}

Graph product_graph() {
  GraphMaker g;
  const Entry x = g.input("x", {8, 16}), w = g.input("w", {4, 16}), b = g.input("b", {4});
  g.output(g.op("exp", {g.op("FullyConnected", {x, w, b}, "", {{"num_hidden", "4"}})}), "y");
  return g.graph;
}

struct Made {
  KernelKind kind;
  Graph graph;
  NodeId node;
};

std::vector<Made> one_of_each() {
  std::vector<Made> result;
  for (const auto& [kind, graph] :
       {std::pair<KernelKind, Graph>{KernelKind::elementwise, elementwise_graph()},
        {KernelKind::rows, rows_graph()},
        {KernelKind::write, write_graph()},
        {KernelKind::product, product_graph()}}) {
    const Graph made = compile(graph, CompileOptions()).program->graph();
    const auto found = std::find_if(made.nodes.begin(), made.nodes.end(),
                                    [](const Node& n) { return n.kind == NodeKind::fused; });
    REQUIRE(found != made.nodes.end());
    result.push_back({kind, made, found->id});
  }
  return result;
}

}  // namespace

TEST_CASE("kernel kinds: a fused node is told its own") {
  for (const Made& made : one_of_each()) {
    CAPTURE(std::string(traits_of(made.kind).name));
    CHECK(made.graph.node(made.node).kernel == made.kind);
    CHECK(kernel_kind(made.graph.node(made.node)) == made.kind);
    made.graph.check();
  }
  const Graph written = rows_graph();
  CHECK(kernel_kind(written.node(0)) == KernelKind::none);
  CHECK(kernel_kind(written.node(1)) == KernelKind::elementwise);
  CHECK(kernel_kind(written.node(2)) == KernelKind::op);
}

TEST_CASE("kernel kinds: a node that says another one than its members is refused") {
  for (const Made& made : one_of_each()) {
    for (const KernelKind other :
         {KernelKind::none, KernelKind::op, KernelKind::elementwise, KernelKind::rows,
          KernelKind::write, KernelKind::product, KernelKind::copy}) {
      Graph graph = made.graph;
      graph.node(made.node).kernel = other;
      CAPTURE(std::string(traits_of(made.kind).name));
      CAPTURE(std::string(traits_of(other).name));
      if (other == made.kind) {
        CHECK_NOTHROW(graph.check());
      } else {
        CHECK_THROWS_AS(graph.check(), Error);
      }
    }
  }
}

TEST_CASE("kernel kinds: the table in the order of the kinds") {
  for (const auto& [kind, name] : {std::pair<KernelKind, const char*>{KernelKind::none, "none"},
                                   {KernelKind::op, "op"},
                                   {KernelKind::elementwise, "elementwise"},
                                   {KernelKind::rows, "rows"},
                                   {KernelKind::write, "write"},
                                   {KernelKind::product, "product"},
                                   {KernelKind::copy, "copy"}}) {
    CHECK(std::string(traits_of(kind).name) == name);
  }
}
