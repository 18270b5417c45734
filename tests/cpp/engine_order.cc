// Order: whatever the lanes do, a program gives what it gives when run line by line.
#include <algorithm>
#include <map>
#include <random>

#include "engine_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

struct Step {
  std::vector<int> reads, writes;
  int id;
};

std::vector<Step> random_program(std::mt19937& random, int variables, int steps) {
  std::vector<Step> program;
  for (int i = 0; i < steps; ++i) {
    std::vector<int> all(static_cast<size_t>(variables));
    for (int v = 0; v < variables; ++v) all[static_cast<size_t>(v)] = v;
    std::shuffle(all.begin(), all.end(), random);
    const size_t writes = 1 + random() % 2, reads = random() % 9;  // beyond what fits in place
    Step step;
    step.id = i;
    step.writes.assign(all.begin(), all.begin() + static_cast<long>(writes));
    step.reads.assign(all.begin() + static_cast<long>(writes),
                      all.begin() + static_cast<long>(std::min(all.size(), writes + reads)));
    program.push_back(step);
  }
  return program;
}

// Plain (not atomic) memory on purpose: a race is a wrong value here and a report under TSan.
void apply(const Step& step, std::vector<uint64_t*> cells) {
  uint64_t mix = static_cast<uint64_t>(step.id) * 0x9E3779B97F4A7C15u;
  for (int r : step.reads) mix = (mix ^ *cells[static_cast<size_t>(r)]) * 0xBF58476D1CE4E5B9u;
  for (int w : step.writes) {
    uint64_t& x = *cells[static_cast<size_t>(w)];
    x = (x ^ mix) * 0x94D049BB133111EBu + 1;
  }
}

std::vector<uint64_t> serial(const std::vector<Step>& program, int variables) {
  std::vector<uint64_t> memory(static_cast<size_t>(variables), 1);
  std::vector<uint64_t*> cells;
  for (uint64_t& m : memory) cells.push_back(&m);
  for (const Step& step : program) apply(step, cells);
  return memory;
}

}  // namespace

TEST_CASE("engine: random programs equal their serial run, in every mode") {
  constexpr int kVariables = 12;
  std::mt19937 random(7);
  engine::set_virtual_gpus(2);
  for (int round = 0; round < 150; ++round) {
    const bool naive = round % 5 == 4, inlining = round % 2 == 0;
    Engine engine(naive ? engine::Kind::naive : engine::Kind::threaded, inlining);
    if (round % 3 == 0) {
      engine.settings.limit_ops = 5;
      engine.apply();
    }
    const std::vector<Step> program = random_program(random, kVariables, 200);
    std::vector<StorageRef> storages;
    std::vector<uint64_t*> cells;
    for (int v = 0; v < kVariables; ++v) {
      storages.push_back(allocate(sizeof(uint64_t), Context()));
      cells.push_back(static_cast<uint64_t*>(storages.back()->data));
      *cells.back() = 1;
    }
    int versions = 0;
    for (const Step& step : program) {
      std::vector<StorageRef> reads, writes;
      for (int r : step.reads) reads.push_back(storages[static_cast<size_t>(r)]);
      for (int w : step.writes) writes.push_back(storages[static_cast<size_t>(w)]);
      versions += static_cast<int>(writes.size());
      engine::Props p = props("step", 10 + random() % 20000);
      p.priority = static_cast<int>(random() % 3) - 1;
      const unsigned where = random() % 6;
      if (where < 2) p.ctx = gpu(static_cast<int>(where));
      if (where == 2) p.lane = engine::LaneKind::copy_in;
      push([step, cells] { apply(step, cells); }, reads, writes, p);
      if (random() % 50 == 0) engine::wait_to_read(storages[random() % kVariables].get());
      if (random() % 50 == 0) engine::wait_to_write(storages[random() % kVariables].get());
    }
    engine::wait_all();
    const std::vector<uint64_t> expected = serial(program, kVariables);
    int bumped = 0;
    for (int v = 0; v < kVariables; ++v) {
      REQUIRE(*cells[static_cast<size_t>(v)] == expected[static_cast<size_t>(v)]);
      CHECK(storages[static_cast<size_t>(v)]->var.idle());
      bumped += static_cast<int>(storages[static_cast<size_t>(v)]->var.version);
    }
    CHECK(bumped == versions);
    CHECK(engine::pending() == 0);
  }
  engine::set_virtual_gpus(0);
}

TEST_CASE("engine: threads that push on variables of their own do not disturb each other") {
  Engine engine;
  constexpr int kThreads = 4, kSteps = 3000;
  std::vector<StorageRef> sums;
  for (int t = 0; t < kThreads; ++t) sums.push_back(cell(0));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const StorageRef sum = sums[static_cast<size_t>(t)];
      for (int i = 0; i < kSteps; ++i) {
        push([p = &value(sum)] { *p += 1; }, {}, {sum}, props("add", 50));
        if (i % 100 == 0) engine::wait_to_read(sum.get());
      }
      engine::wait_to_read(sum.get());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const StorageRef& sum : sums) CHECK(value(sum) == kSteps);
}

TEST_CASE("engine: reads of one variable run at the same time, writes alone") {
  Engine engine;
  engine::set_virtual_gpus(2);
  const StorageRef x = cell(1);
  Gate gate;
  push([&gate] { gate.pass(); }, {x}, {cell()}, props("read", 0, gpu(0)));
  push([&gate] { gate.pass(); }, {x}, {cell()}, props("read", 0, gpu(1)));
  std::atomic<bool> written{false};
  push([&written] { written = true; }, {}, {x});
  gate.wait_for(2);  // both inside
  CHECK_FALSE(written);
  CHECK(x->var.pending == 3);
  CHECK(x->var.pending_writes == 1);
  gate.open = true;
  engine::wait_to_write(x.get());
  CHECK(written);
  engine::wait_all();
  engine::set_virtual_gpus(0);
}

TEST_CASE("engine: a variable named twice is waited for once") {
  Engine engine;
  const StorageRef x = cell(1), y = cell(0);
  push([&] { value(y) = value(x); }, {x, x, y}, {y, y});
  engine::wait_all();
  CHECK(value(y) == 1);
  CHECK(x->var.idle());
  CHECK(y->var.idle());
}

TEST_CASE("engine: higher priority first among what is ready") {
  Engine engine;
  Gate gate;
  push([&gate] { gate.pass(); }, {}, {cell()});
  gate.wait_for(1);
  std::vector<int> order;
  for (int priority : {0, -5, 3, 0, 3, 9}) {
    engine::Props p = props("step");
    p.priority = priority;
    push([&order, priority] { order.push_back(priority); }, {}, {cell()}, p);
  }
  gate.open = true;
  engine::wait_all();
  CHECK(order == std::vector<int>{9, 3, 3, 0, 0, -5});
}

TEST_CASE(
    "engine: small work on idle variables runs on the caller, long or blocked work does not") {
  Engine engine(engine::Kind::threaded, true);
  const StorageRef x = cell(), y = cell();
  std::thread::id ran;
  const auto note = [&ran] { ran = std::this_thread::get_id(); };
  push(note, {x}, {y}, props("small", 100));
  CHECK(ran == std::this_thread::get_id());
  Gate gate;
  push([&gate] { gate.pass(); }, {}, {x});
  gate.wait_for(1);
  ran = {};
  push(note, {x}, {y}, props("small", 100));
  CHECK(ran == std::thread::id());  // x is being written
  gate.open = true;
  engine::wait_all();
  push(note, {x}, {y}, props("long", 1e6));
  while (!y->var.idle()) std::this_thread::yield();  // no wait: nobody may help
  CHECK(ran != std::this_thread::get_id());
  CHECK(engine::may_inline(100, Context()));
  CHECK_FALSE(engine::may_inline(0, Context()));
  CHECK_FALSE(engine::may_inline(1e6, Context()));
  engine.settings.inline_small = false;
  engine.apply();
  CHECK_FALSE(engine::may_inline(100, Context()));
}

TEST_CASE("engine: a waiting caller runs short operators itself, never long ones") {
  Engine engine;
  Gate gate;
  // Two lanes of the host: the gate keeps one busy, so that only the other's work is in question.
  std::atomic<int> by_caller{0}, long_by_caller{0};
  const std::thread::id me = std::this_thread::get_id();
  for (int i = 0; i < 2000; ++i) {
    push([&, me] { by_caller += std::this_thread::get_id() == me; }, {}, {cell()},
         props("short", 1000));
    engine::wait_all();
  }
  for (int i = 0; i < 20; ++i) {
    push([&, me] { long_by_caller += std::this_thread::get_id() == me; }, {}, {cell()},
         props("long", 50e6));
    engine::wait_all();
  }
  CHECK(by_caller > 0);
  CHECK(long_by_caller == 0);
}

TEST_CASE("engine: when wait_all returns, tasks have let go of their arrays") {
  Engine engine;
  const int64_t used = pool_stats(Context()).used;
  for (int i = 0; i < 200; ++i) {
    push([] {}, {allocate(1 << 14, Context())}, {allocate(1 << 14, Context())});
    engine::wait_all();
    CHECK(pool_stats(Context()).used == used);
  }
}

TEST_CASE("engine: what is pending says who waits for whom") {
  Engine engine;
  Gate gate;
  const StorageRef x = cell(), y = cell();
  trace::set_current_site(0);
  engine::Props p = props("slowop");
  p.site = trace::intern_site({"", 12, 0, "prog.py"});
  push([&gate] { gate.pass(); }, {}, {x}, p);
  push([] {}, {x}, {y}, props("nextop"));
  gate.wait_for(1);
  const std::string text = engine::describe_pending(10);
  CHECK(text.find("2 operators pending") != text.npos);
  CHECK(text.find("slowop (prog.py, line 12) on cpu(0): running") != text.npos);
  const size_t at = text.find("nextop on cpu(0): waits for #");
  REQUIRE(at != text.npos);
  CHECK(text.find("slowop", at) != text.npos);
  CHECK(engine::describe_pending(1).find("and 1 more") != std::string::npos);
  gate.open = true;
  engine::wait_all();
}
