// Instructions that become paths, and rows that are written where they lie, beside the same
// instructions one by one.
#include <doctest/doctest.h>

#include "elem_helpers.h"
#include "engine/float_flags.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

constexpr ElemCode kUnary[] = {ElemCode::neg,  ElemCode::abs,   ElemCode::square,
                               ElemCode::sqrt, ElemCode::rsqrt, ElemCode::reciprocal,
                               ElemCode::relu};
constexpr ElemCode kBinary[] = {ElemCode::add, ElemCode::sub, ElemCode::mul,
                                ElemCode::div, ElemCode::add, ElemCode::maximum};

template <class T>
T special(std::mt19937& random) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(), most = std::numeric_limits<T>::max();
  const T values[] = {nan,
                      -nan,
                      T(INFINITY),
                      -T(INFINITY),
                      0,
                      -T(0),
                      most,
                      -most,
                      std::numeric_limits<T>::denorm_min(),
                      1,
                      3};
  return values[random() % (sizeof values / sizeof *values)];
}

// Mostly chains: three in four instructions read the one before them.
ElemProgram random_chain(std::mt19937& random, DType dtype, int num_inputs) {
  ElemProgram p;
  p.inputs.assign(num_inputs, dtype);
  const int count = 2 + static_cast<int>(random() % 12);
  for (int i = 0; i < count; ++i) {
    const auto other = [&] {
      const unsigned kind = random() % 8;
      if (kind == 0) return imm();
      if (kind == 1 && i > 0) return temp(static_cast<int>(random() % i));
      return in(static_cast<int>(random() % num_inputs));
    };
    ElemOperand a = i > 0 && random() % 4 ? temp(i - 1) : other(), b = other();
    if (random() % 2) std::swap(a, b);
    const bool is_unary = random() % 3 == 0;
    const ElemCode code = is_unary ? kUnary[random() % 7] : kBinary[random() % 6];
    const double numbers[] = {2, -0.25, 3, 0, NAN};
    p.instrs.push_back(instr(code, dtype, a, is_unary ? ElemOperand{} : b, numbers[random() % 5]));
  }
  p.outputs = {static_cast<int16_t>(count - 1)};
  if (random() % 2) p.outputs.push_back(static_cast<int16_t>(random() % count));
  return p;
}

// A random window of this shape in memory of its own: contiguous, in the rows of a wider array,
// every second element of one, or one element for all, for every row, or for every column.
template <class T>
struct Window {
  std::vector<T> memory;
  TensorView view;

  Window(std::mt19937& random, const Shape& shape, unsigned kind, bool has_special) {
    const int64_t rows = shape[0], columns = shape[1], wide = columns + 3;
    const Shape strides[] = {{columns, 1}, {wide, 1}, {2 * wide, 2}, {0, 0}, {1, 0}, {0, 1}};
    memory.resize(static_cast<size_t>(2 * rows * wide));
    std::uniform_real_distribution<double> uniform(-3, 3);
    for (T& x : memory) {
      x = has_special && random() % 9 == 0 ? special<T>(random) : static_cast<T>(uniform(random));
    }
    view = testing::view(memory.data(), shape, strides[kind]);
  }
};

template <class F>
bool meets_exceptions(F run) {
  const engine::FloatSpan span;
  run();
  return span.met() != 0;
}

template <class T>
std::vector<T> elements(const TensorView& v) {
  std::vector<T> all;
  for (int64_t r = 0; r < v.shape[0]; ++r) {
    for (int64_t c = 0; c < v.shape[1]; ++c)
      all.push_back(v.as<T>()[r * v.strides[0] + c * v.strides[1]]);
  }
  return all;
}

template <class T>
void compare(std::mt19937& random, const Shape& shape, bool has_special) {
  constexpr int kInputs = 4;
  const ElemProgram p = random_chain(random, dtype_of<T>(), kInputs);
  std::vector<Window<T>> windows;
  for (int i = 0; i < kInputs; ++i) windows.emplace_back(random, shape, random() % 6, has_special);
  std::vector<TensorView> inputs;
  for (Window<T>& w : windows) inputs.push_back(w.view);

  // One by one, every result in memory of its own.
  std::vector<std::vector<T>> results;
  bool expected_exceptions = false;
  for (const ElemInstr& q : p.instrs) {
    ElemProgram single;
    ElemInstr one = q;
    std::vector<TensorView> operands;
    for (ElemOperand* o : {&one.a, &one.b}) {
      if (o->kind == ElemOperand::none || o->kind == ElemOperand::immediate) continue;
      operands.push_back(o->kind == ElemOperand::input
                             ? inputs[o->index]
                             : view(results[o->index].data(), shape, contiguous_strides(shape)));
      single.inputs.push_back(dtype_of<T>());
      *o = in(static_cast<int>(operands.size()) - 1);
    }
    single.instrs = {one};
    single.outputs = {0};
    std::vector<T> result(static_cast<size_t>(shape.size()));
    const TensorView out = view(result.data(), shape, contiguous_strides(shape));
    expected_exceptions |= meets_exceptions(
        [&] { run_elementwise(single, operands.data(), &out, Resources::current()); });
    results.push_back(std::move(result));
  }

  std::vector<Window<T>> outs;
  for (size_t o = 0; o < p.outputs.size(); ++o)
    outs.emplace_back(random, shape, random() % 3, false);
  std::vector<TensorView> outputs;
  for (Window<T>& w : outs) outputs.push_back(w.view);
  if (random() % 3 == 0) {  // over an input
    const TensorView& over = inputs[random() % kInputs];
    const bool repeats = over.strides[0] == 0 || over.strides[1] == 0;
    if (!repeats) outputs[0] = over;
  }
  const bool exceptions = meets_exceptions(
      [&] { run_elementwise(p, inputs.data(), outputs.data(), Resources::current()); });
  for (size_t o = 0; o < outputs.size(); ++o) {
    CAPTURE(o);
    CHECK(same_bits(elements<T>(outputs[o]), results[p.outputs[o]]));
  }
  CHECK(exceptions == expected_exceptions);
}

}  // namespace

TEST_CASE("elem plan: paths give the bits and exceptions of single instructions") {
  std::mt19937 random(29);
  for (int round = 0; round < 1500; ++round) {
    CAPTURE(round);
    const int64_t rows = 1 + static_cast<int64_t>(random() % 7);
    const int64_t most = round % 10 ? 70 : 2900;
    const Shape shape{rows, 1 + static_cast<int64_t>(random() % most)};
    compare<float>(random, shape, round % 2);
    compare<double>(random, shape, round % 2);
  }
}
