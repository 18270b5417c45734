// UTF-8: what is not is refused in files, since names reach Python and terminals as text.
#pragma once
#include <cstdint>

namespace hybrid {

// Well-formed in structure (RFC 3629).
bool is_utf8(const char* text, uint64_t length);

}  // namespace hybrid
