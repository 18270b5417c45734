// What a run appends to lists that grow, as objects.
#pragma once
#include <pybind11/pybind11.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "units/machine.h"

namespace hybrid {
namespace bind {

class GivenAppends : public units::Appends {
 public:
  // `letters`: of each place that appends; `slots`: whose lists get it.
  GivenAppends(const std::string& letters, const std::vector<int>& slots)
      : letters_(letters), slots_(slots) {}

  // Arrays may still be written while the run goes on: they are taken when it has ended.
  bool has_arrays() const;
  void take(const std::vector<units::Appended>& several) override;
  using Object = std::function<pybind11::object(char, units::Register, units::Register)>;
  void take_rest(const std::vector<units::Appended>& several, const Object& object);
  // (place, several objects), ...: what follows each other in one list from one place is together.
  pybind11::list taken() const;

 private:
  template <class Make>
  void take_each(const std::vector<units::Appended>& several, const Make& make);

  const std::string& letters_;
  const std::vector<int>& slots_;
  std::vector<std::pair<int, pybind11::list>> parts_;
  std::map<int, size_t> last_;  // part of a list
};

}  // namespace bind
}  // namespace hybrid
