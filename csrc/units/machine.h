// Units: loops of a cell as programs of scalar instructions, and the machine that runs them.
//
// A run is a transaction: what it writes into arrays is logged, and what is not committed when it
// leaves is taken back. Nothing here knows Python.
#pragma once
#include <cstdint>
#include <vector>

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

enum class Type : int32_t { b1, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, c128 };
constexpr int kNumTypes = 12;

union Register {
  int64_t i;
  double f;
};

constexpr int kMaxRank = 8;
struct Array {
  char* data;
  int64_t shape[kMaxRank], stride[kMaxRank];  // bytes
};

struct Unit {
  std::vector<Instruction> code;
  int registers = 0;     // complex numbers' imaginary parts are in as many further ones
  int variables = 0;     // the first registers: what a snapshot keeps
  bool watches = false;  // NumPy would warn of floating-point exceptions
};

enum class End : int32_t { over, broke, left, interrupted };

struct Result {
  End end = End::left;
  int kinds = 0;           // which the variables have
  int64_t steps = 0;       // committed
  int64_t taken_back = 0;  // whole steps
  int64_t work = 0;        // steps of all its loops, roughly
  int at = 0;              // the instruction that left
};

class Run {
 public:
  Run(const Unit& unit, std::vector<Register> registers, std::vector<Array> arrays);
  // `stop` is asked now and then, at any time or only where a step begins; true ends the run.
  Result go(bool (*stop)(), bool any_time);
  const std::vector<Register>& registers() const { return registers_; }

 private:
  void log(char* address, Type type);
  void take_back();

  const Unit& unit_;
  std::vector<Register> registers_;
  std::vector<Array> arrays_;
  struct Written {
    char* address;
    Type type;
    char old[16];
  };
  std::vector<Written> log_;
};

}  // namespace units
}  // namespace hybrid
