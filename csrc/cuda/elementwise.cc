// Elementwise programs and copies between layouts on a GPU.
#include <algorithm>
#include <cstring>

#include "cuda/elem_source.h"
#include "cuda/kernels.h"
#include "cuda/modules.h"
#include "kernels/elem_table.h"
#include "kernels/layout.h"

namespace hybrid {
namespace cuda {
namespace {

constexpr int kThreads = 256;
constexpr size_t kVectorBytes = 16;

uint64_t number_of(const ElemInstr& q) {
  const DType dtype = q.code == ElemCode::fill ? q.out_dtype : q.dtype;
  uint64_t word = 0;
  if (is_floating(dtype)) {
    std::memcpy(&word, &q.imm, sizeof word);
  } else if (dtype == DType::boolean) {
    word = q.imm_int != 0 || q.imm != 0;
  } else {
    word = static_cast<uint64_t>(q.imm_int);
  }
  return word;
}

// All that the source depends on.
std::string key_of(const ElemProgram& program, const ElemLayout& layout) {
  std::string key(layout.steps.begin(), layout.steps.end());
  const auto add = [&key](int value) {
    key += static_cast<char>(value);
    key += static_cast<char>(value >> 8);
  };
  add(layout.ndim);
  add(layout.vector);
  add(layout.wide_index);
  for (const DType dtype : program.inputs) add(static_cast<int>(dtype));
  for (const ElemInstr& q : program.instrs) {
    add(static_cast<int>(q.code));
    add(static_cast<int>(q.dtype));
    add(static_cast<int>(q.out_dtype));
    for (const ElemOperand* o : {&q.a, &q.b, &q.c}) {
      add(o->kind);
      add(o->index);
    }
  }
  for (const int16_t output : program.outputs) add(output);
  return key;
}

ElemLayout layout_of(const std::vector<TensorView>& views, int64_t n) {
  ElemLayout layout;
  const Shape& shape = views[0].shape;
  const int last = shape.ndim() - 1;
  layout.ndim = shape.ndim();
  layout.wide_index = n >= int64_t{1} << 31;
  size_t item = 1;
  bool vectors = true;
  for (const TensorView& v : views) {
    const int64_t step = v.strides[last];
    layout.steps.push_back(step == 1   ? ElemLayout::flat
                           : step == 0 ? ElemLayout::one
                                       : ElemLayout::strided);
    vectors = vectors && layout.steps.back() != ElemLayout::strided;
    item = std::max(item, dtype_size(v.dtype));
  }
  layout.vector = static_cast<int>(kVectorBytes / item);
  if (last > 0) vectors = vectors && shape[last] % layout.vector == 0;
  for (size_t i = 0; i < views.size() && vectors; ++i) {
    if (layout.steps[i] == ElemLayout::one) continue;
    const size_t bytes = dtype_size(views[i].dtype) * static_cast<size_t>(layout.vector);
    vectors = reinterpret_cast<uintptr_t>(views[i].data) % bytes == 0;
    for (int d = 0; d < last; ++d) vectors = vectors && views[i].strides[d] % layout.vector == 0;
  }
  if (!vectors) layout.vector = 1;
  return layout;
}

}  // namespace

void Kernels::elementwise(const ElemProgram& program, const TensorView* inputs,
                          const TensorView* outputs) {
  const int64_t n = outputs[0].shape.size();
  if (n == 0) return;
  std::vector<TensorView> views(inputs, inputs + program.inputs.size());
  views.insert(views.end(), outputs, outputs + program.outputs.size());
  for (const TensorView& v : views) device_type(v.dtype);
  // A view of one shape: the first may be an input that repeats, all have the outputs' shape.
  collapse_dimensions(&views);
  const ElemLayout layout = layout_of(views, n);
  Handle& function = elem_functions_[key_of(program, layout)];
  if (!function) function = function_of(device_, elem_source(program, layout), "elements");
  std::vector<uint64_t> arguments;
  for (const TensorView& v : views) arguments.push_back(reinterpret_cast<uintptr_t>(v.data));
  for (const ElemInstr& q : program.instrs) {
    if (has_number(q)) arguments.push_back(number_of(q));
  }
  arguments.push_back(static_cast<uint64_t>(n));
  const Shape& shape = views[0].shape;
  for (int d = 1; d < layout.ndim; ++d) arguments.push_back(static_cast<uint64_t>(shape[d]));
  for (const TensorView& v : views) {
    for (int d = 0; d < layout.ndim; ++d) arguments.push_back(static_cast<uint64_t>(v.strides[d]));
  }
  const int64_t threads = (n + layout.vector - 1) / layout.vector;
  launch(function, blocks_for((threads + kThreads - 1) / kThreads), kThreads, arguments);
}

namespace {

// The same elements as integers of their size, which a kernel only moves.
TensorView as_words(TensorView view) {
  switch (dtype_size(view.dtype)) {
    case 1:
      view.dtype = DType::uint8;
      return view;
    case 2:
      view.dtype = DType::uint16;
      return view;
    case 4:
      view.dtype = DType::uint32;
      return view;
    default:
      break;
  }
  if (dtype_size(view.dtype) == 16) {  // two words an element
    for (int d = 0; d < view.shape.ndim(); ++d) view.strides[d] *= 2;
    if (view.shape.ndim() == kMaxDims) throw NotOnDevice("a copy of that many dimensions");
    view.shape.push_back(2);
    view.strides.push_back(1);
  }
  view.dtype = DType::uint64;
  return view;
}

}  // namespace

void Kernels::copy_here(const TensorView& src, const TensorView& dst) {
  if (src.contiguous() && dst.contiguous()) {
    lane_.open();
    const size_t bytes = static_cast<size_t>(src.size()) * dtype_size(src.dtype);
    device_.check(
        driver().copy_device(address_of(dst.data), address_of(src.data), bytes, lane_.stream()),
        "cuMemcpyDtoDAsync");
    return;
  }
  std::vector<TensorView> views{src, dst};
  collapse_dimensions(&views);
  const TensorView from = as_words(views[0]), to = as_words(views[1]);
  ElemProgram program;
  program.inputs = {from.dtype};
  ElemInstr q;
  q.dtype = q.out_dtype = from.dtype;
  q.a = {ElemOperand::input, 0};
  program.instrs = {q};
  program.outputs = {0};
  elementwise(program, &from, &to);
}

}  // namespace cuda
}  // namespace hybrid
