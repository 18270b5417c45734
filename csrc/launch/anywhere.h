// Kernels where their memory is: on the host, on a device, or for a device on copies in the host.
#pragma once
#include "kernels/device_kernels.h"

namespace hybrid {

// body(inputs, outputs). `on_device`: it leaves all memory to kernels that devices have too.
template <class F>
void run_anywhere(const char* name, bool on_device, const TensorView* in, int num_in,
                  const TensorView* out, int num_out, Resources& resources, F body) {
  DeviceKernels* const device = resources.device();
  if (__builtin_expect(device == nullptr, true)) return body(in, out);
  if (on_device) {
    try {
      return body(in, out);
    } catch (const NotOnDevice&) {
      resources.reset_workspace();
    }
  }
  device->on_host(
      name, in, num_in, out, num_out,
      [](void* self, const TensorView* inputs, const TensorView* outputs) {
        (*static_cast<F*>(self))(inputs, outputs);
      },
      &body);
}

}  // namespace hybrid
