// Var: the engine's view of one piece of data: who uses it, its version, its stored error.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace hybrid {
namespace cuda {
struct Block;  // csrc/cuda
}
namespace engine {

struct Operation;  // operation.h
struct Access;

// The error kept in every variable an operator failed to write, with where it was pushed.
struct StoredError {
  std::string message;                // complete text, as shown to the user
  std::string op;                     // operator name
  uint32_t site = 0;                  // push site, see trace.h
  std::atomic<bool> reported{false};  // waitall raises each error once
  bool discarded = false;             // an interruption has ended the work
  bool not_computed = false;          // no failure: the device is modelled only
  bool others_missing = false;  // no failure of its own: other devices' operators did not come
  // Of operators that use the result, those pushed up to this one leave alone what they update.
  uint64_t last_dependent = 0;
};

struct Var {
  // Operators queued or running that read or write this variable. 0: idle.
  std::atomic<uint32_t> pending{0};
  // Operators queued or running that write it.
  std::atomic<uint32_t> pending_writes{0};
  // Bumped by every write when it is pushed, so that a tape can see a later overwrite.
  std::atomic<uint64_t> version{0};
  // Poison, see `poisoned`. Guarded by the engine.
  std::shared_ptr<StoredError> error;
  // Serial of the queued operator that wrote it last, if its version is still that one's.
  uint32_t writer = 0;
  uint32_t written_version = 0;  // mod 2^32
  // Accesses that wait their turn, in program order, and those whose turn it is. Guarded by the
  // engine. `mark` finds a variable named twice by one operator.
  Access* head = nullptr;
  Access* tail = nullptr;
  uint64_t mark = 0;
  uint32_t active_reads = 0;
  bool active_write = false;
  std::atomic<bool> poisoned{false};  // set when a writer failed; cleared by a whole overwrite
  // On the modelled clock (csrc/model) an operator writes it, or uses it, and has not ended.
  static constexpr uint8_t kWritten = 1, kUsed = 2;
  std::atomic<uint8_t> modelled{0};
  cuda::Block* block = nullptr;  // memory of a physical GPU: it knows its last users

  bool idle() const { return pending.load(std::memory_order_acquire) == 0; }
  bool modelled_writes() const { return modelled.load(std::memory_order_relaxed) & kWritten; }
  bool modelled_uses() const { return modelled.load(std::memory_order_relaxed) != 0; }
};

}  // namespace engine
}  // namespace hybrid
