// The gradient to a convolution's weight, with AVX-512.
#ifdef __AVX512F__
#define HYBRID_ISA avx512
#include "kernels/conv_weight.inc"
#endif
