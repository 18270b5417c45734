// Operation: a pushed task while it waits and runs, and its accesses to variables.
#pragma once
#include <memory>
#include <vector>

#include "engine/engine.h"
#include "engine/interrupt.h"
#include "engine/trace.h"

namespace hybrid {
namespace engine {

struct Lane;

struct Access {
  Operation* op = nullptr;
  Var* var = nullptr;
  Access* next = nullptr;  // in the variable's queue
  bool write = false;
  bool granted = false;
  bool over = false;  // a result that others may use while the operator goes on
};

enum class State : uint8_t { waiting, ready, running };

// Recycled, guarded by the scheduler's lock (the task runs outside it).
struct Operation {
  static constexpr int kInPlace = 6;

  std::unique_ptr<Task> task;
  Props props;
  Lane* lane = nullptr;
  uint64_t serial = 0;  // order of pushing
  trace::Origin origin;
  PushMark pushed_at = 0;
  uint32_t ungranted = 0;  // accesses still waiting their turn
  State state = State::waiting;
  bool artificial = false;  // held by slow motion
  bool modelled = false;    // the modelled clock waits to hear that it has run
  int num_accesses = 0;
  Access in_place[kInPlace];
  std::vector<Access> many;
  Operation* previous = nullptr;  // all pending operations, in order of pushing
  Operation* next = nullptr;
  Operation* next_ready = nullptr;  // of its lane, or in the list of spare ones

  Access* accesses() { return many.empty() ? in_place : many.data(); }
  const Access* accesses() const { return many.empty() ? in_place : many.data(); }
};

}  // namespace engine
}  // namespace hybrid
