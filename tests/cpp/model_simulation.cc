// The simulation of modelled lanes and links.
#include "model/simulation.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

using namespace hybrid::model;

namespace {

struct Run {
  std::vector<Work> ended;
  std::map<const void*, std::pair<bool, bool>> state;
  Simulation simulation;
  explicit Run(std::vector<double> links = {})
      : simulation(
            std::move(links), [this](const Work& w) { ended.push_back(w); },
            [this](const void* v, bool written, bool used) { state[v] = {written, used}; }) {}
  const Work& of(uint32_t serial) const {
    for (const Work& w : ended) {
      if (w.serial == serial) return w;
    }
    FAIL("operator " << serial << " has not ended");
    return ended.front();
  }
};

Work work(uint32_t serial, uint16_t lane, double seconds, double pushed = 0) {
  Work w;
  w.serial = serial;
  w.lane = lane;
  w.pushed = pushed;
  w.pieces.push_back({seconds, {}});
  return w;
}

Work copy(uint32_t serial, uint16_t lane, double bytes, std::vector<int> links,
          double latency = 0) {
  Work w;
  w.serial = serial;
  w.lane = lane;
  w.bytes = bytes;
  w.links = std::move(links);
  w.latency = latency;
  return w;
}

}  // namespace

TEST_CASE("model: a lane runs one operator at a time, lanes run side by side") {
  Run run;
  run.simulation.add(work(1, 0, 3));
  run.simulation.add(work(2, 0, 2));
  run.simulation.add(work(3, 1, 4, 0.5));
  CHECK(run.simulation.finish_all());
  CHECK(run.simulation.now() == 5);
  CHECK(run.of(1).ended == 3);
  CHECK(run.of(2).begun == 3);
  CHECK(run.of(3).begun == 0.5);
  CHECK(run.of(3).ended == 4.5);
}

TEST_CASE("model: reads follow writes, writes follow reads") {
  Run run;
  const int x = 0, y = 0;
  Work a = work(1, 0, 2), b = work(2, 1, 5), c = work(3, 2, 1), d = work(4, 3, 1);
  a.writes = {&x};
  b.reads = {&x};
  c.reads = {&x};
  d.writes = {&x, &y};
  for (Work* w : {&a, &b, &c, &d}) run.simulation.add(*w);
  CHECK(run.state[&x] == std::pair(true, true));
  CHECK(run.simulation.finish(&x, true));
  CHECK(run.simulation.now() == 8);
  CHECK(run.of(2).begun == 2);
  CHECK(run.of(3).begun == 2);
  CHECK(run.of(4).begun == 7);
  CHECK(run.state[&x] == std::pair(false, false));
  CHECK(run.simulation.idle());
}

TEST_CASE("model: of ready operators the most urgent runs, then the one that was ready first") {
  Run run;
  Work late = work(4, 0, 1);
  late.priority = 5;
  run.simulation.add(work(1, 0, 2));
  run.simulation.add(work(2, 0, 1));
  run.simulation.add(work(3, 0, 1));
  run.simulation.advance(0.5);  // 1 runs
  run.simulation.add(late);
  CHECK(run.simulation.finish_all());
  CHECK(run.simulation.now() == 5);
  CHECK(run.of(4).begun == 2);
  CHECK(run.of(4).pushed == 0.5);
  CHECK(run.of(2).begun == 3);
  CHECK(run.of(3).begun == 4);
}

TEST_CASE("model: what is decided does not change by later pushes") {
  Run run;
  run.simulation.add(work(1, 0, 1));
  run.simulation.advance(1);  // nothing that happens at 1 is decided yet
  CHECK(run.ended.empty());
  Work urgent = work(2, 0, 1, 0);
  run.simulation.add(urgent);
  CHECK(run.simulation.finish_all());
  CHECK(run.simulation.now() == 2);
  CHECK(run.of(2).begun == 1);
}

TEST_CASE("model: results that are whole early let others begin") {
  Run run;
  const int x = 0, y = 0;
  Work program = work(1, 0, 1);
  program.pieces.push_back({9, {}});
  program.writes = {&x, &y};
  program.finished = {{&x, 0}};
  Work reads_x = work(2, 1, 1), reads_y = work(3, 2, 1), writes_x = work(4, 3, 1);
  reads_x.reads = {&x};
  reads_y.reads = {&y};
  writes_x.writes = {&x};
  for (const Work& w : {program, reads_x, reads_y, writes_x}) run.simulation.add(w);
  CHECK(run.simulation.finish(&x, false));
  CHECK(run.simulation.now() == 3);
  CHECK(run.of(2).begun == 1);
  CHECK(run.of(4).begun == 2);
  CHECK(run.simulation.finish_all());
  CHECK(run.simulation.now() == 11);
  CHECK(run.of(3).begun == 10);
}

TEST_CASE("model: copies share the links that they cross") {
  Run run({10, 10, 4});
  run.simulation.add(copy(1, 0, 100, {0}, 0.5));
  run.simulation.add(copy(2, 1, 100, {0, 1}));
  run.simulation.add(copy(3, 2, 20, {2}));
  CHECK(run.simulation.finish_all());
  CHECK(run.simulation.now() == doctest::Approx(20));
  // 2 is alone until 0.5 (5 bytes); then both get 5 bytes a second.
  CHECK(run.of(2).ended == doctest::Approx(0.5 + 95 / 5.0));
  CHECK(run.of(1).ended == doctest::Approx(20));
  CHECK(run.of(3).ended == doctest::Approx(5));
}

TEST_CASE("model: the slowest link decides, and others get what is left") {
  Run run({10, 2});
  run.simulation.add(copy(1, 0, 8, {0, 1}));
  run.simulation.add(copy(2, 1, 80, {0}));
  run.simulation.finish_all();
  CHECK(run.of(1).ended == doctest::Approx(4));              // 2 bytes a second
  CHECK(run.of(2).ended == doctest::Approx(4 + 48 / 10.0));  // 8 a second meanwhile
}

TEST_CASE("model: a ring that crosses a link twice gets half of it") {
  Run run({10});
  run.simulation.add(copy(1, 0, 10, {0, 0}));
  CHECK(run.simulation.finish_all());
  CHECK(run.simulation.now() == doctest::Approx(2));
}

TEST_CASE("model: a variable that is gone is forgotten") {
  Run run;
  const int x = 0;
  Work a = work(1, 0, 5), b = work(2, 1, 1);
  a.writes = {&x};
  run.simulation.add(a);
  run.simulation.forget(&x);
  b.reads = {&x};  // another one, at the same address
  run.simulation.add(b);
  run.simulation.finish_all();
  CHECK(run.of(2).begun == 0);
}

// Random programs: no lane runs two at once or stands still while something is ready, and nothing
// begins before what it depends on has ended.
TEST_CASE("model: random programs keep the rules") {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    Run run;
    const int variables[6] = {};
    std::vector<Work> all;
    std::map<uint32_t, std::vector<uint32_t>> after;
    std::map<int, uint32_t> writer;
    std::map<int, std::vector<uint32_t>> readers;
    double host = 0;
    for (uint32_t serial = 1; serial <= 60; ++serial) {
      host += pick(3) * 0.25;
      Work w = work(serial, static_cast<uint16_t>(pick(3)), pick(8) * 0.5, host);
      w.priority = pick(3);
      const int read = pick(6), written = pick(6);
      if (read != written) {
        w.reads = {&variables[read]};
        if (writer.count(read)) after[serial].push_back(writer[read]);
        readers[read].push_back(serial);
      }
      w.writes = {&variables[written]};
      if (writer.count(written)) after[serial].push_back(writer[written]);
      for (const uint32_t reader : readers[written]) after[serial].push_back(reader);
      readers[written].clear();
      writer[written] = serial;
      if (pick(4) == 0) run.simulation.advance(host);
      if (pick(10) == 0 && run.simulation.finish(&variables[read], true)) {
        host = std::max(host, run.simulation.now());
      }
      w.pushed = host;
      all.push_back(w);
      run.simulation.add(w);
    }
    run.simulation.finish_all();
    REQUIRE(run.ended.size() == all.size());
    for (const Work& w : all) {
      const Work& done = run.of(w.serial);
      double ready = w.pushed;
      for (const uint32_t before : after[w.serial]) ready = std::max(ready, run.of(before).ended);
      REQUIRE(done.ready == ready);
      REQUIRE(done.begun >= ready);
      REQUIRE(done.ended == done.begun + w.pieces[0].seconds);
      // From when it was ready until it began its lane was busy all the time.
      double busy = 0;
      for (const Work& other : run.ended) {
        if (other.lane != w.lane || other.serial == w.serial) continue;
        const bool apart = other.ended <= done.begun || other.begun >= done.ended;
        REQUIRE(apart);
        busy += std::max(0.0, std::min(other.ended, done.begun) - std::max(other.begun, ready));
      }
      REQUIRE(busy == doctest::Approx(done.begun - ready));
    }
  }
}

namespace {

Work meeting(uint32_t serial, uint16_t lane, uint64_t number, double seconds, double pushed = 0) {
  Work w = work(serial, lane, 2, pushed);
  w.pieces.push_back({1, {}});
  Waits waits;
  waits.piece = 0;
  waits.meeting = number;
  waits.devices = 2;
  waits.seconds = seconds;
  w.waits = {waits};
  return w;
}

}  // namespace

TEST_CASE("model: devices wait for each other at the end of a piece") {
  Run run;
  const int x = 0;
  Work first = meeting(1, 0, 7, 0), second = meeting(2, 1, 7, 0.5, 3);
  first.writes = {&x};
  first.finished = {{&x, 0}};
  run.simulation.add(first);
  CHECK_FALSE(run.simulation.finish(&x, true));  // nobody else is there yet
  CHECK(run.simulation.now() == 2);
  run.simulation.add(second);
  CHECK(run.simulation.finish(&x, true));
  CHECK(run.simulation.now() == 5.5);  // the second came at 5
  CHECK(run.simulation.finish_all());
  CHECK(run.simulation.now() == 6.5);
  CHECK(run.of(1).pieces[0].met == 5);
  CHECK(run.of(1).pieces[0].told == 5.5);
  CHECK(run.of(1).pieces[1].begun == 5.5);
  CHECK(run.of(2).begun == 3);
}

TEST_CASE("model: while a device waits for another one, its lane runs what that depends on") {
  Run run;
  const int x = 0;
  Work other = work(3, 0, 4), second = meeting(2, 1, 7, 0.5);
  other.writes = {&x};
  second.reads = {&x};
  run.simulation.add(meeting(1, 0, 7, 0.5));  // waits from 2 on
  run.simulation.add(other);                  // until 6
  run.simulation.add(second);
  run.simulation.add(work(4, 0, 3, 7));  // ready while the first is away, until 10
  CHECK(run.simulation.finish_all());
  CHECK(run.of(3).begun == 2);
  CHECK(run.of(2).pieces[0].met == 8);
  CHECK(run.of(2).ended == 9.5);
  CHECK(run.of(4).begun == 7);
  CHECK(run.of(1).pieces[0].told == 10.5);  // its lane was not free before 10
  CHECK(run.of(1).ended == 11.5);
}

TEST_CASE("model: a meeting that is dismissed holds up nobody") {
  Run run;
  run.simulation.add(meeting(1, 0, 7, 0));
  CHECK_FALSE(run.simulation.finish_all());
  run.simulation.dismiss(7);
  CHECK(run.simulation.finish_all());
  CHECK(run.simulation.now() == 3);
  run.simulation.add(meeting(2, 1, 7, 0, 4));  // the other comes late
  CHECK(run.simulation.finish_all());
  CHECK(run.simulation.now() == 7);
  Run left;  // ends with operators that nobody joins
  left.simulation.add(meeting(1, 0, 7, 0));
  CHECK_FALSE(left.simulation.finish_all());
}
