// Context: its printed form.
#include "core/context.h"

#include "core/device_name.h"

namespace hybrid {

std::string Context::str() const {
  const char* name = type == DeviceType::gpu          ? "gpu"
                     : type == DeviceType::cpu_pinned ? "cpu_pinned"
                     : type == kCpuShared             ? "cpu_shared"
                                                      : "cpu";
  return std::string(name) + "(" + std::to_string(id) + ")";
}

}  // namespace hybrid
