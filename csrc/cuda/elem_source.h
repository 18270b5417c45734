// Elem source: an elementwise program as the source of a GPU's kernel, one thread an element or a
// vector of them. What each opcode does is the CPU kernels' own code (kernels/elem_ops.inc).
#pragma once
#include <string>
#include <vector>

#include "kernels/elementwise.h"

namespace hybrid {
namespace cuda {

// How a kernel walks through its arrays; sizes and strides themselves are arguments.
struct ElemLayout {
  int ndim = 1;
  int vector = 1;           // elements a thread takes at once, along the last dimension
  bool wide_index = false;  // more elements than 32 bits count
  // By view, inputs then outputs: what the last dimension steps by.
  enum Step : char { flat = 'f', one = 'o', strided = 's' };
  std::vector<Step> steps;
};

// Throws NotOnDevice for dtypes and opcodes that only the CPU has. The kernel is named "elements".
// Its argument: the arrays' addresses (inputs, outputs), the numbers of the program (one 8-byte
// word an instruction that has one), n, the sizes of the dimensions but the first, and each view's
// strides.
std::string elem_source(const ElemProgram& program, const ElemLayout& layout);
bool has_number(const ElemInstr& instr);  // an immediate operand
const char* device_type(DType dtype);     // "float"; throws NotOnDevice

}  // namespace cuda
}  // namespace hybrid
