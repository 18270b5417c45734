// Reads MXNet's symbol.json into a Symbol: untrusted input, every index and count checked.
#include <algorithm>

#include "core/error.h"
#include "files/control_json.h"
#include "files/json.h"
#include "files/native_json.h"
#include "files/utf8.h"
#include "ops/mx_names.h"
#include "symbol/symbol.h"
#include "symbol/variable.h"

namespace hybrid {

namespace {

constexpr int kMaxDepth = 16;       // of subgraphs in subgraphs
constexpr int64_t kSilent = 800;    // 0.8 and older: files without a version
constexpr int64_t kComplete = 900;  // since 0.9 every input is written, states too
constexpr int kMaxOutputs = 65536;  // nothing real has more, and every output takes memory

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

class Reader {
 public:
  explicit Reader(const Json& document, bool np_shape = false, int depth = 0)
      : document_(document), np_shape_(np_shape), depth_(depth) {}

  // Variables in the order of their nodes, once it is read.
  const std::vector<SymEntry>& variables() const { return variables_; }

  Symbol read() {
    const Json* nodes = document_.find("nodes");
    require(nodes != nullptr, "symbol.json: there is no \"nodes\"; is it a symbol file?");
    const Json* global = document_.find("attrs");
    if (global != nullptr && depth_ == 0) np_shape_ = np_shape(*global);
    if (depth_ == 0) version_ = version(global);
    const auto& list = nodes->as_array("symbol.json: nodes");
    for (size_t i = 0; i < list.size(); ++i) read_node(list[i], i);
    const Json* heads = document_.find("heads");
    require(heads != nullptr, "symbol.json: there is no \"heads\"");
    Symbol result;
    for (const Json& head : heads->as_array("symbol.json: heads")) {
      result.outputs.push_back(read_entry(head, "symbol.json: heads"));
    }
    require(!result.outputs.empty(), "symbol.json: \"heads\" is empty");
    return result;
  }

 private:
  // Of the MXNet that wrote it; the first ones did not say.
  static int64_t version(const Json* attrs) {
    const Json* entry = attrs == nullptr ? nullptr : attrs->find("mxnet_version");
    if (entry == nullptr || entry->items.size() != 2) return kSilent;
    return entry->items[1].as_integer("symbol.json: mxnet_version");
  }

  static bool np_shape(const Json& attrs) {
    const Json* entry = attrs.find("is_np_shape");
    if (entry == nullptr || entry->items.size() != 2) return false;
    return entry->items[1].as_integer("symbol.json: is_np_shape") != 0;
  }

  SymEntry read_entry(const Json& json, const std::string& where) const {
    const auto& parts = json.as_array(where);
    require(parts.size() == 2 || parts.size() == 3, where,
            ": expected [node, output] or [node, output, version], given ", parts.size(),
            " numbers");
    const int64_t node = parts[0].as_integer(where);
    const int64_t out = parts[1].as_integer(where);
    require(node >= 0 && node < static_cast<int64_t>(nodes_.size()), where, ": refers to node ",
            node, ", expected an earlier one: 0 to ", static_cast<int64_t>(nodes_.size()) - 1);
    const SymNodeRef& ref = nodes_[static_cast<size_t>(node)];
    require(out >= 0 && out < ref->num_outputs, where, ": refers to output ", out, " of '",
            ref->name, "', which has ", ref->num_outputs);
    return {ref, static_cast<int>(out)};
  }

  // "attrs" since 1.0; "attr" and, older still, "param" before.
  static Attributes read_attributes(const Json& json, const std::string& where) {
    Attributes result;
    for (const char* key : {"param", "attr", "attrs"}) {
      const Json* found = json.find(key);
      if (found == nullptr) continue;
      for (const auto& [name, value] : found->as_object(where + ": " + key)) {
        result[name] = value.as_string(where + ": " + key + ": " + name);
      }
    }
    return result;
  }

  void read_node(const Json& json, size_t i) {
    std::string where = "symbol.json: node " + std::to_string(i);
    json.as_object(where);
    const Json* op = json.find("op");
    const Json* name = json.find("name");
    const Json* inputs = json.find("inputs");
    require(op != nullptr && name != nullptr, where, ": \"op\" and \"name\" are expected");
    const std::string op_name = op->as_string(where + ": op");
    auto node = std::make_shared<SymNode>();
    node->name = name->as_string(where + ": name");
    where += " '" + node->name + "'";
    if (inputs != nullptr) {
      for (const Json& entry : inputs->as_array(where + ": inputs")) {
        node->inputs.push_back(read_entry(entry, where + ": inputs"));
      }
    }
    const Attributes attributes = read_attributes(json, where);
    if (op_name == "null") {
      read_variable(node.get(), attributes, where);
      variables_.push_back({node, 0});
    } else if (is_control_name(op_name)) {
      read_control(node.get(), op_name, attributes, json, where);
    } else {
      read_operator(node.get(), op_name, attributes, where);
    }
    node->shapes.resize(static_cast<size_t>(node->num_outputs), Shape::unknown());
    node->dtypes.resize(static_cast<size_t>(node->num_outputs), DType::unknown);
    node->serial = next_serial();
    nodes_.push_back(std::move(node));
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
    const Json* list = json.find("subgraphs");
    require(list != nullptr, where, ": ", op_name, " without \"subgraphs\"");
    std::vector<JsonBody> bodies;
    for (const Json& body : list->as_array(where + ": subgraphs")) {
      Reader reader(body, np_shape_, depth_ + 1);
      Symbol symbol = reader.read();
      bodies.push_back({std::move(symbol), reader.variables()});
    }
    Attributes own;
    for (const auto& [key, text] : attributes) {
      (is_variable_attribute(key) ? node->extra : own)[key] = text;
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
    require(node->op != nullptr, where, ": unknown operator '", op_name.substr(0, 100), "'");
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
    try {
      if (native) {
        node->attrs = Attrs(node->op);
        for (const auto& [key, text] : own) node->attrs.set_text(key, text);
      } else {
        node->attrs = mx_to_core(*mx, own);
        node->same_shapes = mx->same_shapes;
        if (!np_shape_ && node->op->attr_index("open") >= 0 && node->attrs.has("shape")) {
          const auto sizes = node->attrs.ints("shape");
          const bool open = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
          node->attrs.set("open", open);
        }
      }
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

  const Json& document_;
  std::vector<SymNodeRef> nodes_;
  std::vector<SymEntry> variables_;
  bool np_shape_;
  int depth_;
  int64_t version_ = kComplete;
};

}  // namespace

Symbol symbol_from_json(const std::string& text) {
  require(is_utf8(text.data(), text.size()), "symbol.json: is not UTF-8 text");
  return Reader(parse_json(text)).read();
}

}  // namespace hybrid
