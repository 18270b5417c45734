// Trace: per-thread rings of fixed 32-byte records, always on; the clock; interned names and sites.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace hybrid {
namespace trace {

enum class Kind : uint8_t { span = 0, wait = 1, depth = 2, mark = 3 };
enum Flags : uint8_t { kInline = 1, kCoalesced = 2, kArtificial = 4, kError = 8, kMainWait = 16, kRunning = 32 };

struct Record {  // 32 bytes, fixed
  uint64_t start;     // raw ticks, see ticks(); to_ns() converts
  uint32_t duration;  // ticks >> 4
  uint32_t name;      // interned: operator or kernel name
  uint32_t site;      // interned push site: (cell, line, column, text)
  uint32_t node;      // node id of a program kernel, else 0
  uint16_t lane;      // lane id
  uint8_t kind;       // Kind
  uint8_t flags;      // Flags
  uint32_t value;     // depth: pending operators; span: coalesced count
};
static_assert(sizeof(Record) == 32, "records are fixed-size");

uint64_t ticks();                    // invariant TSC where the CPU has it, else steady_clock ns
int64_t to_ns(uint64_t ticks);       // ns since process start, by a factor calibrated once
void emit(const Record& record);     // to this thread's ring; overwrites its oldest
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
// The site given to operators pushed by this thread, until changed.
void set_current_site(uint32_t site);
uint32_t current_site();

struct Drained {
  std::vector<Record> records;  // by ring, each ring in time order
  uint64_t lost = 0;            // overwritten before this drain
};
// Takes what is new since the last drain of `cursor` (each reader has its own).
struct Cursor;
Cursor* new_cursor();
void free_cursor(Cursor*);
Drained drain(Cursor*, size_t max_records);

struct Lane {
  uint16_t id;
  std::string name;    // "cpu(0)", "gpu(1) compute", "gpu(1) copy"
  std::string device;  // "gpu(1)"
  std::string kind;    // "compute", "copy-in", "copy-out", "main"
  bool is_virtual;
};
uint16_t register_lane(const std::string& name, const std::string& device, const std::string& kind,
                       bool is_virtual);
std::vector<Lane> lanes();

}  // namespace trace
}  // namespace hybrid
