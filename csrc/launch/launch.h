// Launch: one kernel on its arrays, on the caller when small and idle, else as an engine task.
#pragma once
#include <vector>

#include "engine/engine.h"
#include "engine/meeting.h"
#include "launch/run_op.h"
#include "launch/thread_state.h"

namespace hybrid {

uint32_t name_id(const OpDef& op);  // interned, cached per thread

// Nobody is writing it and it holds a value, now.
inline bool ready_to_read(const Storage& s) {
  return s.var.pending_writes.load(std::memory_order_acquire) == 0 && !s.var.modelled_writes() &&
         !s.var.poisoned.load(std::memory_order_acquire);
}
inline bool ready_to_write(const Storage& s) {
  return s.var.idle() && !s.var.modelled_uses() && !s.var.poisoned.load(std::memory_order_acquire);
}

// Book-keeping of a write that the caller does itself, under the lock that excludes other pushers.
inline void bump_version(Storage& s) {
  s.var.version.store(s.var.version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// Elementwise code through the interpreter, everything else by op.cpu. Inputs as the op takes them.
void run_kernel(const OpDef& op, const Attrs& attrs, const TensorView* in, int num_in,
                const TensorView* out, int num_out, uint64_t key, Resources& resources);

bool runs_programs(const OpDef& op);  // control flow and its gradients

// Where this use meets those of other devices, if anywhere; it tells as many bytes as its outputs
// after the first have.
void take_seats(const OpDef& op, const Attrs& attrs, int64_t told_bytes, Context ctx,
                int32_t kernel, engine::Seats* seats);

// Inputs and outputs are allocated, inferred and laid out as the kernel takes them. `ctx` is the
// device that runs it.
void launch(const OpDef& op, const Attrs& attrs, const std::vector<NDArray>& inputs,
            const std::vector<NDArray>& outputs, uint64_t key, Context ctx,
            engine::LaneKind lane = engine::LaneKind::compute);

// Called before memory that others may look at is overwritten, null when nobody needs to know: the
// front end first computes what it recorded from the present contents.
using OverwriteHook = void (*)(const NDArray& target);
void set_overwrite_hook(OverwriteHook hook);
void before_overwrite(const NDArray& target);

// Laid out row by row from the start of its storage, and nothing else in it.
bool covers_storage(const NDArray& array);

}  // namespace hybrid
