#include "bind/ufunc_plans.h"

#include <array>
#include <memory>
#include <string>
#include <unordered_map>

#include "bind/invoke.h"

namespace hybrid {
namespace bind {

// By kinds: dtypes, then Python's bool, int, float and complex.
constexpr int kKinds = kNumDTypes + 4;
struct Ufunc {
  PyObject* function;
  std::string name;
  int count;                     // of operands; 0: it is not recorded here
  std::vector<PyObject*> plans;  // by kind, or by pair of kinds; null: not asked yet
};

namespace {

// A plan that needs no Python: a cast where an operand has another dtype, and one operator.
struct Plan {
  PyObject_HEAD const OpDef* op;
  Attrs attrs;
  DType dtype;           // of the operands
  int number_at;         // which operand is a Python number; -1: none
  int64_t low, high;     // integers that the operator takes
  PyObject* general;     // called for other numbers
  PyObject* two;         // the plan for the number 2, or null,
  PyObject* half;        // ... and for 0.5
  PyObject* transposes;  // of a product: by id, what matrices are transposes of; else null
};
PyTypeObject* plan_type = nullptr;
Plan* as_plan(PyObject* o) { return reinterpret_cast<Plan*>(o); }

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_plan(self)->general);
  Py_VISIT(as_plan(self)->two);
  Py_VISIT(as_plan(self)->half);
  Py_VISIT(as_plan(self)->transposes);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(as_plan(self)->general);
  Py_CLEAR(as_plan(self)->two);
  Py_CLEAR(as_plan(self)->half);
  Py_CLEAR(as_plan(self)->transposes);
  return 0;
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  as_plan(self)->attrs.~Attrs();
  type->tp_free(self);
  Py_DECREF(type);
}

// What kernels and NumPy's settings have to agree in (float_errors.py).
PyObject* float_state = nullptr;    // the context variable, or null
PyObject* harmless = nullptr;       // [state, filters] that were looked at last
PyObject* warnings_dict = nullptr;  // in which the filters are replaced
PyObject* require_quiet = nullptr;  // looks again, and raises
PyObject* plan_of = nullptr;        // (ufunc, *kinds): a plan, or raises

PyObject* marked_node(const OpDef& op, const Attrs& attrs, PyObject* const* handles, int count,
                      const char* name) {
  PyObject* made = record_node(op, attrs, handles, count);
  if (made != nullptr && tracing()) mark_float_warnings(node_ref(made), name);
  return made;
}

PyObject* cast_node(PyObject* handle, DType dtype, const char* name) {
  if (dtype_of(node_ref(handle)) == dtype) return Py_NewRef(handle);
  static const OpDef* op = get_op("cast");
  Attrs attrs(op);
  attrs.set("dtype", static_cast<int64_t>(dtype));
  return marked_node(*op, attrs, &handle, 1, name);
}

PyObject* run_arrays(Plan* plan, PyObject* const* operands, int count, const char* name) {
  PyObject* handles[2] = {nullptr, nullptr};
  bool ready = true;
  for (int i = 0; i < count && ready; ++i) {
    handles[i] = guarded([&] { return cast_node(operands[i], plan->dtype, name); });
    ready = handles[i] != nullptr;
  }
  PyObject* made = ready ? marked_node(*plan->op, plan->attrs, handles, count, name) : nullptr;
  for (PyObject* handle : handles) Py_XDECREF(handle);
  return made;
}

PyObject* run(PyObject* plan, PyObject* const* operands, int count, const char* name);

// A product of vectors and matrices, none of them a transpose, which it reads another way.
bool is_plain_product(const Plan* plan, PyObject* const* operands) {
  for (int i = 0; i < 2; ++i) {
    const int rank = shape_of(node_ref(operands[i])).ndim();
    if (rank < 1 || rank > 2) return false;
    if (PyDict_GET_SIZE(plan->transposes) == 0) continue;
    const py::int_ id(reinterpret_cast<uintptr_t>(operands[i]));
    if (PyDict_Contains(plan->transposes, id.ptr()) != 0) return false;
  }
  const Shape &a = shape_of(node_ref(operands[0])), &b = shape_of(node_ref(operands[1]));
  return a[a.ndim() - 1] == b[0];
}

PyObject* run_number(Plan* plan, PyObject* const* operands, const char* name) {
  PyObject* number = operands[plan->number_at];
  PyObject* array = operands[1 - plan->number_at];
  bool fits = PyFloat_CheckExact(number) != 0;
  double value = fits ? PyFloat_AS_DOUBLE(number) : 0;
  if (!fits) {
    int beyond = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(number, &beyond);
    fits = beyond == 0 && whole >= plan->low && whole <= plan->high;
    value = static_cast<double>(whole);
  }
  if (fits && plan->two != nullptr && value == 2) return run(plan->two, &array, 1, name);
  if (fits && plan->half != nullptr && value == 0.5) return run(plan->half, &array, 1, name);
  if (!fits) return PyObject_Vectorcall(plan->general, operands, 2, nullptr);
  return guarded([&]() -> PyObject* {
    PyObject* handle = cast_node(array, plan->dtype, name);
    if (handle == nullptr) return nullptr;
    const py::object own = py::reinterpret_steal<py::object>(handle);
    Attrs attrs = plan->attrs;
    attrs.set("scalar", number_value(number));
    return marked_node(*plan->op, attrs, &handle, 1, name);
  });
}

PyObject* run(PyObject* plan, PyObject* const* operands, int count, const char* name) {
  if (Py_TYPE(plan) != plan_type) {
    return PyObject_Vectorcall(plan, operands, static_cast<size_t>(count), nullptr);
  }
  Plan* own = as_plan(plan);
  if (own->transposes != nullptr && !is_plain_product(own, operands)) {
    return PyObject_Vectorcall(own->general, operands, static_cast<size_t>(count), nullptr);
  }
  return own->number_at < 0 ? run_arrays(own, operands, count, name)
                            : run_number(own, operands, name);
}

PyObject* call_plan(PyObject* self, PyObject* args, PyObject*) {
  const int count = as_plan(self)->number_at < 0 && PyTuple_GET_SIZE(args) == 1 ? 1 : 2;
  if (PyTuple_GET_SIZE(args) != count) {
    PyErr_Format(PyExc_TypeError, "%s: expected %d operands, got %zd", as_plan(self)->op->name,
                 count, PyTuple_GET_SIZE(args));
    return nullptr;
  }
  return run(self, &PyTuple_GET_ITEM(args, 0), count, nullptr);
}

py::object make_plan(const std::string& op, const py::object& dtype, int number_at,
                     std::pair<int64_t, int64_t> range, const py::object& general,
                     const py::object& two, const py::object& half, const py::object& transposes) {
  const OpDef* known = get_op(op);
  const DType of = dtype_from_python(dtype);
  PyObject* made = plan_type->tp_alloc(plan_type, 0);
  if (made == nullptr) throw py::error_already_set();
  Plan* plan = as_plan(made);
  new (&plan->attrs) Attrs(known);
  const py::object held = py::reinterpret_steal<py::object>(made);
  plan->op = known;
  plan->dtype = of;
  plan->number_at = number_at;
  std::tie(plan->low, plan->high) = range;
  const auto kept = [](const py::object& o) { return o.is_none() ? nullptr : Py_NewRef(o.ptr()); };
  plan->general = kept(general);
  plan->two = kept(two);
  plan->half = kept(half);
  plan->transposes = kept(transposes);
  return held;
}

// -1 for what is neither a traced array nor an exact Python number.
int kind_of_number(PyObject* operand) {
  if (PyFloat_CheckExact(operand)) return kNumDTypes + 2;
  if (PyLong_CheckExact(operand)) return kNumDTypes + 1;
  if (PyBool_Check(operand)) return kNumDTypes;
  return PyComplex_CheckExact(operand) ? kNumDTypes + 3 : -1;
}

PyObject* python_kind(int kind) {
  static PyTypeObject* const numbers[] = {&PyBool_Type, &PyLong_Type, &PyFloat_Type,
                                          &PyComplex_Type};
  if (kind >= kNumDTypes) {
    return Py_NewRef(reinterpret_cast<PyObject*>(numbers[kind - kNumDTypes]));
  }
  return guarded([&] { return numpy_dtype(static_cast<DType>(kind)).release().ptr(); });
}

PyObject* find_plan(Ufunc* ufunc, const int* kinds) {
  size_t at = static_cast<size_t>(kinds[0]);
  if (ufunc->count == 2) at = at * kKinds + static_cast<size_t>(kinds[1]);
  if (ufunc->plans[at] != nullptr) return ufunc->plans[at];
  PyObject* asked[3] = {ufunc->function, python_kind(kinds[0]), nullptr};
  if (ufunc->count == 2) asked[2] = python_kind(kinds[1]);
  if (asked[1] != nullptr && (ufunc->count == 1 || asked[2] != nullptr)) {
    ufunc->plans[at] =
        PyObject_Vectorcall(plan_of, asked, static_cast<size_t>(ufunc->count) + 1, nullptr);
  }
  Py_XDECREF(asked[1]);
  Py_XDECREF(asked[2]);
  return ufunc->plans[at];
}

std::unordered_map<PyObject*, std::unique_ptr<Ufunc>>& ufuncs() {
  static auto* known = new std::unordered_map<PyObject*, std::unique_ptr<Ufunc>>;
  return *known;
}

bool has_count(const py::object& function, const char* of, int count) {
  return function.attr(of).cast<int>() == count;
}

std::unique_ptr<Ufunc> made_ufunc(PyObject* function) {
  const py::object ufunc = py::reinterpret_borrow<py::object>(function);
  auto made = std::make_unique<Ufunc>();
  made->function = py::object(ufunc).release().ptr();
  made->name = ufunc.attr("__name__").cast<std::string>();
  made->count = has_count(ufunc, "nin", 1) ? 1 : has_count(ufunc, "nin", 2) ? 2 : 0;
  if (!has_count(ufunc, "nout", 1)) made->count = 0;
  if (made->count > 0) {
    made->plans.resize(static_cast<size_t>(made->count == 1 ? kKinds : kKinds * kKinds));
  }
  return made;
}

// A result whose layout NumPy decides, or null as in ufunc_node.
PyObject* laid_out(Ufunc* ufunc, PyObject* made, PyObject* const* operands, int count) {
  PyObject* given = PyTuple_New(count);
  for (int i = 0; given != nullptr && i < count; ++i) {
    PyTuple_SET_ITEM(given, i, Py_NewRef(operands[i]));
  }
  PyObject* road = slow_road("like_numpy");
  PyObject* result =
      given == nullptr || road == nullptr
          ? nullptr
          : PyObject_CallFunctionObjArgs(road, ufunc->function, made, given, nullptr);
  Py_XDECREF(given);
  Py_DECREF(made);
  if (result == nullptr) takes_slow_road();
  return result;
}

}  // namespace

Ufunc* ufunc_of(PyObject* function) {
  auto found = ufuncs().find(function);
  if (found == ufuncs().end()) found = ufuncs().emplace(function, made_ufunc(function)).first;
  return found->second->count > 0 ? found->second.get() : nullptr;
}

const char* name_of(const Ufunc* ufunc) { return ufunc->name.c_str(); }

bool floats_are_quiet() {
  if (harmless == nullptr) return false;
  PyObject* now = nullptr;
  if (float_state != nullptr && PyContextVar_Get(float_state, nullptr, &now) < 0) PyErr_Clear();
  PyObject* state = now == nullptr ? Py_None : now;
  const bool known = state == PyList_GET_ITEM(harmless, 0) &&
                     PyDict_GetItemString(warnings_dict, "filters") == PyList_GET_ITEM(harmless, 1);
  Py_XDECREF(now);
  if (known) return true;
  PyObject* looked = PyObject_CallNoArgs(require_quiet);
  Py_XDECREF(looked);
  if (looked == nullptr) takes_slow_road();
  return looked != nullptr;
}

bool leads_to_c_order(PyObject* layout, const Shape& shape) {
  if (!PyTuple_CheckExact(layout) || PyTuple_GET_SIZE(layout) != shape.ndim()) return false;
  int64_t wider = INT64_MAX;
  for (int i = 0; i < shape.ndim(); ++i) {
    const int64_t step = PyLong_AsLongLong(PyTuple_GET_ITEM(layout, i));
    if (shape[i] == 1 || step == 0) continue;  // NumPy asks neither
    if (step < 0 || step >= wider) return false;
    wider = step;
  }
  return true;
}

PyObject* ufunc_node(Ufunc* ufunc, PyObject* const* operands, int count, const char* name) {
  if (count != ufunc->count) return nullptr;
  PyObject* handles[2] = {nullptr, nullptr};
  int kinds[2] = {-1, -1};
  bool ready = true;
  for (int i = 0; i < count && ready; ++i) {
    if (is_exact_traced(operands[i])) {
      handles[i] = operand_of(as_traced(operands[i]));
      ready = handles[i] != nullptr;
      if (ready) kinds[i] = static_cast<int>(dtype_of(node_ref(handles[i])));
    } else {
      kinds[i] = kind_of_number(operands[i]);
      handles[i] = Py_NewRef(operands[i]);
    }
    ready = ready && kinds[i] >= 0;
  }
  PyObject* plan = ready ? find_plan(ufunc, kinds) : nullptr;
  PyObject* made = plan == nullptr ? nullptr : run(plan, handles, count, name);
  if (made != nullptr && name != nullptr && (made == handles[0] || made == handles[1])) {
    static const OpDef* copy = get_op("identity");
    PyObject* same = made;
    made = record_node(*copy, Attrs(copy), &same, 1);
    Py_DECREF(same);
  }
  for (PyObject* handle : handles) Py_XDECREF(handle);
  if (made == nullptr) takes_slow_road();
  if (made != nullptr && !is_array(made)) Py_CLEAR(made);
  return made;
}

PyObject* record_ufunc(Ufunc* ufunc, PyObject* const* operands, int count, const char* name) {
  PyObject* recorder = nullptr;
  bool asks = false;
  for (int i = 0; i < count; ++i) {
    if (!is_exact_traced(operands[i])) continue;
    Traced* t = as_traced(operands[i]);
    if (recorder == nullptr) recorder = t->recorder;
    PyObject* layout = unless_none(t->layout);
    if (layout != nullptr && unless_none(t->handle) != nullptr) {
      asks = asks || !leads_to_c_order(layout, shape_of(node_ref(t->handle)));
    }
  }
  if (recorder == nullptr || !as_recorder(recorder)->active || !floats_are_quiet()) return nullptr;
  PyObject* node = ufunc_node(ufunc, operands, count, name);
  if (node == nullptr) return nullptr;
  const int rank = shape_of(node_ref(node)).ndim();
  PyObject* made = make_traced(recorder, node, rank == 0);
  Py_DECREF(node);
  if (made == nullptr || !asks || (rank <= 2 && ufunc->name == "matmul")) return made;
  return laid_out(ufunc, made, operands, count);
}

void bind_ufunc_plans(py::module_& m) {
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&dealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(&clear)},
                                {Py_tp_call, reinterpret_cast<void*>(&call_plan)},
                                {0, nullptr}};
  static PyType_Spec spec = {
      "jupyter_hybrid._core.UfuncPlan", sizeof(Plan), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw py::error_already_set();
  plan_type = reinterpret_cast<PyTypeObject*>(type);
  m.def(
      "ufunc_plan", &make_plan, py::arg("op"), py::arg("dtype"), py::arg("number_at") = -1,
      py::arg("integers") = std::pair<int64_t, int64_t>(INT64_MIN, INT64_MAX),
      py::arg("general") = py::none(), py::arg("two") = py::none(), py::arg("half") = py::none(),
      py::arg("transposes") = py::none(),
      "A plan of one operator on operands of this dtype, to which others are cast. number_at: "
      "which operand is a Python number; integers outside the range, both ends in it, are given "
      "to `general`; `two` and `half` are the plans for 2 and 0.5. transposes: of a product, what "
      "matrices are transposes of, by `id`; these are given to `general`.");
  m.def(
      "tell_ufuncs",
      [](const py::object& state, const py::list& known, const py::object& warnings,
         const py::function& quiet, const py::function& plan) {
        const auto kept = [](const py::object& o) { return py::object(o).release().ptr(); };
        float_state = state.is_none() ? nullptr : kept(state);
        harmless = kept(known);
        warnings_dict = kept(warnings.attr("__dict__"));
        require_quiet = kept(quiet);
        plan_of = kept(plan);
      },
      py::arg("float_state"), py::arg("harmless"), py::arg("warnings"), py::arg("require_quiet"),
      py::arg("plan_of"), "What recording a ufunc asks NumPy's settings and the lowerings.");
}

}  // namespace bind
}  // namespace hybrid
