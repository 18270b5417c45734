// Elementwise block functions, portable.
#define HYBRID_ISA base
#include "kernels/elem_table.inc"
