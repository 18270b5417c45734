// Indices out of range: the modes clip, wrap and raise.
#pragma once
#include <string>

#include "ops/attrs.h"

namespace hybrid {

// Maps an index to [0, size): clip to the nearest end, wrap around, or raise an Error that names
// operator, index, axis and size (negative indices then count from the end, as in NumPy, unless an
// attribute from_end is false).
class IndexMode {
 public:
  IndexMode(const Attrs& attrs, int64_t size, int axis);
  int64_t operator()(int64_t index) const {
    if (index >= 0 && index < size_) return index;
    return outside(index);
  }
  bool wraps() const { return kind_ == wrap; }
  bool raises() const { return kind_ == raise; }

 private:
  int64_t outside(int64_t index) const;

  enum Kind : uint8_t { clip, wrap, raise } kind_;
  bool from_end_ = true;
  int64_t size_;
  int axis_;
  const char* op_;
};

}  // namespace hybrid
