// Indices out of range.
#include "ops/indices.h"

#include "core/error.h"
#include "ops/op.h"

namespace hybrid {

IndexMode::IndexMode(const Attrs& attrs, int64_t size, int axis)
    : size_(size), axis_(axis), op_(attrs.op()->name) {
  const std::string& mode = attrs.string("mode");
  kind_ = mode == "clip" ? clip : mode == "wrap" ? wrap : raise;
  if (attrs.op()->attr_index("from_end") >= 0) from_end_ = attrs.boolean("from_end");
}

int64_t IndexMode::outside(int64_t index) const {
  if (size_ > 0 && kind_ == clip) return index < 0 ? 0 : size_ - 1;
  if (size_ > 0 && kind_ == wrap) {
    const int64_t rest = index % size_;
    return rest < 0 ? rest + size_ : rest;
  }
  if (kind_ == raise && from_end_ && index < 0 && index >= -size_) return index + size_;
  fail(op_, ": given index ", index, ", expected ", from_end_ ? -size_ : 0, " to ", size_ - 1,
       " on axis ", axis_, " of size ", size_);
}

}  // namespace hybrid
