#include "program/memory_need.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/held_blocks.h"
#include "core/pool.h"

namespace hybrid {
namespace {

const Node* maker(const Graph& graph, const Buffer& buffer) {
  return buffer.entries.empty() ? nullptr : &graph.node(buffer.entries.front().node);
}

// The step at which most of what the program makes is live.
int32_t highest_step(const Plan& plan) {
  std::map<int32_t, int64_t> change;
  for (const Buffer& b : plan.buffers) {
    if (b.kind != BufferKind::arena && b.kind != BufferKind::output) continue;
    change[b.start] += b.bytes;
    change[b.end + 1] -= b.bytes;
  }
  int64_t live = 0, most = 0;
  int32_t step = 0;
  for (const auto& [at, bytes] : change) {
    live += bytes;
    if (live > most) {
      most = live;
      step = at;
    }
  }
  return step;
}

std::string what_it_is(const Plan& plan, const Buffer& buffer, const Node& maker) {
  if (is_backward(maker)) return "gradients";
  if (plan.has_backward) return "activations";
  return buffer.kind == BufferKind::output ? "results" : "intermediate results";
}

// What is live there, by line, the largest first.
std::string live_by_line(const Graph& graph, const Plan& plan) {
  constexpr size_t kMost = 6;
  const int32_t step = highest_step(plan);
  std::map<std::string, int64_t> lines;  // sites of one line are one
  for (const Buffer& b : plan.buffers) {
    if (b.kind != BufferKind::arena && b.kind != BufferKind::output) continue;
    if (step < b.start || step > b.end) continue;
    const Node* const node = maker(graph, b);
    if (!node) continue;
    const std::string place = held::hooks().describe_site(node->site);
    lines[what_it_is(plan, b, *node) + (place.empty() ? "" : " of " + place)] += b.bytes;
  }
  std::vector<std::pair<std::string, int64_t>> rows(lines.begin(), lines.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < rows.size() && i < kMost; ++i) {
    text += "\n  " + held::bytes_in_words(rows[i].second) + ": " + rows[i].first;
  }
  return text;
}

}  // namespace

StorageRef take_arena(const Graph& graph, const Plan& plan, int64_t new_bytes, Context ctx) {
  if (ctx.is_cpu()) return {};
  Pool& pool = pool_of(ctx);
  const int64_t limit = pool.limit(), need = plan.arena_bytes + new_bytes;
  if (limit == 0) return {};
  if (pool.used() + need > limit) held::hooks().finish_pending();
  const int64_t used = pool.used();
  if (used + need <= limit) {
    if (plan.arena_bytes == 0) return {};
    StorageRef arena = allocate(static_cast<size_t>(plan.arena_bytes), ctx);
    held::mark(arena.get(), held::Kind::working);
    return arena;
  }
  fail("out of memory on ", ctx.str(), ": the program needs ", held::bytes_in_words(need),
       " beside the ", held::bytes_in_words(used), " that are in use, ",
       held::bytes_in_words(used + need), " of ", held::bytes_in_words(limit),
       ". At its highest it holds", live_by_line(graph, plan), "\nIn use are", held::describe(ctx),
       plan.has_backward && !plan.remat_asked
           ? "\nLess is needed with --remat sqrt or hybridize(remat='sqrt'), which "
             "computes activations again, or with a smaller batch"
           : "\nLess is needed with a smaller batch");
}

}  // namespace hybrid
