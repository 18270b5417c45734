// Kernels: what a lane of a GPU computes, as kernels/device_kernels.h asks for it.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda/device.h"
#include "cuda/staging.h"
#include "kernels/device_kernels.h"
#include "kernels/reduce_shape.h"

namespace hybrid {
namespace cuda {

inline Address address_of(const void* data) {
  return static_cast<Address>(reinterpret_cast<uintptr_t>(data));
}

class Kernels : public DeviceKernels {
 public:
  Kernels(Device& device, int lane);

  Device& device() { return device_; }
  Lane& lane() { return lane_; }
  Staging& staging() { return staging_; }
  // Runs a function of the device's; `arguments` is the kernel's one parameter.
  void launch(Handle function, int64_t blocks, int threads, std::vector<uint64_t>& arguments,
              int shared_bytes = 0);
  // As many blocks as there are, up to what keeps the GPU busy: kernels step over the rest.
  int64_t blocks_for(int64_t wanted) const;

  // Between arrays of this GPU.
  void copy_here(const TensorView& src, const TensorView& dst);
  void copy_by_kernels(const TensorView& src, const TensorView& dst);
  void copy_by_host(const TensorView& src, const TensorView& dst);
  void copy_from_peer(const TensorView& src, const TensorView& dst, const Block& block);

  void* workspace(size_t bytes) override;
  void reset_workspace() override;
  void give_workspace();  // at the end of a section
  void note(const trace::Record* record) override;

  void elementwise(const ElemProgram& program, const TensorView* inputs,
                   const TensorView* outputs) override;
  void strided_copy(const TensorView& src, const TensorView& dst) override;
  void reduce(Reduction kind, const TensorView& x, uint32_t axes_mask,
              const TensorView& out) override;
  void softmax(DType dtype, int64_t outer, int64_t axis, int64_t inner, const void* x, void* y,
               double temperature, bool log) override;
  void softmax_grad(DType dtype, int64_t outer, int64_t axis, int64_t inner, const void* dy,
                    const void* y, void* dx, double temperature, bool log) override;
  void layer_norm(DType dtype, int64_t outer, int64_t size, int64_t inner, const void* x,
                  double eps, const void* gamma, const void* beta, void* y, void* mean,
                  void* std) override;
  void gemm(DType dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, const void* a,
            int64_t lda, const void* b, int64_t ldb, void* c, int64_t ldc,
            bool accumulate) override;
  void conv2d(DType dtype, const ConvParams& p, const void* x, const void* w, const void* bias,
              void* y) override;
  void conv2d_grad_input(DType dtype, const ConvParams& p, const void* dy, const void* w,
                         void* dx) override;
  void conv2d_grad_weight(DType dtype, const ConvParams& p, const void* dy, const void* x,
                          void* dw) override;
  void pool2d(DType dtype, const PoolParams& p, const void* x, void* y) override;
  void pool2d_grad(DType dtype, const PoolParams& p, const void* dy, const void* x, const void* y,
                   void* dx) override;
  void gather(const IndexedRows& rows, const TensorView& data, const TensorView& indices,
              const TensorView& out) override;
  void scatter(const IndexedRows& rows, const TensorView& grad, const TensorView& indices,
               const TensorView& out) override;
  void on_host(const char* op, const TensorView* inputs, int num_in, const TensorView* outputs,
               int num_out, void (*run)(void*, const TensorView*, const TensorView*),
               void* self) override;

 private:
  void search(bool largest, DType dtype, const ReduceStage& stage, const void* x,
              const TensorView& out);

  Device& device_;
  Lane& lane_;
  Handle blas_ = nullptr;  // made when the lane first multiplies
  Staging staging_;
  std::unordered_map<std::string, Handle> elem_functions_;  // by program and layout
  struct Scratch {
    Block* block;
    size_t used;
  };
  std::vector<Scratch> scratch_;
};

Kernels& kernels_of(Device& device, int lane);

}  // namespace cuda
}  // namespace hybrid
