// Where Python is, for the price of a few loads: the instruction that its innermost frame runs.
#pragma once
#include <Python.h>
#include <frameobject.h>

#include <cstdint>

namespace hybrid {
namespace bind {

// Tells instructions apart as long as their code lives.
struct FramePlace {
  const void* code = nullptr;
  std::intptr_t instruction = 0;
  bool operator==(const FramePlace& other) const {
    return code == other.code && instruction == other.instruction;
  }
};

#if PY_VERSION_HEX < 0x030B0000
inline FramePlace frame_place() {
  const PyFrameObject* const frame = PyEval_GetFrame();
  if (frame == nullptr) return {};
  return {frame->f_code, frame->f_lasti};
}
#elif PY_VERSION_HEX < 0x030E0000
struct FrameHead {  // as these versions have it, whose headers hide it
#if PY_VERSION_HEX < 0x030C0000
  const void *function, *globals, *builtins, *locals, *code, *object, *previous, *instruction;
#else
  const void *code, *previous, *function, *globals, *builtins, *locals, *object, *instruction;
#endif
};
inline FramePlace frame_place() {
  const PyThreadState* const thread = PyThreadState_Get();
#if PY_VERSION_HEX < 0x030D0000
  const void* const frame = thread->cframe->current_frame;
#else
  const void* const frame = thread->current_frame;
#endif
  if (frame == nullptr) return {};
  const auto* const head = static_cast<const FrameHead*>(frame);
  return {head->code, reinterpret_cast<std::intptr_t>(head->instruction)};
}
#else
inline FramePlace frame_place() {
  PyFrameObject* const frame = PyEval_GetFrame();
  if (frame == nullptr) return {};
  PyCodeObject* const code = PyFrame_GetCode(frame);
  Py_DECREF(code);  // the frame has it
  return {code, PyFrame_GetLasti(frame)};
}
#endif

}  // namespace bind
}  // namespace hybrid
