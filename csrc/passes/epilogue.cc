// Pass: elementwise work on the result of FullyConnected or Convolution is done by its kernel.
#include "passes/epilogue.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph/kernel_kind.h"
#include "graph/text.h"
#include "ops/epilogue.h"
#include "passes/fusible.h"
#include "passes/rewriter.h"

namespace hybrid {

namespace {

bool is_product(const Node& n) { return n.kind == NodeKind::op && takes_epilogue(*n.op); }

class Finishing {
 public:
  Finishing(const Graph& before, PassContext& context)
      : before_(before),
        context_(context),
        text_(before),
        readers_(before.nodes.size()),
        head_(before.nodes.size(), false),
        rewriter_(before) {
    for (size_t i = 0; i < before.nodes.size(); ++i) {
      std::set<size_t> from;
      for (const Entry& e : before.nodes[i].inputs) from.insert(at(e));
      for (size_t p : from) readers_[p].push_back(i);
    }
    for (const Entry& e : before.outputs) head_[at(e)] = true;
  }

  Graph run() {
    for (size_t i = 0; i < before_.nodes.size(); ++i) {
      if (!is_product(before_.nodes[i])) continue;
      const std::string why = why_not(i);
      if (!why.empty()) {
        context_.note(Change::kept, before_.nodes[i].id, before_.nodes[i].id, why);
        continue;
      }
      // Of two products that one reader takes the later one is finished: the other waits anyway.
      const size_t reader = readers_[i][0];
      const auto [taken, fresh] = product_of_.emplace(reader, i);
      if (fresh) continue;
      note_second(taken->second, i);
      taken->second = i;
    }
    if (product_of_.empty()) return before_;
    std::set<size_t> absorbed;
    for (const auto& [reader, product] : product_of_) absorbed.insert(product);
    for (size_t i = 0; i < before_.nodes.size(); ++i) {
      if (absorbed.count(i)) continue;
      const auto found = product_of_.find(i);
      if (found == product_of_.end()) {
        rewriter_.keep(before_.nodes[i]);
      } else {
        add_kernel(before_.nodes[found->second], before_.nodes[i]);
      }
    }
    return rewriter_.finish();
  }

 private:
  size_t at(Entry e) const { return static_cast<size_t>(before_.position(e.node)); }

  // Why the product at position i is not finished by its reader, or "".
  std::string why_not(size_t i) {
    const Node& n = before_.nodes[i];
    const std::string what = context_.explain ? text_.shallow(n) : "the product";
    if (head_[i]) return what + " is a result itself";
    if (is_half(n.dtypes[0])) return what + " is rounded to a half before it is read";
    if (readers_[i].size() != 1) {
      return what + " is read by " + std::to_string(readers_[i].size()) +
             " operators: it has to be written";
    }
    const Node& reader = before_.nodes[readers_[i][0]];
    const std::string by = what + " is read by " + (reader.op ? reader.op->name : "a print");
    if (!is_elementwise_kernel(reader)) return by + ", which is no elementwise operator";
    if (reader.num_outputs() != 1) return by + ", which has several results";
    if (!n.shapes[0].known() || reader.shapes[0] != n.shapes[0] ||
        reader.dtypes[0] != n.dtypes[0]) {
      return by + ", whose result has another shape or type";
    }
    if (!same_part(reader, n)) return by + ", which belongs to another part of the program";
    if (n.inputs.size() + reader.inputs.size() > kMaxKernelInputs) return by + ": too many inputs";
    return "";
  }

  static bool is_elementwise_kernel(const Node& n) {
    if (kernel_kind(n) != KernelKind::elementwise) return false;
    return n.kind == NodeKind::fused ||
           (!n.op->random && !n.inputs.empty() && n.op->family != Family::creation);
  }

  void add_kernel(const Node& product, const Node& reader) {
    Node kernel = kernel_ending_in(reader);
    kernel.shapes = reader.shapes;
    kernel.dtypes = reader.dtypes;
    kernel.members = {rewriter_.copy(product)};
    kernel.origins = {product.id};
    const Node own = rewriter_.copy(reader);
    if (reader.kind == NodeKind::fused) {
      kernel.members.insert(kernel.members.end(), own.members.begin(), own.members.end());
      kernel.origins.insert(kernel.origins.end(), own.origins.begin(), own.origins.end());
      kernel.member_outputs = own.member_outputs;
    } else {
      kernel.members.push_back(own);
      kernel.origins.push_back(reader.id);
      kernel.member_outputs = {{reader.id, 0}};
    }
    kernel.inputs = kernel.members[0].inputs;
    for (const Entry& e : own.inputs) {
      const bool known =
          std::find(kernel.inputs.begin(), kernel.inputs.end(), e) != kernel.inputs.end();
      if (!known && e.node != product.id) kernel.inputs.push_back(e);
    }
    const size_t members = kernel.members.size();
    kernel.kernel = kernel_kind_of(kernel.members);
    const NodeId id = rewriter_.after.add(std::move(kernel)).id;
    rewriter_.replace({reader.id, 0}, {id, 0});
    if (!context_.explain) return;
    context_.begin(std::string(product.op->name) + ", elementwise operators -> one kernel");
    context_.note(Change::fused, product.id, id,
                  text_.shallow(product) + " is never written to memory: its kernel goes on with " +
                      std::to_string(members - 1) +
                      (members > 2 ? " elementwise operators" : " elementwise operator"));
    context_.note(Change::fused, reader.id, id,
                  text_.shallow(reader) + " is applied to what " + product.op->name +
                      " computes while that is in cache");
  }

  void note_second(size_t first, size_t second) {
    if (!context_.explain) return;
    context_.note(Change::kept, before_.nodes[first].id, before_.nodes[first].id,
                  text_.shallow(before_.nodes[first]) + " is read by the same kernel as " +
                      text_.shallow(before_.nodes[second]) + ", which comes later and takes it");
  }

  const Graph& before_;
  PassContext& context_;
  Expressions text_;
  std::vector<std::vector<size_t>> readers_;  // by position, each once
  std::vector<bool> head_;                    // by position
  std::map<size_t, size_t> product_of_;       // position of a reader -> of the product it finishes
  Rewriter rewriter_;
};

}  // namespace

Graph epilogue(const Graph& before, PassContext& context) {
  return Finishing(before, context).run();
}

}  // namespace hybrid
