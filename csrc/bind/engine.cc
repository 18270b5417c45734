// The engine's settings, waits and memory in Python; its start and end with the process.
#include "engine/engine.h"

#include "bind/array_object.h"
#include "bind/common.h"
#include "bind/create.h"
#include "bind/site.h"
#include "bind/taken_back.h"

namespace hybrid {
namespace bind {

namespace {

py::dict settings_dict() {
  const engine::Settings s = engine::settings();
  py::dict d;
  d["kind"] = s.kind == engine::Kind::naive ? "naive" : "threaded";
  d["inline"] = s.inline_small;
  d["limit_ops"] = s.limit_ops;
  d["limit_bytes"] = s.limit_bytes;
  d["slow"] = s.slow_seconds;
  d["inline_ns"] = s.inline_ns;
  return d;
}

void set_engine(const py::kwargs& given) {
  engine::Settings s = engine::settings();
  for (const auto& pair : given) {
    const std::string name = pair.first.cast<std::string>();
    const py::handle value = pair.second;
    if (name == "kind") {
      const std::string kind = value.cast<std::string>();
      require(kind == "naive" || kind == "threaded", "set_engine: given kind '", kind,
              "', expected naive or threaded");
      s.kind = kind == "naive" ? engine::Kind::naive : engine::Kind::threaded;
    } else if (name == "inline") {
      s.inline_small = value.cast<bool>();
    } else if (name == "limit_ops") {
      s.limit_ops = value.cast<int64_t>();
    } else if (name == "limit_bytes") {
      s.limit_bytes = value.cast<int64_t>();
    } else if (name == "slow") {
      s.slow_seconds = value.cast<double>();
    } else if (name == "inline_ns") {
      s.inline_ns = value.cast<double>();
    } else {
      fail("set_engine: given '", name,
           "', expected kind, inline, limit_ops, limit_bytes, slow or inline_ns");
    }
  }
  require(s.limit_ops >= 1 && s.limit_bytes >= 1, "set_engine: limits are at least 1");
  require(s.slow_seconds >= 0 && s.slow_seconds <= 3600,
          "set_engine: slow is in [0, 3600] seconds");
  const PushScope push(true);
  engine::set_settings(s);
}

py::dict stats(const py::object& ctx) {
  const PoolStats s = pool_stats(context_from_python(ctx));
  py::dict d;
  d["used"] = s.used;
  d["peak"] = s.peak;
  d["reserved"] = s.reserved;
  d["allocations"] = s.allocations;
  return d;
}

void shutdown() {
  const MaybeReleaseGil released(true);
  engine::shutdown();
}

}  // namespace

void bind_engine(py::module_& m) {
  m.def("engine_settings", &settings_dict,
        "dict: kind, inline, limit_ops, limit_bytes, slow, inline_ns.");
  m.def("set_engine", &set_engine, "set_engine(kind='naive', inline=False, slow=0.5, ...)");
  m.def(
      "wait_all",
      [] {
        drain_released();
        if (engine::pending() > 0) mark_site();
        {
          const MaybeReleaseGil released(true);
          engine::wait_all();
        }
        forget_done();
      },
      "Waits for everything; raises the first error not yet raised.");
  m.def("pending", &engine::pending, "Operators queued or running.");
  m.def("describe_pending", &engine::describe_pending, py::arg("max_rows") = 20);
  m.def("cancel_running", &engine::cancel_running, "Asks running long kernels to stop.");
  m.def("num_threads", &num_threads, "Threads that one kernel may use, the caller included.");
  m.def(
      "set_num_threads",
      [](int n) {
        const MaybeReleaseGil released(true);
        set_num_threads(n);
      },
      py::arg("n"));
  m.def("pool_stats", &stats, py::arg("ctx") = py::none(),
        "dict: used, peak, reserved bytes of a device's pool.");
  m.def("numpy_storage", &owned_storage_facts, py::arg("address"),
        "What NDArray._storage tells, of memory that an ndarray has from the engine; else None.");
  m.def(
      "reset_pool_peak", [](const py::object& ctx) { reset_pool_peak(context_from_python(ctx)); },
      py::arg("ctx") = py::none());
  m.def(
      "release_pool_memory",
      [](const py::object& ctx) { release_pool_memory(context_from_python(ctx)); },
      py::arg("ctx") = py::none());
  m.def("shutdown", &shutdown,
        "Drops what is queued and ends the engine's threads; also done at exit.");
  py::module_::import("atexit").attr("register")(m.attr("shutdown"));
  engine::install_fork_handlers();
}

}  // namespace bind
}  // namespace hybrid
