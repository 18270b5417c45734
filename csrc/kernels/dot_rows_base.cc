// Dot products of rows, portable.
#define HYBRID_ISA base
#include "kernels/dot_rows.inc"
