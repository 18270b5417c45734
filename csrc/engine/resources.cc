// Resources of a thread: parallel_for, scratch memory, the cancel flag.
#include "engine/resources.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "core/error.h"
#include "engine/interrupt.h"
#include "engine/trace.h"
#include "engine/workers.h"

namespace hybrid {
namespace {

constexpr size_t kFirstBlock = size_t{64} << 10;
constexpr size_t kKept = size_t{64} << 20;  // more than this is given back after the kernel

thread_local Resources this_thread;

}  // namespace

Resources& Resources::current() { return this_thread; }

Resources::~Resources() {
  for (const Block& block : blocks_) std::free(block.data);
}

void Resources::parallel_for(int64_t n, int64_t grain,
                             void (*body)(void* arg, int64_t begin, int64_t end), void* arg) {
  if (n <= 0) return;
  grain = std::max<int64_t>(1, std::min(grain, n));
  const int64_t chunks = (n - 1) / grain + 1;
  Workers& workers = Workers::shared();
  if (chunks == 1 || workers.size() == 1 || Workers::inside_job()) {
    for (int64_t i = 0; i < chunks; ++i) {
      if (chunks > 1 && cancelled()) return;
      body(arg, i * grain, i + 1 == chunks ? n : (i + 1) * grain);
    }
    return;
  }
  Job job;
  job.body = body;
  job.arg = arg;
  job.n = n;
  job.grain = grain;
  job.chunks = chunks;
  job.resources = this;
  workers.run(job);
}

void* Resources::workspace(size_t bytes) {
  if (scratch_) return scratch_->workspace(bytes);
  bytes = (std::max<size_t>(bytes, 1) + 63) & ~size_t{63};
  if (blocks_.empty() || blocks_.back().bytes - used_ < bytes) {
    const size_t size =
        std::max({bytes, kFirstBlock, blocks_.empty() ? 0 : std::min(2 * wanted_, kKept)});
    void* data = nullptr;
    if (posix_memalign(&data, 64, size) != 0) fail("workspace: no memory for ", bytes, " bytes");
    blocks_.push_back({static_cast<char*>(data), size});
    used_ = 0;
  }
  char* const result = blocks_.back().data + used_;
  used_ += bytes;
  wanted_ += bytes;
  return result;
}

void Resources::reset_workspace() {
  if (scratch_) return scratch_->reset_workspace();
  if (wanted_ == 0) return;
  // The last block is the largest: keep it for the next kernel, unless it is a giant.
  while (blocks_.size() > 1) {
    std::free(blocks_.front().data);
    blocks_.erase(blocks_.begin());
  }
  if (blocks_.back().bytes > kKept) {
    std::free(blocks_.back().data);
    blocks_.clear();
  }
  used_ = wanted_ = 0;
}

void Resources::start_operator(const std::atomic<bool>* cancel, bool interruptible) {
  cancel_ = cancel;
  interruptible_ = interruptible && engine::interruptible();
  next_check_.store(0, std::memory_order_relaxed);
}

void Resources::discard_after(uint64_t push_mark) {
  discardable_ = true;
  push_mark_ = push_mark;
}

void Resources::finish_kernels() { finishing_ = true; }

void Resources::finish_operator() {
  cancel_ = nullptr;
  seats_ = nullptr;
  interruptible_ = discardable_ = finishing_ = ended_ = told_ = false;
  stopped_.store(false, std::memory_order_relaxed);
  interrupted_.store(false, std::memory_order_relaxed);
  reset_workspace();
}

bool Resources::discarded() const {
  return discardable_ && (was_interrupted() || engine::ended_since(push_mark_));
}

bool Resources::cancelled() const {
  if (!cancel_) return false;
  if (stopped_.load(std::memory_order_relaxed)) return true;
  ask();
  const bool unwanted = discardable_ ? discarded() : was_interrupted();
  if (!cancel_->load(std::memory_order_relaxed) && (finishing_ || !unwanted)) return false;
  stopped_.store(true, std::memory_order_relaxed);
  return true;
}

// Whether the user interrupts, which only the main thread may find out.
void Resources::ask() const {
  if (!interruptible_ || this != &this_thread) return;
  const uint64_t now = trace::ticks(), due = next_check_.load(std::memory_order_relaxed);
  if (due != 0 && now < due) return;
  static const uint64_t interval = trace::ticks_of_ns(engine::kInterruptCheckNs);
  next_check_.store(now + interval, std::memory_order_relaxed);
  if (due != 0 && engine::interrupt_pending()) {
    interrupted_.store(true, std::memory_order_relaxed);
  }
}

}  // namespace hybrid
