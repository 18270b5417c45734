#include "plan/lifetimes.h"

#include <algorithm>

#include "core/error.h"
#include "graph/kernel_kind.h"

namespace hybrid {
namespace {

bool same_window(const Window& a, const Window& b) {
  return a.offset == b.offset && a.strides == b.strides;
}

struct Builder {
  const Graph& graph;
  const ValueIndex& values;
  const Windows& windows;
  const PlanOptions& options;
  const BufferOrder* order;
  Lifetimes result;
  std::vector<int32_t> last_use;  // by root value: last step that reads it; num_steps: an output
  std::vector<int32_t> owner;     // by root value: the graph output that keeps its memory, or -1
  std::vector<bool> donated;      // by position
  std::vector<int32_t> target;    // by graph output: the buffer its value is to end in, or -1
  std::vector<int32_t> late;      // graph outputs that are copied to their targets at the end
  int32_t last_failing = -1;      // last step that may fail

  Buffer& new_buffer(BufferKind kind, int64_t bytes, int32_t start) {
    Buffer b;
    b.id = static_cast<int32_t>(result.buffers.size());
    b.kind = kind;
    b.bytes = bytes;
    b.start = b.end = start;
    result.buffers.push_back(std::move(b));
    return result.buffers.back();
  }

  // Shape, dtype, position in memory and time all agree: the output may overwrite the input.
  // `given_up`: a buffer of an input that this value is the new contents of.
  bool can_overwrite(int position, int in, int out, int32_t step, int32_t num_steps,
                     int32_t given_up = -1) const {
    const Node& node = graph.nodes[position];
    const int32_t v = values.inputs[position][in], root = windows.root[v];
    const int32_t b = result.buffer_of[root];
    if (b < 0 || last_use[root] != step || last_use[root] >= num_steps) return false;
    if (order && !order->used_before(root, position)) return false;
    const Buffer& buffer = result.buffers[b];
    if (buffer.entries.empty() || buffer.kind == BufferKind::constant) return false;
    if (buffer.kind == BufferKind::given) return false;
    if (buffer.kind == BufferKind::input && b != given_up &&
        !donated[graph.position(buffer.entries[0].node)]) {
      return false;
    }
    const Window whole{contiguous_strides(node.shapes[out]), 0};
    if (graph.shape(node.inputs[in]) != node.shapes[out] ||
        graph.dtype(node.inputs[in]) != node.dtypes[out] ||
        !same_window(windows.window[v], whole) || buffer.bytes != graph.bytes(node.inputs[in])) {
      return false;
    }
    std::vector<int> same_memory;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const int32_t other = values.inputs[position][i];
      if (windows.root[other] != root) continue;
      // The same memory read in another layout as well: an element would be gone before its read.
      if (!same_window(windows.window[other], whole)) return false;
      if (graph.shape(node.inputs[i]) != node.shapes[out]) return false;
      same_memory.push_back(static_cast<int>(i));
    }
    return operator_allows_in_place(node, in, out, same_memory);
  }

  void find_uses() {
    const int n = static_cast<int>(graph.nodes.size());
    last_use.assign(values.count(), -1);
    owner.assign(values.count(), -1);
    for (int p = 0; p < n; ++p) {
      if (!runs(graph.nodes[p])) continue;
      const int32_t step = static_cast<int32_t>(result.steps.size());
      result.steps.push_back(p);
      if (may_fail(graph, graph.nodes[p])) last_failing = step;
      for (int32_t v : values.inputs[p]) last_use[windows.root[v]] = step;
    }
    const int32_t num_steps = static_cast<int32_t>(result.steps.size());
    for (const bool updating : {true, false}) {  // those that have a place come first
      for (size_t k = 0; k < graph.outputs.size(); ++k) {
        if ((update(k) != kFresh) == updating) find_owner(k, num_steps);
      }
    }
  }

  int32_t update(size_t k) const {
    return k < options.updates.size() ? options.updates[k] : kFresh;
  }

  void find_owner(size_t k, int32_t num_steps) {
    const Entry& e = graph.outputs[k];
    const int p = graph.position(e.node);
    require(p >= 0, "plan: output ", k, " is node ", e.node, ", which does not exist");
    const int32_t root = windows.root[values(p, e.out)];
    last_use[root] = num_steps;
    const bool computed = runs(graph.nodes[position_of(root)]);
    // Outputs are written to later: no two elements of one may share memory.
    const bool apart = !repeats(graph.shape(e), windows.window[values(p, e.out)].strides);
    if (update(k) == kFresh) {
      if (computed && apart && owner[root] < 0) {
        owner[root] = static_cast<int32_t>(k);
      } else {
        result.copies.push_back({static_cast<int32_t>(k), -1});
      }
      return;
    }
    const Window& w = windows.window[values(p, e.out)];
    const bool whole =
        same_window(w, {contiguous_strides(graph.shape(e)), 0}) && graph.bytes(e) == bytes_of(root);
    if (computed && whole && owner[root] < 0) {
      owner[root] = static_cast<int32_t>(k);
      return;
    }
    // An input may be overwritten before it is read here: its old value is put aside first.
    if (!computed) result.copies.push_back({static_cast<int32_t>(k), -1});
    late.push_back(static_cast<int32_t>(k));
  }

  int64_t bytes_of(int32_t value) const {
    const int p = position_of(value);
    return graph.bytes({graph.nodes[p].id, value - values.first[p]});
  }

  int position_of(int32_t value) const {
    return static_cast<int>(std::upper_bound(values.first.begin(), values.first.end(), value) -
                            values.first.begin()) -
           1;
  }

  // The buffers that outputs are to end in; an input with new contents is no scratch memory.
  void bind_targets() {
    target.assign(graph.outputs.size(), -1);
    check_updates(graph, options.updates);
    for (size_t k = 0; k < graph.outputs.size(); ++k) {
      const int32_t u = update(k);
      if (u == kFresh) continue;
      const Entry& e = graph.outputs[k];
      if (u == kGiven) {
        Buffer& b = new_buffer(BufferKind::given, graph.bytes(e), 0);
        b.index = static_cast<int32_t>(k);
        target[k] = b.id;
        continue;
      }
      const Entry in{graph.inputs[u], 0};
      const int p = graph.position(in.node);
      donated[p] = false;
      target[k] = result.buffer_of[values(p, 0)];
    }
  }

  // Can the new contents of an array be computed where the old ones are, at this step?
  bool reaches_target(int p, int out, int32_t k, int32_t step, int32_t num_steps) const {
    if (!options.enabled || !options.in_place || step <= last_failing) return false;
    const Buffer& b = result.buffers[target[k]];
    if (b.kind == BufferKind::given) return true;
    const int32_t old = values(graph.position(graph.inputs[b.index]), 0);
    if (last_use[old] != step) {
      return last_use[old] < step && (!order || order->used_before(old, p));
    }
    for (size_t i = 0; i < graph.nodes[p].inputs.size(); ++i) {
      if (windows.root[values.inputs[p][i]] == old) {
        return can_overwrite(p, static_cast<int>(i), out, step, num_steps, b.id);
      }
    }
    return false;
  }

  void bind_outside_values(int32_t num_steps) {
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const int p = graph.position(graph.inputs[i]);
      const int32_t v = values(p, 0);
      Buffer& b = new_buffer(BufferKind::input, graph.bytes({graph.inputs[i], 0}), 0);
      b.index = static_cast<int32_t>(i);
      b.end = std::max(last_use[v], 0);
      b.entries.push_back({graph.inputs[i], 0});
      result.buffer_of[v] = b.id;
      donated[p] = i < options.donated.size() && options.donated[i];
    }
    for (size_t p = 0; p < graph.nodes.size(); ++p) {
      const Node& node = graph.nodes[p];
      if (node.kind != NodeKind::constant) continue;
      const int32_t v = values(static_cast<int>(p), 0);
      Buffer& b = new_buffer(BufferKind::constant, graph.bytes({node.id, 0}), 0);
      b.index = static_cast<int32_t>(p);
      b.end = num_steps;
      b.entries.push_back({node.id, 0});
      result.buffer_of[v] = b.id;
    }
  }

  void place_outputs_of(int p, int32_t step, int32_t num_steps) {
    const Node& node = graph.nodes[p];
    for (int o = 0; o < node.num_outputs(); ++o) {
      const int32_t v = values(p, o);
      if (windows.view[p]) {
        const int32_t b = result.buffer_of[windows.root[v]];
        result.buffer_of[v] = b;
        result.buffers[b].entries.push_back({node.id, o});
        continue;
      }
      int32_t chosen = -1;
      const int32_t k = owner[v];
      if (k >= 0 && target[k] >= 0) {
        if (reaches_target(p, o, k, step, num_steps)) {
          chosen = target[k];
          if (result.buffers[chosen].kind == BufferKind::given) result.buffers[chosen].start = step;
        } else {
          result.commits.push_back({k, target[k]});
        }
      }
      if (chosen < 0 && options.enabled && options.in_place) {
        for (size_t i = 0; i < node.inputs.size() && chosen < 0; ++i) {
          if (!can_overwrite(p, static_cast<int>(i), o, step, num_steps)) continue;
          const int32_t root = windows.root[values.inputs[p][i]];
          chosen = result.buffer_of[root];
          last_use[root] = -2;  // taken: another output of this node must not take it too
        }
      }
      if (chosen < 0) {
        chosen = new_buffer(
                     BufferKind::arena,
                     node.shapes[o].size() * static_cast<int64_t>(dtype_size(node.dtypes[o])), step)
                     .id;
      }
      Buffer& b = result.buffers[chosen];
      b.entries.push_back({node.id, o});
      b.end = std::max({b.end, step, last_use[v]});
      if (!options.enabled) b.end = num_steps;
      if (k >= 0 && target[k] < 0 && b.kind == BufferKind::arena) {
        b.kind = BufferKind::output;
        b.index = k;
      }
      result.buffer_of[v] = chosen;
    }
  }

  void run() {
    find_uses();
    const int32_t num_steps = static_cast<int32_t>(result.steps.size());
    result.buffer_of.assign(values.count(), -1);
    donated.assign(graph.nodes.size(), false);
    bind_outside_values(num_steps);
    bind_targets();
    for (int32_t step = 0; step < num_steps; ++step) {
      place_outputs_of(result.steps[step], step, num_steps);
    }
    for (OutputCopy& copy : result.copies) {
      const Entry& e = graph.outputs[copy.output];
      const bool aside = target[copy.output] >= 0;
      Buffer& b =
          new_buffer(aside ? BufferKind::arena : BufferKind::output, graph.bytes(e), num_steps);
      b.index = aside ? -1 : copy.output;
      copy.buffer = b.id;
    }
    for (const int32_t k : late) result.commits.push_back({k, target[k]});
  }
};

}  // namespace

void check_updates(const Graph& graph, const std::vector<int32_t>& updates) {
  std::vector<bool> taken(graph.inputs.size(), false);
  for (size_t k = 0; k < updates.size() && k < graph.outputs.size(); ++k) {
    const int32_t u = updates[k];
    if (u == kFresh || u == kGiven) continue;
    require(u >= 0 && u < static_cast<int32_t>(graph.inputs.size()), "plan: output ", k,
            " updates input ", u, ", there are ", graph.inputs.size());
    require(!taken[u], "plan: two outputs update input ", u);
    taken[u] = true;
    const Entry in{graph.inputs[u], 0}, e = graph.outputs[k];
    require(graph.shape(e) == graph.shape(in) && graph.dtype(e) == graph.dtype(in), "update of '",
            graph.node(in.node).name, "': expected ", dtype_name(graph.dtype(in)), " ",
            graph.shape(in), ", given ", dtype_name(graph.dtype(e)), " ", graph.shape(e));
  }
}

bool may_fail(const Graph& graph, const Node& node) {
  if (node.kind != NodeKind::op || node.op->elementwise || node.op->view) return false;
  for (const Entry& e : node.inputs) {
    if (graph.shape(e).size() == 0) return true;  // a maximum of nothing
  }
  const std::string name = node.op->name;
  switch (node.op->family) {
    case Family::elementwise:
    case Family::linear:
    case Family::conv:
    case Family::reduce:
    case Family::shape:
    case Family::creation:
      return false;
    case Family::loss:
      return name == "softmax_cross_entropy";  // refuses labels
    case Family::random:
      return name != "Dropout";
    case Family::index:
      if (node.op->attr_index("mode") >= 0) return node.attrs.string("mode") == "raise";
      return name != "one_hot";
    default:
      return true;
  }
}

bool operator_allows_in_place(const Node& node, int in, int out,
                              const std::vector<int>& same_memory) {
  if (node.kind == NodeKind::fused) {
    const auto may_overwrite = traits_of(node.kernel).may_overwrite;
    return may_overwrite && may_overwrite(node, same_memory, out);
  }
  if (node.op->elementwise) return true;  // each element is read before it is written
  if (same_memory.size() != 1) return false;
  for (const InPlacePair& pair : node.op->in_place) {
    if (pair.in == in && pair.out == out) return true;
  }
  return false;
}

Lifetimes find_lifetimes(const Graph& graph, const ValueIndex& values, const Windows& windows,
                         const PlanOptions& options, const BufferOrder* order) {
  Builder builder{graph, values, windows, options, order, {}, {}, {}, {}, {}, {}, -1};
  builder.run();
  return std::move(builder.result);
}

}  // namespace hybrid
