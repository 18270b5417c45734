// The operator tables as plain Python values, from which nd and sym make their functions.
#include "bind/graph_view.h"
#include "bind/mx_call.h"
#include "ops/differentiable_once.h"
#include "ops/half.h"
#include "ops/states.h"

namespace hybrid {
namespace bind {

namespace {

const char* type_name(AttrType type) {
  switch (type) {
    case AttrType::boolean:
      return "bool";
    case AttrType::integer:
      return "int";
    case AttrType::real:
      return "float";
    case AttrType::string:
      return "str";
    case AttrType::ints:
      return "ints";
    case AttrType::reals:
      return "reals";
    case AttrType::scalar:
      return "scalar";
    case AttrType::dtype:
      return "dtype";
    case AttrType::graph:
      return "graph";
  }
  return "?";
}

py::list dtype_names(DTypeSet set) {
  py::list names;
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (set & dtype_bit(dtype)) names.append(dtype_name(dtype));
  }
  return names;
}

py::list attr_list(const OpDef& op) {
  py::list attrs;
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    const AttrDef& def = op.attrs[i];
    py::dict attr;
    attr["name"] = def.name;
    attr["type"] = type_name(def.type);
    attr["required"] = def.default_text == nullptr;
    attr["default"] = attr_to_python(def.type, op.defaults.at(i));
    attr["doc"] = def.doc;
    attr["choices"] = def.choices == nullptr ? py::object(py::none())
                                             : py::object(py::str(def.choices).attr("split")("|"));
    attrs.append(attr);
  }
  return attrs;
}

py::list input_list(const OpDef& op) {
  py::list inputs;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const InputDef& def = op.inputs[i];
    py::dict input;
    input["name"] = def.name;
    input["doc"] = def.doc;
    input["differentiable"] = def.differentiable && op.gradient != nullptr;
    const bool optional = def.absent_if != nullptr && !is_state(op, i);
    input["optional"] = optional;
    input["absent_if"] = optional ? py::object(py::str(def.absent_if)) : py::none();
    input["auxiliary"] = is_state(op, i);
    inputs.append(input);
  }
  return inputs;
}

py::dict op_dict(const OpDef& op) {
  py::dict d;
  d["name"] = op.name;
  d["family"] = family_name(op.family);
  d["doc"] = op.doc;
  d["inputs"] = input_list(op);
  d["variadic"] = op.variadic;
  d["attrs"] = attr_list(op);
  d["num_outputs"] =
      op.num_outputs_fn ? py::object(py::none()) : py::object(py::int_(op.num_outputs));
  d["dtypes"] = dtype_names(cuts_integers(op) ? op.dtypes & ~kInts : op.dtypes);
  d["cuts_integers"] = cuts_integers(op);
  d["random"] = op.random;
  d["training_only"] = op.training_only;
  d["elementwise"] = op.elementwise != nullptr;
  d["view"] = op.view != nullptr;
  d["has_gradient"] = op.gradient != nullptr && op.gradient != differentiable_once;
  return d;
}

}  // namespace

const char* family_name(Family family) {
  static const char* const names[] = {"elementwise", "linear", "conv", "reduce",   "shape",
                                      "random",      "index",  "loss", "creation", "other"};
  return names[static_cast<int>(family)];
}

void bind_tables(py::module_& m) {
  m.def(
      "op_table",
      [] {
        py::list ops;
        for (const OpDef* op : all_ops()) ops.append(op_dict(*op));
        return ops;
      },
      "Every core operator with its inputs, attributes and documentation.");
  m.def(
      "mx_table",
      [] {
        py::list names;
        for (const MxName& mx : mx_names()) {
          py::dict d;
          d["name"] = mx.name;
          d["op"] = mx.op->name;
          d["fixed"] = mx.fixed;
          d["renamed"] = mx.renamed;
          d["exported"] = mx.exported;
          d["face"] = mx.face;
          names.append(d);
        }
        return names;
      },
      "MXNet's names: core operator, attributes fixed by the name, renamed attributes.");
}

}  // namespace bind
}  // namespace hybrid
