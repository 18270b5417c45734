// Units: loops of a cell as programs of scalar instructions, and the machine that runs them.
//
// A run is a transaction: what it writes into arrays is logged, and what is not committed when it
// leaves is taken back. Nothing here knows Python.
#pragma once
#include <cstdint>
#include <vector>

#include "units/arrays.h"

namespace hybrid {
namespace units {

enum class Op : int32_t {
#define OP(name, operands) name,
#include "units/opcodes.inc"
#undef OP
};

struct Instruction {
  Op op;
  int32_t a, b, c, d, e;
};

struct Unit {
  std::vector<Instruction> code;
  int registers = 0;             // complex numbers' imaginary parts are in as many further ones
  int variables = 0;             // the first registers: what a snapshot keeps
  std::vector<int32_t> parts;    // of views
  std::vector<ArrayLoop> loops;  // of arrays
};

// A number drawn from the bits of one of NumPy's generators: of [0, 1), of [a, b), or an integer
// there, in two ways; normal (a, b: mean, deviation) and exponential ones (a: mean), as its newer
// and as its older generators do. Then the same by the methods of one of Python's.
enum class Drawn : int32_t {
  unit,
  uniform,
  masked,
  scaled,
  normal,
  exponential,
  older_normal,
  older_exponential,
  python_unit,
  python_uniform,
  python_integer,
  python_exponential,
  python_gauss,
  python_normal
};

// Calls functions that a unit has no instructions for. They change nothing but, where `writes`, the
// first argument's elements, and generators of random numbers.
class Calls {
 public:
  virtual ~Calls() = default;
  // Arguments are in registers side by side; the result is written like one.
  virtual Did call(int which, Arrays* arrays, const Register* arguments, const Register* imaginary,
                   Register* made, Register* made_imaginary) = 0;
  virtual Did draw(Drawn method, int source, Register a, Register b, Register* made) = 0;
  // What has been drawn of random numbers stays drawn, ...
  virtual void commit() = 0;
  // ... or has not been since the last time.
  virtual void take_back() = 0;
};

// What was appended to a list that was given.
struct Appended {
  int which;
  Register value, imaginary;
};

// Takes that, in its order, once nothing of it can be taken back.
class Appends {
 public:
  virtual ~Appends() = default;
  virtual void take(const std::vector<Appended>& several) = 0;
};

enum class End : int32_t { over, broke, left, interrupted };

struct Result {
  End end = End::left;
  int kinds = 0;           // which the variables have
  int64_t steps = 0;       // committed
  int64_t taken_back = 0;  // whole steps
  int64_t work = 0;        // steps of all its loops, roughly
  int at = 0;              // the instruction that left, ...
  bool large = false;      // ... as its arrays are large
};

class Run {
 public:
  Run(const Unit& unit, std::vector<Register> registers, std::vector<Array> arrays,
      Calls* calls = nullptr, Appends* appends = nullptr);
  // `stop` is asked now and then; true ends the run.
  // `watched` floating-point exceptions (of <cfenv>) end it, too.
  Result go(bool (*stop)(), int watched);
  const std::vector<Register>& registers() const { return registers_; }
  const Arrays& arrays() const { return arrays_; }
  const std::vector<Appended>& appended() const { return appended_; }

 private:
  void collect(const std::vector<Register>& kept);

  const Unit& unit_;
  std::vector<Register> registers_;
  Arrays arrays_;
  std::vector<Appended> appended_;
  Calls* calls_;
  Appends* appends_;  // null: all is there when the run has ended
};

}  // namespace units
}  // namespace hybrid
