#include "passes/devices.h"

#include "core/devices.h"
#include "core/error.h"
#include "ops/copy_to_device.h"

namespace hybrid {

namespace {

// The group that the node was made in, or null.
const std::string* group_of(const Node& n) {
  const auto found = n.extra.find(kGroupAttribute);
  return found == n.extra.end() ? nullptr : &found->second;
}

class Assignment {
 public:
  Assignment(Graph* graph, const DeviceOptions& options)
      : graph_(*graph), options_(options), known_(graph->nodes.size(), false) {}

  void run() {
    require(options_.inputs.empty() || options_.inputs.size() == graph_.inputs.size(),
            "devices: given ", options_.inputs.size(), " for ", graph_.inputs.size(), " inputs");
    for (const auto& [group, ctx] : options_.groups) devices::check_exists(ctx);
    for (size_t i = 0; i < options_.inputs.size(); ++i) {
      set(static_cast<size_t>(graph_.position(graph_.inputs[i])), options_.inputs[i]);
    }
    for (size_t p = 0; p < graph_.nodes.size(); ++p) forward(p);
    find_readers();
    for (size_t p = graph_.nodes.size(); p-- > 0;) backward(p);
    for (size_t p = 0; p < graph_.nodes.size(); ++p) forward(p);
    for (size_t p = 0; p < graph_.nodes.size(); ++p) {
      if (!known_[p]) set(p, options_.home);
    }
  }

 private:
  size_t at(Entry e) const { return static_cast<size_t>(graph_.position(e.node)); }

  void set(size_t p, Context ctx) {
    graph_.nodes[p].ctx = ctx;
    known_[p] = true;
  }

  void forward(size_t p) {
    const Node& n = graph_.nodes[p];
    if (known_[p] || n.kind == NodeKind::constant) return;
    if (n.kind == NodeKind::op && is_device_copy(n.op)) return set(p, target_of_copy(n.attrs));
    const std::string* group = options_.groups.empty() ? nullptr : group_of(n);
    if (group != nullptr) {
      const auto found = options_.groups.find(*group);
      require(found != options_.groups.end(), "group2ctx has no device for the group '", *group,
              "' of '", n.name, "'; it has ", names_of_groups());
      return set(p, found->second);
    }
    for (const Entry& e : n.inputs) {
      if (known_[at(e)]) return set(p, graph_.nodes[at(e)].ctx);
    }
    const bool given = n.kind == NodeKind::op && n.inputs.empty();
    if (options_.recorded && (given || n.kind == NodeKind::input)) known_[p] = true;
  }

  void find_readers() {
    reader_.assign(graph_.nodes.size(), graph_.nodes.size());
    for (size_t p = graph_.nodes.size(); p-- > 0;) {
      const Node& n = graph_.nodes[p];
      if (n.kind == NodeKind::effect || is_device_copy(n.op)) continue;
      for (const Entry& e : n.inputs) reader_[at(e)] = p;
    }
  }

  void backward(size_t p) {
    const size_t reader = reader_[p];
    if (known_[p] || reader == graph_.nodes.size() || !known_[reader]) return;
    set(p, graph_.nodes[reader].ctx);
  }

  std::string names_of_groups() const {
    std::string text;
    for (const auto& [group, ctx] : options_.groups) {
      text += (text.empty() ? "'" : ", '") + group + "'";
    }
    return text;
  }

  Graph& graph_;
  const DeviceOptions& options_;
  std::vector<bool> known_;     // by position
  std::vector<size_t> reader_;  // by position: the first operator that reads it
};

}  // namespace

bool names_devices(const Graph& graph, const DeviceOptions& options) {
  if (!options.groups.empty()) return true;
  const Node* first = nullptr;
  for (const Node& n : graph.nodes) {
    if (n.kind == NodeKind::op && is_device_copy(n.op)) return true;
    if (!options.recorded || n.kind == NodeKind::constant || n.kind == NodeKind::effect) continue;
    if (first != nullptr && !same_worker(first->ctx, n.ctx)) return true;
    first = &n;
  }
  return false;
}

void assign_devices(Graph* graph, const DeviceOptions& options) {
  Assignment(graph, options).run();
}

}  // namespace hybrid
