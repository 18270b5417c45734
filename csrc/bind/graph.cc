// Graph in Python: read-only nodes, text, and running it unplanned.
#include "bind/graph_view.h"
#include "bind/invoke.h"
#include "graph/text.h"
#include "launch/random.h"
#include "passes/mode.h"
#include "plan/lifetimes.h"
#include "program/program.h"

namespace hybrid {
namespace bind {

namespace {

py::list nodes_of(const GraphRef& graph) {
  const std::vector<bool> views = view_nodes(*graph);
  py::list list;
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    list.append(NodeView{graph, &graph->nodes[i], views[i]});
  }
  return list;
}

NodeView node_by_id(const GraphRef& graph, NodeId id) {
  const Node& node = graph->node(id);
  const auto position = static_cast<size_t>(graph->position(id));
  return {graph, &node, view_nodes(*graph)[position]};
}

std::vector<NDArray> values_of(const py::sequence& arrays, const char* what) {
  std::vector<NDArray> values;
  for (const py::handle array : arrays) values.push_back(value_of(array, what));
  return values;
}

// Fresh keys, as a compiled program would draw them, unless they are given.
std::vector<uint64_t> keys_or_draw(const py::object& keys, int count) {
  if (keys.is_none()) return next_keys(count);
  return keys.cast<std::vector<uint64_t>>();
}

py::list run(const Graph& graph, const py::sequence& inputs, const py::object& keys,
             bool training) {
  const std::vector<NDArray> values = values_of(inputs, "Graph.run");
  require(values.size() == graph.inputs.size(), "Graph.run: given ", values.size(),
          " inputs, expected ", graph.inputs.size());
  const std::vector<uint64_t> drawn = keys_or_draw(keys, graph.num_keys);
  std::vector<NDArray> results;
  {
    const PushScope push(true);
    results = run_graph(graph, values, drawn, training);
  }
  py::list list;
  for (NDArray& result : results) list.append(wrap(std::move(result)));
  return list;
}

std::shared_ptr<Program> program(const Graph& graph, const py::sequence& inputs, bool training,
                                 bool share) {
  const std::vector<NDArray> values = values_of(inputs, "Graph.program");
  require(values.size() == graph.inputs.size(), "Graph.program: given ", values.size(),
          " inputs, expected ", graph.inputs.size());
  const MaybeReleaseGil released(true);
  return std::const_pointer_cast<Program>(program_of_stage(graph, values, training, share));
}

// Of the nodes that invoke_ufunc() recorded.
uint64_t what_warns(const Graph& graph) {
  uint64_t hash = 0;
  for (const Node& node : graph.nodes) {
    if (node.kind != NodeKind::op) continue;
    hash *= 0x100000001b3ull;
    if (!node.text.empty()) hash += std::hash<std::string>()(node.text);
  }
  return hash;
}

// The same nodes with only some of the outputs.
GraphRef with_outputs(const Graph& graph, const std::vector<size_t>& indices) {
  auto result = std::make_shared<Graph>(graph);
  result->outputs.clear();
  result->output_names.clear();
  for (const size_t i : indices) {
    require(i < graph.outputs.size(), "with_outputs: there is no output ", i, ", the graph has ",
            graph.outputs.size());
    result->outputs.push_back(graph.outputs[i]);
    result->output_names.push_back(graph.output_names[i]);
  }
  return result;
}

// The same nodes, of which these values are asked.
GraphRef with_values(const Graph& graph, const py::object& entries) {
  auto result = std::make_shared<Graph>(graph);
  result->outputs = entries_from_python(entries);
  for (const Entry& e : result->outputs) {
    require(graph.contains(e.node) && e.out >= 0 &&
                static_cast<size_t>(e.out) < graph.node(e.node).shapes.size(),
            "with_values: there is no value ", e.out, " of a node ", e.node);
  }
  result->output_names.assign(result->outputs.size(), "");
  return result;
}

// The same graph with what the user calls some of the values.
GraphRef with_names(const Graph& graph, const std::map<NodeId, std::string>& names) {
  auto result = std::make_shared<Graph>(graph);
  for (Node& node : result->nodes) {
    const auto found = names.find(node.id);
    if (found != names.end() && node.kind != NodeKind::effect) node.name = found->second;
  }
  return result;
}

void shift(Node* node, NodeId offset) {
  if (node->id >= 0) node->id += offset;
  if (node->forward >= 0) node->forward += offset;
  for (Entry& e : node->inputs) e.node += offset;
  for (NodeId& id : node->origins) id += offset;
  for (Node& member : node->members) shift(&member, offset);
  for (Entry& e : node->member_outputs) e.node += offset;
}

// Several graphs side by side as one, for pictures: ids of graph i are shifted by offsets[i].
GraphRef merge_graphs(const std::vector<GraphRef>& graphs, const std::vector<NodeId>& offsets) {
  require(graphs.size() == offsets.size(), "merge_graphs: given ", graphs.size(), " graphs and ",
          offsets.size(), " offsets");
  auto result = std::make_shared<Graph>();
  for (size_t i = 0; i < graphs.size(); ++i) {
    const Graph& part = *graphs[i];
    for (Node node : part.nodes) {
      shift(&node, offsets[i]);
      if (node.key_slot >= 0) node.key_slot += result->num_keys;
      result->next_id = std::max(result->next_id, node.id + 1);
      result->add(std::move(node));
    }
    for (const NodeId id : part.inputs) result->inputs.push_back(id + offsets[i]);
    for (const Entry& e : part.outputs) result->outputs.push_back({e.node + offsets[i], e.out});
    result->output_names.insert(result->output_names.end(), part.output_names.begin(),
                                part.output_names.end());
    result->num_keys += part.num_keys;
  }
  return result;
}

py::dict node_dict(const py::handle& node) {
  py::dict result;
  for (const char* name :
       {"id", "kind", "op", "name", "attrs", "inputs", "shapes", "dtypes", "origins", "site",
        "scope", "segment", "text", "family", "is_view", "flops", "bytes", "member_outputs"}) {
    result[name] = node.attr(name);
  }
  result["ctx"] = py::str(node.attr("ctx"));
  py::list members;
  for (const py::handle member : node.attr("members")) members.append(node_dict(member));
  result["members"] = members;
  return result;
}

py::dict to_dict(const GraphRef& graph) {
  py::list nodes;
  for (const py::handle node : nodes_of(graph)) nodes.append(node_dict(node));
  py::dict result;
  result["nodes"] = nodes;
  result["inputs"] = ids_to_python(graph->inputs);
  result["outputs"] = entries_to_python(graph->outputs);
  result["output_names"] = graph->output_names;
  result["num_keys"] = graph->num_keys;
  return result;
}

}  // namespace

py::list entries_to_python(const std::vector<Entry>& entries) {
  py::list list;
  for (const Entry& e : entries) list.append(py::make_tuple(e.node, e.out));
  return list;
}

std::vector<Entry> entries_from_python(const py::object& pairs) {
  std::vector<Entry> entries;
  if (pairs.is_none()) return entries;
  for (const auto& pair : pairs.cast<std::vector<std::pair<NodeId, int32_t>>>()) {
    entries.push_back({pair.first, pair.second});
  }
  return entries;
}

py::list ids_to_python(const std::vector<NodeId>& ids) {
  py::list list;
  for (const NodeId id : ids) list.append(id);
  return list;
}

void bind_graph(py::module_& m) {
  bind_node(m);
  py::class_<Graph, GraphRef>(m, "Graph", "Nodes in topological order with stable ids; read-only.")
      .def_property_readonly("nodes", &nodes_of)
      .def_property_readonly(
          "inputs", [](const Graph& g) { return ids_to_python(g.inputs); },
          "Ids of the input nodes in binding order.")
      .def_property_readonly(
          "outputs", [](const Graph& g) { return entries_to_python(g.outputs); },
          "(node id, output) of every head.")
      .def_property_readonly("output_names", [](const Graph& g) { return g.output_names; })
      .def_property_readonly(
          "num_keys", [](const Graph& g) { return g.num_keys; },
          "How many random draws one run takes.")
      .def_property_readonly("hash", &Graph::hash)
      .def_property_readonly(
          "may_fail",
          [](const Graph& g) {
            return std::any_of(g.nodes.begin(), g.nodes.end(),
                               [&](const Node& n) { return may_fail(g, n); });
          },
          "A kernel may raise an error because of the values it is given; shapes must be known.")
      .def_property_readonly("warns", &what_warns,
                             "0 when no node may warn of floating-point errors; else a hash of "
                             "what its nodes warn of.")
      .def_property_readonly("structure", &Graph::structure,
                             "A hash that is equal for graphs that differ in shapes only.")
      .def_property_readonly("labels", &Graph::labels,
                             "A hash of what `hash` leaves out: ids, names and lines.")
      .def_property_readonly("num_kernels", &Graph::num_kernels)
      .def("node", &node_by_id, py::arg("id"))
      .def("__len__", [](const Graph& g) { return g.nodes.size(); })
      .def("__str__", &Graph::str)
      .def("__repr__",
           [](const Graph& g) { return "<Graph of " + std::to_string(g.nodes.size()) + " nodes>"; })
      .def(
          "text",
          [](const Graph& g, bool inline_scalars, bool lines, bool types) {
            TextOptions options;
            options.inline_scalars = inline_scalars;
            options.lines = lines;
            options.types = types;
            return program_text(g, options);
          },
          py::arg("inline_scalars") = true, py::arg("lines") = true, py::arg("types") = false,
          "Readable, Python-like program text.")
      .def_property_readonly(
          "program_with_nodes",
          [](const Graph& g) {
            std::vector<NodeId> nodes;
            std::string text = program_text(g, {}, &nodes);
            return py::make_tuple(std::move(text), std::move(nodes));
          },
          "text(), and for each of its lines the node that it computes, of a fused node's "
          "the member; -1 for none.")
      .def(
          "value_names",
          [](const Graph& g) {
            py::dict names;
            const auto all = value_names(g);
            for (size_t i = 0; i < all.size(); ++i) names[py::int_(g.nodes[i].id)] = all[i];
            return names;
          },
          "Names of values as the text writes them: {node id: [name by output]}.")
      .def("to_dict", &to_dict, "Everything in plain Python values.")
      .def("with_outputs", &with_outputs, py::arg("indices"), "The same nodes, only these outputs.")
      .def("with_values", &with_values, py::arg("entries"),
           "The same nodes, these (node, output) pairs as outputs.")
      .def("with_names", &with_names, py::arg("names"), "The same graph, nodes renamed by id.")
      .def("program", &program, py::arg("inputs"), py::arg("training"), py::arg("share"),
           "A program of the graph as it stands, no pass run, for inputs like these. share: values "
           "share memory as planned; else each has its own.")
      .def("run", &run, py::arg("inputs"), py::arg("keys") = py::none(),
           py::arg("training") = false,
           "Runs the graph as it stands, node after node; a list of arrays.");
  m.def(
      "in_mode",
      [](const GraphRef& graph, bool training) {
        std::vector<StateValue> states;
        auto decided = std::make_shared<Graph>(in_mode(*graph, training, &states));
        py::list inputs;
        for (const StateValue& s : states) {
          decided->outputs.push_back(s.value);
          decided->output_names.push_back(graph->node(graph->inputs.at(s.input)).name + "_new");
          inputs.append(s.input);
        }
        return py::make_tuple(decided, inputs);
      },
      py::arg("graph"), py::arg("training"),
      "The graph for training or inference, its states' new values as outputs after the others; "
      "and the positions of those states among its inputs.");
  m.def("merge_graphs", &merge_graphs, py::arg("graphs"), py::arg("offsets"),
        "Graphs side by side as one for pictures; ids of graph i are shifted by offsets[i].");
}

}  // namespace bind
}  // namespace hybrid
