// Elem plan: a program bound to views: block functions, and the memory each reads and writes.
#pragma once
#include <utility>
#include <vector>

#include "kernels/elem_blocks.h"
#include "kernels/elem_path.h"
#include "kernels/elem_table.h"
#include "kernels/float_check.h"

namespace hybrid {

// Where a value lives while a block is computed.
struct ElemSlot {
  enum Kind : uint8_t {
    stream,   // memory of the array itself: data + element * item
    one,      // one element, repeated
    scratch,  // a block register
  } kind = scratch;
  int32_t reg = -1;      // scratch
  int32_t item = 0;      // bytes of an element
  int32_t memory = -1;   // an input: its number
  bool varies = false;   // one: another element for every row
  char* data = nullptr;  // stream, one
};

struct ElemStep {
  BlockFn fn = nullptr;                      // of a path: none
  int32_t a = -1, b = -1, c = -1, out = -1;  // slots; -1: not used
  FloatCheck check = FloatCheck::none;
  int32_t path_begin = 0, path_end = 0;  // its steps
};

// By a power of two: a quotient of floats is a product, a remainder and a quotient of integers,
// both rounded down, are a mask and a shift. The bits are the same, and several times as fast.
ElemInstr cheaper(ElemInstr q);

struct Constant {  // the bytes of an element
  uint64_t low = 0, high = 0;
};

// How a plan meets its memory.
struct ElemBinding {
  bool stores = true;  // the outputs are memory of their own, which stays unread for a while
  // Every run is given the addresses; those of the views are not looked at.
  bool late = false;
  std::vector<std::pair<int, int>> shared;  // late: (output, input) in the same memory
  std::vector<bool> kept;                   // late: outputs that are read again at once
};

class ElemPlan {
 public:
  ElemPlan() = default;
  ElemPlan(ElemPlan&&) = default;  // slots point at its own constants: it moves, it has no copies
  ElemPlan& operator=(ElemPlan&&) = default;
  // `inputs` and `outputs` must live as long as the plan is used, unless it is bound late.
  void build(const ElemProgram& program, const TensorView* inputs, const TensorView* outputs,
             const ElemBinding& binding = {});
  // Elements [begin, end); any number of threads at once. `memory`: of a plan bound late, where
  // element 0 of every input and then of every output is.
  void run(int64_t begin, int64_t end, char* const* memory = nullptr) const;
  int64_t size() const { return size_; }
  double cost_ns() const { return cost_ns_; }  // an element

 private:
  struct Load {  // before the steps: a strided input into a register
    int32_t slot;
    StridedBlock from;
    // Read in place instead: blocks end where its rows do, or where its repeated element changes.
    // Rows of an output are written in place.
    bool rows;
  };
  struct Save {  // after the steps: a register or memory to an output
    int32_t slot;
    bool past_cache;
    bool flat;
    int32_t memory;  // its number, behind the inputs'
    StridedBlock to;
  };
  int32_t add_slot(ElemSlot slot);
  int32_t new_register(int64_t item);
  int32_t constant(DType dtype, double real, int64_t integer);
  int32_t spread(int32_t slot);  // a register full of `one`
  void use_inputs(const ElemProgram& program, const TensorView* inputs, const Shape& shape);
  int32_t place(const ElemOperand& operand, const ElemInstr& instr, DType dtype,
                const ElemProgram& program);
  void add_instr(const ElemProgram& program, int index);
  // Instructions [begin, end) are a path: each one's result goes to the next one only.
  int path_end(const ElemProgram& program, int begin) const;
  void add_path(const ElemProgram& program, int begin, int end);
  void add_to_path(PathCode code, int32_t slot = -1);
  void run_path(const ElemStep& step, PathStep* steps, char* const* at, int64_t n) const;
  void made(int index, int32_t slot);
  int32_t cast_to(int32_t slot, DType from, DType to, int32_t out);
  void save_outputs(const ElemProgram& program, const TensorView* inputs, const TensorView* outputs,
                    const ElemBinding& binding);
  void read_rows_in_place();
  int32_t result_slot(int index, DType dtype);
  void release(const ElemOperand& operand, int at);
  void give_back(int32_t slot);
  bool has_rows(const StridedBlock& to);

  int64_t size_ = 0;
  int64_t block_ = 0;
  int64_t row_ = 0;  // blocks do not cross multiples of this; 0: they may
  double cost_ns_ = 0;
  int32_t num_registers_ = 0;
  bool past_cache_ = false;
  std::vector<ElemSlot> slots_;
  std::vector<ElemStep> fills_;      // once per run(): registers of repeated values
  std::vector<ElemStep> row_fills_;  // the same for every block
  std::vector<Load> loads_;
  std::vector<ElemStep> steps_;
  std::vector<PathStep> path_steps_;  // of all paths
  std::vector<int32_t> path_slots_;   // where their operands are; -1: none
  std::vector<Save> saves_;
  std::vector<Constant> constants_;  // values of `one` slots
  // While building:
  std::vector<int32_t> input_slot_, temp_slot_, spread_of_, free_registers_, direct_slot_;
  std::vector<int> last_use_;
};

}  // namespace hybrid
