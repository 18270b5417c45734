// Compiler: NVRTC, from source to machine code of one architecture.
#pragma once
#include <string>
#include <vector>

namespace hybrid {
namespace cuda {

// Sources that kernels include by name: the CPU kernels' own and those of csrc/cuda/device, put
// into the library when it is built (CMakeLists.txt).
struct DeviceSource {
  const char* name;
  const char* text;
};
extern const DeviceSource device_sources[];
extern const int num_device_sources;

// "sm_90": machine code, which that GPU runs as it is. Throws Error with the compiler's log;
// NotOnDevice when there is no NVRTC.
std::string compile_source(const std::string& source, const std::string& architecture);
// Name and version of the compiler and of what it is told, for the cache; "" without NVRTC.
std::string compiler_identity();
std::string why_no_compiler();

}  // namespace cuda
}  // namespace hybrid
