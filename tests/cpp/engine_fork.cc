// Fork while other threads hold locks or run operators themselves: the child goes on.
#include "core/fork.h"

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "engine_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

// ThreadSanitizer cannot follow the child of a process that has threads.
#if !defined(__SANITIZE_THREAD__)
namespace {

// The exit status of a child that runs `body`; that of a signal when it hangs.
int status_of_child(const std::function<int()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    _exit(body());
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

// Says when it has begun, and goes on until a fork waits for it, or has not.
struct Busy {
  std::atomic<bool> begun{false};
  void operator()() {
    begun = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  void wait() const {
    while (!begun) std::this_thread::yield();
  }
};

}  // namespace

TEST_CASE("fork: an operator that its caller runs is finished first, also one inside another") {
  Engine engine(engine::Kind::naive);
  engine::install_fork_handlers();
  for (const bool nested : {false, true}) {
    const StorageRef x = cell(), y = cell();
    Busy busy;
    const auto write = [&] {
      busy();
      value(x) = 5;
    };
    std::thread other([&] {
      if (nested) {
        push([&] { push(write, {}, {x}); }, {}, {y});
      } else {
        push(write, {}, {x});
      }
    });
    busy.wait();
    const int status = status_of_child([&] {
      if (value(x) != 5) return 1;
      push([&] { value(y) = value(x) + 1; }, {x}, {y});
      return value(y) == 6 ? 0 : 2;
    });
    other.join();
    CHECK(status == 0);
    push([&] { value(y) = 7; }, {}, {y});  // the parent goes on
    CHECK(value(y) == 7);
  }
}

TEST_CASE("fork: no object's lock is held in the child, by whomever") {
  Engine engine;
  engine::install_fork_handlers();
  ObjectMutex first, second;
  Busy busy;
  std::thread other([&] {
    const ObjectGuard a(first);
    const ObjectGuard b(second);
    busy();
  });
  busy.wait();
  const int status = status_of_child([&] {
    const ObjectGuard a(second);
    const ObjectGuard b(first);
    return 0;
  });
  other.join();
  CHECK(status == 0);
  const ObjectGuard own(first);  // this thread's own does not keep it from forking
  CHECK(status_of_child([&] {
          const ObjectGuard b(second);
          return 0;
        }) == 0);
}

TEST_CASE("fork: an operator that needs an object's lock is waited for, and gets it") {
  Engine engine;
  engine::install_fork_handlers();
  ObjectMutex mutex;
  const StorageRef x = cell();
  Busy busy;
  push(
      [&] {
        busy();
        const ObjectGuard guard(mutex);
        value(x) = 3;
      },
      {}, {x});
  busy.wait();
  CHECK(status_of_child([&] {
          const ObjectGuard guard(mutex);
          return value(x) == 3 ? 0 : 1;
        }) == 0);
  engine::wait_to_read(x.get());
}

TEST_CASE("fork: threads that take locks, push and fork at once all end") {
  Engine engine;
  engine::install_fork_handlers();
  ObjectMutex mutex;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      const StorageRef x = cell();
      while (!stop) {
        const ObjectGuard guard(mutex);
        push([] {}, {}, {x});
        engine::wait_to_read(x.get());
      }
    });
  }
  const auto forks = [&] {
    for (int i = 0; i < 20; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        alarm(30);
        const ObjectGuard guard(mutex);
        const StorageRef x = cell();
        push([&] { value(x) = 1; }, {}, {x});
        _exit(value(x) == 1 ? 0 : 1);
      }
      int status = -1;
      waitpid(child, &status, 0);
      CHECK(status == 0);
    }
  };
  std::thread other(forks);
  forks();
  other.join();
  stop = true;
  for (std::thread& t : threads) t.join();
}
#endif
