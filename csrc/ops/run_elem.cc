// Elementwise steps inside other kernels.
#include "ops/run_elem.h"

#include "ops/emit.h"

namespace hybrid {

namespace {

void run(ElemProgram program, const TensorView* a, const TensorView& out, Resources& resources) {
  program.outputs.push_back(static_cast<int16_t>(program.instrs.size() - 1));
  run_elementwise(program, a, &out, resources);
}

}  // namespace

void run_unary(ElemCode code, const TensorView& a, const TensorView& out, Resources& resources) {
  ElemProgram program;
  program.inputs = {a.dtype};
  const bool converts = a.dtype != out.dtype;
  Emitter(&program.instrs)
      .op_to(converts ? ElemCode::cast : code, a.dtype, out.dtype, Emitter::input(0));
  run(std::move(program), &a, out, resources);
}

void run_with_number(ElemCode code, const TensorView& a, double number, const TensorView& out,
                     Resources& resources) {
  ElemProgram program;
  program.inputs = {a.dtype};
  Emitter(&program.instrs).op(code, a.dtype, Emitter::input(0), Emitter::number(number));
  run(std::move(program), &a, out, resources);
}

void run_fill(double number, const TensorView& out, Resources& resources) {
  ElemProgram program;
  Emitter(&program.instrs).fill(out.dtype, Emitter::number(number));
  run(std::move(program), nullptr, out, resources);
}

TensorView scratch_view(DType dtype, const Shape& shape, Resources& resources) {
  TensorView view;
  view.data = resources.workspace(static_cast<size_t>(shape.size()) * dtype_size(dtype));
  view.dtype = dtype;
  view.shape = shape;
  view.strides = contiguous_strides(shape);
  return view;
}

}  // namespace hybrid
