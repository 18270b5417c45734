// Reductions with AVX2 and FMA.
#ifdef __AVX2__
#define HYBRID_ISA avx2
#include "kernels/reduce.inc"
#endif
