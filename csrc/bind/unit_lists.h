// Numbers as units keep them, and lists and tuples of numbers while a unit works on them.
#pragma once
#include <pybind11/pybind11.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "bind/unit_objects.h"
#include "units/machine.h"

namespace hybrid {
namespace bind {

// What a register holds, by the letter that says so to Python.
constexpr char kInteger = 'i', kBool = 'b', kFloat = 'f', kComplex = 'c', kArray = 'a';
constexpr char kLists = 'l';     // an array, of a list of lists or arrays, each one by itself
constexpr char kNotGiven = '-';  // the variable is as it was, or not bound

units::Type type_of(char letter);  // of a dtype
units::Register register_of(char letter, PyObject* value, units::Register* imaginary);
pybind11::object object_of(char letter, units::Register value, units::Register imaginary);

bool is_sequence(PyObject* value);  // a list or a tuple, exactly
// What the last item of a list or tuple is, as units::tags has it; 0: there is none, or one of them
// is no number that a register holds.
char tag_of_items(PyObject* list);
// What all items of its lists, or of its tuples, are, which have one length; 0: they differ.
char tag_of_rows(PyObject* list);
// What the last item of its lists is, exactly lists of any lengths; kNoItem: they have none, 0: one
// is no list, or has something else.
constexpr char kNoItem = -1;
char tag_of_lists(PyObject* list);

// Numbers of a list, of its lists of one length, or of a tuple while a unit works on them: they are
// in memory of ours, and go back at its end.
struct OpenList {
  std::vector<PyObject*> rows;  // which have the numbers
  Py_ssize_t length;            // of each
  std::vector<units::Register> now;
  std::vector<char> tags;
  int number;  // of the array of a list without rows; -1: it has these
  std::vector<std::pair<char, int64_t>> held;  // by reference: tags and numbers at the beginning
};

// The arrays, lists, tuples and texts that a run is given. A list may be a row of another one, too.
class Given {
 public:
  // Where these are of several lists of rows, or several times of one, there is no run.
  bool open_rows(PyObject* list);
  // The number of its array. Lists and arrays in a list `by_reference` are those of their own.
  int64_t number_of(PyObject* value, bool by_reference);
  const std::vector<PyObject*>& objects() const { return objects_; }
  std::vector<units::Array>& arrays() { return arrays_; }
  void close(Objects& objects) const;

 private:
  units::Array array_of_list(PyObject* list, int number);
  OpenList* known(PyObject* list) const;
  OpenList& add(PyObject* list);

  std::vector<PyObject*> objects_;
  std::vector<pybind11::object> rows_held_;  // which their lists may give away
  std::vector<units::Array> arrays_;
  std::vector<std::unique_ptr<OpenList>> lists_;
  std::map<PyObject*, OpenList*> with_rows_;
  std::map<PyObject*, std::pair<OpenList*, size_t>> rows_;
};

units::Array array_of(PyObject* value);  // of an ndarray, or a text

}  // namespace bind
}  // namespace hybrid
