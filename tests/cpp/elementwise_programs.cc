// Whole programs: integers, bool, casts, broadcasting, aliasing, fused against single operators.
#include <doctest/doctest.h>

#include <climits>
#include <functional>

#include "elem_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

template <class R, class T>
std::vector<R> cast(std::vector<T> a) {
  ElemProgram p;
  p.inputs = {dtype_of<T>()};
  ElemInstr q = instr(ElemCode::cast, dtype_of<T>(), in(0));
  q.out_dtype = dtype_of<R>();
  p.instrs = {q};
  p.outputs = {0};
  std::vector<R> out(a.size());
  TensorView x = view(a), y = view(out);
  run_elementwise(p, &x, &y, Resources::current());
  return out;
}

}  // namespace

TEST_CASE("elementwise: integer arithmetic wraps and never traps") {
  const std::vector<int32_t> a = {7, -7, 7, -7, INT_MIN, INT_MIN, 5, 0, INT_MAX};
  const std::vector<int32_t> b = {2, 2, -2, -2, -1, 0, 0, 0, 1};
  CHECK(apply<int32_t>(ElemCode::div, a, b) ==
        std::vector<int32_t>{3, -3, -3, 3, INT_MIN, 0, 0, 0, INT_MAX});
  CHECK(apply<int32_t>(ElemCode::floor_div, a, b) ==
        std::vector<int32_t>{3, -4, -4, 3, INT_MIN, 0, 0, 0, INT_MAX});
  CHECK(apply<int32_t>(ElemCode::mod, a, b) == std::vector<int32_t>{1, 1, -1, -1, 0, 0, 0, 0, 0});
  CHECK(apply<int32_t>(ElemCode::add, a, b)[8] == INT_MIN);
  CHECK(apply<int32_t>(ElemCode::neg, a)[4] == INT_MIN);
  CHECK(apply<int32_t>(ElemCode::power, std::vector<int32_t>{2, -2, 3, 2, 0}, {10, 3, -1, 40, 0}) ==
        std::vector<int32_t>{1024, -8, 0, 0, 1});
  const std::vector<int64_t> c = {INT64_MIN, 9, -9}, d = {-1, 0, 4};
  CHECK(apply<int64_t>(ElemCode::div, c, d) == std::vector<int64_t>{INT64_MIN, 0, -2});
  CHECK(apply<int64_t>(ElemCode::floor_div, c, d) == std::vector<int64_t>{INT64_MIN, 0, -3});
  CHECK(apply<int64_t>(ElemCode::mod, c, d) == std::vector<int64_t>{0, 0, 3});
  CHECK(apply<uint8_t>(ElemCode::sub, std::vector<uint8_t>{1, 200}, {2, 100}) ==
        std::vector<uint8_t>{255, 100});
  CHECK(apply<uint8_t>(ElemCode::mul, std::vector<uint8_t>{20, 3}, {20, 4}) ==
        std::vector<uint8_t>{144, 12});
  CHECK(apply<int64_t>(ElemCode::sign, std::vector<int64_t>{-5, 0, 5}) ==
        std::vector<int64_t>{-1, 0, 1});
  CHECK(apply<int32_t>(ElemCode::invert, std::vector<int32_t>{0, 5}) ==
        std::vector<int32_t>{-1, -6});
}

TEST_CASE("elementwise: float mod and floor_div have Python's sign") {
  const std::vector<double> a = {7, -7, 7, -7, 6, -6, 0.3, 1, -1, 0},
                            b = {2, 2, -2, -2, -3, 3, 0.1, INFINITY, INFINITY, 5};
  const std::vector<double> m = apply<double>(ElemCode::mod, a, b);
  const std::vector<double> q = apply<double>(ElemCode::floor_div, a, b);
  CHECK(m[0] == 1);
  CHECK(m[1] == 1);
  CHECK(m[2] == -1);
  CHECK(m[3] == -1);
  CHECK((m[4] == 0 && std::signbit(m[4])));
  CHECK((m[5] == 0 && !std::signbit(m[5])));
  CHECK(m[7] == 1);
  CHECK(m[8] == INFINITY);
  CHECK(q == std::vector<double>{3, -4, -4, 3, -2, -2, 2, 0, -1, 0});
  const std::vector<float> zero =
      apply<float>(ElemCode::floor_div, std::vector<float>{1, -1, 0}, {0, 0, 0});
  CHECK(zero[0] == INFINITY);
  CHECK(zero[1] == -INFINITY);
  CHECK(std::isnan(zero[2]));
  CHECK(std::isnan(apply<float>(ElemCode::mod, std::vector<float>{1}, {0})[0]));
}

TEST_CASE("elementwise: maximum, minimum, relu and sign keep NaN") {
  const float nan = NAN;
  for (ElemCode code : {ElemCode::maximum, ElemCode::minimum}) {
    const std::vector<float> y =
        apply<float>(code, std::vector<float>{nan, 1, nan, 2}, {1, nan, nan, 3});
    CHECK(std::isnan(y[0]));
    CHECK(std::isnan(y[1]));
    CHECK(std::isnan(y[2]));
    CHECK(y[3] == (code == ElemCode::maximum ? 3 : 2));
  }
  const std::vector<float> r =
      apply<float>(ElemCode::relu, std::vector<float>{-1, -0.0f, 0, 2, nan});
  CHECK(r[0] == 0);
  CHECK(!std::signbit(r[1]));
  CHECK(r[3] == 2);
  CHECK(std::isnan(r[4]));
  const std::vector<float> s = apply<float>(ElemCode::sign, std::vector<float>{-3, -0.0f, 4, nan});
  CHECK(s[0] == -1);
  CHECK(s[1] == 0);
  CHECK(s[2] == 1);
  CHECK(std::isnan(s[3]));
}

TEST_CASE("elementwise: comparisons give bool, NaN is unequal to everything") {
  const std::vector<double> a = {1, 2, NAN, -0.0}, b = {1, 1, NAN, 0.0};
  using Bits = std::vector<uint8_t>;
  CHECK(apply<uint8_t>(ElemCode::equal, a, b) == Bits{1, 0, 0, 1});
  CHECK(apply<uint8_t>(ElemCode::not_equal, a, b) == Bits{0, 1, 1, 0});
  CHECK(apply<uint8_t>(ElemCode::greater, a, b) == Bits{0, 1, 0, 0});
  CHECK(apply<uint8_t>(ElemCode::lesser_equal, a, b) == Bits{1, 0, 0, 1});
  CHECK(apply<uint8_t>(ElemCode::logical_and, a, b) == Bits{1, 1, 1, 0});
  CHECK(apply<uint8_t>(ElemCode::logical_xor, a, {0, 2, 0, 0}) == Bits{1, 0, 1, 0});
  CHECK(apply<uint8_t>(ElemCode::isnan, a) == Bits{0, 0, 1, 0});
  CHECK(apply<uint8_t>(ElemCode::isinf, std::vector<float>{INFINITY, 1}) == Bits{1, 0});
  CHECK(apply<uint8_t>(ElemCode::isfinite, std::vector<float>{-INFINITY, 1, NAN}) == Bits{0, 1, 0});
  CHECK(apply<uint8_t>(ElemCode::logical_not, std::vector<int64_t>{0, 256}) == Bits{1, 0});
}

TEST_CASE("elementwise: casts follow NumPy") {
  CHECK(cast<int32_t>(std::vector<float>{1.9f, -1.9f, 3e9f}) ==
        std::vector<int32_t>{1, -1, INT_MIN});
  CHECK(cast<int64_t>(std::vector<double>{1e18, -2.5, NAN}) ==
        std::vector<int64_t>{1000000000000000000, -2, INT64_MIN});
  CHECK(cast<uint8_t>(std::vector<float>{255.9f, -1.5f, 256}) == std::vector<uint8_t>{255, 255, 0});
  CHECK(cast<float>(std::vector<int64_t>{16777217, -3}) == std::vector<float>{16777216, -3});
  CHECK(cast<double>(std::vector<uint8_t>{0, 255}) == std::vector<double>{0, 255});
  CHECK(cast<int32_t>(std::vector<int64_t>{(int64_t{1} << 32) + 5}) == std::vector<int32_t>{5});
  for (size_t n : {1, 7, 100}) {  // to bool: nonzero, however small or large
    std::vector<double> x(n, 1e-300);
    ElemProgram p;
    p.inputs = {DType::float64};
    p.instrs = {instr(ElemCode::cast, DType::float64, in(0))};
    p.instrs[0].out_dtype = DType::boolean;
    p.outputs = {0};
    std::vector<uint8_t> y(n, 9);
    TensorView a = view(x), b = view(y);
    b.dtype = DType::boolean;
    run_elementwise(p, &a, &b, Resources::current());
    CHECK(y == std::vector<uint8_t>(n, 1));
  }
}

TEST_CASE("elementwise: where, fill, several outputs and results of other dtypes") {
  std::vector<float> x(1000), y(1000), z(1000), flags(1000);
  for (int i = 0; i < 1000; ++i) x[i] = static_cast<float>(i % 7) - 3;
  ElemProgram p;  // y = x > 0 ? x : 5; z = 2; flags = float(x > 0)
  p.inputs = {DType::float32};
  p.instrs = {instr(ElemCode::greater, DType::float32, in(0), imm(), 0),
              instr(ElemCode::where, DType::float32, temp(0), in(0), 5),
              instr(ElemCode::fill, DType::float32, imm(), {}, 2),
              instr(ElemCode::greater, DType::float32, in(0), imm(), 0)};
  p.instrs[1].c = imm();
  p.instrs[3].out_dtype = DType::float32;
  p.outputs = {1, 2, 3};
  TensorView in_view = view(x), outs[3] = {view(y), view(z), view(flags)};
  run_elementwise(p, &in_view, outs, Resources::current());
  for (int i = 0; i < 1000; ++i) {
    CHECK(y[i] == (x[i] > 0 ? x[i] : 5));
    CHECK(z[i] == 2);
    CHECK(flags[i] == (x[i] > 0 ? 1 : 0));
  }
}

TEST_CASE("elementwise: broadcasting and strides, any rank") {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const int ndim = static_cast<int>(random() % 5);
    Shape shape;
    for (int d = 0; d < ndim; ++d) shape.push_back(1 + static_cast<int64_t>(random() % 9));
    if (round % 10 == 0 && ndim > 0) shape[0] = 700;  // several blocks
    const int64_t n = shape.size();
    std::vector<float> memory[2];
    TensorView inputs[2];
    for (int k = 0; k < 2; ++k) {
      // Dimensions in a random order of strides, some of them repeated.
      Shape strides = Shape::of_rank(ndim, 0);
      std::vector<int> order(ndim);
      for (int d = 0; d < ndim; ++d) order[d] = d;
      std::shuffle(order.begin(), order.end(), random);
      int64_t step = 1 + static_cast<int64_t>(random() % 2);
      for (int d : order) {
        if (random() % 3 == 0) continue;
        strides[d] = step;
        step *= shape[d];
      }
      if (k == 0 && round % 3 == 0) strides = contiguous_strides(shape);
      memory[k].resize(static_cast<size_t>(std::max(step, n)) + 1);
      for (float& v : memory[k]) v = static_cast<float>(random() % 1000);
      inputs[k] = view(memory[k].data(), shape, strides);
    }
    const bool strided_out = round % 4 == 1;
    std::vector<float> out(static_cast<size_t>(2 * n) + 2, -1);
    Shape out_strides = contiguous_strides(shape);
    if (strided_out) {
      for (int d = 0; d < ndim; ++d) out_strides[d] *= 2;
    }
    TensorView output = view(out.data(), shape, out_strides);
    ElemProgram p;
    p.inputs = {DType::float32, DType::float32};
    p.instrs = {instr(ElemCode::sub, DType::float32, in(0), in(1)),
                instr(ElemCode::mul, DType::float32, temp(0), in(1))};
    if (round % 2) p.instrs.pop_back();
    p.outputs = {static_cast<int16_t>(p.instrs.size() - 1)};
    run_elementwise(p, inputs, &output, Resources::current());
    bool equal = true;
    for (int64_t i = 0; i < n; ++i) {
      int64_t rest = i, at[2] = {0, 0}, to = 0;
      for (int d = ndim - 1; d >= 0; --d) {
        const int64_t c = rest % shape[d];
        rest /= shape[d];
        for (int k = 0; k < 2; ++k) at[k] += c * inputs[k].strides[d];
        to += c * out_strides[d];
      }
      const float a = memory[0][at[0]], b = memory[1][at[1]];
      equal = equal && out[to] == (round % 2 ? a - b : (a - b) * b);
    }
    CAPTURE(round);
    CHECK(equal);
    if (strided_out) CHECK(out[1] == -1);
  }
}

TEST_CASE("elementwise: nothing for zero elements, one for rank 0") {
  ElemProgram p;
  p.inputs = {DType::float64, DType::float64};
  p.instrs = {instr(ElemCode::add, DType::float64, in(0), in(1))};
  p.outputs = {0};
  double a = 2, b = 3, c = -1;
  TensorView inputs[2] = {view(&a, {}, {}), view(&b, {}, {})};
  TensorView out = view(&c, {}, {});
  run_elementwise(p, inputs, &out, Resources::current());
  CHECK(c == 5);
  const Shape none{3, 0, 2};
  TensorView empty[2] = {view(&a, none, contiguous_strides(none)),
                         view(&b, none, contiguous_strides(none))};
  TensorView empty_out = view(&c, none, contiguous_strides(none));
  c = -1;
  run_elementwise(p, empty, &empty_out, Resources::current());
  CHECK(c == -1);
}

TEST_CASE("elementwise: an output may lie in an input's memory") {
  for (int64_t n : {1, 5, 5000, 300000}) {
    std::vector<float> x(n), y(n), copy, other(n);
    for (int64_t i = 0; i < n; ++i) {
      x[i] = static_cast<float>(i % 100) + 1;
      y[i] = 2;
    }
    copy = x;
    // x = x * y, then the old x is read once more for the second output.
    ElemProgram p;
    p.inputs = {DType::float32, DType::float32};
    p.instrs = {instr(ElemCode::mul, DType::float32, in(0), in(1)),
                instr(ElemCode::add, DType::float32, temp(0), in(0))};
    p.outputs = {0, 1};
    TensorView inputs[2] = {view(x), view(y)}, outs[2] = {view(x), view(other)};
    run_elementwise(p, inputs, outs, Resources::current());
    bool right = true;
    for (int64_t i = 0; i < n; ++i) right = right && x[i] == copy[i] * 2 && other[i] == copy[i] * 3;
    CHECK(right);
    TensorView single[2] = {view(x), view(x)}, out = view(x);
    p.instrs.pop_back();
    p.outputs = {0};
    run_elementwise(p, single, &out, Resources::current());
    for (int64_t i = 0; i < n; ++i) right = right && x[i] == copy[i] * 2 * copy[i] * 2;
    CHECK(right);
  }
}

namespace {

// A random program over three float inputs; every instruction of it alone gives the same bits.
ElemProgram random_program(std::mt19937& random, DType dtype) {
  static const ElemCode unary[] = {
      ElemCode::neg,     ElemCode::abs,   ElemCode::square, ElemCode::exp,  ElemCode::tanh,
      ElemCode::sigmoid, ElemCode::sin,   ElemCode::erf,    ElemCode::relu, ElemCode::softsign,
      ElemCode::rint,    ElemCode::log1p, ElemCode::arctan};
  static const ElemCode binary[] = {ElemCode::add,    ElemCode::sub,     ElemCode::mul,
                                    ElemCode::div,    ElemCode::maximum, ElemCode::minimum,
                                    ElemCode::greater};
  ElemProgram p;
  p.inputs = {dtype, dtype, dtype};
  std::vector<int> values;  // instructions whose result is of the dtype
  const auto operand = [&]() -> ElemOperand {
    if (!values.empty() && random() % 3) return temp(values[random() % values.size()]);
    return in(static_cast<int>(random() % 3));
  };
  const int count = 1 + static_cast<int>(random() % 14);
  for (int i = 0; i < count; ++i) {
    ElemInstr q;
    if (random() % 2) {
      q = instr(unary[random() % std::size(unary)], dtype, operand());
    } else {
      const double number = static_cast<double>(random() % 7) - 3;
      const ElemOperand a = operand();
      const ElemOperand b = random() % 3 ? operand() : imm();
      q = instr(binary[random() % std::size(binary)], dtype, a, b, number);
      if (b.kind == ElemOperand::immediate && random() % 2) std::swap(q.a, q.b);
    }
    if (q.out_dtype != dtype) q.out_dtype = dtype;  // the comparison, converted
    p.instrs.push_back(q);
    values.push_back(i);
  }
  p.outputs = {static_cast<int16_t>(count - 1), static_cast<int16_t>(random() % count)};
  if (p.outputs[0] == p.outputs[1]) p.outputs.pop_back();
  return p;
}

template <class T>
void compare_fused(int64_t n, std::mt19937& random) {
  const ElemProgram p = random_program(random, dtype_of<T>());
  std::uniform_real_distribution<double> uniform(-3, 3);
  std::vector<T> x[3];
  for (auto& v : x) {
    v.resize(n);
    for (T& e : v) e = static_cast<T>(uniform(random));
  }
  TensorView inputs[3] = {view(x[0]), view(x[1]), view(x[2])};
  std::vector<T> fused[2] = {std::vector<T>(n), std::vector<T>(n)};
  TensorView outs[2] = {view(fused[0]), view(fused[1])};
  run_elementwise(p, inputs, outs, Resources::current());
  // One operator at a time, every result in memory.
  std::vector<std::vector<T>> results;
  for (const ElemInstr& q : p.instrs) {
    ElemProgram single;
    ElemInstr one = q;
    std::vector<TensorView> operands;
    for (ElemOperand* o : {&one.a, &one.b, &one.c}) {
      if (o->kind == ElemOperand::none || o->kind == ElemOperand::immediate) continue;
      operands.push_back(o->kind == ElemOperand::input ? inputs[o->index]
                                                       : view(results[o->index]));
      single.inputs.push_back(dtype_of<T>());
      *o = in(static_cast<int>(operands.size()) - 1);
    }
    single.instrs = {one};
    single.outputs = {0};
    std::vector<T> result(n);
    TensorView out = view(result);
    run_elementwise(single, operands.data(), &out, Resources::current());
    results.push_back(std::move(result));
  }
  for (size_t o = 0; o < p.outputs.size(); ++o) CHECK(same_bits(fused[o], results[p.outputs[o]]));
}

}  // namespace

TEST_CASE("elementwise: fused programs give the bits of single operators") {
  std::mt19937 random(17);
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const int64_t n = 1 + static_cast<int64_t>(random() % (round % 5 ? 300 : 9000));
    compare_fused<float>(n, random);
    compare_fused<double>(n, random);
  }
}

TEST_CASE("elementwise: results do not depend on the number of threads or on the cache") {
  std::mt19937 random(23);
  constexpr int64_t n = 9000001;  // three arrays exceed any usual last-level cache
  std::vector<float> x(n), y(n), one(n), two(n);
  for (int64_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(random() % 4096) / 512 - 4;
    y[i] = static_cast<float>(random() % 4096) / 512 - 4;
  }
  ElemProgram p;
  p.inputs = {DType::float32, DType::float32};
  p.instrs = {instr(ElemCode::tanh, DType::float32, in(0)),
              instr(ElemCode::mul, DType::float32, temp(0), in(1)),
              instr(ElemCode::add, DType::float32, temp(1), imm(), 1)};
  p.outputs = {2};
  TensorView inputs[2] = {view(x), view(y)}, out_one = view(one), out_two = view(two);
  {
    NumThreads serial(1);
    run_elementwise(p, inputs, &out_one, Resources::current());
  }
  {
    NumThreads parallel(3);
    run_elementwise(p, inputs, &out_two, Resources::current());
  }
  CHECK(same_bits(one, two));
  // Small pieces never take the way past the caches.
  for (int64_t at : {int64_t{0}, int64_t{131}, n - 1000}) {
    std::vector<float> part(1000);
    const Shape shape{1000}, strides{1};
    TensorView pieces[2] = {view(x.data() + at, shape, strides),
                            view(y.data() + at, shape, strides)};
    TensorView out = view(part);
    run_elementwise(p, pieces, &out, Resources::current());
    CHECK(std::memcmp(part.data(), one.data() + at, 4000) == 0);
  }
}

TEST_CASE("elementwise: what is not defined is named") {
  ElemProgram p;
  p.inputs = {DType::int32};
  p.instrs = {instr(ElemCode::exp, DType::int32, in(0))};
  p.outputs = {0};
  std::vector<int32_t> x(3), y(3);
  TensorView a = view(x), b = view(y);
  CHECK_THROWS_WITH_AS(run_elementwise(p, &a, &b, Resources::current()),
                       "elementwise: exp of int32 is not defined", Error);
  p.instrs = {instr(ElemCode::neg, DType::float32, in(0))};
  CHECK_THROWS_AS(run_elementwise(p, &a, &b, Resources::current()), Error);
  p.instrs = {instr(ElemCode::neg, DType::int32, in(4))};
  CHECK_THROWS_AS(run_elementwise(p, &a, &b, Resources::current()), Error);
}
