// The random numbers that a run of a unit draws from the user's generators: what is taken back has
// not been drawn. The generators' states are saved now and then; draws since then are logged.
#pragma once
#include <pybind11/pybind11.h>

#include <vector>

#include "units/machine.h"

struct bitgen;  // of NumPy's: where a generator's bits come from

namespace hybrid {
namespace bind {

// Where a generator's numbers come from: NumPy's bits, or two methods of Python's.
struct Source {
  const bitgen* bits = nullptr;
  pybind11::object random, getrandbits;
};

class Draws {
 public:
  // `streams`: an object with `states()`, `go_back(states)` and `sources()`, or None.
  explicit Draws(pybind11::object streams);

  // A number from the bits of one of the generators.
  units::Did draw(units::Drawn method, int source, units::Register a, units::Register b,
                  units::Register* made);

  // Before a function draws: if it fails half-way, that is taken back as well.
  void begin() { drawn_ = true; }

  // It has drawn, given these. Arrays among them may change before it is called again.
  void log(const pybind11::object& function, const pybind11::tuple& given);

  // What has been drawn stays so.
  void commit() {
    if (drawn_) keep();
  }

  // The generators are what they were when it was committed last.
  void take_back();

 private:
  struct Entry {
    pybind11::object function, given;
    // Without a function:
    units::Drawn method;
    int source;
    units::Register a, b;
  };

  void keep();
  void go_back();

  pybind11::object streams_, states_;
  pybind11::object kept_;  // which keeps the bits
  std::vector<Source> sources_;
  std::vector<Entry> log_;
  size_t committed_ = 0;
  bool drawn_ = false;  // since then
};

// One number of a source, a capsule of NumPy's or a pair of methods, as units draw it.
pybind11::object drawn(const pybind11::object& source, int method, const pybind11::object& a,
                       const pybind11::object& b);

}  // namespace bind
}  // namespace hybrid
