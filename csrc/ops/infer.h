// What inference rules share: filling shapes and dtypes both ways, with errors that say what and
// why.
#pragma once
#include <initializer_list>

#include "core/error.h"
#include "ops/op.h"

namespace hybrid {

// OpDef::infer of every registered operator: number of inputs, dtypes the operator has, its rule.
void checked_infer(InferContext& c);

// Merges what a rule found into output `i`; throws Error when it contradicts what is known there.
void set_shape(InferContext& c, size_t i, const Shape& shape);
void set_dtype(InferContext& c, size_t i, DType dtype);
// Input `i` must have this shape (unknown dimensions: any); unknown inputs take it.
void expect_shape(InferContext& c, size_t i, const Shape& expected);
void expect_dtype(InferContext& c, size_t i, DType expected);
void expect_rank(InferContext& c, size_t i, int ndim, const char* layout);
// These inputs have one dtype, unknown ones take it; returns it (unknown when none is known).
DType unify_dtypes(InferContext& c, std::initializer_list<size_t> inputs);
// All inputs and all outputs have one dtype.
void one_dtype(InferContext& c);
// Output 0 and every input have one shape.
void one_shape(InferContext& c);
// Every size that is known in `dims` is in range for a shape; throws Error naming the operator.
Shape checked_shape(const std::vector<int64_t>& dims, const char* op);
// Output 0 of an operator without inputs has the attribute shape's shape. With the attribute open
// (an operator that has it) sizes of 0, and all sizes of (), are those that the use decides.
AttrDef open_attr();
void set_given_shape(InferContext& c);

// Rules that several families use.
void infer_like(InferContext& c);       // one_shape, one_dtype
void infer_broadcast(InferContext& c);  // inputs of one dtype broadcast to the output
bool axis_in(uint32_t mask, int axis);

}  // namespace hybrid
