// The gradient to a convolution's weight, portable.
#define HYBRID_ISA base
#include "kernels/conv_weight.inc"
