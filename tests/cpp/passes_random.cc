// Random graphs: no pass changes a single bit of the outputs; passes repeat to nothing.
#include <doctest/doctest.h>

#include <random>

#include "graph_helpers.h"
#include "step_checks.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

class RandomGraph {
 public:
  explicit RandomGraph(uint32_t seed) : random_(seed) {
    const int inputs = 2 + pick(2);
    for (int i = 0; i < inputs; ++i) add_input();
    const int count = 5 + pick(30);
    for (int i = 0; i < count; ++i) {
      maker.line = i + 1;
      add_node();
    }
    const int outputs = 1 + pick(3);
    for (int i = 0; i < outputs; ++i)
      output(values_[values_.size() - 1 - static_cast<size_t>(pick(6))]);
    if (pick(3) == 0) maker.effect("print", {values_.back()});
    if (pick(3) == 0) maker.effect("print", {any()});
  }

  GraphMaker maker;
  std::vector<NDArray> arrays;  // by input

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  Entry any() { return values_[static_cast<size_t>(pick(static_cast<int>(values_.size())))]; }
  Shape shape(Entry e) { return maker.graph.shape(e); }

  std::vector<float> numbers(int64_t n) {
    // Signed zeros, infinities and NaN are where careless rewrites show.
    static const float special[] = {0.f, -0.f, 1.f, -1.f, INFINITY, -INFINITY, NAN, 1e30f};
    std::vector<float> v(static_cast<size_t>(n));
    for (float& f : v) {
      f = pick(6) == 0 ? special[pick(8)] : static_cast<float>(pick(2001) - 1000) / 250.f;
    }
    return v;
  }

  void add_input() {
    static const Shape shapes[] = {{4, 5}, {5}, {4, 1}, {}, {4, 5}};
    const Shape s = shapes[pick(5)];
    values_.push_back(maker.input("x" + std::to_string(values_.size()), s));
    arrays.push_back(make_array<float>(s, DType::float32, numbers(s.size())));
  }

  void output(Entry e) {
    for (const Entry& o : maker.graph.outputs) {
      if (o == e) return;
    }
    if (maker.graph.node(e.node).kind != NodeKind::op) return;
    maker.output(e, "y" + std::to_string(maker.graph.outputs.size()));
  }

  Entry same_rank_two() {
    for (int i = 0; i < 10; ++i) {
      const Entry e = any();
      if (shape(e).ndim() == 2) return e;
    }
    return maker.op("broadcast_to", {values_[0]}, "", {{"shape", "(4, 5)"}});
  }

  void add_node() {
    static const char* const unary[] = {"neg",    "abs",   "relu", "tanh",
                                        "square", "floor", "exp",  "identity"};
    static const char* const binary[] = {"add", "sub", "mul", "maximum", "div"};
    static const char* const scalars[] = {"1", "0", "-0.0", "2", "-1.5"};
    static const char* const by_scalar[] = {"mul_scalar", "add_scalar", "sub_scalar", "div_scalar"};
    switch (pick(16)) {
      case 0:
      case 1:
      case 2:
        return keep(maker.op(unary[pick(8)], {any()}));
      case 3:
      case 4:
        return keep_if([&] { return maker.op(binary[pick(5)], {any(), any()}); });
      case 5:
        return keep(maker.op(by_scalar[pick(4)], {any()}, "", {{"scalar", scalars[pick(5)]}}));
      case 6:
        return keep(maker.op("transpose", {same_rank_two()}));
      case 7: {
        const Entry e = any();
        const std::string to = "(" + std::to_string(shape(e).size()) + ",)";
        return keep(maker.op("reshape", {e}, "", {{"shape", to.c_str()}}));
      }
      case 8: {
        static const char* const reductions[] = {"sum", "max", "mean", "min", "prod", "norm"};
        static const char* const axes[] = {"0", "1", "1", "(0, 1)"};
        return keep(maker.op(reductions[pick(6)], {same_rank_two()}, "",
                             {{"axis", axes[pick(4)]}, {"keepdims", pick(2) ? "True" : "False"}}));
      }
      case 9: {
        const Entry a = same_rank_two();
        return keep(maker.op("dot", {a, maker.op("transpose", {a})}));
      }
      case 10:
        return keep(pick(2) ? maker.real(numbers(1)[0]) : maker.op("Dropout", {any()}));
      case 11:
      case 12: {  // a product and work on its result
        const Entry a = same_rank_two();
        const std::string rows = std::to_string(shape(a)[0]);
        const Entry product = maker.op("FullyConnected", {a, a}, "",
                                       {{"num_hidden", rows.c_str()}, {"no_bias", "True"}});
        keep(maker.op(unary[pick(8)], {product}));
        return keep_if([&] { return maker.op(binary[pick(5)], {values_.back(), any()}); });
      }
      case 13:
      case 14: {  // work along rows that needs a number of each row
        static const char* const reductions[] = {"sum", "max", "mean", "min"};
        const Entry a = same_rank_two();
        const bool stays = pick(2) == 0;
        Entry row = maker.op(reductions[pick(4)], {a}, "",
                             {{"axis", "1"}, {"keepdims", stays ? "True" : "False"}});
        if (pick(4) == 0) keep(row);
        if (!stays) row = maker.op("expand_dims", {row}, "", {{"axis", "1"}});
        if (pick(3) == 0) row = maker.op(unary[pick(8)], {row});
        keep(maker.op(binary[pick(5)], {a, row}));
        if (pick(2) == 0) keep(maker.op("exp", {values_.back()}));
        return;
      }
      default: {
        const Entry wide = maker.op("cast", {any()}, "", {{"dtype", "float64"}});
        return keep(maker.op("cast", {wide}, "", {{"dtype", "float32"}}));
      }
    }
  }

  void keep(Entry e) {
    if (shape(e).size() <= 400) values_.push_back(e);
  }
  template <class Make>
  void keep_if(Make&& make) {
    for (int i = 0; i < 5; ++i) {
      try {
        return keep(make());
      } catch (const Error&) {  // shapes that do not broadcast: another pair
      }
    }
  }

  std::mt19937 random_;
  std::vector<Entry> values_;
};

const std::string kOrder[] = {"infer", "fold",      "simplify", "cse",     "dce",
                              "fuse",  "reduction", "epilogue", "schedule"};

}  // namespace

TEST_CASE("passes: each alone leaves every output of random graphs bit for bit") {
  for (uint32_t seed = 0; seed < 150; ++seed) {
    RandomGraph random(seed);
    const Graph& written = random.maker.graph;
    written.check();
    if (written.outputs.empty()) continue;
    for (bool training : {false, true}) {
      PassOptions options;
      options.training = training;
      const auto expected = run_bytes(written, random.arrays, training);
      for (const std::string& pass : kOrder) {
        CAPTURE(seed);
        CAPTURE(pass);
        CAPTURE(training);
        const Applied done = run_pass(pass, written, options);
        check_origins({&written}, done.graph);
        check_steps(written, done.graph, done.changes);
        REQUIRE(run_bytes(done.graph, random.arrays, training) == expected);
        if (pass == "simplify") continue;  // may open a second round
        CHECK_FALSE(changes_something(run_pass(pass, done.graph, options).changes));
      }
    }
  }
}

TEST_CASE("passes: all in order leave every output of random graphs bit for bit") {
  for (uint32_t seed = 1000; seed < 1200; ++seed) {
    RandomGraph random(seed);
    Graph graph = random.maker.graph;
    if (graph.outputs.empty()) continue;
    const auto expected = run_bytes(graph, random.arrays);
    std::vector<Graph> stages = {graph};
    for (const std::string& pass : kOrder) {
      CAPTURE(seed);
      CAPTURE(pass);
      const Applied done = run_pass(pass, graph);
      std::vector<const Graph*> earlier;
      for (const Graph& s : stages) earlier.push_back(&s);
      check_origins(earlier, done.graph);
      check_steps(graph, done.graph, done.changes);
      for (const Change& c : done.changes) {
        CHECK((graph.contains(c.node) || c.action == Change::added));
        if (c.into >= 0) CHECK(done.graph.contains(c.into));
        CHECK_FALSE(c.why.empty());
      }
      graph = done.graph;
      stages.push_back(graph);
      REQUIRE(run_bytes(graph, random.arrays) == expected);
    }
  }
}

TEST_CASE("passes: gradients of random graphs do not depend on the other passes") {
  int taken = 0;
  for (uint32_t seed = 2000; seed < 2100; ++seed) {
    RandomGraph random(seed);
    const Graph& written = random.maker.graph;
    if (written.outputs.empty()) continue;
    PassOptions options;
    options.training = true;
    options.grad_of = written.outputs;
    options.grad_wrt = written.inputs;
    CAPTURE(seed);
    const Graph plain = run_pass("gradient", written, options).graph;
    const auto expected = run_bytes(plain, random.arrays, true);
    Graph graph = written;
    for (const char* pass : {"infer", "fold", "simplify", "cse", "dce", "gradient", "simplify",
                             "cse", "dce", "fuse", "reduction", "epilogue", "schedule"}) {
      const Applied done = run_pass(pass, graph, options);
      check_steps(graph, done.graph, done.changes);
      graph = done.graph;
    }
    REQUIRE(run_bytes(graph, random.arrays, true) == expected);
    ++taken;
  }
  CHECK(taken > 80);
}
