// KernelCost: what a kernel asks of a device that is known by its data sheet.
#pragma once
#include <cstdint>
#include <vector>

#include "core/context.h"
#include "core/dtype.h"

namespace hybrid {
namespace model {

struct KernelCost {
  double flops = 0;  // floating-point operations, or those of integers
  double bytes = 0;  // read and written
  DType dtype = DType::float32;
  bool dense = false;  // a product of matrices or a convolution: tensor cores can do it
};

// One kernel of what is pushed, as the timeline names it.
struct Kernel {
  KernelCost cost;
  uint32_t name = 0, site = 0, node = 0;  // interned name and site, the node's serial in the trace
  double times = 1;                       // that it runs, one run after the other
};

// A sum over devices, its result on some or all of them.
struct Exchange {
  const Context* devices = nullptr;
  int num_devices = 0;
  double bytes = 0;      // of every device's part
  bool sums = false;     // else one device gives
  bool spreads = false;  // else one device gets
};

// Operators of several devices that wait for each other and tell each other numbers.
struct Meet {
  int32_t kernel = 0;   // of the operator's: before it ends it waits for the others
  uint64_t number = 0;  // of the meeting
  int num_devices = 0;
  double bytes = 0;              // that each tells
  std::vector<Context> devices;  // all of them, once the last one calls
};

}  // namespace model
}  // namespace hybrid
