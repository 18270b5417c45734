// The one exception type of the core, and the checks that throw it.
#pragma once
#include <sstream>
#include <stdexcept>
#include <string>

namespace hybrid {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// fail("dot: expected ", a, ", got ", b): formats with operator<< and throws Error.
template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw Error(text.str());
}

template <class... Parts>
void require(bool ok, const Parts&... parts) {
  if (!ok) fail(parts...);
}

}  // namespace hybrid
