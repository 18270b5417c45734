// Between the two graph forms: persistent expression nodes (Symbol) and a pass's Graph.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "symbol/symbol.h"

namespace hybrid {

namespace {

using SymKey = std::pair<const SymNode*, int>;  // one entry
struct SymKeyHash {
  size_t operator()(const SymKey& k) const {
    return std::hash<const void*>()(k.first) * 31 + static_cast<size_t>(k.second);
  }
};
using EntryMap = std::unordered_map<SymKey, Entry, SymKeyHash>;
using StopMap = std::unordered_map<SymKey, size_t, SymKeyHash>;

// Depth-first order of the nodes that are needed, not looking below the cut.
std::vector<const SymNode*> needed_nodes(const Symbol& symbol, const StopMap& stop) {
  std::vector<const SymNode*> order;
  std::unordered_set<const SymNode*> seen;
  std::vector<std::pair<const SymNode*, size_t>> stack;
  const auto visit = [&](const SymEntry& e) {
    if (!stop.empty() && stop.count({e.node.get(), e.out})) return;
    if (seen.insert(e.node.get()).second) stack.emplace_back(e.node.get(), 0);
  };
  for (const SymEntry& head : symbol.outputs) {
    visit(head);
    while (!stack.empty()) {
      const SymNode* node = stack.back().first;
      const size_t i = stack.back().second;
      if (i == node->inputs.size()) {
        order.push_back(node);
        stack.pop_back();
      } else {
        ++stack.back().second;
        visit(node->inputs[i]);
      }
    }
  }
  return order;
}

Node common_part(const SymNode& from) {
  Node n;
  n.kind = from.kind;
  n.name = from.name;
  n.site = from.site;
  n.scope = from.scope;
  n.text = from.text;
  n.extra = from.extra;
  n.segment = from.segment;
  n.ctx = from.ctx;
  return n;
}

void set_types(Node* n, const SymNode& from, size_t outputs) {
  n->shapes = from.shapes;
  n->dtypes = from.dtypes;
  n->shapes.resize(outputs, Shape::unknown());
  n->dtypes.resize(outputs, DType::unknown);
}

class Builder {
 public:
  Builder(const std::vector<SymEntry>& stop, GraphSources* sources)
      : stop_(stop), sources_(sources) {
    for (size_t i = 0; i < stop.size(); ++i)
      stop_at_.emplace(SymKey{stop[i].node.get(), stop[i].out}, i);
    stop_ids_.assign(stop.size(), -1);
  }

  Graph build(const Symbol& symbol) {
    const std::vector<const SymNode*> needed = needed_nodes(symbol, stop_at_);
    // Cut points and nodes together in the order of the code that made them.
    struct Item {
      const SymNode* node;
      size_t stop;
    };
    constexpr size_t kNoStop = ~size_t{0};
    std::vector<Item> items;
    for (size_t i = 0; i < stop_.size(); ++i) items.push_back({stop_[i].node.get(), i});
    for (const SymNode* node : needed) items.push_back({node, kNoStop});
    std::stable_sort(items.begin(), items.end(),
                     [](const Item& a, const Item& b) { return a.node->serial < b.node->serial; });
    for (const Item& item : items) {
      if (item.stop != kNoStop) {
        add_stop(item.stop);
      } else {
        add_node(*item.node);
      }
    }
    link_gradients(needed);
    graph_.inputs = stop_ids_;
    for (const SymNode* node : needed) {
      if (node->kind == NodeKind::input) graph_.inputs.push_back(entries_.at({node, 0}).node);
    }
    const std::vector<std::string> names = symbol.list_outputs();
    for (size_t i = 0; i < symbol.outputs.size(); ++i) {
      if (symbol.outputs[i].node->kind == NodeKind::effect) continue;
      graph_.outputs.push_back(entry(symbol.outputs[i]));
      graph_.output_names.push_back(names[i]);
    }
    return std::move(graph_);
  }

 private:
  Entry entry(const SymEntry& e) const {
    const auto cut = stop_at_.find({e.node.get(), e.out});
    if (cut != stop_at_.end()) return {stop_ids_[cut->second], 0};
    const auto found = entries_.find({e.node.get(), 0});
    require(found != entries_.end(), "symbol: node '", e.node->name, "' is older than its inputs");
    require(e.out >= 0 && e.out < std::max(e.node->num_outputs, 1), "symbol: node '", e.node->name,
            "' has ", e.node->num_outputs, " outputs, output ", e.out, " was asked for");
    return {found->second.node, e.out};
  }

  // To the nodes that they belong to, where those are in the graph.
  void link_gradients(const std::vector<const SymNode*>& needed) {
    std::unordered_map<int64_t, NodeId> by_serial;
    for (const SymNode* node : needed) {
      if (node->forward == 0) continue;
      if (by_serial.empty()) {
        for (const SymNode* n : needed) by_serial.emplace(n->serial, entries_.at({n, 0}).node);
      }
      const auto found = by_serial.find(node->forward);
      if (found != by_serial.end())
        graph_.node(entries_.at({node, 0}).node).forward = found->second;
    }
  }

  void add(Node n, const SymNode& from, int stop_out = -1) {
    const NodeId id = graph_.add(std::move(n)).id;
    if (sources_ != nullptr) {
      sources_->nodes.resize(static_cast<size_t>(id) + 1, nullptr);
      sources_->nodes[static_cast<size_t>(id)] = &from;
      sources_->stop_outs.resize(static_cast<size_t>(id) + 1, -1);
      sources_->stop_outs[static_cast<size_t>(id)] = stop_out;
    }
  }

  void add_stop(size_t i) {
    const SymNode& from = *stop_[i].node;
    Node n = common_part(from);
    n.kind = NodeKind::input;
    n.text.clear();
    if (from.kind != NodeKind::input) n.name = "in" + std::to_string(i);
    const size_t out = static_cast<size_t>(stop_[i].out);
    n.shapes = {out < from.shapes.size() ? from.shapes[out] : Shape::unknown()};
    n.dtypes = {out < from.dtypes.size() ? from.dtypes[out] : DType::unknown};
    stop_ids_[i] = graph_.next_id;
    add(std::move(n), from, stop_[i].out);
  }

  void add_node(const SymNode& from) {
    Node n = common_part(from);
    n.op = from.op;
    n.attrs = from.attrs;
    for (const SymEntry& e : from.inputs) n.inputs.push_back(entry(e));
    switch (from.kind) {
      case NodeKind::constant:
        require(from.values.size() == 1 && from.values[0].defined(), "symbol: constant '",
                from.name, "' has no value");
        n.value = from.values[0];
        n.shapes = {n.value.shape};
        n.dtypes = {n.value.dtype};
        break;
      case NodeKind::effect:
        break;
      case NodeKind::input:
        set_types(&n, from, 1);
        break;
      default:
        require(from.op != nullptr, "symbol: node '", from.name, "' has no operator");
        set_types(&n, from, static_cast<size_t>(from.num_outputs));
        if (from.op->random) {
          const auto [slot, fresh] = slots_.emplace(from.draw_of ? from.draw_of.get() : &from, -1);
          if (fresh || from.draw_of == nullptr) {
            slot->second = graph_.num_keys++;
            if (sources_ != nullptr) sources_->keys.push_back(from.key);
          }
          n.key_slot = slot->second;
        }
    }
    entries_[{&from, 0}] = {graph_.next_id, 0};
    add(std::move(n), from);
  }

  const std::vector<SymEntry>& stop_;
  GraphSources* sources_;
  StopMap stop_at_;
  std::vector<NodeId> stop_ids_;
  std::map<const SymNode*, int32_t> slots_;  // keys of random nodes
  EntryMap entries_;                         // node's first output; others have the same id
  Graph graph_;
};

}  // namespace

Graph to_graph(const Symbol& symbol) { return to_graph(symbol, {}, nullptr); }

Graph to_graph(const Symbol& symbol, const std::vector<SymEntry>& stop, GraphSources* sources) {
  if (sources != nullptr) *sources = GraphSources();
  return Builder(stop, sources).build(symbol);
}

Symbol from_graph(const Graph& graph) {
  std::map<Entry, SymEntry> made;
  std::map<int32_t, SymNodeRef> drawn;  // by key slot
  const auto add = [&](const Node& n) {
    auto node = std::make_shared<SymNode>();
    node->kind = n.kind;
    node->op = n.op;
    node->attrs = n.attrs;
    node->name = n.name;
    for (const Entry& e : n.inputs) node->inputs.push_back(made.at(e));
    node->site = n.site;
    node->scope = n.scope;
    node->text = n.text;
    node->extra = n.extra;
    node->segment = n.segment;
    node->num_outputs = n.num_outputs();
    node->shapes = n.shapes;
    node->dtypes = n.dtypes;
    node->ctx = n.ctx;
    if (n.kind == NodeKind::constant) node->values = {n.value};
    node->serial = next_serial();
    const auto forward = made.find({n.forward, 0});
    if (forward != made.end()) node->forward = forward->second.node->serial;
    if (n.key_slot >= 0) {
      const auto [first, fresh] = drawn.emplace(n.key_slot, node);
      if (!fresh) node->draw_of = first->second;
    }
    for (int i = 0; i < node->num_outputs; ++i) made[{n.id, i}] = {node, i};
  };
  for (const Node& n : graph.nodes) {
    if (n.kind == NodeKind::effect) continue;
    if (n.kind != NodeKind::fused) {
      add(n);
      continue;
    }
    for (const Node& m : n.members) add(m);
    for (size_t k = 0; k < n.member_outputs.size(); ++k) {
      made[{n.id, static_cast<int32_t>(k)}] = made.at(n.member_outputs[k]);
    }
  }
  Symbol result;
  for (const Entry& e : graph.outputs) result.outputs.push_back(made.at(e));
  return result;
}

}  // namespace hybrid
