#include "array/old_value.h"

#include <unordered_map>

#include "launch/launch.h"

namespace hybrid {
namespace {

thread_local int keeping = 0;

// Those that this thread's nodes hold, by the memory that they are of: such a node holds that too.
struct Seen {
  std::unordered_map<const Storage*, std::weak_ptr<OldValue>> map;
  size_t sweep_at = 64;

  std::weak_ptr<OldValue>& at(const Storage* storage) {
    if (map.size() >= sweep_at) {
      for (auto it = map.begin(); it != map.end();) {
        it = it->second.expired() ? map.erase(it) : std::next(it);
      }
      sweep_at = 2 * map.size() + 64;
    }
    return map[storage];
  }
};
Seen& seen() {
  thread_local Seen all;
  return all;
}

uint64_t version_of(const Storage& storage) {
  return storage.var.version.load(std::memory_order_relaxed);
}

NDArray bytes_of(const StorageRef& storage) {
  NDArray all;
  all.storage = storage;
  all.shape = {static_cast<int64_t>(storage->bytes)};
  all.strides = {1};
  all.dtype = DType::uint8;
  return all;
}

}  // namespace

void note_seen(const NDArray& value, SymNode* node) {
  const Storage& storage = *value.storage;
  if (!storage.of_variable) return;
  const uint64_t now = version_of(storage);
  std::weak_ptr<OldValue>& known = seen().at(&storage);
  node->seen = known.lock();
  if (node->seen && node->seen->version == now) return;
  node->seen = std::make_shared<OldValue>(OldValue{now, StorageRef()});
  known = node->seen;
}

void keep_old_value(const ArrayRef& ref) {
  const NDArray& array = ref.array;
  const auto found = seen().map.find(array.storage.get());
  if (found == seen().map.end()) return;
  const std::shared_ptr<OldValue> old = found->second.lock();
  seen().map.erase(found);
  if (!old || old->version != version_of(*array.storage)) return;
  // The variable's own leaf, which nothing was recorded from, or not any more: nobody will ask.
  const SymNodeRef own = ref.extra ? ref.extra->entry.node : SymNodeRef();
  if (own && own->seen == old && own.use_count() == 2 && old.use_count() == 2) return;
  const NDArray whole = bytes_of(array.storage);
  const NDArray copy = NDArray::empty(whole.shape, whole.dtype, array.ctx());
  copy_array(whole, copy);
  old->contents = copy.storage;
}

std::optional<NDArray> kept_value(const SymNode& node, int out) {
  const auto at = static_cast<size_t>(out);
  NDArray value = node.values.at(at);
  const SymNode* leaf = &node;  // a window has seen what it is a window on
  while (!leaf->seen && leaf->is_window()) leaf = leaf->inputs.at(0).node.get();
  if (!leaf->seen || !leaf->seen->contents) return {};
  if (leaf->seen->version != node.versions.at(at)) return {};
  if (leaf->values.empty() || !(leaf->values[0].storage == value.storage)) return {};
  value.storage = leaf->seen->contents;
  return value;
}

KeepsOldValues::KeepsOldValues() { ++keeping; }
KeepsOldValues::~KeepsOldValues() { --keeping; }
bool keeps_old_values() { return keeping != 0; }

}  // namespace hybrid
