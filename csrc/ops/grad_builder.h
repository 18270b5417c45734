// GradBuilder: what an operator's gradient rule sees and adds to. The graph, which a rule need not
// know, defines it.
#pragma once
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "ops/entry.h"
#include "ops/op.h"

namespace hybrid {

class Graph;
struct Node;

class GradBuilder {
 public:
  GradBuilder(Graph& graph, const Node& node, std::vector<Entry> out_grads);
  const Attrs& attrs() const { return attrs_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(out_grads_.size()); }
  Entry input(int i) const { return inputs_.at(i); }
  Entry output(int i = 0) const;
  Entry out_grad(int i = 0);  // zeros when nothing flows in
  bool has_out_grad(int i) const;
  Shape shape(Entry e) const;  // may be partly unknown: rules must not need it if avoidable
  DType dtype(Entry e) const;
  // Adds a node (inferred at once) and returns its output `out`.
  using AttrList = std::initializer_list<std::pair<const char*, AttrValue>>;
  Entry op(const char* core_name, const std::vector<Entry>& inputs, AttrList attrs = {},
           int out = 0);
  Entry op(const char* core_name, const std::vector<Entry>& inputs, const Attrs& attrs,
           int out = 0);
  // The operator is that of the attributes; it need not be in the table (a compiled call).
  Entry op(const Attrs& attrs, const std::vector<Entry>& inputs, int out = 0);
  Entry zeros_as(Entry x);  // its shape and dtype; without keeping x where these are known
  // Reduces `grad` to the shape of `like` (undoes broadcasting); free when shapes are equal.
  Entry sum_like(Entry grad, Entry like);
  void set(int input, Entry grad);  // gradient of input i; unset: none
  bool wanted(int input) const;     // somebody needs it
  std::vector<Entry> result() const { return grads_; }
  void set_wanted(std::vector<bool> wanted) { wanted_ = std::move(wanted); }

 private:
  Graph& graph_;
  NodeId node_;
  Attrs attrs_;
  std::vector<Entry> inputs_, out_grads_, grads_;
  std::vector<bool> wanted_;
};

}  // namespace hybrid
