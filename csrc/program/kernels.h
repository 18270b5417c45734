// The kernels of a program: every step resolved to code and to windows on numbered buffers.
#pragma once
#include <memory>
#include <vector>

#include "core/fork.h"
#include "engine/run_time.h"
#include "graph/window_write.h"
#include "kernels/row_kernel.h"
#include "program/program.h"

namespace hybrid {

// A window on a buffer whose address is known when the program runs.
struct Slot {
  int32_t buffer = -1;
  int64_t bytes = 0;  // from the buffer's start
  TensorView view;    // data is null
};

struct ProgramKernel {
  KernelKind kind = KernelKind::op;
  const OpDef* op_def = nullptr;
  Attrs attrs;
  ElemProgram elem;
  std::shared_ptr<const RowKernel> rows_kernel;
  WindowWrite window;  // write: where the result lies in the output; the rest is input `base`
  int base = -1;
  TensorView whole;  // of input `base`, data is null
  // product: the operator's inputs among the slots, and all inputs as the epilogue reads them, its
  // result last.
  std::vector<int> product_inputs;
  std::vector<TensorView> epilogue_views;
  std::vector<Slot> slots;  // inputs, then outputs
  int num_in = 0, num_out = 0;
  int32_t key_slot = -1;
  bool for_update = false;  // an array with new contents needs it
  NodeId node = 0;
  uint32_t serial = 0;  // its node's in the trace: no two programs share one
  uint32_t name = 0, site = 0;
  double cost_ns = 0;
  model::KernelCost device_cost;
};

struct InputType {
  std::string name;
  Shape shape;
  DType dtype;
};

struct ResultWindow {  // one graph output
  int32_t buffer;      // of kind output, or a donated input
  // Which of Impl::outputs, which input, or which of Impl::given that buffer is.
  int32_t output = -1, input = -1, given = -1;
  Window window;
  Shape shape;
  DType dtype;
};

// A device that the graph of a loop or a branch names, which runs where the program does.
struct InnerDevice {
  Context ctx;
  uint32_t name = 0, site = 0;  // of the loop; of what names it
};

struct Program::Impl {
  std::vector<ProgramKernel> kernels;
  engine::KernelTimes::Nodes kernel_nodes;  // by kernel
  uint32_t first_serial = 0;  // of node 0; the nodes of the graph have the next ones by their ids
  std::vector<InnerDevice> inner_devices;
  std::vector<InputType> inputs;
  std::vector<int32_t> input_buffer;  // by input
  std::vector<bool> may_overwrite;    // by input: the plan writes into it
  std::vector<bool> updated;          // by input: those that get new contents
  size_t first_update = ~size_t{0};   // kernel that first overwrites an array with new contents
  std::vector<ResultWindow> results;
  struct OutputBuffer {
    int32_t buffer;
    int32_t output;  // whose window decides where a given array can take its place
    int64_t bytes;
  };
  std::vector<OutputBuffer> outputs, given;
  std::vector<int32_t> finished_after;  // by outputs: the last kernel that touches it
  struct Constant {
    int32_t buffer;
    NDArray value;
  };
  std::vector<Constant> constants;
  std::vector<std::pair<int32_t, int64_t>> arena;  // buffer, offset
  int64_t arena_bytes = 0;
  int32_t num_buffers = 0;
  int32_t num_keys = 0;
  int64_t output_bytes = 0;
  double cost_ns = 0;
  uint32_t name = 0;
  Context default_ctx;

  // For modelled devices; a loop's are those of its steps.
  struct DeviceKernels {
    std::vector<model::Kernel> kernels;
    std::vector<int32_t> last;            // by kernel of the program, among these
    std::vector<int32_t> finished_after;  // as above, among these
  };
  const DeviceKernels& device_kernels() const;  // made once
  mutable ObjectMutex device_kernels_mutex;
  mutable std::unique_ptr<const DeviceKernels> made_device_kernels;

  // Constants on another device, copied once.
  mutable ObjectMutex constants_mutex;
  mutable std::vector<std::pair<Context, std::vector<NDArray>>> constants_on;
  const std::vector<NDArray>* constants_for(Context ctx) const;
};

}  // namespace hybrid
