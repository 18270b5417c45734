// Graph::check: order, ids, arities, fused members and outputs; says what is wrong.
#include <unordered_set>

#include "core/error.h"
#include "graph/graph.h"
#include "graph/kernel_kind.h"

namespace hybrid {

namespace {

std::string called(const Node& n) {
  return "graph: node " + std::to_string(n.id) + " ('" + n.name + "')";
}

void check_arity(const Node& n) {
  const int given = static_cast<int>(n.inputs.size());
  const int expected = n.op->count_inputs(n.attrs);
  if (expected < 0) {
    require(given >= 1, called(n), ": ", n.op->name, " takes at least one input, given none");
  } else {
    require(given == expected, called(n), ": ", n.op->name, " takes ", expected, " inputs, given ",
            given);
  }
  const int outputs = n.op->count_outputs(n.attrs);
  require(n.num_outputs() == outputs, called(n), ": ", n.op->name, " has ", outputs,
          " outputs, the node has ", n.num_outputs());
}

void check_fused(const Node& n) {
  require(n.members.size() >= 2, called(n), ": a fused node has at least two members, given ",
          n.members.size());
  const auto takes_member = traits_of(n.kernel).takes_member;
  require(takes_member != nullptr, called(n), ": a fused node of kind ", traits_of(n.kernel).name);
  std::unordered_set<NodeId> inside;
  std::unordered_set<NodeId> outside;
  for (const Entry& e : n.inputs) outside.insert(e.node);
  for (const Node& m : n.members) {
    const bool first = &m == &n.members.front(), last = &m == &n.members.back();
    require(m.kind == NodeKind::op && m.op != nullptr && takes_member(*m.op, first, last),
            called(n), ": member ", m.id, " is not an elementwise operator");
    for (const Entry& e : m.inputs) {
      require(inside.count(e.node) || outside.count(e.node), called(n), ": member ", m.id,
              " reads node ", e.node, ", which is neither an earlier member nor an input");
    }
    inside.insert(m.id);
  }
  const KernelKind kind = kernel_kind_of(n.members);
  require(n.kernel == kind, called(n), ": a kernel of kind ", traits_of(n.kernel).name,
          " with the members of one of kind ", traits_of(kind).name);
  require(n.member_outputs.size() == n.shapes.size(), called(n), ": has ", n.shapes.size(),
          " outputs, but names ", n.member_outputs.size(), " of its members");
  for (const Entry& e : n.member_outputs) {
    require(inside.count(e.node) == 1, called(n), ": output node ", e.node, " is not a member");
  }
}

}  // namespace

void Graph::check() const {
  std::unordered_set<NodeId> seen;
  const auto check_entry = [&](const Entry& e, const std::string& user) {
    require(seen.count(e.node) == 1, user, " reads node ", e.node,
            contains(e.node) ? ", which comes later" : ", which does not exist");
    const Node& from = node(e.node);
    require(e.out >= 0 && e.out < from.num_outputs(), user, " reads output ", e.out, " of node ",
            e.node, ", which has ", from.num_outputs());
  };
  for (const Node& n : nodes) {
    require(n.id >= 0 && n.id < next_id, called(n), ": id outside [0, ", next_id, ")");
    require(!seen.count(n.id), called(n), ": the id occurs twice");
    require(n.shapes.size() == n.dtypes.size(), called(n), ": has ", n.shapes.size(),
            " shapes and ", n.dtypes.size(), " dtypes");
    for (const Entry& e : n.inputs) check_entry(e, called(n));
    switch (n.kind) {
      case NodeKind::input:
      case NodeKind::constant:
        require(n.inputs.empty(), called(n), ": inputs and constants take no inputs");
        require(n.num_outputs() == 1, called(n), ": has ", n.num_outputs(), " outputs, not 1");
        require(n.kind == NodeKind::input || n.value.defined(), called(n),
                ": a constant without a value");
        break;
      case NodeKind::op:
        require(n.op != nullptr, called(n), ": an operator node without operator");
        check_arity(n);
        require(!n.op->random || (n.key_slot >= 0 && n.key_slot < num_keys), called(n), ": ",
                n.op->name, " draws random numbers and needs a key slot below ", num_keys,
                ", given ", n.key_slot);
        break;
      case NodeKind::fused:
        check_fused(n);
        break;
      case NodeKind::effect:
        require(n.num_outputs() == 0, called(n), ": an effect has no outputs");
        break;
    }
    seen.insert(n.id);
  }
  for (NodeId id : inputs) {
    require(contains(id), "graph: input ", id, " does not exist");
    require(node(id).kind == NodeKind::input, called(node(id)), ": listed as input, but is not");
  }
  size_t input_nodes = 0;
  for (const Node& n : nodes) input_nodes += n.kind == NodeKind::input;
  require(std::unordered_set<NodeId>(inputs.begin(), inputs.end()).size() == inputs.size() &&
              input_nodes == inputs.size(),
          "graph: ", input_nodes, " input nodes, but ", inputs.size(), " are listed");
  for (const Entry& e : outputs) check_entry(e, "graph: the output list");
  require(outputs.size() == output_names.size(), "graph: ", outputs.size(), " outputs, but ",
          output_names.size(), " output names");
}

}  // namespace hybrid
