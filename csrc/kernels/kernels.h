// Dense kernels behind the operators: matrix products, convolution, pooling, reductions, softmax...
// All views are contiguous unless said; accumulation order is a function of shape and dtype only.
#pragma once
#include "kernels/elementwise.h"

namespace hybrid {

// c[m,n] = op(a) @ op(b) (+ c when accumulate); float32/float64; row-major, leading dims in
// elements.
void gemm(DType dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, const void* a,
          int64_t lda, const void* b, int64_t ldb, void* c, int64_t ldc, bool accumulate,
          Resources& resources);
// Integer matmul (every integer type), simple.
void gemm_int(DType dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k,
              const void* a, const void* b, void* c, Resources& resources);

// The product of complex matrices; not transposed conjugates, as NumPy's matmul.
void gemm_complex(DType dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k,
                  const void* a, const void* b, void* c, Resources& resources);

// y = x @ w^T + bias, then activation; the row-vector (m small) path streams w once.
// activation: relu, sigmoid, tanh, softrelu, softsign, or copy for none. bias may be null.
// Bit-identical to the unfused sequence (product; + bias; activation).
void fully_connected(DType dtype, int64_t m, int64_t n, int64_t k, const void* x, const void* w,
                     const void* bias, ElemCode activation, void* y, Resources& resources);

struct ConvParams {  // NCDHW, float32/float64; an image has depth 1, a series height 1 as well
  int64_t batch, in_channels, in_h, in_w, out_channels, out_h, out_w;
  int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilate_h, dilate_w, groups;
  int64_t in_d = 1, out_d = 1, kernel_d = 1, stride_d = 1, pad_d = 0, dilate_d = 1;

  bool is_volume() const { return in_d != 1 || out_d != 1 || kernel_d != 1; }
  int64_t in_size() const { return in_d * in_h * in_w; }  // of one channel
  int64_t out_size() const { return out_d * out_h * out_w; }
  int64_t taps() const { return kernel_d * kernel_h * kernel_w; }
};
void conv2d(DType dtype, const ConvParams& p, const void* x, const void* w, const void* bias,
            void* y, Resources& resources);
void conv2d_grad_input(DType dtype, const ConvParams& p, const void* dy, const void* w, void* dx,
                       Resources& resources);
void conv2d_grad_weight(DType dtype, const ConvParams& p, const void* dy, const void* x, void* dw,
                        Resources& resources);

enum class PoolType : uint8_t { max, avg, sum };
struct PoolParams {
  int64_t batch, channels, in_h, in_w, out_h, out_w;
  int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
  PoolType type;
  bool count_include_pad;
  int64_t in_d = 1, out_d = 1, kernel_d = 1, stride_d = 1, pad_d = 0;

  bool is_volume() const { return in_d != 1 || out_d != 1 || kernel_d != 1; }
  int64_t in_size() const { return in_d * in_h * in_w; }  // of one channel
  int64_t out_size() const { return out_d * out_h * out_w; }
};
void pool2d(DType dtype, const PoolParams& p, const void* x, void* y, Resources& resources);
// x and y are the forward's input and output (max: ties go to the first); dx is overwritten.
void pool2d_grad(DType dtype, const PoolParams& p, const void* dy, const void* x, const void* y,
                 void* dx, Resources& resources);

enum class Reduction : uint8_t {
  sum,
  prod,
  max,
  min,
  any,
  all,
  argmax,
  argmin,
  sum_squares,
  nansum
};
// Reduces the axes in `axes_mask` of x (strided input allowed); out is contiguous, of any dtype
// (complex: its own; argmax, argmin: int64; max, min of uint64: uint64).
// Floats accumulate in double after short runs, integers and bool wrap in int64. max, min: a NaN
// stays. argmax/argmin: one axis or all axes (flattened); the first of equal elements, or the first
// NaN. Empty reductions of max/min throw.
void reduce(Reduction kind, const TensorView& x, uint32_t axes_mask, const TensorView& out,
            Resources& resources);

// Along the last-but-`inner` axis: x viewed as (outer, axis, inner).
void softmax(DType dtype, int64_t outer, int64_t axis, int64_t inner, const void* x, void* y,
             double temperature, bool log, Resources& resources);
void softmax_grad(DType dtype, int64_t outer, int64_t axis, int64_t inner, const void* dy,
                  const void* y, void* dx, double temperature, bool log, Resources& resources);

// dst (contiguous or strided) = src (strided), same shape and dtype: transpose, slice, contiguous.
void strided_copy(const TensorView& src, const TensorView& dst, Resources& resources);

// Counter-based (Philox 4x32-10): element i of draw `key` is a pure function of (key, i).
void random_uniform(DType dtype, uint64_t key, double low, double high, int64_t n, void* out,
                    Resources& resources);
void random_normal(DType dtype, uint64_t key, double loc, double scale, int64_t n, void* out,
                   Resources& resources);
void random_int(DType dtype, uint64_t key, int64_t low, int64_t high, int64_t n, void* out,
                Resources& resources);
// 0 with probability p, else 1/(1-p).
void dropout_mask(DType dtype, uint64_t key, double p, int64_t n, void* out, Resources& resources);

}  // namespace hybrid
