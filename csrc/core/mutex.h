// Mutex and Condition: a lock that spins briefly before it parks, and waits on the monotonic clock.
#pragma once
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include <cstdint>
#include <mutex>
#include <new>

namespace hybrid {

inline void cpu_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// std::condition_variable waits by a call that ThreadSanitizer of GCC 12 does not know; these do.
class Mutex {
 public:
  Mutex() { init(); }
  ~Mutex() { pthread_mutex_destroy(&mutex_); }
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }
  bool try_lock() { return pthread_mutex_trylock(&mutex_) == 0; }

 private:
  friend class Condition;
  void init() {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    pthread_mutex_init(&mutex_, &attr);
    pthread_mutexattr_destroy(&attr);
  }
  pthread_mutex_t mutex_;
};
using Guard = std::unique_lock<Mutex>;

class Condition {
 public:
  Condition() { init(); }
  ~Condition() { pthread_cond_destroy(&cond_); }
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;
  void notify_one() { pthread_cond_signal(&cond_); }
  void notify_all() { pthread_cond_broadcast(&cond_); }
  void wait(Mutex& mutex) { pthread_cond_wait(&cond_, &mutex.mutex_); }
  // False when the time ran out.
  bool wait_ns(Mutex& mutex, int64_t ns) {
    timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    ns += until.tv_nsec;
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    return pthread_cond_timedwait(&cond_, &mutex.mutex_, &until) != ETIMEDOUT;
  }
  // In the child of a fork: forgets waiters that do not exist there.
  void reset_after_fork() { init(); }

 private:
  void init() {
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&cond_, &attr);
    pthread_condattr_destroy(&attr);
  }
  pthread_cond_t cond_;
};

}  // namespace hybrid
