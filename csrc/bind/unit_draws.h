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
  int generator = 0;  // which of those that are drawn from
};

// Normal numbers that a generator makes come in pairs; what it keeps of one.
struct Second {
  bool is_known = false;  // here, not in the generator
  bool there = false;     // has it one?
  double value = 0;
  bool changed = false;
};

class Draws {
 public:
  // `streams`: draws.Streams, or None.
  explicit Draws(pybind11::object streams);

  // A number from the bits of one of the generators.
  units::Did draw(units::Drawn method, int source, units::Register a, units::Register b,
                  units::Register* made);

  // Before a function draws: if it fails half-way, that is taken back as well. `pairs_of`: by which
  // source, if it may take what that one's generator keeps of a pair, or leave one; else -1.
  void begin(int pairs_of);

  // It has drawn, given these. Arrays among them may change before it is called again.
  void log(const pybind11::object& function, const pybind11::tuple& given);

  // What has been drawn stays so.
  void commit() {
    if (drawn_) keep();
  }

  // The generators are what they were when it was committed last.
  void take_back();

  // They have all that was drawn.
  void finish();

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
  Second* second_of(int source);
  void give_second(size_t number);
  void give_seconds();
  template <typename Act>
  void uninterrupted(const Act& act);

  pybind11::object streams_, states_;
  pybind11::object kept_;  // which keeps the bits
  std::vector<Source> sources_;
  std::vector<Second> seconds_;  // by generator
  std::vector<Entry> log_;
  size_t committed_ = 0;
  bool drawn_ = false;  // since then
};

// So many numbers of a source, a capsule of NumPy's or a pair of methods, as units draw them.
pybind11::list drawn(const pybind11::object& source, int method, const pybind11::object& a,
                     const pybind11::object& b, int count);

}  // namespace bind
}  // namespace hybrid
