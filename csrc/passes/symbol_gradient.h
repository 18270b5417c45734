// Gradients of a Symbol as a Symbol: the gradient pass's nodes on top of the same expression.
#pragma once
#include <string>
#include <vector>

#include "symbol/symbol.h"

namespace hybrid {

// Of the sum of all outputs by the arguments named, one output each. What the gradients read of the
// expression are its own nodes, so that both are computed once in a program of both.
Symbol gradient_of(const Symbol& symbol, const std::vector<std::string>& wrt);

}  // namespace hybrid
