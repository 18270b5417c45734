#include <algorithm>
#include <cmath>
#include <set>

#include "engine_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

struct Reader {
  trace::Cursor* cursor = trace::new_cursor();
  ~Reader() { trace::free_cursor(cursor); }
  trace::Drained all() { return trace::drain(cursor, 1u << 30); }
  std::vector<trace::Record> named(const char* name) {
    const uint32_t id = trace::intern_name(name);
    std::vector<trace::Record> found;
    for (const trace::Record& r : all().records) {
      if (r.name == id) found.push_back(r);
    }
    return found;
  }
};

trace::Record record(uint32_t value) {
  trace::Record r;
  r.start = trace::ticks();
  r.value = value;
  r.name = trace::intern_name("counted");
  return r;
}

}  // namespace

TEST_CASE("trace: the clock agrees with the system's") {
  const uint64_t t0 = trace::ticks();
  const auto start = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const uint64_t t1 = trace::ticks();
  const double expected = seconds_since(start) * 1e9;
  const auto measured = static_cast<double>(trace::to_ns(t1) - trace::to_ns(t0));
  CHECK(std::abs(measured - expected) < 1e-3 * expected + 20000);
  CHECK(trace::to_ns(t0) > 0);
  const auto there_and_back =
      static_cast<double>(trace::duration_ns(trace::pack_duration(trace::ticks_of_ns(5000000))));
  CHECK(std::abs(there_and_back - 5e6) < 5e3);
  CHECK(trace::pack_duration(~uint64_t{0}) == UINT32_MAX);
}

TEST_CASE("trace: names, sites and lanes are interned") {
  const uint32_t a = trace::intern_name("alpha");
  CHECK(a == trace::intern_name("alpha"));
  CHECK(a != trace::intern_name("beta"));
  CHECK(trace::name_of(a) == "alpha");
  CHECK(trace::name_of(4000000000u).empty());
  const uint32_t s = trace::intern_site({"c1", 3, 5, "f.py"});
  CHECK(s == trace::intern_site({"c1", 3, 5, "f.py"}));
  CHECK(s != trace::intern_site({"c1", 4, 5, "f.py"}));
  CHECK(trace::site_of(s).line == 3);
  CHECK(trace::describe_site(s) == "f.py, line 3");
  CHECK(trace::intern_site({}) == 0);
  CHECK(trace::describe_site(0).empty());
  const uint16_t lane = trace::register_lane("test lane", "cpu(0)", "compute", false);
  CHECK(lane == trace::register_lane("test lane", "cpu(0)", "compute", false));
  CHECK(trace::lanes()[lane].name == "test lane");
}

TEST_CASE("trace: each reader sees every record once, in order") {
  Reader first, second;
  for (uint32_t i = 0; i < 100; ++i) trace::emit(record(i));
  const auto some = trace::drain(first.cursor, 30).records;
  CHECK(some.size() == 30);
  auto rest = first.named("counted");
  REQUIRE(rest.size() == 70);
  CHECK(rest.front().value == 30);
  CHECK(rest.back().value == 99);
  CHECK(first.named("counted").empty());
  CHECK(second.named("counted").size() == 100);
  Reader late;
  CHECK(late.named("counted").empty());
}

TEST_CASE("trace: a full ring overwrites its oldest and counts what was lost") {
  Reader reader;
  constexpr uint32_t kMany = 50000;
  for (uint32_t i = 0; i < kMany; ++i) trace::emit(record(i));
  const trace::Drained drained = reader.all();
  uint32_t found = 0, last = 0;
  for (const trace::Record& r : drained.records) {
    if (trace::name_of(r.name) != "counted") continue;
    if (found++) CHECK(r.value == last + 1);
    last = r.value;
  }
  CHECK(last == kMany - 1);
  CHECK(found > 16000);
  CHECK(drained.lost + found == kMany);
}

TEST_CASE("trace: reading while writing gives whole records") {
  std::atomic<bool> stop{false};
  std::atomic<uint32_t> written{0};
  Reader reader;
  std::thread writer([&] {
    for (uint32_t i = 1; !stop; ++i) {
      trace::Record r = record(i);
      r.start = i;
      r.node = ~i;
      r.site = i * 3;
      trace::emit(r);
      written = i;
    }
  });
  uint64_t seen = 0, lost = 0;
  uint32_t last = 0;
  bool whole = true, ordered = true;
  const uint32_t id = trace::intern_name("counted");
  for (int round = 0; round < 200; ++round) {
    const trace::Drained drained = reader.all();
    lost += drained.lost;
    for (const trace::Record& r : drained.records) {
      if (r.name != id) continue;
      whole = whole && r.node == ~r.value && r.site == r.value * 3 && r.start == r.value;
      ordered = ordered && r.value > last;
      last = r.value;
      ++seen;
    }
  }
  stop = true;
  writer.join();
  const trace::Drained drained = reader.all();
  seen += drained.records.size();
  lost += drained.lost;
  CHECK(whole);
  CHECK(ordered);
  CHECK(seen + lost >= written);
  CHECK(seen + lost <= written + 1000);  // others may have traced as well
}

TEST_CASE("trace: runs of small operators become one record") {
  Engine engine(engine::Kind::threaded, true);
  Reader reader;
  const StorageRef x = cell();
  const auto small = [&](const char* name) { push([] {}, {}, {x}, props(name, 100)); };
  for (int i = 0; i < 100; ++i) small("run_a");
  small("run_b");
  std::vector<trace::Record> a, b;
  for (const trace::Record& r : reader.all().records) {  // a drain flushes the open run
    if (trace::name_of(r.name) == "run_a") a.push_back(r);
    if (trace::name_of(r.name) == "run_b") b.push_back(r);
  }
  uint32_t total = 0;
  for (const trace::Record& r : a) {
    total += r.value;
    CHECK((r.flags & trace::kInline));
    CHECK(((r.flags & trace::kCoalesced) != 0) == (r.value > 1));
    CHECK(trace::lanes()[r.lane].kind == "main");
  }
  CHECK(total == 100);
  CHECK(a.size() < 10);  // 1, unless the machine paused this thread
  REQUIRE(b.size() == 1);
  CHECK(b[0].value == 1);
  CHECK_FALSE((b[0].flags & trace::kCoalesced));
  small("run_c");
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  small("run_c");  // after a gap: another run
  CHECK(reader.named("run_c").size() == 2);
}

TEST_CASE("trace: queued operators give a span each, with site, node and lane") {
  Engine engine;
  Reader reader;
  engine::Props p = props("spanned");
  p.site = trace::intern_site({"c9", 4, 2, "here"});
  p.node = 17;
  const auto sleep = [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
  push(sleep, {}, {cell()}, p);
  push(sleep, {}, {cell()}, p);
  engine::wait_all();
  const auto spans = reader.named("spanned");
  REQUIRE(spans.size() == 2);
  for (const trace::Record& r : spans) {
    CHECK(r.site == p.site);
    CHECK(r.node == 17);
    CHECK(trace::lanes()[r.lane].name == "cpu(0)");
    CHECK(trace::duration_ns(r.duration) > 4500000);
    CHECK(r.flags == 0);
    CHECK(r.value == 1);
  }
  CHECK(spans[1].start >= spans[0].start + (uint64_t{spans[0].duration} << 4));
}

TEST_CASE("trace: what runs now is visible while it runs, and so is who waits") {
  Engine engine;
  Reader reader;
  Gate gate;
  push([&gate] { gate.pass(); }, {}, {cell()}, props("alive"));
  gate.wait_for(1);
  std::vector<trace::Record> seen;
  std::thread watcher([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    seen = reader.all().running;
    gate.open = true;
  });
  engine::wait_all();
  watcher.join();
  int spans = 0, waits = 0;
  uint64_t start = 0;
  for (const trace::Record& r : seen) {
    CHECK((r.flags & trace::kRunning));
    if (r.kind == static_cast<uint8_t>(trace::Kind::wait)) {
      ++waits;
    } else if (trace::name_of(r.name) == "alive") {
      ++spans;
      start = r.start;
      CHECK(trace::duration_ns(r.duration) > 10000000);
    }
  }
  CHECK(spans == 1);
  CHECK(waits == 1);
  bool finished = false, waited = false;
  const trace::Drained after = reader.all();
  for (const trace::Record& r : after.records) {
    finished = finished || (trace::name_of(r.name) == "alive" && r.start == start);
    waited = waited || r.kind == static_cast<uint8_t>(trace::Kind::wait);
  }
  CHECK(finished);
  CHECK(waited);
  CHECK(after.running.empty());
}

TEST_CASE("trace: queue depth is recorded, sparsely, and ends with zero") {
  Engine engine;
  Reader reader;
  Gate gate;
  push([&gate] { gate.pass(); }, {}, {cell()});
  for (int i = 0; i < 2000; ++i) push([] {}, {}, {cell()});
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  push([] {}, {}, {cell()});
  gate.open = true;
  engine::wait_all();
  std::vector<uint32_t> depths;
  for (const trace::Record& r : reader.all().records) {
    if (r.kind == static_cast<uint8_t>(trace::Kind::depth)) depths.push_back(r.value);
  }
  REQUIRE_FALSE(depths.empty());
  CHECK(*std::max_element(depths.begin(), depths.end()) == 2002);
  CHECK(depths.size() < 500);
  CHECK(std::count(depths.begin(), depths.end(), 0u) >= 1);
}

TEST_CASE("trace: rings of ended threads are taken over, not piled up") {
  Reader reader;
  for (int i = 0; i < 50; ++i) std::thread([] { trace::emit(record(5)); }).join();
  CHECK(reader.named("counted").size() == 50);
  // Only a thread that runs operators itself has a lane to show.
  const size_t lanes = trace::lanes().size();
  std::thread([] { trace::emit(record(6)); }).join();
  CHECK(trace::lanes().size() == lanes);
  std::set<std::string> names;
  for (int i = 0; i < 50; ++i) {
    std::thread([&] {
      const uint16_t lane = trace::current_lane();  // may register it: look it up afterwards
      names.insert(trace::lanes()[lane].name);
    }).join();
  }
  CHECK(names.size() < 10);
}
