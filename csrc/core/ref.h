// Intrusive reference counting: one word in the object, one pointer in the handle.
#pragma once
#include <atomic>
#include <cstdint>
#include <utility>

namespace hybrid {

class RefCounted {
 public:
  void retain() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  // True when this was the last reference; the owner then destroys the object.
  bool release() const {
    // Holding the only reference nobody else can make another: no locked instruction is needed.
    if (refs_.load(std::memory_order_acquire) == 1) return true;
    return refs_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  int32_t ref_count() const { return refs_.load(std::memory_order_relaxed); }

 protected:
  RefCounted() = default;
  explicit RefCounted(int32_t refs) : refs_(refs) {}

 private:
  mutable std::atomic<int32_t> refs_{0};
};

// T derives from RefCounted; `void destroy(T*)` is found by argument-dependent lookup.
template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* p) : p_(p) {
    if (p_) p_->retain();
  }
  // Takes over a reference that is already counted.
  static Ref adopt(T* p) {
    Ref ref;
    ref.p_ = p;
    return ref;
  }
  Ref(const Ref& o) : Ref(o.p_) {}
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ref() {
    if (p_ && p_->release()) destroy(p_);
  }
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  bool operator==(const Ref& o) const { return p_ == o.p_; }

 private:
  T* p_ = nullptr;
};

}  // namespace hybrid
