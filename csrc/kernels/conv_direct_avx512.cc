// Direct convolution with AVX-512.
#ifdef __AVX512F__
#define HYBRID_ISA avx512
#include "kernels/conv_direct.inc"
#endif
