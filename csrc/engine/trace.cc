// What threads write into the trace's rings, and who has which ring.
#include "engine/trace.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "core/fork.h"
#include "core/mutex.h"
#include "engine/trace_ring.h"

namespace hybrid {
namespace trace {

namespace {

struct Registry {
  Mutex mutex;
  std::vector<Ring*> rings;  // never destroyed; a new thread takes over an ended one's
};

Registry& registry() {
  static Registry* const all = new Registry;
  return *all;
}

thread_local Ring* this_ring = nullptr;

struct RingOwner {
  Ring* ring;
  ~RingOwner() {
    Guard guard(registry().mutex);
    this_ring = nullptr;
    ring->in_use = false;
  }
};

bool on_main_thread() { return syscall(SYS_gettid) == getpid(); }

__attribute__((noinline)) Ring& make_ring() {
  Registry& all = registry();
  Ring* ring = nullptr;
  {
    Guard guard(all.mutex);
    for (Ring* r : all.rings) {
      if (!r->in_use) ring = r;
    }
    if (!ring) {
      ring = new Ring;
      all.rings.push_back(ring);
      ring->number = all.rings.size();
    }
    ring->in_use = true;
    ring->lane = kNoLane;
    ring->origin = nullptr;
  }
  this_ring = ring;
  thread_local RingOwner owner{ring};
  return *ring;
}

// Of a thread that has not been told whose lane it executes: a lane of its own.
uint16_t lane_of(Ring& ring) {
  if (__builtin_expect(ring.lane == kNoLane, false)) {
    const std::string name = on_main_thread() ? "main" : "thread " + std::to_string(ring.number);
    ring.lane = register_lane(name, "cpu(0)", "main", false);
  }
  return ring.lane;
}

inline Ring& ring() {
  Ring* const r = this_ring;
  return __builtin_expect(r != nullptr, true) ? *r : make_ring();
}

}  // namespace

Ring& this_threads_ring() { return ring(); }

std::vector<Ring*> all_rings() {
  Guard guard(registry().mutex);
  return registry().rings;
}

Record queue_record(uint64_t time, uint16_t lane, const Queue& queue) {
  const auto blocks = [](int64_t bytes) {
    return static_cast<uint32_t>(std::min<int64_t>(std::max<int64_t>(bytes, 0) / 64, UINT32_MAX));
  };
  Record record;
  record.start = time;
  record.kind = static_cast<uint8_t>(Kind::queue);
  record.lane = lane;
  record.value = queue.waiting;
  record.name = queue.ready;
  record.site = queue.running;
  record.duration = blocks(queue.used);
  record.extent = blocks(queue.high);
  return record;
}

Queue queue_of(const Record& r) {
  return {r.value, r.name, r.site, int64_t{r.duration} * 64, int64_t{r.extent} * 64};
}

void emit(const Record& record) { ring().write(record); }

void begin_span(const Record& record) {
  Ring& r = ring();
  if (record.kind == static_cast<uint8_t>(Kind::wait)) return r.wait.set(record);
  if (!r.origin) return r.span.set(record);
  Record queued = record;
  queued.serial = r.origin->serial;
  queued.queued = pack_duration(record.start - std::min(r.origin->pushed, record.start));
  std::copy_n(r.origin->producers, kProducers, queued.producers);
  queued.more = r.origin->more;
  queued.pusher = r.origin->pusher;
  r.span.set(queued);
}

void set_origin(const Origin* origin) { ring().origin = origin; }

void end_span(uint64_t end, uint8_t more_flags) {
  Ring& r = ring();
  r.end(r.span, end, more_flags);
}

void begin_work(uint64_t now) {
  LiveSlot& span = ring().span;
  if (!span.active.load(std::memory_order_relaxed)) return;
  Record record = span.own;
  record.extent = std::max<uint32_t>(pack_duration(now - record.start), 1);
  span.set(record);
}

Record drop_span() {
  LiveSlot& span = ring().span;
  if (!span.active.load(std::memory_order_relaxed)) return {};
  span.active.store(false, std::memory_order_release);
  return span.own;
}

void end_wait(uint64_t end) {
  Ring& r = ring();
  r.end(r.wait, end, 0);
}

uint16_t current_lane() { return lane_of(ring()); }

void set_current_lane(uint16_t lane) { ring().lane = lane; }

void coalesce(uint32_t name, uint32_t site, uint32_t node, uint8_t flags, uint64_t start,
              uint64_t end) {
  static const uint64_t gap = ticks_of_ns(1000000), longest = ticks_of_ns(10000000);
  Ring& r = ring();
  const uint16_t lane = lane_of(r);
  Run& run = r.run;
  run.acquire();
  Record& open = run.record;
  if (open.value != 0 && open.name == name && open.site == site && open.node == node &&
      open.flags == flags && open.lane == lane && start - run.last_end < gap &&
      end - open.start < longest) {
    ++open.value;
    run.busy += end - start;
    run.last_end = end;
    run.release();
    return;
  }
  Record done;
  const bool any = run.take(&done);
  open = Record();
  open.start = start;
  open.name = name;
  open.site = site;
  open.node = node;
  open.flags = flags;
  open.lane = lane;
  open.value = 1;
  run.busy = end - start;
  run.last_end = end;
  run.release();
  if (any) r.write(done);
}

namespace {

void after_fork(bool child) {
  if (child) {  // the other threads are not there any more
    for (Ring* r : registry().rings) {
      if (r == this_ring) continue;
      r->in_use = false;
      r->span.active.store(false);
      r->wait.active.store(false);
      r->run.release();
    }
  }
  registry().mutex.unlock();
}

const bool held_over_fork =
    hold_over_fork(ForkStage::trace, {[] { registry().mutex.lock(); }, after_fork});

}  // namespace

}  // namespace trace
}  // namespace hybrid
