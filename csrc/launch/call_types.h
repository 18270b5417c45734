// CallTypes: shapes and dtypes of one call of an operator, checked as every face reports them.
#pragma once
#include <string>
#include <vector>

#include "core/context.h"
#include "ops/op.h"

namespace hybrid {

struct CallTypes {
  std::vector<Shape> in_shapes, out_shapes;
  std::vector<DType> in_dtypes, out_dtypes;
  void clear();
  void add_input(const Shape& shape, DType dtype);
};

std::string input_name(const OpDef& op, size_t i);
// Throws Error naming the operator, the number expected and the number given.
void check_arity(const OpDef& op, const Attrs& attrs, size_t num_inputs);
// Checks the dtype against the table and infers the outputs from the inputs given. Throws Error
// naming operator, what was given and what is supported.
void infer_call(const OpDef& op, const Attrs& attrs, CallTypes* types);
// Throws Error naming the operator when the device on which it makes an array is not there.
void check_device(const OpDef& op, Context ctx);

}  // namespace hybrid
