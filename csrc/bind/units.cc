// Units in Python: a loop's code, and what a run of it is given and gives back.
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NO_IMPORT_ARRAY
#include <numpy/ndarraytypes.h>
#include <numpy/ufuncobject.h>
#include <pybind11/numpy.h>

#include <cfenv>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>

#include "bind/common.h"
#include "bind/unit_appends.h"
#include "bind/unit_draws.h"
#include "bind/unit_lists.h"
#include "bind/unit_objects.h"
#include "bind/unit_types.h"
#include "kernels/elem_path.h"
#include "units/machine.h"

namespace hybrid {
namespace bind {
namespace {

using units::Array;
using units::ArrayLoop;
using units::Arrays;
using units::Did;
using units::End;
using units::Instruction;
using units::Register;
using units::Run;

constexpr char kObject = 'o';  // of an argument: what a variable has been given

// A function that a unit calls: what its arguments are, and what its result has to be.
struct PyCall {
  struct Value {
    char letter;      // as of a register
    py::object type;  // of NumPy's scalars; None: Python's number; of an array: its dtype
    int rank;         // of an array; of an object: which variable's it is
  };
  py::object function;
  std::vector<Value> arguments;
  Value result;  // kNotGiven: None
  bool draws;    // does it draw random numbers?
  int pairs_of;  // by which source, if that may keep one of a pair, or have kept one; else -1
};

struct PyUnit {
  units::Unit unit;
  std::vector<PyCall> calls;
  std::vector<Register> first;       // all registers where a run begins, the inputs' aside
  std::string inputs;                // a letter for each; their registers begin with 0
  std::string appends;               // of what is appended, each in a place of its own
  std::vector<int> append_slots;     // whose lists get it
  std::vector<std::string> letters;  // of the variables, by the number of their kinds
  std::vector<std::string> given;    // which are given back: '!', '?': if they changed, or '-'
};

// What a universal function of NumPy's is to floats that stay in registers.
int path_of(const py::object& function) {
  static constexpr std::pair<const char*, PathCode> kPaths[] = {
      {"add", PathCode::add},           {"subtract", PathCode::sub},
      {"multiply", PathCode::mul},      {"divide", PathCode::div},
      {"negative", PathCode::negative}, {"absolute", PathCode::absolute},
      {"square", PathCode::square},     {"sqrt", PathCode::sqrt}};
  const py::module_ numpy = py::module_::import("numpy");
  for (const auto& [name, code] : kPaths) {
    if (function.is(numpy.attr(name))) return static_cast<int>(code);
  }
  return -1;
}

// NumPy's loop of a universal function for these dtypes, written as in its `types`.
ArrayLoop loop_of(const py::object& function, const std::string& types, bool in_place,
                  double beginning) {
  const py::object known = py::module_::import("numpy").attr("ufunc");
  if (!py::isinstance(function, known)) throw py::type_error("a ufunc is expected");
  const auto* const ufunc = reinterpret_cast<const PyUFuncObject*>(function.ptr());
  ArrayLoop made{};
  made.inputs = ufunc->nin;
  if (ufunc->nin > 2 || ufunc->nout != 1) throw py::value_error("a ufunc of other arguments");
  for (int k = 0; k < ufunc->ntypes; ++k) {
    const char* const own = ufunc->types + static_cast<ptrdiff_t>(k) * ufunc->nargs;
    bool same = static_cast<int>(types.size()) == ufunc->nargs;
    for (int n = 0; same && n < ufunc->nargs; ++n) {
      same = letter_of_number(own[n]) == types[n];
    }
    if (!same) continue;
    made.function = reinterpret_cast<units::InnerLoop>(ufunc->functions[k]);
    made.extra = ufunc->data == nullptr ? nullptr : ufunc->data[k];
    break;  // where there are several, NumPy uses the first
  }
  if (made.function == nullptr) throw py::value_error("no loop of these dtypes");
  for (size_t n = 0; n < types.size(); ++n) made.types[n] = type_of(types[n]);
  made.in_place = in_place;
  made.beginning = beginning;
  made.path = path_of(function);
  return made;
}

thread_local PyObject* heard_of = nullptr;  // a list: signals whose handlers wait

// Lets other threads run, as Python does now and then, and has signals handled. Those that were
// heard of end a run, too.
bool interrupted() {
  {
    const MaybeReleaseGil released(true);
  }
  return PyErr_CheckSignals() != 0 || (heard_of != nullptr && PyList_GET_SIZE(heard_of) > 0);
}

// The functions that a run calls, with objects that see its arrays' memory.
class PythonCalls : public units::Calls {
 public:
  // `watched`: are floating-point exceptions looked at? Not those of what is called: NumPy does
  // that.
  PythonCalls(const PyUnit& unit, const py::sequence& values, const std::vector<PyObject*>& given,
              const py::object& streams, bool watched)
      : unit_(unit), values_(values), given_(given), draws_(streams), watched_(watched) {}
  void keep(const std::shared_ptr<Run>& run) { run_ = run; }
  const std::vector<py::object>& lent() const { return lent_; }

  Did call(int which, Arrays* arrays, const Register* arguments, const Register* imaginary,
           Register* made, Register* made_imaginary) override {
    const PyCall& known = unit_.calls[which];
    for (const int number : arrays->returned()) {
      lent_[number] = py::none();
      free_.push_back(number);
    }
    arrays->returned().clear();
    py::tuple given(known.arguments.size());
    for (size_t k = 0; k < known.arguments.size(); ++k) {
      const PyCall::Value& argument = known.arguments[k];
      if (argument.letter == kArray) {
        const Array& array = (*arrays)[arguments[k].i];
        for (int axis = 0; axis < array.rank; ++axis) {
          if (array.shape[axis] == 0) return Did::cannot;  // of which functions may warn
        }
        given[k] = seen(*arrays, arguments[k].i, k == 0 && known.result.letter == kNotGiven);
      } else if (argument.letter == kObject) {
        given[k] = values_[argument.rank];
      } else {
        const py::object number = object_of(argument.letter, arguments[k], imaginary[k]);
        given[k] = argument.type.is_none() ? number : argument.type(number);
      }
    }
    if (known.draws) draws_.begin(known.pairs_of);
    const py::object result =
        py::reinterpret_steal<py::object>(PyObject_CallObject(known.function.ptr(), given.ptr()));
    if (!result) {  // Python says so when it takes the step; an interrupt stays
      if (PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
      return Did::cannot;
    }
    if (known.draws) draws_.log(known.function, given);
    if (watched_) std::feclearexcept(FE_ALL_EXCEPT);
    return take(known.result, result, given, arrays, made, made_imaginary);
  }

  Did draw(units::Drawn method, int source, Register a, Register b, Register* made) override {
    return draws_.draw(method, source, a, b, made);
  }
  void commit() override { draws_.commit(); }
  void take_back() override { draws_.take_back(); }
  void finish() { draws_.finish(); }

 private:
  Did take(const PyCall::Value& wanted, const py::object& result, const py::tuple& given,
           Arrays* arrays, Register* made, Register* made_imaginary) {
    if (wanted.letter == kNotGiven) return result.is_none() ? Did::well : Did::cannot;
    if (wanted.letter != kArray) {
      if (!py::type::of(result).is(wanted.type)) return Did::cannot;
      *made = register_of(wanted.letter, result.ptr(), made_imaginary);
      return Did::well;
    }
    static const py::handle exactly =
        py::object(py::module_::import("numpy").attr("ndarray")).release();
    if (!py::type::of(result).is(exactly)) return Did::cannot;
    const py::array array = py::reinterpret_borrow<py::array>(result);
    const bool plain = array.dtype().equal(wanted.type) && array.ndim() == wanted.rank &&
                       array.writeable() && (array.flags() & NPY_ARRAY_ALIGNED);
    if (!plain) return Did::cannot;
    for (py::object base = array; !base.is_none(); base = base.attr("base")) {
      for (const py::handle one : given) {  // it sees an argument's memory
        if (base.is(one)) return Did::cannot;
      }
      if (!py::isinstance<py::array>(base)) {
        if (owner_ && base.is(owner_)) return Did::cannot;
        break;
      }
    }
    int lender = static_cast<int>(lent_.size());
    if (free_.empty()) {
      lent_.push_back(result);
    } else {
      lender = free_.back();
      free_.pop_back();
      lent_[lender] = result;
    }
    made->i = arrays->lent(array_of(array.ptr()), lender);
    return made->i < 0 ? Did::large : Did::well;
  }

  // An object that sees an array's memory. Who would write it, by an option or an argument that is
  // not known here, is told that it is read-only.
  py::object seen(const Arrays& arrays, int64_t number, bool writes) {
    if (!owner_) {  // whoever keeps an object keeps the memory
      auto* const kept = new std::shared_ptr<Run>(run_);
      owner_ = py::capsule(kept, [](void* p) { delete static_cast<std::shared_ptr<Run>*>(p); });
    }
    const Array& array = arrays[number];
    const py::object base =
        arrays.was_given(number) ? py::reinterpret_borrow<py::object>(given_[number]) : owner_;
    py::array made(py::dtype(std::string(1, kTypes[static_cast<int>(array.type)])),
                   std::vector<py::ssize_t>(array.shape, array.shape + array.rank),
                   std::vector<py::ssize_t>(array.stride, array.stride + array.rank), array.data,
                   base);
    if (!writes) {
      py::detail::array_proxy(made.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    }
    return std::move(made);
  }

  const PyUnit& unit_;
  const py::sequence& values_;
  const std::vector<PyObject*>& given_;
  Draws draws_;
  const bool watched_;
  std::shared_ptr<Run> run_;
  py::object owner_;
  std::vector<py::object> lent_;  // results, while a run needs them
  std::vector<int> free_;         // places there
};

int floating_exceptions(const std::string& watched) {
  int made = 0;
  for (const char which : watched) {
    made |= which == 'd' ? FE_DIVBYZERO : which == 'o' ? FE_OVERFLOW : FE_INVALID;
  }
  return made;
}

// (how it ended, its steps, steps taken back, steps of all its loops, the instruction that left,
// number of the kinds, variables that are given back: (number, value), an exception or None, are
// its arrays large, what was appended: where, and several)
py::tuple run(const PyUnit& self, const py::sequence& values, const std::string& watched,
              const py::object& streams, const py::object& heard) {
  const int number = self.unit.registers;
  std::vector<Register> registers = self.first;
  Given given_objects;
  for (size_t k = 0; k < self.inputs.size(); ++k) {
    if (self.inputs[k] != kArray) continue;
    const py::object value = values[k];
    if (!given_objects.open_rows(value.ptr())) {
      return py::make_tuple(static_cast<int>(End::left), 0, 0, 0, 0, 0, py::list(), py::none(),
                            false, py::list());
    }
  }
  for (size_t k = 0; k < self.inputs.size(); ++k) {
    const char letter = self.inputs[k];
    if (letter == kNotGiven) continue;
    const py::object value = values[k];
    if (letter == kArray || letter == kLists) {
      registers[k].i = given_objects.number_of(value.ptr(), letter == kLists);
    } else {
      registers[k] = register_of(letter, value.ptr(), &registers[k + number]);
    }
  }
  const std::vector<PyObject*>& objects = given_objects.objects();
  const auto variables = static_cast<size_t>(self.unit.variables);
  std::vector<Register> before(registers.begin(), registers.begin() + variables);
  before.insert(before.end(), registers.begin() + number, registers.begin() + number + variables);
  PythonCalls calls(self, values, objects, streams, !watched.empty());
  GivenAppends appends(self.appends, self.append_slots);
  const auto kept =
      std::make_shared<Run>(self.unit, std::move(registers), std::move(given_objects.arrays()),
                            &calls, appends.has_arrays() ? nullptr : &appends);
  calls.keep(kept);
  Run& made = *kept;
  heard_of = heard.is_none() ? nullptr : heard.ptr();
  const units::Result result = made.go(&interrupted, floating_exceptions(watched));
  heard_of = nullptr;
  calls.finish();
  py::object error = py::none();
  // Whoever gives the variables their values hears of a signal when they have them.
  if (PyErr_Occurred() || PyErr_CheckSignals() != 0) {
    PyObject *type = nullptr, *raised = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &raised, &trace);
    PyErr_NormalizeException(&type, &raised, &trace);
    error = py::reinterpret_steal<py::object>(raised);
    Py_XDECREF(type);
    Py_XDECREF(trace);
  }
  const std::string& letters = self.letters[result.kinds];
  Objects made_objects(made.arrays(), objects, calls.lent());
  if (made.arrays().wrote_items()) given_objects.close(made_objects);
  const auto object = [&](char letter, Register value, Register imaginary) -> py::object {
    if (letter == kNotGiven) return py::none();
    return letter == kArray ? made_objects.of(value.i) : object_of(letter, value, imaginary);
  };
  py::list given;
  for (size_t k = 0; k < letters.size(); ++k) {
    const char which = self.given[result.kinds][k];
    const Register value = made.registers()[k], imaginary = made.registers()[k + number];
    const bool same = value.i == before[k].i &&
                      (letters[k] != kComplex || imaginary.i == before[k + variables].i);
    if (which == '-' || (which == '?' && same)) continue;  // its object stays
    given.append(py::make_tuple(k, object(letters[k], value, imaginary)));
  }
  appends.take_rest(made.appended(), object);
  return py::make_tuple(static_cast<int>(result.end), result.steps, result.taken_back, result.work,
                        result.at, result.kinds, given, error, result.large, appends.taken());
}

std::unique_ptr<PyUnit> make(const py::bytes& code, int registers, int variables,
                             const std::string& inputs, const std::vector<std::string>& letters,
                             const std::vector<std::string>& given,
                             const std::vector<std::pair<int, py::object>>& constants,
                             const std::vector<int32_t>& parts, const py::list& loops,
                             const std::string& appends, const std::vector<int>& append_slots,
                             const py::list& calls) {
  const std::string bytes = code;
  std::unique_ptr<PyUnit> made(new PyUnit);
  made->unit.code.resize(bytes.size() / sizeof(Instruction));
  std::memcpy(made->unit.code.data(), bytes.data(), made->unit.code.size() * sizeof(Instruction));
  made->unit.registers = registers;
  made->unit.variables = variables;
  made->unit.parts = parts;
  for (const py::handle& loop : loops) {
    const auto [function, types, in_place, beginning] =
        loop.cast<std::tuple<py::object, std::string, bool, double>>();
    made->unit.loops.push_back(loop_of(function, types, in_place, beginning));
  }
  using Value = std::tuple<char, py::object, int>;
  const auto value_of = [](const Value& value) {
    return PyCall::Value{std::get<0>(value), std::get<1>(value), std::get<2>(value)};
  };
  for (const py::handle& call : calls) {
    const auto [function, arguments, result, draws, pairs_of] =
        call.cast<std::tuple<py::object, std::vector<Value>, Value, bool, int>>();
    PyCall known{function, {}, value_of(result), draws, pairs_of};
    for (const Value& argument : arguments) known.arguments.push_back(value_of(argument));
    made->calls.push_back(std::move(known));
  }
  made->inputs = inputs;
  made->appends = appends;
  made->append_slots = append_slots;
  made->letters = letters;
  made->given = given;
  made->first.resize(2 * static_cast<size_t>(registers));
  for (const auto& [at, value] : constants) {
    const bool is_complex = PyComplex_CheckExact(value.ptr());
    const char letter = is_complex ? kComplex : PyFloat_CheckExact(value.ptr()) ? kFloat : kInteger;
    made->first[at] = register_of(letter, value.ptr(), &made->first[at + registers]);
  }
  return made;
}

}  // namespace

void bind_units(py::module_& m) {
  py::module_ part = m.def_submodule("units", "Loops of cells as programs of scalar instructions.");
  py::dict codes;
  int number = 0;
#define OP(name, operands) codes[#name] = number++;
#include "units/opcodes.inc"
#undef OP
  part.attr("OPCODES") = codes;
  part.attr("TYPES") = kTypes;
  bind_unit_kinds(part);
  bind_unit_signals(part);
  part.def(
      "tag_of_items",
      [](const py::object& list) {
        if (!is_sequence(list.ptr())) throw py::type_error("a list or tuple is expected");
        return static_cast<int>(tag_of_items(list.ptr()));
      },
      "What the last item of a list or tuple is: ord() of 'i', 'f' or 'b' for Python's int (of 64 "
      "bits), float and bool, 1 more than its type's number for a scalar of NumPy's; 0: one of "
      "them is something else.");
  part.def(
      "tag_of_rows",
      [](const py::object& list) {
        if (!is_sequence(list.ptr())) throw py::type_error("a list or tuple is expected");
        return static_cast<int>(tag_of_rows(list.ptr()));
      },
      "The same of what all items of its lists, or of its tuples, are, which have one length.");
  part.def(
      "tag_of_lists",
      [](const py::object& list) {
        if (!is_sequence(list.ptr())) throw py::type_error("a list or tuple is expected");
        return static_cast<int>(tag_of_lists(list.ptr()));
      },
      "The same of what the last item of its lists is, of any lengths; -1: they have no items.");
  part.def(
      "width_of", [](const py::str& text) { return static_cast<int>(PyUnicode_KIND(text.ptr())); },
      "The bytes of each character as Python keeps this text.");
  part.def("drawn", &drawn, py::arg("source"), py::arg("method"), py::arg("a"), py::arg("b"),
           py::arg("count"),
           "So many numbers as units draw them, from the bits of a generator's capsule, or by the "
           "methods (random, getrandbits) of one of Python's.");
  py::class_<PyUnit>(part, "Unit", "The code of a loop, for certain kinds of values.")
      .def(py::init(&make), py::arg("code"), py::arg("registers"), py::arg("variables"),
           py::arg("inputs"), py::arg("letters"), py::arg("given"), py::arg("constants"),
           py::arg("parts") = std::vector<int32_t>(), py::arg("loops") = py::list(),
           py::arg("appends") = "", py::arg("append_slots") = std::vector<int>(),
           py::arg("calls") = py::list(),
           "given: of each variable, '!', '?' if it changed or '-', is it given back; parts: of "
           "views; loops: (ufunc, dtypes, may it work in place, what a reduction begins "
           "with) of whole arrays; appends: letters of what is appended, and the slots of the "
           "lists; calls: (function, "
           "arguments, result, does it draw random numbers?), each value (letter, type, rank).")
      .def("run", &run, py::arg("values"), py::arg("watched") = "", py::arg("streams") = py::none(),
           py::arg("heard") = py::none(),
           "Runs the loop: (how it ended, its steps, steps taken back, steps of all its loops, the "
           "instruction that left, number of the kinds, variables that are given back, an "
           "exception or None, are its arrays large, what was appended). watched: 'd', 'o', 'i' "
           "for divisions by zero, overflow and invalid values that end it. streams: the states() "
           "of what is drawn from, which go_back() takes back, and sources().");
}

}  // namespace bind
}  // namespace hybrid
