// Trace: per-thread rings of fixed 64-byte records, always on; the clock; interned names and sites.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace hybrid {
namespace trace {

enum class Kind : uint8_t { span = 0, wait = 1, queue = 2, mark = 3 };
enum Flags : uint8_t {
  kInline = 1,
  kCoalesced = 2,
  kArtificial = 4,
  kError = 8,
  kWait = 16,
  kRunning = 32,
  kMerged = 64  // several spans: see merge_spans()
};

constexpr int kProducers = 3;  // that a span knows

struct Record {           // fixed
  uint64_t start = 0;     // raw ticks, see ticks(); to_ns() converts
  uint32_t duration = 0;  // ticks >> 4, see pack_duration(); of several spans their sum
  uint32_t extent = 0;    // the same, from the first one's start to the last one's end; of one that
                          // slow motion held with the hold, which comes first
  uint32_t name = 0;      // interned: operator or kernel name; of a wait: what it waits for
  uint32_t site = 0;      // interned push site: (cell, line, column, text)
  uint32_t node = 0;      // serial of a program's node, else 0; of a wait: where what it waits for
                          // was pushed
  uint16_t lane = 0;      // lane id
  uint8_t kind = 0;       // Kind
  uint8_t flags = 0;      // Flags
  uint32_t value = 0;     // span: operators in it, 0 is one; of a queue see queue_record()
  uint32_t before = 0;    // set by the ring: operators that it has recorded of this lane, mod 2^32
  // Of an operator that was queued, see Origin; a program's kernels have their program's.
  uint32_t serial = 0;
  uint32_t queued = 0;  // from its push to its start, as duration
  uint32_t producers[kProducers] = {};
  uint16_t more = 0;
  uint16_t pusher = 0;
};
static_assert(sizeof(Record) == 64, "records are fixed-size");
inline bool is_span(const Record& r) { return r.kind == static_cast<uint8_t>(Kind::span); }
inline uint32_t operators(const Record& span) { return span.value == 0 ? 1 : span.value; }
inline uint32_t extent_of(const Record& span) {
  return span.flags & (kCoalesced | kMerged | kArtificial) ? span.extent : span.duration;
}

extern const bool kInvariantTsc;
// Invariant TSC where the CPU has it, else steady_clock ns.
inline uint64_t ticks() {
#if defined(__x86_64__)
  if (__builtin_expect(kInvariantTsc, true)) return __builtin_ia32_rdtsc();
#endif
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}
// The same moment on both clocks: raw ticks, and steady_clock, which is Python's perf_counter.
struct Moment {
  uint64_t ticks = 0;
  int64_t ns = 0;
};
Moment now();
int64_t to_ns(uint64_t ticks);           // ns since process start, by a factor calibrated once
int64_t duration_ns(uint32_t duration);  // of Record::duration
uint64_t ticks_of_ns(int64_t ns);        // length of a time in ticks
inline uint32_t pack_duration(uint64_t ticks) {
  return ticks >> 36 ? UINT32_MAX : static_cast<uint32_t>(ticks >> 4);
}

// The operators of a device that are pending, and its memory.
struct Queue {
  uint32_t waiting = 0;  // for others
  uint32_t ready = 0;    // wait for their lane
  uint32_t running = 0;
  int64_t used = 0;  // bytes of the device's pool in use, rounded to 64, ...
  int64_t high = 0;  // ... and the most since the record before
};
Record queue_record(uint64_t time, uint16_t lane, const Queue& queue);
Queue queue_of(const Record& record);

// Where an operator of the queue comes from.
struct Origin {
  uint32_t serial = 0;                  // of its push; 0: not queued
  uint32_t producers[kProducers] = {};  // serials of those that wrote what it reads; 0: none
  uint16_t more = 0;                    // producers that found no place there
  uint16_t pusher = 0;                  // lane of the thread that pushed it
  uint64_t pushed = 0;                  // ticks
};
// What this thread executes from now on comes from there; null: was not queued. Not copied.
void set_origin(const Origin* origin);

void emit(const Record& record);  // to this thread's ring; overwrites its oldest
// Live spans: begin_span shows what this thread is executing until end_span, which emits it and
// does nothing when none is open. A program that traces itself brackets every kernel so. All but
// duration is taken from the record; spans do not nest, but a wait (kind wait, ended by end_wait)
// may enclose spans.
void begin_span(const Record& record);
void end_span(uint64_t end_ticks, uint8_t more_flags = 0);
void begin_work(uint64_t ticks);  // slow motion held the open span (flag kArtificial) until then
Record drop_span();               // ends it without a record: somebody else emits one
void end_wait(uint64_t end_ticks);
// The lane this thread executes for: set on lane threads and helpers, else the thread's own
// ("main" on the main thread).
uint16_t current_lane();
void set_current_lane(uint16_t lane);
// Runs of small operators on this thread become one record each (flags kInline | kCoalesced, value
// = count, duration = their sum): flushed when name, site or node changes, on a gap above 1 ms,
// after 10 ms, and by every drain.
void coalesce(uint32_t name, uint32_t site, uint32_t node, uint8_t flags, uint64_t start,
              uint64_t end);

uint32_t intern_name(const char* name);
std::string name_of(uint32_t id);

struct Site {
  std::string cell;  // notebook cell id, "" outside a notebook
  int line = 0;      // 1-based, 0 unknown
  int col = 0;
  std::string text;  // file or function, for people
};
uint32_t intern_site(const Site& site);  // 0 is "unknown"
Site site_of(uint32_t id);
std::string describe_site(uint32_t id);  // "file.py, line 3"; "" when unknown
// The site given to operators pushed by this thread, until changed.
void set_current_site(uint32_t site);
uint32_t current_site();

// Operators of one lane whose records were overwritten before this reader came.
struct Gap {
  uint16_t lane = 0;
  uint32_t operators = 0;
  uint64_t start = 0, end = 0;  // ticks: they ran in between
};

struct Drained {
  std::vector<Record> records;  // by ring, each ring in time order, coalesced runs last
  // What is being executed now, one per lane: kind span or wait, flags kRunning, duration so far.
  // Given anew by every drain; the finished record has the same lane and start.
  std::vector<Record> running;
  // Of every lane, over all drains of a cursor: operators in `records` and here = those recorded.
  std::vector<Gap> gaps;
};
// Takes what is new since the last drain of `cursor` (each reader has its own), which starts now,
// or with the oldest record that is still there.
struct Cursor;
Cursor* new_cursor(bool from_oldest = false);
void free_cursor(Cursor*);
Drained drain(Cursor*);
// Makes spans that are too many into at most so many, or one a lane: those of one name and site
// that are short and begin in the same slice of time become one (flag kMerged), and no operator is
// lost. Of many kinds in a slice the rest becomes one, with name 0. In order of starts.
void merge_spans(std::vector<Record>* records, size_t most);

struct Lane {
  uint16_t id;
  std::string name;    // "cpu(0)", "gpu(1) compute", "gpu(1) copy-in"
  std::string device;  // "gpu(1)"
  std::string kind;    // "compute", "copy-in", "copy-out", "main"
  bool is_virtual;
};
// The same name gives the same id.
uint16_t register_lane(const std::string& name, const std::string& device, const std::string& kind,
                       bool is_virtual);
std::vector<Lane> lanes();

}  // namespace trace
}  // namespace hybrid
