// Units: instructions of loops, and that a run that leaves has done nothing but its whole steps.
#include "kernels/elem_path.h"
#include "units/machine.h"

#include <doctest/doctest.h>

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <list>

namespace hybrid {
namespace units {
namespace {

Instruction make(Op op, int a = 0, int b = 0, int c = 0, int d = 0, int e = 0) {
  return {op, a, b, c, d, e};
}

bool never() { return false; }
int asked = 0;

// for i in range(n): <body>, with i in register 0, the loop's own numbers in 1 to 3.
Unit loop(const std::vector<Instruction>& body, int every, int registers = 12) {
  Unit made;
  const int over = static_cast<int>(body.size()) + 3;
  made.code = {make(Op::commit, 0, 0, 0, every), make(Op::next, 1, 0, over)};
  made.code.insert(made.code.end(), body.begin(), body.end());
  made.code.push_back(make(Op::jump, 0));
  made.code.push_back(make(Op::exit, 0));
  made.registers = registers;
  made.variables = 6;  // 4 and 5 are free
  return made;
}

std::vector<Register> starting(int64_t steps, int registers = 12) {
  std::vector<Register> made(2 * registers);
  made[2].i = steps;
  made[3].i = 1;
  return made;
}

template <typename T>
Array array_of(std::vector<T>& data) {
  Array made{};
  made.data = reinterpret_cast<char*>(data.data());
  made.shape[0] = static_cast<int64_t>(data.size());
  made.stride[0] = sizeof(T);
  return made;
}

TEST_CASE("units: a sum over an array") {
  std::vector<double> x = {1, 2, 3.5};
  const Unit unit = loop(
      {make(Op::load_1, 6, 5, 0, 0, static_cast<int>(Type::f64)), make(Op::add_f, 4, 4, 6)}, 64);
  Run run(unit, starting(3), {array_of(x)});
  const Result result = run.go(&never, 0);
  CHECK(result.end == End::over);
  CHECK(result.steps == 3);
  CHECK(run.registers()[4].f == 6.5);
}

TEST_CASE("units: who leaves has taken whole steps, and every write of the last one is undone") {
  for (const int every : {1, 2, 64}) {
    std::vector<int32_t> x(5, 7);
    // x[i] = i; x[4 - i] = x[i + 3], which leaves when i is 2.
    const int type = static_cast<int>(Type::i32);
    const Unit unit = loop({make(Op::store_1, 0, 5, 0, 0, type), make(Op::add_ii, 6, 0, 3),
                            make(Op::load_1, 4, 5, 6, 0, type)},
                           every);
    Run run(unit, starting(5), {array_of(x)});
    const Result result = run.go(&never, 0);
    CHECK(result.end == End::left);
    CHECK(result.steps + result.taken_back == 2);
    CHECK(result.steps == (every == 64 ? 0 : 2));
    CHECK(result.at == 4);
    for (int k = 0; k < 5; ++k) CHECK(x[k] == (k < result.steps ? k : 7));
    CHECK(run.registers()[0].i == (result.steps == 0 ? 0 : 1));
  }
}

TEST_CASE("units: integers leave where they have more than 64 bits") {
  const int64_t most = std::numeric_limits<int64_t>::max(), least = -most - 1;
  struct {
    Op op;
    int64_t a, b;
    bool leaves;
    int64_t result;
  } cases[] = {
      {Op::add_i, most, 1, true, 0},
      {Op::add_i, most, -1, false, most - 1},
      {Op::sub_i, least, 1, true, 0},
      {Op::mul_i, int64_t{1} << 32, int64_t{1} << 31, true, 0},
      {Op::mul_i, -3, 5, false, -15},
      {Op::floordiv_i, -7, 2, false, -4},
      {Op::floordiv_i, least, -1, true, 0},
      {Op::floordiv_i, 7, 0, true, 0},
      {Op::mod_i, -7, 2, false, 1},
      {Op::mod_i, 7, -2, false, -1},
      {Op::mod_i, least, -1, true, 0},
      {Op::pow_i, 3, 39, false, 4052555153018976267},
      {Op::pow_i, 3, 40, true, 0},
      {Op::pow_i, 2, -1, true, 0},
      {Op::pow_i, -2, 63, false, least},
      {Op::shl_i, 1, 62, false, int64_t{1} << 62},
      {Op::shl_i, 1, 63, true, 0},
      {Op::shl_i, -1, 62, false, -(int64_t{1} << 62)},
      {Op::shr_i, -8, 70, false, -1},
      {Op::shr_i, 8, -1, true, 0},
      {Op::neg_i, least, 0, true, 0},
      {Op::abs_i, least, 0, true, 0},
  };
  for (const auto& c : cases) {
    CAPTURE(static_cast<int>(c.op));
    CAPTURE(c.a);
    const Unit unit = loop({make(c.op, 4, 7, 8)}, 1);
    std::vector<Register> registers = starting(1);
    registers[7].i = c.a;
    registers[8].i = c.b;
    Run run(unit, registers, {});
    const Result result = run.go(&never, 0);
    CHECK((result.end == End::left) == c.leaves);
    if (!c.leaves) CHECK(run.registers()[4].i == c.result);
  }
}

TEST_CASE("units: steps of a range are Python's") {
  struct {
    int64_t start, stop, step, steps;
  } cases[] = {{0, 5, 1, 5}, {5, 0, -1, 5},  {0, 5, 2, 3},  {0, 6, 2, 3},
               {5, 5, 1, 0}, {3, 10, -1, 0}, {0, -5, -2, 3}};
  for (const auto& c : cases) {
    const Unit unit = loop({make(Op::steps_of, 4, 7, 8, 9)}, 1);
    std::vector<Register> registers = starting(1);
    registers[7].i = c.start;
    registers[8].i = c.stop;
    registers[9].i = c.step;
    Run run(unit, registers, {});
    CHECK(run.go(&never, 0).end == End::over);
    CHECK(run.registers()[4].i == c.steps);
  }
  const Unit unit = loop({make(Op::steps_of, 4, 7, 8, 9)}, 1);
  Run run(unit, starting(1), {});  // a step of 0
  CHECK(run.go(&never, 0).end == End::left);
}

TEST_CASE("units: elements of every dtype are read as they are written") {
  for (int type = 0; type < kNumTypes; ++type) {
    CAPTURE(type);
    std::vector<double> memory(4, 0.0);  // two complex numbers
    Array array = array_of(memory);
    array.shape[0] = 2;
    array.stride[0] = 16;
    const bool real = type >= static_cast<int>(Type::f32);
    const Unit unit =
        loop({make(Op::store_1, 7, 5, 8, 0, type), make(Op::load_1, 4, 5, 8, 0, type)}, 1);
    std::vector<Register> registers = starting(1);
    if (real) {
      registers[7].f = 0.5;
      registers[7 + 12].f = -2;
    } else {
      registers[7].i = 1;
    }
    registers[8].i = -1;  // the last one
    Run run(unit, registers, {array});
    CHECK(run.go(&never, 0).end == End::over);
    if (real) {
      CHECK(run.registers()[4].f == 0.5);
    } else {
      CHECK(run.registers()[4].i == 1);
    }
    if (type == static_cast<int>(Type::c128)) CHECK(run.registers()[4 + 12].f == -2);
  }
}

TEST_CASE("units: NumPy's warnings are Python's to give: the steps before are taken back") {
  Unit unit = loop({make(Op::div_f, 4, 7, 8)}, 64);
  std::vector<Register> registers = starting(3);
  registers[7].f = 1;
  Run watched(unit, registers, {});
  const Result result = watched.go(&never, FE_DIVBYZERO);
  CHECK(result.end == End::left);
  CHECK(result.steps == 0);
  Run other(unit, registers, {});
  CHECK(other.go(&never, 0).end == End::over);
  CHECK(std::isinf(other.registers()[4].f));
}

TEST_CASE("units: a loop that has no end is interrupted: its last whole step stays") {
  std::vector<double> x = {0};
  const Unit unit = loop({make(Op::store_1, 7, 5, 8, 0, static_cast<int>(Type::f64))}, 1);
  std::vector<Register> registers = starting(std::numeric_limits<int64_t>::max());
  registers[7].f = 2;
  asked = 0;
  Run run(unit, registers, {array_of(x)});
  const Result result = run.go([] { return ++asked == 3; }, 0);
  CHECK(result.end == End::interrupted);
  CHECK(asked == 3);
  CHECK(result.steps > 1000);
  CHECK(run.registers()[0].i == result.steps - 1);
}

// Loops over doubles, as NumPy's universal functions have them.
template <typename F>
void each(char** data, const intptr_t* n, const intptr_t* strides, F f) {
  for (intptr_t k = 0; k < *n; ++k) {
    double a, b;
    std::memcpy(&a, data[0] + k * strides[0], sizeof a);
    std::memcpy(&b, data[1] + k * strides[1], sizeof b);
    const double made = f(a, b);
    std::memcpy(data[2] + k * strides[2], &made, sizeof made);
  }
}
ArrayLoop sum_loop() {
  return {[](char** data, const intptr_t* n, const intptr_t* strides, void*) {
            each(data, n, strides, [](double a, double b) { return a + b; });
          },
          nullptr,
          2,
          {Type::f64, Type::f64, Type::f64},
          true,
          0};
}

Array vector_of(std::vector<double>& data) {
  Array made = array_of(data);
  made.rank = 1;
  made.type = Type::f64;
  return made;
}

Arrays::Input of(int64_t number, bool dies = false) {
  Arrays::Input made;
  made.array = number;
  made.dies = dies;
  return made;
}

TEST_CASE("units: chains of arrays are computed where they are taken, whatever overlaps") {
  ArrayLoop loop = sum_loop(), other = sum_loop();
  for (const size_t n : {1, 3, 13, 511, 512, 513, 2000}) {
    for (const size_t variant : {0, 1, 7, 10, 11, 17, 20, 21, 27}) {
      const size_t shift = variant % 10;  // of what is written, to what is read
      // What is done in registers: nothing, all, all but for one operation.
      loop.path = variant < 10 ? -1 : static_cast<int>(PathCode::add);
      other.path = variant < 20 ? loop.path : -1;
      CAPTURE(n);
      CAPTURE(variant);
      std::vector<double> x(n + 7), y(n);
      for (size_t k = 0; k < x.size(); ++k) x[k] = static_cast<double>(k * k);
      for (size_t k = 0; k < n; ++k) y[k] = static_cast<double>(k) / 4;
      const std::vector<double> before = x;
      Array read = vector_of(x), written = vector_of(x);
      read.shape[0] = written.shape[0] = static_cast<int64_t>(n);
      written.data += shift * sizeof(double);
      Arrays arrays({read, written, vector_of(y)});
      // written[:] = (read + y) + (y + (read + read))
      int64_t one, two, three, all;
      Arrays::Input first[2] = {of(0), of(2)}, second[2] = {of(0), of(0)};
      REQUIRE(arrays.apply(loop, first, true, false, &one) == Did::well);
      REQUIRE(arrays.apply(other, second, true, false, &two) == Did::well);
      Arrays::Input third[2] = {of(2), of(two, true)};
      REQUIRE(arrays.apply(loop, third, true, false, &three) == Did::well);
      Arrays::Input last[2] = {of(one, true), of(three, true)};
      REQUIRE(arrays.apply(loop, last, true, false, &all) == Did::well);
      CHECK(x == before);
      REQUIRE(arrays.assign(1, all) == Did::well);
      arrays.release(all);
      for (size_t k = 0; k < n; ++k) {
        const double wanted = (before[k] + y[k]) + (y[k] + (before[k] + before[k]));
        REQUIRE(x[k + shift] == wanted);
      }
      arrays.take_back();
      CHECK(x == before);
      CHECK(!arrays.has_garbage());
    }
  }
}

TEST_CASE("units: a part of a chain that is broadcast is computed once, before") {
  static int calls;
  calls = 0;
  ArrayLoop loop = sum_loop();
  loop.function = [](char** data, const intptr_t* n, const intptr_t* strides, void*) {
    calls += static_cast<int>(*n);
    each(data, n, strides, [](double a, double b) { return a + b; });
  };
  std::vector<double> x = {1, 2, 3}, y = {10, 20};
  Array column = vector_of(y);
  column.rank = 2;
  column.shape[1] = 1;
  column.stride[1] = sizeof(double);
  Arrays arrays({vector_of(x), column});
  Arrays::Input first[2] = {of(1), of(1)};
  int64_t twice, made;
  REQUIRE(arrays.apply(loop, first, true, false, &twice) == Did::well);
  Arrays::Input second[2] = {of(twice, true), of(0)};
  REQUIRE(arrays.apply(loop, second, false, false, &made) == Did::well);
  CHECK(calls == 2 + 6);
  const Array& found = arrays[made];
  REQUIRE(found.rank == 2);
  for (int row = 0; row < 2; ++row) {
    for (int k = 0; k < 3; ++k) {
      double value;
      std::memcpy(&value, found.data + row * found.stride[0] + k * found.stride[1], sizeof value);
      CHECK(value == 2 * y[row] + x[k]);
    }
  }
}

// Lends an array, and hears when nobody needs it any more.
class Lender : public Calls {
 public:
  Did call(int which, Arrays* arrays, const Register* arguments, const Register*, Register* made,
           Register*) override {
    returned += arrays->returned().size();
    arrays->returned().clear();
    if (which == fails) return Did::cannot;
    ++called;
    lent.emplace_back(3, static_cast<double>(arguments[0].i));
    made->i = arrays->lent(vector_of(lent.back()), called);
    return Did::well;
  }
  Did draw(Drawn, int, Register, Register, Register*) override { return Did::cannot; }
  void commit() override { ++commits; }
  void take_back() override { ++taken_back; }
  std::list<std::vector<double>> lent;
  int called = 0, fails = -1, commits = 0, taken_back = 0;
  size_t returned = 0;
};

TEST_CASE("units: calls lend arrays until nobody needs them, and what is appended is taken back") {
  // made = call(i); list.append(i); for every step
  const Unit unit =
      loop({make(Op::call, 4, 0, 0, 1), make(Op::append, 0, 0), make(Op::append, 4, 1, 1)}, 1);
  Lender lender;
  Run run(unit, starting(300), {}, &lender);
  const Result result = run.go(&never, 0);
  CHECK(result.end == End::over);
  CHECK(lender.called == 300);
  CHECK(lender.returned == 0);  // all are in the list
  REQUIRE(run.appended().size() == 600);
  CHECK(run.appended()[4].value.i == 2);
  const Array& second = run.arrays()[run.appended()[3].value.i];
  double value;
  std::memcpy(&value, second.data, sizeof value);
  CHECK(value == 1);

  const Unit forgetful = loop({make(Op::call, 4, 0, 0, 1)}, 1);
  Lender other;
  Run again(forgetful, starting(1000), {}, &other);
  CHECK(again.go(&never, 0).end == End::over);
  CHECK(other.returned > 500);

  const Unit failing = loop({make(Op::append, 0, 0), make(Op::call, 4, 7, 0, 1)}, 1);
  Lender third;
  third.fails = 7;
  Run last(failing, starting(5), {}, &third);
  CHECK(last.go(&never, 0).end == End::left);
  CHECK(last.appended().empty());
}

}  // namespace
}  // namespace units
}  // namespace hybrid
