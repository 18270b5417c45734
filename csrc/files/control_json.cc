#include "files/control_json.h"

#include <algorithm>
#include <unordered_map>

#include "control/control.h"
#include "core/error.h"

namespace hybrid {
namespace {

using Attributes = std::map<std::string, std::string>;
using Places = std::vector<int64_t>;

std::string tuple_text(const Places& places) {
  return attr_text(AttrType::ints, AttrValue(places));
}

// Writing
// ------------------------------------------------------------------------------------------

// The body as a symbol whose variables have names of their own, and where each of its inputs is
// among them: -1 when it is not read.
Symbol as_symbol(const Graph& body, Places* places) {
  Graph graph = body;
  std::map<std::string, int> used;
  std::vector<std::string> names;
  for (NodeId id : graph.inputs) {
    std::string& name = graph.node(id).name;
    if (name.empty()) name = "value";
    const int count = used[name]++;
    if (count) name += "_" + std::to_string(count);
    while (std::find(names.begin(), names.end(), name) != names.end()) name += "_";
    names.push_back(name);
  }
  Symbol symbol = from_graph(graph);
  const std::vector<std::string> arguments = symbol.list_arguments();
  for (const std::string& name : names) {
    const auto found = std::find(arguments.begin(), arguments.end(), name);
    places->push_back(found == arguments.end() ? -1 : found - arguments.begin());
  }
  return symbol;
}

// By variable of the body: which input of the node it is. Inputs of the body from `first` on are
// the node's from `input` on.
Places inputs_of(const Places& places, size_t first, int64_t input) {
  Places result;
  for (size_t i = first; i < places.size(); ++i, ++input) {
    if (places[i] < 0) continue;
    const auto at = static_cast<size_t>(places[i]);
    if (result.size() <= at) result.resize(at + 1, -1);
    result[at] = input;
  }
  return result;
}

Places part(const Places& places, size_t from, size_t count) {
  const auto begin = places.begin() + static_cast<int64_t>(from);
  return Places(begin, begin + static_cast<int64_t>(count));
}

// Says that a row of a one-dimensional array has no dimension. MXNet reads over such names.
const char kRows[] = "__rows__";

void write_foreach(const Attrs& attrs, ControlJson* json) {
  Places places;
  json->bodies = {as_symbol(attrs.subgraph("body").graph(), &places)};
  const auto data = static_cast<size_t>(attrs.integer("data"));
  const auto carried = static_cast<size_t>(attrs.integer("carried"));
  const size_t first = attrs.boolean("counter");
  json->op = "_foreach";
  json->attrs["in_data_locs"] = tuple_text(part(places, first, data));
  json->attrs["in_state_locs"] = tuple_text(part(places, first + data, carried));
  const size_t rest = first + data + carried;
  json->attrs["remain_locs"] = tuple_text(part(places, rest, places.size() - rest));
  if (first) {
    json->attrs["counter_loc"] = std::to_string(places[0]);
    json->attrs["start"] = attrs.text("start");
    json->attrs["step"] = attrs.text("step");
  }
  if (attrs.integer("steps") >= 0) json->attrs["steps"] = attrs.text("steps");
  if (!attrs.boolean("nd_rows")) json->attrs[kRows] = "numpy";
}

void write_while(const Attrs& attrs, ControlJson* json) {
  Places condition, body;
  json->bodies = {as_symbol(attrs.subgraph("condition").graph(), &condition),
                  as_symbol(attrs.subgraph("body").graph(), &body)};
  const auto carried = static_cast<size_t>(attrs.integer("carried"));
  json->op = "_while_loop";
  json->attrs["cond_input_locs"] = tuple_text(inputs_of(condition, 0, 0));
  json->attrs["func_input_locs"] = tuple_text(inputs_of(body, 0, 0));
  json->attrs["func_var_locs"] = tuple_text(part(body, 0, carried));
  json->attrs["max_iterations"] = attrs.text("max_iterations");
  if (attrs.boolean("must_end")) json->attrs["must_end"] = "True";
}

void write_cond(const Attrs& attrs, ControlJson* json) {
  Places yes, no;
  const Symbol predicate = Symbol::apply(get_op("identity"), Attrs(get_op("identity")),
                                         {Symbol::variable("condition")}, "holds");
  json->bodies = {predicate, as_symbol(attrs.subgraph("then").graph(), &yes),
                  as_symbol(attrs.subgraph("else").graph(), &no)};
  json->op = "_cond";
  json->attrs["cond_input_locs"] = "(0,)";
  json->attrs["then_input_locs"] = tuple_text(inputs_of(yes, 0, 1));
  json->attrs["else_input_locs"] = tuple_text(inputs_of(no, 0, 1));
}

// Reading
// ------------------------------------------------------------------------------------------

class FromJson {
 public:
  FromJson(SymNode* node, const Attributes& attrs, const std::vector<JsonBody>& bodies,
           const std::string& where)
      : node_(node), attrs_(attrs), bodies_(bodies), where_(where) {}

  void foreach () {
    expect_bodies(1);
    const Places data = tuple("in_data_locs"), states = tuple("in_state_locs");
    const Places rest = tuple("remain_locs");
    expect_inputs(data.size() + states.size() + rest.size());
    Counter counter;
    std::vector<SymEntry> stops;
    if (attrs_.count("counter_loc")) {
      counter = {true, integer("start"), integer("step"), -1};
      stops.push_back(variable(0, integer("counter_loc")));
    }
    if (attrs_.count("steps")) counter.steps = integer("steps");
    for (const Places* places : {&data, &states, &rest}) {
      for (int64_t at : *places) stops.push_back(variable(0, at));
    }
    const auto carried = static_cast<int64_t>(states.size());
    Attrs attrs =
        foreach_attrs(body(0, stops), static_cast<int64_t>(data.size()), carried, counter);
    attrs.set("nd_rows", attrs_.count(kRows) == 0);  // MXNet's own files
    finish(std::move(attrs));
  }

  void while_loop() {
    expect_bodies(2);
    const Places condition = tuple("cond_input_locs"), inputs = tuple("func_input_locs");
    const Places variables = tuple("func_var_locs");
    // The node's inputs in our order: carried ones first.
    Places order;
    for (int64_t at : variables) {
      require(at >= -1 && at < static_cast<int64_t>(inputs.size()), where_,
              ": func_var_locs refers to variable ", at, " of ", inputs.size());
      // A carried value that the body does not read is the next input that is not named.
      order.push_back(at < 0 ? -1 : input(inputs[static_cast<size_t>(at)]));
    }
    for (size_t k = 0; k < order.size(); ++k) {
      if (order[k] < 0) order[k] = input(static_cast<int64_t>(k));
    }
    for (size_t i = 0; i < node_->inputs.size(); ++i) {
      const auto known = static_cast<int64_t>(i);
      if (std::find(order.begin(), order.end(), known) == order.end()) order.push_back(known);
    }
    const auto limit = integer("max_iterations");
    const bool must_end = attrs_.count("must_end") && attrs_.at("must_end") == "True";
    auto test = body(0, stops(0, condition, order)), step = body(1, stops(1, inputs, order));
    std::vector<SymEntry> sorted;
    for (int64_t i : order) sorted.push_back(node_->inputs[static_cast<size_t>(i)]);
    node_->inputs = std::move(sorted);
    const auto carried = static_cast<int64_t>(variables.size());
    finish(while_loop_attrs(std::move(test), std::move(step), carried, limit, must_end));
  }

  void cond() {
    expect_bodies(3);
    const Places condition = tuple("cond_input_locs");
    const Places yes = tuple("then_input_locs"), no = tuple("else_input_locs");
    require(bodies_[0].symbol.outputs.size() == 1, where_, ": the condition gives ",
            bodies_[0].symbol.outputs.size(), " values, expected one");
    const SymEntry test = predicate(condition);
    std::vector<SymEntry> inputs = {test};
    Places order;
    for (size_t i = 0; i < node_->inputs.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      const bool read = std::find(yes.begin(), yes.end(), at) != yes.end() ||
                        std::find(no.begin(), no.end(), at) != no.end();
      if (!read) continue;  // the condition alone needs it
      order.push_back(at);
      inputs.push_back(node_->inputs[i]);
    }
    auto then_branch = body(1, stops(1, yes, order)), else_branch = body(2, stops(2, no, order));
    node_->inputs = std::move(inputs);
    finish(cond_attrs(std::move(then_branch), std::move(else_branch)));
  }

 private:
  // The condition's graph above the node's inputs.
  SymEntry predicate(const Places& places) const {
    const JsonBody& of = bodies_[0];
    const SymNode& head = *of.symbol.outputs[0].node;
    const bool copy = head.op == get_op("identity") && head.inputs[0].node->kind == NodeKind::input;
    const SymNode* variable = copy ? head.inputs[0].node.get() : &head;
    std::map<std::string, Symbol> values;
    for (size_t i = 0; i < of.variables.size(); ++i) {
      if (i >= places.size() || places[i] < 0) continue;
      const SymEntry& value = node_->inputs[static_cast<size_t>(input(places[i]))];
      if (of.variables[i].node.get() == variable) return value;
      Symbol symbol;
      symbol.outputs = {value};
      values[of.variables[i].node->name] = symbol;
    }
    require(variable->kind != NodeKind::input, where_, ": the condition has no value");
    return of.symbol.compose(values).outputs[0];
  }

  void expect_bodies(size_t count) const {
    require(bodies_.size() == count, where_, ": expected ", count, " subgraphs, given ",
            bodies_.size());
  }
  void expect_inputs(size_t count) const {
    require(node_->inputs.size() == count, where_, ": expected ", count, " inputs, given ",
            node_->inputs.size());
  }
  int64_t input(int64_t i) const {
    require(i >= 0 && i < static_cast<int64_t>(node_->inputs.size()), where_,
            ": a subgraph refers to input ", i, " of ", node_->inputs.size());
    return i;
  }
  SymEntry variable(size_t body, int64_t at) const {
    if (at == -1) return unread();
    const auto& variables = bodies_[body].variables;
    require(at >= 0 && at < static_cast<int64_t>(variables.size()), where_, ": refers to variable ",
            at, " of a subgraph that has ", variables.size());
    return variables[static_cast<size_t>(at)];
  }
  static SymEntry unread() { return Symbol::variable("unread").outputs[0]; }

  // The body's variables in the order of the node's inputs.
  std::vector<SymEntry> stops(size_t body, const Places& places, const Places& order) const {
    const auto& variables = bodies_[body].variables;
    require(places.size() <= variables.size(), where_, ": ", places.size(),
            " inputs for a subgraph of ", variables.size(), " variables");
    std::vector<SymEntry> found;
    for (int64_t i : order) {
      const auto at = std::find(places.begin(), places.end(), i);
      found.push_back(at == places.end() ? unread()
                                         : variables[static_cast<size_t>(at - places.begin())]);
    }
    return found;
  }

  std::shared_ptr<const Body> body(size_t which, const std::vector<SymEntry>& stops) const {
    Graph graph = to_graph(bodies_[which].symbol, stops, nullptr);
    require(graph.inputs.size() == stops.size(), where_, ": a subgraph reads ",
            graph.inputs.size() - stops.size(), " variables that are no inputs");
    for (size_t i = 0; i < stops.size(); ++i)
      graph.node(graph.inputs[i]).name = stops[i].node->name;
    return Body::make(std::move(graph));
  }

  void finish(Attrs attrs) {
    node_->op = attrs.op();
    node_->attrs = std::move(attrs);
    node_->num_outputs = node_->op->count_outputs(node_->attrs);
  }

  const std::string& text(const char* name) const {
    const auto found = attrs_.find(name);
    require(found != attrs_.end(), where_, ": there is no attribute '", name, "'");
    return found->second;
  }
  template <class T>
  T parsed(AttrType type, const char* name) const {
    const AttrValue value = parse_attr(type, text(name), where_ + ": " + name);
    require(std::holds_alternative<T>(value), where_, ": ", name, ": expected ",
            attr_type_name(type), ", given ", text(name));
    return std::get<T>(value);
  }
  Places tuple(const char* name) const { return parsed<Places>(AttrType::ints, name); }
  int64_t integer(const char* name) const { return parsed<int64_t>(AttrType::integer, name); }

  SymNode* node_;
  const Attributes& attrs_;
  const std::vector<JsonBody>& bodies_;
  const std::string& where_;
};

// Lifting
// ------------------------------------------------------------------------------------------

std::vector<std::string> body_names(const OpDef& op) {
  std::vector<std::string> names;
  for (const AttrDef& a : op.attrs) {
    if (a.type == AttrType::graph) names.emplace_back(a.name);
  }
  return names;
}

Graph lifted(const Graph& body, std::vector<NDArray>* constants);

// The attributes with bodies that take their constants as further inputs.
Attrs lifted(const Attrs& attrs, std::vector<NDArray>* constants) {
  Attrs result = attrs;
  const std::vector<std::string> names = body_names(*attrs.op());
  std::vector<Graph> graphs;
  std::vector<std::vector<NDArray>> found(names.size());
  for (size_t k = 0; k < names.size(); ++k) {
    graphs.push_back(lifted(attrs.subgraph(names[k].c_str()).graph(), &found[k]));
    constants->insert(constants->end(), found[k].begin(), found[k].end());
  }
  if (constants->empty()) return result;
  for (size_t k = 0; k < names.size(); ++k) {
    Graph& graph = graphs[k];
    const size_t own = graph.inputs.size() - found[k].size();
    const std::vector<NodeId> mine(graph.inputs.begin() + static_cast<int64_t>(own),
                                   graph.inputs.end());
    graph.inputs.resize(own);
    for (size_t other = 0; other < names.size(); ++other) {
      for (size_t i = 0; i < found[other].size(); ++i) {
        if (other == k) {
          graph.inputs.push_back(mine[i]);
          continue;
        }
        Node unread;
        unread.kind = NodeKind::input;
        unread.name = "unread";
        unread.shapes = {found[other][i].shape};
        unread.dtypes = {found[other][i].dtype};
        graph.inputs.push_back(graph.add(std::move(unread)).id);
      }
    }
    result.set(names[k].c_str(), SubgraphRef{Body::make(std::move(graph))});
  }
  return result;
}

// The graph with its constants, and those of bodies in it, as its last inputs.
Graph lifted(const Graph& body, std::vector<NDArray>* constants) {
  Graph made;
  made.next_id = body.next_id;
  std::vector<NodeId> last;
  const auto add_input = [&](Node node) {
    constants->push_back(node.value);
    node.kind = NodeKind::input;
    node.name = "constant";
    node.text.clear();
    node.value = NDArray();
    last.push_back(made.add(std::move(node)).id);
    return last.back();
  };
  for (const Node& from : body.nodes) {
    Node node = from;
    if (node.kind == NodeKind::constant) {
      add_input(std::move(node));
      continue;
    }
    if (node.kind == NodeKind::op && node.op->control_flow) {
      std::vector<NDArray> inner;
      node.attrs = lifted(node.attrs, &inner);
      for (const NDArray& value : inner) {
        Node constant;
        constant.value = value;
        constant.shapes = {value.shape};
        constant.dtypes = {value.dtype};
        node.inputs.push_back({add_input(std::move(constant)), 0});
      }
    }
    made.add(std::move(node));
  }
  made.inputs = body.inputs;
  made.inputs.insert(made.inputs.end(), last.begin(), last.end());
  made.outputs = body.outputs;
  made.output_names = body.output_names;
  return made;
}

}  // namespace

bool is_control_name(const std::string& op_name) {
  return op_name == "_foreach" || op_name == "_while_loop" || op_name == "_cond";
}

bool is_control_attribute(const std::string& key) { return key == kRows; }

ControlJson control_to_json(const SymNode& node) {
  ControlJson json;
  if (node.op == &foreach_op()) write_foreach(node.attrs, &json);
  if (node.op == &while_loop_op()) write_while(node.attrs, &json);
  if (node.op == &cond_op()) write_cond(node.attrs, &json);
  const int64_t carried = node.op == &cond_op() ? 0 : node.attrs.integer("carried");
  json.attrs["num_args"] = std::to_string(node.inputs.size() + json.bodies.size());
  json.attrs["num_outputs"] = std::to_string(node.num_outputs);
  if (node.op != &cond_op()) {
    json.attrs["num_out_data"] = std::to_string(node.num_outputs - carried);
  }
  return json;
}

void control_from_json(SymNode* node, const std::string& op_name, const Attributes& attrs,
                       const std::vector<JsonBody>& bodies, const std::string& where) {
  FromJson reader(node, attrs, bodies, where);
  if (op_name == "_foreach") reader.foreach ();
  if (op_name == "_while_loop") reader.while_loop();
  if (op_name == "_cond") reader.cond();
}

Symbol without_body_constants(const Symbol& symbol) {
  const std::vector<SymNode*> nodes = symbol.nodes();
  const bool any = std::any_of(nodes.begin(), nodes.end(), [](const SymNode* n) {
    return n->kind == NodeKind::op && n->op->control_flow;
  });
  if (!any) return symbol;
  std::unordered_map<const SymNode*, SymNodeRef> made;
  const auto replaced = [&](SymEntry e) {
    const auto found = made.find(e.node.get());
    if (found != made.end()) e.node = found->second;
    return e;
  };
  for (SymNode* node : nodes) {
    std::vector<NDArray> constants;
    Attrs attrs = node->attrs;
    if (node->kind == NodeKind::op && node->op->control_flow) attrs = lifted(attrs, &constants);
    bool changed = !constants.empty();
    for (const SymEntry& e : node->inputs) changed = changed || made.count(e.node.get());
    if (!changed) continue;
    auto copy = std::make_shared<SymNode>();
    copy->kind = node->kind;
    copy->op = node->op;
    copy->attrs = std::move(attrs);
    copy->name = node->name;
    copy->site = node->site;
    copy->scope = node->scope;
    copy->extra = node->extra;
    copy->num_outputs = node->num_outputs;
    copy->shapes = node->shapes;
    copy->dtypes = node->dtypes;
    copy->ctx = node->ctx;
    copy->draw_of = node->draw_of;
    for (const SymEntry& e : node->inputs) copy->inputs.push_back(replaced(e));
    for (const NDArray& value : constants) {
      auto constant = std::make_shared<SymNode>();
      constant->kind = NodeKind::constant;
      constant->name = node->name + "_constant";
      constant->values = {value};
      constant->shapes = {value.shape};
      constant->dtypes = {value.dtype};
      constant->serial = next_serial();
      copy->inputs.push_back({constant, 0});
    }
    copy->serial = next_serial();
    made[node] = std::move(copy);
  }
  Symbol result;
  for (const SymEntry& e : symbol.outputs) result.outputs.push_back(replaced(e));
  return result;
}

}  // namespace hybrid
