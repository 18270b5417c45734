#include "bind/recipes.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>

#include "bind/invoke.h"
#include "bind/ufunc_plans.h"
#include "engine/trace.h"
#include "tape/tape.h"
#include "trace/trace_op.h"

namespace hybrid {
namespace bind {

namespace {

// One node. Inputs: the array among the arguments by its number, or ~i for step i.
struct Step {
  SymNodeRef constant;  // one of these has no inputs
  const OpDef* op = nullptr;
  Attrs attrs;
  std::vector<int> inputs;
  bool warns = false;  // its text says of what, and the name of the function
  std::string name;
};

struct Recipe {
  bool known = false;  // false: such calls have none
  std::vector<Step> steps;
  bool is_scalar = false, is_window = false;
  // A view of the first array instead of steps, and its strides.
  py::object view, layout;
};

constexpr size_t kMostRecipes = 4096;
constexpr size_t kMostSteps = 32;

// Who follows one holds it: what runs on the way may clear the table.
using Recipes = std::unordered_map<std::string, std::shared_ptr<const Recipe>>;
Recipes& recipes() {
  static auto* all = new Recipes;
  return *all;
}

// What a call is known by.
struct Key {
  std::string bytes;
  std::vector<py::object> handles;  // of the arrays among the arguments
  RecorderState* recorder = nullptr;
  Traced* first = nullptr;

  template <class T>
  void add(char tag, const T& value) {
    bytes.push_back(tag);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }

  bool add_text(char tag, PyObject* text) {
    Py_ssize_t size = 0;
    const char* chars = PyUnicode_AsUTF8AndSize(text, &size);
    if (chars == nullptr) return false;
    add(tag, size);
    bytes.append(chars, static_cast<size_t>(size));
    return true;
  }

  bool add_array(Traced* t) {
    if (unless_none(t->handle) == nullptr || unless_none(t->layout) != nullptr) return false;
    PyObject* handle = handle_of(t);
    if (handle == nullptr) return false;
    handles.push_back(py::reinterpret_steal<py::object>(handle));
    const ArrayRef& ref = node_ref(handle);
    static const OpDef* transpose = get_op("transpose");  // which a product has another way for
    if (ref.extra && ref.extra->entry.node && ref.extra->entry.node->op == transpose) return false;
    size_t same = 0;
    while (handles[same].ptr() != handle) ++same;
    add('a', same);
    add('d', dtype_of(ref));
    const Shape& shape = shape_of(ref);
    add(t->is_scalar ? 's' : 'r', shape.ndim());
    for (const int64_t size : shape) add('.', size);
    if (recorder == nullptr) {
      recorder = recorder_of(t);
      first = t;
    }
    return true;
  }

  bool add_value(PyObject* value) {
    if (is_exact_traced(value)) return add_array(as_traced(value));
    if (PyFloat_CheckExact(value)) {
      add('f', PyFloat_AS_DOUBLE(value));
    } else if (PyBool_Check(value) || value == Py_None) {
      add('c', value);
    } else if (PyLong_CheckExact(value)) {
      int beyond = 0;
      add('i', PyLong_AsLongLongAndOverflow(value, &beyond));
      return beyond == 0;
    } else if (PyUnicode_CheckExact(value)) {
      return add_text('u', value);
    } else if (PyType_CheckExact(value)) {  // others may die, and leave their place to a new one
      add('t', value);
      return (reinterpret_cast<PyTypeObject*>(value)->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0;
    } else if (PyTuple_CheckExact(value)) {
      add('(', PyTuple_GET_SIZE(value));
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
        if (!add_value(PyTuple_GET_ITEM(value, i))) return false;
      }
    } else {
      return false;
    }
    return true;
  }
};

bool same(const SymEntry& a, const SymEntry& b) { return a.node == b.node && a.out == b.out; }

bool is_step(const SymEntry& entry) {
  const SymNode& node = *entry.node;
  if (node.kind == NodeKind::constant) return true;
  return node.kind == NodeKind::op && node.op != nullptr && entry.out == 0 &&
         node.num_outputs == 1 && node.key == 0 && node.values.empty() && !node.held &&
         node.tape == Tape::none && node.traced;
}

int number_of(const std::vector<SymEntry>& entries, const SymEntry& entry) {
  for (size_t i = 0; i < entries.size(); ++i) {
    if (same(entries[i], entry)) return static_cast<int>(i);
  }
  return -1;
}

// What lies between a result and the arguments' entries, in the order of recording; empty where
// that is no recipe.
std::vector<SymEntry> between(const SymEntry& result, const std::vector<SymEntry>& given) {
  std::vector<SymEntry> found, stack = {result};
  while (!stack.empty()) {
    const SymEntry entry = stack.back();
    stack.pop_back();
    if (number_of(given, entry) >= 0 || number_of(found, entry) >= 0) continue;
    if (!is_step(entry) || found.size() == kMostSteps) return {};
    found.push_back(entry);
    stack.insert(stack.end(), entry.node->inputs.begin(), entry.node->inputs.end());
  }
  std::sort(found.begin(), found.end(),
            [](const SymEntry& a, const SymEntry& b) { return a.node->serial < b.node->serial; });
  return found;
}

Step step_of(const SymEntry& entry, const std::vector<SymEntry>& given,
             const std::vector<SymEntry>& steps) {
  const SymNode& node = *entry.node;
  Step step;
  if (node.kind == NodeKind::constant) {
    step.constant = entry.node;
    return step;
  }
  step.op = node.op;
  step.attrs = node.attrs;
  step.warns = !node.text.empty();
  if (step.warns) step.name = node.text.substr(1);  // after the kinds
  for (const SymEntry& input : node.inputs) {
    const int at = number_of(given, input);
    step.inputs.push_back(at >= 0 ? at : ~number_of(steps, input));
  }
  return step;
}

bool find_steps(const Key& key, PyObject* handle, Recipe* recipe) {
  std::vector<SymEntry> given;
  for (size_t i = 0; i < key.handles.size(); ++i) {
    given.push_back(trace_entry(node_ref(key.handles[i].ptr())));
    for (size_t j = 0; j < i; ++j) {  // two handles of one value: which one was read?
      const bool one = key.handles[i].is(key.handles[j]);
      if (!one && same(given[i], given[j])) return false;
    }
  }
  const ArrayRef& ref = node_ref(handle);
  if (!is_traced(as_array(handle))) return false;
  const std::vector<SymEntry> steps = between(ref.extra->entry, given);
  for (const SymEntry& step : steps) recipe->steps.push_back(step_of(step, given, steps));
  return !steps.empty() && same(steps.back(), ref.extra->entry);
}

Recipe recipe_of(const Key& key, PyObject* made) {
  Recipe recipe;
  if (!is_exact_traced(made)) return recipe;
  const Traced* t = as_traced(made);
  if (unless_none(t->origin) != nullptr || unless_none(t->selected) != nullptr) return recipe;
  recipe.is_scalar = t->is_scalar;
  recipe.is_window = t->is_window;
  PyObject* parent = unless_none(t->parent);
  if (parent != nullptr) {
    recipe.known = parent == reinterpret_cast<PyObject*>(key.first) && key.handles.size() == 1;
    if (!recipe.known) return recipe;
    recipe.view = py::reinterpret_borrow<py::object>(t->view);
    recipe.layout = py::reinterpret_borrow<py::object>(unless_none(t->layout));
  } else if (unless_none(t->layout) == nullptr && unless_none(t->handle) != nullptr) {
    recipe.known = float_warning_kinds() != 0 && find_steps(key, t->handle, &recipe);
  }
  return recipe;
}

PyObject* follow_view(const Key& key, const Recipe& recipe) {
  PyObject* node = PyObject_CallMethod(recipe.view.ptr(), "read", "(O)", key.handles[0].ptr());
  PyObject* made = node == nullptr ? nullptr : make_traced(key.first->recorder, node, false);
  Py_XDECREF(node);
  if (made == nullptr) return nullptr;
  Traced* view = as_traced(made);
  put(&view->parent, Py_NewRef(reinterpret_cast<PyObject*>(key.first)));
  put(&view->view, Py_NewRef(recipe.view.ptr()));
  put(&view->layout, Py_XNewRef(recipe.layout.ptr()));
  view->is_scalar = recipe.is_scalar;
  view->seen = key.first->version;
  return made;
}

ArrayRef constant_again(const SymNode& constant) {
  ArrayRef ref;
  ref.extra = Ref<ArrayExtra>(new ArrayExtra);
  auto node = std::make_shared<SymNode>(constant);
  node->site = trace::current_site();
  node->segment = thread_state().segment;
  node->scope = current_scope();
  node->serial = next_serial();
  ref.extra->entry = {std::move(node), 0};
  ref.extra->traced = true;
  return ref;
}

PyObject* follow_steps(const Key& key, const Recipe& recipe) {
  const FlagScope windows(&thread_state().windows, true);  // views are NumPy's
  std::vector<ArrayRef> given, made;
  for (const py::object& handle : key.handles) given.push_back(ref_of(handle, "a recipe"));
  for (const Step& step : recipe.steps) {
    if (step.constant) {
      made.push_back(constant_again(*step.constant));
      continue;
    }
    std::vector<ArrayRef> inputs;
    for (const int at : step.inputs) {
      inputs.push_back(at >= 0 ? given[static_cast<size_t>(at)] : made[static_cast<size_t>(~at)]);
    }
    made.push_back(call_one(*step.op, step.attrs, inputs));
    if (step.warns) mark_float_warnings(made.back(), step.name.c_str());
  }
  PyObject* node = wrap_ref(std::move(made.back()));
  if (node == nullptr) return nullptr;
  as_array(node)->separate = true;
  PyObject* result = make_traced(key.first->recorder, node, recipe.is_scalar);
  Py_DECREF(node);
  if (result != nullptr) as_traced(result)->is_window = recipe.is_window;
  return result;
}

}  // namespace

PyObject* record_again(PyObject* function, char form, PyObject* const* args, Py_ssize_t count,
                       PyObject* names, const std::function<PyObject*()>& call) {
  Key key;
  key.add(form, function);
  bool known = true;
  for (Py_ssize_t i = 0; known && i < count; ++i) known = key.add_value(args[i]);
  for (Py_ssize_t i = 0; known && names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
    known = key.add_text('k', PyTuple_GET_ITEM(names, i)) && key.add_value(args[count + i]);
  }
  if (PyErr_Occurred() != nullptr) return nullptr;
  const bool records =
      known && key.first != nullptr && tracing() && key.recorder->active && !key.recorder->script;
  if (!records || !floats_are_quiet()) return call();
  const auto found = recipes().find(key.bytes);
  const bool judged = found != recipes().end();
  if (judged && found->second->known) {
    const std::shared_ptr<const Recipe> recipe = found->second;
    PyObject* again = guarded(
        [&] { return recipe->view ? follow_view(key, *recipe) : follow_steps(key, *recipe); });
    return again != nullptr || !takes_slow_road() ? again : call();
  }
  PyObject* breaks = unless_none(key.recorder->breaks);
  const Py_ssize_t before = breaks == nullptr ? 0 : PyList_GET_SIZE(breaks);
  PyObject* made = call();
  if (made == nullptr || judged) return made;
  const py::object own = py::reinterpret_steal<py::object>(made);
  const bool left = breaks == nullptr || PyList_GET_SIZE(breaks) != before;
  auto recipe = std::make_shared<Recipe>(left || !tracing() ? Recipe() : recipe_of(key, made));
  Recipes old;
  if (recipes().size() >= kMostRecipes) recipes().swap(old);
  recipes().emplace(std::move(key.bytes), std::move(recipe));
  return Py_NewRef(made);
}

}  // namespace bind
}  // namespace hybrid
