// fuse and schedule: kernels, their members and outputs, cycles that must not arise, peaks.
#include <doctest/doctest.h>

#include <algorithm>

#include "graph_helpers.h"
#include "passes/peak.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

int fused_count(const Graph& g) {
  return static_cast<int>(std::count_if(g.nodes.begin(), g.nodes.end(),
                                        [](const Node& n) { return n.kind == NodeKind::fused; }));
}

}  // namespace

TEST_CASE("passes: fuse makes two lines one kernel") {
  GraphMaker g;
  const Entry a = g.input("a", {10});
  const Entry b = g.input("b", {10});
  g.line = 3;
  const Entry c = g.op("mul", {b, a}, "c");
  g.line = 4;
  const Entry d = g.op("add_scalar", {c}, "d", {{"scalar", "1"}});
  g.output(d, "d");
  const Applied done = run_pass("fuse", g.graph);
  CHECK(program_text(done.graph) ==
        "# one kernel:\n"
        "  c = b * a          # line 3\n"
        "  d = c + 1          # line 4\n");
  CHECK(done.graph.num_kernels() == 1);
  CHECK(done.text() ==
        "2 fused into 4: b * a goes straight into d and is never written to memory\n"
        "3 fused into 4: c + 1 ends a kernel of 2 operators: one pass over memory\n");
  const Node& kernel = done.graph.node(4);
  CHECK(kernel.origins == std::vector<NodeId>{2, 3});
  CHECK(kernel.inputs == std::vector<Entry>{b, a});
  CHECK(kernel.num_outputs() == 1);
  check_origins({&g.graph}, done.graph);
  CHECK(run_pass("fuse", done.graph).changes.empty());
}

TEST_CASE("passes: fuse writes out an intermediate that is needed elsewhere") {
  GraphMaker g;
  const Entry a = g.input("a", {4});
  const Entry c = g.op("exp", {a}, "c");
  const Entry d = g.op("neg", {c}, "d");
  g.output(c, "c");
  g.output(d, "d");
  g.output(g.op("sum", {c}, "s"), "s");
  const Applied done = run_pass("fuse", g.graph);
  REQUIRE(fused_count(done.graph) == 1);
  const Node& kernel = done.graph.node(done.graph.outputs[0].node);
  CHECK(kernel.kind == NodeKind::fused);
  CHECK(kernel.member_outputs == std::vector<Entry>{c, d});
  CHECK(done.graph.outputs[0] == Entry{kernel.id, 0});
  CHECK(done.graph.outputs[1] == Entry{kernel.id, 1});
}

TEST_CASE("passes: fuse joins a diamond and broadcasts its inputs") {
  GraphMaker g;
  const Entry x = g.input("x", {2, 3});
  const Entry bias = g.input("bias", {3});
  const Entry sum = g.op("add", {x, bias}, "sum");
  const Entry left = g.op("exp", {sum}, "left");
  const Entry right = g.op("neg", {sum}, "right");
  g.output(g.op("mul", {left, right}, "y"), "y");
  const Applied done = run_pass("fuse", g.graph);
  CHECK(done.graph.num_kernels() == 1);
  CHECK(done.graph.node(done.graph.outputs[0].node).members.size() == 4);
}

TEST_CASE("passes: fuse never closes a cycle") {
  GraphMaker g;
  const Entry x = g.input("x", {3, 3});
  const Entry a = g.op("exp", {x}, "a");
  const Entry product = g.op("dot", {a, a}, "product");
  const Entry y = g.op("add", {a, product}, "y");  // joining a and y would need product first
  g.output(y, "y");
  const Applied done = run_pass("fuse", g.graph);
  CHECK(fused_count(done.graph) == 0);
  // The detour may also lead through another kernel.
  GraphMaker h;
  const Entry x2 = h.input("x", {3, 3});
  const Entry a2 = h.op("exp", {x2}, "a");
  const Entry p2 = h.op("dot", {a2, x2}, "p");
  const Entry b1 = h.op("neg", {p2}, "b1");
  const Entry b2 = h.op("abs", {b1}, "b2");
  const Entry q2 = h.op("dot", {b2, x2}, "q");
  h.output(h.op("add", {h.op("sub", {a2, b1}), q2}), "y");
  const Applied two = run_pass("fuse", h.graph);
  two.graph.check();
  CHECK(fused_count(two.graph) >= 1);
}

TEST_CASE("passes: fuse keeps effects in order and reductions, views, draws out") {
  GraphMaker g;
  const Entry x = g.input("x", {2, 2});
  const Entry a = g.op("exp", {x}, "a");
  g.effect("print", {a});
  const Entry b = g.op("neg", {a}, "b");
  g.effect("print", {x});
  const Entry s = g.op("sum", {b}, "s", {{"axis", "1"}, {"keepdims", "True"}});
  const Entry v = g.op("reshape", {b}, "v", {{"shape", "(4,)"}});
  const Entry n = g.op("Dropout", {b}, "n");
  g.output(g.op("abs", {g.op("sub", {n, s})}), "y");
  g.output(g.op("sqrt", {v}), "w");
  const Applied done = run_pass("fuse", g.graph);
  std::vector<std::string> effects;
  for (const Node& node : done.graph.nodes) {
    for (const Node& m : node.members) CHECK(m.op->elementwise != nullptr);
    if (node.kind == NodeKind::effect) {
      effects.push_back(done.graph.node(node.inputs[0].node).name);
    }
  }
  CHECK(effects == std::vector<std::string>{"b", "x"});  // a, now the first output of b's kernel
  CHECK(fused_count(done.graph) == 2);
}

TEST_CASE("passes: fuse bounds a kernel's length") {
  GraphMaker g;
  Entry e = g.input("x", {8});
  for (int i = 0; i < 600; ++i) e = g.op(i % 2 ? "neg" : "abs", {e});
  g.output(e, "y");
  const Applied done = run_pass("fuse", g.graph);
  CHECK(fused_count(done.graph) >= 4);
  CHECK(fused_count(done.graph) <= 8);
  for (const Node& n : done.graph.nodes) CHECK(n.members.size() <= 160);
}

TEST_CASE("passes: a reduction of rows ends the kernel that makes them, and only that") {
  const auto kernels_of = [](const Shape& shape, const char* axis, bool also_wanted) {
    GraphMaker g;
    const Entry x = g.input("x", shape);
    const Entry y = g.op("exp", {g.op("neg", {x})});
    g.output(g.op("sum", {y}, "s", {{"axis", axis}}), "s");
    if (also_wanted) g.output(y, "y");
    return run_pass("fuse", g.graph).graph.num_kernels();
  };
  CHECK(kernels_of({100, 8}, "1", false) == 1);
  CHECK(kernels_of({10, 10, 8}, "(1, 2)", false) == 2);  // too few rows to be worth it
  CHECK(kernels_of({100, 8}, "1", true) == 2);           // y is stored anyway
  CHECK(kernels_of({100, 8}, "0", false) == 2);          // columns
  CHECK(kernels_of({100, 5000}, "1", false) == 2);       // long rows are summed in blocks
}

TEST_CASE("passes: schedule keeps the order of the code unless another needs fewer bytes") {
  GraphMaker g;
  const Entry x = g.input("x", {1000});
  // Two wide values first, then each shrunk: shrinking one before making the other is better.
  const Entry w1 = g.op("broadcast_to", {x}, "w1", {{"shape", "(50, 1000)"}});
  const Entry e1 = g.op("exp", {w1}, "e1");
  const Entry e2 = g.op("sqrt", {w1}, "e2");
  const Entry s1 = g.op("sum", {e1}, "s1");
  const Entry s2 = g.op("sum", {e2}, "s2");
  g.output(g.op("add", {s1, s2}), "y");
  const Applied done = run_pass("schedule", g.graph);
  std::vector<size_t> before, after;
  for (size_t i = 0; i < g.graph.nodes.size(); ++i) before.push_back(i);
  CHECK(Liveness(done.graph).peak(before) < Liveness(g.graph).peak(before));
  CHECK(done.text().find("bytes are then alive at once, not") != std::string::npos);
  CHECK(run_pass("schedule", done.graph).changes.empty());

  GraphMaker chain;
  const Entry y = chain.op("exp", {chain.op("neg", {chain.input("x", {10})})});
  chain.output(y, "y");
  CHECK(run_pass("schedule", chain.graph).changes.empty());
}

TEST_CASE("passes: fuse keeps the two halves of a training step apart") {
  GraphMaker g;
  const Entry x = g.input("x", {4});
  g.output(g.op("square", {g.op("relu", {x}, "a")}, "y"), "y");
  PassOptions options;
  options.grad_of = g.graph.outputs;
  options.grad_wrt = g.graph.inputs;
  const Applied done = run_pass("fuse", run_pass("gradient", g.graph, options).graph);
  REQUIRE(fused_count(done.graph) == 2);
  for (const Node& n : done.graph.nodes) {
    for (const Node& m : n.members) CHECK(m.scope == n.scope);
  }
}
