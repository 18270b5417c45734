// Workers: the one pool of threads that all kernels share for parallel_for.
//
// A job is announced, and whoever is free takes chunks from its counter; the caller takes them too
// and never waits for a worker that has not joined. So a busy machine costs nothing.
#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "core/mutex.h"

namespace hybrid {

constexpr int kSpinPauses = 3000;  // before parking: about 70 us

struct Job {
  void (*body)(void* arg, int64_t begin, int64_t end);
  void* arg;
  int64_t n, grain, chunks;
  const class Resources* resources;  // the caller's: its cancel flag counts
  std::atomic<int64_t> next{0};      // chunk to take
  std::atomic<int> joined{0};        // workers inside; raised under the pool's lock only
  std::exception_ptr error;          // the first, guarded by the pool's lock
  std::atomic<uint32_t> floats{0};   // floating-point exceptions that its workers met
  Job* next_job = nullptr;
  void work();  // takes chunks until none is left
};

class Workers {
 public:
  static Workers& shared();
  static bool inside_job();  // this thread is in a parallel_for body: nested calls run serially
  void run(Job& job);
  int size();
  void resize(int n);
  void stop();  // joins the threads; they come back when needed
  void before_fork() { mutex_.lock(); }
  void after_fork(bool child);

 private:
  Workers();
  void start_threads();  // under the lock
  void worker_main(int index);
  Job* open_job();  // under the lock: one with chunks left

  Mutex mutex_;
  Condition work_, left_;
  Job* jobs_ = nullptr;
  std::atomic<int> open_jobs_{0};
  std::atomic<int> size_;
  int parked_ = 0;
  bool stopping_ = false;
  std::vector<std::thread>* threads_;
};

}  // namespace hybrid
