#include "model/clock.h"

#include <time.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "core/device_name.h"
#include "core/fork.h"
#include "core/modelled_memory.h"
#include "core/mutex.h"
#include "core/storage.h"
#include "engine/scheduler.h"
#include "engine/trace.h"
#include "model/progress.h"
#include "model/simulation.h"
#include "model/tasks.h"

namespace hybrid {
namespace model {

std::atomic<bool> is_on{false}, skips_arithmetic{false};

namespace {

constexpr size_t kMostSpans = size_t{1} << 18;
constexpr uint16_t kDeletions = UINT16_MAX;  // the lane of those, which no picture shows

std::atomic<uint64_t> clocks{0};

// Of one thread that pushes.
struct HostClock {
  uint64_t clock = 0;
  double seconds = 0;
  double told = 0;  // up to there the timeline knows what it did
  int64_t cpu_ns = 0;
};
thread_local HostClock host;

int64_t thread_cpu_ns() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}

// What two readings of that clock take at least: of bookkeeping between them, no program's work.
int64_t reading_ns() {
  static const int64_t least = [] {
    int64_t found = INT64_MAX;
    for (int i = 0; i < 64; ++i) {
      const int64_t before = thread_cpu_ns();
      found = std::min(found, thread_cpu_ns() - before);
    }
    return found;
  }();
  return least;
}

class Clock {
 public:
  explicit Clock(const Machine& machine);
  void pushed(const engine::Props& props, Storage* const* reads, int num_reads,
              Storage* const* writes, int num_writes, uint32_t serial);
  Progress& progress() { return progress_; }
  bool wait_for(engine::Var* var, bool only_writers);
  void wait_for_memory(Context gpu, int64_t bytes, int64_t limit);
  void dismiss(uint64_t meeting) { simulation_.dismiss(meeting); }
  void forget(engine::Var& var) { simulation_.forget(&var); }
  void freed(const Storage& block);
  MemoryTrack& memory() { return memory_; }
  Seen seen(uint64_t from, size_t most);
  MemorySeen memory_seen(uint64_t from, bool before, bool changes) const;
  HostClock& this_host();                                                     // brought to now
  double told_s() const { return host.clock == number_ ? host.seconds : 0; }  // when it was

 private:
  void ended(const Work& work);
  void add(const Span& span);
  void wait_until(double until, bool tells);
  void add_host(HostClock* of, uint32_t name, uint32_t site, uint32_t serial);
  void add_met(Span span, uint16_t lane, const Piece& piece);
  uint16_t lane_of(Context ctx, engine::LaneKind kind);
  uint16_t host_lane();
  uint16_t new_lane(LaneInfo info);

  const Machine machine_;
  const Routes routes_;
  const Tasks tasks_;
  const uint64_t number_;
  std::vector<LaneInfo> lanes_;
  std::map<std::pair<std::string, int>, uint16_t> device_lanes_;
  std::map<uint16_t, uint16_t> host_lanes_;  // by the trace's lane
  std::vector<int> link_lanes_;              // -1: none yet
  std::deque<Span> spans_;
  uint64_t first_ = 0;  // number of the first one that is kept
  Progress progress_;
  MemoryTrack memory_;
  std::unordered_map<uint32_t, MemoryChange> deletions_;  // by serial, of what is still used
  uint32_t deletion_ = 0;                                 // the last one's serial
  Simulation simulation_;  // the first to go: it still tells what ends
};

Mutex& mutex() {
  static auto* const all = new Mutex;
  return *all;
}
std::unique_ptr<Clock>& the_clock() {
  static auto* const clock = new std::unique_ptr<Clock>;
  return *clock;
}

const bool held_over_fork =
    hold_over_fork(ForkStage::model, {[] { mutex().lock(); }, [](bool) { mutex().unlock(); }});

void set_timed(const void* variable, bool written, bool used) {
  auto* const var = const_cast<engine::Var*>(static_cast<const engine::Var*>(variable));
  var->modelled.store(
      static_cast<uint8_t>((written ? engine::Var::kWritten : 0) | (used ? engine::Var::kUsed : 0)),
      std::memory_order_release);
}

Clock::Clock(const Machine& machine)
    : machine_(machine),
      routes_(machine),
      tasks_(machine_, routes_,
             [this](Context c, engine::LaneKind kind) { return lane_of(c, kind); }),
      number_(clocks.load() + 1),
      link_lanes_(routes_.names().size(), -1),
      simulation_(
          routes_.bandwidths(), [this](const Work& work) { ended(work); },
          [this](const void* variable, bool written, bool used) {
            set_timed(variable, written, used);
            if (!used) memory_.used(variable, simulation_.now());
          }) {}

HostClock& Clock::this_host() {
  const int64_t cpu = thread_cpu_ns();
  if (host.clock != number_) {
    host = {number_, simulation_.now(), simulation_.now(), cpu};
  }
  const int64_t own = std::max<int64_t>(cpu - host.cpu_ns, 0);
  host.seconds += static_cast<double>(own) * 1e-9 * machine_.host.cpu_scale;
  host.cpu_ns = cpu;
  return host;
}

uint16_t Clock::new_lane(LaneInfo info) {
  lanes_.push_back(std::move(info));
  return static_cast<uint16_t>(lanes_.size() - 1);
}

uint16_t Clock::lane_of(Context ctx, engine::LaneKind kind) {
  ctx = worker_of(ctx);
  const std::string device = ctx.str();
  const auto [at, is_new] = device_lanes_.insert({{device, static_cast<int>(kind)}, 0});
  if (is_new) {
    const std::string text = engine::lane_kind_name(kind);
    at->second = new_lane({device + " " + text, device, text});
  }
  return at->second;
}

uint16_t Clock::host_lane() {
  const uint16_t id = trace::current_lane();
  const auto [at, is_new] = host_lanes_.insert({id, 0});
  if (is_new) {
    std::string name = "host";
    for (const trace::Lane& lane : trace::lanes()) {
      if (lane.id == id && lane.name != "main") name += " " + lane.name;
    }
    at->second = new_lane({name, "host", "host"});
  }
  return at->second;
}

void Clock::add(const Span& span) {
  spans_.push_back(span);
  if (spans_.size() <= kMostSpans) return;
  spans_.pop_front();
  ++first_;
}

// What the thread has done since it was told of last: its own work, and the push.
void Clock::add_host(HostClock* of, uint32_t name, uint32_t site, uint32_t serial) {
  Span span;
  span.start_s = of->told;
  span.seconds = of->seconds - of->told;
  of->told = of->seconds;
  span.name = name;
  span.site = site;
  span.serial = serial;
  span.lane = host_lane();
  span.kind = static_cast<uint8_t>(SpanKind::dispatch);
  add(span);
}

void Clock::pushed(const engine::Props& props, Storage* const* reads, int num_reads,
                   Storage* const* writes, int num_writes, uint32_t serial) {
  HostClock& now = this_host();
  if (!props.ctx.is_cpu()) now.seconds += machine_.host.dispatch_s;
  add_host(&now, props.name, props.site, serial);
  simulation_.advance(now.seconds);
  Work work = tasks_.of(props, reads, num_reads, writes, num_writes, serial);
  work.pushed = now.seconds;
  simulation_.add(std::move(work));
  host.cpu_ns = thread_cpu_ns();  // all this is not the program's work
}

// Of what operators still use a deletion is one more operator that writes.
void Clock::freed(const Storage& block) {
  MemoryChange change;
  if (!memory_.take_out(block, engine::executing() ? 0 : this_host().seconds, &change)) return;
  if (!block.var.modelled_uses()) return memory_.add(change);
  Work work;
  work.lane = kDeletions;
  work.serial = ++deletion_;
  work.pushed = change.time_s;
  work.writes.push_back(&block.var);
  deletions_[work.serial] = change;
  simulation_.add(std::move(work));
}

void Clock::ended(const Work& work) {
  if (work.lane == kDeletions) {
    MemoryChange& change = deletions_[work.serial];
    change.time_s = std::max(change.time_s, work.ended);
    memory_.add(change);
    deletions_.erase(work.serial);
    return;
  }
  Span span;
  span.serial = work.serial;
  span.lane = work.lane;
  span.queued_s = work.begun - work.pushed;
  for (const Piece& piece : work.pieces) {
    span.start_s = piece.begun;
    span.seconds = piece.seconds;
    span.flops = piece.kernel.times * piece.kernel.cost.flops;
    span.bytes = piece.kernel.times * piece.kernel.cost.bytes;
    span.peak = piece.peak;
    span.name = piece.kernel.name;
    span.site = piece.kernel.site;
    span.node = piece.kernel.node;
    add(span);
    span.start_s = piece.begun + piece.seconds;
    if (piece.told > piece.met) add_met(span, work.meets_lane, piece);
  }
  if (work.pieces.empty()) span.start_s = work.begun;
  if (!work.links.empty()) {
    span.kind = static_cast<uint8_t>(SpanKind::copy);
    span.seconds = work.ended - span.start_s;
    span.bytes = work.bytes;
    span.name = work.name;
    span.site = work.site;
    span.number = static_cast<uint8_t>(std::min<size_t>(work.links.size(), UINT8_MAX));
    add(span);
    for (const uint16_t lane : work.also) {
      span.lane = lane;
      add(span);
    }
    std::vector<int> links = work.links;
    std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
    for (const int link : links) {
      int& lane = link_lanes_[static_cast<size_t>(link)];
      const std::string& name = routes_.names()[static_cast<size_t>(link)];
      if (lane < 0) lane = new_lane({name, "links", "link"});
      span.lane = static_cast<uint16_t>(lane);
      add(span);
    }
  }
  progress_.ended(work.serial, work.lane, work.begun);
}

// On the device's lane of exchanges, named by the kernel.
void Clock::add_met(Span span, uint16_t lane, const Piece& piece) {
  span.lane = lane;
  span.kind = static_cast<uint8_t>(SpanKind::copy);
  span.start_s = piece.met;
  span.seconds = piece.told - piece.met;
  span.flops = span.bytes = span.peak = 0;
  add(span);
}

bool Clock::wait_for(engine::Var* var, bool only_writers) {
  this_host();
  const bool over = var ? simulation_.finish(var, only_writers) : simulation_.finish_all();
  wait_until(simulation_.now(), !var);
  return over;
}

void Clock::wait_for_memory(Context gpu, int64_t bytes, int64_t limit) {
  simulation_.advance(this_host().seconds);
  while (memory_.held(gpu.id) + bytes > limit && simulation_.finish_next()) {
  }
  wait_until(simulation_.now(), false);
}

// `tells`: what the host has done so far, even if it does not wait.
void Clock::wait_until(double until, bool tells) {
  const double before = host.seconds;
  const bool waits = until > before;
  if (before > host.told && (waits || tells)) add_host(&host, 0, trace::current_site(), 0);
  if (waits) {
    Span span;
    span.start_s = before;
    span.seconds = until - before;
    span.site = trace::current_site();
    span.lane = host_lane();
    span.kind = static_cast<uint8_t>(SpanKind::wait);
    add(span);
    host.told = host.seconds = until;
  }
  simulation_.advance(host.seconds);
  host.cpu_ns = thread_cpu_ns();
}

Seen Clock::seen(uint64_t from, size_t most) {
  Seen all;
  all.now_s = simulation_.now();
  all.clock = number_;
  all.first = first_;
  all.kept = spans_.size();
  all.lanes = lanes_;
  all.lost = from < first_ ? first_ - from : 0;
  const uint64_t begin = std::max(from, first_), end = first_ + spans_.size();
  const uint64_t until = std::min(end, begin + most);
  for (uint64_t i = begin; i < until; ++i) all.spans.push_back(spans_[i - first_]);
  all.next = std::max(until, begin);
  progress_.each_late([&](uint16_t lane, double until) { all.late.push_back({lane, until}); });
  return all;
}

MemorySeen Clock::memory_seen(uint64_t from, bool before, bool changes) const {
  MemorySeen all = memory_.seen(from, before, changes);
  all.clock = number_;
  return all;
}

}  // namespace

void start(const Machine& machine) {
  auto made = std::make_unique<Clock>(machine);
  Guard guard(mutex());
  the_clock() = std::move(made);
  clocks.fetch_add(1);
  is_on.store(true);
  skips_arithmetic.store(!machine.computes);
}

void stop() {
  Guard guard(mutex());
  is_on.store(false);
  skips_arithmetic.store(false);
  the_clock().reset();
}

void pushed(const engine::Props& props, Storage* const* reads, int num_reads,
            Storage* const* writes, int num_writes, uint32_t serial) {
  if (engine::executing()) return;  // part of what is executed
  Guard guard(mutex());
  if (!the_clock()) return;
  the_clock()->pushed(props, reads, num_reads, writes, num_writes, serial);
}

void computed(uint32_t serial) {
  Guard guard(mutex());
  if (the_clock()) the_clock()->progress().computed(serial);
}

void dropped_all() {
  Guard guard(mutex());
  if (the_clock()) the_clock()->progress().clear();
}

bool wait_for(engine::Var& var, bool only_writers) {
  if (engine::executing()) return true;
  Guard guard(mutex());
  return !the_clock() || the_clock()->wait_for(&var, only_writers);
}

bool wait_for_all() {
  if (engine::executing()) return true;
  Guard guard(mutex());
  return !the_clock() || the_clock()->wait_for(nullptr, false);
}

void dismissed(uint64_t meeting) {
  Guard guard(mutex());
  if (the_clock()) the_clock()->dismiss(meeting);
}

void forget(engine::Var& var) {
  Guard guard(mutex());
  if (the_clock()) the_clock()->forget(var);
}

// What pending work holds on the CPU is known to be free on the device when it is over here.
void wait_for_memory(Context gpu, int64_t bytes, int64_t limit) {
  if (engine::executing()) return;
  const auto is_short = [&] {
    Guard guard(mutex());
    return the_clock() && the_clock()->memory().held(gpu.id) + bytes > limit;
  };
  if (!is_short()) return;
  held::hooks().finish_pending();
  Guard guard(mutex());
  if (the_clock()) the_clock()->wait_for_memory(gpu, bytes, limit);
}

// What an operator takes for itself while it runs is the CPU's.
void memory_taken(const Storage& block, uint8_t kind) {
  if (engine::executing()) return;
  Guard guard(mutex());
  if (!the_clock()) return;
  the_clock()->memory().taken(block, kind, the_clock()->this_host().seconds);
  host.cpu_ns = thread_cpu_ns() + reading_ns();
}

void memory_is(const Storage& block, uint8_t kind) {
  Guard guard(mutex());
  if (the_clock()) the_clock()->memory().is(block, kind, the_clock()->told_s());
}

// A push lets go of its arrays several times, at one time of the host: once is enough.
struct LetGo {
  const void* variable = nullptr;
  uint64_t clock = 0;
  double seconds = 0;
};
thread_local LetGo let_go[8];

void memory_let_go(const Storage& block) {
  if (block.ref_count() == 1 || engine::executing()) return;  // the last one destroys it
  LetGo& last = let_go[reinterpret_cast<uintptr_t>(&block) / kHeaderBytes % 8];
  if (last.variable == &block.var && last.clock == host.clock && last.seconds == host.seconds) {
    return;
  }
  last = {&block.var, host.clock, host.seconds};
  Guard guard(mutex());
  if (the_clock()) the_clock()->memory().used(&block.var, the_clock()->told_s());
}

void memory_freed(const Storage& block) {
  Guard guard(mutex());
  if (!the_clock()) return;
  the_clock()->freed(block);
  if (!engine::executing()) host.cpu_ns = thread_cpu_ns() + reading_ns();
}

Pause::Pause() {
  Guard guard(mutex());
  if (the_clock()) the_clock()->this_host();
}
Pause::~Pause() {
  if (on()) host.cpu_ns = thread_cpu_ns();
}

Seen seen(uint64_t from, size_t most) {
  Guard guard(mutex());
  return the_clock() ? the_clock()->seen(from, most) : Seen{};
}

MemorySeen memory_seen(uint64_t from, bool before, bool changes) {
  Guard guard(mutex());
  return the_clock() ? the_clock()->memory_seen(from, before, changes) : MemorySeen{};
}

}  // namespace model
}  // namespace hybrid
