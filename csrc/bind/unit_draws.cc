#include "bind/unit_draws.h"

#include <numpy/random/distributions.h>
#include <pybind11/numpy.h>

#include <algorithm>
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
constexpr double kTwoPi = 6.283185307179586;
const double kRatio = 4 * std::exp(-0.5) / std::sqrt(2.0);  // of Kinderman and Monahan's method

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

double one_of(const Source& source) { return source.random().cast<double>(); }

// Of a pair, of which the generator keeps one (Box and Muller).
double gauss(const Source& source, Second* second) {
  second->changed = true;
  second->there = !second->there;
  if (!second->there) return second->value;
  const double angle = one_of(source) * kTwoPi;
  const double radius = std::sqrt(-2.0 * std::log(1.0 - one_of(source)));
  second->value = std::sin(angle) * radius;
  return std::cos(angle) * radius;
}

// By a ratio of uniform numbers (Kinderman and Monahan, 1977).
double normal_by_ratio(const Source& source) {
  for (;;) {
    const double first = one_of(source), second = 1.0 - one_of(source);
    const double found = kRatio * (first - 0.5) / second;
    if (found * found / 4.0 <= -std::log(second)) return found;
  }
}

Did draw_pythons(const Source& source, Drawn method, Register a, Register b, Second* second,
                 Register* made) {
  if (method == Drawn::python_integer) {
    if (a.i >= b.i) return Did::cannot;
    const auto count = static_cast<uint64_t>(b.i) - static_cast<uint64_t>(a.i);
    made->i = static_cast<int64_t>(static_cast<uint64_t>(a.i) + below(source, count));
    return Did::well;
  }
  if (method == Drawn::python_exponential && a.f == 0) return Did::cannot;
  if (method == Drawn::python_gauss || method == Drawn::python_normal) {
    const bool by_pairs = method == Drawn::python_gauss;
    made->f = a.f + (by_pairs ? gauss(source, second) : normal_by_ratio(source)) * b.f;
    return Did::well;
  }
  const double found = one_of(source);
  made->f = method == Drawn::python_unit      ? found
            : method == Drawn::python_uniform ? a.f + (b.f - a.f) * found
                                              : -std::log(1.0 - found) / a.f;
  return Did::well;
}

// Of a pair, of which the generator keeps one (Marsaglia's polar method).
double polar(const bitgen& bits, Second* second) {
  second->changed = true;
  second->there = !second->there;
  if (!second->there) return second->value;
  double x, y, square;
  do {
    x = 2.0 * bits.next_double(bits.state) - 1.0;
    y = 2.0 * bits.next_double(bits.state) - 1.0;
    square = x * x + y * y;
  } while (square >= 1.0 || square == 0.0);
  const double factor = std::sqrt(-2.0 * std::log(square) / square);
  second->value = factor * x;
  return factor * y;
}

Did draw_normal(const bitgen& bits, Drawn method, Register a, Register b, Second* second,
                Register* made) {
  const bool is_normal = method == Drawn::normal || method == Drawn::older_normal;
  const double scale = is_normal ? b.f : a.f;
  if (std::isnan(scale) || std::signbit(scale)) return Did::cannot;
  auto* const theirs = const_cast<bitgen*>(&bits);
  if (method == Drawn::normal) {
    made->f = a.f + scale * random_standard_normal(theirs);
  } else if (method == Drawn::older_normal) {
    made->f = a.f + scale * polar(bits, second);
  } else if (method == Drawn::exponential) {
    made->f = scale * random_standard_exponential(theirs);
  } else {
    made->f = scale * -std::log(1.0 - bits.next_double(bits.state));
  }
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

bool keeps_second(Drawn method) {
  return method == Drawn::older_normal || method == Drawn::python_gauss;
}

Did draw_from(const Source& source, Drawn method, Register a, Register b, Second* second,
              Register* made) {
  if (method >= Drawn::python_unit) return draw_pythons(source, method, a, b, second, made);
  if (method >= Drawn::normal) return draw_normal(*source.bits, method, a, b, second, made);
  return draw_from_bits(*source.bits, method, a, b, made);
}

}  // namespace

Draws::Draws(py::object streams) : streams_(std::move(streams)) {
  if (streams_.is_none()) return;
  kept_ = streams_.attr("sources")();
  const py::list numbers = streams_.attr("numbers")();
  for (const py::handle source : kept_) {
    sources_.push_back(source_of(source));
    sources_.back().generator = numbers[sources_.size() - 1].cast<int>();
  }
  states_ = streams_.attr("states")();
  seconds_.resize(py::len(states_));
}

// Begun anew where it is interrupted, which the run hears of when it looks for that.
template <typename Act>
void Draws::uninterrupted(const Act& act) {
  PyObject *type = nullptr, *raised = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &raised, &trace);
  for (bool done = false, interrupted = false; !done;) {
    try {
      act();
      done = true;
    } catch (const py::error_already_set& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      interrupted = true;
    }
    if (done && interrupted && type == nullptr) PyErr_SetInterrupt();
  }
  PyErr_Restore(type, raised, trace);
}

// What a generator keeps of a pair. Where nothing was drawn yet its state tells.
Second* Draws::second_of(int source) {
  const int number = sources_[source].generator;
  Second& second = seconds_[number];
  if (!second.is_known) {
    py::object state = py::none();
    if (log_.empty()) state = py::list(states_)[number];
    const py::object found = streams_.attr("second")(number, state);
    second = {true, !found.is_none(), found.is_none() ? 0.0 : found.cast<double>(), false};
  }
  return &second;
}

void Draws::give_second(size_t number) {
  Second& second = seconds_[number];
  if (second.changed) {
    const py::object value = second.there ? py::object(py::float_(second.value)) : py::none();
    streams_.attr("set_second")(number, value);
  }
  second = Second{};
}

void Draws::give_seconds() {
  for (size_t number = 0; number < seconds_.size(); ++number) give_second(number);
}

void Draws::begin(int pairs_of) {
  drawn_ = true;
  if (pairs_of < 0) return;
  uninterrupted([&] { give_second(static_cast<size_t>(sources_[pairs_of].generator)); });
}

Did Draws::draw(Drawn method, int source, Register a, Register b, Register* made) {
  drawn_ = true;
  Second* second = nullptr;
  if (keeps_second(method)) uninterrupted([&] { second = second_of(source); });
  const Did did = draw_from(sources_[source], method, a, b, second, made);
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
  uninterrupted([this] {
    give_seconds();
    states_ = streams_.attr("states")();
  });
  log_.clear();
  committed_ = 0;
}

void Draws::take_back() {
  if (!drawn_) return;
  uninterrupted([this] { go_back(); });
  drawn_ = false;
  log_.erase(log_.begin() + static_cast<ptrdiff_t>(committed_), log_.end());
}

void Draws::finish() {
  uninterrupted([this] { give_seconds(); });
}

void Draws::go_back() {
  streams_.attr("go_back")(states_);
  std::fill(seconds_.begin(), seconds_.end(), Second{});
  for (size_t k = 0; k < committed_; ++k) {
    const Entry& entry = log_[k];
    Register made{};
    if (entry.function) {
      give_seconds();
      entry.function(*py::reinterpret_borrow<py::tuple>(entry.given));
      continue;
    }
    Second* second = nullptr;
    if (keeps_second(entry.method)) second = second_of(entry.source);
    draw_from(sources_[entry.source], entry.method, entry.a, entry.b, second, &made);
  }
}

py::list drawn(const py::object& source, int method, const py::object& a, const py::object& b,
               int count) {
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
  const Source from = source_of(source);
  Second kept;
  py::list found;
  for (int k = 0; k < count; ++k) {
    if (draw_from(from, how, first, second, &kept, &made) != Did::well) {
      throw py::value_error("no such numbers are drawn");
    }
    found.append(is_float ? py::object(py::float_(made.f)) : py::object(py::int_(made.i)));
  }
  return found;
}

}  // namespace bind
}  // namespace hybrid
