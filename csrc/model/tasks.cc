#include "model/tasks.h"

#include <algorithm>
#include <utility>

namespace hybrid {
namespace model {

Tasks::Tasks(const Machine& machine, const Routes& routes, LaneOf lane_of)
    : machine_(machine), routes_(routes), lane_of_(std::move(lane_of)) {}

Work Tasks::of(const engine::Props& props, Storage* const* reads, int num_reads,
               Storage* const* writes, int num_writes, uint32_t serial) const {
  Work work;
  work.serial = serial;
  work.lane = lane_of_(props.ctx, props.lane);
  work.priority = props.priority;
  work.name = props.name;
  work.site = props.site;
  // One that is named twice is used once.
  const auto add_to = [&work](std::vector<const void*>* list, Storage* s) {
    const auto has = [s](const std::vector<const void*>& all) {
      return std::find(all.begin(), all.end(), &s->var) != all.end();
    };
    if (!has(work.writes) && !has(*list)) list->push_back(&s->var);
  };
  for (int i = 0; i < num_writes; ++i) add_to(&work.writes, writes[i]);
  for (int i = 0; i < num_reads; ++i) add_to(&work.reads, reads[i]);
  if (props.exchange) {
    add_exchange(*props.exchange, &work);
  } else if (props.lane != engine::LaneKind::compute && num_reads + num_writes > 0) {
    const Context from = num_reads > 0 ? reads[0]->ctx : Context();
    const Context to = num_writes > 0 ? writes[0]->ctx : Context();
    add_copy(from, to, static_cast<double>(props.bytes), &work);
  } else if (props.num_kernels > 0 && !props.ctx.is_cpu()) {
    add_kernels(props, writes, &work);
  } else {
    add_other(props, &work);
  }
  add_waits(props, &work);
  return work;
}

// By rings both ways round, half of the bytes each (Patarasuk and Yuan, J. Parallel Distrib.
// Comput. 69(2), 2009): a sum that all get crosses every hop with 2 (n - 1) / n of them, after 2 (n
// - 1) latencies; what goes to one device, or comes from one, with all of them, after n - 1. Or by
// a tree, in pieces that follow each other: all of them over every edge, after a latency for each
// level up and down. Whichever takes less time when nobody else uses the links.
void Tasks::add_exchange(const Exchange& exchange, Work* work) const {
  const std::vector<Context> devices(exchange.devices, exchange.devices + exchange.num_devices);
  const Routes::Route& ring = routes_.ring(devices);
  const Routes::Tree& tree = routes_.tree(devices);
  const double n = exchange.num_devices, ways = exchange.sums && exchange.spreads ? 2 : 1;
  work->links = ring.links;
  work->latency = ways * (n - 1) * ring.latency_s;
  work->bytes = (ways == 2 ? 2 * (n - 1) / n : 1) * exchange.bytes / 2;
  const double by_tree_s = ways * tree.depth * tree.latency_s;
  if (by_tree_s + exchange.bytes / routes_.rate(tree) <
      work->latency + work->bytes / routes_.rate(ring)) {
    work->links = tree.links;
    work->latency = by_tree_s;
    work->bytes = exchange.bytes;
  }
  for (size_t i = 1; i < devices.size(); ++i) {
    work->also.push_back(lane_of_(devices[i], engine::LaneKind::all_reduce));
  }
}

void Tasks::add_copy(Context from, Context to, double bytes, Work* work) const {
  const Routes::Route& route = routes_.between(from, to);
  work->links = route.links;
  work->latency = route.latency_s;
  work->bytes = bytes;
}

const DeviceModel& Tasks::model_of(Context gpu) const {
  return machine_.gpus[std::min(static_cast<size_t>(gpu.id), machine_.gpus.size() - 1)];
}

// One after the other, and what each of them finishes.
void Tasks::add_kernels(const engine::Props& props, Storage* const* writes, Work* work) const {
  for (int i = 0; i < props.num_kernels; ++i) {
    Piece piece;
    piece.kernel = props.kernels[i];
    const DeviceModel& gpu = model_of(props.ctx);
    piece.seconds = piece.kernel.times * gpu.seconds(piece.kernel.cost);
    piece.peak = gpu.peak(piece.kernel.cost);
    work->pieces.push_back(piece);
  }
  for (int i = 0; i < props.num_finished; ++i) {
    const auto kernel = static_cast<size_t>(props.finished_after[i]);
    if (kernel + 1 < work->pieces.size()) work->finished.push_back({&writes[i]->var, kernel});
  }
}

// Of a ring that is in nobody else's use: every device passes on what the others tell.
double Tasks::seconds_around(const std::vector<Context>& devices, double bytes) const {
  const Routes::Route& ring = routes_.ring(devices);
  return static_cast<double>(devices.size() - 1) * (ring.latency_s + bytes / routes_.rate(ring));
}

// Everyone's numbers go round a ring of the devices; how far is known when the last one calls.
void Tasks::add_waits(const engine::Props& props, Work* work) const {
  for (int i = 0; i < props.num_meets; ++i) {
    const Meet& meet = props.meets[i];
    Waits waits;
    waits.piece = std::min(static_cast<size_t>(meet.kernel), work->pieces.size() - 1);
    waits.meeting = meet.number;
    waits.devices = meet.num_devices;
    std::vector<Context> ends;  // all CPUs are one
    for (const Context& device : meet.devices) {
      if (!device.is_cpu() || ends.empty() || !ends.back().is_cpu()) ends.push_back(device);
    }
    if (ends.size() > 1) waits.seconds = seconds_around(ends, meet.bytes);
    work->waits.push_back(waits);
  }
  if (props.num_meets > 0) work->meets_lane = lane_of_(props.ctx, engine::LaneKind::all_reduce);
}

// On the host by the engine's estimate; on a GPU it moves its bytes within the device's memory.
void Tasks::add_other(const engine::Props& props, Work* work) const {
  Piece piece;
  piece.kernel.name = props.name;
  piece.kernel.site = props.site;
  if (props.ctx.is_cpu()) {
    piece.seconds = props.cost_ns * 1e-9;
  } else {
    piece.kernel.cost.bytes = 2.0 * static_cast<double>(props.bytes);
    piece.seconds = model_of(props.ctx).seconds(piece.kernel.cost);
  }
  work->pieces.push_back(piece);
}

}  // namespace model
}  // namespace hybrid
