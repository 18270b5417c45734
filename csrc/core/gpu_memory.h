// The machine's GPUs and their memory, as arrays need them; csrc/cuda defines these functions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/context.h"

namespace hybrid {
namespace cuda {

struct Block;

int num_devices();                   // 0 without a driver
const std::string& why_no_driver();  // "" with one
bool is_physical(Context ctx);

// From the GPU's pool, null when there is no more. An operator that runs uses it from here on.
Block* take_memory(Context ctx, size_t bytes, void** address);
// To its pool; by an operator that runs, when it has given everything to its stream.
void give_back(Block* block);
int64_t memory_limit(Context ctx);     // bytes that its pool may take
int64_t reserved_memory(Context ctx);  // bytes that it has taken; 0 while nobody has used the GPU
void trim_memory(Context ctx);         // what it caches goes back to the driver

}  // namespace cuda
}  // namespace hybrid
