// Writes a Symbol as MXNet 1.9.1's symbol.json, laid out as MXNet lays it out.
#include <unordered_map>

#include "core/error.h"
#include "files/control_json.h"
#include "files/json.h"
#include "files/native_json.h"
#include "ops/copy_to_device.h"
#include "ops/mx_names.h"
#include "ops/states.h"
#include "symbol/symbol.h"

namespace hybrid {

namespace {

using Attributes = std::map<std::string, std::string>;

bool equal_shapes(const SymNode& node) {
  if (node.inputs.size() != 2) return false;
  if (node.same_shapes) return true;
  const auto shape = [](const SymEntry& e) {
    const size_t out = static_cast<size_t>(e.out);
    return out < e.node->shapes.size() ? e.node->shapes[out] : Shape::unknown();
  };
  const Shape a = shape(node.inputs[0]);
  return a.known() && a == shape(node.inputs[1]);
}

// "{a: b}" on one line, longer ones line by line.
std::string object_text(const Attributes& attrs) {
  const std::string space = attrs.size() > 1 ? "\n        " : "";
  std::string text = "{";
  const char* separator = "";
  for (const auto& [key, value] : attrs) {
    text += separator + space + json_quoted(key) + ": " + json_quoted(value);
    separator = attrs.size() > 1 ? ", " : ",";
  }
  return text + (attrs.size() > 1 ? "\n      }" : "}");
}

// Up to ten numbers stand on one line, more on a line each.
std::string numbers_text(const std::vector<int64_t>& numbers) {
  const bool lines = numbers.size() > 10;
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i) {
    text += (i ? ", " : "") + std::string(lines ? "\n    " : "") + std::to_string(numbers[i]);
  }
  return text + (lines ? "\n  ]" : "]");
}

class Writer {
 public:
  explicit Writer(bool native) : native_(native) {}

  std::string write(const Symbol& symbol) {
    return "{" + members(symbol) + ", \n  \"attrs\": {\"mxnet_version\": [\"int\", 10901]" +
           (native_ ? ", \"is_np_shape\": [\"int\", 1]}\n}" : "}\n}");
  }

 private:
  std::string members(const Symbol& symbol) {
    std::vector<int64_t> arguments, rows = {0};
    std::string nodes;
    int64_t constants = 0;
    for (const SymNode* node : symbol.nodes()) {
      require(node->kind == NodeKind::input || node->kind == NodeKind::constant ||
                  node->kind == NodeKind::op,
              "symbol.json: '", node->name, "' is neither variable, constant nor operator");
      const int64_t id = static_cast<int64_t>(ids_.size());
      Attributes attrs = node->extra;
      std::string op = "null", name = node->name, bodies;
      if (node->kind == NodeKind::op && node->op->control_flow) {
        const ControlJson control = control_to_json(*node);
        op = control.op;
        attrs.insert(control.attrs.begin(), control.attrs.end());
        for (const Symbol& body : control.bodies) {
          bodies += (bodies.empty() ? "{" : ", {") + Writer(native_).members(body) + "}";
        }
      } else if (node->kind == NodeKind::op) {
        op = operator_name(*node, &attrs);
      } else {
        arguments.push_back(id);
        if (node->kind == NodeKind::constant) name = "_const" + std::to_string(constants++);
      }
      nodes += (id ? ", \n    " : "\n    ") + node_text(*node, op, name, attrs, bodies);
      ids_[node] = id;
      const StatesDef* def = node->op != nullptr ? states_of(*node->op) : nullptr;
      rows.push_back(rows.back() + (def == nullptr    ? node->num_outputs
                                    : def->mx_outputs ? def->mx_outputs
                                                      : count_visible(*node->op, node->attrs)));
    }
    std::string heads;
    for (const SymEntry& e : symbol.outputs) heads += (heads.empty() ? "" : ", ") + entry_text(e);
    return "\n  \"nodes\": [" + nodes + "\n  ], \n  \"arg_nodes\": " + numbers_text(arguments) +
           ", \n  \"node_row_ptr\": " + numbers_text(rows) + ", \n  \"heads\": [" + heads + "]";
  }

  // MXNet's name; in our own files also the core's, for what MXNet lacks.
  std::string operator_name(const SymNode& node, Attributes* attrs) const {
    if (is_device_copy(node.op) && !native_) {
      (*attrs)[kCopyAttribute] = node.attrs.string("ctx");
      return "_copy";
    }
    Attributes own;
    std::string op;
    try {
      op = to_mx(*node.op, node.attrs, equal_shapes(node), &own,
                 static_cast<int>(node.inputs.size()));
      if (native_ && !means_the_same(op, own, node)) return native_name(node, attrs);
    } catch (const Error& error) {
      if (native_ && find_op(node.op->name) == node.op) return native_name(node, attrs);
      const std::string line = line_of(node.site);
      fail("symbol.json: node '", node.name, "'", line.empty() ? "" : ", " + line, ": ",
           error.what());
    }
    attrs->insert(own.begin(), own.end());
    return op;
  }

  // Is the node read back as it is?
  static bool means_the_same(const std::string& op, const Attributes& attrs, const SymNode& node) {
    const MxName* row = find_mx_name(op);
    return row != nullptr && mx_to_core(*row, attrs) == node.attrs;
  }

  static std::string native_name(const SymNode& node, Attributes* attrs) {
    for (const AttrDef& a : node.op->attrs) {
      if (node.attrs.has(a.name)) (*attrs)[a.name] = node.attrs.text(a.name);
    }
    return kNativePrefix + std::string(node.op->name);
  }

  std::string entry_text(const SymEntry& e, int64_t version = 0) const {
    return "[" + std::to_string(ids_.at(e.node.get())) + ", " + std::to_string(e.out) + ", " +
           std::to_string(version) + "]";
  }

  std::string node_text(const SymNode& node, const std::string& op, const std::string& name,
                        const Attributes& attrs, const std::string& bodies) {
    std::string text =
        "{\n      \"op\": " + json_quoted(op) + ", \n      \"name\": " + json_quoted(name) + ", \n";
    if (!attrs.empty()) text += "      \"attrs\": " + object_text(attrs) + ", \n";
    text += "      \"inputs\": [";
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const bool state = node.op != nullptr && is_state(*node.op, node.attrs, i);
      // MXNet counts how often a state has been written.
      const int64_t version = state ? ++versions_[node.inputs[i].node.get()] : 0;
      text += (i ? ", " : "") + entry_text(node.inputs[i], version);
    }
    return text + "]" + (bodies.empty() ? "" : ", \n      \"subgraphs\": [" + bodies + "]") +
           "\n    }";
  }

  bool native_;
  std::unordered_map<const SymNode*, int64_t> ids_;
  std::unordered_map<const SymNode*, int64_t> versions_;  // of states
};

}  // namespace

std::string symbol_to_json(const Symbol& symbol) {
  require(!symbol.outputs.empty(), "symbol.json: the symbol has no outputs");
  return Writer(false).write(without_body_constants(symbol));
}

std::string symbol_to_native_json(const Symbol& symbol) {
  require(!symbol.outputs.empty(), "symbol.json: the symbol has no outputs");
  return Writer(true).write(without_body_constants(symbol));
}

std::vector<NamedArray> symbol_constants(const Symbol& symbol) {
  std::vector<NamedArray> result;
  const Symbol written = without_body_constants(symbol);
  for (const SymNode* node : written.nodes()) {
    if (node->kind != NodeKind::constant) continue;
    require(!node->values.empty(), "symbol: constant '", node->name, "' has no value");
    result.push_back({"_const" + std::to_string(result.size()), node->values[0]});
  }
  return result;
}

}  // namespace hybrid
