// TraceReader: what the rings recorded since the last frame, packed for the browser.
#include "engine/trace.h"

#include <pybind11/numpy.h>

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
};
#pragma pack(pop)
static_assert(sizeof(PackedSpan) == 36, "spans have a fixed size");
// Its fields, as NumPy writes them.
constexpr std::pair<const char*, const char*> kPackedFields[] = {
    {"start_ms", "<f8"}, {"busy_ms", "<f4"}, {"extent_ms", "<f4"}, {"name", "<u4"}, {"site", "<u4"},
    {"node", "<u4"},     {"lane", "<u2"},    {"flags", "<u2"},     {"count", "<u4"}};

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
      drained = trace::drain(cursor_);
      trace::merge_spans(&drained.records, max_bytes / sizeof(PackedSpan));
    }
    std::string spans, depth;
    py::dict names, sites;
    for (const auto* records : {&drained.records, &drained.running}) {
      for (const trace::Record& r : *records) {
        if (r.kind == static_cast<uint8_t>(trace::Kind::depth)) {
          append(&depth, ms(r.start));
          append(&depth, static_cast<double>(r.value));
        } else if (r.kind != static_cast<uint8_t>(trace::Kind::mark)) {
          append(&spans, packed(r));
          note_name(r.name, &names);
          note_site(r.site, &sites);
          if (r.kind == static_cast<uint8_t>(trace::Kind::wait)) note_site(r.node, &sites);
        }
      }
    }
    py::dict frame;
    frame["now_ms"] = ms(trace::ticks());
    frame["gaps"] = gaps(drained.gaps);
    frame["spans"] = py::bytes(spans);
    frame["depth"] = py::bytes(depth);
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
            trace::operators(r)};
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
  std::unordered_set<uint32_t> known_names_, known_sites_, known_lanes_;
};

}  // namespace

void bind_trace(py::module_& m) {
  py::list fields;
  for (const auto& [name, format] : kPackedFields) fields.append(py::make_tuple(name, format));
  m.attr("SPAN_DTYPE") = py::dtype::from_args(fields);
  py::dict flags;
  for (const auto& [name, flag] : kFlags) flags[name] = static_cast<int>(flag);
  m.attr("SPAN_FLAGS") = flags;
  py::class_<TraceReader>(m, "TraceReader", "A reader of the trace rings with a place of its own.")
      .def(py::init<bool>(), py::arg("from_oldest") = false)
      .def("read_frame", &TraceReader::read_frame, py::arg("max_bytes") = 131072,
           "What is new: now_ms, spans (records of SPAN_DTYPE; short ones are merged where they "
           "take more than max_bytes), gaps (operators whose spans were overwritten: lane, count, "
           "start_ms, end_ms), depth (pairs of float64), lanes, names, sites, pending, pools.");
}

}  // namespace bind
}  // namespace hybrid
