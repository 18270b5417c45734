// Batch normalization with AVX2.
#ifdef __AVX2__
#define HYBRID_ISA avx2
#include "kernels/batch_norm.inc"
#endif
