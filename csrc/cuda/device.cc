#include "cuda/device.h"

#include <algorithm>
#include <atomic>

#include "core/pool.h"

namespace hybrid {
namespace cuda {
namespace {

constexpr int kProcessors = 16, kMajor = 75, kMinor = 76;  // attributes
constexpr size_t kLeft = size_t{256} << 20;  // of the memory: the driver's and the libraries' own

std::atomic<Device*> devices[kMaxGpus];

// Errors after which the GPU's context answers nothing else.
bool is_final(Result result) {
  return result == 214 || result == 700 || result == 702 || result == 710 ||
         (result >= 714 && result <= 719) || result == 999;
}

int attribute(int which, DeviceNumber device) {
  int value = 0;
  check(driver().device_attribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

}  // namespace

Device::Device(int n) : number(n) {
  DeviceNumber device = 0;
  cuda::check(driver().device_get(&device, number), "cuDeviceGet");
  char text[256] = {};
  cuda::check(driver().device_name(text, sizeof text - 1, device), "cuDeviceGetName");
  name = text;
  cuda::check(driver().device_memory(&memory, device), "cuDeviceTotalMem");
  major = attribute(kMajor, device);
  minor = attribute(kMinor, device);
  processors = attribute(kProcessors, device);
  cuda::check(driver().context_retain(&context, device), "cuDevicePrimaryCtxRetain");
  cuda::check(driver().context_set(context), "cuCtxSetCurrent");
  pool = std::make_unique<DevicePool>(number, context, memory - std::min(memory / 8, kLeft));
  for (int i = 0; i < kLanes; ++i) lanes[i] = std::make_unique<Lane>(*this, i);
}

void Device::enter() const {
  require(!forked(), "gpu(", number,
          "): a process that was forked cannot use its parent's GPU; start a new one");
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    require(lost_.empty(), lost_);
  }
  cuda::check(driver().context_set(context), "cuCtxSetCurrent");
}

void Device::check(Result result, const char* function) {
  if (__builtin_expect(result == 0, true)) return;
  const std::string text = std::string("cuda: ") + function + ": " + error_text(result);
  if (!is_final(result)) throw Error(text);
  std::string message;
  for (const auto& lane : lanes) {
    if (lane && message.empty()) message = lane->suspect(text);
  }
  if (message.empty()) message = text;
  const std::lock_guard<std::mutex> guard(mutex_);
  if (lost_.empty()) {
    lost_ =
        "gpu(" + std::to_string(number) + ") was lost, start a new process to use it: " + message;
  }
  throw Error(lost_);
}

void Device::wait(const Block& block) {
  for (int i = 0; i < kLanes; ++i) {
    if (block.used[i] != 0) lanes[i]->wait(block.used[i]);
  }
}

void Device::wait_all() {
  for (const auto& lane : lanes) lane->wait_all();
}

void Device::retire() {
  if (forked()) return;
  for (const auto& lane : lanes) lane->retire();
}

int num_devices() {
  static const int count = [] {
    int n = 0;
    const Driver* const found = find_driver();
    if (!found || found->device_count(&n) != 0) return 0;
    return std::min(n, kMaxGpus);
  }();
  return count;
}

bool is_physical(Context ctx) { return !ctx.is_cpu() && ctx.id >= 0 && ctx.id < num_devices(); }

Device* device_in_use(int number) { return devices[number].load(std::memory_order_acquire); }

Device& device_of(int number) {
  if (Device* const made = device_in_use(number)) return *made;
  static std::mutex mutex;
  const std::lock_guard<std::mutex> guard(mutex);
  if (Device* const made = device_in_use(number)) return *made;
  auto* const device = new Device(number);  // never destroyed: arrays outlive main()
  devices[number].store(device, std::memory_order_release);
  return *device;
}

}  // namespace cuda
}  // namespace hybrid
