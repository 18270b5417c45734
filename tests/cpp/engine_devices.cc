// Lanes of the host and of virtual GPUs.
#include <algorithm>

#include "core/devices.h"
#include "engine_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

TEST_CASE("engine: virtual GPUs exist when declared, with a pool each") {
  Engine engine;
  CHECK_FALSE(devices::exists(gpu(0)));
  engine::set_virtual_gpus(2);
  CHECK(engine::num_virtual_gpus() == 2);
  CHECK(devices::exists(gpu(1)));
  CHECK(engine::is_virtual(gpu(1)));
  CHECK_FALSE(devices::exists(gpu(2)));
  CHECK(devices::exists(Context{DeviceType::cpu, 3}));
  CHECK_FALSE(engine::is_virtual(Context()));
  const int64_t cpu = pool_stats(Context()).used, other = pool_stats(gpu(0)).used;
  const int64_t mine = pool_stats(gpu(1)).used;
  {
    const StorageRef small = allocate(100, gpu(1)), large = allocate(100000, gpu(1));
    CHECK(pool_stats(gpu(1)).used == mine + 128 + 100032);
    CHECK(pool_stats(gpu(0)).used == other);
    CHECK(pool_stats(Context()).used == cpu);
  }
  CHECK(pool_stats(gpu(1)).used == mine);
  engine::set_virtual_gpus(0);
  CHECK_THROWS_AS(allocate(4, gpu(0)), Error);
}

TEST_CASE("engine: the lanes of devices are independent, and labelled") {
  Engine engine(engine::Kind::threaded, true);
  engine::set_virtual_gpus(2);
  using engine::LaneKind;
  // Five operators that can only finish when all of them run at once.
  std::atomic<int> inside{0};
  const auto meet = [&inside] {
    ++inside;
    while (inside < 5) std::this_thread::yield();
  };
  trace::Cursor* const cursor = trace::new_cursor();
  const std::thread::id me = std::this_thread::get_id();
  std::atomic<bool> inlined{false};
  const auto place = [&](Context ctx, LaneKind lane) {
    engine::Props p = props("meet", 100, ctx);  // small: but virtual GPUs are never inlined
    if (ctx.is_cpu()) p.cost_ns = 0;
    p.lane = lane;
    push(
        [&, meet, me] {
          if (std::this_thread::get_id() == me) inlined = true;
          meet();
        },
        {}, {cell()}, p);
  };
  place(gpu(0), LaneKind::compute);
  place(gpu(0), LaneKind::copy_in);
  place(gpu(1), LaneKind::compute);
  place(gpu(1), LaneKind::copy_out);
  place(Context(), LaneKind::compute);
  engine::wait_all();
  CHECK_FALSE(inlined);
  std::vector<uint16_t> used;
  for (const trace::Record& r : trace::drain(cursor).records) {
    if (trace::is_span(r) && trace::name_of(r.name) == "meet") used.push_back(r.lane);
  }
  trace::free_cursor(cursor);
  std::vector<std::string> names;
  for (const trace::Lane& lane : trace::lanes()) {
    if (std::find(used.begin(), used.end(), lane.id) == used.end()) continue;
    names.push_back(lane.name);
    CHECK(lane.is_virtual == (lane.device != "cpu(0)"));
  }
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"cpu(0)", "gpu(0) compute", "gpu(0) copy-in",
                                          "gpu(1) compute", "gpu(1) copy-out"});
  engine::set_virtual_gpus(0);
}

TEST_CASE("engine: a lane runs one operator at a time") {
  Engine engine;
  std::atomic<int> inside{0}, most{0};
  for (int i = 0; i < 2000; ++i) {
    push(
        [&] {
          most = std::max<int>(most, ++inside);
          --inside;
        },
        {}, {cell()}, props("step", 100));
    if (i % 10 == 0) engine::wait_all();  // the waiter joins in
  }
  engine::wait_all();
  CHECK(most == 1);
}
