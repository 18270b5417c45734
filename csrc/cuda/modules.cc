#include "cuda/modules.h"

#include <unordered_map>

#include "core/pool.h"

#include "cuda/compiler.h"
#include "kernels/device_kernels.h"

namespace hybrid {
namespace cuda {
namespace {

struct Loaded {
  std::mutex mutex;
  std::unordered_map<std::string, Handle> modules, functions;
};

// What the source includes is part of what it is.
const std::string& included() {
  static const std::string* const text = [] {
    auto* const all = new std::string;
    for (int i = 0; i < num_device_sources; ++i) {
      *all += std::string(device_sources[i].name) + "\n" + device_sources[i].text;
    }
    return all;
  }();
  return *text;
}

std::string code_of(const Device& device, const std::string& source) {
  const std::string architecture =
      "sm_" + std::to_string(device.major) + std::to_string(device.minor);
  const std::string compiler = compiler_identity();
  if (compiler.empty()) throw NotOnDevice(why_no_compiler());
  const CodeCache cache = CodeCache::of_user();
  const std::string key = compiler + " " + architecture + "\n" + source + included();
  std::string code = cache.find(key);
  if (code.empty()) {
    code = compile_source(source, architecture);
    cache.store(key, code);
  }
  return code;
}

}  // namespace

Handle function_of(Device& device, const std::string& source, const char* name) {
  static auto* const all = new Loaded[kMaxGpus];
  Loaded& loaded = all[device.number];
  const std::lock_guard<std::mutex> guard(loaded.mutex);
  Handle& function = loaded.functions[source + name];
  if (function) return function;
  Handle& module = loaded.modules[source];
  if (!module) {
    const std::string code = code_of(device, source);
    device.check(driver().module_load(&module, code.data()), "cuModuleLoadData");
  }
  device.check(driver().module_function(&function, module, name), "cuModuleGetFunction");
  return function;
}

}  // namespace cuda
}  // namespace hybrid
