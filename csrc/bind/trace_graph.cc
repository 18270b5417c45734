#include "bind/trace_graph.h"

#include <algorithm>
#include <unordered_set>

#include "bind/create.h"
#include "trace/pending.h"

namespace hybrid {
namespace bind {

namespace {

using Key = std::pair<const SymNode*, int>;

const NDArray* value_at(const SymEntry& e) {
  if (e.node->kind == NodeKind::constant || e.node->kind == NodeKind::effect) return nullptr;
  if (static_cast<size_t>(e.out) >= e.node->values.size()) return nullptr;
  const NDArray& value = e.node->values[static_cast<size_t>(e.out)];
  return value.defined() ? &value : nullptr;
}

}  // namespace

std::vector<SymEntry> stops_of(const Symbol& symbol) {
  std::vector<SymEntry> stops, stack = symbol.outputs;
  std::map<Key, bool> seen_entries;
  std::unordered_set<const SymNode*> seen;
  while (!stack.empty()) {
    const SymEntry e = stack.back();
    stack.pop_back();
    if (value_at(e) != nullptr) {
      if (seen_entries.emplace(Key{e.node.get(), e.out}, true).second) stops.push_back(e);
      continue;
    }
    if (!seen.insert(e.node.get()).second) continue;
    for (const SymEntry& input : e.node->inputs) stack.push_back(input);
  }
  std::sort(stops.begin(), stops.end(), [](const SymEntry& a, const SymEntry& b) {
    return a.node->serial != b.node->serial ? a.node->serial < b.node->serial : a.out < b.out;
  });
  return stops;
}

TracedGraph graph_of(const Symbol& symbol) {
  TracedGraph traced;
  traced.stops = stops_of(symbol);
  for (const SymEntry& stop : traced.stops) traced.values.push_back(recorded_value(stop));
  GraphSources sources;
  traced.graph = to_graph(symbol, traced.stops, &sources);
  traced.keys = std::move(sources.keys);
  for (size_t id = 0; id < sources.nodes.size(); ++id) {
    if (sources.nodes[id] != nullptr) traced.ids[sources.nodes[id]] = static_cast<NodeId>(id);
  }
  for (size_t i = 0; i < traced.stops.size(); ++i) {
    traced.stop_ids[{traced.stops[i].node.get(), traced.stops[i].out}] = traced.graph.inputs[i];
  }
  return traced;
}

Entry TracedGraph::find(const SymEntry& e) const {
  const auto stop = stop_ids.find({e.node.get(), e.out});
  if (stop != stop_ids.end()) return {stop->second, 0};
  const auto found = ids.find(e.node.get());
  return found == ids.end() ? Entry() : Entry{found->second, e.out};
}

namespace {

// Memory that live traced arrays are computed from.
bool has_readers(const Storage* storage) {
  static std::unordered_set<const Storage*> read;
  static uint64_t changes = 0;
  if (changes != live_traced_changes()) {
    read.clear();
    Symbol all;
    for (const py::object& array : live_traced_arrays()) {
      all.outputs.push_back(as_array(array.ptr())->ref.extra->entry);
    }
    for (const SymEntry& stop : stops_of(all)) read.insert(value_at(stop)->storage.get());
    changes = live_traced_changes();
  }
  return read.count(storage) != 0;
}

}  // namespace

void settle_readers(const NDArray& target) {
  if (!has_readers(target.storage.get())) return;
  std::vector<py::object> readers;
  for (const py::object& array : live_traced_arrays()) {
    Symbol symbol;
    symbol.outputs = {as_array(array.ptr())->ref.extra->entry};
    if (symbol.outputs[0].node->kind == NodeKind::constant) continue;
    for (const SymEntry& stop : stops_of(symbol)) {
      if (value_at(stop)->storage == target.storage) {
        readers.push_back(array);
        break;
      }
    }
  }
  for (const py::object& reader : readers) {
    try {
      value_of(as_array(reader.ptr()));
    } catch (const py::error_already_set& e) {
      if (!e.matches(PyExc_Exception)) throw;
      // It cannot be computed (planned away): reading it later says so.
    } catch (const Error&) {
    }
  }
}

NDArray scalar_array(const py::object& number, DType dtype) {
  if (dtype == DType::float64 && PyFloat_CheckExact(number.ptr())) {  // as cells write them
    const NDArray made = NDArray::empty(Shape(), dtype, Context());
    *reinterpret_cast<double*>(made.data()) = PyFloat_AS_DOUBLE(number.ptr());
    return made;
  }
  const py::object array = py::module_::import("numpy").attr("array")(number, numpy_dtype(dtype));
  return array_from_numpy(array, Context());
}

}  // namespace bind
}  // namespace hybrid
