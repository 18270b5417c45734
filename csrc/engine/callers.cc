#include "engine/callers.h"

#include <atomic>

namespace hybrid {
namespace engine {

namespace {

std::atomic<int> callers{0}, waiting_callers{0};

struct Caller {
  bool known = false;
  ~Caller() {
    if (known) callers.fetch_sub(1);
  }
};
thread_local Caller caller;

}  // namespace

void Callers::note() {
  if (__builtin_expect(caller.known, true)) return;
  caller.known = true;
  callers.fetch_add(1);
}

bool Callers::one_is_free() { return callers.load() > waiting_callers.load(); }

void Callers::after_fork() {
  callers.store(caller.known ? 1 : 0);
  waiting_callers.store(0);
}

Callers::Waits::Waits() : counts_(caller.known) {
  if (counts_) waiting_callers.fetch_add(1);
}
Callers::Waits::~Waits() {
  if (counts_) waiting_callers.fetch_sub(1);
}

}  // namespace engine
}  // namespace hybrid
