// Attributes that new nodes of symbols get: MXNet's AttrScope.
#pragma once
#include <map>
#include <string>

namespace hybrid {

// Of this thread; what a node is given itself comes first.
std::map<std::string, std::string>& scope_attributes();

}  // namespace hybrid
