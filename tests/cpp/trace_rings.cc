#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "engine_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

struct Reader {
  trace::Cursor* cursor = trace::new_cursor();
  ~Reader() { trace::free_cursor(cursor); }
  trace::Drained all() { return trace::drain(cursor); }
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
  // Both clocks at one moment: this thread may be kept waiting between two readings.
  const trace::Moment before = trace::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const trace::Moment after = trace::now();
  const auto expected = static_cast<double>(after.ns - before.ns);
  const auto measured = static_cast<double>(trace::to_ns(after.ticks) - trace::to_ns(before.ticks));
  CHECK(std::abs(measured - expected) < 1e-3 * expected + 20000);
  CHECK(trace::to_ns(before.ticks) > 0);
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
  const auto seen = first.named("counted");
  REQUIRE(seen.size() == 100);
  CHECK(seen.front().value == 0);
  CHECK(seen.back().value == 99);
  CHECK(first.named("counted").empty());
  trace::emit(record(100));
  CHECK(first.named("counted").size() == 1);
  CHECK(second.named("counted").size() == 101);
  Reader late;
  CHECK(late.named("counted").empty());
}

TEST_CASE("trace: a full ring overwrites its oldest, and tells what was lost of each lane") {
  const uint16_t often = trace::register_lane("often", "cpu(0)", "compute", false);
  const uint16_t seldom = trace::register_lane("seldom", "cpu(0)", "compute", false);
  const uint16_t early = trace::register_lane("early", "cpu(0)", "compute", false);
  const uint64_t began = trace::ticks();
  Reader reader;
  std::map<uint16_t, uint64_t> pushed, seen, lost;
  const auto emit = [&](uint16_t lane, uint32_t operators) {
    trace::Record r = record(operators);
    r.lane = lane;
    trace::emit(r);
    pushed[lane] += operators == 0 ? 1 : operators;
  };
  for (uint32_t round = 0; round < 3; ++round) {
    for (uint32_t i = 0; i < 10; ++i) emit(early, i);  // all of them are overwritten
    for (uint32_t i = 0; i < 100000; ++i) {
      emit(often, i % 3);
      if (i % 1000 == 0) emit(seldom, 7);
    }
    const trace::Drained drained = reader.all();
    for (const trace::Record& r : drained.records) {
      if (pushed.count(r.lane)) seen[r.lane] += trace::operators(r);
    }
    for (const trace::Gap& gap : drained.gaps) {
      CHECK(gap.start >= began);
      CHECK(gap.start <= gap.end);
      CHECK(gap.end <= trace::ticks());
      lost[gap.lane] += gap.operators;
    }
    CHECK(drained.records.size() > 30000);
    for (const auto& [lane, count] : pushed) CHECK(seen[lane] + lost[lane] == count);
  }
  CHECK(seen[early] == 0);
  CHECK(lost[seldom] > 0);
  CHECK(reader.all().gaps.empty());
  Reader late;  // of what ran before it was there it misses nothing
  emit(often, 1);
  emit(seldom, 1);
  const trace::Drained drained = late.all();
  CHECK(drained.records.size() >= 2);
  CHECK(drained.gaps.empty());
}

TEST_CASE("trace: spans that are too many are merged, and no operator or time is lost") {
  const auto total = [](const std::vector<trace::Record>& records) {
    std::map<std::pair<uint16_t, uint8_t>, std::pair<uint64_t, uint64_t>> found;
    for (const trace::Record& r : records) {
      auto& [operators, busy] = found[{r.lane, r.kind}];
      operators += trace::operators(r);
      busy += r.duration;
    }
    return found;
  };
  const auto by_kind = [](const std::vector<trace::Record>& records) {
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> found;
    for (const trace::Record& r : records) found[{r.name, r.site}] += trace::operators(r);
    return found;
  };
  std::mt19937 random(3);
  std::vector<trace::Record> records;
  uint64_t now = uint64_t{1} << 40;
  for (int i = 0; i < 20000; ++i) {
    trace::Record r;
    r.start = now;
    r.lane = random() % 3;
    r.kind = static_cast<uint8_t>(random() % 50 ? trace::Kind::span : trace::Kind::wait);
    if (random() % 1000 == 0) r.kind = static_cast<uint8_t>(trace::Kind::queue);
    r.duration = r.extent = random() % 2000 ? random() % 300 : 40000000;
    r.value = random() % 3;
    r.name = 1 + random() % 4;
    r.site = random() % 2;
    now += random() % 10000;
    records.push_back(r);
  }
  const auto exact = total(records);
  for (const size_t most : {30000u, 20000u, 5000u, 700u, 50u, 0u}) {
    auto merged = records;
    trace::merge_spans(&merged, most);
    CHECK(total(merged) == exact);
    size_t spans = 0, alone = 0;
    uint64_t last = 0;
    std::set<std::pair<uint16_t, uint8_t>> lanes;
    for (const trace::Record& r : merged) {
      if (r.kind == static_cast<uint8_t>(trace::Kind::queue)) continue;
      ++spans;
      CHECK(r.start >= last);
      last = r.start;
      lanes.insert({r.lane, r.kind});
      const bool is_merged = r.flags & trace::kMerged;
      alone += !is_merged;
      CHECK(trace::operators(r) >= (is_merged ? 2 : 1));
      CHECK(trace::extent_of(r) <= 40000000 + 300 + ((now - (uint64_t{1} << 40)) >> 4));
    }
    CHECK(spans <= std::max(most, lanes.size()));
    CHECK((alone == spans) == (most >= 20000));
    if (most >= 700) CHECK(by_kind(merged) == by_kind(records));
  }
}

TEST_CASE("trace: reading while writing gives whole records") {
  std::atomic<bool> stop{false};
  std::atomic<uint32_t> written{0};
  Reader reader;
  const uint16_t lane = trace::register_lane("written", "cpu(0)", "compute", false);
  std::thread writer([&] {
    for (uint32_t i = 1; !stop; ++i) {
      trace::Record r = record(1);
      r.lane = lane;
      r.start = i;
      r.node = ~i;
      r.site = i;
      trace::emit(r);
      written = i;
    }
  });
  uint64_t seen = 0;
  uint32_t last = 0;
  bool whole = true, ordered = true;
  const uint32_t id = trace::intern_name("counted");
  const auto read = [&] {
    const trace::Drained drained = reader.all();
    for (const trace::Gap& gap : drained.gaps) seen += gap.lane == lane ? gap.operators : 0;
    for (const trace::Record& r : drained.records) {
      if (r.name != id) continue;
      whole = whole && r.node == ~r.site && r.start == r.site;
      ordered = ordered && r.site > last;
      last = r.site;
      ++seen;
    }
  };
  for (int round = 0; round < 200; ++round) read();
  stop = true;
  writer.join();
  read();
  CHECK(whole);
  CHECK(ordered);
  CHECK(seen == written);
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
  engine::Props p = props("alive");
  p.site = trace::intern_site({"c1", 3, 1, "alive"});
  const StorageRef x = cell();
  push([&gate] { gate.pass(); }, {}, {x}, p);
  gate.wait_for(1);
  trace::set_current_site(trace::intern_site({"c1", 8, 1, "waits"}));
  std::vector<trace::Record> seen;
  std::thread watcher([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    seen = reader.all().running;
    gate.open = true;
  });
  engine::wait_to_read(x.get());
  watcher.join();
  engine::wait_all();
  int spans = 0, waits = 0;
  uint64_t start = 0;
  for (const trace::Record& r : seen) {
    CHECK((r.flags & trace::kRunning));
    if (r.kind == static_cast<uint8_t>(trace::Kind::wait)) {
      ++waits;
      CHECK(trace::name_of(r.name) == "alive");
      CHECK(r.node == p.site);
      CHECK(trace::site_of(r.site).line == 8);
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
