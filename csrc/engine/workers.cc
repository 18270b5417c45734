#include "engine/workers.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "core/error.h"
#include "core/fork.h"
#include "engine/float_flags.h"
#include "engine/resources.h"
#include "engine/threads.h"

namespace hybrid {
namespace {

thread_local bool in_job = false;

const bool held_over_fork =
    hold_over_fork(ForkStage::workers, {[] { Workers::shared().before_fork(); },
                                        [](bool child) { Workers::shared().after_fork(child); }});

// Cores this process may use: its affinity mask, or its control group's quota if lower.
int usable_cores() {
  if (const char* text = std::getenv("HYBRID_NUM_THREADS")) {
    const int n = std::atoi(text);
    if (n > 0) return n;
  }
  int cores = std::max(1u, std::thread::hardware_concurrency());
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double quota = 0, period = 0;
  if (file >> quota >> period && quota > 0 && period > 0) {
    cores = std::min(cores, std::max(1, static_cast<int>(quota / period + 0.5)));
  }
  return cores;
}

}  // namespace

void Job::work() {
  for (;;) {
    const int64_t chunk = next.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= chunks || resources->cancelled()) return;
    body(arg, chunk * grain, std::min(n, (chunk + 1) * grain));
  }
}

Workers::Workers() : size_(usable_cores()), threads_(new std::vector<std::thread>) {}

Workers& Workers::shared() {
  static Workers* const workers = new Workers;  // never destroyed
  return *workers;
}

bool Workers::inside_job() { return in_job; }

int Workers::size() { return size_.load(std::memory_order_relaxed); }

void Workers::resize(int n) {
  require(n >= 1, "set_num_threads: ", n, " given, expected 1 or more");
  stop();
  size_.store(n);
}

void Workers::start_threads() {
  while (static_cast<int>(threads_->size()) < size() - 1) {
    const int index = static_cast<int>(threads_->size());
    threads_->emplace_back([this, index] { worker_main(index); });
  }
}

Job* Workers::open_job() {
  for (Job* job = jobs_; job; job = job->next_job) {
    if (job->next.load(std::memory_order_relaxed) < job->chunks) return job;
  }
  return nullptr;
}

void Workers::worker_main(int index) {
  enter_thread("worker " + std::to_string(index + 1));
  in_job = true;
  Guard guard(mutex_);
  bool spun = false;
  while (!stopping_) {
    Job* const job = open_job();
    if (!job) {
      if (!spun) {
        spun = true;
        guard.unlock();
        for (int i = 0; i < kSpinPauses && open_jobs_.load(std::memory_order_relaxed) == 0; ++i) {
          cpu_pause();
        }
        guard.lock();
      } else {
        ++parked_;
        work_.wait(mutex_);
        --parked_;
        spun = false;
      }
      continue;
    }
    job->joined.fetch_add(1, std::memory_order_relaxed);
    guard.unlock();
    std::exception_ptr error;
    {
      const engine::FloatSpan floats;
      try {
        job->work();
      } catch (...) {
        error = std::current_exception();
        job->next.store(job->chunks, std::memory_order_relaxed);
      }
      if (floats.met()) job->floats.fetch_or(floats.met(), std::memory_order_relaxed);
    }
    guard.lock();
    if (error && !job->error) job->error = error;
    // After this the job may be gone: its caller waits for no more than the count.
    if (job->joined.fetch_sub(1, std::memory_order_release) == 1) left_.notify_all();
    spun = false;
  }
}

void Workers::run(Job& job) {
  {
    Guard guard(mutex_);
    if (!stopping_) start_threads();
    job.next_job = jobs_;
    jobs_ = &job;
    open_jobs_.fetch_add(1, std::memory_order_relaxed);
    const int64_t wanted = std::min<int64_t>(parked_, job.chunks - 1);
    for (int64_t i = 0; i < wanted; ++i) work_.notify_one();
  }
  in_job = true;
  std::exception_ptr error;
  try {
    job.work();
  } catch (...) {
    error = std::current_exception();
    job.next.store(job.chunks, std::memory_order_relaxed);
  }
  in_job = false;
  Guard guard(mutex_);
  Job** at = &jobs_;
  while (*at != &job) at = &(*at)->next_job;
  *at = job.next_job;
  open_jobs_.fetch_sub(1, std::memory_order_relaxed);
  if (job.joined.load(std::memory_order_acquire) > 0) {
    guard.unlock();
    for (int i = 0; i < kSpinPauses && job.joined.load(std::memory_order_acquire) > 0; ++i) {
      cpu_pause();
    }
    guard.lock();
    while (job.joined.load(std::memory_order_acquire) > 0) left_.wait(mutex_);
  }
  if (const uint32_t met = job.floats.load(std::memory_order_relaxed)) {
    engine::set_float_flags(engine::float_flags() | met);
  }
  if (!error) error = job.error;
  if (error) std::rethrow_exception(error);
}

void Workers::stop() {
  Guard guard(mutex_);
  while (stopping_) left_.wait(mutex_);  // another thread stops them
  stopping_ = true;
  work_.notify_all();
  std::vector<std::thread> threads;
  threads.swap(*threads_);
  guard.unlock();
  for (std::thread& thread : threads) thread.join();
  guard.lock();
  stopping_ = false;
  left_.notify_all();
}

void Workers::after_fork(bool child) {
  if (child) {
    // The old handles belong to the parent's threads: destroying one would end the process.
    if (!threads_->empty()) threads_ = new std::vector<std::thread>;
    parked_ = 0;
    stopping_ = false;
    jobs_ = nullptr;
    open_jobs_.store(0);
    work_.reset_after_fork();
    left_.reset_after_fork();
    in_job = false;
  }
  mutex_.unlock();
}

int num_threads() { return Workers::shared().size(); }
void set_num_threads(int n) { Workers::shared().resize(n); }

}  // namespace hybrid
