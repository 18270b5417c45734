// check_plan: replays a plan on a model of memory and looks whether every read finds its value.
#include <algorithm>
#include <map>
#include <optional>

#include "core/error.h"
#include "plan/lifetimes.h"

namespace hybrid {
namespace {

// Bytes [begin, end) of one address space hold the value whose memory is `root`.
struct Tenant {
  int64_t begin, end;
  int32_t root;
};

struct Range {
  int32_t space;  // -1: the arena; else a buffer of its own
  int64_t begin, end;
  bool overlaps(const Range& o) const { return space == o.space && begin < o.end && o.begin < end; }
};

struct Replay {
  const Graph& graph;
  const Plan& plan;
  ValueIndex values;
  std::vector<int32_t> root;  // by value
  std::map<int32_t, std::vector<Tenant>> memory;
  std::optional<std::string> updated;  // the first step that overwrote an array of the caller's

  const Buffer& buffer_of(int p, int out) const {
    const int32_t b = plan.buffer_of.at(p).at(out);
    require(b >= 0 && b < static_cast<int32_t>(plan.buffers.size()), "check_plan: node ",
            graph.nodes[p].id, " output ", out, " has no buffer");
    return plan.buffers[b];
  }

  Range range_of(const Buffer& b) const {
    if (b.kind != BufferKind::arena) return {b.id, 0, b.bytes};
    require(b.offset >= 0 && b.offset + b.bytes <= plan.arena_bytes, "check_plan: buffer ", b.id,
            " reaches ", b.offset + b.bytes, ", beyond the arena of ", plan.arena_bytes);
    return {-1, b.offset, b.offset + b.bytes};
  }

  // Byte range that a value's window touches.
  Range touched(int p, int out) const {
    const Node& node = graph.nodes[p];
    const Window& w = plan.windows.at(p).at(out);
    const int64_t item = static_cast<int64_t>(dtype_size(node.dtypes[out]));
    int64_t low = w.offset, high = w.offset;
    for (int d = 0; d < node.shapes[out].ndim(); ++d) {
      const int64_t span = (node.shapes[out][d] - 1) * w.strides[d];
      if (node.shapes[out][d] == 0) return {-2, 0, 0};
      (span < 0 ? low : high) += span;
    }
    const Buffer& b = buffer_of(p, out);
    require(low >= 0 && (high + 1) * item <= b.bytes, "check_plan: node ", node.id, " '", node.name,
            "' touches bytes [", low * item, ", ", (high + 1) * item, ") of a buffer of ", b.bytes);
    const Range whole = range_of(b);
    return {whole.space, whole.begin + low * item, whole.begin + (high + 1) * item};
  }

  void write(const Range& r, int32_t value) {
    auto& tenants = memory[r.space];
    tenants.erase(
        std::remove_if(tenants.begin(), tenants.end(),
                       [&](const Tenant& t) { return t.begin < r.end && r.begin < t.end; }),
        tenants.end());
    tenants.push_back({r.begin, r.end, value});
  }

  void read(int p, int out, const std::string& reader) {
    const Range r = touched(p, out);
    if (r.begin == r.end) return;
    const int32_t wanted = root[values(p, out)];
    for (const Tenant& t : memory[r.space]) {
      if (t.root == wanted && t.begin <= r.begin && r.end <= t.end) return;
    }
    fail("check_plan: ", reader, " reads node ", graph.nodes[p].id, " '", graph.nodes[p].name,
         "', whose memory was overwritten before");
  }

  // An output over an input of the same step: same window, and the operator must allow it.
  void check_in_place(int p, int out, const Range& written) const {
    const Node& node = graph.nodes[p];
    std::vector<int> same;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const int q = graph.position(node.inputs[i].node);
      const Range r = touched(q, node.inputs[i].out);
      if (r.begin < r.end && r.overlaps(written)) same.push_back(static_cast<int>(i));
    }
    for (int i : same) {
      const Entry& e = node.inputs[i];
      const int q = graph.position(e.node);
      const Window& a = plan.windows[q][e.out];
      const Window& b = plan.windows[p][out];
      require(a.offset == b.offset && a.strides == b.strides &&
                  graph.shape(e) == node.shapes[out] && graph.dtype(e) == node.dtypes[out] &&
                  touched(q, e.out).begin == written.begin,
              "check_plan: node ", node.id, " '", node.name, "' overwrites its input ", i,
              " while reading it in another layout");
      require(operator_allows_in_place(node, i, out, same),
              "check_plan: ", node.op ? node.op->name : "fused", " (node ", node.id,
              ") may not write over its input ", i);
    }
  }

  void bind() {
    for (size_t p = 0; p < graph.nodes.size(); ++p) {
      const Node& node = graph.nodes[p];
      for (int o = 0; o < node.num_outputs(); ++o) {
        const int32_t v = values(static_cast<int>(p), o);
        root[v] = plan.views.at(p) ? root[values.inputs[p].at(0)] : v;
        if (node.kind == NodeKind::input || node.kind == NodeKind::constant) {
          write(touched(static_cast<int>(p), o), v);
        }
      }
    }
  }

  bool updates(const Buffer& b) const {
    return b.kind == BufferKind::input &&
           std::find(plan.updates.begin(), plan.updates.end(), b.index) != plan.updates.end();
  }

  // Every output with a place of its own has reached it.
  void commit(size_t k, bool copied) {
    const Entry& e = graph.outputs[k];
    const int p = graph.position(e.node);
    int32_t in = plan.buffer_of[p].at(e.out);
    for (const Commit& c : plan.commits) {
      if (c.output != static_cast<int32_t>(k)) continue;
      if (!copied) read(p, e.out, "output " + std::to_string(k));
      in = c.buffer;
      const Range r = range_of(plan.buffers.at(in));
      if (r.begin < r.end) write(r, -1 - static_cast<int32_t>(k));
    }
    const Buffer& b = plan.buffers.at(in);
    const int32_t u = plan.updates[k];
    const bool there = u == kGiven
                           ? b.kind == BufferKind::given && b.index == static_cast<int32_t>(k)
                           : b.kind == BufferKind::input && b.index == u;
    require(there, "check_plan: output ", k, " does not end where it belongs");
  }

  void step(int p) {
    const Node& node = graph.nodes[p];
    const std::string name = "node " + std::to_string(node.id) + " '" + node.name + "'";
    require(!updated || !may_fail(graph, node), "check_plan: ", name, " may fail after ",
            updated.value_or(""), " has overwritten an array");
    for (const Entry& e : node.inputs) read(graph.position(e.node), e.out, name);
    if (plan.views[p]) {
      require(plan.buffer_of[p][0] ==
                  plan.buffer_of[graph.position(node.inputs[0].node)][node.inputs[0].out],
              "check_plan: ", name, " is a view, but not in its input's buffer");
      return;
    }
    std::vector<Range> written;
    for (int o = 0; o < node.num_outputs(); ++o) {
      const Range r = touched(p, o);
      if (r.begin == r.end) continue;
      check_in_place(p, o, r);
      for (const Range& other : written) {
        require(!r.overlaps(other), "check_plan: two outputs of ", name, " share memory");
      }
      require(buffer_of(p, o).kind != BufferKind::constant, "check_plan: ", name,
              " overwrites a constant");
      const Buffer& b = buffer_of(p, o);
      const bool target = b.kind == BufferKind::given || updates(b);
      require(b.kind != BufferKind::input || target || plan.donated.at(b.index),
              "check_plan: ", name, " overwrites input ", b.index, ", which was not donated");
      if (target && !updated) updated = name;
      written.push_back(r);
    }
    for (int o = 0; o < node.num_outputs(); ++o) {
      const Range r = touched(p, o);
      if (r.begin < r.end) write(r, values(p, o));
    }
  }

  void run() {
    root.assign(values.count(), -1);
    bind();
    int previous = -1;
    size_t expected = 0;
    for (const Node& node : graph.nodes) expected += runs(node);
    require(plan.steps.size() == expected, "check_plan: ", plan.steps.size(), " steps for ",
            expected, " nodes that run");
    for (NodeId id : plan.steps) {
      const int p = graph.position(id);
      require(p > previous, "check_plan: node ", id, " is out of order");
      previous = p;
      step(p);
    }
    std::vector<bool> copied(graph.outputs.size(), false);
    for (const OutputCopy& copy : plan.copies) copied.at(copy.output) = true;
    std::map<int32_t, size_t> owner;
    for (size_t k = 0; k < graph.outputs.size(); ++k) {
      const Entry& e = graph.outputs[k];
      const int p = graph.position(e.node);
      read(p, e.out, "output " + std::to_string(k));
      if (copied[k] || plan.updates[k] != kFresh) continue;
      const Buffer& b = buffer_of(p, e.out);
      require(b.kind == BufferKind::output || b.kind == BufferKind::input, "check_plan: output ", k,
              " lies in memory that the next run reuses");
      const auto [first, fresh] = owner.emplace(b.id, k);
      require(fresh, "check_plan: outputs ", first->second, " and ", k, " share memory");
    }
    for (size_t k = 0; k < graph.outputs.size(); ++k) {
      if (plan.updates[k] != kFresh) commit(k, copied[k]);
    }
  }
};

}  // namespace

void check_plan(const Graph& graph, const Plan& plan) {
  Replay replay{graph, plan, ValueIndex(graph), {}, {}, {}};
  replay.run();
}

}  // namespace hybrid
