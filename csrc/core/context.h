// Context: which device an array lives on; MXNet's cpu(i), gpu(i).
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace hybrid {

enum class DeviceType : int8_t { cpu = 1, gpu = 2, cpu_pinned = 3 };  // MXNet's dev_type values

struct Context {
  DeviceType type = DeviceType::cpu;
  int16_t id = 0;
  bool operator==(const Context& o) const { return type == o.type && id == o.id; }
  bool operator!=(const Context& o) const { return !(*this == o); }
  bool is_cpu() const { return type != DeviceType::gpu; }
  std::string str() const;  // "cpu(0)"
};

}  // namespace hybrid
