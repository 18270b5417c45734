// Graph: nodes in topological order with stable ids; what passes take and return.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/ndarray.h"
#include "ops/entry.h"
#include "ops/op.h"

namespace hybrid {

enum class NodeKind : uint8_t {
  input,     // variable: bound at run time
  constant,  // value held in the graph (small)
  op,
  fused,   // one kernel made of member nodes (`members`), see KernelKind
  effect,  // print and the like: ordered, shown, not computed; inputs are what it reads
};

// What runs a node: see graph/kernel_kind.h.
enum class KernelKind : uint8_t {
  none,         // nothing does
  op,           // the operator's own kernel
  elementwise,  // the interpreter
  rows,         // elementwise work and reductions along the same rows
  write,        // elementwise work whose result is a window of the output
  product,      // FullyConnected or Convolution, its result finished elementwise
  copy,         // a view that has to copy: no node's own kind
};

struct Node {
  NodeId id = -1;
  NodeKind kind = NodeKind::op;
  const OpDef* op = nullptr;  // op and fused (the op of the last member)
  Attrs attrs;
  std::string name;  // unique in a Symbol; shown
  std::vector<Entry> inputs;
  std::vector<Shape> shapes;  // per output; filled by infer
  std::vector<DType> dtypes;
  std::vector<NodeId> origins;  // ids it was folded/fused/derived from
  NodeId forward = -1;          // a gradient's: the node that it belongs to, as it was written
  uint32_t site = 0;            // trace::Site: cell line and column
  std::string scope;            // named scope: "net0/dense0"; "backward" for gradients
  int32_t key_slot = -1;        // random operators: which key of the run
  int32_t segment = 0;          // which part of a cell, split at sync points
  Context ctx;
  NDArray value;                         // constant
  std::string text;                      // effect: "print"; scalar constants: literal as written
  KernelKind kernel = KernelKind::none;  // fused: which kernel
  std::vector<Node> members;  // fused: in order, ids kept; inputs refer to outer or member ids
  std::vector<Entry> member_outputs;         // fused: which member entries are its outputs
  std::map<std::string, std::string> extra;  // variable attributes: __shape__, __lr_mult__, ...
  int num_outputs() const { return static_cast<int>(shapes.size()); }
};

class Graph {
 public:
  std::vector<Node> nodes;                // topological
  std::vector<NodeId> inputs;             // input nodes, in binding order
  std::vector<Entry> outputs;             // heads, in order
  std::vector<std::string> output_names;  // same length as outputs
  NodeId next_id = 0;
  int32_t num_keys = 0;       // key slots used by random nodes
  bool has_gradient = false;  // the gradient pass has added its nodes

  Node& add(Node node);               // assigns an id when node.id < 0; appends
  const Node& node(NodeId id) const;  // throws on an unknown id
  Node& node(NodeId id);
  int position(NodeId id) const;  // index in `nodes`, -1 unknown; O(1) amortised
  bool contains(NodeId id) const { return position(id) >= 0; }
  void reindex();  // after `nodes` was reordered or replaced by hand
  const Shape& shape(Entry e) const;
  DType dtype(Entry e) const;
  int64_t bytes(Entry e) const;                        // 0 while the shape or dtype is unknown
  std::vector<std::vector<NodeId>> consumers() const;  // by position; each consumer once
  void check() const;          // order, ids, arities, outputs; throws Error saying what is wrong
  uint64_t hash() const;       // structure, attrs, shapes, dtypes, slots; not labels
  uint64_t structure() const;  // the same with ids and without shapes
  uint64_t labels() const;     // what hash() leaves out: ids, names, sites, scopes, texts, segments
  std::string str() const;     // readable, Python-like program text: see graph/text.h
  int num_kernels() const;     // op (not view) and fused nodes

 private:
  uint64_t digest(bool with_shapes, bool with_ids) const;
  mutable std::vector<int32_t> position_;  // by id; rebuilt when stale
  mutable size_t positions_valid_for_ = 0;
};

// Fills the node's shapes and dtypes from its inputs'; the node need not be in the graph yet.
// Throws Error naming operator, node, line, given and expected.
void infer_node(const Graph& graph, Node* node);
// True when every shape and dtype is known.
bool is_inferred(const Graph& graph);
// By position: whether the node is a view of its input rather than a kernel (op nodes only).
std::vector<bool> view_nodes(const Graph& graph);
// Made by a gradient: its scope is "backward" or lies in it.
bool is_backward(const Node& node);
// "line 3", or "" when the site is unknown.
std::string line_of(uint32_t site);

}  // namespace hybrid
