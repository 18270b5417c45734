// The objects of a run's arrays and lists: those that were given, and new ones.
#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <map>
#include <vector>

#include "units/arrays.h"

namespace hybrid {
namespace bind {

class Objects {
 public:
  Objects(const units::Arrays& arrays, const std::vector<PyObject*>& given,
          const std::vector<pybind11::object>& lent)
      : arrays_(arrays), given_(given), lent_(lent) {}

  pybind11::object of(int64_t number);
  pybind11::object of_item(char tag, units::Register value);
  const units::Array& array(int64_t number) const { return arrays_[number]; }

 private:
  pybind11::object of_list(int64_t number);
  PyObject* new_item(const units::Array& list, int64_t at);  // a new reference
  static pybind11::array seen(const units::Array& array, const pybind11::object& base, char* data);
  pybind11::array owner(int memory);

  const units::Arrays& arrays_;
  const std::vector<PyObject*>& given_;
  const std::vector<pybind11::object>& lent_;
  std::vector<pybind11::object> made_;  // by number
  std::map<int, pybind11::object> owners_;
};

}  // namespace bind
}  // namespace hybrid
