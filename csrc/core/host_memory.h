// Host memory: pages from the system for the pools, and how much the machine has.
#pragma once
#include <cstddef>
#include <cstdint>

namespace hybrid {
namespace devices {

// At least 64-byte aligned; nullptr when the system has no more. Large blocks ask for huge pages:
// a fresh 40 MB block costs 28 ms in ordinary page faults.
void* host_allocate(size_t bytes);
void host_free(void* data);
// Physical memory this process may use: the machine's, or its control group's limit if lower.
int64_t host_memory_bytes();

}  // namespace devices
}  // namespace hybrid
