// What the core asks Python about the operator Custom.
#include "ops/custom.h"

#include "bind/graph_view.h"
#include "bind/host_calls.h"
#include "bind/invoke.h"

namespace hybrid {
namespace bind {

namespace {

struct Hooks {
  py::object counts, infer;
};
Hooks& hooks() {
  static auto* found = new Hooks;  // never destroyed: Python may be gone by then
  return *found;
}

// Numbers of arguments and of outputs.
std::pair<int, int> counts(const Attrs& attrs) {
  const py::gil_scoped_acquire gil;
  return hooks()
      .counts(attrs.string("op_type"), attrs.string("arguments"))
      .cast<std::pair<int, int>>();
}

int count_arguments(const Attrs& attrs) { return counts(attrs).first; }
int count_outputs(const Attrs& attrs) { return counts(attrs).second; }

py::list shapes_to_python(const std::vector<Shape>& shapes) {
  py::list list;
  for (const Shape& shape : shapes) list.append(partial_shape(shape));
  return list;
}

// Python answers (shapes of the inputs, dtypes, shapes of the outputs, dtypes); None: not known.
void take_answer(const py::handle& shapes, const py::handle& dtypes, std::vector<Shape>* out_shapes,
                 std::vector<DType>* out_dtypes, const char* what) {
  size_t i = 0;
  for (const py::handle shape : shapes) {
    if (!shape.is_none()) {
      const Shape given = shape_from_python(py::reinterpret_borrow<py::object>(shape), "Custom");
      require(merge_shape(&out_shapes->at(i), given), "Custom: infer_shape gives ", what, " ", i,
              " the shape ", given, ", but it is ", out_shapes->at(i));
    }
    ++i;
  }
  i = 0;
  for (const py::handle dtype : dtypes) {
    if (!dtype.is_none()) {
      const DType given = dtype_from_python(dtype);
      DType& known = out_dtypes->at(i);
      require(known == DType::unknown || known == given, "Custom: infer_type gives ", what, " ", i,
              " the dtype ", dtype_name(given), ", but it is ", dtype_name(known));
      known = given;
    }
    ++i;
  }
}

void infer(InferContext& c) {
  const py::gil_scoped_acquire gil;
  py::list dtypes;
  for (DType d : c.in_dtypes) dtypes.append(dtype_text(d));
  const py::tuple answer = hooks().infer(c.attrs.string("op_type"), c.attrs.string("arguments"),
                                         shapes_to_python(c.in_shapes), dtypes);
  take_answer(answer[0], answer[1], &c.in_shapes, &c.in_dtypes, "input");
  take_answer(answer[2], answer[3], &c.out_shapes, &c.out_dtypes, "output");
}

}  // namespace

void bind_custom(py::module_& m) {
  m.def(
      "set_custom_hooks",
      [](py::object count, py::object shapes) {
        hooks() = {std::move(count), std::move(shapes)};
        set_custom_hooks({&count_outputs, &count_arguments, &infer});
      },
      py::arg("counts"), py::arg("infer"),
      "Who tells of the operator Custom: counts(op_type, arguments) -> (arguments, outputs), and "
      "infer(op_type, arguments, shapes, dtypes) -> (input shapes, dtypes, output shapes, "
      "dtypes).");
}

}  // namespace bind
}  // namespace hybrid
