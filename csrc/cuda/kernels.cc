#include "cuda/kernels.h"

#include <algorithm>
#include <atomic>

#include "core/pool.h"
#include "engine/section.h"

namespace hybrid {
namespace cuda {
namespace {

constexpr size_t kScratchBlock = size_t{1} << 20;
constexpr int kBlocksEach = 16;  // of a processor, at most

}  // namespace

Kernels& kernels_of(Device& device, int lane) {
  static std::atomic<Kernels*> made[kMaxGpus][kLanes];
  std::atomic<Kernels*>& slot = made[device.number][lane];
  Kernels* kernels = slot.load(std::memory_order_acquire);
  if (kernels) return *kernels;
  static std::mutex mutex;
  const std::lock_guard<std::mutex> guard(mutex);
  if (!slot.load()) slot.store(new Kernels(device, lane), std::memory_order_release);
  return *slot.load();
}

Kernels::Kernels(Device& device, int lane)
    : device_(device), lane_(*device.lanes[lane]), staging_(device, lane_) {}

int64_t Kernels::blocks_for(int64_t wanted) const {
  const int64_t most = static_cast<int64_t>(device_.processors) * kBlocksEach;
  return std::max<int64_t>(1, std::min(wanted, most));
}

void Kernels::launch(Handle function, int64_t blocks, int threads, std::vector<uint64_t>& arguments,
                     int shared_bytes) {
  lane_.open();
  void* parameters[] = {arguments.data()};
  const auto grid = static_cast<unsigned>(blocks), block = static_cast<unsigned>(threads);
  device_.check(
      driver().launch(function, grid, 1, 1, block, 1, 1, static_cast<unsigned>(shared_bytes),
                      lane_.stream(), parameters, nullptr),
      "cuLaunchKernel");
}

void* Kernels::workspace(size_t bytes) {
  bytes = std::max<size_t>(256, (bytes + 255) / 256 * 256);
  for (Scratch& s : scratch_) {
    if (s.block->bytes - s.used < bytes) continue;
    s.used += bytes;
    return reinterpret_cast<char*>(s.block->address) + s.used - bytes;
  }
  Block* const block = device_.pool->take(std::max(bytes, kScratchBlock));
  require(block != nullptr, "workspace: no memory for ", bytes, " bytes on gpu(", device_.number,
          ")");
  lane_.use(block);
  scratch_.push_back({block, bytes});
  return reinterpret_cast<char*>(block->address);
}

// The stream works in order, so the next kernel may write what this one has still to read.
void Kernels::reset_workspace() {
  for (Scratch& s : scratch_) s.used = 0;
}

void Kernels::give_workspace() {
  for (const Scratch& s : scratch_) device_.pool->give(s.block);
  scratch_.clear();
}

void Kernels::note(const trace::Record* record) { lane_.note(record); }

}  // namespace cuda
}  // namespace hybrid
