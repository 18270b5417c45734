// Memory of GPUs as storage takes it and gives it back.
#include "core/gpu_memory.h"
#include "cuda/device.h"
#include "engine/section.h"

namespace hybrid {
namespace cuda {

Block* take_memory(Context ctx, size_t bytes, void** address) {
  Block* const block = device_of(ctx).pool->take(bytes);
  if (!block) return nullptr;
  *address = reinterpret_cast<void*>(static_cast<uintptr_t>(block->address));
  if (Section* const section = Section::current()) section->use(block);
  return block;
}

void give_back(Block* block) {
  Section* const section = Section::current();
  if (section && section->uses(block)) return section->give_later(block);
  device_of(block->device).pool->give(block);
}

int64_t memory_limit(Context ctx) { return static_cast<int64_t>(device_of(ctx).pool->limit()); }

int64_t reserved_memory(Context ctx) {
  const Device* const device = device_in_use(ctx.id);
  return device ? device->pool->reserved() : 0;
}

void trim_memory(Context ctx) { device_of(ctx).pool->trim(); }

}  // namespace cuda
}  // namespace hybrid
