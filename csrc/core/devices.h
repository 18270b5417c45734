// Devices: which contexts exist. The host always; the machine's GPUs; those declared as virtual
// ones.
#pragma once
#include <cstdint>
#include <string>

#include "core/context.h"

namespace hybrid {
namespace devices {

// A virtual GPU is computed by the CPU, with lanes and a pool of its own, and labelled virtual.
void declare_virtual_gpus(int n);  // n in [0, 64], else Error
int num_virtual_gpus();
bool exists(Context ctx);
std::string why_absent(Context ctx);  // and how to get one
void check_exists(Context ctx);       // throws Error saying that
bool is_virtual(Context ctx);
// How much memory a virtual GPU has; 0: as much as the host. `backed`: it has memory at all, else
// addresses alone.
void limit_memory(Context ctx, int64_t bytes, bool backed);
bool is_physical(Context ctx);      // a GPU of the machine, core/gpu_memory.h
int num_gpus();                     // physical ones come first, then virtual ones
int64_t memory_bytes(Context ctx);  // a virtual GPU lives in host memory

}  // namespace devices
}  // namespace hybrid
