// Settings of cuBLAS.
#pragma once

namespace hybrid {
namespace cuda {

// Products of float32 matrices by tensor cores, whose factors have 10 bits after the point.
void set_tf32(bool on);
bool uses_tf32();

}  // namespace cuda
}  // namespace hybrid
