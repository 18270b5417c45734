// NodeView: one node of a graph as Python sees it; keeps the graph alive.
#pragma once
#include <memory>

#include "bind/array_object.h"
#include "graph/graph.h"

namespace hybrid {
namespace bind {

using GraphRef = std::shared_ptr<Graph>;

struct NodeView {
  std::shared_ptr<const Graph> graph;
  const Node* node;
  bool is_view = false;
};

py::list entries_to_python(const std::vector<Entry>& entries);    // [(node id, output), ...]
std::vector<Entry> entries_from_python(const py::object& pairs);  // None: empty
py::list ids_to_python(const std::vector<NodeId>& ids);
const char* family_name(Family family);
py::object dtype_text(DType dtype);            // "float32", None when unknown
py::object partial_shape(const Shape& shape);  // None: rank unknown

}  // namespace bind
}  // namespace hybrid
