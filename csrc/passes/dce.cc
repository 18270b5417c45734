// Pass: removes what no output and no effect needs.
#include "graph/text.h"
#include "passes/pass.h"
#include "passes/rewriter.h"

namespace hybrid {

namespace {

void note_removed(const Node& n, PassContext& context) {
  const std::string line = line_of(n.site);
  const bool constant = n.kind == NodeKind::constant;
  context.begin("a value that nobody reads -> nothing");
  context.note(Change::removed, n.id, -1,
               (constant ? "never used" : "never computed") + (line.empty() ? "" : ": " + line));
}

}  // namespace

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
    if (needed[i]) rewriter.keep(before.nodes[i]);
  }
  // From the last on: what nobody reads goes, and then nobody reads what it read.
  for (size_t i = count; i-- > 0;) {
    if (!needed[i] && context.explain) note_removed(before.nodes[i], context);
  }
  return rewriter.finish();
}

}  // namespace hybrid
