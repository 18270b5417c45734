// Proposal operators of region proposal networks.
#pragma once

namespace hybrid {

void register_proposal();

}  // namespace hybrid
