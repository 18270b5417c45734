// Random numbers, portable.
#define HYBRID_ISA base
#include "kernels/random.inc"
