// The graph below recorded arrays, cut where values exist; and writes that recorded work must
// precede.
#pragma once
#include <map>
#include <vector>

#include "bind/array_object.h"

namespace hybrid {
namespace bind {

struct TracedGraph {
  Graph graph;
  std::vector<SymEntry> stops;  // input i of the graph
  std::vector<NDArray> values;  // of input i
  std::vector<uint64_t> keys;   // by key slot
  std::map<const SymNode*, NodeId> ids;
  std::map<std::pair<const SymNode*, int>, NodeId> stop_ids;
  Entry find(const SymEntry& e) const;  // undefined when it is not in the graph
};
// Throws Error when a value it starts from was overwritten after it was recorded.
TracedGraph graph_of(const Symbol& symbol);
// Entries with values among what `symbol` is computed from, in order of recording.
std::vector<SymEntry> stops_of(const Symbol& symbol);

// `array`, which is this leaf of the trace, is another value from here on, while it lives.
void note_written_leaf(PyArray* array, const SymNodeRef& leaf);
// The array that was this leaf until then; null: none.
PyArray* array_before_write(const SymNode& leaf);

// Before `target`'s memory is written at once: deferred arrays that are computed from it are.
void settle_readers(const NDArray& target);
// A rank-0 array of one number on the CPU.
NDArray scalar_array(const py::object& number, DType dtype);

// A number as a rank-0 traced array; text: how it was written.
py::object trace_constant(const py::object& value, const py::object& dtype,
                          const std::string& text);

}  // namespace bind
}  // namespace hybrid
