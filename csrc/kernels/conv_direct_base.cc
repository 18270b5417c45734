// Direct convolution, portable.
#define HYBRID_ISA base
#include "kernels/conv_direct.inc"
