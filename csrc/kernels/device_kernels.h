// Device kernels: what kernels ask a device for whose memory the host cannot touch. The kernels of
// kernels.h hand themselves over when Resources::device() is there; csrc/cuda has the one device.
#pragma once
#include "core/error.h"
#include "engine/trace.h"
#include "kernels/kernels.h"

namespace hybrid {

// Thrown by a kernel that only the CPU has, before anything is written.
struct NotOnDevice : Error {
  using Error::Error;
};

// Data (outer, size, inner) beside indices (outer, count, inner).
struct IndexedRows {
  int64_t outer, size, inner, count;
  bool wraps, raises;  // indices out of range: neither clips them
};

class DeviceKernels : public DeviceScratch {
 public:
  virtual ~DeviceKernels() = default;
  // What was given to the device since the last note is this record's; null: it is not shown.
  virtual void note(const trace::Record* record) = 0;

  // As the functions of the same names. They throw NotOnDevice for what only the CPU computes.
  virtual void elementwise(const ElemProgram& program, const TensorView* inputs,
                           const TensorView* outputs) = 0;
  // Also between a device and the host, on a copy lane.
  virtual void strided_copy(const TensorView& src, const TensorView& dst) = 0;
  virtual void reduce(Reduction kind, const TensorView& x, uint32_t axes_mask,
                      const TensorView& out) = 0;
  virtual void softmax(DType dtype, int64_t outer, int64_t axis, int64_t inner, const void* x,
                       void* y, double temperature, bool log) = 0;
  virtual void softmax_grad(DType dtype, int64_t outer, int64_t axis, int64_t inner, const void* dy,
                            const void* y, void* dx, double temperature, bool log) = 0;
  virtual void layer_norm(DType dtype, int64_t outer, int64_t size, int64_t inner, const void* x,
                          double eps, const void* gamma, const void* beta, void* y, void* mean,
                          void* std) = 0;
  virtual void gemm(DType dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k,
                    const void* a, int64_t lda, const void* b, int64_t ldb, void* c, int64_t ldc,
                    bool accumulate) = 0;
  virtual void conv2d(DType dtype, const ConvParams& p, const void* x, const void* w,
                      const void* bias, void* y) = 0;
  virtual void conv2d_grad_input(DType dtype, const ConvParams& p, const void* dy, const void* w,
                                 void* dx) = 0;
  virtual void conv2d_grad_weight(DType dtype, const ConvParams& p, const void* dy, const void* x,
                                  void* dw) = 0;
  virtual void pool2d(DType dtype, const PoolParams& p, const void* x, void* y) = 0;
  virtual void pool2d_grad(DType dtype, const PoolParams& p, const void* dy, const void* x,
                           const void* y, void* dx) = 0;
  // out[o, k, i] = data[o, indices[o, k, i], i]; and sums of grad back to there, in zeros.
  virtual void gather(const IndexedRows& rows, const TensorView& data, const TensorView& indices,
                      const TensorView& out) = 0;
  virtual void scatter(const IndexedRows& rows, const TensorView& grad, const TensorView& indices,
                       const TensorView& out) = 0;
  // Computes `body` on the host with copies of the arrays: run(inputs, outputs) sees host memory.
  virtual void on_host(const char* op, const TensorView* inputs, int num_in,
                       const TensorView* outputs, int num_out,
                       void (*run)(void* self, const TensorView* inputs, const TensorView* outputs),
                       void* self) = 0;
};

// For kernels that touch memory themselves.
inline void only_on_host(const Resources& resources, const char* what) {
  if (resources.device()) throw NotOnDevice(what);
}

}  // namespace hybrid
