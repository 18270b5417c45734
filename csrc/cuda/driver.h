// The CUDA driver: the functions that are used of libcuda.so.1, declared here by their documented
// signatures, and the error that they give.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/error.h"

namespace hybrid {
namespace cuda {

using Result = int;  // 0: success
using Address = unsigned long long;
using Handle = void*;  // a context, stream, event, module or function
using DeviceNumber = int;

// X(member, exported name, parameters)
#define HYBRID_CUDA_FUNCTIONS(X)                                                                  \
  X(init, cuInit, (unsigned flags))                                                               \
  X(driver_version, cuDriverGetVersion, (int* version))                                           \
  X(error_name, cuGetErrorName, (Result error, const char** text))                                \
  X(error_text, cuGetErrorString, (Result error, const char** text))                              \
  X(device_count, cuDeviceGetCount, (int* count))                                                 \
  X(device_get, cuDeviceGet, (DeviceNumber * device, int ordinal))                                \
  X(device_name, cuDeviceGetName, (char* name, int size, DeviceNumber device))                    \
  X(device_memory, cuDeviceTotalMem_v2, (size_t* bytes, DeviceNumber device))                     \
  X(device_attribute, cuDeviceGetAttribute, (int* value, int attribute, DeviceNumber device))     \
  X(context_retain, cuDevicePrimaryCtxRetain, (Handle * context, DeviceNumber device))            \
  X(context_set, cuCtxSetCurrent, (Handle context))                                               \
  X(stream_create, cuStreamCreate, (Handle * stream, unsigned flags))                             \
  X(stream_wait, cuStreamWaitEvent, (Handle stream, Handle event, unsigned flags))                \
  X(event_create, cuEventCreate, (Handle * event, unsigned flags))                                \
  X(event_record, cuEventRecord, (Handle event, Handle stream))                                   \
  X(event_query, cuEventQuery, (Handle event))                                                    \
  X(event_wait, cuEventSynchronize, (Handle event))                                               \
  X(event_elapsed, cuEventElapsedTime, (float* ms, Handle start, Handle end))                     \
  X(memory_allocate, cuMemAlloc_v2, (Address * address, size_t bytes))                            \
  X(memory_free, cuMemFree_v2, (Address address))                                                 \
  X(pinned_allocate, cuMemHostAlloc, (void** memory, size_t bytes, unsigned flags))               \
  X(copy_in, cuMemcpyHtoDAsync_v2, (Address to, const void* from, size_t bytes, Handle stream))   \
  X(copy_out, cuMemcpyDtoHAsync_v2, (void* to, Address from, size_t bytes, Handle stream))        \
  X(copy_device, cuMemcpyDtoDAsync_v2, (Address to, Address from, size_t bytes, Handle stream))   \
  X(copy_peer, cuMemcpyPeerAsync,                                                                 \
    (Address to, Handle to_context, Address from, Handle from_context, size_t bytes,              \
     Handle stream))                                                                              \
  X(module_load, cuModuleLoadData, (Handle * module, const void* image))                          \
  X(module_function, cuModuleGetFunction, (Handle * function, Handle module, const char* name))   \
  X(launch, cuLaunchKernel,                                                                       \
    (Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,        \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, Handle stream, void** parameters, \
     void** extra))

struct Driver {
#define HYBRID_X(member, name, parameters) Result(*member) parameters = nullptr;
  HYBRID_CUDA_FUNCTIONS(HYBRID_X)
#undef HYBRID_X
  int version = 0;  // 13000: takes what CUDA 13.0 compiles
};

constexpr Result kOutOfMemory = 2;
constexpr Result kNotReady = 600;

// The driver, initialized; null when there is none. HYBRID_CUDA=0 in the environment hides it,
// HYBRID_CUDA_DRIVER names another library.
const Driver* find_driver();
const Driver& driver();  // throws Error when there is none
bool forked();           // this process is the child of the one that has the driver

std::string error_text(Result result);
// Throws Error with the function's name and the driver's text when `result` is not success.
void check(Result result, const char* function);

}  // namespace cuda
}  // namespace hybrid
