// MXNet's .params files in Python.
#include "bind/array_object.h"
#include "files/jpeg_scan.h"
#include "symbol/symbol.h"

namespace hybrid {
namespace bind {

void bind_files(py::module_& m) {
  m.def(
      "save_params",
      [](const py::sequence& arrays, bool np_shape) {
        std::vector<NamedArray> named;
        for (const py::handle pair : arrays) {
          const auto items = pair.cast<std::pair<std::string, py::object>>();
          named.push_back({items.first, value_of(items.second, "save")});
        }
        std::string bytes;
        {
          const MaybeReleaseGil released(true);  // waits for the arrays
          bytes = save_params(named, np_shape);
        }
        return py::bytes(bytes);
      },
      py::arg("arrays"), py::arg("np_shape") = false,
      "The bytes of a .params file of (name, NDArray) pairs; names may be empty. `np_shape`: "
      "in the form that has scalars and sizes of 0.");
  m.def(
      "load_params",
      [](const py::bytes& bytes) {
        py::list result;
        for (NamedArray& named : load_params(bytes.cast<std::string>())) {
          py::object array = py::none();
          if (named.array.defined()) array = wrap(named.array);
          result.append(py::make_tuple(named.name, array));
        }
        return result;
      },
      py::arg("bytes"), "(name, NDArray) pairs of a .params file; bad data raises MXNetError.");
  m.def(
      "jpeg_is_whole",
      [](const py::buffer& bytes) {
        const py::buffer_info info = bytes.request();
        return jpeg_is_whole(static_cast<const uint8_t*>(info.ptr), static_cast<size_t>(info.size));
      },
      py::arg("bytes"), "Whether a JPEG file holds as many blocks as its header claims.");
}

}  // namespace bind
}  // namespace hybrid
