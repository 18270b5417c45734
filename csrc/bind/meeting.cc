// Meetings of devices in Python: who could still call.
#include "engine/meeting.h"

#include "bind/common.h"

namespace hybrid {
namespace bind {

namespace {

PyObject* others_may_call = nullptr;

// What it raises is nobody's here: an interrupt comes once more, where the wait looks for it.
bool ask() {
  const py::gil_scoped_acquire gil;
  const py::object answer = py::reinterpret_steal<py::object>(PyObject_CallNoArgs(others_may_call));
  if (!answer && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
    PyErr_Clear();
    PyErr_SetInterrupt();
  } else if (!answer) {
    PyErr_WriteUnraisable(others_may_call);
  }
  return answer.ptr() != Py_False;
}

}  // namespace

void bind_meeting(py::module_& m) {
  m.def(
      "set_callers_check",
      [](py::object check) {
        others_may_call = check.release().ptr();
        engine::set_callers_check(&ask);
      },
      py::arg("others_may_call"),
      "What tells whether a thread other than the calling one could still push operators.");
  m.def(
      "end_open_meetings",
      [](const std::string& why) {
        const MaybeReleaseGil released(true);
        engine::end_open_meetings(why);
      },
      py::arg("why"),
      "Operators that wait for other devices', which were not called and will not be, get this "
      "error, which the user knows.");
  m.def("awaits_calls", &engine::awaits_calls,
        "Do operators of several devices lack a call of one of them?");
  m.def(
      "wait_for_what_goes_on",
      [] {
        const MaybeReleaseGil released(true);
        engine::wait_for_what_goes_on();
      },
      "Waits for everything but operators that wait for such calls, and what depends on them.");
  m.def("only_meetings", &engine::only_meetings,
        "Does nothing go on but operators that wait for those of other devices?");
}

}  // namespace bind
}  // namespace hybrid
