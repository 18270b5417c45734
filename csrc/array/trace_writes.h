// In-place writes of a trace to arrays that others hold too: recorded, done when the trace is run.
#pragma once
#include <memory>
#include <vector>

#include "array/array_ref.h"

namespace hybrid {

// Until it is done, `target`'s memory has its old contents; in the trace the array stands for
// `value`. One thread traces at a time: others see no writes.
struct TraceWrite {
  NDArray target;
  SymEntry value;
  std::shared_ptr<void> holder;  // of the front end, so that the value is known to be needed
};

// What a write in the trace left in exactly this array; null when its memory is as it was.
const TraceWrite* find_trace_write(const NDArray& array);
// A write to this memory, or a part of it, waits.
bool awaits_write(const Storage* storage);
const std::vector<TraceWrite>& trace_writes();  // in order of first writing
std::vector<TraceWrite> take_trace_writes();    // and forgets them

// From here on `target` stands for `value`. `slot`: what `held` of a variable's node is, null for
// other arrays. `shared`: others may hold the value under the same node.
void trace_write(const NDArray& target, const SymEntry& value, std::shared_ptr<void> slot,
                 bool shared);
// A node of its own with the same value; with a slot it is the variable's node.
SymEntry traced_copy(const SymEntry& value, std::shared_ptr<void> slot);
// The same memory without its history: detach().
SymEntry traced_window(const SymEntry& value);
// The variable's copy has its value: it is a leaf from here on.
void make_leaf_of_copy(SymNode* node);
// A leaf whose value is pending again is a copy of that value.
void become_copy(SymNode* leaf, const SymEntry& value);

// The value whose memory `entry` is a window on in eager mode, walking through view operators.
SymEntry memory_of(SymEntry entry);
// Its memory is written: gradients that need the old value are refused, as in eager mode,
// unless KeepsOldValues.
void note_overwritten(const SymEntry& entry);

// The front end's part. `hold` makes the holder of a value; `settle` computes and does every write
// that waits; `effect` is told before the trace changes something outside it, and may throw; `run`
// computes what is recorded because it is enough.
struct TraceHooks {
  std::shared_ptr<void> (*hold)(const SymEntry& value) = nullptr;
  void (*settle)(const char* why) = nullptr;
  void (*effect)(const char* what) = nullptr;
  void (*run)() = nullptr;
};
void set_trace_hooks(const TraceHooks& hooks);
void settle_trace_writes(const char* why);  // nothing when none waits
void before_trace_effect(const char* what);
void run_pending();  // nothing while gradients are recorded

}  // namespace hybrid
