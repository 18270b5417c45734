// The op table: ONE entry per operator, from which faces, inference, kernels and gradients come.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/kernel_cost.h"
#include "kernels/elementwise.h"
#include "ops/attrs.h"

namespace hybrid {

struct Entry;
class GradBuilder;  // ops/grad_builder.h

struct InputDef {
  const char* name;  // MXNet's: "data", "weight", "lhs"
  const char* doc;
  bool differentiable = true;
  // Optional inputs are last; absent when this boolean attribute is true ("no_bias"), when it is
  // false ("!use_length"), or unless it has this value ("mode!lstm").
  const char* absent_if = nullptr;
  bool is_absent(const Attrs& a) const;
};

// Shapes and dtypes, possibly partial (-1, unknown). Inference may fill inputs too (weights).
struct InferContext {
  const Attrs& attrs;
  std::vector<Shape>& in_shapes;
  std::vector<Shape>& out_shapes;
  std::vector<DType>& in_dtypes;
  std::vector<DType>& out_dtypes;
  const char* op_name;
};

struct KernelContext {
  const Attrs& attrs;
  const TensorView* in;
  int num_in;
  const TensorView* out;
  int num_out;
  uint64_t key;  // random operators: the draw's key
  Resources& resources;
};

enum class Family : uint8_t {
  elementwise,
  linear,
  conv,
  reduce,
  shape,
  random,
  index,
  loss,
  creation,
  other
};

// May output `out` be written over input `in` (same shape and dtype) / be a view of it?
struct InPlacePair {
  int8_t in, out;
};

struct OpDef {
  const char* name = nullptr;  // core name, snake_case or MXNet's: "add", "FullyConnected"
  Family family = Family::other;
  const char* doc = "";  // one paragraph: meaning, shapes, source of the formula
  std::vector<InputDef> inputs;
  bool variadic = false;  // any number of the first input (concat, stack, add_n)
  std::vector<AttrDef> attrs;
  int num_outputs = 1;
  int (*num_outputs_fn)(const Attrs&) = nullptr;  // split
  DTypeSet dtypes =
      kFloats;  // of the first input (of the output for creation); others follow infer

  // Throws Error with given and expected. Outputs may come in partly known: rules fill inputs from
  // them where they can.
  void (*infer)(InferContext&) = nullptr;
  void (*cpu)(KernelContext&) = nullptr;  // null only for elementwise and view operators
  // Elementwise code for fusion and for the kernel itself: instructions over inputs 0..n-1, given
  // the inputs' dtypes; the last instruction is the output. Null: not elementwise.
  void (*elementwise)(const Attrs&, const std::vector<DType>& in,
                      std::vector<ElemInstr>* out) = nullptr;
  // A view: computes the output's window on input 0 without copying (reshape, slice, transpose...).
  // Returns false when this use must copy (then `cpu` runs).
  bool (*view)(const Attrs&, const TensorView& in, Shape* shape, Shape* strides,
               int64_t* offset) = nullptr;
  // Gradient as graph nodes; null: not differentiable (all inputs).
  void (*gradient)(GradBuilder&) = nullptr;
  std::vector<InPlacePair> in_place;
  ElemCode code = ElemCode::copy;  // elementwise: the instruction that dominates the cost
  bool strided_ok = false;         // kernels take strided inputs (elementwise: always)
  // `cpu` leaves all memory to kernels that run on devices too (kernels/device_kernels.h).
  bool on_device = false;
  bool random = false;        // takes a key; never merged or folded
  bool control_flow = false;  // a branch or a loop over graphs, its attributes
  // The key under which this use waits for others, those of the attribute "ndev" in all, while they
  // run (engine/meeting.h); empty: it does not. What may is neither merged nor part of a loop.
  std::string (*meets)(const Attrs&) = nullptr;
  // What runs graphs: their kernels on a modelled device, one after the other, instead of its own.
  std::vector<model::Kernel> (*device_kernels)(const Attrs&, const std::vector<Shape>& in,
                                               const std::vector<DType>& dtypes) = nullptr;
  bool training_only = false;  // Dropout: identity unless training
  // Draws in training, where its attribute p is above 0; otherwise its key is 0 (RNN).
  bool drops_in_training = false;
  // Estimated FLOP; null: size of the outputs. Bytes are the sum over inputs and outputs.
  double (*flops)(const Attrs&, const std::vector<Shape>& in,
                  const std::vector<Shape>& out) = nullptr;

  int count_outputs(const Attrs& a) const {
    return num_outputs_fn ? num_outputs_fn(a) : num_outputs;
  }
  std::string meeting_key(const Attrs& a) const { return meets ? meets(a) : std::string(); }
  int attr_index(const char* attr_name) const;  // -1 when absent
  int count_inputs(const Attrs& a) const;       // -1: variadic

  // Filled by add_op: parsed default values, and the family's own rule. `infer` then checks the
  // number of inputs and their dtypes before and after it.
  std::vector<AttrValue> defaults;
  void (*rule)(InferContext&) = nullptr;
  // Likewise the family's own code and kernel, for float32 in the place of halves (ops/half.h).
  void (*own_elementwise)(const Attrs&, const std::vector<DType>&,
                          std::vector<ElemInstr>*) = nullptr;
  void (*own_cpu)(KernelContext&) = nullptr;
};

// The table. Families add their entries from register_<family>() in ops/table.cc.
const OpDef* find_op(const std::string& core_name);  // null when unknown
const OpDef* get_op(const std::string& core_name);   // throws Error naming near misses
const std::vector<const OpDef*>& all_ops();
const OpDef* add_op(OpDef def);  // used by the families only

// Estimated ns of one run on one core, for the engine and the planner.
double estimate_cost_ns(const OpDef& op, const Attrs& attrs, const std::vector<Shape>& in,
                        const std::vector<Shape>& out, DType dtype);

// What it asks of a modelled device.
model::KernelCost device_cost(const OpDef& op, const Attrs& attrs, const std::vector<Shape>& in,
                              const std::vector<Shape>& out, DType dtype);

}  // namespace hybrid
