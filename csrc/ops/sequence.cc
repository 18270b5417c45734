// Sequences of different lengths in one array: SequenceMask, SequenceLast, SequenceReverse.
#include <cstring>

#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/run_elem.h"

namespace hybrid {

namespace {

// Data as steps by batch, whatever comes first, of `inner` elements each.
struct Steps {
  int64_t steps = 0, batch = 0, inner = 1;
  bool batch_first = false;
  int64_t at(int64_t t, int64_t n) const {
    return (batch_first ? n * steps + t : t * batch + n) * inner;
  }
};

int64_t checked_axis(const Attrs& attrs) {
  const int64_t axis = attrs.integer("axis");
  const char* op = attrs.op()->name;
  const bool reverses = std::strcmp(op, "SequenceReverse") == 0;
  require(axis == 0 || (axis == 1 && !reverses), op, ": given axis ", axis, ", expected 0",
          reverses ? "" : " or 1");
  return axis;
}

Steps steps_of(const Attrs& attrs, const Shape& data) {
  Steps s;
  const int axis = static_cast<int>(checked_axis(attrs));
  s.batch_first = axis == 1;
  s.steps = data[axis];
  s.batch = data[1 - axis];
  for (int i = 2; i < data.ndim(); ++i) s.inner *= data[i];
  return s;
}

// Length of every sequence; all steps where none are given. `least`, `most`: what is in range.
std::vector<int64_t> lengths_of(const KernelContext& c, const Steps& s, int64_t least,
                                int64_t most) {
  std::vector<int64_t> lengths(static_cast<size_t>(s.batch), s.steps);
  if (!c.attrs.boolean("use_sequence_length")) return lengths;
  const IndexReader given(c.in[1]);
  for (size_t n = 0; n < lengths.size(); ++n) {
    lengths[n] = given[static_cast<int64_t>(n)];
    require(lengths[n] >= least && lengths[n] <= most, c.attrs.op()->name,
            ": given sequence_length ", lengths[n], ", expected ", least, " to ", most);
  }
  return lengths;
}

// Checks data and lengths; true when data's shape is known.
bool infer_lengths(InferContext& c) {
  const int64_t axis = checked_axis(c.attrs);
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  const bool lengths = c.in_shapes.size() > 1;
  if (lengths && c.in_dtypes[1] == DType::unknown) c.in_dtypes[1] = DType::float32;
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known()) return false;
  require(data.ndim() >= 2, c.op_name, ": given data of shape ", data,
          ", expected at least two dimensions, steps and batch");
  if (lengths) expect_shape(c, 1, {data[static_cast<int>(1 - axis)]});
  return true;
}

void infer_whole(InferContext& c) {
  if (infer_lengths(c)) set_shape(c, 0, c.in_shapes[0]);
}

Attrs like(const GradBuilder& b, const char* op) {
  Attrs attrs(get_op(op));
  for (const char* name : {"use_sequence_length", "axis"}) attrs.set(name, b.attrs().at(name));
  return attrs;
}

std::vector<Entry> with_lengths(const GradBuilder& b, Entry first) {
  std::vector<Entry> inputs = {first};
  if (b.num_inputs() > 1) inputs.push_back(b.input(1));
  return inputs;
}

// --- SequenceMask -------------------------------------------------------------------------------

void run_mask(KernelContext& c) {
  const Steps s = steps_of(c.attrs, c.in[0].shape);
  const auto lengths = lengths_of(c, s, INT64_MIN, INT64_MAX);
  const size_t item = dtype_size(c.in[0].dtype);
  if (c.in[0].size() == 0) return;
  std::memcpy(c.out[0].data, c.in[0].data, static_cast<size_t>(c.in[0].size()) * item);
  const TensorView value = scratch_view(c.in[0].dtype, {1}, c.resources);
  run_fill(c.attrs.real("value"), value, c.resources);
  dispatch_size(item, "SequenceMask", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t n = 0; n < s.batch; ++n) {
      for (int64_t t = std::max<int64_t>(0, lengths[static_cast<size_t>(n)]); t < s.steps; ++t) {
        T* const to = c.out[0].as<T>() + s.at(t, n);
        std::fill(to, to + s.inner, *value.as<T>());
      }
    }
  });
}

void grad_mask(GradBuilder& b) {  // value: 0
  if (b.wanted(0)) {
    b.set(0, b.op("SequenceMask", with_lengths(b, b.out_grad()), like(b, "SequenceMask")));
  }
}

// --- SequenceReverse ----------------------------------------------------------------------------

void run_reverse(KernelContext& c) {
  const Steps s = steps_of(c.attrs, c.in[0].shape);
  const auto lengths = lengths_of(c, s, 0, s.steps);
  const size_t item = dtype_size(c.in[0].dtype);
  const size_t row = static_cast<size_t>(s.inner) * item;
  for (int64_t n = 0; n < s.batch; ++n) {
    const int64_t length = lengths[static_cast<size_t>(n)];
    for (int64_t t = 0; t < s.steps; ++t) {
      const int64_t from = t < length ? length - 1 - t : t;
      std::memcpy(c.out[0].as<char>() + static_cast<size_t>(s.at(t, n)) * item,
                  c.in[0].as<char>() + static_cast<size_t>(s.at(from, n)) * item, row);
    }
  }
}

void grad_reverse(GradBuilder& b) {
  if (b.wanted(0)) {
    b.set(0, b.op("SequenceReverse", with_lengths(b, b.out_grad()), like(b, "SequenceReverse")));
  }
}

// --- SequenceLast -------------------------------------------------------------------------------

Shape last_shape(const Attrs& attrs, const Shape& data) {
  Shape out;
  for (int i = 0; i < data.ndim(); ++i) {
    if (i != attrs.integer("axis")) out.push_back(data[i]);
  }
  return out;
}

void infer_last(InferContext& c) {
  if (!infer_lengths(c)) return;
  const int64_t steps = c.in_shapes[0][static_cast<int>(c.attrs.integer("axis"))];
  require(steps != 0, c.op_name, ": given data of shape ", c.in_shapes[0],
          ", expected at least one step");
  set_shape(c, 0, last_shape(c.attrs, c.in_shapes[0]));
}

// Calls body(place in the whole array, place among the last ones, bytes of a place).
template <class Body>
void for_each_last(const KernelContext& c, const Shape& whole, Body body) {
  const Steps s = steps_of(c.attrs, whole);
  const auto lengths = lengths_of(c, s, 1, s.steps);
  const size_t item = dtype_size(c.in[0].dtype);
  for (int64_t n = 0; n < s.batch; ++n) {
    body(static_cast<size_t>(s.at(lengths[static_cast<size_t>(n)] - 1, n)) * item,
         static_cast<size_t>(n * s.inner) * item, static_cast<size_t>(s.inner) * item);
  }
}

void run_last(KernelContext& c) {
  for_each_last(c, c.in[0].shape, [&](size_t whole, size_t last, size_t bytes) {
    std::memcpy(c.out[0].as<char>() + last, c.in[0].as<char>() + whole, bytes);
  });
}

void grad_last(GradBuilder& b) {
  if (!b.wanted(0)) return;
  Attrs attrs = like(b, "sequence_last_grad");
  attrs.set("steps", known_shape(b, b.input(0))[static_cast<int>(b.attrs().integer("axis"))]);
  b.set(0, b.op("sequence_last_grad", with_lengths(b, b.out_grad()), attrs));
}

void infer_last_grad(InferContext& c) {
  const int64_t axis = checked_axis(c.attrs), steps = c.attrs.integer("steps");
  set_dtype(c, 0, c.in_dtypes[0]);
  const Shape& last = c.in_shapes[0];
  if (!last.rank_known()) return;
  require(last.ndim() >= 1 && steps > 0, c.op_name, ": given ", last, " and ", steps, " steps");
  Shape whole;
  for (int i = 0; i < last.ndim() + 1; ++i) {
    whole.push_back(i == axis ? steps : last[i < axis ? i : i - 1]);
  }
  set_shape(c, 0, checked_shape(whole.to_vector(), c.op_name));
}

void run_last_grad(KernelContext& c) {
  std::memset(c.out[0].data, 0, static_cast<size_t>(c.out[0].size()) * dtype_size(c.out[0].dtype));
  for_each_last(c, c.out[0].shape, [&](size_t whole, size_t last, size_t bytes) {
    std::memcpy(c.out[0].as<char>() + whole, c.in[0].as<char>() + last, bytes);
  });
}

void grad_last_grad(GradBuilder& b) {
  if (b.wanted(0)) {
    b.set(0, b.op("SequenceLast", with_lengths(b, b.out_grad()), like(b, "SequenceLast")));
  }
}

OpDef sequence_def(const char* name, const char* doc, void (*infer)(InferContext&),
                   void (*run)(KernelContext&), void (*gradient)(GradBuilder&)) {
  OpDef def;
  def.name = name;
  def.family = Family::index;
  def.doc = doc;
  def.inputs = {{"data", "(steps, batch, ...), with axis 1 (batch, steps, ...)"},
                {"sequence_length", "(batch,), any number dtype, read toward 0", false,
                 "!use_sequence_length"}};
  def.attrs = {{"use_sequence_length", AttrType::boolean, "False",
                "every sequence has its own length; otherwise all have all steps"},
               {"axis", AttrType::integer, "0", "axis of the steps, 0 or 1"}};
  def.dtypes = kAllOrdered;
  def.infer = infer;
  def.cpu = run;
  def.gradient = gradient;
  return def;
}

}  // namespace

void register_sequence() {
  OpDef mask =
      sequence_def("SequenceMask",
                   "data with every step beyond its sequence's length set to value. MXNet's "
                   "SequenceMask.",
                   infer_whole, run_mask, grad_mask);
  mask.attrs.insert(mask.attrs.begin() + 1,
                    {"value", AttrType::real, "0.0", "of the steps beyond the end"});
  mask.in_place = {};
  add_op(std::move(mask));
  add_op(sequence_def("SequenceReverse",
                      "Every sequence backward up to its length; steps beyond it stay where they "
                      "are. MXNet's SequenceReverse.",
                      infer_whole, run_reverse, grad_reverse));
  add_op(sequence_def("SequenceLast",
                      "The last step of every sequence, (batch, ...). MXNet's SequenceLast.",
                      infer_last, run_last, grad_last));
  OpDef grad = sequence_def("sequence_last_grad",
                            "The gradient of SequenceLast: zeros but for every last step.",
                            infer_last_grad, run_last_grad, grad_last_grad);
  grad.inputs[0] = {"grad", "gradient of the result"};
  grad.attrs.push_back({"steps", AttrType::integer, nullptr, "of the data"});
  add_op(std::move(grad));
}

}  // namespace hybrid
