// Row kernels: random graphs along rows give the same bits as their operators apart, on any number
// of threads; the pass tells what it joined and what it left.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "core/error.h"
#include "engine/resources.h"
#include "exec_helpers.h"
#include "passes/pass.h"

using namespace exec_test;

namespace {

struct Rows {
  Shape shape;
  Texts axes;  // of the reductions
};

// Graphs of elementwise operators and reductions over the last axes of one shape, with inputs of
// that shape, of one element a row, of one row, strided and of one element.
class RowGraph {
 public:
  RowGraph(uint32_t seed, const Rows& rows, DType dtype)
      : random_(seed), rows_(rows), dtype_(dtype) {
    const Shape& s = rows.shape;
    Shape kept = s, last = Shape::of_rank(s.ndim(), 1), turned;
    for (int d = s.ndim() - count(rows.axes.at("axis")); d < s.ndim(); ++d) kept[d] = 1;
    for (int d = s.ndim(); d-- > 0;) turned.push_back(s[d]);
    last[s.ndim() - 1] = s[s.ndim() - 1];
    wide_ = {input(s), input(s), maker.op("transpose", {input(turned)})};
    other_ = {input(kept), input(last), input({})};
    for (int i = 0; i < 4 + pick(12); ++i) add();
    maker.output(wide_.back());
    for (int i = pick(3); i > 0; --i) maker.output(wide_[pick(static_cast<int>(wide_.size()))]);
    if (pick(2))
      maker.output(row_.empty() ? wide_.back() : row_[pick(static_cast<int>(row_.size()))]);
  }

  exec_test::Maker maker;
  std::vector<NDArray> arrays;

 private:
  static int count(const std::string& axes) {
    return 1 + static_cast<int>(std::count(axes.begin(), axes.end() - 2, ','));
  }
  int pick(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  Entry some(const std::vector<Entry>& from) { return from[pick(static_cast<int>(from.size()))]; }

  Entry input(const Shape& shape) {
    static const double special[] = {0., -0., INFINITY, -INFINITY, NAN, 1e30, -1};
    std::vector<double> values;
    for (int64_t i = 0; i < shape.size(); ++i) {
      const bool odd = is_floating(dtype_) && pick(40) == 0 && arrays.size() % 2 == 0;
      values.push_back(odd ? special[pick(7)] : static_cast<double>(pick(4001) - 2000) / 700.);
    }
    arrays.push_back(
        eager("cast", {array(shape, values)}, {{"dtype", dtype_name(dtype_)}}).front());
    return maker.input("x" + std::to_string(arrays.size()), shape, dtype_);
  }

  void add() {
    static const char* const unary[] = {"neg", "abs", "square", "relu", "exp", "sqrt", "sin"};
    static const char* const binary[] = {"add", "sub", "mul", "maximum", "div"};
    static const char* const reductions[] = {"sum", "max", "min", "prod", "mean", "norm"};
    const bool real = is_floating(dtype_);
    const auto unary_op = [&] { return unary[pick(real ? 7 : 4)]; };
    const auto binary_op = [&] { return binary[pick(real ? 5 : 4)]; };
    switch (pick(8)) {
      case 0:
        wide_.push_back(maker.op(unary_op(), {some(wide_)}));
        break;
      case 1:
        wide_.push_back(maker.op(binary_op(), {some(wide_), some(wide_)}));
        break;
      case 2:
        wide_.push_back(maker.op(binary_op(), {some(wide_), some(other_)}));
        break;
      case 3:
        if (!row_.empty()) row_.push_back(maker.op(unary_op(), {some(row_)}));
        break;
      case 4:
        if (!row_.empty()) row_.push_back(maker.op(binary_op(), {some(row_), some(row_)}));
        break;
      case 5:
        if (!row_.empty()) wide_.push_back(maker.op(binary_op(), {some(wide_), some(row_)}));
        break;
      default: {
        Texts texts = rows_.axes;
        const bool stays = pick(2) == 0;
        texts["keepdims"] = stays ? "True" : "False";
        Entry e = maker.op(reductions[pick(real ? 6 : 4)], {some(wide_)}, texts);
        if (!stays) {
          Shape kept = maker.graph.shape(other_[0]);
          std::string to = "(";
          for (int64_t size : kept) to += std::to_string(size) + ",";
          e = maker.op("reshape", {e}, {{"shape", to + ")"}});
        }
        row_.push_back(e);
        if (pick(4) == 0) {
          std::string to = "(";
          for (int64_t size : rows_.shape) to += std::to_string(size) + ",";
          wide_.push_back(maker.op(
              binary_op(), {maker.op("broadcast_to", {e}, {{"shape", to + ")"}}), some(wide_)}));
        } else {
          wide_.push_back(maker.op(binary_op(), {some(wide_), e}));
        }
      }
    }
  }

  std::mt19937 random_;
  Rows rows_;
  DType dtype_;
  std::vector<Entry> wide_, row_, other_;
};

std::vector<std::string> bytes_of_all(const std::vector<NDArray>& arrays) {
  std::vector<std::string> result;
  for (const NDArray& a : arrays) result.push_back(a.shape.str() + bytes_of(a));
  return result;
}

const Stage& stage(const Compiled& compiled, const std::string& name) {
  return *std::find_if(compiled.stages.begin(), compiled.stages.end(),
                       [&](const Stage& s) { return s.name == name; });
}

int count_kernels(const Graph& graph) {
  return static_cast<int>(std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& n) {
    return n.kernel == KernelKind::rows;
  }));
}

const Rows kShapes[] = {
    {{33, 7}, {{"axis", "(1,)"}}},     {{64, 300}, {{"axis", "(1,)"}}},
    {{5, 4, 6}, {{"axis", "(1, 2)"}}}, {{3, 20, 33}, {{"axis", "(2,)"}}},
    {{2, 5000}, {{"axis", "(1,)"}}},   {{1, 900}, {{"axis", "(1,)"}}},
    {{20, 1, 70}, {{"axis", "(2,)"}}}, {{600, 2}, {{"axis", "(1,)"}}},
    {{17, 9001}, {{"axis", "(1,)"}}},  {{2, 3, 4, 5}, {{"axis", "(2, 3)"}}},
};

}  // namespace

TEST_CASE("row kernels: random graphs along rows are bit for bit their operators") {
  const PoisonFreed poison;
  const int threads = num_threads();
  int kernels = 0;
  uint32_t seed = 0;
  for (const Rows& rows : kShapes) {
    for (int round = 0; round < 12; ++round) {
      CAPTURE(++seed);
      const DType dtypes[] = {DType::float32, DType::float64, DType::float32, DType::int64};
      RowGraph r(seed, rows, dtypes[seed % 4]);
      r.maker.graph.check();
      CompileOptions options, apart;
      apart.only_these = true;
      const Compiled whole = compile(r.maker.graph, options);
      const auto expected = bytes_of_all(compile(r.maker.graph, apart).program->run(r.arrays, {}));
      const Graph& graph = whole.program->graph();
      graph.check();
      check_plan(graph, whole.program->plan());
      kernels += count_kernels(graph);
      for (const int n : {1, 2, threads}) {
        set_num_threads(n);
        REQUIRE(bytes_of_all(whole.program->run(r.arrays, {})) == expected);
      }
      for (const Stage& s : whole.stages) {
        CAPTURE(s.name);
        REQUIRE(bytes_of_all(run_graph(s.graph, r.arrays, {}, false)) == expected);
      }
      // Every input may be overwritten.
      CompileOptions donated;
      donated.pass.donated.assign(r.arrays.size(), true);
      const ProgramRef program = compile(r.maker.graph, donated).program;
      check_plan(program->graph(), program->plan());
      std::vector<NDArray> copies;
      for (const NDArray& a : r.arrays) copies.push_back(eager("identity", {a}).front());
      REQUIRE(bytes_of_all(program->run(copies, {}, donated.pass.donated)) == expected);
    }
  }
  set_num_threads(threads);
  CHECK(kernels > 60);
}

TEST_CASE("row kernels: softmax written out is one kernel that keeps nothing but its result") {
  exec_test::Maker m;
  const Entry x = m.input("x", {100, 50});
  const Texts rows{{"axis", "(1,)"}, {"keepdims", "True"}};
  const Entry e = m.op("exp", {m.op("sub", {x, m.op("max", {x}, rows)})});
  m.output(m.op("div", {e, m.op("sum", {e}, rows)}));
  const Compiled c = compile(m.graph, {});
  CHECK(c.program->graph().num_kernels() == 1);
  CHECK(c.program->plan().planned_bytes == 100 * 50 * 8);
  const Stage& s = stage(c, "reduction");
  CHECK(s.changed);
  CHECK(s.label == "reduction fusion");
  CHECK(s.changes.size() == 4);  // sub and exp were one kernel already
  for (const Change& change : s.changes) CHECK(change.action == Change::fused);
  const Node& kernel = c.program->graph().nodes.back();
  CHECK(kernel.members.size() == 5);
  CHECK(kernel.origins.size() == 5);
  CompileOptions off;
  off.without = {"reduction"};
  CHECK(compile(m.graph, off).program->graph().num_kernels() == 4);
  // Over its own input, when that is given up: every row is read before it is written.
  CompileOptions donated;
  donated.pass.donated = {true};
  CHECK(compile(m.graph, donated).program->plan().planned_bytes == 0);
}

TEST_CASE("row kernels: what is reduced after it was written does not lose its input") {
  exec_test::Maker m;  // y = x * 2 may not lie over x: x is read again for its largest element
  const Entry x = m.input("x", {30, 40});
  const Texts rows{{"axis", "(1,)"}, {"keepdims", "True"}};
  const Entry y = m.op("mul_scalar", {x}, {{"scalar", "2"}});
  const Entry s = m.op("sum", {y}, rows);
  m.output(y);
  m.output(m.op("add", {m.op("add", {y, s}), m.op("sub", {x, s})}));
  CompileOptions donated;
  donated.pass.donated = {true};
  const ProgramRef program = compile(m.graph, donated).program;
  check_plan(program->graph(), program->plan());
  const NDArray a = sample({30, 40}, 3);
  const auto expected = bytes_of_all(run_graph(m.graph, {a}, {}, false));
  CHECK(bytes_of_all(program->run({eager("identity", {a}).front()}, {}, {true})) == expected);
}

TEST_CASE("row kernels: rows too long or too few keep kernels of their own, and the pass says so") {
  for (const auto& [shape, why] : {std::pair<Shape, const char*>{{100, 100000}, "too long"},
                                   std::pair<Shape, const char*>{{2, 20000}, "too few rows"}}) {
    exec_test::Maker m;
    const Entry x = m.input("x", shape);
    const Texts rows{{"axis", "(1,)"}, {"keepdims", "True"}};
    m.output(m.op("sub", {x, m.op("max", {x}, rows)}));
    const Compiled c = compile(m.graph, {});
    CHECK(c.program->graph().num_kernels() == 2);
    const Stage& s = stage(c, "reduction");
    CHECK_FALSE(s.changed);
    REQUIRE(s.changes.size() == 1);
    CHECK(s.changes[0].action == Change::kept);
    CHECK(s.changes[0].why.find(why) != std::string::npos);
    CHECK(s.why_skipped.find(why) != std::string::npos);
  }
}

TEST_CASE("row kernels: a number of another row is not taken for this row's") {
  exec_test::Maker m;  // square: (8,) broadcasts along the columns
  const Entry x = m.input("x", {8, 8});
  const Entry s = m.op("sum", {x}, {{"axis", "(1,)"}});
  m.output(m.op("div", {x, s}));
  const Compiled c = compile(m.graph, {});
  CHECK(count_kernels(c.program->graph()) == 0);
  const NDArray a = sample({8, 8}, 5);
  CHECK(bytes_of_all(c.program->run({a}, {})) == bytes_of_all(run_graph(m.graph, {a}, {}, false)));
}

TEST_CASE("row kernels: two reductions of the same rows read them once") {
  exec_test::Maker m;
  const Entry x = m.input("x", {200, 30});
  m.output(m.op("max", {x}, {{"axis", "(1,)"}}));
  m.output(m.op("min", {x}, {{"axis", "(1,)"}}));
  m.output(m.op("sum", {m.op("square", {x})}, {{"axis", "(1,)"}}));
  const Compiled c = compile(m.graph, {});
  CHECK(c.program->graph().num_kernels() == 1);
  const NDArray a = sample({200, 30}, 6);
  CHECK(bytes_of_all(c.program->run({a}, {})) == bytes_of_all(run_graph(m.graph, {a}, {}, false)));
}
