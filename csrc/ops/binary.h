// The binary operators' names: which have which scalar forms.
#pragma once
#include <string>

namespace hybrid {

// Name of the form with a number on one side: ("sub", true) -> "rsub_scalar", the number first;
// commutative operators and comparisons answer with their own or the swapped operator's form.
std::string scalar_form(const char* op, bool number_first);

}  // namespace hybrid
