// Device: one physical GPU: what it is, its memory and its three lanes.
#pragma once
#include <memory>
#include <mutex>
#include <string>

#include "core/gpu_memory.h"
#include "cuda/lane.h"
#include "cuda/pool.h"

namespace hybrid {
namespace cuda {

class Device {
 public:
  explicit Device(int number);

  const int number;
  std::string name;
  int major = 0, minor = 0;  // compute capability
  int processors = 0;
  size_t memory = 0;
  Handle context = nullptr;
  std::unique_ptr<DevicePool> pool;
  std::unique_ptr<Lane> lanes[kLanes];

  // Makes this GPU the calling thread's. Throws Error when it was lost, or in a forked child.
  void enter() const;
  // Throws Error when `result` is not success. What a GPU does not recover from is remembered, with
  // the operator whose work failed.
  void check(Result result, const char* function);
  void wait(const Block& block);  // until everything that uses the block is done
  void wait_all();
  void retire();  // shows on the timeline what has been done since

 private:
  mutable std::mutex mutex_;
  std::string lost_;  // why nothing runs here any more
};

Device& device_of(int number);  // made on first use
inline Device& device_of(Context ctx) { return device_of(ctx.id); }
Device* device_in_use(int number);  // null: not used yet

}  // namespace cuda
}  // namespace hybrid
