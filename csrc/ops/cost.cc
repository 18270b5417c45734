// What one run of an operator is expected to take on one core.
#include <algorithm>

#include "ops/op.h"

namespace hybrid {

namespace {

constexpr double kCallNs = 40;            // entering a kernel
constexpr double kCacheBytesPerNs = 40;   // one core; what fits the second-level cache
constexpr double kMemoryBytesPerNs = 12;  // beyond it, reading and writing
constexpr double kCacheBytes = 1 << 20;
constexpr double kDenseFlopPerNs = 30;    // products of matrices, convolutions
constexpr double kSimpleFlopPerNs = 1.5;  // reductions, gathers, sorts

int64_t elements(const std::vector<Shape>& shapes) {
  int64_t total = 0;
  for (const Shape& s : shapes) total += s.known() ? s.size() : 0;
  return total;
}

}  // namespace

model::KernelCost device_cost(const OpDef& op, const Attrs& attrs, const std::vector<Shape>& in,
                              const std::vector<Shape>& out, DType dtype) {
  const double made = static_cast<double>(elements(out));
  const auto item = static_cast<double>(dtype == DType::unknown ? 4 : dtype_size(dtype));
  model::KernelCost cost;
  cost.dtype = dtype == DType::unknown ? DType::float32 : dtype;
  cost.bytes = (made + static_cast<double>(elements(in))) * item;
  cost.dense = op.family == Family::linear || op.family == Family::conv;
  if (op.family == Family::shape || op.family == Family::creation) return cost;
  const auto known = [](const Shape& s) { return s.known(); };
  const bool all_known =
      std::all_of(in.begin(), in.end(), known) && std::all_of(out.begin(), out.end(), known);
  cost.flops = op.flops && all_known ? op.flops(attrs, in, out) : made;
  return cost;
}

double estimate_cost_ns(const OpDef& op, const Attrs& attrs, const std::vector<Shape>& in,
                        const std::vector<Shape>& out, DType dtype) {
  const double made = static_cast<double>(elements(out));
  const size_t item = dtype == DType::unknown ? 4 : dtype_size(dtype);
  if (op.elementwise) return kCallNs + made * elem_cost_ns(op.code, dtype);
  const double bytes = (made + static_cast<double>(elements(in))) * static_cast<double>(item);
  const double memory = bytes / (bytes <= kCacheBytes ? kCacheBytesPerNs : kMemoryBytesPerNs);
  if (op.family == Family::shape || op.family == Family::creation) return kCallNs + memory;
  const bool known = std::all_of(in.begin(), in.end(), [](const Shape& s) { return s.known(); }) &&
                     std::all_of(out.begin(), out.end(), [](const Shape& s) { return s.known(); });
  const double flop = op.flops && known ? op.flops(attrs, in, out) : made;
  const bool dense = op.family == Family::linear || op.family == Family::conv;
  double rate = dense ? kDenseFlopPerNs : kSimpleFlopPerNs;
  if (dense && dtype == DType::float64) rate /= 2;
  if (dense && !is_floating(dtype)) rate = 1;
  return kCallNs + std::max(memory, flop / rate);
}

}  // namespace hybrid
