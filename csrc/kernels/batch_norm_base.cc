// Batch normalization for every processor.
#define HYBRID_ISA base
#include "kernels/batch_norm.inc"
