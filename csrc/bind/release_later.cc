// Python objects that own memory of arrays, released by threads that do not hold the GIL.
#include <atomic>

#include "bind/array_object.h"

namespace hybrid {
namespace bind {

namespace {

// A lock-free stack; whoever holds the GIL takes all of it.
struct Released {
  PyObject* object;
  Released* next;
};
std::atomic<Released*> released{nullptr};
std::atomic<bool> call_pending{false};

int drain_call(void*) {
  call_pending.store(false);
  drain_released();
  return 0;
}

}  // namespace

void release_later(void* py_object) {
  auto* entry = new Released{static_cast<PyObject*>(py_object), released.load()};
  while (!released.compare_exchange_weak(entry->next, entry)) {
  }
  // Once the interpreter is going down nobody drains: the memory goes with the process.
  if (Py_IsInitialized() && !call_pending.exchange(true)) {
    if (Py_AddPendingCall(&drain_call, nullptr) != 0) call_pending.store(false);
  }
}

void drain_released() {
  if (released.load(std::memory_order_relaxed) == nullptr) return;
  Released* entry = released.exchange(nullptr);
  while (entry != nullptr) {
    Released* next = entry->next;
    Py_DECREF(entry->object);
    delete entry;
    entry = next;
  }
}

}  // namespace bind
}  // namespace hybrid
