// Exchanges between devices in Python.
#include "launch/exchange.h"

#include "bind/array_object.h"
#include "bind/common.h"
#include "bind/invoke.h"
#include "bind/site.h"
#include "core/devices.h"

namespace hybrid {
namespace bind {

namespace {

std::vector<NDArray> arrays_of(const py::handle& list) {
  std::vector<NDArray> arrays;
  for (const py::handle array : list) arrays.push_back(value_of(array, "exchange"));
  return arrays;
}

bool on_physical(const std::vector<NDArray>& arrays) {
  for (const NDArray& a : arrays) {
    if (devices::is_physical(a.ctx())) return true;
  }
  return false;
}

bool exchange_arrays(const py::sequence& sources, const py::sequence& targets, int priority,
                     const std::string& name, int64_t bytes) {
  require(sources.size() == targets.size(), "exchange: ", sources.size(), " sources, ",
          targets.size(), " targets");
  if (tracing() || (thread_state().mode & kRecording)) return false;
  std::vector<Exchanged> groups;
  for (size_t i = 0; i < sources.size(); ++i) {
    groups.push_back({arrays_of(sources[i]), arrays_of(targets[i])});
    if (on_physical(groups.back().sources) || on_physical(groups.back().targets)) return false;
  }
  mark_site();
  const PushScope push(true);
  exchange(groups, priority, name, bytes);
  return true;
}

}  // namespace

void bind_exchange(py::module_& m) {
  m.def("exchange", &exchange_arrays, py::arg("sources"), py::arg("targets"),
        py::arg("priority") = 0, py::arg("name") = "all-reduce", py::arg("bytes") = 0,
        "Writes the sum of every list of `sources` into the arrays of the list of `targets` that "
        "has its place, as one operator. False: nothing was done, since a cell is recorded, "
        "autograd records, or a GPU is physical.");
}

}  // namespace bind
}  // namespace hybrid
