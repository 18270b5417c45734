// GradientRun: the gradient pass over a tape's graph, then its new nodes one by one.
#pragma once
#include <unordered_map>
#include <vector>

#include "array/array_ref.h"

namespace hybrid {

class GradientRun {
 public:
  // `sources` gives the tape node of every node of the graph; it must outlive this object.
  GradientRun(Graph graph, const GraphSources& sources, std::vector<Entry> heads);
  void differentiate_by(NodeId input) { wrt_.push_back(input); }
  // By head; undefined ones (or an empty list) are ones.
  void set_head_grads(const std::vector<ArrayRef>& grads);
  // Lets the kernel that makes the gradient by `input` write straight into `buffer`, where safe.
  void write_into(NodeId input, const NDArray& buffer) { buffers_.emplace(input, buffer); }
  // Runs in the order of the nodes. `recorded`: on the tape again (create_graph).
  void run(bool recorded);
  ArrayRef result(size_t i) const;  // gradient by the i-th differentiate_by
  bool was_written(size_t i) const { return written_[i]; }
  bool is_fresh(size_t i) const;  // memory made by this run for this result alone

 private:
  struct Step;
  size_t value_index(Entry e) const;
  ArrayRef fetch(Entry e);  // a value made here, or saved on the tape
  void run_node(const Node& node, bool recorded);
  void plan_direct_writes();

  Graph graph_;
  const GraphSources& sources_;
  std::vector<Entry> heads_;
  std::vector<NodeId> wrt_;
  std::unordered_map<NodeId, ArrayRef> given_;               // head gradients, as input nodes
  std::unordered_map<NodeId, NDArray> buffers_;              // by input
  std::unordered_map<NodeId, std::vector<NDArray>> direct_;  // by node and output: write here
  std::vector<Entry> head_grads_;
  std::vector<Entry> results_;
  std::vector<bool> written_;
  size_t num_forward_ = 0;     // nodes that are on the tape
  std::vector<size_t> first_;  // by new node: its first value
  std::vector<int32_t> uses_;  // by value: reads still to come
  std::vector<ArrayRef> values_;
};

}  // namespace hybrid
