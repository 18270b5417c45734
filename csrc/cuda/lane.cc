#include "cuda/lane.h"

#include <algorithm>

#include "cuda/device.h"
#include "engine/errors.h"

namespace hybrid {
namespace cuda {
namespace {

constexpr unsigned kSleepingWait = 1;    // of an event: who waits does not spin
constexpr unsigned kOwnOrder = 1;        // the stream does not wait for the default one
constexpr size_t kMostSpans = 2048;      // under way; then the lane waits
constexpr size_t kRetireAt = 64;         // spans before the lane looks which are done
constexpr double kLongestRangeMs = 500;  // differences of events are floats: coarse beyond it

using Guard = std::lock_guard<std::mutex>;

}  // namespace

Lane::Lane(Device& device, int index) : device_(device), index_(index) {
  check(driver().stream_create(&stream_, kOwnOrder), "cuStreamCreate");
  find_origin();
}

// The closest of a few tries: the event lies between two looks at the host's clock.
void Lane::find_origin() {
  uint64_t width = UINT64_MAX;
  for (int i = 0; i < 8; ++i) {
    const Handle event = take_event();
    const uint64_t before = trace::ticks();
    check(driver().event_record(event, stream_), "cuEventRecord");
    Result result = kNotReady;
    while (result == kNotReady) result = driver().event_query(event);
    check(result, "cuEventQuery");
    const uint64_t after = trace::ticks();
    const bool closer = after - before < width;
    if (closer) {
      width = after - before;
      origin_ticks_ = before + width / 2;
    }
    const Handle other = closer ? origin_ : event;
    if (closer) origin_ = event;
    if (other) spare_.push_back(other);
  }
}

Handle Lane::take_event() {
  Handle event = nullptr;
  if (spare_.empty()) {
    check(driver().event_create(&event, kSleepingWait), "cuEventCreate");
  } else {
    event = spare_.back();
    spare_.pop_back();
  }
  return event;
}

void Lane::begin_section() {
  running_.lock();
  Result result = 0;
  {
    const Guard guard(mutex_);
    if (spans_.size() >= kRetireAt) result = retire_done(spans_.size() >= kMostSpans);
  }
  if (result != 0) {
    running_.unlock();
    device_.check(result, "cuEventQuery");
  }
}

void Lane::use(Block* block) {
  for (int other = 0; other < kLanes; ++other) {
    if (other == index_ || block->used[other] <= waited_[other]) continue;
    waited_[other] = block->used[other];
    device_.lanes[other]->make_wait(stream_, block->used[other]);
  }
  block->used[index_] = sections_ + 1;
}

Handle Lane::event_of(uint64_t section) const {
  for (auto span = spans_.rbegin(); span != spans_.rend() && span->section >= section; ++span) {
    if (span->section == section) return span->end;
  }
  return nullptr;
}

void Lane::make_wait(Handle stream, uint64_t section) {
  Result result = 0;
  {
    const Guard guard(mutex_);
    const Handle event = event_of(section);
    if (event) result = driver().stream_wait(stream, event, 0);
  }
  device_.check(result, "cuStreamWaitEvent");
}

// Behind other work a span begins where that ends, and needs no event of its own.
void Lane::open() {
  if (open_) return;
  Result result = 0;
  {
    const Guard guard(mutex_);
    open_ = true;
    issued_ = trace::ticks();
    if (spans_.empty()) {
      begin_ = take_event();
      result = driver().event_record(begin_, stream_);
    }
  }
  device_.check(result, "cuEventRecord");
}

void Lane::note(const trace::Record* record) {
  if (!open_) return;  // nothing was given to the stream
  Result result = 0;
  {
    const Guard guard(mutex_);
    Span span;
    span.section = sections_ + 1;
    span.begin = begin_;
    span.end = take_event();
    span.issued = issued_;
    span.traced = record != nullptr;
    span.time = engine::RunTime::current();
    if (record) span.record = *record;
    begin_ = nullptr;
    open_ = false;
    result = driver().event_record(span.end, stream_);
    spans_.push_back(span);
  }
  device_.check(result, "cuEventRecord");
}

void Lane::end_section() {
  {
    const Guard guard(mutex_);
    ++sections_;
  }
  running_.unlock();
}

void Lane::wait(uint64_t section) {
  Handle event = nullptr;
  {
    const Guard guard(mutex_);
    event = event_of(section);
  }
  if (!event) return;
  device_.enter();
  Result result = driver().event_wait(event);
  if (result == 0) {
    const Guard guard(mutex_);
    result = retire_done(false);
  }
  device_.check(result, "cuEventSynchronize");
}

void Lane::wait_all() {
  uint64_t last = 0;
  {
    const Guard guard(mutex_);
    if (spans_.empty()) return;
    last = spans_.back().section;
  }
  wait(last);
}

void Lane::retire() {
  const Guard guard(mutex_);
  if (!spans_.empty() && driver().context_set(device_.context) == 0) retire_done(false);
}

// Of many spans one is asked for all before it: they are done in order.
size_t Lane::done_for_sure() const {
  for (size_t n = spans_.size(); n > 8; n /= 2) {
    if (driver().event_query(spans_[n - 1].end) == 0) return n;
  }
  return 0;
}

Result Lane::retire_done(bool wait_for_oldest) {
  size_t sure = done_for_sure();
  while (!spans_.empty()) {
    const Span& span = spans_.front();
    if (sure == 0) {
      Result result = driver().event_query(span.end);
      if (result == kNotReady && wait_for_oldest) result = driver().event_wait(span.end);
      if (result == kNotReady) return 0;
      if (result != 0) return result;
      wait_for_oldest = false;
    } else {
      --sure;
    }
    emit(span);
    spans_.pop_front();
  }
  return 0;
}

void Lane::emit(const Span& span) {
  float begin = 0, end = 0;
  if (span.begin && driver().event_elapsed(&begin, origin_, span.begin) != 0) return;
  if (driver().event_elapsed(&end, origin_, span.end) != 0) return;
  const auto ticks = [this](double ms) {
    return origin_ticks_ + trace::ticks_of_ns(static_cast<int64_t>(std::max(ms, 0.0) * 1e6));
  };
  const uint64_t from = std::max(span.issued, span.begin ? ticks(begin) : last_end_);
  last_end_ = std::max(from, ticks(end));
  if (span.time) span.time->note(from, last_end_);
  if (span.traced) {
    trace::Record record = span.record;
    record.start = from;
    record.duration = record.extent = trace::pack_duration(last_end_ - from);
    trace::emit(record);
  }
  if (span.begin) spare_.push_back(span.begin);
  if (end > kLongestRangeMs) {
    origin_ticks_ = ticks(end);
    spare_.push_back(origin_);
    origin_ = span.end;
  } else {
    spare_.push_back(span.end);
  }
}

// A stream works in order: the first span that is not done is the one that failed.
std::string Lane::suspect(const std::string& text) {
  const Guard guard(mutex_);
  for (const Span& span : spans_) {
    const Result result = driver().event_query(span.end);
    if (result == 0) continue;
    if (result == kNotReady) break;
    return engine::placed_message(span.record.name, span.record.site, text);
  }
  return "";
}

}  // namespace cuda
}  // namespace hybrid
