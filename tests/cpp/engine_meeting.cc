// Operators of several devices that wait for each other while they run.
#include "engine/meeting.h"

#include <random>

#include "core/storage.h"
#include "engine_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

// Meets under every one of its keys in turn; what all told there, added up, goes into `sums`.
struct MeetingTask : engine::Task {
  std::vector<std::string> keys;
  double told = 0;
  std::vector<StorageRef> sums, reads;  // it keeps them while it uses them
  bool fails = false;
  engine::Seats seats;
  bool left_alone(const engine::Var& written) const override { return seats.is_order(written); }
  void run(Resources& resources) override {
    resources.set_seats(&seats);
    if (fails) throw Error("it fails");
    for (size_t i = 0; i < keys.size(); ++i) {
      double sum = 0;
      for (const engine::Told& each : seats.meet(keys[i], {told}, resources)) sum += each.at(0);
      value(sums[i]) = static_cast<float>(sum);
    }
  }
};

std::vector<StorageRef> push_meeting(Context ctx, const std::vector<std::string>& keys, int devices,
                                     double told, bool fails = false,
                                     const std::vector<StorageRef>& reads = {}) {
  auto task = std::make_unique<MeetingTask>();
  task->keys = keys;
  task->told = told;
  task->fails = fails;
  task->reads = reads;
  std::vector<Storage*> from, to;
  for (const std::string& key : keys) {
    task->sums.push_back(cell(0, ctx));
    task->seats.take(key, devices, ctx, 8, 0);
    to.push_back(task->sums.back().get());
  }
  to.push_back(task->seats.order());
  for (const StorageRef& s : reads) from.push_back(s.get());
  engine::Props p = props("meet", 0, ctx);
  p.discardable = true;
  const std::vector<StorageRef> sums = task->sums;
  engine::push(std::move(task), from.data(), static_cast<int>(from.size()), to.data(),
               static_cast<int>(to.size()), p);
  return sums;
}

float read(const StorageRef& s) {
  engine::wait_to_read(s.get());
  return value(s);
}

}  // namespace

TEST_CASE("engine: operators of several devices meet, the first of a key with the first") {
  Engine engine;
  engine::set_virtual_gpus(3);
  std::vector<std::vector<StorageRef>> sums;
  for (int round = 0; round < 40; ++round) {
    // Device 0 gets two rounds before the others get one.
    for (int i = 0; i < 3; ++i) {
      const std::vector<std::string> keys{"a", "b", "a"};
      sums.push_back(push_meeting(gpu(i), keys, 3, round * 10 + i));
    }
  }
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 3; ++i) {
      for (const StorageRef& s : sums[static_cast<size_t>(round * 3 + i)]) {
        CHECK(read(s) == 30 * round + 3);
      }
    }
  }
  engine::wait_all();
  CHECK(engine::num_meeting() == 0);
  CHECK_FALSE(engine::awaits_calls());
  engine::set_virtual_gpus(0);
}

TEST_CASE("engine: who waits for a device that can't come gets an error, and others go on") {
  Engine engine;
  engine::set_virtual_gpus(2);
  const auto alone = push_meeting(gpu(0), {"a"}, 2, 1);
  const std::string message = message_of([&] { read(alone[0]); });
  CHECK(message.find("2 devices under the key 'a': gpu(0) alone called") != std::string::npos);
  // A device whose operator fails does not come either; the next calls pair up again.
  const auto one = push_meeting(gpu(0), {"a"}, 2, 1);
  const auto other = push_meeting(gpu(1), {"a"}, 2, 1, true);
  CHECK(message_of([&] { read(one[0]); }).find("gpu(1) did not come") != std::string::npos);
  CHECK(message_of([&] { read(other[0]); }).find("it fails") != std::string::npos);
  const auto left = push_meeting(gpu(0), {"a"}, 2, 1), right = push_meeting(gpu(1), {"a"}, 2, 2);
  CHECK(read(left[0]) == 3);
  CHECK(read(right[0]) == 3);
  engine::set_virtual_gpus(0);
}

TEST_CASE("engine: devices that wait for each other crosswise get an error") {
  Engine engine;
  engine::set_virtual_gpus(2);
  const auto a = push_meeting(gpu(0), {"a"}, 2, 1), b = push_meeting(gpu(0), {"b"}, 2, 1);
  const auto c = push_meeting(gpu(1), {"b"}, 2, 1), d = push_meeting(gpu(1), {"a"}, 2, 1);
  CHECK(message_of([&] { read(a[0]); }).find("in the same order") != std::string::npos);
  for (const auto& sums : {b, c, d}) CHECK_FALSE(message_of([&] { read(sums[0]); }).empty());
  engine::set_virtual_gpus(0);
}

TEST_CASE("engine: cancelling, other threads and naive mode") {
  Engine engine;
  engine::set_virtual_gpus(2);
  const auto alone = push_meeting(gpu(0), {"a"}, 2, 1);
  while (engine::num_meeting() == 0) std::this_thread::yield();
  engine::cancel_running();
  CHECK(message_of([&] { read(alone[0]); }).find("cancelled") != std::string::npos);
  engine::end_open_meetings("the test begins anew");

  static std::atomic<bool> comes{true};  // another thread may call: the wait goes on
  engine::set_callers_check([] { return comes.load(); });
  const auto first = push_meeting(gpu(0), {"a"}, 2, 1);
  std::thread late([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    push_meeting(gpu(1), {"a"}, 2, 5);
  });
  CHECK(read(first[0]) == 6);
  late.join();
  engine::set_callers_check(nullptr);

  Engine naive(engine::Kind::naive);
  const auto refused = [] { push_meeting(gpu(0), {"a"}, 2, 1); };
  CHECK(message_of(refused).find("NaiveEngine") != std::string::npos);
  engine::set_virtual_gpus(0);
}

TEST_CASE("engine: meetings among much else, from what is ready in any order") {
  Engine engine;
  engine::set_virtual_gpus(4);
  std::mt19937 random(7);
  std::vector<std::pair<StorageRef, float>> expected;
  for (int round = 0; round < 150; ++round) {
    const int count = 2 + static_cast<int>(random() % 3);
    const std::string key = "key " + std::to_string(count);
    for (int i = 0; i < count; ++i) {
      std::vector<StorageRef> reads;
      if (random() % 2) {  // its input is late
        reads.push_back(cell(0, gpu(i)));
        engine::Props slow = props("slow", 0, gpu(static_cast<int>(random() % 4)));
        slow.lane = engine::LaneKind::copy_in;
        push([] { std::this_thread::sleep_for(std::chrono::microseconds(50)); }, {}, reads, slow);
      }
      const auto sums = push_meeting(gpu(i), {key}, count, i + 1, false, reads);
      expected.push_back({sums[0], static_cast<float>(count * (count + 1) / 2)});
    }
  }
  engine::wait_all();
  for (const auto& [sum, wanted] : expected) REQUIRE(value(sum) == wanted);
  engine::set_virtual_gpus(0);
}

TEST_CASE("engine: a lane runs others while its operator waits, and goes on alone") {
  Engine engine;
  engine::set_virtual_gpus(2);
  std::atomic<int> running{0}, most{0};
  const auto busy = [&] {
    most = std::max(most.load(), ++running);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    --running;
  };
  for (int round = 0; round < 30; ++round) {
    const StorageRef first = cell(0, gpu(0)), second = cell(0, gpu(1));
    const auto one = push_meeting(gpu(0), {"a"}, 2, 1);
    for (int i = 0; i < 3; ++i) {  // behind it on its lane, and the other device needs the last
      push([&] { busy(); }, {}, {first}, props("work", 0, gpu(0)));
    }
    engine::Props to = props("copy", 0, gpu(1));
    to.lane = engine::LaneKind::copy_in;
    push([] {}, {first}, {second}, to);
    const auto other = push_meeting(gpu(1), {"a"}, 2, 2, false, {second});
    CHECK(read(one[0]) == 3);
    CHECK(read(other[0]) == 3);
  }
  CHECK(most == 1);
  engine::set_virtual_gpus(0);
}
