// Which variables of a symbol are arguments, and which are auxiliary states (ops/states.h).
#pragma once
#include "symbol/symbol.h"

namespace hybrid {

std::vector<std::string> list_inputs(const Symbol& symbol);            // every variable
std::vector<std::string> list_auxiliary_states(const Symbol& symbol);  // the others: arguments

}  // namespace hybrid
