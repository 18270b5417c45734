// Paths of elements, portable.
#define HYBRID_ISA base
#include "kernels/elem_path.inc"
