// fold, simplify, cse, dce: text compared before and after, and what they must leave alone.
#include <doctest/doctest.h>

#include <cmath>

#include "graph_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

TEST_CASE("passes: fold computes what depends on constants only") {
  GraphMaker g;
  const Entry x = g.input("x", {2});
  g.line = 2;
  const Entry six = g.op("mul", {g.real(2.f), g.real(3.f)}, "six");
  const Entry seven = g.op("add_scalar", {six}, "seven", {{"scalar", "1"}});
  const Entry y = g.op("mul", {x, seven}, "y");
  g.output(y, "y");
  const Applied folded = run_pass("fold", g.graph);
  CHECK(program_text(folded.graph) == "y = x * 7.0          # line 2\n");
  CHECK(folded.text() ==
        "3 folded into 6: 2.0 * 3.0 = 6.0 is known before running\n"
        "1 removed into 6: 2.0 is needed for that alone\n"
        "2 removed into 6: 3.0 is needed for that alone\n"
        "4 folded into 6: (2.0 * 3.0) + 1 = 7.0 is known before running\n");
  check_origins({&g.graph}, folded.graph);
  CHECK(folded.graph.node(6).origins == std::vector<NodeId>{1, 2, 3, 4});
  CHECK(run_pass("fold", folded.graph).changes.empty());
}

TEST_CASE("passes: fold leaves creation, random draws, large results and failures alone") {
  GraphMaker g;
  const Entry ones = g.op("ones", {}, "ones", {{"shape", "(3,)"}});
  const Entry noise = g.op("Dropout", {g.real(1.f, {1})}, "noise");
  const Entry wide = g.op("broadcast_to", {g.real(2.f, {1})}, "wide", {{"shape", "(100000,)"}});
  g.output(ones, "ones");
  g.output(noise, "noise");
  g.output(wide, "wide");
  const Applied folded = run_pass("fold", g.graph);
  CHECK(folded.graph.hash() == g.graph.hash());
  REQUIRE(folded.changes.size() == 1);
  CHECK(folded.changes[0].action == Change::kept);
  CHECK(folded.changes[0].why.find("400000 bytes") != std::string::npos);
  CHECK_FALSE(changes_something(folded.changes));
}

TEST_CASE("passes: fold keeps a constant that others still read, and dead code for dce") {
  GraphMaker g;
  const Entry x = g.input("x", {});
  const Entry two = g.real(2.f);
  const Entry four = g.op("mul", {two, two}, "four");
  g.op("neg", {two}, "dead");
  g.output(g.op("add", {g.op("mul", {x, two}), four}), "y");
  const Applied folded = run_pass("fold", g.graph);
  CHECK(folded.graph.contains(two.node));
  CHECK_FALSE(folded.graph.contains(four.node));
  CHECK(program_text(folded.graph) == "dead = -2.0\ny = (x * 2.0) + 4.0\n");
}

TEST_CASE("passes: simplify drops what returns its input bit for bit") {
  struct Case {
    const char* op;
    const char* scalar;
    bool drops;
  };
  for (const Case& c : {Case{"mul_scalar", "1", true}, Case{"mul_scalar", "2", false},
                        Case{"div_scalar", "1", true}, Case{"rdiv_scalar", "1", false},
                        Case{"sub_scalar", "0", true}, Case{"sub_scalar", "-0.0", false},
                        Case{"rsub_scalar", "0", false}, Case{"add_scalar", "0", false},
                        Case{"add_scalar", "-0.0", true}, Case{"power_scalar", "1", false}}) {
    GraphMaker g;
    const Entry x = g.op("exp", {g.input("x", {3})}, "x2");
    g.output(g.op("neg", {g.op(c.op, {x}, "", {{"scalar", c.scalar}})}), "y");
    const Applied done = run_pass("simplify", g.graph);
    CAPTURE(std::string(c.op));
    CAPTURE(std::string(c.scalar));
    CHECK((done.changes.size() == 1) == c.drops);
    CHECK((done.graph.nodes.size() == 3) == c.drops);
  }
  // x + 0 is exact for integers, and for floats only with the permission to be inexact.
  GraphMaker g;
  const Entry x = g.op("neg", {g.input("x", {3}, DType::int32)});
  g.output(g.op("neg", {g.op("add_scalar", {x}, "", {{"scalar", "0"}})}), "y");
  CHECK(run_pass("simplify", g.graph).text().find("plus 0 changes nothing") != std::string::npos);
  GraphMaker f;
  f.output(f.op("neg", {f.op("add_scalar", {f.input("x", {3})}, "", {{"scalar", "0"}})}), "y");
  CHECK(run_pass("simplify", f.graph).changes.empty());
  PassOptions fast;
  fast.fast = true;
  CHECK(run_pass("simplify", f.graph, fast).changes.size() == 1);
}

TEST_CASE("passes: simplify sees through constants and does not change shapes") {
  GraphMaker g;
  const Entry x = g.input("x", {3});
  const Entry same = g.op("mul", {g.real(1.f), x});
  const Entry wider = g.op("mul", {x, g.real(1.f, {1, 1})});  // (1, 3): must stay
  g.output(g.op("exp", {same}), "a");
  g.output(g.op("exp", {wider}), "b");
  const Applied done = run_pass("simplify", g.graph);
  REQUIRE(done.changes.size() == 1);
  CHECK(done.changes[0].node == same.node);
}

TEST_CASE("passes: simplify undoes pairs") {
  GraphMaker g;
  const Entry x = g.input("x", {2, 3, 4});
  const Entry i = g.input("i", {5}, DType::int32);
  const auto t = [&](Entry e, const char* axes) {
    return g.op("transpose", {e}, "", {{"axes", axes}});
  };
  g.output(g.op("exp", {t(t(x, "(2, 0, 1)"), "(1, 2, 0)")}), "t_identity");
  g.output(g.op("exp", {t(t(x, "(2, 0, 1)"), "(2, 0, 1)")}), "t_merged");
  g.output(g.op("exp", {g.op("neg", {g.op("neg", {x})})}), "minus");
  g.output(g.op("exp", {g.op("reshape", {g.op("reshape", {x}, "", {{"shape", "(6, 4)"}})}, "",
                             {{"shape", "(24,)"}})}),
           "reshape");
  g.output(g.op("neg", {g.op("cast", {g.op("cast", {i}, "", {{"dtype", "int64"}})}, "",
                             {{"dtype", "int32"}})}),
           "cast");
  g.output(g.op("exp", {g.op("relu", {g.op("relu", {x})})}), "relu");
  const Applied done = run_pass("dce", run_pass("simplify", g.graph).graph);
  TextOptions plain;
  CHECK(program_text(done.graph, plain) ==
        "t_identity = exp(x)\n"
        "v20 = transpose(x, axes=(1, 2, 0))\n"
        "t_merged = exp(v20)\n"
        "minus = exp(x)\n"
        "v21 = reshape(x, shape=(24,))\n"
        "reshape = exp(v21)\n"
        "cast = -i\n"
        "v17 = relu(x)\n"
        "relu = exp(v17)\n");
}

TEST_CASE("passes: simplify keeps lossy casts and dropout in training") {
  GraphMaker g;
  const Entry x = g.input("x", {4}, DType::float64);
  const Entry narrow = g.op("cast", {x}, "", {{"dtype", "float32"}});
  g.output(g.op("neg", {g.op("cast", {narrow}, "", {{"dtype", "float64"}})}), "y");
  g.output(g.op("neg", {g.op("Dropout", {x}, "d")}), "z");
  PassOptions training;
  training.training = true;
  CHECK(run_pass("simplify", g.graph, training).changes.empty());
  const Applied predict = run_pass("simplify", g.graph);
  REQUIRE(predict.changes.size() == 1);
  CHECK(predict.changes[0].why == "Dropout does nothing outside training");
}

TEST_CASE("passes: simplify keeps an output's own value") {
  GraphMaker g;
  const Entry x = g.input("x", {3});
  g.output(g.op("mul_scalar", {x}, "y", {{"scalar", "1"}}), "y");  // y must not become x itself
  CHECK(run_pass("simplify", g.graph).changes.empty());
}

TEST_CASE("passes: cse computes once, names the first line, and never merges random draws") {
  GraphMaker g;
  const Entry x = g.input("x", {3});
  g.line = 1;
  const Entry a = g.op("mul", {x, g.real(2.f)}, "a");
  g.line = 2;
  const Entry b = g.op("mul", {x, g.real(2.f)}, "b");
  const Entry n1 = g.op("Dropout", {a}, "n1"), n2 = g.op("Dropout", {b}, "n2");
  g.output(g.op("add", {n1, n2}, "y"), "y");
  const Applied done = run_pass("cse", g.graph);
  CHECK(done.text() == "4 merged into 2: x * 2.0 was computed before: line 1\n");
  CHECK(done.graph.contains(n1.node));
  CHECK(done.graph.contains(n2.node));
  CHECK(done.graph.node(n2.node).inputs[0] == a);
  CHECK(done.graph.node(a.node).origins == std::vector<NodeId>{b.node});
  CHECK(run_pass("cse", done.graph).changes.empty());
}

TEST_CASE("passes: cse tells apart attributes, dtypes of constants, and two outputs") {
  GraphMaker g;
  const Entry x = g.input("x", {3, 3});
  g.output(g.op("neg", {g.op("sum", {x}, "", {{"axis", "0"}})}), "a");
  g.output(g.op("neg", {g.op("sum", {x}, "", {{"axis", "1"}})}), "b");
  g.output(g.op("exp", {x}), "c");
  g.output(g.op("exp", {x}), "d");
  g.effect("print", {x});
  g.effect("print", {x});
  CHECK(run_pass("cse", g.graph).changes.empty());
}

TEST_CASE("passes: dce says what is never computed") {
  GraphMaker g;
  const Entry x = g.input("x", {3});
  g.input("unused", {1});
  g.line = 3;
  const Entry dead = g.op("exp", {x}, "dead");
  g.op("neg", {dead}, "dead2");
  g.line = 4;
  g.effect("print", {g.op("abs", {x}, "shown")});
  g.output(g.op("sqrt", {x}, "y"), "y");
  const Applied done = run_pass("dce", g.graph);
  CHECK(done.text() ==
        "3 removed into -1: never computed: line 3\n"
        "2 removed into -1: never computed: line 3\n");
  CHECK(done.graph.inputs.size() == 2);
  CHECK(program_text(done.graph) ==
        "shown = abs(x)       # line 4\n"
        "print(shown)         # line 4\n"
        "y = sqrt(x)          # line 4\n");
}

TEST_CASE("passes: the table names every pass once, and unknown names list them") {
  std::vector<std::string> names;
  for (const PassInfo& p : pass_table()) names.push_back(p.name);
  CHECK(names == std::vector<std::string>{"infer", "fold", "simplify", "cse", "dce", "bn_fold",
                                          "gradient", "remat", "fuse", "reduction", "epilogue",
                                          "place", "schedule"});
  CHECK_THROWS_WITH_AS(find_pass("inline"), doctest::Contains("infer, fold, simplify"), Error);
  CHECK(std::string(stage_label("written")) == "as written");
  CHECK(std::string(stage_label("fuse")) == "operation folding (fusion)");
  CHECK(std::string(stage_label("plan")) == "memory plan");
}
