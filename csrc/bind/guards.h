// What rewritten cells ask before an operation that may run code nobody has seen.
//
// While a cell is recorded, values wait that are read from memory the user can reach. An operation
// on values of listed exact types runs no code but ours and Python's own; before any other one (a
// contact) everything that waits is computed, by the callback that the recording gave.
#pragma once
#include <utility>
#include <vector>

#include "bind/common.h"

namespace hybrid {
namespace bind {
namespace guards {

enum class Kind : uint8_t {
  unknown,
  scalar,    // numbers, text, None, ranges, dtypes: all their operations are Python's own
  array,     // of ours: their operations with known values are ours
  sequence,  // list, tuple and slice: what they hold may be anything
  keyed,     // dict, set, frozenset: looking up compares keys
  named,     // functions, classes, modules: compared by identity, not called here
};

struct State {
  bool active = false;   // a cell is recorded, by `thread`
  bool pending = false;  // something may have been recorded since the last contact
  unsigned long thread = 0;
  PyObject* on_contact = nullptr;  // called with the reason
  PyObject* recorder = nullptr;    // of that cell
  // Called with what is to be kept outside variables; where values have homes (guards_homes.cc).
  PyObject* on_kept = nullptr;    // (value): what is kept for it
  PyObject* on_held = nullptr;    // (list or dict): its values are seen to
  PyObject* on_store = nullptr;   // (value, holder, key): stores it
  PyObject* on_set = nullptr;     // (value, owner, name): sets it, where that runs no code
  PyObject* hidden = nullptr;     // names of attributes that stand-ins have, and NumPy's may lack
  PyObject* on_hidden = nullptr;  // (array, name): such an attribute as NumPy's object has it
  PyObject* on_set_hidden = nullptr;  // likewise, before one is set or deleted
};
State& state();
void set_pending(bool pending);

// Nothing needs to be asked: not recorded here, or nothing waits.
bool idle();
// Is this thread's cell being recorded?
bool watched();

Kind kind_of(PyObject* value);
void tell(PyTypeObject* type, Kind kind);
void tell_builtin_types();
// Comparing, hashing and showing it runs no foreign code, down to what containers hold.
bool is_inert(PyObject* value);
// Inert, and holds no functions that somebody may call.
bool is_data(PyObject* value);
// The first object of exactly these types that it is, or that nested lists, tuples and dicts hold;
// null without one, Ellipsis where that is not known within `left` values and so many levels. The
// reference is borrowed.
PyObject* first_of(PyObject* value, PyObject* types, Py_ssize_t* left, int depth = 64);
// Nothing but its own slots is asked when it is taken apart: sequences, dicts, arrays, text.
bool is_walkable(PyObject* value);
// An iterator that this cell made of walkable values, once.
bool is_closed(PyObject* iterator);
bool take_closed(PyObject* iterator);
void add_closed(PyObject* iterator);
void clear_closed();

// Computes everything that waits. False: an error is set.
bool contact(const char* what, PyObject* about);
// The same where something may have been promised since the last one.
bool contact_again(const char* what, PyObject* about);
bool contact_for(PyObject* reason);  // steals nothing

// A class's attribute as its instances find it; borrowed, null without one and without an error.
PyObject* find_in_type(PyTypeObject* type, PyObject* name);

PyObject* attribute(PyObject* self, PyObject* const* args, Py_ssize_t count);
PyObject* hide(PyObject* self, PyObject* const* args, Py_ssize_t count);
PyObject* owner(PyObject* self, PyObject* const* args, Py_ssize_t count);
PyObject* set(PyObject* self, PyObject* const* args, Py_ssize_t count);
PyObject* item(PyObject* self, PyObject* const* args, Py_ssize_t count);
PyObject* holder(PyObject* self, PyObject* const* args, Py_ssize_t count);
PyObject* store(PyObject* self, PyObject* const* args, Py_ssize_t count);
PyObject* place(PyObject* self, PyObject* const* args, Py_ssize_t count);
PyObject* into(PyObject* self, PyObject*);
PyObject* at(PyObject* self, PyObject*);
void clear_places();  // those that an interrupt has left
PyObject* walk(PyObject* self, PyObject* const* args, Py_ssize_t count);
PyObject* context(PyObject* self, PyObject* const* args, Py_ssize_t count);
bool ready_walk_types();

// What the runtime is asked most often (guards_calls.cc).
PyObject* load(PyObject* self, PyObject* value);
PyObject* callee(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
PyObject* given(PyObject* self, PyObject*);
PyObject* named(PyObject* self, PyObject*);
PyObject* inplace(PyObject* self, PyObject* const* args, Py_ssize_t count);
PyObject* tell_calls(PyObject* self, PyObject* const* args, Py_ssize_t count);

// Homes of stand-ins --------------------------------------------------------------------------
// Is it, or does it hold, what only variables may hold?
bool is_ours(PyObject* value, int depth = 4);
// Sees to what a list or dict was made of; its own reference is passed on, null for an error.
PyObject* held_here(PyObject* made);
// Stores by `on_store`. False: an error is set.
bool store_ours(PyObject* value, PyObject* into, PyObject* key);
bool set_ours(PyObject* value, PyObject* owner, PyObject* name);  // by `on_set`, likewise
PyObject* homes(PyObject* self, PyObject* const* args, Py_ssize_t count);
PyObject* kept(PyObject* self, PyObject* value);
PyObject* held(PyObject* self, PyObject* value);
PyObject* holds(PyObject* self, PyObject* container);
PyObject* may_stand(PyObject* self, PyObject* value);
// (name, value) of a namespace's names whose values are exactly of these types.
PyObject* of_types(PyObject* self, PyObject* const* args, Py_ssize_t count);

// While something waits that a cell has recorded (second_lock.cc).
void watch_frames(bool on);
void watch_from_here();
PyObject* set_second_lock(PyObject* self, PyObject* told);

// True, or TypeError: a method was called with another number of arguments.
bool has_count(const char* name, Py_ssize_t count, Py_ssize_t expected);

}  // namespace guards
}  // namespace bind
}  // namespace hybrid
