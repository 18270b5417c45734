// Near misses of a mistyped name, for error messages.
#pragma once
#include <string>
#include <vector>

namespace hybrid {

// "; did you mean 'Convolution', 'conv'?" or "" when nothing is near. At most three names.
std::string did_you_mean(const std::string& given, const std::vector<std::string>& known);

}  // namespace hybrid
