// What an interruption ends: work pushed before it whose results can be made again.
#include "engine/interrupt.h"
#include "engine_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

// What a wait does when the user interrupts it.
void interrupt() { CHECK_THROWS_AS(engine::throw_interrupted(), engine::Interrupted); }

engine::Props discardable(const char* name) {
  engine::Props p = props(name);
  p.discardable = true;
  return p;
}

// Runs until it is told to stop.
void push_endless(const StorageRef& x, std::atomic<bool>* begun = nullptr,
                  const engine::Props& props = discardable("endless")) {
  engine::push_closure(
      [begun](Resources& r) {
        if (begun) *begun = true;
        while (!r.cancelled()) std::this_thread::sleep_for(std::chrono::microseconds(100));
      },
      {}, {x}, props);
}

std::string read_error(const StorageRef& x) {
  return message_of([&] { engine::wait_to_read(x.get()); });
}

// Writes into `x` what it makes of `x` and `other`.
struct Update : engine::Task {
  StorageRef x, other;
  bool updates(const engine::Var& var) const override { return &x->var == &var; }
  void run(Resources&) override { value(x) += value(other); }
};

void push_update(const StorageRef& x, const StorageRef& other) {
  auto task = std::make_unique<Update>();
  task->x = x;
  task->other = other;
  engine::Props p = props("update");
  p.whole_overwrite = false;
  Storage* const reads[] = {other.get()};
  Storage* const writes[] = {x.get()};
  engine::push(std::move(task), reads, 1, writes, 1, p);
}

}  // namespace

TEST_CASE("discard: an interruption ends what runs and what is queued, not what is pushed later") {
  Engine engine;
  const StorageRef x = cell(), y = cell(), z = cell(), kept = cell();
  std::atomic<bool> begun{false};
  push_endless(x, &begun);
  push_endless(y);
  push([&] { value(kept) = 4; }, {}, {kept});
  while (!begun) std::this_thread::yield();
  interrupt();
  engine::push_closure([&](Resources& r) { value(z) = r.cancelled() ? 1 : 2; }, {}, {z},
                       discardable("later"));
  CHECK(read_error(x) == "endless: interrupted");
  CHECK(read_error(y) == "endless: interrupted");
  engine::wait_to_read(z.get());
  CHECK(value(z) == 2);
  engine::wait_to_read(kept.get());
  CHECK(value(kept) == 4);
  CHECK_NOTHROW(engine::wait_all());  // the interrupt has been raised already
}

TEST_CASE("discard: taking back ends what is recorded still, and nothing else") {
  Engine engine;
  const StorageRef x = cell(), y = cell();
  engine::Props recorded = discardable("recorded");
  recorded.recorded = true;
  std::atomic<bool> begun{false};
  push_endless(x, nullptr, recorded);
  push_endless(y, &begun);
  engine::take_back_recorded();
  engine::wait_until_written(x.get());  // raises nothing
  CHECK(engine::was_discarded(*x));
  CHECK(read_error(x) == "recorded: interrupted");
  while (!begun) std::this_thread::yield();
  CHECK_FALSE(engine::was_discarded(*y));
  interrupt();
  CHECK(read_error(y) == "endless: interrupted");
  CHECK_NOTHROW(engine::wait_all());
}

TEST_CASE("discard: the user's interrupt ends the main thread's work, the process's end all") {
  Engine engine;
  const StorageRef x = cell(), y = cell();
  std::atomic<bool> asked{false};
  std::atomic<int> answer{0};
  std::thread([&] {
    engine::push_closure(
        [&](Resources& r) {
          while (!asked) std::this_thread::yield();
          answer = r.cancelled() ? 1 : 2;
          while (!r.cancelled()) std::this_thread::yield();
        },
        {}, {x}, discardable("other"));
  }).join();
  interrupt();
  asked = true;
  while (answer == 0) std::this_thread::yield();
  CHECK(answer == 2);
  engine::shutdown();
  CHECK(read_error(x) == "other: interrupted");
}

TEST_CASE("discard: what starts while the process ends is ended as well") {
  Engine engine;
  engine.settings.slow_seconds =
      3600;  // held until the engine is shut down, so that it starts then
  engine.apply();
  const StorageRef x = cell(), y = cell();
  push_endless(x);
  push_endless(y);
  while (engine::describe_pending(5).find("running") == std::string::npos) {
    std::this_thread::yield();
  }
  engine::shutdown();
  CHECK(read_error(x) == "endless: interrupted");
  CHECK(read_error(y).find("endless: dropped") == 0);
}

TEST_CASE("discard: a variable keeps its value when its update was to use discarded results") {
  Engine engine;
  const StorageRef made = cell(), sum = cell(3), late = cell(3), copy = cell();
  std::atomic<bool> begun{false};
  push_endless(made, &begun);
  push_update(sum, made);
  push([] {}, {made}, {copy});
  while (!begun) std::this_thread::yield();
  interrupt();
  CHECK(read_error(copy) == "endless: interrupted");
  CHECK(read_error(sum) == "");
  CHECK(value(sum) == 3);
  push_update(late, made);  // pushed when the results were gone: an error like any other
  CHECK(read_error(late) == "endless: interrupted");
}
