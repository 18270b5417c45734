// Pass: a copy wherever a value is read on another device than its own, one for all readers there.
#include <cstdio>
#include <map>

#include "graph/text.h"
#include "ops/copy_to_device.h"
#include "passes/devices.h"
#include "passes/pass.h"
#include "passes/rewriter.h"

namespace hybrid {

namespace {

std::string bytes_text(int64_t bytes) {
  const char* unit[] = {"bytes", "KiB", "MiB", "GiB"};
  double size = static_cast<double>(bytes);
  int k = 0;
  while (size >= 1024 && k < 3) {
    size /= 1024;
    ++k;
  }
  char text[40];
  std::snprintf(text, sizeof text, k == 0 ? "%.0f %s" : "%.1f %s", size, unit[k]);
  return text;
}

class Placement {
 public:
  Placement(const Graph& before, PassContext& context)
      : before_(before), context_(context), text_(before), rewriter_(before) {}

  Graph run() {
    for (const Node& n : before_.nodes) {
      if (n.kind == NodeKind::constant) continue;  // where it is read first
      if (is_copy(n)) {
        visit_copy(n);
      } else if (n.kind == NodeKind::effect) {
        add_constants(n);
        rewriter_.keep(n);  // shows values, wherever they are
      } else {
        visit(n);
      }
    }
    for (const Entry& e : before_.outputs) {
      const Node& n = before_.node(e.node);
      if (n.kind == NodeKind::constant && !rewriter_.after.contains(n.id)) rewriter_.keep(n);
    }
    Graph after = rewriter_.finish();
    if (context_.explain) explain(after);
    return after;
  }

 private:
  static bool is_copy(const Node& n) { return n.kind == NodeKind::op && is_device_copy(n.op); }
  static std::pair<Entry, std::string> key(Entry e, Context to) { return {e, worker_of(to).str()}; }

  // One that is there already, or a second one to the same device, is none.
  void visit_copy(const Node& n) {
    const Entry from = rewriter_.map(n.inputs[0]);
    const Node& source = before_.node(n.inputs[0].node);
    if (source.kind == NodeKind::constant) constant_on(source, n.ctx);
    const bool there = source.kind != NodeKind::constant &&
                       same_worker(rewriter_.after.node(from.node).ctx, n.ctx);
    const auto made = copies_.find(key(from, n.ctx));
    if (!there && made == copies_.end()) {
      Node copy = rewriter_.copy(n);
      if (source.kind == NodeKind::constant) copy.inputs[0].node = constant_on(source, n.ctx);
      rewriter_.after.add(std::move(copy));
      copies_[key(from, n.ctx)] = {n.id, 0};
      return;
    }
    const Entry instead = there ? from : made->second;
    rewriter_.replace({n.id, 0}, instead);
    rewriter_.after.node(instead.node).origins.push_back(n.id);
    if (!context_.explain) return;
    context_.begin(there ? "copy(x) to where it is -> x"
                         : "second copy(x) to a device -> the first");
    context_.note(there ? Change::removed : Change::merged, n.id, instead.node,
                  text_.name(n.inputs[0]) + " is on " + n.ctx.str() + " already");
  }

  void add_constants(const Node& n) {
    for (const Entry& e : n.inputs) {
      const Node& source = before_.node(e.node);
      if (source.kind == NodeKind::constant && !rewriter_.after.contains(source.id)) {
        rewriter_.keep(source);
      }
    }
  }

  // Constants are part of the program: every device has its own.
  NodeId constant_on(const Node& n, Context ctx) {
    const auto [found, fresh] = constants_.emplace(key({n.id, 0}, ctx), n.id);
    if (!fresh) return found->second;
    Node constant = n;
    constant.ctx = ctx;
    if (rewriter_.after.contains(n.id)) {
      constant.id = -1;
      constant.origins = {n.id};
    }
    found->second = rewriter_.after.add(std::move(constant)).id;
    return found->second;
  }

  void visit(const Node& n) {
    Node node = rewriter_.copy(n);
    std::map<Entry, Entry> moved;
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      const Entry from = node.inputs[k];
      const Node& source = before_.node(n.inputs[k].node);
      Entry here = from;
      if (source.kind == NodeKind::constant) {
        here.node = constant_on(source, n.ctx);
      } else if (!same_device(rewriter_.after.node(from.node).ctx, n.ctx)) {
        here = copy_for(from, n);
      }
      if (!(here == from)) moved[from] = here;
      node.inputs[k] = here;
    }
    for (Node& member : node.members) {
      for (Entry& e : member.inputs) {
        const auto found = moved.find(e);
        if (found != moved.end()) e = found->second;
      }
    }
    rewriter_.after.add(std::move(node));
  }

  Entry copy_for(Entry from, const Node& reader) {
    const auto [found, fresh] = copies_.emplace(key(from, reader.ctx), Entry());
    if (!fresh) return found->second;
    const Node& source = rewriter_.after.node(from.node);
    Node copy;
    copy.attrs = copy_to_device_attrs(reader.ctx);
    copy.op = copy.attrs.op();
    copy.inputs = {from};
    copy.shapes = {source.shapes[static_cast<size_t>(from.out)]};
    copy.dtypes = {source.dtypes[static_cast<size_t>(from.out)]};
    copy.origins = {source.id};
    copy.site = reader.site;
    copy.scope = reader.scope;
    copy.segment = reader.segment;
    copy.ctx = reader.ctx;
    std::string name = source.name.empty() ? "v" + std::to_string(source.id) : source.name;
    if (source.num_outputs() > 1) name += "_" + std::to_string(from.out);
    const std::string ctx = reader.ctx.str();  // "gpu(1)"
    copy.name = name + "_" + ctx.substr(0, ctx.find('(')) + std::to_string(reader.ctx.id);
    found->second = {rewriter_.after.add(std::move(copy)).id, 0};
    return found->second;
  }

  // Constants are part of the program: every device has those that it reads.
  void explain_constants(const Graph& after) {
    for (const Node& n : before_.nodes) {
      if (n.kind != NodeKind::constant || after.contains(n.id)) continue;
      context_.begin("a constant that nobody reads -> nothing");
      context_.note(Change::removed, n.id, -1, "never used");
    }
    for (const Node& n : after.nodes) {
      if (n.kind != NodeKind::constant || before_.contains(n.id)) continue;
      context_.begin("a constant read on two devices -> one on each");
      context_.note(Change::added, n.id, n.id, "part of the program on " + n.ctx.str() + " too");
    }
  }

  void explain(const Graph& after) {
    explain_constants(after);
    Expressions text(after);
    const auto consumers = after.consumers();
    for (size_t p = 0; p < after.nodes.size(); ++p) {
      const Node& n = after.nodes[p];
      if (!is_copy(n)) continue;
      const Node& source = after.node(n.inputs[0].node);
      if (source.kind == NodeKind::constant) continue;
      const size_t readers = consumers[p].size();
      std::string why = text.name(n.inputs[0]) + " goes from " + source.ctx.str() + " to " +
                        n.ctx.str() + ": " + bytes_text(after.bytes({n.id, 0}));
      if (readers > 0) {
        why += ", read by " + std::to_string(readers) + " operator" + (readers == 1 ? "" : "s") +
               " there";
      }
      const bool written = before_.contains(n.id);
      if (written) why += ", as written";
      if (!written) context_.begin("x read on another device -> copy(x) there");
      context_.note(written ? Change::kept : Change::added, n.id, n.id, std::move(why));
    }
  }

  const Graph& before_;
  PassContext& context_;
  Expressions text_;
  Rewriter rewriter_;
  std::map<std::pair<Entry, std::string>, Entry> copies_;      // in the graph after
  std::map<std::pair<Entry, std::string>, NodeId> constants_;  // likewise
};

}  // namespace

Graph place(const Graph& before, PassContext& context) {
  if (!context.options.devices) return before;  // everything is on one
  return Placement(before, context).run();
}

}  // namespace hybrid
