// Every kernel that csrc/cuda generates is compiled by NVRTC, where it is installed; no GPU needed.
#include "core/error.h"
#include "cuda/compiler.h"
#include "cuda/elem_source.h"
#include "cuda/library.h"
#include "cuda/reduce_source.h"
#include "doctest/doctest.h"
#include "kernels/elem_table.h"

using namespace hybrid;

namespace {

const DType kTypes[] = {DType::float32, DType::float64, DType::int8,   DType::int16,
                        DType::int32,   DType::int64,   DType::uint8,  DType::uint16,
                        DType::uint32,  DType::uint64,  DType::boolean};

bool has_compiler() {
  cuda::set_package_folders({PYTHON_PACKAGES});
  if (!cuda::compiler_identity().empty()) return true;
  MESSAGE("skipped: " << cuda::why_no_compiler());
  return false;
}

void check_compiles(const std::string& source) {
  std::string code;
  CHECK_NOTHROW(code = cuda::compile_source(source, "sm_80"));
  CHECK_MESSAGE(code.size() > 100, source);
}

// All opcodes of a dtype, each with an output of its own.
ElemProgram all_codes(DType dtype) {
  ElemProgram program;
  program.inputs = {dtype, dtype, DType::boolean};
  for (int c = 0; c < kNumElemCodes; ++c) {
    const auto code = static_cast<ElemCode>(c);
    if (code == ElemCode::cast) continue;
    if (!elem_table().code[c][elem_type(dtype)][0]) continue;
    ElemInstr q;
    q.code = code;
    q.dtype = dtype;
    q.out_dtype = code == ElemCode::fill ? dtype : elem_result(code, dtype);
    q.a = {ElemOperand::input, 0};
    if (code == ElemCode::where) {
      q.a.index = 2;
      q.b = {ElemOperand::input, 0};
      q.c = {ElemOperand::immediate, 0};
    } else if (!is_unary(code)) {
      q.b = {ElemOperand::input, 1};
    }
    program.outputs.push_back(static_cast<int16_t>(program.instrs.size()));
    program.instrs.push_back(q);
  }
  for (const DType to : kTypes) {
    ElemInstr q;
    q.code = ElemCode::cast;
    q.dtype = dtype;
    q.out_dtype = to;
    q.a = {ElemOperand::input, 0};
    program.outputs.push_back(static_cast<int16_t>(program.instrs.size()));
    program.instrs.push_back(q);
  }
  return program;
}

cuda::ElemLayout layout(const ElemProgram& program, int ndim, int vector, bool strided) {
  cuda::ElemLayout l;
  l.ndim = ndim;
  l.vector = vector;
  l.wide_index = strided;
  l.steps.assign(program.inputs.size() + program.outputs.size(), cuda::ElemLayout::flat);
  l.steps[1] = strided ? cuda::ElemLayout::strided : cuda::ElemLayout::one;
  return l;
}

}  // namespace

TEST_CASE("cuda: every opcode of every dtype compiles, and every conversion") {
  if (!has_compiler()) return;
  for (const DType dtype : kTypes) {
    CAPTURE(dtype_name(dtype));
    const ElemProgram program = all_codes(dtype);
    CHECK(program.instrs.size() > 30);
    check_compiles(cuda::elem_source(program, layout(program, 1, 2, false)));
  }
  const ElemProgram program = all_codes(DType::int32);
  check_compiles(cuda::elem_source(program, layout(program, 3, 4, false)));
  check_compiles(cuda::elem_source(program, layout(program, 4, 1, true)));
}

TEST_CASE("cuda: every reduction of every dtype compiles, in each of its stages") {
  if (!has_compiler()) return;
  for (const DType dtype : kTypes) {
    CAPTURE(dtype_name(dtype));
    const DType wide = cuda::accumulator_of(dtype);
    for (const Reduction kind :
         {Reduction::sum, Reduction::prod, Reduction::max, Reduction::min, Reduction::any,
          Reduction::all, Reduction::sum_squares, Reduction::nansum}) {
      const DType out = kind == Reduction::any || kind == Reduction::all ? DType::boolean : dtype;
      check_compiles(cuda::reduce_source({kind, dtype, wide, false, false, 100}));
      check_compiles(cuda::reduce_source({cuda::joined(kind), wide, out, false, false, 10000}));
    }
    check_compiles(cuda::search_source(true, dtype, 100));
    check_compiles(cuda::search_source(false, dtype, 10000));
  }
  check_compiles(
      cuda::reduce_source({Reduction::max, DType::uint64, DType::uint64, true, true, 100}));
}

TEST_CASE("cuda: kernels along rows compile") {
  if (!has_compiler()) return;
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const int64_t size : {10, 1000, 100000}) {
      check_compiles(cuda::softmax_source(dtype, size, true, false));
      check_compiles(cuda::softmax_source(dtype, size, false, true));
      check_compiles(cuda::layer_norm_source(dtype, size));
    }
  }
}

TEST_CASE("cuda: convolution, pooling and elements by index compile") {
  if (!has_compiler()) return;
  check_compiles(cuda::images_source(DType::float32));
  check_compiles(cuda::images_source(DType::float64));
  for (const DType dtype : kTypes) {
    check_compiles(cuda::gather_source(dtype, DType::int64, true));
    check_compiles(cuda::gather_source(DType::float32, dtype, false));
  }
}

TEST_CASE("cuda: a kernel that does not compile shows the compiler's log") {
  if (!has_compiler()) return;
  CHECK_THROWS_WITH_AS(cuda::compile_source("int f( {", "sm_80"), doctest::Contains("error"),
                       Error);
}
