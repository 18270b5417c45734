#include "control/control_run.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "kernels/kernels.h"
#include "kernels/layout.h"

namespace hybrid {
namespace {

const Body& body_of(const Attrs& attrs, const char* name) {
  return static_cast<const Body&>(attrs.subgraph(name));
}

void types_of(const KernelContext& c, Shapes* shapes, DTypes* dtypes) {
  for (int i = 0; i < c.num_in; ++i) {
    shapes->push_back(c.in[i].shape);
    dtypes->push_back(c.in[i].dtype);
  }
}

TensorView row_of(const TensorView& view, int64_t i) {
  TensorView row = view;
  row.shape = row_shape(row.shape);
  row.strides = contiguous_strides(row.shape);
  row.data = static_cast<char*>(view.data) +
             i * row.shape.size() * static_cast<int64_t>(dtype_size(view.dtype));
  return row;
}

}  // namespace

std::vector<NDArray> arrays_of(const TensorView* views, int count) {
  std::vector<NDArray> arrays;
  for (int i = 0; i < count; ++i) {
    const TensorView& v = views[i];
    NDArray a;
    a.shape = v.shape;
    a.strides = v.strides;
    a.dtype = v.dtype;
    const int64_t bytes = v.shape.size() * static_cast<int64_t>(dtype_size(v.dtype));
    a.storage = wrap_external(v.data, static_cast<size_t>(bytes), [](void*) {}, nullptr);
    arrays.push_back(std::move(a));
  }
  return arrays;
}

void check_wanted(const KernelContext& c, const char* op, int64_t done) {
  if (!c.resources.cancelled()) return;
  fail(op, ": ", c.resources.why_cancelled(), " after ", done, " steps: its results have no value");
}

NDArray contiguous_copy(const NDArray& a, Resources& resources) {
  if (a.contiguous()) return a;
  NDArray copy = NDArray::empty(a.shape, a.dtype, Context());
  strided_copy(view_of(a), view_of(copy), resources);
  return copy;
}

// Both zeros of floating types are zero.
bool holds(const NDArray& value) {
  unsigned char bytes[16] = {};
  const size_t size = dtype_size(value.dtype);
  std::memcpy(bytes, value.data(), size);
  if (is_floating(value.dtype)) bytes[size - 1] &= 0x7f;
  return std::any_of(bytes, bytes + size, [](unsigned char b) { return b != 0; });
}

NDArray row_of(const NDArray& array, int64_t i, bool nd) {
  NDArray row = array;
  row.shape = row_shape(row.shape, nd);
  row.strides = contiguous_strides(row.shape);
  row.offset += i * row.shape.size();
  return row;
}

Shape row_shape(const Shape& shape, bool nd) {
  if (nd && shape.ndim() == 1) return Shape{1};
  Shape row;
  for (int d = 1; d < shape.ndim(); ++d) row.push_back(shape[d]);
  return row;
}

Shape stacked_shape(int64_t rows, const Shape& row) {
  Shape shape{rows};
  for (int64_t d : row) shape.push_back(d);
  return shape;
}

ProgramRef branch_program(const Attrs& attrs, bool taken, const Shapes& shapes,
                          const DTypes& dtypes) {
  return body_of(attrs, taken ? "then" : "else")
      .program({shapes.begin() + 1, shapes.end()}, {dtypes.begin() + 1, dtypes.end()});
}

LoopPrograms while_programs(const Attrs& attrs, const Shapes& shapes, const DTypes& dtypes) {
  return {body_of(attrs, "condition").program(shapes, dtypes),
          body_of(attrs, "body").program(shapes, dtypes)};
}

LoopPrograms foreach_programs(const Attrs& attrs, const Shapes& shapes, const DTypes& dtypes) {
  DTypes types = dtypes;
  if (attrs.boolean("counter")) types.insert(types.begin(), DType::int64);
  return {nullptr, body_of(attrs, "body").program(foreach_step_shapes(attrs, shapes), types)};
}

Shapes foreach_step_shapes(const Attrs& attrs, const Shapes& shapes) {
  const auto data = static_cast<size_t>(attrs.integer("data"));
  Shapes in = shapes;
  for (size_t i = 0; i < data; ++i) {
    require(in[i].ndim() >= 1, "foreach: array ", i, " has no rows, given shape ", in[i]);
    in[i] = row_shape(in[i], attrs.boolean("nd_rows"));
  }
  if (attrs.boolean("counter")) in.insert(in.begin(), Shape());
  return in;
}

int64_t foreach_steps(const Attrs& attrs, const Shapes& shapes) {
  const auto data = static_cast<size_t>(attrs.integer("data"));
  int64_t steps = attrs.integer("steps");
  for (size_t i = 0; i < data && i < shapes.size(); ++i) {
    if (!shapes[i].known() || shapes[i].ndim() < 1) continue;
    if (steps < 0) steps = shapes[i][0];
    require(shapes[i][0] == steps, "foreach: expected ", steps, " rows, given shape ", shapes[i]);
  }
  return steps < 0 ? 0 : steps;
}

void run_cond(KernelContext& c) {
  Shapes shapes;
  DTypes dtypes;
  types_of(c, &shapes, &dtypes);
  const std::vector<NDArray> in = arrays_of(c.in, c.num_in);
  const ProgramRef branch = branch_program(c.attrs, holds(in[0]), shapes, dtypes);
  const auto results = branch->run_nested({in.begin() + 1, in.end()}, c.resources);
  check_wanted(c, "cond", 0);
  for (int i = 0; i < c.num_out; ++i) strided_copy(view_of(results[i]), c.out[i], c.resources);
}

void run_while_loop(KernelContext& c) {
  Shapes shapes;
  DTypes dtypes;
  types_of(c, &shapes, &dtypes);
  const LoopPrograms loop = while_programs(c.attrs, shapes, dtypes);
  const auto carried = static_cast<int>(c.attrs.integer("carried"));
  const int64_t limit = c.attrs.integer("max_iterations");
  const int stacked = c.num_out - carried;
  std::vector<NDArray> values = arrays_of(c.in, c.num_in);
  const bool must_end = c.attrs.boolean("must_end");
  int64_t done = 0;
  for (; limit < 0 || done < limit || must_end; ++done) {
    check_wanted(c, "while_loop", done);
    bool more = true;
    in_step("while_loop", done, [&] {
      const auto condition = loop.condition->run_nested(values, c.resources);
      if (c.resources.cancelled()) return;
      more = holds(condition[0]);
      if (!more) return;
      require(limit < 0 || done < limit, "the condition still holds after max_iterations = ", limit,
              " steps");
      const auto next = loop.body->run_nested(values, c.resources);
      if (c.resources.cancelled()) return;
      for (int i = 0; i < stacked; ++i) {
        strided_copy(view_of(next[i]), row_of(c.out[i], done), c.resources);
      }
      for (int i = 0; i < carried; ++i) {
        values[i] = contiguous_copy(next[stacked + i], c.resources);
      }
    });
    if (!more) break;
  }
  for (int i = 0; i < stacked; ++i) {  // rows that no step wrote
    const int64_t row = c.out[i].shape[0] ? c.out[i].shape.size() / c.out[i].shape[0] : 0;
    const int64_t size = row * static_cast<int64_t>(dtype_size(c.out[i].dtype));
    std::memset(static_cast<char*>(c.out[i].data) + done * size, 0,
                static_cast<size_t>((c.out[i].shape[0] - done) * size));
  }
  for (int i = 0; i < carried; ++i) {
    strided_copy(view_of(values[i]), c.out[stacked + i], c.resources);
  }
}

void run_foreach(KernelContext& c) {
  Shapes shapes;
  DTypes dtypes;
  types_of(c, &shapes, &dtypes);
  const LoopPrograms loop = foreach_programs(c.attrs, shapes, dtypes);
  const auto data = static_cast<int>(c.attrs.integer("data"));
  const auto carried = static_cast<int>(c.attrs.integer("carried"));
  const int stacked = c.num_out - carried;
  const int64_t steps = foreach_steps(c.attrs, shapes);
  const std::vector<NDArray> in = arrays_of(c.in, c.num_in);
  std::vector<NDArray> values = in;
  int64_t count = c.attrs.integer("start");
  const int64_t increment = c.attrs.integer("step");
  const bool counted = c.attrs.boolean("counter"), nd_rows = c.attrs.boolean("nd_rows");
  NDArray counter;
  if (counted) {
    counter = NDArray::empty(Shape(), DType::int64, Context());
    values.insert(values.begin(), counter);
  }
  const int first = counted ? 1 : 0;
  for (int64_t t = 0; t < steps; ++t, count += increment) {
    check_wanted(c, "foreach", t);
    if (counted) {  // a step may hand its counter on: every step has its own
      values[0] = NDArray::empty(Shape(), DType::int64, Context());
      std::memcpy(values[0].data(), &count, sizeof(count));
    }
    for (int i = 0; i < data; ++i) values[first + i] = row_of(in[i], t, nd_rows);
    in_step("foreach", t, [&] {
      const auto next = loop.body->run_nested(values, c.resources);
      if (c.resources.cancelled()) return;
      for (int i = 0; i < stacked; ++i) {
        strided_copy(view_of(next[i]), row_of(c.out[i], t), c.resources);
      }
      for (int i = 0; i < carried; ++i) {
        values[first + data + i] = contiguous_copy(next[stacked + i], c.resources);
      }
    });
  }
  check_wanted(c, "foreach", steps);
  for (int i = 0; i < carried; ++i) {
    strided_copy(view_of(values[first + data + i]), c.out[stacked + i], c.resources);
  }
}

}  // namespace hybrid
