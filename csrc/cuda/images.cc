// Convolution and pooling on a GPU. A convolution is one product of matrices for as many images as
// their columns have room: their pixels lie one after the other, channels are rows.
#include <algorithm>

#include "cuda/kernels.h"
#include "cuda/modules.h"
#include "cuda/reduce_source.h"
#include "ops/emit.h"

namespace hybrid {
namespace cuda {
namespace {

constexpr int64_t kColumnBytes = int64_t{512} << 20;  // of one product's columns, at most

std::vector<uint64_t> words(const ConvParams& p, int64_t batch) {
  std::vector<uint64_t> all;
  for (const int64_t v :
       {batch, p.in_channels, p.in_h, p.in_w, p.out_h, p.out_w, p.kernel_h, p.kernel_w, p.stride_h,
        p.stride_w, p.pad_h, p.pad_w, p.dilate_h, p.dilate_w}) {
    all.push_back(static_cast<uint64_t>(v));
  }
  return all;
}

struct Convolution {
  Kernels& kernels;
  const DType dtype;
  const ConvParams& p;
  const int64_t item = static_cast<int64_t>(dtype_size(dtype));
  const int64_t pixels = p.out_h * p.out_w, taps = p.kernel_h * p.kernel_w;
  const int64_t rows = p.in_channels * taps;  // of the columns, all groups
  const int64_t depth = rows / p.groups, filters = p.out_channels / p.groups;

  int64_t images_at_once() const {
    return std::max<int64_t>(1, std::min(p.batch, kColumnBytes / (rows * pixels * item)));
  }
  void* scratch(int64_t elements) const {
    return kernels.workspace(static_cast<size_t>(elements * item));
  }
  void columns(const char* name, const void* from, void* to, int64_t batch, int64_t threads) const {
    std::vector<uint64_t> arguments{address_of(from), address_of(to)};
    for (const uint64_t word : words(p, batch)) arguments.push_back(word);
    kernels.launch(function_of(kernels.device(), images_source(dtype), name),
                   kernels.blocks_for((threads + 255) / 256), 256, arguments);
  }
  // Outputs of some images with channels as the rows of a matrix, or as they are in memory.
  TensorView outputs(void* data, int64_t batch, bool by_channel) const {
    TensorView view;
    view.data = data;
    view.dtype = dtype;
    view.shape = {batch, p.out_channels, pixels};
    view.strides =
        by_channel ? Shape{pixels, batch * pixels, 1} : Shape{p.out_channels * pixels, pixels, 1};
    return view;
  }
  char* at(const void* data, int64_t elements) const {
    return static_cast<char*>(const_cast<void*>(data)) + elements * item;
  }
};

}  // namespace

void Kernels::conv2d(DType dtype, const ConvParams& p, const void* x, const void* w,
                     const void* bias, void* y) {
  const Convolution c{*this, dtype, p};
  const int64_t some = c.images_at_once();
  void* const columns = c.scratch(c.rows * some * c.pixels);
  void* const product = c.scratch(p.out_channels * some * c.pixels);
  for (int64_t first = 0; first < p.batch; first += some) {
    const int64_t n = std::min(some, p.batch - first), width = n * c.pixels;
    c.columns("image_to_columns", c.at(x, first * p.in_channels * p.in_h * p.in_w), columns, n,
              c.rows * width);
    for (int64_t g = 0; g < p.groups; ++g) {
      gemm(dtype, false, false, c.filters, width, c.depth, c.at(w, g * c.filters * c.depth),
           c.depth, c.at(columns, g * c.depth * width), width, c.at(product, g * c.filters * width),
           width, false);
    }
    const TensorView made = c.outputs(product, n, true);
    const TensorView out = c.outputs(c.at(y, first * p.out_channels * c.pixels), n, false);
    if (!bias) {
      copy_here(made, out);
      continue;
    }
    TensorView add = made;
    add.data = const_cast<void*>(bias);
    add.strides = {0, 1, 0};
    ElemProgram program;
    program.inputs = {dtype, dtype};
    Emitter(&program.instrs).op(ElemCode::add, dtype, Emitter::input(0), Emitter::input(1));
    program.outputs = {0};
    const TensorView inputs[] = {made, add};
    elementwise(program, inputs, &out);
  }
}

void Kernels::conv2d_grad_input(DType dtype, const ConvParams& p, const void* dy, const void* w,
                                void* dx) {
  const Convolution c{*this, dtype, p};
  const int64_t some = c.images_at_once(), image = p.in_channels * p.in_h * p.in_w;
  void* const columns = c.scratch(c.rows * some * c.pixels);
  void* const gradient = c.scratch(p.out_channels * some * c.pixels);
  for (int64_t first = 0; first < p.batch; first += some) {
    const int64_t n = std::min(some, p.batch - first), width = n * c.pixels;
    copy_here(c.outputs(c.at(dy, first * p.out_channels * c.pixels), n, false),
              c.outputs(gradient, n, true));
    for (int64_t g = 0; g < p.groups; ++g) {
      gemm(dtype, true, false, c.depth, width, c.filters, c.at(w, g * c.filters * c.depth), c.depth,
           c.at(gradient, g * c.filters * width), width, c.at(columns, g * c.depth * width), width,
           false);
    }
    c.columns("columns_to_image", columns, c.at(dx, first * image), n, n * image);
  }
}

void Kernels::conv2d_grad_weight(DType dtype, const ConvParams& p, const void* dy, const void* x,
                                 void* dw) {
  const Convolution c{*this, dtype, p};
  const int64_t some = c.images_at_once();
  void* const columns = c.scratch(c.rows * some * c.pixels);
  void* const gradient = c.scratch(p.out_channels * some * c.pixels);
  for (int64_t first = 0; first < p.batch; first += some) {
    const int64_t n = std::min(some, p.batch - first), width = n * c.pixels;
    c.columns("image_to_columns", c.at(x, first * p.in_channels * p.in_h * p.in_w), columns, n,
              c.rows * width);
    copy_here(c.outputs(c.at(dy, first * p.out_channels * c.pixels), n, false),
              c.outputs(gradient, n, true));
    for (int64_t g = 0; g < p.groups; ++g) {
      gemm(dtype, false, true, c.filters, c.depth, width, c.at(gradient, g * c.filters * width),
           width, c.at(columns, g * c.depth * width), width, c.at(dw, g * c.filters * c.depth),
           c.depth, first > 0);
    }
  }
}

namespace {

void run_pool(Kernels& kernels, const char* name, DType dtype, const PoolParams& p, const void* x,
              const void* y, const void* dy, void* out, int64_t threads) {
  const ConvParams shape{p.batch, p.channels, p.in_h,     p.in_w,     p.channels, p.out_h,
                         p.out_w, p.kernel_h, p.kernel_w, p.stride_h, p.stride_w, p.pad_h,
                         p.pad_w, 1,          1,          1};
  std::vector<uint64_t> arguments{address_of(x), address_of(y), address_of(dy), address_of(out)};
  for (const uint64_t word : words(shape, p.batch)) arguments.push_back(word);
  arguments.push_back(p.type == PoolType::max);
  arguments.push_back(p.type == PoolType::avg);
  arguments.push_back(p.count_include_pad);
  kernels.launch(function_of(kernels.device(), images_source(dtype), name),
                 kernels.blocks_for((threads + 255) / 256), 256, arguments);
}

}  // namespace

void Kernels::pool2d(DType dtype, const PoolParams& p, const void* x, void* y) {
  run_pool(*this, "pool", dtype, p, x, nullptr, nullptr, y,
           p.batch * p.channels * p.out_h * p.out_w);
}

void Kernels::pool2d_grad(DType dtype, const PoolParams& p, const void* dy, const void* x,
                          const void* y, void* dx) {
  run_pool(*this, "pool_gradient", dtype, p, x, y, dy, dx, p.batch * p.channels * p.in_h * p.in_w);
}

}  // namespace cuda
}  // namespace hybrid
