// Lane: a stream of a GPU and what is under way on it, in order.
#pragma once
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/pool.h"
#include "engine/run_time.h"
#include "engine/trace.h"

namespace hybrid {
namespace cuda {

class Device;

// Work between two events. What one operator of the engine gives the stream is a section: a span
// for every kernel, the last one's event ends it.
struct Span {
  uint64_t section = 0;
  Handle begin = nullptr;  // null: when the span before it ended, or when it was issued
  Handle end = nullptr;
  bool traced = false;
  uint64_t issued = 0;  // ticks of the host when it was given to the stream
  engine::RunTimeRef time;
  trace::Record record;
};

class Lane {
 public:
  Lane(Device& device, int index);

  Handle stream() const { return stream_; }
  uint64_t next_section() const { return sections_ + 1; }
  // By the one thread that runs the lane's operator, in this order.
  void begin_section();
  void use(Block* block);  // waits, on the stream, for what other lanes still do with it
  void open();             // work follows: a span begins unless one is open
  void note(const trace::Record* record);  // the open span ends
  void end_section();

  // By any thread: until the section is done. Throws Error naming the operator that failed.
  void wait(uint64_t section);
  void wait_all();
  void retire();                                 // emits the spans that are done
  std::string suspect(const std::string& text);  // with operator and line of what has failed

 private:
  Handle take_event();
  Handle event_of(uint64_t section) const;
  void make_wait(Handle stream, uint64_t section);
  Result retire_done(bool wait_for_oldest);  // under the lock, as the next one
  size_t done_for_sure() const;
  void emit(const Span& span);
  void find_origin();

  Device& device_;
  const int index_;
  Handle stream_ = nullptr;
  std::mutex running_;  // held by the operator that runs
  std::mutex mutex_;
  uint64_t sections_ = 0;  // ended
  uint64_t waited_[kLanes] = {};
  std::deque<Span> spans_;
  std::vector<Handle> spare_;
  bool open_ = false;       // a span
  Handle begin_ = nullptr;  // its event, if it needs one
  uint64_t issued_ = 0;
  // The GPU's clock: this event happened at that tick of the host's.
  Handle origin_ = nullptr;
  uint64_t origin_ticks_ = 0;
  uint64_t last_end_ = 0;  // of the span that was emitted last, in ticks
};

}  // namespace cuda
}  // namespace hybrid
