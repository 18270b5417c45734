// Which instruction set the kernels use; every ISA-specific unit is compiled once for each.
#pragma once

namespace hybrid {

// True when AVX2 and FMA units are there and the processor and the system support them.
// HYBRID_ISA=base in the environment asks for the portable units. Decided once.
bool use_avx2();
// The same of AVX-512 (F, BW, DQ, VL) beside them; HYBRID_ISA=avx2 asks to do without.
bool use_avx512();

}  // namespace hybrid
