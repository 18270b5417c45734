#include "engine/lane.h"

#include <algorithm>

#include "core/devices.h"
#include "engine/trace.h"

namespace hybrid {
namespace engine {

const char* lane_kind_name(LaneKind kind) {
  switch (kind) {
    case LaneKind::compute:
      return "compute";
    case LaneKind::copy_in:
      return "copy-in";
    case LaneKind::copy_out:
      return "copy-out";
    case LaneKind::all_reduce:
      return "all-reduce";
  }
  return "?";
}

Lane::Lane(Context c, LaneKind k) : ctx(c), kind(k), helped(c.is_cpu()) {
  const std::string device = ctx.str();
  name = device;
  if (!ctx.is_cpu() || kind != LaneKind::compute) name += std::string(" ") + lane_kind_name(kind);
  id = trace::register_lane(name, device, lane_kind_name(kind), devices::is_virtual(ctx));
}

void Lane::add(Operation* op) {
  op->state = State::ready;
  op->next_ready = nullptr;
  if (op->props.priority != 0) {
    others_.push_back({op->props.priority, order_++, op});
    std::push_heap(others_.begin(), others_.end());
  } else if (last_) {
    last_ = last_->next_ready = op;
  } else {
    first_ = last_ = op;
  }
  num_ready.store(num_ready.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

Operation* Lane::peek() const {
  if (!others_.empty() && (others_.front().priority > 0 || !first_)) return others_.front().op;
  return first_;
}

Operation* Lane::pop() {
  Operation* const op = peek();
  if (!op) return nullptr;
  if (op == first_) {
    first_ = op->next_ready;
    if (!first_) last_ = nullptr;
  } else {
    std::pop_heap(others_.begin(), others_.end());
    others_.pop_back();
  }
  num_ready.store(num_ready.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  return op;
}

std::vector<Operation*> Lane::take_all() {
  std::vector<Operation*> all;
  while (Operation* op = pop()) all.push_back(op);
  return all;
}

}  // namespace engine
}  // namespace hybrid
