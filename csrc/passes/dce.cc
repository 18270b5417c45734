// Pass: removes what no output and no effect needs.
#include "graph/text.h"
#include "passes/pass.h"
#include "passes/rewriter.h"

namespace hybrid {

Graph dce(const Graph& before, PassContext& context) {
  const size_t count = before.nodes.size();
  std::vector<bool> needed = GradientGuard(before, context.options).pinned;
  const auto need = [&](Entry e) { needed[static_cast<size_t>(before.position(e.node))] = true; };
  for (const Entry& e : before.outputs) need(e);
  bool all = true;
  for (size_t i = count; i-- > 0;) {
    const Node& n = before.nodes[i];
    // Inputs stay even when unused: callers bind them by position.
    if (n.kind == NodeKind::input || n.kind == NodeKind::effect) needed[i] = true;
    if (!needed[i]) {
      all = false;
      continue;
    }
    for (const Entry& e : n.inputs) need(e);
  }
  if (all) return before;
  Rewriter rewriter(before);
  for (size_t i = 0; i < count; ++i) {
    const Node& n = before.nodes[i];
    if (needed[i]) {
      rewriter.keep(n);
      continue;
    }
    const std::string line = line_of(n.site);
    const bool constant = n.kind == NodeKind::constant;
    context.note(Change::removed, n.id, -1,
                 (constant ? "never used" : "never computed") + (line.empty() ? "" : ": " + line));
  }
  return rewriter.finish();
}

}  // namespace hybrid
