// Devices by name.
#pragma once
#include <string>

#include "core/context.h"

namespace hybrid {

// MXNet's memory that processes share: ordinary memory here, by its own name.
constexpr DeviceType kCpuShared = static_cast<DeviceType>(5);

// Reads "gpu(1)"; throws Error on anything else.
Context parse_context(const std::string& text);
// The same device: all of the host's contexts are one.
inline bool same_device(Context a, Context b) { return a == b || (a.is_cpu() && b.is_cpu()); }
// cpu(0) for all of them.
inline Context device_of(Context ctx) { return ctx.is_cpu() ? Context() : ctx; }

}  // namespace hybrid
