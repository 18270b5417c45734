// What the trace tells of queues, memory and where queued operators come from.
#include <algorithm>
#include <map>

#include "engine_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

struct Reader {
  trace::Cursor* cursor = trace::new_cursor();
  ~Reader() { trace::free_cursor(cursor); }
  // States of the host's queue, in order of time.
  std::vector<trace::Queue> states() {
    engine::tell_queues(false);
    std::vector<trace::Record> found;
    for (const trace::Record& r : trace::drain(cursor).records) {
      const bool is_queue = r.kind == static_cast<uint8_t>(trace::Kind::queue);
      if (is_queue && trace::lanes().at(r.lane).device == "cpu(0)") found.push_back(r);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.start < b.start; });
    std::vector<trace::Queue> states;
    for (const trace::Record& r : found) states.push_back(trace::queue_of(r));
    return states;
  }
  // Spans by the name of their operator, one each.
  std::map<std::string, trace::Record> spans() {
    std::map<std::string, trace::Record> found;
    for (const trace::Record& r : trace::drain(cursor).records) {
      if (trace::is_span(r)) found[trace::name_of(r.name)] = r;
    }
    return found;
  }
};

uint32_t pending(const trace::Queue& q) { return q.waiting + q.ready + q.running; }

std::vector<uint32_t> producers(const trace::Record& r) {
  std::vector<uint32_t> found(r.producers, std::find(r.producers, std::end(r.producers), 0u));
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

TEST_CASE("trace: of a queue is told who waits, is ready and runs") {
  Engine engine;
  Reader reader;
  Gate gate;
  const StorageRef first = cell();
  push([&gate] { gate.pass(); }, {}, {first});
  gate.wait_for(1);
  for (int i = 0; i < 3; ++i) push([] {}, {first}, {cell()});
  for (int i = 0; i < 2; ++i) push([] {}, {}, {cell()});
  const std::vector<trace::Queue> held = reader.states();
  REQUIRE_FALSE(held.empty());
  CHECK(held.back().waiting == 3);
  CHECK(held.back().ready == 2);
  CHECK(held.back().running == 1);
  CHECK(pending(held.back()) == static_cast<uint32_t>(engine::pending()));
  gate.open = true;
  engine::wait_all();
  const std::vector<trace::Queue> done = reader.states();
  REQUIRE_FALSE(done.empty());
  CHECK(pending(done.back()) == 0);
  CHECK(reader.states().empty());  // nothing is new
}

TEST_CASE("trace: states of a queue are told sparsely, and each that lasts") {
  Engine engine;
  Reader reader;
  Gate gate;
  const uint64_t began = trace::ticks();
  push([&gate] { gate.pass(); }, {}, {cell()});
  for (int i = 0; i < 2000; ++i) push([] {}, {}, {cell()});
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  gate.open = true;
  engine::wait_all();
  const auto passed = static_cast<size_t>(trace::to_ns(trace::ticks()) - trace::to_ns(began));
  const std::vector<trace::Queue> states = reader.states();
  REQUIRE_FALSE(states.empty());
  uint32_t highest = 0;
  for (const trace::Queue& q : states) highest = std::max(highest, pending(q));
  CHECK(highest == 2001);  // it lasted: nothing was pushed, nothing ended meanwhile
  CHECK(states.size() <= 2 * passed / 100000 + 4);
  CHECK(pending(states.back()) == 0);
}

TEST_CASE("trace: a device that another one's operators make ready is told of, too") {
  Engine engine;
  Reader reader;
  Gate first, second;
  const Context gpu{DeviceType::gpu, 0};
  engine::set_virtual_gpus(1);
  const StorageRef made = cell();
  push([&second] { second.pass(); }, {}, {cell(0, gpu)}, props("test", 0, gpu));
  push([&first] { first.pass(); }, {}, {made});
  push([] {}, {made}, {cell(0, gpu)}, props("test", 0, gpu));
  first.wait_for(1);
  second.wait_for(1);
  const auto last = [&] {
    engine::tell_queues(false);
    trace::Queue found;
    uint64_t newest = 0;  // each thread tells in a ring of its own
    for (const trace::Record& r : trace::drain(reader.cursor).records) {
      const bool is_queue = r.kind == static_cast<uint8_t>(trace::Kind::queue);
      if (!is_queue || trace::lanes().at(r.lane).device != "gpu(0)" || r.start < newest) continue;
      newest = r.start;
      found = trace::queue_of(r);
    }
    return found;
  };
  CHECK(last().waiting == 1);
  first.open = true;
  engine::wait_to_read(made.get());
  const trace::Queue after = last();
  CHECK(after.waiting == 0);
  CHECK(after.ready == 1);
  CHECK(after.running == 1);
  second.open = true;
  engine::wait_all();
  engine::set_virtual_gpus(0);
}

TEST_CASE("trace: of memory is told what is used, and the most since before") {
  Engine engine;
  Reader reader;
  constexpr int64_t kBytes = 1 << 20;
  const StorageRef kept = allocate(kBytes, Context());
  reader.states();
  const int64_t before = pool_stats(Context()).used;
  allocate(3 * kBytes, Context());  // and freed
  const StorageRef more = allocate(kBytes, Context());
  const std::vector<trace::Queue> states = reader.states();
  REQUIRE(states.size() == 1);
  CHECK(states[0].used == before + kBytes);
  CHECK(states[0].used == pool_stats(Context()).used);
  CHECK(states[0].high == before + 3 * kBytes);
  CHECK(reader.states().empty());
}

TEST_CASE("trace: a queued operator knows its push and who wrote what it reads") {
  Engine engine;
  Reader reader;
  const StorageRef a = cell(), b = cell(), c = cell(), d = cell();
  Gate gate;
  push([&gate] { gate.pass(); }, {}, {a}, props("A"));
  push([] {}, {a}, {b}, props("B"));
  push([] {}, {a, b}, {c}, props("C"));
  engine::Props adds = props("adds");
  adds.whole_overwrite = false;
  push([] {}, {}, {c}, adds);
  push([] {}, {}, {c}, props("sets"));
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  gate.open = true;
  engine::wait_all();
  auto spans = reader.spans();
  const uint32_t at = spans["A"].serial, bt = spans["B"].serial, ct = spans["C"].serial;
  CHECK(at != 0);
  CHECK(producers(spans["A"]).empty());
  CHECK(producers(spans["B"]) == std::vector<uint32_t>{at});
  CHECK(producers(spans["C"]) == std::vector<uint32_t>{at, bt});
  CHECK(producers(spans["adds"]) == std::vector<uint32_t>{ct});
  CHECK(producers(spans["sets"]).empty());
  CHECK(trace::duration_ns(spans["B"].queued) >= 2000000);
  CHECK(spans["B"].pusher == trace::current_lane());

  // An operator that the caller ran in between is no producer, and hides the one before.
  engine.settings.inline_small = true;
  engine.apply();
  push([] {}, {}, {a}, props("inline", 100));
  engine.settings.inline_small = false;
  engine.apply();
  push([] {}, {a, b}, {d}, props("D"));
  engine::wait_all();
  spans = reader.spans();
  CHECK(spans["inline"].serial == 0);
  CHECK(producers(spans["D"]) == std::vector<uint32_t>{bt});
}

TEST_CASE("trace: producers that find no place are counted") {
  Engine engine;
  Reader reader;
  std::vector<StorageRef> all;
  for (int i = 0; i < 5; ++i) {
    all.push_back(cell());
    push([] {}, {}, {all.back()}, props("writes"));
  }
  push([] {}, all, {cell()}, props("reads"));
  engine::wait_all();
  const trace::Record reads = reader.spans()["reads"];
  CHECK(producers(reads).size() == trace::kProducers);
  CHECK(reads.more == 5 - trace::kProducers);
}
