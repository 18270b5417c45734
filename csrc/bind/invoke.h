// How slots, methods and functions run operators: attributes, modes, sites and the GIL.
#pragma once
#include <string>
#include <vector>

#include "bind/array_object.h"
#include "bind/long_calls.h"
#include "launch/thread_state.h"

namespace hybrid {
namespace bind {

// A Python number as an attribute value; keeps int or float.
AttrValue number_value(PyObject* number);
// Any Python value in the form that an attribute of this type takes; throws naming op and
// attribute.
AttrValue attr_from_python(const OpDef& op, const AttrDef& def, py::handle value);
// An attribute value in Python's form: dtypes as names, tuples as tuples.
py::object attr_to_python(AttrType type, const AttrValue& value);

// Marks the user's line, runs by mode, releases the GIL for long or blocking work.
std::vector<ArrayRef> call_op(const OpDef& op, const Attrs& attrs,
                              const std::vector<ArrayRef>& inputs,
                              const std::vector<ArrayRef>* out = nullptr, Context ctx = Context());
ArrayRef call_one(const OpDef& op, const Attrs& attrs, const std::vector<ArrayRef>& inputs);
// The same elements in a shape of as many, also its own; a window where those are asked for.
ArrayRef call_reshape(const ArrayRef& ref, const Shape& shape);

// The short way of the number slots: null when it does not apply and no error is set.
PyObject* fast_binary(ElemCode code, const PyArray* a, const PyArray* b);
PyObject* fast_scalar(ElemCode code, const PyArray* a, PyObject* number, bool number_first);
// The same for `a op= other`, an array or a number: false when it was not done.
bool fast_in_place(ElemCode code, const PyArray* a, PyObject* other);

// The array itself, or an operator's copy of it on that device.
ArrayRef moved_to(Context home, const ArrayRef& a);
// Throws Error saying which cast to write when two arrays of one operator differ in dtype.
void require_same_dtype(const char* op, const ArrayRef& a, const ArrayRef& b);

// A recorded node is to warn as the loop of this function; null: as set_float_warnings() says.
void mark_float_warnings(const ArrayRef& made, const char* name = nullptr);
int float_warning_kinds();  // as given there

// Sets the thread's mode while it lives.
class ModeScope {
 public:
  explicit ModeScope(uint32_t mode) : saved_(thread_state().mode) { thread_state().mode = mode; }
  ~ModeScope() { thread_state().mode = saved_; }
  ModeScope(const ModeScope&) = delete;
  ModeScope& operator=(const ModeScope&) = delete;

 private:
  uint32_t saved_;
};
// Name of the next traced nodes, while it lives; the thread's scope is kept by set_scope.
class NodeNameScope {
 public:
  explicit NodeNameScope(std::string name);
  ~NodeNameScope();
  NodeNameScope(const NodeNameScope&) = delete;
  NodeNameScope& operator=(const NodeNameScope&) = delete;

 private:
  std::string saved_;
};
std::string set_scope(std::string scope);  // of traced nodes, "net0/dense0"; returns the old one
const std::string& current_scope();
inline bool tracing() {
  const ThreadState& state = thread_state();
  return (state.mode & kTracing) != 0 || (state.aside && returned_from_call());
}

// How an array is written while a cell is traced. `rebind`: no other array sees its memory, so the
// new value is a graph node that the object stands for. `later`: others hold it too; the new value
// is a graph node and is written back when the trace is run. `now`: everything recorded so far was
// computed, the array is concrete, and the write runs at once.
enum class Write : uint8_t { now, rebind, later };
// Before the operator `op` writes to `a`. Throws Error when that is recorded for gradients.
// `is_output`: given as out=, not indexed or changed by a statement.
Write before_write(PyArray* a, const char* op, bool is_output = false);
// How often this thread has written an array that was there, at once or for later.
int64_t count_writes();
// Puts the result of an operator with out= or of an in-place operator into the object.
void store_result(PyArray* target, ArrayRef result, Write how);
// target[...] = source, by mode; dtypes are converted.
void assign(PyArray* target, py::handle source);

}  // namespace bind
}  // namespace hybrid
