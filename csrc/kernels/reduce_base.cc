// Reductions, portable.
#define HYBRID_ISA base
#include "kernels/reduce.inc"
