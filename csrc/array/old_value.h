// Old values: contents that recorded nodes still need while a parameter gets new ones.
#pragma once
#include <optional>

#include "array/array_ref.h"

namespace hybrid {

// Held by the nodes that have seen a variable's memory at this version.
struct OldValue {
  uint64_t version;
  StorageRef contents;  // null until keep_old_value()
};

// `node` is a leaf with this value, as it is now. Nothing unless the memory is a variable's.
void note_seen(const NDArray& value, SymNode* node);
// The memory is written next: what nodes have seen in it is copied for them.
void keep_old_value(const ArrayRef& array);
// What the node's output `out` was when it was recorded, if that was kept.
std::optional<NDArray> kept_value(const SymNode& node, int out);

// While one lives, writes to variables keep their old values. In a trace gradients read the
// recorded ones anyway: nothing counts as overwritten.
class KeepsOldValues {
 public:
  KeepsOldValues();
  ~KeepsOldValues();
  KeepsOldValues(const KeepsOldValues&) = delete;
  KeepsOldValues& operator=(const KeepsOldValues&) = delete;
};
bool keeps_old_values();

}  // namespace hybrid
