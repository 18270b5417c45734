// fully_connected: the product, then bias, activation and what follows, some rows at a time.
#include <algorithm>

#include "kernels/by_dtype.h"
#include "kernels/device_kernels.h"
#include "kernels/elem_table.h"
#include "kernels/finish.h"

namespace hybrid {

namespace {

// On a device: bias, each to a column.
void add_bias(DType dtype, int64_t m, int64_t n, const void* bias, void* y, DeviceKernels& device) {
  TensorView out, column;
  out.data = y;
  out.dtype = column.dtype = dtype;
  out.shape = column.shape = {m, n};
  out.strides = {n, 1};
  column.data = const_cast<void*>(bias);
  column.strides = {0, 1};
  ElemProgram program;
  program.inputs = {dtype, dtype};
  ElemInstr add;
  add.code = ElemCode::add;
  add.dtype = add.out_dtype = dtype;
  add.a = {ElemOperand::input, 0};
  add.b = {ElemOperand::input, 1};
  program.instrs = {add};
  program.outputs = {0};
  const TensorView inputs[] = {out, column};
  device.elementwise(program, inputs, &out);
}

// What is done with the product's rows, each chunk while it is in cache.
void finish_rows(DType dtype, int64_t m, int64_t n, const void* bias, ElemCode activation, void* y,
                 const Finish* finish, Resources& resources) {
  const int type = elem_type(dtype);
  const auto fn_of = [type](ElemCode code) {
    return elem_table().code[static_cast<int>(code)][type][0];
  };
  const BlockFn add = bias ? fn_of(ElemCode::add) : nullptr;
  const BlockFn act = activation == ElemCode::copy ? nullptr : fn_of(activation);
  if (!add && !act && !finish) return;
  const int64_t row_bytes = n * static_cast<int64_t>(dtype_size(dtype));
  const auto rows = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      char* row = static_cast<char*>(y) + i * row_bytes;
      if (add) add(row, bias, nullptr, row, n);
      if (act) act(row, nullptr, nullptr, row, n);
    }
    if (finish) (*finish)(begin* n, end* n);
  };
  // Rows of one turn fit the first-level cache, those of a chunk are one thread's.
  constexpr int64_t kTurnElements = 1 << 12, kChunkElements = 1 << 16;
  const int64_t turn = std::max<int64_t>(1, kTurnElements / std::max<int64_t>(1, n));
  auto chunk = [&](int64_t begin, int64_t end) {
    if (!finish) return rows(begin, end);
    for (int64_t i = begin; i < end; i += turn) rows(i, std::min(end, i + turn));
  };
  const int64_t grain = std::max<int64_t>(1, kChunkElements / std::max<int64_t>(1, n));
  if (m <= grain) return chunk(0, m);
  resources.parallel(m, grain, chunk);
}

}  // namespace

void fully_connected(DType dtype, int64_t m, int64_t n, int64_t k, const void* x, const void* w,
                     const void* bias, ElemCode activation, void* y, Resources& resources) {
  gemm(dtype, false, true, m, n, k, x, k, w, k, y, n, false, resources);
  finish_rows(dtype, m, n, bias, activation, y, nullptr, resources);
}

void fully_connected_finished(DType dtype, int64_t m, int64_t n, int64_t k, const void* x,
                              const void* w, const void* bias, void* y, const Finish* finish,
                              Resources& resources) {
  gemm(dtype, false, true, m, n, k, x, k, w, k, y, n, false, resources);
  if (DeviceKernels* const device = resources.device()) {
    require(finish == nullptr, "FullyConnected: on a device an epilogue is a kernel of its own");
    if (bias) add_bias(dtype, m, n, bias, y, *device);
    return;
  }
  finish_rows(dtype, m, n, bias, ElemCode::copy, y, finish, resources);
}

}  // namespace hybrid
