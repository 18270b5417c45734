// What a kernel may use while it runs: the intra-op pool, scratch memory, the cancel flag.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace hybrid {

class DeviceKernels;  // kernels/device_kernels.h
namespace engine {
class Seats;  // engine/meeting.h
}

// Scratch memory of a device whose memory is not the host's.
class DeviceScratch {
 public:
  virtual void* workspace(size_t bytes) = 0;
  virtual void reset_workspace() = 0;

 protected:
  ~DeviceScratch() = default;
};

class Resources {
 public:
  Resources() = default;
  ~Resources();
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;

  // Calls body(arg, begin, end) over [0, n) in chunks of about `grain`; the caller works too and
  // does everything itself if nobody joins. Chunk borders are a function of (n, grain) only.
  // Returns early (work undone) when cancelled. Nested calls run serially. What `body` throws is
  // rethrown to the caller.
  void parallel_for(int64_t n, int64_t grain, void (*body)(void* arg, int64_t begin, int64_t end),
                    void* arg);
  template <class F>
  void parallel(int64_t n, int64_t grain, F&& f) {
    parallel_for(
        n, grain,
        [](void* arg, int64_t b, int64_t e) {
          (*static_cast<std::remove_reference_t<F>*>(arg))(b, e);
        },
        &f);
  }
  // Scratch valid until the kernel returns; 64-byte aligned; per calling kernel, not per chunk.
  void* workspace(size_t bytes);
  void reset_workspace();  // by the caller of the kernel, between kernels
  // Long kernels poll this between blocks of about 10 ms and return early when set. In naive mode
  // it also asks for interrupts, every 50 ms, when the operator runs on the main thread.
  bool cancelled() const;
  // Nobody wants the results any more: there was an interruption after the push.
  bool discarded() const;
  // Runs the kernels where memory is not the host's; null: the CPU does.
  DeviceKernels* device() const { return device_; }

  // Where the operator that runs meets other devices; null: nowhere.
  engine::Seats* seats() const { return seats_; }

  static Resources& current();  // of this thread

  // --- for whoever runs the kernel ---
  // The flag that cancelled() looks at, and whether it asks for interrupts too. Without a start, as
  // when small work is inlined, nothing is ever cancelled.
  void start_operator(const std::atomic<bool>* cancel, bool interruptible);
  void discard_after(uint64_t push_mark);  // interruptions since then count as cancelling
  void finish_kernels();  // from here on they do not: what is being overwritten is to be whole
  // True when the operator was told to stop, so that its outputs may be incomplete.
  bool was_cancelled() const { return stopped_.load(std::memory_order_relaxed); }
  const char* why_cancelled() const { return discarded() ? "interrupted" : "cancelled"; }
  bool was_interrupted() const { return interrupted_.load(std::memory_order_relaxed); }
  void finish_operator();  // forgets all that, and the scratch memory
  void set_seats(engine::Seats* seats) { seats_ = seats; }
  // Others did not come to where it waited for them. `told`: the user knows why.
  void note_ended(bool told) {
    ended_ = true;
    told_ = told;
  }
  bool ended() const { return ended_; }
  bool told() const { return told_; }
  void set_device(DeviceKernels* device, DeviceScratch* scratch) {
    device_ = device;
    scratch_ = scratch;
  }

 private:
  void ask() const;
  struct Block {
    char* data;
    size_t bytes;
  };
  std::vector<Block> blocks_;
  size_t used_ = 0;    // of the last block
  size_t wanted_ = 0;  // by this kernel, all blocks together
  const std::atomic<bool>* cancel_ = nullptr;
  DeviceKernels* device_ = nullptr;
  DeviceScratch* scratch_ = nullptr;  // of that device
  engine::Seats* seats_ = nullptr;
  bool ended_ = false, told_ = false;
  bool interruptible_ = false;
  bool discardable_ = false;
  bool finishing_ = false;
  uint64_t push_mark_ = 0;
  mutable std::atomic<bool> stopped_{false};
  mutable std::atomic<bool> interrupted_{false};
  mutable std::atomic<uint64_t> next_check_{0};
};

int num_threads();            // size of the shared intra-op pool, the caller included
void set_num_threads(int n);  // 1: everything on the caller

}  // namespace hybrid
