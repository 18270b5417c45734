// Passes around products (FullyConnected, Convolution) and what follows them.
#pragma once
#include "passes/pass.h"

namespace hybrid {

Graph bn_fold(const Graph&, PassContext&);   // reassociating
Graph epilogue(const Graph&, PassContext&);  // exact

}  // namespace hybrid
