// The gradient of an operator whose rule needs shapes that are not known yet; compiling closes it.
#include "graph/grad_builder.h"
#include "ops/families.h"
#include "ops/infer.h"

namespace hybrid {
namespace {

// Inputs: output 0 of the operator, those of its inputs that are wanted, then what flows back.
void infer_open(InferContext& c) {
  const size_t wanted = c.attrs.ints("wanted").size();
  require(c.in_shapes.size() == 1 + wanted + c.attrs.ints("given").size(), "open_gradient: given ",
          c.in_shapes.size(), " inputs for ", wanted, " gradients");
  for (size_t k = 0; k < wanted; ++k) {
    set_shape(c, k, c.in_shapes[1 + k]);
    expect_shape(c, 1 + k, c.out_shapes[k]);
    set_dtype(c, k, c.in_dtypes[1 + k]);
  }
}

[[noreturn]] void run_open(KernelContext&) {
  fail(
      "open_gradient: this gradient's rule needs shapes that were not known when it was made: "
      "compile the graph with the shapes of its inputs");
}

void grad_open(GradBuilder&) {
  fail(
      "open_gradient: a gradient is taken of a gradient whose shapes are not known; give them "
      "where the variables are made, as in Variable('a', shape=(2, 3))");
}

}  // namespace

void register_open_gradient() {
  OpDef open;
  open.name = "open_gradient";
  open.doc =
      "The gradients by some inputs of the operator that made `data[0]`, whose rule needs shapes "
      "that are not known yet: replaced by the rule's operators when a graph is compiled.";
  open.inputs = {{"data", "a result, the inputs wanted, the gradients given"}};
  open.variadic = true;
  open.attrs = {{"wanted", AttrType::ints, nullptr, "inputs of the operator, by position"},
                {"given", AttrType::ints, nullptr, "its outputs through which a gradient flows"}};
  open.num_outputs_fn = [](const Attrs& a) { return static_cast<int>(a.ints("wanted").size()); };
  open.dtypes = kAllComputed;
  open.infer = infer_open;
  open.cpu = run_open;
  open.gradient = grad_open;
  add_op(std::move(open));
}

}  // namespace hybrid
