#include "bind/unit_draws.h"

#include <numpy/random/bitgen.h>
#include <pybind11/numpy.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

namespace py = pybind11;

namespace hybrid {
namespace bind {
namespace {

using units::Did;
using units::Drawn;
using units::Register;

constexpr size_t kMost = 1024;  // draws between two states

Source source_of(py::handle given) {
  Source made;
  if (py::isinstance<py::tuple>(given)) {
    std::tie(made.random, made.getrandbits) = given.cast<std::pair<py::object, py::object>>();
  } else if (!given.is_none()) {
    void* const found = PyCapsule_GetPointer(given.ptr(), "BitGenerator");
    if (found == nullptr) throw py::error_already_set();
    made.bits = static_cast<const bitgen*>(found);
  }
  return made;
}

// Of 0 to `most`, by rejecting what its bits say beyond (as NumPy's older generators do), ...
uint32_t masked(const bitgen& bits, uint32_t most) {
  uint32_t mask = most;
  for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
  for (;;) {
    const uint32_t found = bits.next_uint32(bits.state) & mask;
    if (found <= most) return found;
  }
}

// ... or by a product (Lemire, "Fast Random Integer Generation in an Interval", 2019).
uint32_t scaled(const bitgen& bits, uint32_t most) {
  const uint32_t count = most + 1;
  uint64_t product = static_cast<uint64_t>(bits.next_uint32(bits.state)) * count;
  if (static_cast<uint32_t>(product) < count) {
    const uint32_t least = -count % count;
    while (static_cast<uint32_t>(product) < least) {
      product = static_cast<uint64_t>(bits.next_uint32(bits.state)) * count;
    }
  }
  return static_cast<uint32_t>(product >> 32);
}

// As Python's random.Random has them: of 0 to count - 1 by rejection. Errors are Python's.
int64_t below(const Source& source, uint64_t count) {
  int bits = 0;
  while (bits < 64 && count >> bits != 0) ++bits;
  const py::int_ width(bits);
  for (;;) {
    const auto found = source.getrandbits(width).cast<uint64_t>();
    if (found < count) return static_cast<int64_t>(found);
  }
}

Did draw_pythons(const Source& source, Drawn method, Register a, Register b, Register* made) {
  if (method == Drawn::python_integer) {
    if (a.i >= b.i) return Did::cannot;
    const auto count = static_cast<uint64_t>(b.i) - static_cast<uint64_t>(a.i);
    made->i = static_cast<int64_t>(static_cast<uint64_t>(a.i) + below(source, count));
    return Did::well;
  }
  if (method == Drawn::python_exponential && a.f == 0) return Did::cannot;
  const auto found = source.random().cast<double>();
  made->f = method == Drawn::python_unit      ? found
            : method == Drawn::python_uniform ? a.f + (b.f - a.f) * found
                                              : -std::log(1.0 - found) / a.f;
  return Did::well;
}

Did draw_from_bits(const bitgen& bits, Drawn method, Register a, Register b, Register* made) {
  if (method == Drawn::unit) {
    made->f = bits.next_double(bits.state);
    return Did::well;
  }
  if (method == Drawn::uniform) {
    const double range = b.f - a.f;
    if (!(range >= 0) || std::isinf(range)) return Did::cannot;
    made->f = a.f + range * bits.next_double(bits.state);
    return Did::well;
  }
  const uint64_t most = static_cast<uint64_t>(b.i) - static_cast<uint64_t>(a.i) - 1;
  constexpr uint32_t kAll = std::numeric_limits<uint32_t>::max();
  if (a.i >= b.i || most > kAll) return Did::cannot;
  uint32_t found = 0;
  if (most == kAll) {
    found = bits.next_uint32(bits.state);
  } else if (most > 0) {
    const auto bound = static_cast<uint32_t>(most);
    found = method == Drawn::masked ? masked(bits, bound) : scaled(bits, bound);
  }
  made->i = a.i + static_cast<int64_t>(found);
  return Did::well;
}

Did draw_from(const Source& source, Drawn method, Register a, Register b, Register* made) {
  if (method >= Drawn::python_unit) return draw_pythons(source, method, a, b, made);
  return draw_from_bits(*source.bits, method, a, b, made);
}

}  // namespace

Draws::Draws(py::object streams) : streams_(std::move(streams)) {
  if (streams_.is_none()) return;
  kept_ = streams_.attr("sources")();
  for (const py::handle source : kept_) sources_.push_back(source_of(source));
  states_ = streams_.attr("states")();
}

Did Draws::draw(Drawn method, int source, Register a, Register b, Register* made) {
  drawn_ = true;
  const Did did = draw_from(sources_[source], method, a, b, made);
  if (did == Did::well) log_.push_back({py::object(), py::object(), method, source, a, b});
  return did;
}

void Draws::log(const py::object& function, const py::tuple& given) {
  py::tuple kept = given;
  for (size_t k = 0; k < given.size(); ++k) {
    if (!py::isinstance<py::array>(given[k])) continue;
    if (kept.is(given)) kept = py::tuple(py::list(given));
    kept[k] = given[k].attr("copy")();
  }
  log_.push_back({function, std::move(kept), Drawn::unit, -1, {}, {}});
}

void Draws::keep() {
  drawn_ = false;
  committed_ = log_.size();
  if (committed_ < kMost) return;
  try {
    states_ = streams_.attr("states")();
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    PyErr_SetInterrupt();  // for when the run looks for one
    return;                // the log goes on
  }
  log_.clear();
  committed_ = 0;
}

// Going back may be interrupted, too: it begins anew, and the run tells of it.
void Draws::take_back() {
  if (!drawn_) return;
  PyObject *type = nullptr, *raised = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &raised, &trace);
  for (;;) {
    try {
      go_back();
      break;
    } catch (py::error_already_set& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      if (type != nullptr) continue;
      error.restore();
      PyErr_Fetch(&type, &raised, &trace);
    }
  }
  PyErr_Restore(type, raised, trace);
  drawn_ = false;
  log_.erase(log_.begin() + static_cast<ptrdiff_t>(committed_), log_.end());
}

void Draws::go_back() {
  streams_.attr("go_back")(states_);
  for (size_t k = 0; k < committed_; ++k) {
    const Entry& entry = log_[k];
    Register made{};
    if (entry.function) {
      entry.function(*py::reinterpret_borrow<py::tuple>(entry.given));
    } else {
      draw_from(sources_[entry.source], entry.method, entry.a, entry.b, &made);
    }
  }
}

py::object drawn(const py::object& source, int method, const py::object& a, const py::object& b) {
  const auto how = static_cast<Drawn>(method);
  const bool is_float =
      how != Drawn::masked && how != Drawn::scaled && how != Drawn::python_integer;
  Register first{}, second{}, made{};
  if (is_float) {
    first.f = a.cast<double>();
    second.f = b.cast<double>();
  } else {
    first.i = a.cast<int64_t>();
    second.i = b.cast<int64_t>();
  }
  if (draw_from(source_of(source), how, first, second, &made) != Did::well) {
    throw py::value_error("no such numbers are drawn");
  }
  if (is_float) return py::float_(made.f);
  return py::int_(made.i);
}

}  // namespace bind
}  // namespace hybrid
