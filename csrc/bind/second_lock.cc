// The second lock: a frame that starts or goes on while something waits, and that no guard let in,
// is told to a callback before it runs: a finalizer's, a signal handler's.
//
// It stands where Python evaluates frames (PEP 523), while something waits only: calls of Python
// code are slower then. A profiling function would double what recording costs; `sys.monitoring`
// has to be told of every code again each time it is switched on.
#include <cstdint>
#include <cstdlib>

#include "bind/guards.h"

#if PY_VERSION_HEX < 0x030C0000
#define PyUnstable_Eval_RequestCodeExtraIndex _PyEval_RequestCodeExtraIndex
#define PyUnstable_Code_GetExtra _PyCode_GetExtra
#define PyUnstable_Code_SetExtra _PyCode_SetExtra
#endif

namespace hybrid {
namespace bind {
namespace guards {

namespace {

#if PY_VERSION_HEX < 0x030B0000
using Frame = PyFrameObject;
PyObject* code_of(Frame* frame) { return reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)); }
#else
using Frame = struct _PyInterpreterFrame;
#if PY_VERSION_HEX < 0x030C0000
struct FrameHead {  // as 3.11 has it, whose headers hide it
  PyObject *function, *globals, *builtins, *locals, *code;
};
PyObject* code_of(Frame* frame) { return Py_NewRef(reinterpret_cast<FrameHead*>(frame)->code); }
#else
PyObject* code_of(Frame* frame) { return PyUnstable_InterpreterFrame_GetCode(frame); }
#endif
#endif

// While we stand there a call takes room of C's stack, which deep recursion does not have.
constexpr std::ptrdiff_t kDeep = 2 << 20;
#if PY_VERSION_HEX >= 0x030D0000 && PY_VERSION_HEX < 0x030E0000  // which count C's calls, too
constexpr int kFewCalls = Py_C_RECURSION_LIMIT / 2;
#elif PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030D0000
constexpr int kFewCalls = C_RECURSION_LIMIT / 2;
#endif

PyObject* callback = nullptr;  // called with the code; true: it may always run
Py_ssize_t trusted_slot = -1;
bool asking = false;
std::intptr_t bottom = 0;  // of the stack, about, where the recording began
bool too_deep = false;     // it has been since

// About where the stack is.
std::intptr_t here() {
  char place = 0;
  return reinterpret_cast<std::intptr_t>(&place);
}

bool is_deep(PyThreadState* thread) {
#if PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030E0000
  if (thread->c_recursion_remaining < kFewCalls) return true;
#endif
  (void)thread;
  return std::abs(here() - bottom) > kDeep;
}

// False: an error is set.
bool let_in(PyObject* code) {
  void* trusted = nullptr;
  if (PyUnstable_Code_GetExtra(code, trusted_slot, &trusted) < 0) return false;
  if (trusted != nullptr) return true;
  asking = true;
  PyObject* made = PyObject_CallOneArg(callback, code);
  asking = false;
  if (made == nullptr) return false;
  const bool always = made == Py_True;
  Py_DECREF(made);
  return !always || PyUnstable_Code_SetExtra(code, trusted_slot, callback) == 0;
}

PyObject* evaluate(PyThreadState* thread, Frame* frame, int thrown) {
  if (is_deep(thread) && PyThread_get_thread_ident() == state().thread) {
    too_deep = true;
    watch_frames(false);
  }
  if (!asking && !idle()) {
    // What is thrown into a generator stands as the error: GeneratorExit, when it is freed.
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject* code = code_of(frame);
    if (let_in(code)) {
      PyErr_Restore(type, value, traceback);
    } else {
      thrown = 1;
      Py_XDECREF(type);
      Py_XDECREF(value);
      Py_XDECREF(traceback);
    }
    Py_DECREF(code);
  }
  return _PyEval_EvalFrameDefault(thread, frame, thrown);
}

}  // namespace

void watch_frames(bool on) {
  PyInterpreterState* all = PyInterpreterState_Get();
  const auto now = _PyInterpreterState_GetEvalFrameFunc(all);
  if (on && !too_deep && callback != nullptr && now == &_PyEval_EvalFrameDefault) {
    _PyInterpreterState_SetEvalFrameFunc(all, &evaluate);
  } else if (!on && now == &evaluate) {
    _PyInterpreterState_SetEvalFrameFunc(all, &_PyEval_EvalFrameDefault);
  }
}

void watch_from_here() {
  bottom = here();
  too_deep = false;
}

PyObject* set_second_lock(PyObject*, PyObject* told) {
  if (trusted_slot < 0) trusted_slot = PyUnstable_Eval_RequestCodeExtraIndex(nullptr);
  if (trusted_slot < 0) {
    PyErr_SetString(PyExc_RuntimeError, "second_lock(): no room beside code objects");
    return nullptr;
  }
  Py_XDECREF(std::exchange(callback, told == Py_None ? nullptr : Py_NewRef(told)));
  Py_RETURN_NONE;
}

}  // namespace guards
}  // namespace bind
}  // namespace hybrid
