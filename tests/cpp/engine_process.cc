// The process: shutdown with work pending, fork.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "engine/interrupt.h"
#include "engine_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

int num_os_threads() {
  int n = 0;
  FILE* file = std::fopen("/proc/self/status", "r");
  char line[256];
  while (std::fgets(line, sizeof line, file)) std::sscanf(line, "Threads: %d", &n);
  std::fclose(file);
  return n;
}

}  // namespace

TEST_CASE("engine: shutdown finishes what runs, drops the queue and joins every thread") {
  engine::shutdown();
  const int threads = num_os_threads();
  Engine engine;
  const int64_t used = pool_stats(Context()).used;
  {
    const StorageRef x = cell(), y = cell();
    std::atomic<bool> running{false}, finished{false}, dropped_ran{false};
    const engine::PushMark before = engine::push_mark(false);
    push(
        [&, before] {
          running = true;
          while (!engine::ended_since(before)) std::this_thread::yield();
          Resources::current().parallel(100, 1, [](int64_t, int64_t) {});
          finished = true;
        },
        {}, {x}, props("runs"));
    for (int i = 0; i < 100; ++i) push([&] { dropped_ran = true; }, {x}, {y}, props("queued"));
    while (!running) std::this_thread::yield();
    engine::shutdown();
    CHECK(finished);
    CHECK_FALSE(dropped_ran);
    CHECK(engine::pending() == 0);
    CHECK(x->var.idle());
    CHECK(y->var.idle());
    CHECK(num_os_threads() == threads);
    CHECK_NOTHROW(engine::wait_to_read(x.get()));
    const std::string text = message_of([&] { engine::wait_to_read(y.get()); });
    CHECK(text.find("queued: dropped") == 0);
    CHECK_NOTHROW(engine::wait_all());
    engine::shutdown();  // idempotent
    CHECK(engine::settings().kind == engine::Kind::naive);
    push([&] { value(y) = 3; }, {}, {y});  // still usable, on the caller
    CHECK_NOTHROW(engine::wait_to_read(y.get()));
    engine.apply();  // and threaded again
    push([&] { value(y) = 4; }, {}, {y});
    engine::wait_to_read(y.get());
    CHECK(value(y) == 4);
  }
  engine::wait_all();
  CHECK(pool_stats(Context()).used == used);
}

TEST_CASE("engine: shutdown ends a slow motion at once") {
  Engine engine;
  engine.settings.slow_seconds = 3600;
  engine.apply();
  push([] {}, {}, {cell()});
  push([] {}, {}, {cell()});
  engine::shutdown();
  CHECK(engine::pending() == 0);
}

// ThreadSanitizer cannot follow the child of a process that has threads.
#if !defined(__SANITIZE_THREAD__)
TEST_CASE("engine: the child of a fork starts naive, with what was pending poisoned") {
  Engine engine;
  engine::install_fork_handlers();
  engine.settings.slow_seconds = 3600;  // held until the fork, so that all but one are queued then
  engine.apply();
  const StorageRef running = cell(), queued = cell(), done = cell(7);
  push([&] { value(running) = 5; }, {}, {running}, props("first"));
  for (int i = 0; i < 20; ++i) {
    push([&] { value(queued) += 1; }, {running}, {queued}, props("later"));
  }
  while (engine::describe_pending(1).find("running") == std::string::npos) {
    std::this_thread::yield();
  }
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    // Results of the checks below, as bits of the exit status.
    int bad = 0;
    engine::Settings settings = engine::settings();
    bad |= settings.kind == engine::Kind::naive ? 0 : 1;
    engine.settings.slow_seconds = settings.slow_seconds = 0;
    engine::set_settings(settings);
    bad |= value(running) == 5 && running->var.idle() ? 0 : 2;  // what ran was finished
    const std::string text = message_of([&] { engine::wait_to_read(queued.get()); });
    bad |= text.find("later: was pending when the process forked") == 0 ? 0 : 4;
    bad |= message_of([&] { engine::wait_to_read(done.get()); }).empty() ? 0 : 8;
    value(queued) = 0;
    push([&] { value(queued) = 9; }, {done}, {queued});
    bad |= message_of([&] { engine::wait_to_read(queued.get()); }).empty() ? 0 : 16;
    // Threads come back when asked for.
    engine.apply();
    std::atomic<int> sum{0};
    push([&] { Resources::current().parallel(50, 1, [&](int64_t, int64_t) { ++sum; }); }, {},
         {done});
    engine::wait_all();
    bad |= sum == 50 ? 0 : 32;
    engine::shutdown();
    _exit(bad);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  engine.settings.slow_seconds = 0;
  engine.apply();
  engine::wait_all();  // the parent goes on
  CHECK(value(queued) == 20);
}

TEST_CASE("engine: a process may exit with work pending") {
  Engine engine;
  engine::install_fork_handlers();
  engine::shutdown();  // the child is to own every thread it ends with
  constexpr int kPushed = 10000;
  auto* const ran = static_cast<std::atomic<int>*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    engine::Settings s;
    s.inline_small = false;
    engine::set_settings(s);
    static StorageRef x = cell();
    for (int i = 0; i < kPushed; ++i) {
      push(
          [ran] {
            ++*ran;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          },
          {}, {x});
    }
    std::exit(0);  // static destructors and exit handlers included
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(*ran < kPushed);  // the queue was dropped
  munmap(ran, 4096);
}
#endif
