// The gradient to a convolution's weight, with AVX2 and FMA.
#ifdef __AVX2__
#define HYBRID_ISA avx2
#include "kernels/conv_weight.inc"
#endif
