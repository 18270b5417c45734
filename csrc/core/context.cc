// Context: its printed form.
#include "core/context.h"

namespace hybrid {

std::string Context::str() const {
  const char* name = type == DeviceType::gpu          ? "gpu"
                     : type == DeviceType::cpu_pinned ? "cpu_pinned"
                                                      : "cpu";
  return std::string(name) + "(" + std::to_string(id) + ")";
}

}  // namespace hybrid
