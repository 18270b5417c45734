// Where Python is, cheaply: the instruction that its innermost frame runs.
#pragma once
#include <Python.h>
#include <frameobject.h>

#include <cstdint>

namespace hybrid {
namespace bind {

// Tells instructions apart as long as their code lives.
struct FramePlace {
  PyCodeObject* code = nullptr;  // borrowed of the frame that runs
  std::intptr_t instruction = 0;
  bool operator==(const FramePlace& other) const {
    return code == other.code && instruction == other.instruction;
  }
};

inline FramePlace frame_place() {
  PyFrameObject* const frame = PyEval_GetFrame();
  if (frame == nullptr) return {};
#if PY_VERSION_HEX < 0x030B0000
  return {frame->f_code, frame->f_lasti};
#else
  PyCodeObject* const code = PyFrame_GetCode(frame);
  Py_DECREF(code);  // the frame has it
  return {code, PyFrame_GetLasti(frame)};
#endif
}

}  // namespace bind
}  // namespace hybrid
