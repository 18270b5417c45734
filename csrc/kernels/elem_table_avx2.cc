// Elementwise block functions with AVX2 and FMA.
#ifdef __AVX2__
#define HYBRID_ISA avx2
#include "kernels/elem_table.inc"
#endif
