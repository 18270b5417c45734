// Values of the operators whose kernels live with the op table: indices, order, joins, losses.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "exec_helpers.h"
#include "kernels/host_copy.h"
#include "launch/launch.h"

using namespace exec_test;

namespace {

using Values = std::vector<double>;

NDArray real(const Shape& shape, const Values& values) { return array(shape, values); }

NDArray whole(const Shape& shape, const std::vector<int64_t>& values) {
  return array<int64_t>(shape, values, DType::int64);
}

NDArray count(const Shape& shape) {  // 0, 1, 2, ...
  Values values(static_cast<size_t>(shape.size()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  return real(shape, values);
}

Values run(const char* name, const std::vector<NDArray>& inputs, const Texts& texts = {}) {
  return values_of(eager(name, inputs, texts)[0]);
}

std::vector<int64_t> run_whole(const char* name, const std::vector<NDArray>& inputs,
                               const Texts& texts = {}) {
  return values_of<int64_t>(eager(name, inputs, texts)[0]);
}

// The error of one use, raised when its result is read.
std::string read_error(const char* name, const std::vector<NDArray>& inputs, const Texts& texts) {
  return error_of([&] { run(name, inputs, texts); });
}

}  // namespace

TEST_CASE("op kernels: integer arithmetic by MXNet's rules") {
  const NDArray a = whole({4}, {7, -7, 5, INT64_MIN}), b = whole({4}, {2, 2, 0, -1});
  CHECK(run_whole("div", {a, b}) == std::vector<int64_t>{3, -3, 0, INT64_MIN});
  CHECK(run_whole("div_scalar", {a}, {{"scalar", "0"}}) == std::vector<int64_t>{0, 0, 0, 0});
  CHECK(run_whole("rdiv_scalar", {b}, {{"scalar", "9"}}) == std::vector<int64_t>{4, 4, 0, -9});
  CHECK(run_whole("mod", {a, b})[2] == 0);
  CHECK(run_whole("add_scalar", {b}, {{"scalar", "1.9"}}) == std::vector<int64_t>{3, 3, 1, 0});
  CHECK(run_whole("relu", {a}) == std::vector<int64_t>{7, 0, 5, 0});
  CHECK(run_whole("floor", {a}) == std::vector<int64_t>{7, -7, 5, INT64_MIN});
}

TEST_CASE("op kernels: comparisons give bool or the operands' dtype") {
  const NDArray a = real({3}, {1, 2, 3});
  const NDArray flags = eager("greater_scalar", {a}, {{"scalar", "1.5"}})[0];
  CHECK(flags.dtype == DType::boolean);
  CHECK(values_of<uint8_t>(flags) == std::vector<uint8_t>{0, 1, 1});
  CHECK(run("greater_scalar", {a}, {{"scalar", "1.5"}, {"dtype", "None"}}) == Values{0, 1, 1});
  CHECK(run("logical_not", {real({2}, {0, 5})}, {{"dtype", "None"}}) == Values{1, 0});
}

TEST_CASE("op kernels: take, Embedding and their modes") {
  const NDArray a = count({3, 2}), at = whole({3}, {2, -1, 5});
  CHECK(run("take", {a, at}) == Values{4, 5, 0, 1, 4, 5});
  CHECK(run("take", {a, at}, {{"mode", "wrap"}}) == Values{4, 5, 4, 5, 4, 5});
  CHECK(run("take", {a, whole({2}, {1, 0})}, {{"axis", "1"}}) == Values{1, 0, 3, 2, 5, 4});
  CHECK(read_error("take", {a, at}, {{"mode", "raise"}}) ==
        "take: given index -1, expected 0 to 2 on axis 0 of size 3");
  CHECK(read_error("take", {a, at}, {{"mode", "raise"}, {"from_end", "True"}}) ==
        "take: given index 5, expected -3 to 2 on axis 0 of size 3");
  CHECK(read_error("Embedding", {whole({1}, {3}), a}, {{"input_dim", "3"}, {"output_dim", "2"}})
            .find("Embedding: given index 3") != std::string::npos);
  CHECK(run("take_grad", {count({3, 2}), whole({3}, {1, 1, 0})}, {{"dim", "3"}}) ==
        Values{4, 5, 2, 4, 0, 0});
  CHECK(read_error("take", {real({0, 2}, {}), whole({1}, {0})}, {}) != "");
}

TEST_CASE("op kernels: pick, one_hot, gather_nd, scatter_nd") {
  CHECK(run("pick", {count({2, 3}), whole({2}, {2, 0})}) == Values{2, 3});
  CHECK(run("pick", {count({2, 3}), whole({1, 3}, {1, 0, 1})}, {{"axis", "0"}}) == Values{3, 1, 5});
  CHECK(run("one_hot", {whole({3}, {1, -1, 5})},
            {{"depth", "2"}, {"dtype", "float64"}, {"off_value", "-2"}}) ==
        Values{-2, 1, -2, -2, -2, -2});
  const NDArray places = whole({2, 2}, {0, 1, 1, -1});
  CHECK(run("gather_nd", {count({2, 3}), places}) == Values{1, 5});
  CHECK(run("scatter_nd", {real({2}, {7, 8}), places}, {{"shape", "(2, 3)"}}) ==
        Values{0, 7, 0, 0, 0, 8});
  CHECK(run("scatter_nd", {real({2}, {7, 8}), whole({1, 2}, {1, 1})},
            {{"shape", "(2,)"}, {"accumulate", "True"}}) == Values{0, 15});
  CHECK(read_error("gather_nd", {count({2, 3}), whole({2, 1}, {0, 3})}, {}) ==
        "gather_nd: given index 3, expected -3 to 2 on axis 1 of size 3");
}

TEST_CASE("op kernels: sort, argsort, topk") {
  const double nan = std::nan("");
  const NDArray a = real({2, 4}, {3, 1, 2, 1, nan, 5, -1, 0});
  const Values sorted = run("sort", {a});
  CHECK(Values(sorted.begin(), sorted.begin() + 4) == Values{1, 1, 2, 3});
  CHECK(Values(sorted.begin() + 4, sorted.end() - 1) == Values{-1, 0, 5});
  CHECK(std::isnan(sorted[7]));
  CHECK(run_whole("argsort", {a}, {{"dtype", "int64"}}) ==
        std::vector<int64_t>{1, 3, 2, 0, 2, 3, 1, 0});
  CHECK(run_whole("argsort", {a}, {{"dtype", "int64"}, {"axis", "0"}, {"is_ascend", "False"}}) ==
        std::vector<int64_t>{0, 1, 0, 0, 1, 0, 1, 1});
  const NDArray b = real({2, 3}, {3, 1, 2, 4, 6, 5});
  CHECK(run("topk", {b}, {{"k", "2"}, {"ret_typ", "value"}}) == Values{3, 2, 6, 5});
  CHECK(run("topk", {b}, {{"k", "1"}, {"ret_typ", "mask"}, {"axis", "0"}}) ==
        Values{0, 0, 0, 1, 1, 1});
  const auto both = eager("topk", {b}, {{"k", "1"}, {"ret_typ", "both"}, {"is_ascend", "True"}});
  CHECK(values_of(both[0]) == Values{1, 4});
  CHECK(values_of<float>(both[1]) == std::vector<float>{1, 0});
}

TEST_CASE("op kernels: joining, splitting, repeating, slicing") {
  CHECK(run("concat", {count({2, 1}), count({2, 2})}) == Values{0, 0, 1, 1, 2, 3});
  CHECK(run("stack", {count({2}), real({2}, {5, 6})}, {{"axis", "1"}}) == Values{0, 5, 1, 6});
  const auto parts = eager("split", {count({2, 2})}, {{"num_outputs", "2"}});
  CHECK(values_of(parts[1]) == Values{1, 3});
  CHECK(run("tile", {count({1, 2})}, {{"reps", "(2, 2)"}}) == Values{0, 1, 0, 1, 0, 1, 0, 1});
  CHECK(run("repeat", {count({2, 2})}, {{"repeats", "2"}, {"axis", "0"}}) ==
        Values{0, 1, 0, 1, 2, 3, 2, 3});
  CHECK(run("pad", {count({1, 2})}, {{"pad_width", "(1, 0, 0, 1)"}, {"constant_value", "9"}}) ==
        Values{9, 9, 9, 0, 1, 9});
  CHECK(run("slice", {count({2, 3})},
            {{"begin", "(None, 2)"}, {"end", "(None, 0)"}, {"step", "(-1, -1)"}}) ==
        Values{5, 4, 2, 1});
  CHECK(run("reverse", {count({2, 3})}, {{"axis", "1"}}) == Values{2, 1, 0, 5, 4, 3});
  CHECK(run("slice_assign", {count({2, 3}), real({}, {9})},
            {{"begin", "(1, 0)"}, {"end", "(2, 2)"}}) == Values{0, 1, 2, 9, 9, 5});
  CHECK(run("slice_assign_scalar", {count({4})},
            {{"begin", "(3,)"}, {"end", "(None,)"}, {"step", "(-2,)"}, {"scalar", "-1"}}) ==
        Values{0, -1, 2, -1});
  CHECK(run("transpose", {count({2, 3})}) == Values{0, 3, 1, 4, 2, 5});
}

TEST_CASE("op kernels: a reversed axis is not taken for no change") {
  Maker m;
  const Entry x = m.input("x", {3});
  m.output(m.op("slice", {x}, {{"begin", "(None,)"}, {"end", "(None,)"}, {"step", "(-1,)"}}));
  const Compiled compiled = compile(m.graph, {});
  CHECK(values_of(compiled.program->run({count({3})}, {})[0]) == Values{2, 1, 0});
}

TEST_CASE("op kernels: creation") {
  CHECK(
      run("arange", {}, {{"start", "1"}, {"stop", "2"}, {"step", "0.25"}, {"dtype", "float64"}}) ==
      Values{1, 1.25, 1.5, 1.75});
  CHECK(run_whole("arange", {},
                  {{"start", "9007199254740992"},
                   {"stop", "9007199254740996"},
                   {"step", "3"},
                   {"dtype", "int64"}}) ==
        std::vector<int64_t>{9007199254740992, 9007199254740995});
  CHECK(run("arange", {}, {{"start", "2"}, {"repeat", "2"}, {"dtype", "float64"}}) ==
        Values{0, 0, 1, 1});
  CHECK(run("linspace", {}, {{"start", "0"}, {"stop", "1"}, {"num", "5"}, {"dtype", "float64"}}) ==
        Values{0, 0.25, 0.5, 0.75, 1});
  CHECK(run("eye", {}, {{"N", "2"}, {"M", "3"}, {"k", "1"}, {"dtype", "float64"}}) ==
        Values{0, 1, 0, 0, 0, 1});
  CHECK(run("full", {}, {{"shape", "(2,)"}, {"value", "2.5"}, {"dtype", "float64"}}) ==
        Values{2.5, 2.5});
}

TEST_CASE("op kernels: random draws are functions of the key; shuffle permutes rows") {
  const Texts shape{{"shape", "(100,)"}, {"dtype", "float64"}};
  const auto draw = [&](const char* op, uint64_t key) {
    return values_of(eager(op, {}, shape, key)[0]);
  };
  CHECK(draw("random_uniform", 5) == draw("random_uniform", 5));
  CHECK(draw("random_normal", 5) != draw("random_normal", 6));
  const Values u = draw("random_uniform", 7);
  CHECK(*std::min_element(u.begin(), u.end()) >= 0);
  CHECK(*std::max_element(u.begin(), u.end()) < 1);
  Values rows = values_of(eager("shuffle", {count({50, 2})}, {}, 3)[0]);
  CHECK(rows != values_of(count({50, 2})));
  for (size_t i = 0; i < rows.size(); i += 2) CHECK(rows[i + 1] == rows[i] + 1);
  std::sort(rows.begin(), rows.end());
  CHECK(rows == values_of(count({50, 2})));
}

TEST_CASE("op kernels: Dropout drops, scales and shares draws along axes") {
  const NDArray x = real({100, 8}, Values(800, 1.0));
  const Texts p{{"p", "0.25"}, {"mode", "always"}};
  const Values y = values_of(eager("Dropout", {x}, p, 9)[0]);
  const auto zeros = std::count(y.begin(), y.end(), 0.0);
  CHECK(zeros > 140);
  CHECK(zeros < 260);
  for (double v : y) CHECK((v == 0 || v == 1 / 0.75));
  Texts shared = p;
  shared["axes"] = "(0,)";
  const Values rows = values_of(eager("Dropout", {x}, shared, 9)[0]);
  for (size_t i = 8; i < rows.size(); ++i) CHECK(rows[i] == rows[i - 8]);
  for (double v : values_of(eager("Dropout", {x}, {{"p", "1"}, {"mode", "always"}}, 9)[0])) {
    CHECK(std::isnan(v));  // 0 times 1 / (1 - p), as in MXNet
  }
}

TEST_CASE("op kernels: SoftmaxOutput's gradient by normalization and ignored labels") {
  const NDArray y = real({3, 2}, {0.25, 0.75, 0.5, 0.5, 1, 0});
  const NDArray label = real({3}, {1, 0, 1});
  CHECK(run("softmax_output_grad", {y, label}) == Values{0.25, -0.25, -0.5, 0.5, 1, -1});
  CHECK(run("softmax_output_grad", {y, label},
            {{"normalization", "valid"},
             {"use_ignore", "True"},
             {"ignore_label", "1"},
             {"grad_scale", "2"}}) == Values{0, 0, -1, 1, 0, 0});
  CHECK(run("softmax_output_grad", {y, real({3, 2}, {0, 1, 0.5, 0.5, 1, 0})}) ==
        Values{0.25, -0.25, 0, 0, 0, 0});
  const Values loss = run("softmax_cross_entropy", {real({1, 2}, {0, 0}), real({1}, {1})});
  CHECK(loss[0] == doctest::Approx(std::log(2.0)));
}

TEST_CASE("op kernels: updates of weights") {
  const NDArray w = real({2}, {1, 2}), g = real({2}, {10, -4}), m = real({2}, {0.5, 0});
  const Texts texts{{"lr", "0.5"}, {"wd", "0.25"}, {"rescale_grad", "0.5"}, {"clip_gradient", "3"}};
  CHECK(run("sgd_update", {w, g}, texts) == Values{1 - 0.5 * (3 + 0.25), 2 - 0.5 * (-2 + 0.5)});
  Texts momentum = texts;
  momentum["momentum"] = "0.5";
  const auto out = eager("sgd_mom_update", {w, g, m}, momentum);
  CHECK(values_of(out[1]) == Values{0.25 - 0.5 * 3.25, 0.75});
  CHECK(values_of(out[0]) == Values{1 + 0.25 - 0.5 * 3.25, 2.75});
}

TEST_CASE("op kernels: batched products broadcast; empty sums are zero") {
  CHECK(run("matmul", {count({2, 1, 2}), real({2, 1}, {1, 10})}) == Values{10, 32});
  CHECK(run("dot", {real({2, 0}, {}), real({0, 3}, {})}) == Values(6, 0.0));
  CHECK(run_whole("dot", {whole({1, 2}, {2, 3}), whole({2, 1}, {5, 7})}) ==
        std::vector<int64_t>{31});
  CHECK(run("sum", {real({0, 2}, {})}, {{"axis", "0"}}) == Values{0, 0});
  CHECK(run("norm", {real({2, 2}, {3, 4, -5, 12})}, {{"axis", "1"}}) == Values{5, 13});
  CHECK(run("norm", {real({2, 2}, {3, 4, -5, 12})}, {{"axis", "1"}, {"ord", "1"}}) ==
        Values{7, 17});
  CHECK(run_whole("argmax", {real({2, 3}, {1, 5, 5, 9, 2, 3})}, {{"axis", "1"}}) ==
        std::vector<int64_t>{1, 0});
  CHECK(run("sum_to_shape", {count({2, 3})}, {{"shape", "(1, 3)"}}) == Values{3, 5, 7});
}

TEST_CASE("op kernels: writing over an input gives the same as writing elsewhere") {
  const auto check = [](const char* name, const std::vector<NDArray>& inputs,
                        const Texts& texts = {}) {
    const OpDef* op = get_op(name);
    const Attrs attrs = attrs_of(op, texts);
    const std::vector<NDArray> expected = run_op(*op, attrs, inputs, 17);
    for (const InPlacePair& pair : op->in_place) {
      CAPTURE(name);
      CAPTURE(static_cast<int>(pair.in));
      std::vector<NDArray> copies, outputs;
      std::vector<TensorView> in, out;
      for (const NDArray& a : inputs) {
        copies.push_back(NDArray::empty(a.shape, a.dtype, Context()));
        const std::string bytes = bytes_of(a);
        copy_from_host(copies.back(), bytes.data(), bytes.size());
      }
      for (size_t i = 0; i < expected.size(); ++i) {
        outputs.push_back(static_cast<int>(i) == pair.out
                              ? copies[static_cast<size_t>(pair.in)]
                              : NDArray::empty(expected[i].shape, expected[i].dtype, Context()));
      }
      engine::wait_all();
      for (const NDArray& a : copies) in.push_back({a.data(), a.dtype, a.shape, a.strides});
      for (const NDArray& a : outputs) out.push_back({a.data(), a.dtype, a.shape, a.strides});
      run_kernel(*op, attrs, in.data(), static_cast<int>(in.size()), out.data(),
                 static_cast<int>(out.size()), 17, Resources::current());
      for (size_t i = 0; i < expected.size(); ++i)
        CHECK(bytes_of(outputs[i]) == bytes_of(expected[i]));
    }
  };
  const NDArray a = sample({13, 37}, 1), b = sample({13, 37}, 2), c = sample({13, 37}, 3);
  const NDArray label = real({13}, Values(13, 5.0));
  check("add", {a, b});
  check("exp", {a});
  check("LeakyReLU", {a}, {{"act_type", "gelu"}});
  check("clip", {a}, {{"a_min", "-1"}, {"a_max", "1"}});
  for (const char* axis : {"0", "1"}) {
    check("softmax", {a}, {{"axis", axis}});
    check("log_softmax", {a}, {{"axis", axis}});
    check("softmax_grad", {a, b}, {{"axis", axis}});
    check("log_softmax_grad", {a, b}, {{"axis", axis}});
  }
  check("SoftmaxOutput", {a, label});
  check("LogisticRegressionOutput", {a, b});
  check("Dropout", {a}, {{"mode", "always"}});
  check("slice_assign", {a, sample({5, 37}, 4)},
        {{"begin", "(2,)"}, {"end", "(12,)"}, {"step", "(2,)"}});
  check("slice_assign_scalar", {a}, {{"begin", "(2,)"}, {"end", "(12,)"}});
  check("sgd_update", {a, b}, {{"lr", "0.1"}, {"wd", "0.01"}});
  check("sgd_mom_update", {a, b, c}, {{"lr", "0.1"}, {"momentum", "0.9"}});
}
