// Symbol: building, naming, listing and composing persistent expression nodes.
#include "symbol/symbol.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "engine/trace.h"
#include "ops/custom.h"
#include "ops/states.h"
#include "symbol/symbol_attributes.h"
#include "symbol/symbol_states.h"
#include "symbol/variable.h"

namespace hybrid {

SymNode::~SymNode() {
  // Children whose last reference is ours are taken apart here, not by recursion.
  std::vector<SymNodeRef> dying;
  const auto take = [&dying](SymNode* node) {
    for (SymEntry& e : node->inputs) {
      if (e.node && e.node.use_count() == 1) dying.push_back(std::move(e.node));
    }
    node->inputs.clear();
  };
  take(this);
  while (!dying.empty()) {
    SymNodeRef node = std::move(dying.back());
    dying.pop_back();
    take(node.get());
  }
}

namespace {
std::atomic<int64_t> serials{1};
}

int64_t next_serial() { return serials.fetch_add(1, std::memory_order_relaxed); }
int64_t last_serial() { return serials.load(std::memory_order_relaxed) - 1; }

namespace {

using NameCounts = std::unordered_map<std::string, int64_t>;
thread_local NameCounts trace_counts;

std::string counted_name(const std::string& hint, NameCounts* counts) {
  std::string lower = hint;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower + std::to_string((*counts)[lower]++);
}

}  // namespace

std::string auto_name(const std::string& hint) {
  thread_local NameCounts counts;
  return counted_name(hint, &counts);
}

std::string trace_name(const std::string& hint) { return counted_name(hint, &trace_counts); }
void restart_trace_names() { trace_counts.clear(); }

std::map<std::string, std::string>& scope_attributes() {
  thread_local std::map<std::string, std::string> attributes;
  return attributes;
}

Symbol Symbol::variable(const std::string& name, std::map<std::string, std::string> extra) {
  auto node = std::make_shared<SymNode>();
  node->kind = NodeKind::input;
  node->name = name;
  node->site = trace::current_site();
  node->serial = next_serial();
  node->shapes = {declared_shape(name, extra)};
  node->dtypes = {declared_dtype(name, extra)};
  node->extra = std::move(extra);
  node->extra.insert(scope_attributes().begin(), scope_attributes().end());
  Symbol result;
  result.outputs.push_back({std::move(node), 0});
  return result;
}

namespace {

int visible_outputs(const SymNode& node) {
  return node.kind == NodeKind::op && node.op != nullptr && states_of(*node.op) != nullptr
             ? count_visible(*node.op, node.attrs)
             : node.num_outputs;
}

void require_single(const Symbol& input, const OpDef& op, size_t i) {
  require(input.outputs.size() <= 1, op.name, ": input ", i, " has ", input.outputs.size(),
          " outputs; a single one is expected: pick one with [i]");
  require(input.outputs.empty() || input.outputs[0].node->kind != NodeKind::effect, op.name,
          ": input ", i, " is an effect and has no value");
}

}  // namespace

Symbol Symbol::apply(const OpDef* op, Attrs attrs, const std::vector<Symbol>& inputs,
                     const std::string& name) {
  require(op != nullptr, "symbol: no operator given");
  attrs.check_complete();
  auto node = std::make_shared<SymNode>();
  node->op = op;
  node->name = name.empty() ? auto_name(op->name) : name;
  node->site = trace::current_site();
  node->extra = scope_attributes();
  const int takes = op->count_inputs(attrs);
  require(takes >= 0 || !inputs.empty(), op->name, ": takes at least one input, given none");
  const size_t expected = takes < 0 ? inputs.size() : static_cast<size_t>(takes);
  require(inputs.size() <= expected, op->name, " '", node->name, "': takes ", expected,
          " inputs, given ", inputs.size());
  size_t def = 0;
  for (size_t i = 0; i < expected; ++i, ++def) {
    if (takes >= 0) {
      while (op->inputs[def].is_absent(attrs)) ++def;
    }
    if (i < inputs.size()) require_single(inputs[i], *op, i);
    if (i < inputs.size() && !inputs[i].outputs.empty()) {
      node->inputs.push_back(inputs[i].outputs[0]);
      continue;
    }
    require(takes >= 0, op->name, " '", node->name, "': input ", i, " is missing");
    node->inputs.push_back(variable(node->name + "_" + op->inputs[def].name).outputs[0]);
  }
  node->num_outputs = op->count_outputs(attrs);
  node->shapes.assign(static_cast<size_t>(node->num_outputs), Shape::unknown());
  node->dtypes.assign(static_cast<size_t>(node->num_outputs), DType::unknown);
  const int visible = states_of(*op) != nullptr ? count_visible(*op, attrs) : node->num_outputs;
  node->attrs = std::move(attrs);
  node->serial = next_serial();
  Symbol result;
  for (int i = 0; i < visible; ++i) result.outputs.push_back({node, i});
  return result;
}

Symbol Symbol::operator[](size_t i) const {
  require(i < outputs.size(), "symbol: output ", i, " of ", outputs.size(), " does not exist");
  Symbol result;
  result.outputs.push_back(outputs[i]);
  return result;
}

Symbol Symbol::group(const std::vector<Symbol>& parts) {
  Symbol result;
  for (const Symbol& part : parts) {
    result.outputs.insert(result.outputs.end(), part.outputs.begin(), part.outputs.end());
  }
  return result;
}

std::vector<SymNode*> Symbol::nodes() const {
  std::vector<SymNode*> order;
  std::unordered_set<const SymNode*> seen;
  std::vector<std::pair<SymNode*, size_t>> stack;  // node, next input to visit
  for (const SymEntry& head : outputs) {
    if (!seen.insert(head.node.get()).second) continue;
    stack.emplace_back(head.node.get(), 0);
    while (!stack.empty()) {
      SymNode* node = stack.back().first;
      const size_t i = stack.back().second;
      if (i == node->inputs.size()) {
        order.push_back(node);
        stack.pop_back();
        continue;
      }
      ++stack.back().second;
      SymNode* input = node->inputs[i].node.get();
      if (seen.insert(input).second) stack.emplace_back(input, 0);
    }
  }
  return order;
}

Symbol Symbol::internals() const {
  // Owning references by node, so that every entry of the result keeps its node alive.
  std::unordered_map<const SymNode*, SymNodeRef> owner;
  for (const SymEntry& e : outputs) owner.emplace(e.node.get(), e.node);
  const std::vector<SymNode*> order = nodes();
  for (SymNode* node : order) {
    for (const SymEntry& e : node->inputs) owner.emplace(e.node.get(), e.node);
  }
  Symbol result;
  for (SymNode* node : order) {
    if (node->kind == NodeKind::effect) continue;
    for (int i = 0; i < visible_outputs(*node); ++i) {
      result.outputs.push_back({owner.at(node), i});
    }
  }
  return result;
}

namespace {

std::string output_suffix(const SymNode& node, int out) {
  const StatesDef* def = states_of(*node.op);
  const auto at = static_cast<size_t>(out);
  if (def != nullptr && at < def->output_names.size()) return def->output_names[at];
  return visible_outputs(node) == 1 && out == 0 ? "output" : "output" + std::to_string(out);
}

}  // namespace

std::string Symbol::name() const { return outputs.size() == 1 ? outputs[0].node->name : ""; }

namespace {

// Variables that operators take as states.
std::unordered_set<const SymNode*> states_among(const std::vector<SymNode*>& nodes) {
  std::unordered_set<const SymNode*> states;
  for (const SymNode* node : nodes) {
    if (node->kind != NodeKind::op || node->op == nullptr) continue;
    if (states_of(*node->op) == nullptr && !is_custom(*node->op)) continue;
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      if (node->inputs[i].node->kind == NodeKind::input && is_state(*node->op, node->attrs, i)) {
        states.insert(node->inputs[i].node.get());
      }
    }
  }
  return states;
}

}  // namespace

std::vector<std::string> list_inputs(const Symbol& symbol) {
  std::vector<std::string> result;
  for (const SymNode* node : symbol.nodes()) {
    if (node->kind == NodeKind::input) result.push_back(node->name);
  }
  return result;
}

std::vector<std::string> Symbol::list_arguments() const {
  const std::vector<SymNode*> order = nodes();
  const auto states = states_among(order);
  std::vector<std::string> result;
  for (const SymNode* node : order) {
    if (node->kind == NodeKind::input && states.count(node) == 0) result.push_back(node->name);
  }
  return result;
}

std::vector<std::string> list_auxiliary_states(const Symbol& symbol) {
  const std::vector<SymNode*> order = symbol.nodes();
  const auto states = states_among(order);
  std::vector<std::string> result;
  for (const SymNode* node : order) {
    if (states.count(node) != 0) result.push_back(node->name);
  }
  return result;
}

std::vector<std::string> Symbol::list_outputs() const {
  std::vector<std::string> result;
  for (const SymEntry& e : outputs) {
    const SymNode& node = *e.node;
    if (node.kind != NodeKind::op) {
      result.push_back(node.name);
    } else {
      result.push_back(node.name + "_" + output_suffix(node, e.out));
    }
  }
  return result;
}

Symbol Symbol::compose(const std::map<std::string, Symbol>& by_name) const {
  const std::vector<SymNode*> order = nodes();
  std::unordered_set<std::string> known;
  for (const SymNode* node : order) {
    if (node->kind == NodeKind::input) known.insert(node->name);
  }
  for (const auto& [name, symbol] : by_name) {
    require(known.count(name) == 1, "compose: no argument is called '", name, "'");
    require(symbol.outputs.size() == 1, "compose: '", name, "' is given a symbol of ",
            symbol.outputs.size(), " outputs; a single one is expected");
  }
  // Only nodes above a replaced variable are copied, oldest first so that serials keep their order.
  std::unordered_map<const SymNode*, SymEntry> variable_to;
  std::unordered_map<const SymNode*, SymNodeRef> copy_of;
  std::vector<SymNode*> by_age = order;
  std::stable_sort(by_age.begin(), by_age.end(),
                   [](const SymNode* a, const SymNode* b) { return a->serial < b->serial; });
  const auto moved = [&](const SymEntry& e) -> SymEntry {
    const auto variable = variable_to.find(e.node.get());
    if (variable != variable_to.end()) return variable->second;
    const auto copy = copy_of.find(e.node.get());
    return copy != copy_of.end() ? SymEntry{copy->second, e.out} : e;
  };
  for (SymNode* node : by_age) {
    if (node->kind == NodeKind::input) {
      const auto given = by_name.find(node->name);
      if (given != by_name.end()) variable_to.emplace(node, given->second.outputs[0]);
      continue;
    }
    const bool touched =
        std::any_of(node->inputs.begin(), node->inputs.end(), [&](const SymEntry& e) {
          return variable_to.count(e.node.get()) || copy_of.count(e.node.get());
        });
    if (!touched) continue;
    auto copy = std::make_shared<SymNode>(*node);
    for (SymEntry& e : copy->inputs) e = moved(e);
    copy->values.clear();
    copy->versions.clear();
    copy->shapes.assign(static_cast<size_t>(copy->num_outputs), Shape::unknown());
    copy->dtypes.assign(static_cast<size_t>(copy->num_outputs), DType::unknown);
    copy->serial = next_serial();
    copy_of.emplace(node, std::move(copy));
  }
  Symbol result;
  for (const SymEntry& e : outputs) result.outputs.push_back(moved(e));
  return result;
}

void require_unique_arguments(const Symbol& symbol) {
  std::unordered_set<std::string> seen;
  for (const std::string& name : list_inputs(symbol)) {
    require(seen.insert(name).second, "symbol: two different arguments are called '", name,
            "'; every argument needs a name of its own (use name=...)");
  }
}

}  // namespace hybrid
