// Regions of interest that move: proposals of a network, pooling by moved bins.
#pragma once

namespace hybrid {

void register_proposal();
void register_deformable_psroi();

}  // namespace hybrid
