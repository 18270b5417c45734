// TraceReader: what the rings recorded since the last frame, packed for the browser.
#include "engine/trace.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "bind/array_object.h"
#include "core/devices.h"
#include "engine/engine.h"
#include "engine/section.h"

namespace hybrid {
namespace bind {

namespace {

double ms(uint64_t ticks) { return static_cast<double>(trace::to_ns(ticks)) * 1e-6; }

#pragma pack(push, 1)
struct PackedSpan {  // as the front end reads it, little endian
  double start_ms;
  float busy_ms, extent_ms;
  uint32_t name, site, node;
  uint16_t lane, flags;
  uint32_t count;
  uint32_t serial;  // of its push; 0: it was not queued, or is several
  float queued_ms;
  uint16_t pusher, more;
};
struct PackedQueue {
  double time_ms;
  uint32_t lane, waiting, ready, running;
  double used, high;
};
#pragma pack(pop)
static_assert(sizeof(PackedSpan) == 48, "spans have a fixed size");
static_assert(sizeof(PackedQueue) == 40, "so have states of queues");
constexpr int kVersion = 2;              // of the frames
constexpr size_t kBytesOfProducers = 8;  // of a span, about
// Its fields, as NumPy writes them.
constexpr std::pair<const char*, const char*> kPackedFields[] = {
    {"start_ms", "<f8"}, {"busy_ms", "<f4"}, {"extent_ms", "<f4"}, {"name", "<u4"},
    {"site", "<u4"},     {"node", "<u4"},    {"lane", "<u2"},      {"flags", "<u2"},
    {"count", "<u4"},    {"serial", "<u4"},  {"queued_ms", "<f4"}, {"pusher", "<u2"},
    {"more", "<u2"}};
constexpr std::pair<const char*, const char*> kQueueFields[] = {
    {"time_ms", "<f8"}, {"lane", "<u4"}, {"waiting", "<u4"}, {"ready", "<u4"},
    {"running", "<u4"}, {"used", "<f8"}, {"high", "<f8"}};

constexpr std::pair<const char*, trace::Flags> kFlags[] = {{"inline", trace::kInline},
                                                           {"coalesced", trace::kCoalesced},
                                                           {"artificial", trace::kArtificial},
                                                           {"error", trace::kError},
                                                           {"wait", trace::kWait},
                                                           {"running", trace::kRunning},
                                                           {"merged", trace::kMerged}};

class TraceReader {
 public:
  explicit TraceReader(bool from_oldest) : cursor_(trace::new_cursor(from_oldest)) {}
  ~TraceReader() { trace::free_cursor(cursor_); }
  TraceReader(const TraceReader&) = delete;
  TraceReader& operator=(const TraceReader&) = delete;

  py::dict read_frame(size_t max_bytes) {
    trace::Drained drained;
    {
      const MaybeReleaseGil released(true);
      cuda::retire_all();
      engine::tell_queues(!std::exchange(has_read_, true));
      drained = trace::drain(cursor_);
      trace::merge_spans(&drained.records, max_bytes / (sizeof(PackedSpan) + kBytesOfProducers));
    }
    std::string spans, producers;
    std::vector<PackedQueue> queue;
    std::unordered_set<uint32_t> serials;
    py::dict names, sites;
    for (const auto* records : {&drained.records, &drained.running}) {
      for (const trace::Record& r : *records) {
        if (r.kind == static_cast<uint8_t>(trace::Kind::queue)) {
          queue.push_back(packed_queue(r));
        } else if (r.kind != static_cast<uint8_t>(trace::Kind::mark)) {
          append(&spans, packed(r));
          if (r.serial && serials.insert(r.serial).second) add_producers(r, &producers);
          note_name(r.name, &names);
          note_site(r.site, &sites);
          if (r.kind == static_cast<uint8_t>(trace::Kind::wait)) note_site(r.node, &sites);
        }
      }
    }
    // Several threads tell of one queue.
    std::stable_sort(queue.begin(), queue.end(), [](const PackedQueue& a, const PackedQueue& b) {
      return a.time_ms < b.time_ms;
    });
    py::dict frame;
    frame["version"] = kVersion;
    const trace::Moment now = trace::now();
    frame["now_ms"] = ms(now.ticks);
    frame["offset_ms"] = ms(now.ticks) - static_cast<double>(now.ns) * 1e-6;
    frame["gaps"] = gaps(drained.gaps);
    frame["spans"] = py::bytes(spans);
    frame["queue"] =
        py::bytes(reinterpret_cast<const char*>(queue.data()), queue.size() * sizeof(PackedQueue));
    frame["producers"] = py::bytes(producers);
    frame["lanes"] = new_lanes();
    frame["names"] = names;
    frame["sites"] = sites;
    frame["pending"] = engine::pending();
    frame["pools"] = pools();
    return frame;
  }

 private:
  template <class T>
  static void append(std::string* bytes, const T& value) {
    bytes->append(reinterpret_cast<const char*>(&value), sizeof(T));
  }

  static float duration_ms(uint32_t duration) {
    return static_cast<float>(static_cast<double>(trace::duration_ns(duration)) * 1e-6);
  }

  static PackedSpan packed(const trace::Record& r) {
    return {ms(r.start),
            duration_ms(r.duration),
            duration_ms(trace::extent_of(r)),
            r.name,
            r.site,
            r.node,
            r.lane,
            r.flags,
            trace::operators(r),
            r.serial,
            duration_ms(r.serial ? r.queued : 0),
            r.pusher,
            r.more};
  }

  static PackedQueue packed_queue(const trace::Record& r) {
    const trace::Queue queue = trace::queue_of(r);
    return {ms(r.start),
            r.lane,
            queue.waiting,
            queue.ready,
            queue.running,
            static_cast<double>(queue.used),
            static_cast<double>(queue.high)};
  }

  static void add_producers(const trace::Record& r, std::string* producers) {
    for (const uint32_t producer : r.producers) {
      if (producer == 0) break;
      append(producers, producer);
      append(producers, r.serial);
    }
  }

  static py::list gaps(const std::vector<trace::Gap>& gaps) {
    py::list list;
    for (const trace::Gap& gap : gaps) {
      py::dict d;
      d["lane"] = gap.lane;
      d["count"] = gap.operators;
      d["start_ms"] = ms(gap.start);
      d["end_ms"] = ms(gap.end);
      list.append(d);
    }
    return list;
  }

  void note_name(uint32_t id, py::dict* names) {
    if (!known_names_.insert(id).second) return;
    (*names)[py::int_(id)] = py::bytes(trace::name_of(id)).attr("decode")("utf-8", "replace");
  }

  void note_site(uint32_t id, py::dict* sites) {
    if (id == 0 || !known_sites_.insert(id).second) return;
    const trace::Site site = trace::site_of(id);
    (*sites)[py::int_(id)] = py::make_tuple(site.cell, site.line, site.text);
  }

  py::list new_lanes() {
    py::list list;
    for (const trace::Lane& lane : trace::lanes()) {
      if (!known_lanes_.insert(lane.id).second) continue;
      py::dict d;
      d["id"] = lane.id;
      d["name"] = lane.name;
      d["device"] = lane.device;
      d["virtual"] = lane.is_virtual;
      d["kind"] = lane.kind;
      list.append(d);
    }
    return list;
  }

  static py::list pools() {
    py::list list;
    const auto add = [&](Context ctx) {
      const PoolStats stats = pool_stats(ctx);
      py::dict d;
      d["device"] = ctx.str();
      d["used"] = stats.used;
      d["reserved"] = stats.reserved;
      list.append(d);
    };
    add(Context());
    for (int i = 0; i < devices::num_gpus(); ++i) {
      add(Context{DeviceType::gpu, static_cast<int16_t>(i)});
    }
    return list;
  }

  trace::Cursor* cursor_;
  bool has_read_ = false;
  std::unordered_set<uint32_t> known_names_, known_sites_, known_lanes_;
};

}  // namespace

void bind_trace(py::module_& m) {
  const auto dtype_of = [](const auto& fields) {
    py::list list;
    for (const auto& [name, format] : fields) list.append(py::make_tuple(name, format));
    return py::dtype::from_args(list);
  };
  m.attr("SPAN_DTYPE") = dtype_of(kPackedFields);
  m.attr("QUEUE_DTYPE") = dtype_of(kQueueFields);
  py::dict flags;
  for (const auto& [name, flag] : kFlags) flags[name] = static_cast<int>(flag);
  m.attr("SPAN_FLAGS") = flags;
  py::class_<TraceReader>(m, "TraceReader", "A reader of the trace rings with a place of its own.")
      .def(py::init<bool>(), py::arg("from_oldest") = false)
      .def("read_frame", &TraceReader::read_frame, py::arg("max_bytes") = 131072,
           "What is new: now_ms, offset_ms (what now_ms is ahead of time.perf_counter), spans "
           "(records of SPAN_DTYPE; short ones are merged where they "
           "take more than max_bytes), gaps (operators whose spans were overwritten: lane, count, "
           "start_ms, end_ms), queue (records of QUEUE_DTYPE: what the queue of that lane's device "
           "held from that time on, the bytes in use, and the most since the record before), "
           "producers (pairs of uint32: the serial of an operator, and of one that read what it "
           "wrote), lanes, names, sites, pending, pools, version.");
}

}  // namespace bind
}  // namespace hybrid
