// The lock of whoever pushes operators from Python, alone and over a fork.
#include <cxxabi.h>
#include <unistd.h>

#include <atomic>

#include "bind/common.h"
#include "core/mutex.h"

namespace hybrid {
namespace bind {
namespace {

struct PushLock {
  Mutex mutex;
  Mutex entry;                  // taken first by who has to wait: forks get their turn
  std::atomic<int> waiting{0};  // at the entry
};

PushLock& push_lock() {
  static auto* lock = new PushLock;
  return *lock;
}

thread_local int scopes = 0;  // of this thread, one inside the other

// A fork takes it before the GIL is needed for good, so its holder can always come back.
void before_fork() {
  PyThreadState* state = PyEval_SaveThread();
  if (scopes++ == 0) {
    PushLock& lock = push_lock();
    lock.waiting.fetch_add(1);
    lock.entry.lock();
    lock.mutex.lock();
  }
  take_gil_back(state);
}

void after_fork(bool child) {
  if (--scopes > 0) return;
  PushLock& lock = push_lock();
  lock.mutex.unlock();
  lock.entry.unlock();
  child ? lock.waiting.store(0) : void(lock.waiting.fetch_sub(1));
}

}  // namespace

void take_gil_back(PyThreadState* state) {
  try {
    PyEval_RestoreThread(state);
  } catch (const abi::__forced_unwind&) {
    for (;;) pause();
  }
}

PushScope::PushScope(bool release_gil) {
  PushLock& lock = push_lock();
  if (scopes++ == 0 && (lock.waiting.load() > 0 || !lock.mutex.try_lock())) {
    PyThreadState* state = PyEval_SaveThread();
    lock.waiting.fetch_add(1);
    lock.entry.lock();
    lock.mutex.lock();
    lock.entry.unlock();
    lock.waiting.fetch_sub(1);
    take_gil_back(state);
  }
  if (release_gil) state_ = PyEval_SaveThread();
}

PushScope::~PushScope() {
  if (state_ != nullptr) take_gil_back(state_);
  if (--scopes == 0) push_lock().mutex.unlock();
}

void bind_push(py::module_&) {
  const py::object hook = py::module_::import("os").attr("register_at_fork");
  hook(py::arg("before") = py::cpp_function(&before_fork),
       py::arg("after_in_parent") = py::cpp_function([] { after_fork(false); }),
       py::arg("after_in_child") = py::cpp_function([] { after_fork(true); }));
}

}  // namespace bind
}  // namespace hybrid
