// Reads MXNet's symbol.json into a Symbol: untrusted input, every index and count checked.
//
// The file is read twice: the first time no node is kept, so that a bad one takes no memory, the
// second time what the heads need is made. Subgraphs are made each time: their nodes are few.
#include <algorithm>
#include <optional>

#include "core/error.h"
#include "files/control_json.h"
#include "files/json.h"
#include "files/native_json.h"
#include "files/utf8.h"
#include "ops/copy_to_device.h"
#include "ops/mx_names.h"
#include "symbol/symbol.h"
#include "symbol/variable.h"

namespace hybrid {

namespace {

constexpr int64_t kSilent = 800;         // 0.8 and older: files without a version
constexpr int64_t kComplete = 900;       // since 0.9 every input is written, states too
constexpr int kMaxDepth = 16;            // of subgraphs in subgraphs
constexpr size_t kMaxBodies = 3;         // of one node
constexpr size_t kMaxBodyNodes = 20000;  // of a node's subgraphs together
// Nothing real has more, and each of them takes more memory than its text.
constexpr int kMaxOutputs = 65536;
constexpr size_t kMaxInputs = 65536, kMaxAttributes = 4096;
constexpr size_t kMaxText = 1 << 16;  // of an operator's attribute
constexpr size_t kShown = 100;        // of a name in a message

using Attributes = std::map<std::string, std::string>;

bool is_variable_attribute(const std::string& key) {
  return key.size() > 4 && key.compare(0, 2, "__") == 0 &&
         key.compare(key.size() - 2, 2, "__") == 0;
}

// Files from before 0.9 have these without underscores: "lr_mult", and on an operator
// "weight_lr_mult" of its input. Returns the key of today and the input's name, or neither.
std::pair<std::string, std::string> key_of_today(const std::string& key) {
  for (const std::string old :
       {"ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage"}) {
    if (key == old) return {"__" + old + "__", ""};
    const size_t start = key.size() - std::min(key.size(), old.size() + 1);
    if (start > 0 && key.compare(start, std::string::npos, "_" + old) == 0) {
      return {"__" + old + "__", key.substr(0, start)};
    }
  }
  return {};
}

// A place in a list of entries, as it stands in the file.
struct Place {
  int64_t node = 0, out = 0;
};

class Reader {
 public:
  explicit Reader(const Json& document) : document_(document) {}
  // Of a subgraph; `nodes` counts those of it and its siblings.
  Reader(const Json& document, bool np_shape, int depth, size_t* nodes)
      : document_(document), np_shape_(np_shape), depth_(depth), body_nodes_(nodes) {}

  // A subgraph's variables in the order of their nodes, once it is read.
  const std::vector<SymEntry>& variables() const { return variables_; }

  Symbol read() {
    const std::optional<Json> nodes = document_.find("nodes");
    require(nodes.has_value(), "symbol.json: there is no \"nodes\"; is it a symbol file?");
    const std::optional<Json> global = document_.find("attrs");
    if (global && depth_ == 0) np_shape_ = np_shape(*global);
    if (depth_ == 0) version_ = version(global);
    for (const Json& node : nodes->as_array("symbol.json: nodes")) {
      keep(read_node(node, places_.size()), node);
    }
    const std::vector<Place> heads = read_heads();
    if (depth_ == 0) {
      const std::vector<bool> needed = reached(heads);
      for (size_t i = 0; i < places_.size(); ++i) {
        nodes_.push_back(needed[i] ? read_node(places_[i], i) : nullptr);
      }
    }
    Symbol result;
    for (const Place& head : heads) result.outputs.push_back(entry(head));
    return result;
  }

 private:
  // Of the MXNet that wrote it; the first ones did not say.
  static int64_t version(const std::optional<Json>& attrs) {
    const std::optional<Json> number = attrs ? second_of(*attrs, "mxnet_version") : std::nullopt;
    return number ? number->as_integer("symbol.json: mxnet_version") : kSilent;
  }

  static bool np_shape(const Json& attrs) {
    const std::optional<Json> number = second_of(attrs, "is_np_shape");
    return number && number->as_integer("symbol.json: is_np_shape") != 0;
  }

  // Of an attribute ["int", number].
  static std::optional<Json> second_of(const Json& attrs, const char* key) {
    const std::optional<Json> given = attrs.find(key);
    if (!given || given->kind() != Json::array) return std::nullopt;
    std::optional<Json> result;
    int count = 0;
    for (const Json& item : given->as_array("")) {
      result = item;
      if (++count > 2) return std::nullopt;
    }
    return count == 2 ? result : std::nullopt;
  }

  void keep(const SymNodeRef& node, const Json& json) {
    places_.push_back(json);
    outputs_.push_back(node->num_outputs);
    if (depth_ == 0) return;
    require(++*body_nodes_ <= kMaxBodyNodes, "symbol.json: subgraphs of more than ", kMaxBodyNodes,
            " nodes");
    nodes_.push_back(node);
    if (node->kind == NodeKind::input) variables_.push_back({node, 0});
  }

  std::vector<Place> read_heads() const {
    const std::optional<Json> heads = document_.find("heads");
    require(heads.has_value(), "symbol.json: there is no \"heads\"");
    std::vector<Place> result;
    for (const Json& head : heads->as_array("symbol.json: heads")) {
      require(result.size() < size_t{kMaxOutputs}, "symbol.json: more than ", kMaxOutputs,
              " heads");
      result.push_back(read_place(head, "symbol.json: heads"));
    }
    require(!result.empty(), "symbol.json: \"heads\" is empty");
    return result;
  }

  // The nodes below the heads.
  std::vector<bool> reached(const std::vector<Place>& heads) const {
    std::vector<bool> result(places_.size());
    for (const Place& head : heads) result[static_cast<size_t>(head.node)] = true;
    for (size_t i = places_.size(); i-- > 0;) {
      const std::optional<Json> inputs = result[i] ? places_[i].find("inputs") : std::nullopt;
      if (!inputs) continue;
      for (const Json& input : inputs->as_array("")) {
        result[static_cast<size_t>((*input.as_array("").begin()).as_integer(""))] = true;
      }
    }
    return result;
  }

  Place read_place(const Json& json, const std::string& where) const {
    int64_t numbers[2] = {};
    int given = 0;
    for (const Json& part : json.as_array(where)) {
      if (given < 2) numbers[given] = part.as_integer(where);
      ++given;
    }
    require(given == 2 || given == 3, where,
            ": expected [node, output] or [node, output, version], given ", given, " numbers");
    const auto [node, out] = numbers;
    require(node >= 0 && node < static_cast<int64_t>(places_.size()), where, ": refers to node ",
            node, ", expected an earlier one: 0 to ", static_cast<int64_t>(places_.size()) - 1);
    const auto at = static_cast<size_t>(node);
    require(out >= 0 && out < outputs_[at], where, ": refers to output ", out, " of '",
            shown(places_[at].find("name")->as_string(where)), "', which has ", outputs_[at]);
    return {node, out};
  }

  // In the first reading a place holder.
  SymEntry entry(const Place& place) const {
    const auto at = static_cast<size_t>(place.node);
    return {at < nodes_.size() ? nodes_[at] : unread_, static_cast<int>(place.out)};
  }

  static std::string shown(const std::string& name) { return name.substr(0, kShown); }

  // "attrs" since 1.0; "attr" and, older still, "param" before.
  static Attributes read_attributes(const Json& json, const std::string& where) {
    Attributes result;
    for (const char* key : {"param", "attr", "attrs"}) {
      const std::optional<Json> found = json.find(key);
      if (!found) continue;
      for (const auto& [name, value] : found->as_object(where + ": " + key)) {
        result[name] = value.as_string(where + ": " + key + ": " + shown(name));
        require(result.size() <= kMaxAttributes, where, ": more than ", kMaxAttributes,
                " attributes");
      }
    }
    return result;
  }

  std::shared_ptr<SymNode> read_node(const Json& json, size_t i) {
    std::string where = "symbol.json: node " + std::to_string(i);
    json.as_object(where);
    const std::optional<Json> op = json.find("op"), name = json.find("name");
    require(op && name, where, ": \"op\" and \"name\" are expected");
    const std::string op_name = op->as_string(where + ": op");
    auto node = std::make_shared<SymNode>();
    node->name = name->as_string(where + ": name");
    where += " '" + shown(node->name) + "'";
    if (const std::optional<Json> inputs = json.find("inputs")) {
      for (const Json& input : inputs->as_array(where + ": inputs")) {
        require(node->inputs.size() < kMaxInputs, where, ": more than ", kMaxInputs, " inputs");
        node->inputs.push_back(entry(read_place(input, where + ": inputs")));
      }
    }
    const Attributes attributes = read_attributes(json, where);
    if (op_name == "null") {
      read_variable(node.get(), attributes, where);
    } else if (is_control_name(op_name)) {
      read_control(node.get(), op_name, attributes, json, where);
    } else {
      read_operator(node.get(), op_name, attributes, where);
    }
    node->shapes.resize(static_cast<size_t>(node->num_outputs), Shape::unknown());
    node->dtypes.resize(static_cast<size_t>(node->num_outputs), DType::unknown);
    node->serial = next_serial();
    return node;
  }

  void read_variable(SymNode* node, const Attributes& attributes, const std::string& where) const {
    require(node->inputs.empty(), where, ": a variable with inputs");
    node->kind = NodeKind::input;
    for (const auto& [key, text] : attributes) {
      const auto today = key_of_today(key);
      node->extra[today.first.empty() || !today.second.empty() ? key : today.first] = text;
    }
    node->shapes = {declared_shape(node->name, attributes, np_shape_)};
    node->dtypes = {declared_dtype(node->name, attributes)};
  }

  void read_control(SymNode* node, const std::string& op_name, const Attributes& attributes,
                    const Json& json, const std::string& where) const {
    require(depth_ < kMaxDepth, where, ": subgraphs are nested too deeply");
    const std::optional<Json> list = json.find("subgraphs");
    require(list.has_value(), where, ": ", op_name, " without \"subgraphs\"");
    std::vector<JsonBody> bodies;
    size_t body_nodes = 0;
    for (const Json& body : list->as_array(where + ": subgraphs")) {
      require(bodies.size() < kMaxBodies, where, ": more than ", kMaxBodies, " subgraphs");
      Reader reader(body, np_shape_, depth_ + 1, depth_ > 0 ? body_nodes_ : &body_nodes);
      Symbol symbol = reader.read();
      bodies.push_back({std::move(symbol), reader.variables()});
    }
    Attributes own;
    for (const auto& [key, text] : attributes) {
      const bool extra = is_variable_attribute(key) && !is_control_attribute(key);
      (extra ? node->extra : own)[key] = text;
    }
    try {
      control_from_json(node, op_name, own, bodies, where);
    } catch (const Error& error) {
      const std::string text = error.what();
      fail(text.compare(0, where.size(), where) == 0 ? "" : where + ": ", text);
    }
  }

  void read_operator(SymNode* node, const std::string& op_name, const Attributes& attributes,
                     const std::string& where) {
    const MxName* mx = find_mx_name(op_name);
    const std::string prefix = kNativePrefix;
    const bool native = op_name.compare(0, prefix.size(), prefix) == 0;
    node->op = native ? find_op(op_name.substr(prefix.size())) : mx ? mx->op : nullptr;
    require(node->op != nullptr, where, ": unknown operator '", shown(op_name), "'");
    Attributes own;
    std::map<std::string, Attributes> of_inputs;
    for (const auto& [key, text] : attributes) {
      const auto [today, input] =
          native ? std::pair<std::string, std::string>() : key_of_today(key);
      if (today.empty()) {
        (is_variable_attribute(key) ? node->extra : own)[key] = text;
      } else {
        (input.empty() ? node->extra : of_inputs[input])[today] = text;
      }
    }
    for (const auto& [key, text] : own) {
      require(text.size() <= kMaxText, where, ": ", shown(op_name), ": attribute ", shown(key),
              " of ", text.size(), " bytes, expected at most ", kMaxText);
    }
    try {
      if (native) {
        node->attrs = Attrs(node->op);
        for (const auto& [key, text] : own) node->attrs.set_text(key, text);
      } else {
        node->attrs = mx_to_core(*mx, own);
        node->op = node->attrs.op();
        node->same_shapes = mx->same_shapes;
        if (!np_shape_) open_sizes(&node->attrs);
      }
      if (node->op == get_op("identity")) read_copy(node);
      node->attrs.check_complete();
    } catch (const Error& error) {
      fail(where, ": ", error.what());
    }
    const int takes = node->op->count_inputs(node->attrs);
    if (version_ < kComplete && depth_ == 0) complete(node, takes);
    give_to_inputs(*node, of_inputs);
    const int given = static_cast<int>(node->inputs.size());
    require(takes < 0 ? given >= 1 : given == takes, where, ": ", op_name, " takes ",
            takes < 0 ? std::string("one or more") : std::to_string(takes), " inputs, given ",
            given);
    node->num_outputs = node->op->count_outputs(node->attrs);
    require(node->num_outputs >= 1 && node->num_outputs <= kMaxOutputs, where, ": ", op_name,
            " with ", node->num_outputs, " outputs; expected 1 to ", kMaxOutputs);
  }

  // One that says where it goes.
  static void read_copy(SymNode* node) {
    const auto to = node->extra.find(kCopyAttribute);
    if (to == node->extra.end()) return;
    node->attrs = copy_to_device_attrs(parse_context(to->second));
    node->op = node->attrs.op();
    node->extra.erase(to);
  }

  // Inputs that an old file leaves out, such as moving averages, are variables of their own.
  static void complete(SymNode* node, int takes) {
    size_t def = 0;
    for (int i = 0; i < takes; ++i, ++def) {
      while (node->op->inputs[def].is_absent(node->attrs)) ++def;
      if (i < static_cast<int>(node->inputs.size())) continue;
      const std::string name = node->name + "_" + node->op->inputs[def].name;
      node->inputs.push_back(Symbol::variable(name).outputs[0]);
    }
  }

  static void give_to_inputs(const SymNode& node, const std::map<std::string, Attributes>& given) {
    size_t def = 0;
    for (size_t i = 0; i < node.inputs.size() && !given.empty(); ++i, ++def) {
      if (node.op->variadic) return;
      while (def < node.op->inputs.size() && node.op->inputs[def].is_absent(node.attrs)) ++def;
      if (def >= node.op->inputs.size()) return;
      const auto found = given.find(node.op->inputs[def].name);
      SymNode* input = node.inputs[i].node.get();
      if (found == given.end() || input->kind != NodeKind::input) continue;
      for (const auto& [key, text] : found->second) input->extra.emplace(key, text);
    }
  }

  const Json document_;
  std::vector<Json> places_;  // of the nodes in the text
  std::vector<int> outputs_;  // of each node, how many
  std::vector<SymNodeRef> nodes_;
  const SymNodeRef unread_ = Symbol::variable("unread").outputs[0].node;
  std::vector<SymEntry> variables_;
  bool np_shape_ = false;
  int depth_ = 0;
  size_t* body_nodes_ = nullptr;  // of a subgraph
  int64_t version_ = kComplete;
};

}  // namespace

Symbol symbol_from_json(const std::string& text) {
  require(is_utf8(text.data(), text.size()), "symbol.json: is not UTF-8 text");
  return Reader(parse_json(text)).read();
}

}  // namespace hybrid
