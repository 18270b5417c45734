// Between which numbers the elements of an array of integers lie, proved without computing it: an
// index that is in range whatever the data are needs no look.
#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "bind/array_object.h"
#include "bind/index_bounds.h"
#include "engine/engine.h"
#include "kernels/layout.h"
#include "ops/dispatch.h"

namespace hybrid {
namespace bind {

namespace {

constexpr int kMostNodes = 64;              // that are looked at
constexpr int64_t kMostElements = 1 << 16;  // of an array that is read

struct Bounds {
  int64_t low, high;
};

Bounds both(Bounds a, Bounds b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

template <class T>
Bounds range_of() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

// Of any array of integers of this type; numbers past int64 count as its last one.
Bounds range_of(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return {0, 1};
    case DType::int8:
      return range_of<int8_t>();
    case DType::uint8:
      return range_of<uint8_t>();
    case DType::int16:
      return range_of<int16_t>();
    case DType::uint16:
      return range_of<uint16_t>();
    case DType::int32:
      return range_of<int32_t>();
    case DType::uint32:
      return range_of<uint32_t>();
    case DType::uint64:
      return {0, range_of<int64_t>().high};
    default:
      return range_of<int64_t>();
  }
}

bool is_counted(DType dtype) {
  return dtype == DType::boolean || (is_integer(dtype) && dtype != DType::uint64);
}

using Wide = __int128;

// The bounds of a result whose exact ones are these: none where it may have wrapped around.
Bounds fitted(Wide low, Wide high, DType dtype) {
  const Bounds all = range_of(dtype);
  if (low < all.low || high > all.high) return all;
  return {static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

const std::unordered_set<std::string>& movers() {
  static const std::unordered_set<std::string> names = {"identity",
                                                        "stop_gradient",
                                                        "broadcast_to",
                                                        "broadcast_like",
                                                        "broadcast_axis",
                                                        "reshape",
                                                        "reshape_like",
                                                        "flatten",
                                                        "expand_dims",
                                                        "squeeze",
                                                        "transpose",
                                                        "swapaxes",
                                                        "contiguous",
                                                        "slice",
                                                        "slice_axis",
                                                        "slice_like",
                                                        "reverse",
                                                        "tile",
                                                        "repeat",
                                                        "take",
                                                        "gather_nd",
                                                        "split",
                                                        "sort",
                                                        "max",
                                                        "min",
                                                        "cummax",
                                                        "cummin",
                                                        "shuffle",
                                                        "floor",
                                                        "ceil",
                                                        "trunc",
                                                        "rint",
                                                        "take_along_axis"};
  return names;
}

class Walk {
 public:
  Bounds of(const SymEntry& entry) {
    const SymNodeRef node = entry.node;
    const auto out = static_cast<size_t>(entry.out);
    const DType dtype = node->dtypes.at(out);
    const Bounds all = range_of(dtype);
    const auto known = known_.find({node.get(), entry.out});
    if (known != known_.end()) return known->second;
    if (!is_counted(dtype) || --left_ < 0) return all;
    Bounds found = all;
    if (out < node->values.size() && node->values[out].defined()) {
      found = of_value(NDArray(node->values[out]));
    } else if (node->kind == NodeKind::op) {
      found = of_op(*node, dtype).value_or(all);
    }
    known_[{node.get(), entry.out}] = found;
    return found;
  }

  static Bounds of_value(const NDArray& value) {
    const Bounds all = range_of(value.dtype);
    const int64_t size = value.shape.size();
    if (!is_counted(value.dtype) || !value.ctx().is_cpu() || size > kMostElements) return all;
    if (size == 0) return {0, -1};
    {
      const MaybeReleaseGil released(true);
      engine::wait_to_read(value.storage.get());
    }
    const TensorView view = view_of(value);
    const IndexReader at(view);
    Bounds found = {all.high, all.low};
    std::vector<int64_t> place(static_cast<size_t>(value.shape.ndim()), 0);
    for (int64_t k = 0; k < size; ++k) {
      int64_t offset = 0;
      for (int d = 0; d < value.shape.ndim(); ++d) {
        offset += place[static_cast<size_t>(d)] * value.strides[d];
      }
      found = both(found, {at[offset], at[offset]});
      for (int d = value.shape.ndim() - 1; d >= 0; --d) {
        if (++place[static_cast<size_t>(d)] < value.shape[d]) break;
        place[static_cast<size_t>(d)] = 0;
      }
    }
    return found;
  }

 private:
  using Key = std::pair<const SymNode*, int>;
  struct Hash {
    size_t operator()(const Key& key) const {
      return std::hash<const SymNode*>()(key.first) ^ static_cast<size_t>(key.second);
    }
  };

  std::optional<Bounds> of_op(const SymNode& node, DType dtype) {
    const std::string name = node.op->name;
    const std::vector<SymEntry> in = node.inputs;  // a wait may let others forget them
    for (const SymEntry& e : in) {
      if (shape_of_entry(e).size() == 0) return std::nullopt;
    }
    if (movers().count(name) != 0) return of_counted(in[0]);
    if (name == "concat" || name == "stack") return of_all(in, 0);
    if (name == "where" || name == "where_rows") return of_all(in, 1);
    if (name == "slice_assign") return of_all(in, 0);
    if (name == "cast") {
      const std::optional<Bounds> given = of_counted(in[0]);
      return given ? std::optional(fitted(given->low, given->high, dtype)) : std::nullopt;
    }
    if (name == "argmax" || name == "argmin" || name == "argsort") {
      const Shape shape = shape_of_entry(in[0]);
      if (shape.ndim() == 0) return Bounds{0, 0};
      if (!node.attrs.has("axis")) return Bounds{0, shape.size() - 1};
      const int64_t axis = node.attrs.integer("axis");
      return Bounds{0, shape[static_cast<int>(axis < 0 ? axis + shape.ndim() : axis)] - 1};
    }
    if (name == "searchsorted") return Bounds{0, shape_of_entry(in[0]).size()};
    if (name == "random_randint") {
      return Bounds{node.attrs.integer("low"), node.attrs.integer("high") - 1};
    }
    if (name == "zeros" || name == "zeros_like") return Bounds{0, 0};
    if (name == "ones" || name == "ones_like") return Bounds{1, 1};
    if (name == "full") return of_scalar(node, "value");
    if (name == "arange") return of_arange(node, dtype);
    return of_arithmetic(name, node, in, dtype);
  }

  std::optional<Bounds> of_counted(const SymEntry& e) {
    if (!is_counted(e.node->dtypes.at(static_cast<size_t>(e.out)))) return std::nullopt;
    return of(e);
  }

  std::optional<Bounds> of_all(const std::vector<SymEntry>& in, size_t from) {
    std::optional<Bounds> all;
    for (size_t i = from; i < in.size(); ++i) {
      const std::optional<Bounds> one = of_counted(in[i]);
      if (!one) return std::nullopt;
      all = all ? both(*all, *one) : *one;
    }
    return all;
  }

  static std::optional<Bounds> of_scalar(const SymNode& node, const char* name) {
    if (!node.attrs.has(name)) return std::nullopt;
    const AttrValue& value = node.attrs.at(name);
    if (const auto* number = std::get_if<int64_t>(&value)) return Bounds{*number, *number};
    if (const auto* flag = std::get_if<bool>(&value)) return Bounds{*flag, *flag};
    return std::nullopt;
  }

  static std::optional<Bounds> of_arange(const SymNode& node, DType dtype) {
    const auto start = of_scalar(node, "start"), step = of_scalar(node, "step");
    const int64_t count = node.shapes[0].size();
    if (!start || !step || count == 0 || node.attrs.integer("repeat") != 1) return std::nullopt;
    const Wide last = static_cast<Wide>(start->low) + static_cast<Wide>(step->low) * (count - 1);
    return fitted(std::min<Wide>(start->low, last), std::max<Wide>(start->low, last), dtype);
  }

  // Operators on numbers, each with an array or with a number as its second operand.
  std::optional<Bounds> of_arithmetic(const std::string& name, const SymNode& node,
                                      const std::vector<SymEntry>& in, DType dtype) {
    if (in.empty() || in.size() > 2) return std::nullopt;
    const std::optional<Bounds> a = of_counted(in[0]);
    if (!a) return std::nullopt;
    if (name == "neg")
      return fitted(-static_cast<Wide>(a->high), -static_cast<Wide>(a->low), dtype);
    if (name == "abs") {
      const Wide low = a->low, high = a->high;
      return fitted(low > 0 ? low : high < 0 ? -high : 0, std::max(high, -low), dtype);
    }
    if (name == "clip") return of_clip(*a, node);
    const std::string suffix = "_scalar";
    const bool with_number = in.size() == 1;
    if (with_number && (name.size() <= suffix.size() ||
                        name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0)) {
      return std::nullopt;
    }
    const std::optional<Bounds> b = with_number ? of_scalar(node, "scalar") : of_counted(in[1]);
    if (!b) return std::nullopt;
    return of_pair(with_number ? name.substr(0, name.size() - suffix.size()) : name, *a, *b, dtype);
  }

  static std::optional<Bounds> of_pair(const std::string& name, Bounds a, Bounds b, DType dtype) {
    const Wide al = a.low, ah = a.high, bl = b.low, bh = b.high;
    if (name == "add") return fitted(al + bl, ah + bh, dtype);
    if (name == "sub") return fitted(al - bh, ah - bl, dtype);
    if (name == "rsub") return fitted(bl - ah, bh - al, dtype);
    if (name == "mul") {
      const auto [low, high] = std::minmax({al * bl, al * bh, ah * bl, ah * bh});
      return fitted(low, high, dtype);
    }
    if (name == "minimum") return fitted(std::min(al, bl), std::min(ah, bh), dtype);
    if (name == "maximum") return fitted(std::max(al, bl), std::max(ah, bh), dtype);
    if (name == "bit_and" && bl >= 0) return fitted(0, bh, dtype);
    if (name == "bit_and" && al >= 0) return fitted(0, ah, dtype);
    if (name == "right_shift" && al >= 0 && bl >= 0) return fitted(0, ah, dtype);
    if (name == "mod" && bl >= 0) return fitted(0, std::max<Wide>(bh - 1, 0), dtype);
    if (name == "floor_div" && bl > 0) {  // toward zero from either side, or past it by one
      return fitted(al < 0 ? al : 0, ah > 0 ? ah / bl : 0, dtype);
    }
    return std::nullopt;
  }

  static std::optional<Bounds> of_clip(Bounds a, const SymNode& node) {
    const auto low = of_scalar(node, "a_min"), high = of_scalar(node, "a_max");
    if (node.attrs.has("a_min") != low.has_value()) return std::nullopt;
    if (node.attrs.has("a_max") != high.has_value()) return std::nullopt;
    if (low) a = {std::max(a.low, low->low), std::max(a.high, low->low)};
    if (high) a = {std::min(a.low, high->low), std::min(a.high, high->low)};
    return a;
  }

  static const Shape& shape_of_entry(const SymEntry& e) {
    return e.node->shapes.at(static_cast<size_t>(e.out));
  }

  int left_ = kMostNodes;
  std::unordered_map<Key, Bounds, Hash> known_;
};

}  // namespace

void bind_index_bounds(py::module_& m) {
  m.def(
      "index_bounds",
      [](const py::object& array) {
        const ArrayRef ref = peek_ref(array.ptr());
        const bool traced = !ref.array.defined();
        const Bounds found = traced ? Walk().of(ref.extra->entry) : Walk::of_value(ref.array);
        return py::make_tuple(found.low, found.high);
      },
      py::arg("array"),
      "(low, high): no element of this array of integers, recorded or not, lies outside; found "
      "without computing it.");
}

}  // namespace bind
}  // namespace hybrid
