// run_op: one operator on arrays with values; copies of whole arrays.
#pragma once
#include <vector>

#include "core/ndarray.h"
#include "ops/op.h"

namespace hybrid {

// Runs `op` on concrete inputs: checks dtypes, infers, allocates, pushes (or runs inline, or makes
// a view). `out`: optional arrays to write into (their shapes must match). Never Python.
// `key`: of random operators, see next_key(). `ctx`: where operators without inputs create.
// Without `windows` the result has memory of its own.
std::vector<NDArray> run_op(const OpDef& op, const Attrs& attrs, const std::vector<NDArray>& inputs,
                            uint64_t key, const std::vector<NDArray>* out = nullptr,
                            Context ctx = Context(), bool windows = true);

// The short way for small elementwise operators with one output: contiguous inputs of one shape on
// one idle device. Fills *out and returns true, or does nothing and returns false: use run_op.
bool run_small(const OpDef& op, const Attrs& attrs, const NDArray* const* inputs, int num_inputs,
               NDArray* out);

// Copies src into dst (same shape and dtype), also between devices; pushed on a copy lane then.
void copy_array(const NDArray& src, const NDArray& dst);
// The array itself, or a copy laid out in row-major order.
NDArray make_contiguous(const NDArray& array);

}  // namespace hybrid
