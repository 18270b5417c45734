// RunTime: how long a run took on its devices, from its first kernel's start to its last one's end.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/float_flags.h"

namespace hybrid {

class Resources;

namespace engine {

// What each kernel of one program took on the CPU, runs added up; by any thread.
class KernelTimes {
 public:
  using Nodes = std::shared_ptr<const std::vector<int32_t>>;  // by kernel
  explicit KernelTimes(Nodes nodes) : nodes_(std::move(nodes)), ticks_(nodes_->size()) {}
  const Nodes& nodes() const { return nodes_; }
  // The same kernels: a program with other labels is another object.
  bool are_of(const Nodes& nodes) const { return nodes_ == nodes || *nodes_ == *nodes; }
  uint64_t ticks(size_t kernel) const { return ticks_[kernel].load(std::memory_order_relaxed); }
  void add(size_t kernel, uint64_t ticks) {
    ticks_[kernel].fetch_add(ticks, std::memory_order_relaxed);
  }
  void add(const KernelTimes& other);

 private:
  const Nodes nodes_;
  std::vector<std::atomic<uint64_t>> ticks_;
};
using KernelTimesRef = std::shared_ptr<KernelTimes>;

// Runs of one kind, added up while they end. Costs nothing until somebody asks.
class RunTimes {
 public:
  // Not over: some of it waits or runs. What a GPU has done meanwhile is found out first.
  bool running() const;
  void wait() const;  // until none is; throws Interrupted
  int64_t ns() const { return ns_.load(std::memory_order_relaxed); }  // of those that are over
  // Of the run that was over last, in ns of the trace's clock; 0 while there is none.
  int64_t begin() const { return begin_.load(std::memory_order_relaxed); }
  int64_t end() const { return end_.load(std::memory_order_relaxed); }
  // Counts what the other has counted, which begins anew; false when some of that is not over.
  bool absorb(RunTimes* other);
  // Of the program that ran first; null while none has.
  KernelTimesRef kernels() const { return std::atomic_load(&kernels_); }

 private:
  friend class RunTime;
  std::atomic<int64_t> open_{0}, ns_{0}, begin_{0}, end_{0};
  KernelTimesRef kernels_;
};

int64_t waited_ns();  // that this thread has stood still in waits, all together

// Whether kernels of one run met a floating-point exception. A hint: they may for lanes that nobody
// reads.
struct FloatWatch {
  std::atomic<bool> met{false};
};

// One run. Whatever of it is still to be done holds it; when nobody does, it is over. No lock: the
// child of a fork drops what waited while its locks are held.
class RunTime {
 public:
  explicit RunTime(std::shared_ptr<RunTimes> sum, std::shared_ptr<FloatWatch> watch = nullptr);
  ~RunTime();
  RunTime(const RunTime&) = delete;
  RunTime& operator=(const RunTime&) = delete;
  void note(uint64_t begin, uint64_t end);  // kernels ran then; by any thread
  void met_float_exception();               // one of them did
  // Before its run: a program with these kernels is pushed.
  void expect(const KernelTimes::Nodes& nodes);
  // Where its kernels are counted; null: not at all.
  KernelTimes* kernels(const KernelTimes::Nodes& nodes) const;
  // Of what this thread pushes, or gives to a GPU, now; null when nobody wants to know.
  static const std::shared_ptr<RunTime>& current();

 private:
  std::shared_ptr<RunTimes> sum_;
  std::shared_ptr<FloatWatch> watch_;
  KernelTimesRef kernels_;
  std::atomic<uint64_t> begin_{UINT64_MAX}, end_{0};
};
using RunTimeRef = std::shared_ptr<RunTime>;

// While it lives, this thread pushes for that run.
class RunTimeScope {
 public:
  explicit RunTimeScope(const RunTimeRef& time);  // outlives the scope
  ~RunTimeScope();
  RunTimeScope(const RunTimeScope&) = delete;
  RunTimeScope& operator=(const RunTimeScope&) = delete;

 private:
  const RunTimeRef* before_;
};

// Around kernels of the run, on the thread that runs them. A GPU tells its own times.
class RunTimeSpan {
 public:
  RunTimeSpan(const RunTimeRef& time, const Resources& resources);
  ~RunTimeSpan();

 private:
  const RunTimeScope scope_;
  RunTime* const time_;
  const FloatSpan floats_;
  const uint64_t begin_;
};

}  // namespace engine
}  // namespace hybrid
