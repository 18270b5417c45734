// Python's syntax trees walked and copied, which every cell pays for when it runs for the first
// time.
#include <unordered_map>

#include "bind/common.h"

namespace hybrid {
namespace bind {
namespace {

struct Kind {
  bool is_node = false;       // not so operators and contexts: they have no parts and are shared
  PyObject* names = nullptr;  // a set: those of its fields and of its place
};

py::object of_ast(const char* name) { return py::module_::import("ast").attr(name); }

Kind make_kind(PyTypeObject* type) {
  static const py::handle node = of_ast("AST").release();
  static const py::handle shared =
      py::make_tuple(of_ast("expr_context"), of_ast("boolop"), of_ast("operator"),
                     of_ast("unaryop"), of_ast("cmpop"))
          .release();
  const py::handle self(reinterpret_cast<PyObject*>(type));
  const int found = PyObject_IsSubclass(self.ptr(), node.ptr());
  const int without = found == 1 ? PyObject_IsSubclass(self.ptr(), shared.ptr()) : 0;
  if (found < 0 || without < 0) throw py::error_already_set();
  if (found == 0 || without == 1) return {};
  py::set names(self.attr("_fields"));
  for (const py::handle name : self.attr("_attributes")) names.add(name);
  return {true, names.release().ptr()};
}

const Kind& kind_of(PyObject* value) {
  static auto* known = new std::unordered_map<PyTypeObject*, Kind>;  // types are kept alive
  const auto found = known->find(Py_TYPE(value));
  if (found != known->end()) return found->second;
  const Kind made = make_kind(Py_TYPE(value));
  Py_INCREF(Py_TYPE(value));
  return known->emplace(Py_TYPE(value), made).first->second;
}

py::dict parts_of(PyObject* node) {
  PyObject* parts = PyObject_GenericGetDict(node, nullptr);
  if (parts == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::dict>(parts);
}

// Is it a part of such nodes? Others may note something on them, the node around them say.
bool is_own(const Kind& kind, PyObject* name) {
  const int own = PySet_Contains(kind.names, name);
  if (own < 0) throw py::error_already_set();
  return own == 1;
}

void append(const py::list& list, PyObject* item) {
  if (PyList_Append(list.ptr(), item) != 0) throw py::error_already_set();
}

// The nodes directly below, added to a list.
void add_children(PyObject* node, const py::list& found) {
  const Kind& kind = kind_of(node);
  const py::dict parts = parts_of(node);
  PyObject *name, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(parts.ptr(), &at, &name, &value)) {
    if (!is_own(kind, name)) continue;
    if (PyList_CheckExact(value)) {
      for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); ++i) {
        PyObject* item = PyList_GET_ITEM(value, i);
        if (kind_of(item).is_node) append(found, item);
      }
    } else if (kind_of(value).is_node) {
      append(found, value);
    }
  }
}

void check_node(const py::handle& node, const char* function) {
  if (!kind_of(node.ptr()).is_node) {
    throw py::type_error(std::string(function) + " takes a node of a syntax tree, not " +
                         Py_TYPE(node.ptr())->tp_name);
  }
}

py::list children(const py::handle& node) {
  check_node(node, "children");
  py::list found;
  add_children(node.ptr(), found);
  return found;
}

py::list walk(const py::handle& node) {
  check_node(node, "walk");
  py::list found;
  append(found, node.ptr());
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(found.ptr()); ++i) {
    add_children(PyList_GET_ITEM(found.ptr(), i), found);
  }
  return found;
}

bool is_deeper(const py::handle& node, int most) {
  check_node(node, "is_deeper");
  py::list level;
  append(level, node.ptr());
  for (int depth = 1; PyList_GET_SIZE(level.ptr()) > 0; ++depth) {
    if (depth > most) return true;
    py::list below;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(level.ptr()); ++i) {
      add_children(PyList_GET_ITEM(level.ptr(), i), below);
    }
    level = std::move(below);
  }
  return false;
}

py::object copy_of(PyObject* value);

py::object copy_of_node(PyObject* node, const Kind& kind) {
  if (Py_EnterRecursiveCall(" while a syntax tree is copied") != 0) throw py::error_already_set();
  struct Leave {
    ~Leave() { Py_LeaveRecursiveCall(); }
  } leave;
  static const py::handle nothing = py::tuple(0).release();
  const auto made = py::reinterpret_steal<py::object>(
      Py_TYPE(node)->tp_new(Py_TYPE(node), nothing.ptr(), nullptr));
  if (!made) throw py::error_already_set();
  const py::dict parts = parts_of(node), copies = parts_of(made.ptr());
  PyObject *name, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(parts.ptr(), &at, &name, &value)) {
    if (!is_own(kind, name)) continue;
    if (PyDict_SetItem(copies.ptr(), name, copy_of(value).ptr()) != 0) {
      throw py::error_already_set();
    }
  }
  return made;
}

py::object copy_of(PyObject* value) {
  if (!PyList_CheckExact(value)) {
    const Kind& kind = kind_of(value);
    return kind.is_node ? copy_of_node(value, kind) : py::reinterpret_borrow<py::object>(value);
  }
  py::list copies;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); ++i) {
    append(copies, copy_of(PyList_GET_ITEM(value, i)).ptr());
  }
  return std::move(copies);
}

}  // namespace

void bind_syntax_trees(py::module_& m) {
  py::module_ trees = m.def_submodule("syntax_trees");
  trees.def("children", &children, "The nodes directly below, operators and contexts aside.");
  trees.def("walk", &walk, "The node and all below, operators and contexts aside.");
  trees.def("is_deeper", &is_deeper, py::arg("node"), py::arg("most"),
            "Do more than so many nodes stand in each other?");
  trees.def(
      "copied",
      [](const py::handle& node) {
        check_node(node, "copied");
        return copy_of(node.ptr());
      },
      "A copy of a tree as the parser made it.");
}

}  // namespace bind
}  // namespace hybrid
