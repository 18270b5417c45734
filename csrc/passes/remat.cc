#include "passes/remat.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "graph/text.h"

namespace hybrid {
namespace {

bool computed(const Node& n) { return n.kind == NodeKind::op || n.kind == NodeKind::fused; }

int64_t bytes_of(const Graph& graph, const Node& n) {
  int64_t sum = 0;
  for (int32_t o = 0; o < n.num_outputs(); ++o) sum += graph.bytes({n.id, o});
  return sum;
}

// By position: is an output of the node read at or after `late`?
std::vector<bool> read_late(const Graph& graph, size_t late) {
  std::vector<bool> result(graph.nodes.size(), false);
  for (size_t p = late; p < graph.nodes.size(); ++p) {
    for (const Entry& e : graph.nodes[p].inputs) {
      const auto from = static_cast<size_t>(graph.position(e.node));
      if (from < late && computed(graph.nodes[from])) result[from] = true;
    }
  }
  return result;
}

class Rematerialization {
 public:
  Rematerialization(const Graph& graph, size_t late, int segments, PassContext& context)
      : graph_(graph), late_(late), segments_(segments), context_(context), text_(graph) {}

  Graph run() {
    read_late_ = read_late(graph_, late_);
    cut();
    find_kept();
    find_clones();
    if (clones_before_.empty()) return graph_;
    Graph after = graph_;
    after.nodes.clear();
    after.reindex();
    for (size_t p = 0; p < graph_.nodes.size(); ++p) {
      const auto here = clones_before_.find(p);
      if (here != clones_before_.end()) {
        for (size_t original : here->second) add_clone(&after, original);
      }
      Node n = graph_.nodes[p];
      if (p >= late_) redirect(&n, -1);
      after.add(std::move(n));
    }
    after.reindex();
    return after;
  }

 private:
  // By cumulated bytes of what is read late; a part begins after such a value.
  void cut() {
    std::vector<int64_t> bytes(late_, 0);
    int64_t total = 0;
    for (size_t p = 0; p < late_; ++p) {
      if (read_late_[p]) bytes[p] = bytes_of(graph_, graph_.nodes[p]);
      total += bytes[p];
    }
    segment_.assign(graph_.nodes.size(), -1);
    int64_t before = 0;
    for (size_t p = 0; p < late_; ++p) {
      if (computed(graph_.nodes[p])) {
        const double share = total > 0 ? static_cast<double>(before) / total : 0.0;
        segment_[p] = std::min(static_cast<int>(share * segments_), segments_ - 1);
      }
      before += bytes[p];
    }
  }

  void find_kept() {
    kept_.assign(graph_.nodes.size(), false);
    for (size_t p = 0; p < late_; ++p) {
      const Node& n = graph_.nodes[p];
      kept_[p] = kept_[p] || (n.kind == NodeKind::op && n.op->meets);  // devices meet there once
      for (const Entry& e : n.inputs) {
        const auto from = static_cast<size_t>(graph_.position(e.node));
        if (segment_[from] != segment_[p]) kept_[from] = true;
      }
    }
    for (const Entry& e : graph_.outputs) {
      kept_[static_cast<size_t>(graph_.position(e.node))] = true;
    }
  }

  bool again(size_t p) const {
    return p < late_ && segment_[p] >= 0 && segment_[p] + 1 < segments_ && !kept_[p];
  }

  // What is computed again stands before the first that reads any of its segment.
  void find_clones() {
    std::vector<size_t> reader(segments_, graph_.nodes.size());
    std::vector<bool> wanted(graph_.nodes.size(), false);
    for (size_t p = late_; p < graph_.nodes.size(); ++p) {
      for (const Entry& e : graph_.nodes[p].inputs) {
        const auto from = static_cast<size_t>(graph_.position(e.node));
        if (!again(from)) continue;
        wanted[from] = true;
        reader[segment_[from]] = std::min(reader[segment_[from]], p);
      }
    }
    for (size_t p = late_; p-- > 0;) {
      if (!wanted[p]) continue;
      for (const Entry& e : graph_.nodes[p].inputs) {
        const auto from = static_cast<size_t>(graph_.position(e.node));
        if (again(from)) wanted[from] = true;
      }
    }
    for (size_t p = 0; p < late_; ++p) {
      if (wanted[p]) clones_before_[reader[segment_[p]]].push_back(p);
    }
  }

  // Reads of what is computed again, in `segment` (-1: any), go to the clones.
  void redirect(Node* n, int segment) const {
    for (Entry& e : n->inputs) {
      const auto from = static_cast<size_t>(graph_.position(e.node));
      const auto clone = clone_of_.find(from);
      if (clone != clone_of_.end() && (segment < 0 || segment_[from] == segment)) {
        e.node = clone->second;
      }
    }
  }

  void add_clone(Graph* after, size_t original) {
    Node n = graph_.nodes[original];
    const NodeId id = n.id;
    n.id = -1;
    n.origins = {id};
    if (!n.name.empty()) n.name += "_again";
    n.scope = n.scope.empty() ? "backward" : "backward/" + n.scope;
    redirect(&n, segment_[original]);
    const NodeId made = after->add(std::move(n)).id;
    clone_of_[original] = made;
    context_.begin("a value kept for the gradient -> computed again");
    context_.note(Change::added, made, made,
                  "computes " + text_.label(graph_.nodes[original]) +
                      " again for the gradient, instead of keeping " +
                      std::to_string(bytes_of(graph_, graph_.nodes[original])) + " bytes");
  }

  const Graph& graph_;
  const size_t late_;
  const int segments_;
  PassContext& context_;
  Expressions text_;
  std::vector<bool> read_late_, kept_;
  std::vector<int> segment_;
  std::map<size_t, std::vector<size_t>> clones_before_;  // position of a reader -> originals
  std::map<size_t, NodeId> clone_of_;
};

}  // namespace

int count_kept(const Graph& graph, size_t late) {
  const std::vector<bool> read = read_late(graph, late);
  return static_cast<int>(std::count(read.begin(), read.end(), true));
}

size_t first_gradient(const Graph& graph) {
  const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(), is_backward);
  return static_cast<size_t>(found - graph.nodes.begin());
}

int sqrt_segments(int kept) {
  return std::max(1, static_cast<int>(std::lround(std::sqrt(static_cast<double>(kept)))));
}

Graph rematerialize(const Graph& graph, size_t late, int segments, PassContext& context) {
  if (segments < 2 || late >= graph.nodes.size()) return graph;
  return Rematerialization(graph, late, segments, context).run();
}

Graph remat(const Graph& before, PassContext& context) {
  const size_t late = first_gradient(before);
  if (late == before.nodes.size()) return before;
  int segments = context.options.remat_segments;
  if (segments == kSqrtSegments) segments = sqrt_segments(count_kept(before, late));
  return rematerialize(before, late, segments, context);
}

}  // namespace hybrid
