// Shared by the engine's tests: settings that are put back, gates, and short ways to push.
#pragma once
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "core/ndarray.h"
#include "engine/closure.h"
#include "engine/trace.h"

namespace hybrid {
namespace testing {

using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Engine settings for one test; the defaults come back at its end, with no error left behind.
struct Engine {
  engine::Settings settings;
  explicit Engine(engine::Kind kind = engine::Kind::threaded, bool inline_small = false) {
    settings.kind = kind;
    settings.inline_small = inline_small;
    apply();
  }
  void apply() { engine::set_settings(settings); }
  ~Engine() {
    engine::Settings drain = engine::settings();
    drain.slow_seconds = 0;
    engine::set_settings(drain);
    for (;;) {
      try {
        engine::wait_all();
        break;
      } catch (const Error&) {
      }
    }
    engine::set_settings(engine::Settings());
  }
};

// Operators wait at a gate until the test opens it.
struct Gate {
  std::atomic<bool> open{false};
  std::atomic<int> arrived{0};
  void pass() {
    ++arrived;
    while (!open) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  void wait_for(int n) {
    while (arrived < n) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
};

inline StorageRef cell(float value = 0, Context ctx = Context()) {
  StorageRef s = allocate(sizeof(float), ctx);
  *static_cast<float*>(s->data) = value;
  return s;
}
inline float& value(const StorageRef& s) { return *static_cast<float*>(s->data); }

inline engine::Props props(const char* name, double cost_ns = 0, Context ctx = Context()) {
  engine::Props p;
  p.name = trace::intern_name(name);
  p.cost_ns = cost_ns;
  p.ctx = ctx;
  return p;
}

template <class F>
void push(F body, const std::vector<StorageRef>& reads, const std::vector<StorageRef>& writes,
          const engine::Props& p = props("test")) {
  engine::push_closure([body](Resources&) mutable { body(); }, reads, writes, p);
}

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

constexpr Context gpu(int i) { return Context{DeviceType::gpu, static_cast<int16_t>(i)}; }

}  // namespace testing
}  // namespace hybrid
