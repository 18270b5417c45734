// Readable, Python-like program text of a graph.
#include "graph/text.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

#include "core/device_name.h"
#include "engine/trace.h"
#include "graph/constant.h"
#include "graph/devices.h"
#include "graph/expression.h"
#include "graph/kernel_kind.h"

namespace hybrid {

namespace {

std::string printable(const std::string& name) {
  std::string result = name;
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return result;
}

std::string type_of(const Shape& shape, DType dtype) {
  return std::string(dtype == DType::unknown ? "?" : dtype_name(dtype)) + " " + shape.str();
}

// "1", "[1, 2, 3]" for short vectors, "constant(float32 (3, 4))" otherwise.
std::string constant_text(const Node& n) {
  if (!n.text.empty()) return printable(n.text);
  const Shape& shape = n.value.shape;
  if (shape.size() == 1) {
    const std::string one = literal_text(n.value);
    if (!one.empty()) {
      const int rank = shape.ndim();
      return std::string(static_cast<size_t>(rank), '[') + one +
             std::string(static_cast<size_t>(rank), ']');
    }
  }
  if (shape.ndim() == 1 && shape[0] > 0 && shape[0] <= 8) {
    std::string text = "[";
    for (int64_t i = 0; i < shape[0]; ++i) {
      NDArray one = n.value;
      one.offset += i * n.value.strides[0];
      one.shape = Shape{};
      one.strides = Shape{};
      const std::string item = literal_text(one);
      if (item.empty()) return "constant(" + type_of(shape, n.value.dtype) + ")";
      text += (i ? ", " : "") + item;
    }
    return text + "]";
  }
  return "constant(" + type_of(shape, n.value.dtype) + ")";
}

class Writer {
 public:
  explicit Writer(const Graph& graph)
      : graph_(graph), several_devices_(devices_of(graph).size() > 1) {
    name_everything();
  }

  struct Line {
    std::string code, comment;
    NodeId node = -1;  // that it computes
  };
  std::string write(const TextOptions& options, std::vector<NodeId>* nodes);
  std::vector<Line> lines(const TextOptions& options);
  std::vector<std::vector<std::string>> names() const;
  Expression expression(const Node& n, int depth);
  std::string name_of(Entry e) { return argument(e, 0).text; }  // a constant's is its literal
  Expression readable(const Node& n, int depth);
  Expression readable(Entry e, int depth);

 private:
  struct Value {
    std::string name;
    const Node* node = nullptr;
  };

  const std::string& own_name(const Entry& e) const;
  void name_everything();
  std::string unique(const std::string& wish, NodeId id);
  void name_outputs(const Node& n, size_t num_outputs);
  const std::string& name(Entry e) const { return names_.at(e).name; }
  Expression argument(Entry e, int depth);
  DType dtype_of(Entry e) const;
  std::vector<Expression> arguments(const Node& n, int depth);
  std::string statement(const Node& n, bool deep);
  void write_bodies(const Node& n, const TextOptions& options, std::vector<Line>* lines) const;
  std::string effect(const Node& n, bool deep);
  std::string comment(const Node& n, const TextOptions& options) const;
  void find_inlined();

  struct EntryHash {
    size_t operator()(const Entry& e) const {
      return static_cast<size_t>(e.node) * 31 + static_cast<size_t>(e.out);
    }
  };
  const Graph& graph_;
  const bool several_devices_;  // then every line says where it runs
  std::unordered_map<Entry, Value, EntryHash> names_;
  std::unordered_map<Entry, std::string, EntryHash> wishes_;  // names of the graph's outputs
  std::unordered_set<std::string> taken_;
  std::unordered_set<NodeId> inlined_;
};

bool is_identifier(const std::string& s) {
  if (s.empty() || (s[0] >= '0' && s[0] <= '9')) return false;
  return std::all_of(s.begin(), s.end(), [](unsigned char c) {
    return c == '_' || c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
  });
}

std::string Writer::unique(const std::string& wish, NodeId id) {
  std::string name = wish.empty() ? "v" + std::to_string(id) : printable(wish);
  for (int i = 0; !taken_.insert(name).second; ++i) {
    name = (wish.empty() ? "v" : printable(wish)) + "_" + std::to_string(id) +
           (i ? "_" + std::to_string(i) : "");
  }
  return name;
}

}  // namespace

std::string name_in_block(const Node& node) {
  const std::string block = node.scope.substr(node.scope.rfind('/') + 1);  // npos + 1 is 0
  const size_t grad = std::min(node.name.find("_backward"), node.name.find("_head_grad"));
  const std::string of = node.name.substr(0, grad);
  const bool counted = !of.empty() && std::isdigit(static_cast<unsigned char>(of.back()));
  const bool whole = node.name.compare(0, block.size(), block) == 0;
  if (block.empty() || block == "backward" || node.name.empty() || whole || counted) {
    return node.name;
  }
  return block + "_" + node.name;
}

namespace {

void Writer::name_outputs(const Node& n, size_t num_outputs) {
  for (size_t i = 0; i < num_outputs; ++i) {
    const Entry e{n.id, static_cast<int32_t>(i)};
    const auto wish = wishes_.find(e);
    std::string base = name_in_block(n);
    if (num_outputs > 1)
      base = (base.empty() ? "v" + std::to_string(n.id) : base) + "_" + std::to_string(i);
    const bool use_wish = wish != wishes_.end() && n.kind != NodeKind::input;
    names_[e] = {unique(use_wish ? wish->second : base, n.id), &n};
  }
}

// The name of the node that computes it: of a fused node's output, the member's.
const std::string& Writer::own_name(const Entry& e) const {
  const Node& n = graph_.node(e.node);
  if (n.kind != NodeKind::fused) return n.name;
  const NodeId made = n.member_outputs.at(static_cast<size_t>(e.out)).node;
  const auto found = std::find_if(n.members.begin(), n.members.end(),
                                  [&](const Node& member) { return member.id == made; });
  return found == n.members.end() ? n.name : found->name;
}

void Writer::name_everything() {
  for (size_t i = 0; i < graph_.outputs.size() && i < graph_.output_names.size(); ++i) {
    // "<node>_output" is a Symbol's default: the node's own name reads better.
    const std::string& given = graph_.output_names[i];
    const std::string& own = own_name(graph_.outputs[i]);
    const std::string prefix = own + "_output";
    if (is_identifier(given) && (own.empty() || given.compare(0, prefix.size(), prefix) != 0)) {
      wishes_.emplace(graph_.outputs[i], given);
    }
  }
  // A fused node's outputs carry their members' names.
  for (const Node& n : graph_.nodes) {
    if (n.kind != NodeKind::fused) {
      name_outputs(n, n.shapes.size());
      continue;
    }
    for (size_t k = 0; k < n.member_outputs.size(); ++k) {
      const auto wish = wishes_.find(Entry{n.id, static_cast<int32_t>(k)});
      if (wish != wishes_.end()) wishes_.emplace(n.member_outputs[k], wish->second);
    }
    for (const Node& m : n.members) name_outputs(m, 1);
    for (size_t k = 0; k < n.member_outputs.size(); ++k) {
      names_[Entry{n.id, static_cast<int32_t>(k)}] = {name(n.member_outputs[k]), &n};
    }
  }
}

std::vector<std::vector<std::string>> Writer::names() const {
  std::vector<std::vector<std::string>> result(graph_.nodes.size());
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& n = graph_.nodes[i];
    for (int32_t k = 0; k < n.num_outputs(); ++k) result[i].push_back(name({n.id, k}));
  }
  return result;
}

// Scalar operators with one reader stand inside that reader's line.
void Writer::find_inlined() {
  std::unordered_map<NodeId, int> uses;
  for (const Node& n : graph_.nodes) {
    // What a fused node reads stays a line of its own, beside the group.
    for (const Entry& e : n.inputs) uses[e.node] += n.kind == NodeKind::fused ? 2 : 1;
  }
  for (const Entry& e : graph_.outputs) uses[e.node] += 2;
  for (const Node& n : graph_.nodes) {
    if (n.kind == NodeKind::op && n.num_outputs() == 1 && n.shapes[0] == Shape{} &&
        uses[n.id] == 1 && !n.op->random) {
      inlined_.insert(n.id);
    }
  }
}

Expression Writer::argument(Entry e, int depth) {
  const Node& n = *names_.at(e).node;
  if (n.kind == NodeKind::constant) {
    const std::string text = constant_text(n);
    return {text, text[0] == '-'};
  }
  const bool write_out = n.kind == NodeKind::op && n.num_outputs() == 1 &&
                         (depth > 0 || (depth < 0 && inlined_.count(n.id)));
  if (write_out) return expression(n, depth > 0 ? depth - 1 : depth);
  return {name(e), false};
}

std::vector<Expression> Writer::arguments(const Node& n, int depth) {
  std::vector<Expression> args;
  for (const Entry& e : n.inputs) args.push_back(argument(e, depth));
  return args;
}

DType Writer::dtype_of(Entry e) const {
  const Node& from = *names_.at(e).node;
  const bool known = static_cast<size_t>(e.out) < from.dtypes.size();
  return known ? from.dtypes[static_cast<size_t>(e.out)] : DType::unknown;
}

// depth > 0: write inputs out that far; 0: names only; < 0: write out what find_inlined() chose.
Expression Writer::expression(const Node& n, int depth) {
  std::vector<DType> dtypes;
  for (const Entry& e : n.inputs) dtypes.push_back(dtype_of(e));
  return op_expression(n, dtypes, arguments(n, depth));
}

// Is the name only the operator, counted? No card shows it.
bool is_counted(const std::string& name, const Node& n) {
  if (n.op == nullptr) return false;
  const std::string op = n.op->name;
  const size_t begin = std::min(name.find_first_not_of('_'), name.size());
  const bool same = name.size() >= begin + op.size() &&
                    std::equal(op.begin(), op.end(), name.begin() + static_cast<long>(begin),
                               [](unsigned char a, unsigned char b) {
                                 return std::tolower(a) == std::tolower(b);
                               });
  return same && name.find_first_not_of("_0123456789", begin + op.size()) == std::string::npos;
}

// For people: values without a name of their own are written out, so far; then they are dots.
Expression Writer::readable(Entry e, int depth) {
  const Value& value = names_.at(e);
  const Node& n = *value.node;
  const bool written = n.kind == NodeKind::op && n.num_outputs() == 1 && is_counted(value.name, n);
  if (!written) return argument(e, 0);
  return depth > 0 ? readable(n, depth - 1) : Expression{"\xc2\xb7", false};
}

Expression Writer::readable(const Node& n, int depth) {
  std::vector<DType> dtypes;
  std::vector<Expression> args;
  for (const Entry& e : n.inputs) {
    dtypes.push_back(dtype_of(e));
    args.push_back(readable(e, depth));
  }
  return op_expression(n, dtypes, args);
}

std::string Writer::statement(const Node& n, bool deep) {
  std::string left;
  for (int32_t k = 0; k < n.num_outputs(); ++k) left += (k ? ", " : "") + name({n.id, k});
  return left + " = " + expression(n, deep ? -1 : 0).text;
}

// The graphs that an operator runs, indented below its line.
void Writer::write_bodies(const Node& n, const TextOptions& options,
                          std::vector<Line>* lines) const {
  if (n.op == nullptr || n.attrs.op() == nullptr) return;
  for (const AttrDef& def : n.attrs.op()->attrs) {
    if (def.type != AttrType::graph) continue;
    const Graph& body = n.attrs.subgraph(def.name).graph();
    Writer inner(body);
    std::string head = "  " + std::string(def.name) + "(";
    for (size_t i = 0; i < body.inputs.size(); ++i) {
      head += (i ? ", " : "") + inner.name_of({body.inputs[i], 0});
    }
    lines->push_back({head + "):", "", n.id});
    for (Line& line : inner.lines(options)) {
      if (line.code.compare(0, 8, "# input ") == 0) continue;
      lines->push_back({"    " + line.code, line.comment, n.id});
    }
    std::string result = "    return ";
    for (size_t i = 0; i < body.outputs.size(); ++i) {
      result += (i ? ", " : "") + inner.name_of(body.outputs[i]);
    }
    lines->push_back({result, "", n.id});
  }
}

std::string Writer::effect(const Node& n, bool deep) {
  const std::vector<Expression> args = arguments(n, deep ? -1 : 0);
  const std::string form = printable(n.text.empty() ? n.name : n.text);
  if (form.find('{') == std::string::npos) {
    std::string text = form + "(";
    for (size_t i = 0; i < args.size(); ++i) text += (i ? ", " : "") + args[i].text;
    return text + ")";
  }
  std::string text;
  for (size_t i = 0; i < form.size(); ++i) {
    size_t end = i + 1;
    while (end < form.size() && end < i + 5 && form[end] >= '0' && form[end] <= '9') ++end;
    if (form[i] == '{' && end > i + 1 && end < form.size() && form[end] == '}') {
      const size_t k = std::stoul(form.substr(i + 1, end - i - 1));
      if (k < args.size()) {
        text += args[k].text;
        i = end;
        continue;
      }
    }
    text += form[i];
  }
  return text;
}

std::string Writer::comment(const Node& n, const TextOptions& options) const {
  std::string text = options.lines ? line_of(n.site) : "";
  if (!text.empty() && is_backward(n)) text = "backward of " + text;
  if (options.types) {
    for (int32_t k = 0; k < n.num_outputs(); ++k) {
      text += (k ? ", " : text.empty() ? "" : ": ") + type_of(n.shapes[k], n.dtypes[k]);
    }
  }
  if (several_devices_ && n.kind != NodeKind::effect) {
    text += (text.empty() ? "" : ", ") + worker_of(n.ctx).str();
  }
  return text;
}

std::vector<Writer::Line> Writer::lines(const TextOptions& options) {
  if (options.inline_scalars) find_inlined();
  std::vector<Line> lines;
  if (options.types) {
    for (NodeId id : graph_.inputs) {
      const Node& n = graph_.node(id);
      lines.push_back(
          {"# input " + name({id, 0}) + ": " + type_of(n.shapes[0], n.dtypes[0]), "", id});
    }
  }
  for (const Node& n : graph_.nodes) {
    switch (n.kind) {
      case NodeKind::input:
      case NodeKind::constant:
        break;  // inputs have no line, constants stand where they are used
      case NodeKind::op:
        if (!inlined_.count(n.id)) lines.push_back({statement(n, true), comment(n, options), n.id});
        write_bodies(n, options, &lines);
        break;
      case NodeKind::fused:
        lines.push_back({traits_of(n.kernel).heading, "", n.id});
        for (const Node& m : n.members) {
          lines.push_back({"  " + statement(m, false), comment(m, options), m.id});
        }
        break;
      case NodeKind::effect:
        lines.push_back({effect(n, true), comment(n, options), n.id});
        break;
    }
  }
  // Outputs that no line above names: an input or a constant handed back.
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    const Entry e = graph_.outputs[i];
    const Node& n = graph_.node(e.node);
    if (n.kind != NodeKind::input && n.kind != NodeKind::constant) continue;
    const std::string value = n.kind == NodeKind::input ? name(e) : constant_text(n);
    const std::string to = i < graph_.output_names.size() ? printable(graph_.output_names[i]) : "";
    if (to != value && !to.empty())
      lines.push_back({to + " = " + value, comment(n, options), n.id});
  }
  return lines;
}

std::string Writer::write(const TextOptions& options, std::vector<NodeId>* nodes) {
  const std::vector<Line> lines = this->lines(options);
  size_t column = static_cast<size_t>(std::max(options.column, 0));
  for (const Line& line : lines) {
    if (!line.comment.empty() && line.code.size() <= 58)
      column = std::max(column, line.code.size() + 2);
  }
  std::string text;
  for (const Line& line : lines) {
    text += line.code;
    if (!line.comment.empty()) {
      text += std::string(line.code.size() < column ? column - line.code.size() : 2, ' ');
      text += "# " + line.comment;
    }
    text += '\n';
    if (nodes) nodes->push_back(line.node);
  }
  return text;
}

}  // namespace

std::string program_text(const Graph& graph, const TextOptions& options,
                         std::vector<NodeId>* nodes) {
  return Writer(graph).write(options, nodes);
}

std::vector<std::vector<std::string>> value_names(const Graph& graph) {
  return Writer(graph).names();
}

constexpr size_t kShort = 48;  // longer ones are written out less far

struct Expressions::Impl {
  Writer writer;
};

Expressions::Expressions(const Graph& graph) : graph_(graph) {}
Expressions::~Expressions() = default;

std::string Expressions::name(Entry e) {
  if (!impl_) impl_.reset(new Impl{Writer(graph_)});
  for (int depth = 3; depth > 1; --depth) {
    const std::string text = impl_->writer.readable(e, depth).text;
    if (text.size() <= kShort) return text;
  }
  return impl_->writer.readable(e, 1).text;
}

std::string Expressions::label(const Node& node) {
  if (node.kind == NodeKind::effect) return node.text.empty() ? node.name : node.text;
  std::string text;
  for (int32_t k = 0; k < node.num_outputs(); ++k) text += (k ? ", " : "") + name({node.id, k});
  return text;
}

std::string Expressions::shallow(const Node& node) {
  if (!impl_) impl_.reset(new Impl{Writer(graph_)});
  for (int depth = 2; depth > 0; --depth) {
    const std::string text = impl_->writer.readable(node, depth).text;
    if (text.size() <= kShort) return text;
  }
  return impl_->writer.readable(node, 0).text;
}

std::string Expressions::deep(const Node& node, int depth) {
  if (!impl_) impl_.reset(new Impl{Writer(graph_)});
  return impl_->writer.expression(node, depth).text;
}

}  // namespace hybrid
