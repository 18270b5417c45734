// make_plan: lifetimes, then offsets in one arena; early use of the outputs' memory as scratch.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "core/error.h"
#include "plan/bytes.h"
#include "plan/lifetimes.h"

namespace hybrid {
namespace {

std::vector<Lifetime> arena_lifetimes(const std::vector<Buffer>& buffers,
                                      const std::vector<int32_t>& host) {
  std::vector<Lifetime> result;
  for (const Buffer& b : buffers) {
    if (b.kind != BufferKind::arena || host[b.id] >= 0) continue;
    result.push_back({b.id, b.start, int64_t{b.end} + 1, b.bytes});
  }
  return result;
}

// An output's memory is idle until its first step. Arena buffers that end before, at most as
// large, can live there, one after the other. Returns the host of every buffer, or -1.
std::vector<int32_t> host_in_outputs(const std::vector<Buffer>& buffers, const BufferOrder* order) {
  std::vector<int32_t> host(buffers.size(), -1);
  std::vector<int32_t> hosts, guests;
  for (const Buffer& b : buffers) {
    if (b.bytes == 0) continue;
    if (b.kind == BufferKind::output && b.start > 0) hosts.push_back(b.id);
    if (b.kind == BufferKind::arena) guests.push_back(b.id);
  }
  const auto after = [&](int32_t a, int32_t b) {
    return buffers[a].end < buffers[b].start && (!order || order->ordered(buffers[a], buffers[b]));
  };
  const auto larger = [&](int32_t a, int32_t b) {
    return buffers[a].bytes != buffers[b].bytes ? buffers[a].bytes > buffers[b].bytes : a < b;
  };
  std::sort(hosts.begin(), hosts.end(), larger);
  // Of equal ones those that end last: in a chain every second buffer, up to the output.
  std::sort(guests.begin(), guests.end(), [&](int32_t a, int32_t b) {
    if (buffers[a].bytes != buffers[b].bytes) return buffers[a].bytes > buffers[b].bytes;
    return buffers[a].end != buffers[b].end ? buffers[a].end > buffers[b].end : a < b;
  });
  constexpr size_t kMaxTries = 2000000;
  if (hosts.size() * guests.size() > kMaxTries) return host;
  for (int32_t h : hosts) {
    std::vector<int32_t> taken;
    for (int32_t g : guests) {
      const Buffer& guest = buffers[g];
      if (host[g] >= 0 || guest.bytes > buffers[h].bytes || !after(g, h)) continue;
      const bool free = std::all_of(taken.begin(), taken.end(),
                                    [&](int32_t t) { return after(g, t) || after(t, g); });
      if (!free) continue;
      host[g] = h;
      taken.push_back(g);
    }
  }
  return host;
}

// The guests' entries move into their hosts' buffers; their own buffers disappear.
void move_guests(std::vector<Buffer>* buffers, std::vector<int32_t>* buffer_of,
                 std::vector<OutputCopy>* copies, std::vector<Commit>* commits,
                 const std::vector<int32_t>& host) {
  for (const Buffer& b : *buffers) {
    if (host[b.id] < 0) continue;
    Buffer& into = (*buffers)[host[b.id]];
    into.entries.insert(into.entries.begin(), b.entries.begin(), b.entries.end());
    into.start = std::min(into.start, b.start);
  }
  std::vector<int32_t> renumbered(buffers->size(), -1);
  std::vector<Buffer> kept;
  for (Buffer& b : *buffers) {
    if (host[b.id] >= 0) continue;
    renumbered[b.id] = static_cast<int32_t>(kept.size());
    kept.push_back(std::move(b));
    kept.back().id = static_cast<int32_t>(kept.size()) - 1;
  }
  const auto target = [&](int32_t b) { return renumbered[host[b] >= 0 ? host[b] : b]; };
  for (int32_t& b : *buffer_of) {
    if (b >= 0) b = target(b);
  }
  for (OutputCopy& copy : *copies) copy.buffer = target(copy.buffer);
  for (Commit& commit : *commits) commit.buffer = target(commit.buffer);
  *buffers = std::move(kept);
}

void sort_entries(const Graph& graph, std::vector<Buffer>* buffers) {
  for (Buffer& b : *buffers) {
    std::stable_sort(b.entries.begin(), b.entries.end(), [&](const Entry& x, const Entry& y) {
      return graph.position(x.node) < graph.position(y.node);
    });
  }
}

int64_t live_bound(const std::vector<Buffer>& buffers) {
  std::vector<Lifetime> all;
  for (const Buffer& b : buffers) {
    if (b.kind == BufferKind::arena || b.kind == BufferKind::output) {
      all.push_back({b.id, b.start, int64_t{b.end} + 1, b.bytes});
    }
  }
  return max_live(all);
}

// Pairs of arena buffers that no edge of the graph orders.
std::vector<std::pair<int32_t, int32_t>> unordered_pairs(const std::vector<Buffer>& buffers,
                                                         const std::vector<Lifetime>& arena,
                                                         const BufferOrder& order) {
  std::vector<std::pair<int32_t, int32_t>> apart;
  for (size_t i = 0; i < arena.size(); ++i) {
    for (size_t k = 0; k < arena.size(); ++k) {
      const Buffer &a = buffers[arena[i].id], &b = buffers[arena[k].id];
      if (a.end >= b.start || order.ordered(a, b)) continue;
      apart.push_back({static_cast<int32_t>(i), static_cast<int32_t>(k)});
    }
  }
  return apart;
}

Layout place_arena(const std::vector<Buffer>& buffers, const std::vector<int32_t>& host,
                   const BufferOrder* order, int64_t alignment = kArenaAlignment) {
  const std::vector<Lifetime> arena = arena_lifetimes(buffers, host);
  if (!order) return place_buffers(arena, alignment);
  return place_apart(arena, unordered_pairs(buffers, arena, *order), alignment);
}

std::string explain(const Layout& layout, PlanMethod method) {
  if (layout.optimal && method == PlanMethod::parallel) {
    return "optimal: as large as the values that are live together or that no edge orders";
  }
  if (layout.optimal && layout.peak > layout.lower_bound) {
    return "optimal: a search has shown that nothing smaller is possible";
  }
  if (layout.optimal) return "optimal: the arena is as large as the values live at one time";
  char text[80];
  std::snprintf(text, sizeof text, "at most %.1f %% above the lower bound",
                100.0 * (static_cast<double>(layout.peak) / layout.lower_bound - 1.0) + 0.05);
  return text;
}

}  // namespace

Plan make_plan(const Graph& graph, const PlanOptions& options) {
  const ValueIndex values(graph);
  const Windows windows = find_windows(graph, values, options.training);
  std::unique_ptr<BufferOrder> order;
  if (options.method == PlanMethod::parallel) {
    order = std::make_unique<BufferOrder>(graph, values, windows);
  }
  Lifetimes life = find_lifetimes(graph, values, windows, options, order.get());
  Plan plan;
  plan.method = options.method;
  plan.training = options.training;
  plan.has_backward = options.has_backward;
  plan.remat_asked = options.remat_asked;
  plan.donated = options.donated;
  plan.donated.resize(graph.inputs.size(), false);
  plan.updates = options.updates;
  plan.updates.resize(graph.outputs.size(), kFresh);
  plan.views = windows.view;
  plan.lower_bound_bytes = live_bound(life.buffers);

  std::vector<int32_t> nobody(life.buffers.size(), -1), host = nobody;
  Layout layout = place_arena(life.buffers, host, order.get());
  if (options.enabled && options.in_place && layout.peak > 0) {
    const std::vector<int32_t> hosted = host_in_outputs(life.buffers, order.get());
    if (hosted != nobody) {
      Layout smaller = place_arena(life.buffers, hosted, order.get());
      if (smaller.peak < layout.peak) {
        layout = std::move(smaller);
        host = hosted;
      }
    }
  }
  move_guests(&life.buffers, &life.buffer_of, &life.copies, &life.commits, host);
  sort_entries(graph, &life.buffers);

  const std::vector<int32_t> own(life.buffers.size(), -1);
  const std::vector<Lifetime> arena = arena_lifetimes(life.buffers, own);
  if (options.method == PlanMethod::exact && options.enabled && !layout.optimal) {
    layout = place_exact(arena, kArenaAlignment, options.exact_seconds, options.exact_progress);
  }
  for (size_t i = 0; i < arena.size(); ++i) life.buffers[arena[i].id].offset = layout.offsets[i];
  for (int32_t i : layout.order) plan.placed.push_back(arena[i].id);
  plan.attempts = layout.attempts;
  plan.arena_bytes = layout.peak;
  const bool as_aligned = std::all_of(
      arena.begin(), arena.end(), [](const Lifetime& l) { return l.size % kArenaAlignment == 0; });
  plan.planned_bytes =
      as_aligned ? layout.peak
                 : std::min(layout.peak, place_arena(life.buffers, own, order.get(), 1).peak);
  for (const Buffer& b : life.buffers) {
    if (b.kind == BufferKind::output) plan.planned_bytes += b.bytes;
  }
  plan.optimal = layout.optimal;
  plan.why =
      options.enabled ? explain(layout, options.method) : "no sharing: planning is switched off";
  plan.imperative_bytes = imperative_bytes_unfreed(graph, options.training);

  for (int32_t p : life.steps) plan.steps.push_back(graph.nodes[p].id);
  plan.buffers = std::move(life.buffers);
  plan.copies = std::move(life.copies);
  plan.commits = std::move(life.commits);
  plan.buffer_of.resize(graph.nodes.size());
  plan.windows.resize(graph.nodes.size());
  for (size_t p = 0; p < graph.nodes.size(); ++p) {
    const auto begin = values.first[p], end = values.first[p + 1];
    plan.buffer_of[p].assign(life.buffer_of.begin() + begin, life.buffer_of.begin() + end);
    plan.windows[p].assign(windows.window.begin() + begin, windows.window.begin() + end);
  }
  return plan;
}

}  // namespace hybrid
