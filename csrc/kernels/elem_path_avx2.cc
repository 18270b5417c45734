// Paths of elements with AVX2.
#ifdef __AVX2__
#define HYBRID_ISA avx2
#include "kernels/elem_path.inc"
#endif
