// Epilogue nodes: fused nodes that begin with a product (FullyConnected, Convolution); the other
// members are elementwise and are applied to its result while that is in cache.
#pragma once
#include "graph/graph.h"

namespace hybrid {

bool begins_with_product(const Node& n);

}  // namespace hybrid
