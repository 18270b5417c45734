// Softmax, portable.
#define HYBRID_ISA base
#include "kernels/softmax.inc"
