// The modelled clock in Python: the machine that it runs for, and what happened on it.
#include "model/clock.h"

#include <pybind11/numpy.h>

#include <unordered_set>

#include "bind/array_object.h"
#include "bind/common.h"
#include "core/devices.h"
#include "core/held_blocks.h"
#include "engine/trace.h"

namespace hybrid {
namespace bind {

namespace {

constexpr std::pair<const char*, const char*> kSpanFields[] = {
    {"start_s", "<f8"}, {"seconds", "<f8"}, {"queued_s", "<f8"}, {"flops", "<f8"},
    {"bytes", "<f8"},   {"peak", "<f8"},    {"name", "<u4"},     {"site", "<u4"},
    {"node", "<u4"},    {"serial", "<u4"},  {"lane", "<u2"},     {"kind", "u1"},
    {"links", "u1"}};
static_assert(sizeof(model::Span) == 72, "spans are read as they lie");

constexpr std::pair<const char*, const char*> kMemoryFields[] = {
    {"time_s", "<f8"}, {"bytes", "<i8"}, {"device", "<u2"}, {"kind", "u1"}};
static_assert(sizeof(model::MemoryChange) == 24, "changes are read as they lie");

template <size_t n>
py::dtype records(const std::pair<const char*, const char*> (&fields)[n], size_t size) {
  py::list names, formats, offsets;
  py::ssize_t offset = 0;
  for (const auto& [name, format] : fields) {
    names.append(name);
    formats.append(format);
    offsets.append(offset);
    offset += py::dtype(format).itemsize();
  }
  return py::dtype(names, formats, offsets, static_cast<py::ssize_t>(size));
}

template <class T>
py::bytes as_they_lie(const std::vector<T>& rows) {
  return py::bytes(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(T));
}

double number(const py::dict& from, const char* key) { return from[key].cast<double>(); }

model::Machine machine_from_python(const py::dict& given) {
  model::Machine machine;
  for (const py::handle item : given["gpus"]) {
    const auto d = item.cast<py::dict>();
    model::DeviceModel gpu;
    gpu.name = d["name"].cast<std::string>();
    gpu.flops64 = number(d, "flops64");
    gpu.flops32 = number(d, "flops32");
    gpu.flops16 = number(d, "flops16");
    gpu.dense16 = number(d, "dense16");
    gpu.bytes_per_s = number(d, "bytes_per_s");
    gpu.launch_s = number(d, "launch_s");
    machine.gpus.push_back(std::move(gpu));
  }
  for (const py::handle item : given["links"]) {
    const auto d = item.cast<py::dict>();
    machine.links.push_back({d["from"].cast<std::string>(), d["to"].cast<std::string>(),
                             d["name"].cast<std::string>(), number(d, "bytes_per_s"),
                             number(d, "latency_s")});
  }
  machine.host = {number(given, "dispatch_s"), number(given, "cpu_scale")};
  machine.computes = given["compute"].cast<bool>();
  return machine;
}

void start_model(const py::dict& given) {
  const model::Machine machine = machine_from_python(given);
  std::vector<int64_t> memory;
  for (const py::handle item : given["gpus"]) {
    memory.push_back(item.cast<py::dict>()["memory"].cast<int64_t>());
  }
  const MaybeReleaseGil released(true);
  held::hooks().finish_pending();
  model::start(machine);
  for (size_t i = 0; i < memory.size(); ++i) {
    const Context gpu{DeviceType::gpu, static_cast<int16_t>(i)};
    devices::limit_memory(gpu, memory[i], machine.computes);
  }
}

py::dict model_spans(uint64_t from, size_t most) {
  const model::Seen seen = model::seen(from, most);
  std::unordered_set<uint32_t> names, sites;
  py::dict known_names, known_sites;
  for (const model::Span& span : seen.spans) {
    if (names.insert(span.name).second) {
      known_names[py::int_(span.name)] =
          py::bytes(trace::name_of(span.name)).attr("decode")("utf-8", "replace");
    }
    if (span.site != 0 && sites.insert(span.site).second) {
      const trace::Site site = trace::site_of(span.site);
      known_sites[py::int_(span.site)] = py::make_tuple(site.cell, site.line, site.text);
    }
  }
  py::list lanes, late;
  for (const model::LaneInfo& lane : seen.lanes) {
    lanes.append(py::make_tuple(lane.name, lane.device, lane.kind));
  }
  for (const model::Late& p : seen.late) late.append(py::make_tuple(p.lane, p.computed_s));
  py::dict d;
  d["spans"] = as_they_lie(seen.spans);
  d["lanes"] = lanes;
  d["late"] = late;
  d["names"] = known_names;
  d["sites"] = known_sites;
  d["now_s"] = seen.now_s;
  d["first"] = seen.first;
  d["kept"] = seen.kept;
  d["next"] = seen.next;
  d["lost"] = seen.lost;
  d["clock"] = seen.clock;
  return d;
}

py::dict model_memory(uint64_t from, bool before, bool changes) {
  const model::MemorySeen seen = model::memory_seen(from, before, changes);
  py::dict d;
  d["before"] = as_they_lie(seen.before);
  d["changes"] = as_they_lie(seen.changes);
  d["next"] = seen.next;
  d["lost"] = seen.lost;
  d["clock"] = seen.clock;
  return d;
}

}  // namespace

void bind_model(py::module_& m) {
  m.attr("MODEL_SPAN_DTYPE") = records(kSpanFields, sizeof(model::Span));
  m.attr("MODEL_MEMORY_DTYPE") = records(kMemoryFields, sizeof(model::MemoryChange));
  py::list kinds;
  for (int i = 0; i < held::kKinds; ++i) kinds.append(held::word(static_cast<held::Kind>(i)));
  m.attr("MEMORY_KINDS") = py::tuple(kinds);
  m.def("model_memory", &model_memory, py::arg("first") = 0, py::arg("before") = true,
        py::arg("changes") = true,
        "Changes of the memory in use on modelled devices from that number on, and what is held "
        "before, as they are asked for (records of MODEL_MEMORY_DTYPE: kind is an index into "
        "MEMORY_KINDS): changes, before, next, lost, clock (counts starts).");
  m.def(
      "mark_optimizer_state",
      [](const py::handle& array) {
        const ArrayRef& ref = as_array(array.ptr())->ref;
        const bool traced = ref.extra && ref.extra->traced;
        if (!traced && ref.array.storage) held::mark(ref.array.storage.get(), held::Kind::states);
      },
      py::arg("array"), "Tells what an array is used for to who counts memory by its use.");
  m.def("start_model", &start_model, py::arg("machine"),
        "A new modelled clock at 0. machine: gpus (name, flops64, flops32, flops16, dense16, "
        "bytes_per_s, launch_s, memory: bytes), links (from, to, name, bytes_per_s, latency_s), "
        "dispatch_s, "
        "cpu_scale, compute.");
  m.def(
      "stop_model",
      [] {
        const MaybeReleaseGil released(true);
        held::hooks().finish_pending();
        model::stop();
        for (int i = 0; i < devices::num_virtual_gpus(); ++i) {
          const Context gpu{DeviceType::gpu, static_cast<int16_t>(i)};
          if (devices::is_virtual(gpu)) devices::limit_memory(gpu, 0, true);
        }
      },
      "Ends the modelled clock.");
  m.def("model_is_on", [] { return model::on(); }, "Does a modelled clock run?");
  m.def("model_spans", &model_spans, py::arg("first") = 0, py::arg("most") = size_t{1} << 20,
        "Spans of the modelled clock from that number on: spans (records of MODEL_SPAN_DTYPE), "
        "lanes (name, device, kind), late (lane, up to when all is really computed), names, sites, "
        "now_s, first, kept, next, lost, clock (counts starts).");
}

}  // namespace bind
}  // namespace hybrid
