// The state of the guards, and the guards of one or two operands.
#include "bind/guards.h"

namespace hybrid {
namespace bind {
namespace guards {

namespace {

// Comparison by identity, as every class has it that says nothing else.
bool compares_plainly(PyObject* value) {
  return Py_TYPE(value)->tp_richcompare == PyBaseObject_Type.tp_richcompare;
}

bool is_plain_operand(Kind kind) { return kind == Kind::scalar || kind == Kind::named; }

using Binary = PyObject* (*)(PyObject*, PyObject*);
PyObject* power(PyObject* a, PyObject* b) { return PyNumber_Power(a, b, Py_None); }

struct Operator {
  const char* sign;
  Binary apply;
};
// In the order that the rewriter counts them.
constexpr Operator kBinary[] = {
    {"+", PyNumber_Add},
    {"-", PyNumber_Subtract},
    {"*", PyNumber_Multiply},
    {"/", PyNumber_TrueDivide},
    {"//", PyNumber_FloorDivide},
    {"%", PyNumber_Remainder},
    {"**", power},
    {"@", PyNumber_MatrixMultiply},
    {"<<", PyNumber_Lshift},
    {">>", PyNumber_Rshift},
    {"&", PyNumber_And},
    {"|", PyNumber_Or},
    {"^", PyNumber_Xor},
};
constexpr long kAdd = 0, kMultiply = 2, kDivide = 3, kRemainder = 5;

bool runs_foreign_code(long op, PyObject* a, PyObject* b) {
  const Kind left = kind_of(a), right = kind_of(b);
  const auto simple = [](Kind kind) { return kind == Kind::scalar || kind == Kind::array; };
  if (simple(left) && simple(right)) return false;
  if ((op == kAdd || op == kMultiply) && left != Kind::array && right != Kind::array) {
    const auto joins = [](Kind kind) { return kind == Kind::scalar || kind == Kind::sequence; };
    if (joins(left) && joins(right)) return false;
  }
  return !is_inert(a) || !is_inert(b);
}

// NumPy's scalars warn of a division by zero at once: what waits is to have warned before.
bool divides_by_zero(long op, PyObject* a, PyObject* b) {
  if (op < kDivide || op > kRemainder || kind_of(a) != Kind::scalar || kind_of(b) != Kind::scalar) {
    return false;
  }
  const bool numpys = !PyLong_CheckExact(a) && !PyFloat_CheckExact(a);
  return (numpys || (!PyLong_CheckExact(b) && !PyFloat_CheckExact(b))) && PyObject_Not(b) == 1;
}

// Code that nobody has seen gets no stand-in, and what it gets has its elements.
template <typename Apply>
PyObject* with_real(const char* what, PyObject* a, PyObject* b, const Apply& apply) {
  PyObject* left = kept(nullptr, a);
  PyObject* right = left == nullptr ? nullptr : kept(nullptr, b);
  PyObject* made = nullptr;
  if (right != nullptr && contact_again(what, is_inert(a) ? b : a)) made = apply(left, right);
  Py_XDECREF(left);
  Py_XDECREF(right);
  return made;
}

// The guards ------------------------------------------------------------------------------------

PyObject* binary(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("binary", count, 3)) return nullptr;
  const long op = PyLong_AsLong(args[0]);
  if (op < 0 || op >= static_cast<long>(std::size(kBinary))) {
    if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "binary(): no operator %ld", op);
    return nullptr;
  }
  const bool ours = is_ours(args[1]) || is_ours(args[2]);
  if ((ours || !idle()) && runs_foreign_code(op, args[1], args[2])) {
    const char* sign = kBinary[op].sign;
    if (ours) return with_real(sign, args[1], args[2], kBinary[op].apply);
    if (!contact(sign, is_inert(args[1]) ? args[2] : args[1])) return nullptr;
  }
  if (!idle() && divides_by_zero(op, args[1], args[2]) && !contact("a zero below", args[1])) {
    return nullptr;
  }
  return held_here(kBinary[op].apply(args[1], args[2]));
}

constexpr long kIn = 6, kNotIn = 7;

PyObject* compare(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("compare", count, 3)) return nullptr;
  const long op = PyLong_AsLong(args[0]);
  if (op < 0 || op > kNotIn) {
    if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "compare(): no operator %ld", op);
    return nullptr;
  }
  PyObject *a = args[1], *b = args[2];
  if (!idle()) {
    const bool equality = op == Py_EQ || op == Py_NE;
    const bool plain = equality && (is_plain_operand(kind_of(a)) || compares_plainly(a)) &&
                       (is_plain_operand(kind_of(b)) || compares_plainly(b));
    if (!plain && (!is_inert(a) || !is_inert(b)) && !contact("a comparison", is_inert(a) ? b : a)) {
      return nullptr;
    }
  }
  if (op < kIn) {
    const bool foreign = (is_ours(a) && !is_inert(b)) || (is_ours(b) && !is_inert(a));
    const auto asked = [op](PyObject* x, PyObject* y) {
      return PyObject_RichCompare(x, y, static_cast<int>(op));
    };
    return foreign ? with_real("a comparison", a, b, asked) : asked(a, b);
  }
  // What a container holds is compared with by identity first.
  PyObject* wanted = kind_of(b) == Kind::array ? Py_NewRef(a) : kept(nullptr, a);
  if (wanted == nullptr) return nullptr;
  const int found = PySequence_Contains(b, wanted);
  Py_DECREF(wanted);
  if (found < 0) return nullptr;
  return PyBool_FromLong((found == 1) == (op == kIn));
}

// A value whose own slot is asked: its truth, `-x`, `~x`.
PyObject* own(PyObject*, PyObject* value) {
  if (!idle() && kind_of(value) == Kind::unknown) {
    PyTypeObject* type = Py_TYPE(value);
    const PyNumberMethods* number = type->tp_as_number;
    const bool asks = (number != nullptr && (number->nb_bool || number->nb_negative ||
                                             number->nb_invert || number->nb_positive)) ||
                      (type->tp_as_mapping != nullptr && type->tp_as_mapping->mp_length) ||
                      (type->tp_as_sequence != nullptr && type->tp_as_sequence->sq_length);
    if (asks && !contact("an operator", value)) return nullptr;
  }
  return Py_NewRef(value);
}

PyObject* text(PyObject*, PyObject* value) {
  if (!idle() && !is_inert(value) && !contact("the text", value)) return nullptr;
  return Py_NewRef(value);
}

PyObject* spread(PyObject*, PyObject* value) {
  if (!idle() && !is_walkable(value) && !take_closed(value) && !contact("a step through", value)) {
    return nullptr;
  }
  return Py_NewRef(value);
}

PyObject* mapping(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!idle()) {
    for (Py_ssize_t i = 0; i < count; i += 2) {
      if (is_inert(args[i])) continue;
      if (!contact("a key", args[i])) return nullptr;
      break;
    }
  }
  PyObject* made = PyDict_New();
  for (Py_ssize_t i = 0; made != nullptr && i + 1 < count; i += 2) {
    // A key of the user's is hashed once.
    PyObject* value = is_inert(args[i]) ? Py_NewRef(args[i + 1]) : kept(nullptr, args[i + 1]);
    if (value == nullptr || PyDict_SetItem(made, args[i], value) < 0) Py_CLEAR(made);
    Py_XDECREF(value);
  }
  return made;
}

PyObject* ready(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!idle()) {
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (is_inert(args[i])) continue;
      if (!contact("an operator", args[i])) return nullptr;
      break;
    }
  }
  Py_RETURN_NONE;
}

PyObject* data(PyObject*, PyObject* const* args, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!is_data(args[i])) Py_RETURN_FALSE;
  }
  Py_RETURN_TRUE;
}

PyObject* find_first(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("first_of", count, 3)) return nullptr;
  Py_ssize_t left = PyLong_AsSsize_t(args[2]);
  if (left == -1 && PyErr_Occurred() != nullptr) return nullptr;
  if (!PyTuple_Check(args[1])) {
    PyErr_SetString(PyExc_TypeError, "first_of takes a tuple of types");
    return nullptr;
  }
  PyObject* found = first_of(args[0], args[1], &left);
  return Py_NewRef(found != nullptr ? found : Py_None);
}

PyObject* walkable(PyObject*, PyObject* value) {
  return PyBool_FromLong(is_walkable(value) || is_closed(value));
}

PyObject* close_over(PyObject*, PyObject* const* args, Py_ssize_t count) {
  for (Py_ssize_t i = 1; i < count; ++i) take_closed(args[i]);
  if (count == 0) Py_RETURN_NONE;
  if (args[0] != Py_None) add_closed(args[0]);
  return Py_NewRef(args[0]);
}

PyObject* leave(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("leave", count, 2)) return nullptr;
  if (!idle() && !contact_for(args[0])) return nullptr;
  return Py_NewRef(args[1]);
}

PyObject* contact_with(PyObject*, PyObject* reason) {
  if (!idle() && !contact_for(reason)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* note(PyObject*, PyObject*) {
  if (!state().pending) set_pending(true);
  Py_RETURN_NONE;
}

PyObject* settled(PyObject*, PyObject*) {
  set_pending(false);
  Py_RETURN_NONE;
}

PyObject* begin(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("begin", count, 2)) return nullptr;
  PyObject* before = std::exchange(state().on_contact, Py_NewRef(args[0]));
  PyObject* recorder = std::exchange(state().recorder, Py_NewRef(args[1]));
  state().thread = PyThread_get_thread_ident();
  state().active = true;
  Py_XDECREF(before);
  Py_XDECREF(recorder);
  watch_from_here();
  set_pending(true);
  Py_RETURN_NONE;
}

PyObject* end(PyObject*, PyObject*) {
  set_pending(false);
  state().active = false;
  clear_closed();
  clear_places();
  Py_CLEAR(state().on_contact);
  Py_CLEAR(state().recorder);
  Py_RETURN_NONE;
}

PyObject* tell_type(PyObject*, PyObject* const* args, Py_ssize_t count) {
  static constexpr std::pair<const char*, Kind> kKinds[] = {
      {"scalar", Kind::scalar}, {"array", Kind::array}, {"named", Kind::named}};
  if (!has_count("tell", count, 2)) return nullptr;
  const char* name = PyUnicode_AsUTF8(args[1]);
  if (name == nullptr) return nullptr;
  for (const auto& [known, kind] : kKinds) {
    if (std::string(known) != name || !PyType_Check(args[0])) continue;
    tell(reinterpret_cast<PyTypeObject*>(args[0]), kind);
    Py_RETURN_NONE;
  }
  PyErr_Format(PyExc_ValueError, "tell(): expected a type and scalar, array or named, got %R, %R",
               args[0], args[1]);
  return nullptr;
}

#define HYBRID_FAST(function) \
  reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&function)), METH_FASTCALL

PyMethodDef kMethods[] = {
    {"begin", HYBRID_FAST(begin),
     "A recording begins on this thread: who is called with a reason at contacts, the recorder."},
    {"end", end, METH_NOARGS, "It has ended, or is put aside."},
    {"second_lock", set_second_lock, METH_O,
     "Who is told, with its code, of a frame that starts while something waits and that no guard "
     "let in; True: this code never again. None: nobody."},
    {"settled", settled, METH_NOARGS, "Nothing waits, until more is recorded."},
    {"note", note, METH_NOARGS, "Something that a contact has to compute may have been recorded."},
    {"tell", HYBRID_FAST(tell_type), "A type whose operations are ours: scalar, array or named."},
    {"contact", contact_with, METH_O, "Computes what waits; the reason is told to the callback."},
    {"binary", HYBRID_FAST(binary), "An operator by its number, of two operands."},
    {"compare", HYBRID_FAST(compare), "A comparison by its number, `in` and `not in` among them."},
    {"own", own, METH_O, "A value whose truth or sign is asked next."},
    {"text", text, METH_O, "A value that is shown next."},
    {"spread", spread, METH_O, "A value that is taken apart next."},
    {"leave", HYBRID_FAST(leave), "A value given to whoever runs next, for this reason."},
    {"mapping", HYBRID_FAST(mapping), "A dict of keys and values, one after the other."},
    {"ready", HYBRID_FAST(ready), "Values that an operator meets next."},
    {"data", HYBRID_FAST(data), "Do all of them run no foreign code, whoever gets them?"},
    {"walkable", walkable, METH_O, "Does a step through it run no foreign code?"},
    {"closed", HYBRID_FAST(close_over),
     "An iterator (or None) that was made of walkable values, which are gone through from here "
     "on."},
    {"attribute", HYBRID_FAST(attribute), "`value.name`."},
    {"hide", HYBRID_FAST(hide),
     "Names of attributes that NumPy's own objects may lack, and what is called to read one "
     "and before one is set or deleted: (array, name)."},
    {"owner", HYBRID_FAST(owner), "A value whose attribute is set or deleted next."},
    {"set", HYBRID_FAST(set), "`owner.name = value`, in the order value, owner, name."},
    {"item", HYBRID_FAST(item), "`value[key]`."},
    {"holder", HYBRID_FAST(holder), "A value of which an element is set or deleted next."},
    {"store", HYBRID_FAST(store), "`holder[key] = value`, in the order value, holder, key."},
    {"place", HYBRID_FAST(place),
     "The same for the cell's own statement: what `into()[at()]` is given next."},
    {"into", into, METH_NOARGS, "The holder of the latest place."},
    {"at", at, METH_NOARGS, "Its key."},
    {"load", load, METH_O, "A value about to be used: an ndarray becomes its traced array."},
    {"callee", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&callee)),
     METH_FASTCALL | METH_KEYWORDS,
     "What is called in a function's place, with given() and named()."},
    {"given", given, METH_NOARGS, "The arguments of the call that follows."},
    {"named", named, METH_NOARGS, "Its keyword arguments."},
    {"inplace", HYBRID_FAST(inplace), "`target op= value`, in the order op, target, value."},
    {"tell_calls", HYBRID_FAST(tell_calls),
     "(runtime, ndarray, ufunc, the class of arrays' methods, types of NumPy's scalars, NumPy's "
     "functions with the most arguments by place, those and methods whose nodes follow from kinds, "
     "shapes and plain values, what records a call of one)."},
    {"walk", HYBRID_FAST(walk), "What a `for` goes through; True: its items are taken apart."},
    {"context", HYBRID_FAST(context), "What a `with` enters."},
    {"homes", HYBRID_FAST(homes),
     "Types that only variables hold, and what is called for such a value that is kept elsewhere, "
     "for a list or dict that holds some, and to store one: (value, holder, key)."},
    {"kept", kept, METH_O, "What something else than a variable keeps for this value."},
    {"held", held, METH_O, "A list or dict that was just made, or given something."},
    {"first_of", HYBRID_FAST(find_first),
     "The first object of these types that a value is, or that nested lists, tuples and dicts "
     "hold; "
     "None without one, Ellipsis after so many values."},
    {"holds", holds, METH_O, "May a list, dict or set hold some of what only variables hold?"},
    {"may_stand", may_stand, METH_O, "False: it is and holds nothing that only variables hold."},
    {"of_types", HYBRID_FAST(of_types),
     "(name, value) of those names of a namespace whose values are exactly of these types."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

State& state() {
  static State instance;
  return instance;
}

void set_pending(bool pending) {
  state().pending = pending;
  watch_frames(pending && state().active);
}
bool watched() { return state().active && PyThread_get_thread_ident() == state().thread; }
bool idle() { return !state().active || !state().pending || !watched(); }

bool contact_for(PyObject* reason) {
  // Nothing is asked while everything is computed: that runs our code, and warnings of the user's.
  state().active = false;
  PyObject* callback = Py_NewRef(state().on_contact);
  PyObject* made = PyObject_CallOneArg(callback, reason);
  state().active = state().on_contact == callback;
  Py_DECREF(callback);
  if (made == nullptr) return false;
  Py_DECREF(made);
  set_pending(false);
  return true;
}

bool contact(const char* what, PyObject* about) {
  // A message and its arguments (jupyter_hybrid/reasons.py).
  PyObject* reason = Py_BuildValue("(Nss)", PyUnicode_FromFormat("%s of {kind}", what), "kind",
                                   Py_TYPE(about)->tp_name);
  if (reason == nullptr) return false;
  const bool done = contact_for(reason);
  Py_DECREF(reason);
  return done;
}

bool contact_again(const char* what, PyObject* about) {
  set_pending(true);  // what has just been promised
  return idle() || contact(what, about);
}

bool has_count(const char* name, Py_ssize_t count, Py_ssize_t expected) {
  if (count == expected) return true;
  PyErr_Format(PyExc_TypeError, "%s(): expected %zd arguments, got %zd", name, expected, count);
  return false;
}

}  // namespace guards

void bind_guards(py::module_& m) {
  static PyType_Slot slots[] = {{Py_tp_methods, guards::kMethods},
                                {Py_tp_doc, const_cast<char*>("What rewritten cells ask.")},
                                {0, nullptr}};
  static PyType_Spec spec = {"jupyter_hybrid._core.Guards", sizeof(PyObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  guards::tell_builtin_types();
  py::object type = py::reinterpret_steal<py::object>(PyType_FromSpec(&spec));
  if (!type || !guards::ready_walk_types()) throw py::error_already_set();
  m.attr("Guards") = type;
  m.attr("guards") = py::reinterpret_steal<py::object>(
      PyObject_New(PyObject, reinterpret_cast<PyTypeObject*>(type.ptr())));
}

}  // namespace bind
}  // namespace hybrid
