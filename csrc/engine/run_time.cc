// Times of runs, kept by atomic sums.
#include "engine/run_time.h"

#include <chrono>
#include <thread>

#include "engine/interrupt.h"
#include "engine/resources.h"
#include "engine/section.h"
#include "engine/trace.h"

namespace hybrid {
namespace engine {
namespace {

thread_local const RunTimeRef* current_time = nullptr;

void at_least(std::atomic<uint64_t>* most, uint64_t value) {
  uint64_t known = most->load(std::memory_order_relaxed);
  while (known < value && !most->compare_exchange_weak(known, value)) {
  }
}

void at_most(std::atomic<uint64_t>* least, uint64_t value) {
  uint64_t known = least->load(std::memory_order_relaxed);
  while (known > value && !least->compare_exchange_weak(known, value)) {
  }
}

}  // namespace

void KernelTimes::add(const KernelTimes& other) {
  for (size_t k = 0; k < ticks_.size(); ++k) add(k, other.ticks(k));
}

bool RunTimes::running() const {
  if (open_.load(std::memory_order_acquire) == 0) return false;
  cuda::retire_all();
  return open_.load(std::memory_order_acquire) > 0;
}

void RunTimes::wait() const {
  while (running()) {
    if (interruptible() && interrupt_pending()) throw_interrupted();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

bool RunTimes::absorb(RunTimes* other) {
  if (other->running()) return false;
  ns_.fetch_add(other->ns_.exchange(0), std::memory_order_relaxed);
  const int64_t end = other->end_.exchange(0), begin = other->begin_.exchange(0);
  if (end != 0) {
    begin_.store(begin, std::memory_order_relaxed);
    end_.store(end, std::memory_order_relaxed);
  }
  const KernelTimesRef more = std::atomic_exchange(&other->kernels_, KernelTimesRef());
  const KernelTimesRef known = kernels();
  if (more && !known) std::atomic_store(&kernels_, more);
  if (more && known && known->are_of(more->nodes())) known->add(*more);
  return true;
}

RunTime::RunTime(std::shared_ptr<RunTimes> sum, std::shared_ptr<FloatWatch> watch)
    : sum_(std::move(sum)), watch_(std::move(watch)) {
  sum_->open_.fetch_add(1, std::memory_order_relaxed);
}

RunTime::~RunTime() {
  const uint64_t begin = begin_.load(std::memory_order_relaxed);
  const uint64_t end = end_.load(std::memory_order_relaxed);
  if (end > begin) {
    const int64_t from = trace::to_ns(begin), to = trace::to_ns(end);
    sum_->ns_.fetch_add(to - from, std::memory_order_relaxed);
    sum_->begin_.store(from, std::memory_order_relaxed);
    sum_->end_.store(to, std::memory_order_relaxed);
  }
  sum_->open_.fetch_sub(1, std::memory_order_release);
}

void RunTime::note(uint64_t begin, uint64_t end) {
  at_most(&begin_, begin);
  at_least(&end_, end);
}

void RunTime::met_float_exception() {
  if (watch_) watch_->met.store(true, std::memory_order_relaxed);
}

void RunTime::expect(const KernelTimes::Nodes& nodes) {
  KernelTimesRef known = sum_->kernels();
  if (!known) {
    known = std::make_shared<KernelTimes>(nodes);
    std::atomic_store(&sum_->kernels_, known);
  }
  if (!kernels_ && known->are_of(nodes)) kernels_ = std::move(known);
}

KernelTimes* RunTime::kernels(const KernelTimes::Nodes& nodes) const {
  return kernels_ && kernels_->are_of(nodes) ? kernels_.get() : nullptr;
}

const RunTimeRef& RunTime::current() {
  static const RunTimeRef none;
  return current_time ? *current_time : none;
}

RunTimeScope::RunTimeScope(const RunTimeRef& time) : before_(current_time) { current_time = &time; }
RunTimeScope::~RunTimeScope() { current_time = before_; }

RunTimeSpan::RunTimeSpan(const RunTimeRef& time, const Resources& resources)
    : scope_(time), time_(resources.device() ? nullptr : time.get()), begin_(trace::ticks()) {}

RunTimeSpan::~RunTimeSpan() {
  if (!time_) return;
  time_->note(begin_, trace::ticks());
  if (floats_.met()) time_->met_float_exception();
}

}  // namespace engine
}  // namespace hybrid
