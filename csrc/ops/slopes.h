// Slopes below 0 that are learnt or drawn: the operators prelu and rrelu.
#pragma once

namespace hybrid {

void register_slopes();

}  // namespace hybrid
