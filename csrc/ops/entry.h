// Entry: a value of a graph, by the node that computes it.
#pragma once
#include <cstdint>

namespace hybrid {

using NodeId = int32_t;

struct Entry {  // one output of one node
  NodeId node = -1;
  int32_t out = 0;
  bool defined() const { return node >= 0; }
  bool operator==(const Entry& o) const { return node == o.node && out == o.out; }
  bool operator<(const Entry& o) const { return node != o.node ? node < o.node : out < o.out; }
};

}  // namespace hybrid
