#include "cuda/staging.h"

#include <algorithm>
#include <cstring>

namespace hybrid {
namespace cuda {
namespace {

constexpr size_t kPieceBytes = size_t{4} << 20;
constexpr unsigned kSleepingWait = 1, kUntimed = 2;

}  // namespace

void Staging::settle(Piece& piece) {
  if (!piece.under_way) return;
  device_.check(driver().event_wait(piece.free), "cuEventSynchronize");
  piece.under_way = false;
}

Staging::Piece& Staging::next() {
  Piece& piece = pieces_[turn_];
  turn_ = 1 - turn_;
  if (!piece.memory) {
    void* memory = nullptr;
    device_.check(driver().pinned_allocate(&memory, kPieceBytes, 0), "cuMemHostAlloc");
    device_.check(driver().event_create(&piece.free, kSleepingWait | kUntimed), "cuEventCreate");
    piece.memory = static_cast<char*>(memory);
  }
  settle(piece);
  return piece;
}

void Staging::to_device(Address to, const void* from, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    const size_t n = std::min(kPieceBytes, bytes - at);
    Piece& piece = next();
    std::memcpy(piece.memory, static_cast<const char*>(from) + at, n);
    lane_.open();
    device_.check(driver().copy_in(to + at, piece.memory, n, lane_.stream()), "cuMemcpyHtoDAsync");
    device_.check(driver().event_record(piece.free, lane_.stream()), "cuEventRecord");
    piece.under_way = true;
    at += n;
  }
}

void Staging::to_host(void* to, Address from, size_t bytes) {
  char* const target = static_cast<char*>(to);
  Piece* before = nullptr;  // its bytes arrive while the next piece is under way
  size_t before_at = 0, before_n = 0;
  const auto collect = [&] {
    if (!before) return;
    settle(*before);
    std::memcpy(target + before_at, before->memory, before_n);
  };
  for (size_t at = 0; at < bytes;) {
    const size_t n = std::min(kPieceBytes, bytes - at);
    Piece& piece = next();
    lane_.open();
    device_.check(driver().copy_out(piece.memory, from + at, n, lane_.stream()),
                  "cuMemcpyDtoHAsync");
    device_.check(driver().event_record(piece.free, lane_.stream()), "cuEventRecord");
    piece.under_way = true;
    collect();
    before = &piece;
    before_at = at;
    before_n = n;
    at += n;
  }
  collect();
}

}  // namespace cuda
}  // namespace hybrid
