// Devices by name.
#pragma once
#include <string>

#include "core/context.h"

namespace hybrid {

// MXNet's memory that processes share: ordinary memory here, by its own name.
constexpr DeviceType kCpuShared = static_cast<DeviceType>(5);

// Reads "gpu(1)"; throws Error on anything else.
Context parse_context(const std::string& text);
// Where one can read what the other has: all of the host's contexts are one device.
inline bool same_device(Context a, Context b) { return a == b || (a.is_cpu() && b.is_cpu()); }
// cpu(0) for all of them.
inline Context device_of(Context ctx) { return ctx.is_cpu() ? Context() : ctx; }
// Whose lanes work on it: every cpu(i) has its own, over the one memory; pinned memory has
// cpu(i)'s.
inline Context worker_of(Context ctx) {
  return ctx.is_cpu() ? Context{DeviceType::cpu, ctx.id} : ctx;
}
inline bool same_worker(Context a, Context b) { return worker_of(a) == worker_of(b); }

}  // namespace hybrid
