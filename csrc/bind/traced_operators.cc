// Python's operators on traced arrays: the ufuncs of the same name, without NumPy in between.
#include "bind/ufunc_plans.h"

namespace hybrid {
namespace bind {

namespace {

struct Operator {
  const char *ufunc, *name, *reflected, *in_place;  // of Python's special methods
};
#define HYBRID_OPERATOR(ufunc, name) {ufunc, "__" name "__", "__r" name "__", "__i" name "__"}
constexpr Operator kAdd = HYBRID_OPERATOR("add", "add");
constexpr Operator kSub = HYBRID_OPERATOR("subtract", "sub");
constexpr Operator kMul = HYBRID_OPERATOR("multiply", "mul");
constexpr Operator kDiv = HYBRID_OPERATOR("true_divide", "truediv");
constexpr Operator kFloorDiv = HYBRID_OPERATOR("floor_divide", "floordiv");
constexpr Operator kMod = HYBRID_OPERATOR("remainder", "mod");
constexpr Operator kPow = HYBRID_OPERATOR("power", "pow");
constexpr Operator kMatmul = HYBRID_OPERATOR("matmul", "matmul");
constexpr Operator kAnd = HYBRID_OPERATOR("bitwise_and", "and");
constexpr Operator kOr = HYBRID_OPERATOR("bitwise_or", "or");
constexpr Operator kXor = HYBRID_OPERATOR("bitwise_xor", "xor");
constexpr Operator kLshift = HYBRID_OPERATOR("left_shift", "lshift");
constexpr Operator kRshift = HYBRID_OPERATOR("right_shift", "rshift");
#undef HYBRID_OPERATOR
constexpr Operator kNegative = {"negative", "__neg__", nullptr, nullptr};
constexpr Operator kPositive = {"positive", "__pos__", nullptr, nullptr};
constexpr Operator kAbsolute = {"absolute", "__abs__", nullptr, nullptr};
constexpr Operator kInvert = {"invert", "__invert__", nullptr, nullptr};
constexpr Operator kLess = {"less", "__lt__", nullptr, nullptr};
constexpr Operator kLessEqual = {"less_equal", "__le__", nullptr, nullptr};
constexpr Operator kEqual = {"equal", "__eq__", nullptr, nullptr};
constexpr Operator kNotEqual = {"not_equal", "__ne__", nullptr, nullptr};
constexpr Operator kGreater = {"greater", "__gt__", nullptr, nullptr};
constexpr Operator kGreaterEqual = {"greater_equal", "__ge__", nullptr, nullptr};

// NumPy's ufunc of an operator, looked up once; null with an error set.
template <const Operator& op>
Ufunc* ufunc() {
  static Ufunc* const found = ufunc_of(py::module_::import("numpy").attr(op.ufunc).ptr());
  return found;
}

PyObject* slowly(const char* name, PyObject* self, PyObject* other, PyObject* third = nullptr) {
  PyObject* road = slow_road(name);
  if (road == nullptr) Py_RETURN_NOTIMPLEMENTED;
  return PyObject_CallFunctionObjArgs(road, self, other, third, nullptr);
}

// NumPy's ** of bools by 2 takes a way of its own.
bool is_plain(const Operator& op, PyObject* self) {
  if (&op != &kPow || !is_exact_traced(self)) return true;
  PyObject* handle = unless_none(as_traced(self)->handle);
  return handle != nullptr && dtype_of(node_ref(handle)) != DType::boolean;
}

template <const Operator& op>
PyObject* binary(PyObject* left, PyObject* right) {
  return guarded([&]() -> PyObject* {
    if (is_plain(op, left)) {
      PyObject* const operands[] = {left, right};
      PyObject* made = record_ufunc(ufunc<op>(), operands, 2, nullptr);
      if (made != nullptr || PyErr_Occurred() != nullptr) return made;
    }
    if (is_exact_traced(left)) return slowly(op.name, left, right);
    return slowly(op.reflected, right, left);
  });
}

bool is_writeable(Traced* t) {
  if (unless_none(t->parent) == nullptr && unless_none(t->origin) == nullptr) return !t->is_scalar;
  PyObject* found = PyObject_GetAttrString(reinterpret_cast<PyObject*>(t), "writeable");
  Py_XDECREF(found);
  return found == Py_True;
}

// The array itself, with new contents. Null: the slow road is to find out why, or takes_slow_road()
// says not.
PyObject* update(Ufunc* ufunc, PyObject* self, PyObject* other) {
  Traced* t = as_traced(self);
  const bool writeable = recorder_of(t)->active && is_writeable(t);
  if (PyErr_Occurred() != nullptr || !writeable || !floats_are_quiet()) return nullptr;
  PyObject* before = unless_none(t->selected) == nullptr ? handle_of(t) : nullptr;
  if (before == nullptr) return nullptr;
  const py::object own = py::reinterpret_steal<py::object>(before);
  const Shape shape = shape_of(node_ref(before));
  if (is_exact_traced(other)) {
    PyObject* value = unless_none(as_traced(other)->handle);
    if (value == nullptr || shape_of(node_ref(value)) != shape) return nullptr;
  }
  PyObject* const operands[] = {self, other};
  PyObject* made = ufunc_node(ufunc, operands, 2, nullptr);
  if (made == nullptr) return nullptr;
  const py::object node = py::reinterpret_steal<py::object>(made);
  const ArrayRef& ref = node_ref(made);
  if (shape_of(ref) != shape || dtype_of(ref) != dtype_of(node_ref(before))) return nullptr;
  return assign_node(t, made) ? Py_NewRef(self) : nullptr;
}

template <const Operator& op>
PyObject* in_place(PyObject* self, PyObject* other) {
  return guarded([&]() -> PyObject* {
    if (!is_exact_traced(self)) Py_RETURN_NOTIMPLEMENTED;
    // A NumPy scalar is a value: the name gets a new one.
    if (as_traced(self)->is_scalar) return binary<op>(self, other);
    if (is_plain(op, self)) {
      PyObject* made = update(ufunc<op>(), self, other);
      if (made != nullptr || !takes_slow_road()) return made;
    }
    return slowly(op.in_place, self, other);
  });
}

PyObject* power(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus == Py_None) return binary<kPow>(left, right);
  if (!is_exact_traced(left)) Py_RETURN_NOTIMPLEMENTED;
  return slowly(kPow.name, left, right, modulus);  // raises
}

PyObject* in_place_power(PyObject* self, PyObject* other, PyObject*) {
  return in_place<kPow>(self, other);
}

PyObject* divmod(PyObject* left, PyObject* right) {
  if (is_exact_traced(left)) return slowly("__divmod__", left, right);
  return slowly("__rdivmod__", right, left);
}

template <const Operator& op>
PyObject* unary(PyObject* self) {
  return guarded([&]() -> PyObject* {
    PyObject* made = record_ufunc(ufunc<op>(), &self, 1, nullptr);
    if (made != nullptr || PyErr_Occurred() != nullptr) return made;
    return slowly(op.name, self, nullptr);
  });
}

template <const Operator& op>
PyObject* compared(PyObject* self, PyObject* other) {
  PyObject* const operands[] = {self, other};
  PyObject* made = record_ufunc(ufunc<op>(), operands, 2, nullptr);
  if (made != nullptr || PyErr_Occurred() != nullptr) return made;
  return slowly(op.name, self, other);
}

PyObject* compare(PyObject* self, PyObject* other, int test) {
  return guarded([&]() -> PyObject* {
    switch (test) {
      case Py_LT:
        return compared<kLess>(self, other);
      case Py_LE:
        return compared<kLessEqual>(self, other);
      case Py_EQ:
        return compared<kEqual>(self, other);
      case Py_NE:
        return compared<kNotEqual>(self, other);
      case Py_GT:
        return compared<kGreater>(self, other);
      default:
        return compared<kGreaterEqual>(self, other);
    }
  });
}

}  // namespace

void add_traced_operators(Slots* slots) {
  const auto slot = [&](int id, auto function) {
    slots->push_back({id, reinterpret_cast<void*>(function)});
  };
  slot(Py_nb_add, &binary<kAdd>);
  slot(Py_nb_subtract, &binary<kSub>);
  slot(Py_nb_multiply, &binary<kMul>);
  slot(Py_nb_true_divide, &binary<kDiv>);
  slot(Py_nb_floor_divide, &binary<kFloorDiv>);
  slot(Py_nb_remainder, &binary<kMod>);
  slot(Py_nb_power, &power);
  slot(Py_nb_matrix_multiply, &binary<kMatmul>);
  slot(Py_nb_and, &binary<kAnd>);
  slot(Py_nb_or, &binary<kOr>);
  slot(Py_nb_xor, &binary<kXor>);
  slot(Py_nb_lshift, &binary<kLshift>);
  slot(Py_nb_rshift, &binary<kRshift>);
  slot(Py_nb_divmod, &divmod);
  slot(Py_nb_inplace_add, &in_place<kAdd>);
  slot(Py_nb_inplace_subtract, &in_place<kSub>);
  slot(Py_nb_inplace_multiply, &in_place<kMul>);
  slot(Py_nb_inplace_true_divide, &in_place<kDiv>);
  slot(Py_nb_inplace_floor_divide, &in_place<kFloorDiv>);
  slot(Py_nb_inplace_remainder, &in_place<kMod>);
  slot(Py_nb_inplace_power, &in_place_power);
  slot(Py_nb_inplace_matrix_multiply, &in_place<kMatmul>);
  slot(Py_nb_inplace_and, &in_place<kAnd>);
  slot(Py_nb_inplace_or, &in_place<kOr>);
  slot(Py_nb_inplace_xor, &in_place<kXor>);
  slot(Py_nb_inplace_lshift, &in_place<kLshift>);
  slot(Py_nb_inplace_rshift, &in_place<kRshift>);
  slot(Py_nb_negative, &unary<kNegative>);
  slot(Py_nb_positive, &unary<kPositive>);
  slot(Py_nb_absolute, &unary<kAbsolute>);
  slot(Py_nb_invert, &unary<kInvert>);
  slot(Py_tp_richcompare, &compare);
}

}  // namespace bind
}  // namespace hybrid
