// Numbers as units keep them, and lists and tuples of numbers while a unit works on them.
#pragma once
#include <pybind11/pybind11.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "units/machine.h"

namespace hybrid {
namespace bind {

// What a register holds, by the letter that says so to Python.
constexpr char kInteger = 'i', kBool = 'b', kFloat = 'f', kComplex = 'c', kArray = 'a';
constexpr char kNotGiven = '-';  // the variable is as it was, or not bound

units::Register register_of(char letter, PyObject* value, units::Register* imaginary);
pybind11::object object_of(char letter, units::Register value, units::Register imaginary);

bool is_sequence(PyObject* value);  // a list or a tuple, exactly
// The letter of what all items of a list or tuple are, exactly; 0: several things, or too large.
char letter_of_items(PyObject* list);
// The same of all items of its lists, or of its tuples, which have one length; 0: they do not.
char letter_of_rows(PyObject* list);

// Numbers of a list, of its lists of one length, or of a tuple while a unit works on them: they are
// in memory of ours, and go back at its end.
struct OpenList {
  std::vector<PyObject*> rows;  // which have the numbers
  Py_ssize_t length;            // of each
  std::vector<units::Register> now, before;
  std::vector<char> tags;  // letters of the items now
  char letter;             // before
};

// The lists and tuples of numbers that a run is given. A list may be a row of another one, too.
class Lists {
 public:
  // Where these are of several lists of rows, or several times of one, there is no run.
  bool open_rows(PyObject* list);
  units::Array array(PyObject* list);
  void close() const;

 private:
  OpenList* known(PyObject* list) const;
  OpenList& add(PyObject* list);

  std::vector<std::unique_ptr<OpenList>> lists_;
  std::map<PyObject*, OpenList*> with_rows_;
  std::map<PyObject*, std::pair<OpenList*, size_t>> rows_;
};

}  // namespace bind
}  // namespace hybrid
