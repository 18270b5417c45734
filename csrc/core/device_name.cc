#include "core/device_name.h"

#include "core/error.h"

namespace hybrid {

Context parse_context(const std::string& text) {
  for (const DeviceType type :
       {DeviceType::cpu, DeviceType::gpu, DeviceType::cpu_pinned, kCpuShared}) {
    const std::string name = Context{type, 0}.str();
    const std::string prefix = name.substr(0, name.size() - 2);  // "gpu("
    if (text.compare(0, prefix.size(), prefix) != 0 || text.back() != ')') continue;
    const std::string number = text.substr(prefix.size(), text.size() - prefix.size() - 1);
    if (number.empty() || number.size() > 4) continue;
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    return {type, static_cast<int16_t>(std::stoi(number))};
  }
  fail("expected a device such as cpu(0) or gpu(1), given '", text.substr(0, 100), "'");
}

}  // namespace hybrid
