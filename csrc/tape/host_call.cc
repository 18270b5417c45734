#include "tape/host_call.h"

#include "core/error.h"
#include "launch/launch.h"
#include "ops/grad_builder.h"
#include "tape/tape.h"

namespace hybrid {

namespace {

OpDef own_op(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.doc = doc;
  def.inputs = {{"data", "arrays"}};
  def.variadic = true;
  def.dtypes = ~DTypeSet{0};
  return def;
}

const OpDef& host_backward_op() {
  static const OpDef& op = *new OpDef([] {
    OpDef def = own_op("python_function_backward",
                       "Gradients of a function of Python's: by `wanted` inputs, given `heads`.");
    def.gradient = [](GradBuilder&) {
      fail(
          "a function in Python (autograd.Function, Custom) can be differentiated once: its "
          "backward is computed, not recorded");
    };
    def.attrs = {{"heads", AttrType::ints, nullptr, "outputs with a gradient"},
                 {"wanted", AttrType::ints, nullptr, "inputs whose gradient is wanted"}};
    def.defaults.resize(def.attrs.size());
    def.num_outputs_fn = [](const Attrs& a) { return static_cast<int>(a.ints("wanted").size()); };
    def.infer = [](InferContext& c) {
      const size_t first = c.attrs.ints("heads").size();
      const auto& wanted = c.attrs.ints("wanted");
      for (size_t i = 0; i < wanted.size(); ++i) {
        const size_t at = first + static_cast<size_t>(wanted[i]);
        c.out_shapes.at(i) = c.in_shapes.at(at);
        c.out_dtypes.at(i) = c.in_dtypes.at(at);
      }
    };
    return def;
  }());
  return op;
}

void host_call_gradient(GradBuilder& b) {
  std::vector<int64_t> heads, wanted;
  std::vector<Entry> inputs;
  for (int i = 0; i < b.num_outputs(); ++i) {
    if (!b.has_out_grad(i)) continue;
    heads.push_back(i);
    inputs.push_back(b.out_grad(i));
  }
  for (int i = 0; i < b.num_inputs(); ++i) {
    if (b.wanted(i)) wanted.push_back(i);
    inputs.push_back(b.input(i));
  }
  Attrs attrs(&host_backward_op());
  attrs.set("heads", heads);
  attrs.set("wanted", wanted);
  const Entry first = b.op(attrs, inputs);
  for (size_t k = 0; k < wanted.size(); ++k) {
    b.set(static_cast<int>(wanted[k]), {first.node, static_cast<int32_t>(k)});
  }
}

NDArray zeros_of(const SymNode& call, size_t out) {
  static const OpDef* zeros = get_op("zeros");
  Attrs attrs(zeros);
  attrs.set("shape", call.shapes.at(out).to_vector());
  attrs.set("dtype", static_cast<int64_t>(call.dtypes.at(out)));
  return run_op(*zeros, attrs, {}, 0, nullptr, call.ctx).at(0);
}

std::vector<ArrayRef> recorded_gradients(const Attrs& attrs, const SymNode& call,
                                         std::vector<ArrayRef> inputs,
                                         const std::vector<ArrayRef>& results) {
  for (const SymEntry& e : call.inputs) {
    inputs.push_back({saved_value(*e.node, e.out), Ref<ArrayExtra>(new ArrayExtra)});
    inputs.back().extra->entry = e;
  }
  std::vector<NDArray> values, made;
  for (const ArrayRef& a : inputs) values.push_back(concrete(a));
  for (const ArrayRef& a : results) made.push_back(a.array);
  return record(host_backward_op(), attrs, inputs, values, made, 0);
}

}  // namespace

bool is_host_backward(const OpDef* op) { return op == &host_backward_op(); }

const OpDef& host_call_op() {
  static const OpDef& op = *new OpDef([] {
    OpDef def = own_op("python_function", "A function of Python's, called as one operator.");
    def.attrs = {{"outputs", AttrType::integer, nullptr, "number of outputs"}};
    def.defaults.resize(def.attrs.size());
    def.num_outputs_fn = [](const Attrs& a) { return static_cast<int>(a.integer("outputs")); };
    def.infer = [](InferContext&) {};  // known from the call
    def.gradient = host_call_gradient;
    return def;
  }());
  return op;
}

std::vector<ArrayRef> record_host_call(const std::vector<ArrayRef>& inputs,
                                       const std::vector<ArrayRef>& results,
                                       std::shared_ptr<HostCall> call) {
  std::vector<NDArray> values, made;
  for (const ArrayRef& a : inputs) values.push_back(concrete(a));
  for (const ArrayRef& a : results) made.push_back(concrete(a));
  Attrs attrs(&host_call_op());
  attrs.set("outputs", static_cast<int64_t>(made.size()));
  return record(host_call_op(), attrs, inputs, values, made, 0, std::move(call));
}

std::vector<ArrayRef> run_host_backward(const Attrs& attrs, const SymNode& call,
                                        const std::vector<ArrayRef>& out_grads, bool recorded) {
  check_not_freed(call);
  std::vector<ArrayRef> grads(static_cast<size_t>(call.num_outputs));
  const std::vector<int64_t>& heads = attrs.ints("heads");
  for (size_t i = 0; i < heads.size(); ++i) grads[static_cast<size_t>(heads[i])] = out_grads.at(i);
  for (size_t i = 0; i < grads.size(); ++i) {
    if (!grads[i].array.defined()) grads[i].array = zeros_of(call, i);
  }
  const std::vector<ArrayRef> found = static_cast<HostCall*>(call.held.get())->backward(grads);
  std::vector<ArrayRef> results;
  for (int64_t i : attrs.ints("wanted")) {
    const SymEntry& input = call.inputs.at(static_cast<size_t>(i));
    const Shape& shape = input.node->shapes.at(static_cast<size_t>(input.out));
    const DType dtype = input.node->dtypes.at(static_cast<size_t>(input.out));
    ArrayRef grad = found.at(static_cast<size_t>(i));
    require(shape_of(grad) == shape && dtype_of(grad) == dtype, describe_node(call),
            ": the gradient of input ", i, " should be ", dtype_name(dtype), " ", shape,
            ", backward gave ", dtype_name(dtype_of(grad)), " ", shape_of(grad));
    results.push_back({concrete(grad), {}});
  }
  return recorded ? recorded_gradients(attrs, call, out_grads, results) : results;
}

}  // namespace hybrid
