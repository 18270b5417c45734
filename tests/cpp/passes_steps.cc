// The rewrites that a pass notes: each a step, with its rule.
#include <doctest/doctest.h>

#include "graph_helpers.h"
#include "step_checks.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

// "0 x * 1 -> x: 3 4" line by line: a step, its rule, its nodes.
std::string steps_of(const std::vector<Change>& changes) {
  std::string all;
  int32_t last = -1;
  for (const Change& c : changes) {
    if (c.step != last) {
      all += (all.empty() ? "" : "\n") + std::to_string(c.step) + " " + c.rule + ":";
    }
    last = c.step;
    all += " " + std::to_string(c.node);
  }
  return all;
}

std::string steps_of(const char* pass, const Graph& graph, const PassOptions& options = {}) {
  const Applied done = run_pass(pass, graph, options);
  check_steps(graph, done.graph, done.changes);
  return steps_of(done.changes);
}

}  // namespace

TEST_CASE("steps: simplify names the rule of each rewrite") {
  GraphMaker g;
  const Entry x = g.input("x", {2, 3});
  const Entry once = g.op("mul_scalar", {x}, "", {{"scalar", "1"}});
  const Entry twice = g.op("transpose", {g.op("transpose", {once})});
  const Entry flat = g.op("reshape", {g.op("reshape", {twice}, "", {{"shape", "(3, 2)"}})}, "",
                          {{"shape", "(6,)"}});
  g.output(g.op("neg", {flat}), "y");
  CHECK(steps_of("simplify", g.graph) ==
        "0 x * 1 -> x: 1\n"
        "1 transpose(transpose(x)) -> x: 3\n"
        "2 reshape(reshape(x)) -> reshape(x): 5");
}

TEST_CASE("steps: a constant leaves with the last rewrite that reads it") {
  GraphMaker g;
  const Entry two = g.real(2.f), three = g.real(3.f);  // nodes 0 and 1
  const Entry six = g.op("mul", {two, three});
  const Entry eight = g.op("add", {six, two});
  g.output(g.op("add", {g.input("x", {}), eight}), "y");
  CHECK(steps_of("fold", g.graph) ==
        "0 f(constants) -> constant: 2 1\n"
        "1 f(constants) -> constant: 3 0");
}

TEST_CASE("steps: cse merges one node by one rewrite") {
  GraphMaker g;
  const Entry x = g.input("x", {3});
  const Entry a = g.op("exp", {x}), b = g.op("exp", {x}), c = g.op("exp", {x});
  g.output(g.op("add", {g.op("add", {a, b}), c}), "y");
  CHECK(steps_of("cse", g.graph) ==
        "0 f(x), f(x) -> f(x) once: 2\n"
        "1 f(x), f(x) -> f(x) once: 3");
}

TEST_CASE("steps: dead code goes from its last line back") {
  GraphMaker g;
  const Entry x = g.input("x", {3});
  g.op("exp", {g.op("neg", {x})});
  g.output(g.op("abs", {x}), "y");
  CHECK(steps_of("dce", g.graph) ==
        "0 a value that nobody reads -> nothing: 2\n"
        "1 a value that nobody reads -> nothing: 1");
}

TEST_CASE("steps: each kernel is one rewrite") {
  GraphMaker g;
  const Entry x = g.input("x", {4, 5}), w = g.input("w", {3, 5});
  const Entry a = g.op("tanh", {g.op("exp", {x})});
  const Entry b = g.op("FullyConnected", {a, w}, "", {{"num_hidden", "3"}, {"no_bias", "True"}});
  g.output(g.op("abs", {g.op("neg", {b})}), "y");
  const Graph fused = run_pass("fuse", g.graph).graph;
  CHECK(steps_of("fuse", g.graph) ==
        "0 elementwise operators -> one kernel: 2 3\n"
        "1 elementwise operators -> one kernel: 5 6");
  CHECK(steps_of("epilogue", fused) ==
        "0 FullyConnected, elementwise operators -> one kernel: 4 8");
}

TEST_CASE("steps: the gradient of each operator is one rewrite, from the last back") {
  GraphMaker g;
  const Entry x = g.input("x", {3});
  const Entry dropped = g.op("Dropout", {x});
  const Entry y = g.op("tanh", {g.op("exp", {dropped})});
  g.output(y, "y");
  PassOptions options;
  options.grad_of = {y};
  options.grad_wrt = {x.node};
  const Applied done = run_pass("gradient", g.graph, options);
  check_steps(g.graph, done.graph, done.changes);
  std::vector<std::string> rules;
  for (const Change& c : done.changes) {
    if (rules.empty() || rules.back() != c.rule) rules.push_back(c.rule);
  }
  CHECK(rules == std::vector<std::string>{"Dropout(x) -> x", "head y -> gradient of y: ones",
                                          "y = tanh(x), gradient of y -> gradient of x",
                                          "y = exp(x), gradient of y -> gradient of x"});
}

TEST_CASE("steps: nothing is noted where nobody looks") {
  GraphMaker g;
  g.output(g.op("neg", {g.op("mul_scalar", {g.input("x", {3})}, "", {{"scalar", "1"}})}), "y");
  const PassOptions options;
  PassContext context{options, {}, false};
  find_pass("simplify").run(g.graph, context);
  CHECK(context.changes.empty());
}
