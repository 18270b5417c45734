// Waits end: by an interrupt, by cancelling; the queue stays within its bounds.
#include "engine_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

std::atomic<bool> asked_to_stop{false};
std::atomic<int> checks{0};

struct InterruptCheck {
  InterruptCheck() {
    asked_to_stop = false;
    checks = 0;
    engine::set_interrupt_check([] {
      ++checks;
      return asked_to_stop.exchange(false);
    });
  }
  ~InterruptCheck() { engine::set_interrupt_check(nullptr); }
};

struct Later {
  std::thread thread;
  template <class F>
  Later(int milliseconds, F f)
      : thread([=] {
          std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
          f();
        }) {}
  ~Later() { thread.join(); }
};

}  // namespace

TEST_CASE("engine: the number of pending operators stays within its limit") {
  Engine engine;
  engine.settings.limit_ops = 10;
  engine.apply();
  std::atomic<int64_t> most{0};
  const StorageRef x = cell();
  for (int i = 0; i < 3000; ++i) {
    push([] {}, {}, {i % 2 ? x : cell()}, props("step", i % 3 ? 100 : 0));
    most = std::max<int64_t>(most, engine::pending());
  }
  engine::wait_all();
  CHECK(most <= 10);
  CHECK(most > 1);
}

TEST_CASE("engine: pending output bytes stay within their limit, one giant is let in") {
  Engine engine;
  engine.settings.limit_bytes = 1000;
  engine.apply();
  std::atomic<int64_t> alive{0}, most{0};
  for (int i = 0; i < 300; ++i) {
    engine::Props p = props("step");
    p.bytes = 300;
    alive += 300;
    push([&] { alive -= 300; }, {}, {cell()}, p);
    most = std::max<int64_t>(most, alive);
  }
  engine::wait_all();
  CHECK(most <= 1000 + 600);  // counted before push() blocks, and after the task but not its end
  engine::Props giant = props("giant");
  giant.bytes = 1 << 20;
  Gate gate;
  CHECK_FALSE(engine::would_block(giant));
  push([&gate] { gate.pass(); }, {}, {cell()});
  CHECK(engine::would_block(giant));
  gate.open = true;
  bool ran = false;
  push([&] { ran = true; }, {}, {cell()}, giant);
  engine::wait_all();
  CHECK(ran);
}

TEST_CASE("engine: a wait is interrupted and the engine stays usable") {
  Engine engine;
  const InterruptCheck check;
  Gate gate;
  const StorageRef x = cell(), y = cell();
  push([&gate] { gate.pass(); }, {}, {x});
  push([&] { value(y) = 4; }, {x}, {y});
  const auto waits = {+[](Storage* s) { engine::wait_to_read(s); },
                      +[](Storage* s) { engine::wait_to_write(s); },
                      +[](Storage*) { engine::wait_all(); }};
  for (auto wait : waits) {
    const Later later(20, [] { asked_to_stop = true; });
    CHECK_THROWS_AS(wait(y.get()), engine::Interrupted);
  }
  CHECK(engine::pending() == 2);  // what was queued goes on
  gate.open = true;
  engine::wait_to_read(y.get());
  CHECK(value(y) == 4);
}

TEST_CASE("engine: back-pressure can be interrupted, and then nothing was pushed") {
  Engine engine;
  const InterruptCheck check;
  engine.settings.limit_ops = 1;
  engine.apply();
  Gate gate;
  push([&gate] { gate.pass(); }, {}, {cell()});
  bool ran = false;
  {
    const Later later(20, [] { asked_to_stop = true; });
    CHECK_THROWS_AS(push([&] { ran = true; }, {}, {cell()}), engine::Interrupted);
  }
  gate.open = true;
  engine::wait_all();
  CHECK_FALSE(ran);
}

TEST_CASE("engine: only the main thread is asked for interrupts") {
  Engine engine;
  const InterruptCheck check;
  const StorageRef x = cell();
  std::thread([&] {
    push([] { std::this_thread::sleep_for(std::chrono::milliseconds(120)); }, {}, {x});
    engine::wait_to_read(x.get());
  }).join();
  CHECK(checks == 0);
  push(
      [] {
        while (checks < 2) std::this_thread::yield();
      },
      {}, {x});
  engine::wait_to_read(x.get());
}

TEST_CASE("engine: cancelling stops a long kernel and poisons what it wrote") {
  Engine engine;
  const StorageRef x = cell(), y = cell();
  std::atomic<bool> started{false};
  engine::push_closure(
      [&](Resources& r) {
        started = true;
        std::atomic<int64_t> chunks{0};
        r.parallel(100000000, 1, [&](int64_t, int64_t) {  // hours of it
          ++chunks;
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
        CHECK(chunks < 100000000);
      },
      {}, {x}, props("long"));
  std::atomic<bool> next{false};
  push([&] { next = true; }, {}, {y});
  while (!started) std::this_thread::yield();
  engine::cancel_running();
  CHECK(message_of([&] { engine::wait_to_read(x.get()); }) == "long: cancelled");
  CHECK_NOTHROW(engine::wait_to_read(y.get()));
  CHECK(next);               // nothing else was dropped
  engine::cancel_running();  // nothing runs: nothing happens
  push([] {}, {}, {x});
  CHECK_NOTHROW(engine::wait_to_read(x.get()));
}

TEST_CASE("engine: a kernel that finished in spite of cancelling keeps its result") {
  Engine engine;
  Gate gate;
  const StorageRef x = cell();
  push([&] { gate.pass(), value(x) = 2; }, {}, {x});
  gate.wait_for(1);
  engine::cancel_running();
  gate.open = true;
  CHECK_NOTHROW(engine::wait_to_read(x.get()));
  CHECK(value(x) == 2);
}

TEST_CASE("engine: naive mode is interrupted inside a long kernel") {
  Engine engine(engine::Kind::naive);
  const InterruptCheck check;
  const StorageRef x = cell();
  const Later later(30, [] { asked_to_stop = true; });
  CHECK_THROWS_AS(engine::push_closure(
                      [](Resources& r) {
                        while (!r.cancelled()) {
                          std::this_thread::sleep_for(std::chrono::milliseconds(2));
                        }
                      },
                      {}, {x}, props("long")),
                  engine::Interrupted);
  CHECK(message_of([&] { engine::wait_to_read(x.get()); }) == "long: cancelled");
  CHECK_FALSE(Resources::current().cancelled());  // what runs here next is not
  push([] {}, {}, {x});
  CHECK_NOTHROW(engine::wait_to_read(x.get()));
}

TEST_CASE("engine: slow motion holds each operator, which is no work, and ends when switched off") {
  Engine engine;
  engine.settings.inline_small = true;
  engine.settings.slow_seconds = 0.05;
  engine.apply();
  CHECK_FALSE(engine::may_inline(10, Context()));
  trace::Cursor* const cursor = trace::new_cursor();
  const StorageRef x = cell();
  const auto start = Clock::now();
  const auto work = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  for (int i = 0; i < 3; ++i) push(work, {}, {x}, props("slowed", 100));
  trace::Cursor* const watch = trace::new_cursor();
  while (engine::pending() == 3) {
    for (const trace::Record& r : trace::drain(watch).running) {
      if (r.kind != static_cast<uint8_t>(trace::Kind::span)) continue;
      CHECK((r.flags & trace::kArtificial));
      CHECK(trace::extent_of(r) >= r.duration);
      CHECK((r.duration == 0 || trace::duration_ns(trace::extent_of(r)) >= 49000000));
    }
  }
  trace::free_cursor(watch);
  engine::wait_all();
  CHECK(seconds_since(start) >= 0.15);
  int spans = 0;
  for (const trace::Record& r : trace::drain(cursor).records) {
    if (trace::name_of(r.name) != "slowed") continue;
    ++spans;
    CHECK((r.flags & trace::kArtificial));
    CHECK(trace::duration_ns(r.duration) >= 1900000);
    CHECK(trace::duration_ns(trace::extent_of(r) - r.duration) >= 49000000);
  }
  CHECK(spans == 3);
  trace::free_cursor(cursor);
  engine.settings.slow_seconds = 3600;
  engine.apply();
  for (int i = 0; i < 3; ++i) push([] {}, {}, {x}, props("slowed", 100));
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK(engine::pending() == 3);
  engine.settings.slow_seconds = 0;
  engine.apply();
  engine::wait_all();
  CHECK(engine::pending() == 0);
}

TEST_CASE("engine: access from outside takes its turn") {
  Engine engine;
  const StorageRef x = cell(1);
  Gate gate;
  push([&] { gate.pass(), value(x) = 2; }, {}, {x});
  {
    const Later later(20, [&gate] { gate.open = true; });
    const engine::ReadAccess access(x.get());
    CHECK(value(x) == 2);
    push([&] { value(x) = 3; }, {}, {x});
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    CHECK(value(x) == 2);  // kept out
    CHECK(engine::describe_pending(5).find("outside the queue") != std::string::npos);
  }
  engine::wait_to_read(x.get());
  CHECK(value(x) == 3);
  push([] { throw Error("gone"); }, {}, {x}, props("op"));
  CHECK_THROWS_AS(engine::ReadAccess{x.get()}, Error);
  {
    const engine::WriteAccess access(x.get(), true);
  }
  CHECK_NOTHROW(engine::ReadAccess{x.get()});
}
