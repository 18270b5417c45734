#include "bind/unit_appends.h"

#include "bind/unit_lists.h"
#include "bind/unit_types.h"

namespace py = pybind11;

namespace hybrid {
namespace bind {

using units::Appended;
using units::Register;

bool GivenAppends::has_arrays() const { return letters_.find(kArray) != std::string::npos; }

template <class Make>
void GivenAppends::take_each(const std::vector<Appended>& several, const Make& make) {
  for (size_t k = 0; k < several.size();) {
    const int which = several[k].which;
    const auto [known, is_new] = last_.emplace(slots_[which], parts_.size());
    if (is_new || parts_[known->second].first != which) {
      known->second = parts_.size();
      parts_.emplace_back(which, py::list());
    }
    PyObject* const list = parts_[known->second].second.ptr();
    for (; k < several.size() && several[k].which == which; ++k) {
      const py::object one = make(letters_[which], several[k].value, several[k].imaginary);
      if (PyList_Append(list, one.ptr()) != 0) throw py::error_already_set();
    }
  }
}

void GivenAppends::take(const std::vector<Appended>& several) { take_each(several, object_of); }

void GivenAppends::take_rest(const std::vector<Appended>& several, const Object& object) {
  take_each(several, object);
}

py::list GivenAppends::taken() const {
  py::list found;
  for (const auto& [which, several] : parts_) found.append(py::make_tuple(which, several));
  return found;
}

}  // namespace bind
}  // namespace hybrid
