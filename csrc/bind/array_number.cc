// The NDArray type's number and comparison slots, plain and in-place.
#include <pybind11/numpy.h>

#include "bind/invoke.h"
#include "launch/thread_state.h"

namespace hybrid {
namespace bind {

namespace {

// One Python operator: the core operator of two arrays, and its forms with a number.
struct NumberOp {
  const OpDef *arrays, *number_second, *number_first;
  Attrs arrays_attrs, second_attrs, first_attrs;
};

NumberOp make_op(const char* arrays, const char* second, const char* first) {
  NumberOp op{get_op(arrays), get_op(second), get_op(first), {}, {}, {}};
  op.arrays_attrs = Attrs(op.arrays);
  op.second_attrs = Attrs(op.number_second);
  op.first_attrs = Attrs(op.number_first);
  // MXNet's comparisons answer in the operands' dtype.
  for (Attrs* attrs : {&op.arrays_attrs, &op.second_attrs, &op.first_attrs}) {
    if (attrs->op()->attr_index("dtype") >= 0) attrs->set("dtype", AttrValue());
  }
  return op;
}

const NumberOp& number_op(ElemCode code) {
  using E = ElemCode;
  // Function-local statics: the operator table is complete when the first one is used.
#define HYBRID_OP(code, arrays, second, first)                                \
  case E::code: {                                                             \
    static const NumberOp* op = new NumberOp(make_op(arrays, second, first)); \
    return *op;                                                               \
  }
  switch (code) {
    HYBRID_OP(add, "add", "add_scalar", "add_scalar")
    HYBRID_OP(sub, "sub", "sub_scalar", "rsub_scalar")
    HYBRID_OP(mul, "mul", "mul_scalar", "mul_scalar")
    HYBRID_OP(div, "div", "div_scalar", "rdiv_scalar")
    HYBRID_OP(mod, "mod", "mod_scalar", "rmod_scalar")
    HYBRID_OP(floor_div, "floor_div", "floor_div_scalar", "rfloor_div_scalar")
    HYBRID_OP(power, "power", "power_scalar", "rpower_scalar")
    HYBRID_OP(equal, "equal", "equal_scalar", "equal_scalar")
    HYBRID_OP(not_equal, "not_equal", "not_equal_scalar", "not_equal_scalar")
    HYBRID_OP(greater, "greater", "greater_scalar", "lesser_scalar")
    HYBRID_OP(greater_equal, "greater_equal", "greater_equal_scalar", "lesser_equal_scalar")
    HYBRID_OP(lesser, "lesser", "lesser_scalar", "greater_scalar")
    HYBRID_OP(lesser_equal, "lesser_equal", "lesser_equal_scalar", "greater_equal_scalar")
    default:
      fail("no number slot for ", elem_code_name(code));
  }
#undef HYBRID_OP
}

Attrs with_number(const Attrs& attrs, PyObject* number) {
  Attrs result = attrs;
  result.set("scalar", number_value(number));
  return result;
}

// The other operand is neither an array nor a number: its own type may know what to do. NumPy would
// silently answer with a NumPy array, so its arrays are refused.
PyObject* not_implemented(PyObject* other, const char* op) {
  if (py::isinstance<py::array>(other)) {  // by its type: what stands in for one has its name
    throw py::type_error(
        std::string(op) +
        ": NDArray and numpy.ndarray do not mix; write nd.array(...) around the latter");
  }
  Py_RETURN_NOTIMPLEMENTED;
}

PyObject* general_binary(ElemCode code, PyObject* left, PyObject* right) {
  return guarded([&]() -> PyObject* {
    const bool left_array = is_array(left), right_array = is_array(right);
    if (left_array && right_array) {
      const NumberOp& op = number_op(code);
      const ArrayRef &a = ref_of(left, op.arrays->name), &b = ref_of(right, op.arrays->name);
      require_same_dtype(op.arrays->name, a, b);
      return wrap_ref(call_one(*op.arrays, op.arrays_attrs, {a, b}));
    }
    PyObject* number = left_array ? right : left;
    const NumberOp& op = number_op(code);
    if (!is_number(number)) return not_implemented(number, op.arrays->name);
    const ArrayRef& a = ref_of(left_array ? left : right, op.arrays->name);
    const OpDef& form = left_array ? *op.number_second : *op.number_first;
    return wrap_ref(
        call_one(form, with_number(left_array ? op.second_attrs : op.first_attrs, number), {a}));
  });
}

inline PyObject* binary(ElemCode code, PyObject* left, PyObject* right) {
  if (thread_state().mode == kEager && thread_state().writes == 0) {
    PyObject* result = nullptr;
    try {
      if (is_exact_array(left)) {
        result = is_exact_array(right) ? fast_binary(code, as_array(left), as_array(right))
                                       : fast_scalar(code, as_array(left), right, false);
      } else if (is_exact_array(right)) {
        result = fast_scalar(code, as_array(right), left, true);
      }
    } catch (...) {
      translate_exception();
      return nullptr;
    }
    if (result != nullptr || PyErr_Occurred()) return result;
  }
  return general_binary(code, left, right);
}

template <ElemCode code>
PyObject* binary_slot(PyObject* left, PyObject* right) {
  return binary(code, left, right);
}

PyObject* power_slot(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return general_binary(ElemCode::power, left, right);
}

template <ElemCode code>
PyObject* in_place_slot(PyObject* self, PyObject* other) {
  return guarded([&]() -> PyObject* {
    if (thread_state().mode == kEager && thread_state().writes == 0 && is_exact_array(self) &&
        fast_in_place(code, as_array(self), other)) {
      Py_INCREF(self);
      return self;
    }
    const NumberOp& op = number_op(code);
    if (!is_array(other) && !is_number(other)) return not_implemented(other, op.arrays->name);
    PyArray* target = as_array(self);
    const Write how = before_write(target, op.arrays->name);
    const bool as_node = how != Write::now;
    const ArrayRef a = ref_of(self, op.arrays->name);
    std::vector<ArrayRef> inputs{a};
    if (is_array(other)) {
      inputs.push_back(ref_of(other, op.arrays->name));
      require_same_dtype(op.arrays->name, inputs[0], inputs[1]);
      const Shape shape =
          broadcast_shapes(shape_of(inputs[0]), shape_of(inputs[1]), op.arrays->name);
      require(shape == shape_of(a), op.arrays->name, ": in place, the result has shape ", shape,
              ", expected that of the array written to, ", shape_of(a));
    }
    const OpDef& form = is_array(other) ? *op.arrays : *op.number_second;
    const Attrs attrs = is_array(other) ? op.arrays_attrs : with_number(op.second_attrs, other);
    const ModeScope mode(tracing() && !as_node ? static_cast<uint32_t>(kEager)
                                               : thread_state().mode);
    const std::vector<ArrayRef> out{a};
    store_result(target, call_op(form, attrs, inputs, as_node ? nullptr : &out).at(0), how);
    Py_INCREF(self);
    return self;
  });
}

PyObject* in_place_power(PyObject* self, PyObject* other, PyObject*) {
  return in_place_slot<ElemCode::power>(self, other);
}

PyObject* unary(PyObject* self, const char* name) {
  return guarded([&] {
    const OpDef& op = *get_op(name);
    return wrap_ref(call_one(op, Attrs(&op), {ref_of(self, name)}));
  });
}
PyObject* negative_slot(PyObject* self) { return unary(self, "neg"); }
PyObject* absolute_slot(PyObject* self) { return unary(self, "abs"); }
PyObject* positive_slot(PyObject* self) {
  Py_INCREF(self);
  return self;
}

PyObject* compare_slot(PyObject* left, PyObject* right, int op) {
  static constexpr ElemCode codes[] = {ElemCode::lesser,  ElemCode::lesser_equal,
                                       ElemCode::equal,   ElemCode::not_equal,
                                       ElemCode::greater, ElemCode::greater_equal};
  return general_binary(codes[op], left, right);  // Py_LT ... Py_GE are 0 ... 5
}

}  // namespace

void add_number_slots(Slots* slots) {
  const auto slot = [&](int id, auto* function) {
    slots->push_back({id, reinterpret_cast<void*>(function)});
  };
  using E = ElemCode;
  slot(Py_nb_add, &binary_slot<E::add>);
  slot(Py_nb_subtract, &binary_slot<E::sub>);
  slot(Py_nb_multiply, &binary_slot<E::mul>);
  slot(Py_nb_true_divide, &binary_slot<E::div>);
  slot(Py_nb_remainder, &binary_slot<E::mod>);
  slot(Py_nb_floor_divide, &binary_slot<E::floor_div>);
  slot(Py_nb_power, &power_slot);
  slot(Py_nb_inplace_add, &in_place_slot<E::add>);
  slot(Py_nb_inplace_subtract, &in_place_slot<E::sub>);
  slot(Py_nb_inplace_multiply, &in_place_slot<E::mul>);
  slot(Py_nb_inplace_true_divide, &in_place_slot<E::div>);
  slot(Py_nb_inplace_remainder, &in_place_slot<E::mod>);
  slot(Py_nb_inplace_floor_divide, &in_place_slot<E::floor_div>);
  slot(Py_nb_inplace_power, &in_place_power);
  slot(Py_nb_negative, &negative_slot);
  slot(Py_nb_positive, &positive_slot);
  slot(Py_nb_absolute, &absolute_slot);
  slot(Py_tp_richcompare, &compare_slot);
}

}  // namespace bind
}  // namespace hybrid
