// Matrix product of any dtype with arithmetic, for the kernels of linear operators.
#pragma once
#include "kernels/kernels.h"

namespace hybrid {

// c[m,n] = op(a)[m,k] @ op(b)[k,n], all contiguous; zeros when k is 0.
void matrix_product(DType dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k,
                    const void* a, const void* b, void* c, Resources& resources);

}  // namespace hybrid
