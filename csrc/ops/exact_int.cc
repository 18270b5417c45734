// exact_int: Python's int() of an array.
#include <cmath>

#include "core/error.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

void infer_exact_int(InferContext& c) {
  set_dtype(c, 0, DType::int64);
  if (c.in_shapes[0].rank_known()) set_shape(c, 0, c.in_shapes[0]);
}

void run_exact_int(KernelContext& c) {
  const auto limit = static_cast<double>(c.attrs.integer("limit"));
  const bool divides = c.attrs.boolean("divisor");
  dispatch(c.in[0].dtype, "exact_int", [&](auto zero) {
    using T = decltype(zero);
    const T* in = c.in[0].as<T>();
    int64_t* out = c.out[0].as<int64_t>();
    for (int64_t i = 0; i < c.in[0].size(); ++i) {
      const auto x = static_cast<double>(in[i]);
      require(std::fabs(x) <= limit, "exact_int: given ", x, ", expected a number of at most ",
              limit, " either way");  // nan compares false
      require(!divides || x != 0, "exact_int: division by zero");
      out[i] = static_cast<int64_t>(in[i]);
    }
  });
}

}  // namespace

void register_exact_int() {
  OpDef def;
  def.name = "exact_int";
  def.doc =
      "The integer part of each number as int64, toward zero, as Python's int() gives it. An error "
      "where a number is nan, infinite or beyond the limit, or a divisor is 0.";
  def.inputs = {{"data", "numbers", false}};
  def.attrs = {{"limit", AttrType::integer, "1099511627776", "largest absolute value, below 2^53"},
               {"divisor", AttrType::boolean, "False", "something is divided by it"}};
  def.dtypes = kNumbers;
  def.infer = infer_exact_int;
  def.cpu = run_exact_int;
  add_op(std::move(def));
}

}  // namespace hybrid
