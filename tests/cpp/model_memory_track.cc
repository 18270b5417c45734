#include "model/memory_track.h"

#include <doctest/doctest.h>

#include "core/pool.h"

using namespace hybrid;
using namespace hybrid::model;

namespace {

constexpr auto kArrays = static_cast<uint8_t>(held::Kind::arrays);
constexpr auto kParameters = static_cast<uint8_t>(held::Kind::parameters);

void describe(Storage* block, int device, size_t bytes) {
  block->ctx = Context{DeviceType::gpu, static_cast<int16_t>(device)};
  block->bytes = bytes;
}

}  // namespace

TEST_CASE("a block is given back when it was used last") {
  MemoryTrack track;
  Storage block;
  describe(&block, 1, 100);
  track.taken(block, kArrays, 1.0);
  track.is(block, kParameters, 2.0);
  track.used(&block.var, 5.0);
  track.used(&block.var, 4.0);
  CHECK(track.held(1) == 128);
  MemoryChange back;
  REQUIRE(track.take_out(block, 3.0, &back));
  CHECK(back.time_s == 5.0);
  CHECK(back.bytes == -128);
  CHECK(back.kind == kParameters);
  track.add(back);
  CHECK(track.held(1) == 0);
  CHECK(!track.take_out(block, 6.0, &back));
  const MemorySeen seen = track.seen(0, true, true);
  CHECK(seen.next == 4);
  CHECK(seen.before.empty());
  REQUIRE(seen.changes.size() == 4);
  CHECK(seen.changes[0].bytes == 128);
  CHECK(seen.changes[1].bytes == -128);
  CHECK(seen.changes[1].kind == kArrays);
  CHECK(seen.changes[2].time_s == 2.0);
  REQUIRE(track.seen(2, true, false).before.size() == 0);
  REQUIRE(track.seen(3, true, false).before.size() == 1);
  CHECK(track.seen(3, true, false).before[0].bytes == 128);
  CHECK(track.seen(3, true, false).before[0].device == 1);
}

TEST_CASE("the oldest changes are forgotten, what they left is not") {
  constexpr size_t kMost = size_t{1} << 18;
  MemoryTrack track;
  for (size_t i = 0; i < kMost + 10; ++i) {
    track.add({static_cast<double>(i), 64, 0, kArrays});
  }
  const MemorySeen seen = track.seen(0, true, true);
  CHECK(seen.lost == 10);
  CHECK(seen.changes.size() == kMost);
  REQUIRE(seen.before.size() == 1);
  CHECK(seen.before[0].bytes == 640);
  CHECK(track.seen(seen.next, true, true).changes.empty());
}
