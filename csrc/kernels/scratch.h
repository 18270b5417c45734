// Scratch: memory that one thread keeps from call to call, for the insides of a kernel's chunk.
#pragma once
#include <cstddef>

namespace hybrid {

// 64-byte aligned, grows, never shrinks below what is kept. Declare one thread_local per use:
// two live uses must not share an object.
class ThreadScratch {
 public:
  ThreadScratch() = default;
  ~ThreadScratch();
  ThreadScratch(const ThreadScratch&) = delete;
  ThreadScratch& operator=(const ThreadScratch&) = delete;
  // Contents are undefined; earlier pointers become invalid. Throws Error without memory.
  void* get(size_t bytes) { return bytes <= bytes_ ? data_ : grow(bytes); }

 private:
  void* grow(size_t bytes);
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace hybrid
