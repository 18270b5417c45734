// Context in Python: cpu(i), gpu(i), the default device and its `with` blocks.
#include "bind/common.h"
#include "core/device_name.h"
#include "core/devices.h"
#include "core/storage.h"
#include "cuda/blas.h"
#include "cuda/device.h"
#include "cuda/library.h"
#include "engine/engine.h"

namespace hybrid {
namespace bind {

namespace {

// Default contexts of this thread's open `with` blocks.
thread_local std::vector<Context> context_stack;

DeviceType device_type(const std::string& name) {
  if (name == "cpu") return DeviceType::cpu;
  if (name == "gpu") return DeviceType::gpu;
  if (name == "cpu_pinned") return DeviceType::cpu_pinned;
  if (name == "cpu_shared") return kCpuShared;
  fail("Context: unknown device type '", name, "', expected cpu, gpu, cpu_pinned or cpu_shared");
}

const char* type_name(DeviceType type) {
  switch (type) {
    case DeviceType::cpu:
      return "cpu";
    case DeviceType::gpu:
      return "gpu";
    case DeviceType::cpu_pinned:
      return "cpu_pinned";
  }
  return type == kCpuShared ? "cpu_shared" : "?";
}

Context make_context(const py::object& type, int64_t id) {
  if (py::isinstance<Context>(type)) return type.cast<Context>();
  require(id >= 0 && id < 32768, "Context: device id ", id, " is outside [0, 32767]");
  Context context;
  context.id = static_cast<int16_t>(id);
  if (PyLong_Check(type.ptr())) {
    const int64_t number = int_from_python(type, "Context");
    require((number >= 1 && number <= 3) || number == 5, "Context: device type ", number,
            ", expected 1, 2, 3 or 5");
    context.type = static_cast<DeviceType>(number);
  } else {
    context.type = device_type(type.cast<std::string>());
  }
  return context;
}

// "cpu(0)", as MXNet's operators take it too.
Context context_from_text(const std::string& text) {
  const size_t open = text.find('(');
  const std::string digits = open != std::string::npos && text.back() == ')'
                                 ? text.substr(open + 1, text.size() - open - 2)
                                 : "";
  const bool number = !digits.empty() && digits.size() < 5 &&
                      digits.find_first_not_of("0123456789") == std::string::npos;
  require(number, "ctx: given '", text.substr(0, 100), "', expected a device such as 'cpu(0)'");
  Context context;
  context.type = device_type(text.substr(0, open));
  context.id = static_cast<int16_t>(std::stoi(digits));
  return context;
}

}  // namespace

Context current_context() { return context_stack.empty() ? Context() : context_stack.back(); }

Context context_from_python(py::handle object) {
  if (object.is_none()) return current_context();
  if (py::isinstance<py::str>(object)) return context_from_text(object.cast<std::string>());
  if (!py::isinstance<Context>(object)) {
    throw py::type_error(std::string("ctx: expected a Context such as cpu(0), got ") +
                         Py_TYPE(object.ptr())->tp_name);
  }
  return object.cast<Context>();
}

py::object context_to_python(Context context) { return py::cast(context); }

namespace {

// The innermost open block's context, or the thread's own default.
void set_current_context(Context context) {
  if (context_stack.empty()) context_stack.emplace_back();
  context_stack.back() = context;
}

py::dict type_names(bool by_number) {
  py::dict names;
  for (int number : {1, 2, 3, 5}) {
    const char* const name = type_name(static_cast<DeviceType>(number));
    if (by_number) {
      names[py::int_(number)] = name;
    } else {
      names[name] = number;
    }
  }
  return names;
}

}  // namespace

void bind_context(py::module_& m) {
  py::class_<Context> context(m, "Context", R"(A device: ``Context("gpu", 0)``.

Equal contexts hash alike. In a ``with`` block it is the default of everything created there.)");
  context.def(py::init(&make_context), py::arg("device_type"), py::arg("device_id") = 0)
      .def_property_readonly("device_type", [](const Context& c) { return type_name(c.type); })
      .def_property_readonly("device_typeid",
                             [](const Context& c) { return static_cast<int>(c.type); })
      .def_property_readonly("device_id", [](const Context& c) { return c.id; })
      .def_property_readonly(
          "virtual", [](const Context& c) { return engine::is_virtual(c); },
          "True for a GPU that the CPU computes.")
      .def_property_readonly(
          "name",
          [](const Context& c) {
            devices::check_exists(c);
            if (devices::is_physical(c)) return cuda::device_of(c).name;
            return c.str() + (devices::is_virtual(c) ? ", virtual" : "");
          },
          "What the device is: the GPU's own name.")
      .def(
          "limit_memory",
          [](const Context& c, int64_t bytes) {
            require(bytes > 0, "limit_memory: given ", bytes, ", expected more than 0 bytes");
            if (devices::is_physical(c)) {
              cuda::device_of(c).pool->set_limit(static_cast<size_t>(bytes));
            } else {
              devices::limit_memory(c, bytes, true);
            }
          },
          py::arg("bytes"), "The most that a GPU's pool takes of its memory.")
      .def_property_readonly(
          "memory",
          [](const Context& c) {
            devices::check_exists(c);
            const int64_t all = devices::memory_bytes(c);
            return py::make_tuple(std::max<int64_t>(all - pool_stats(c).used, 0), all);
          },
          "(free, all) bytes of a device's memory as its pool counts them.")
      .def("__eq__",
           [](const Context& a, const py::object& b) {
             return py::isinstance<Context>(b) && a == b.cast<Context>();
           })
      .def("__hash__", [](const Context& c) { return static_cast<int>(c.type) * 65536 + c.id; })
      .def("__repr__", &Context::str)
      .def("__reduce__",
           [](const Context& c) {
             return py::make_tuple(py::type::of<Context>(),
                                   py::make_tuple(std::string(type_name(c.type)), c.id));
           })
      .def("__enter__",
           [](const Context& c) {
             context_stack.push_back(c);
             return c;
           })
      .def("__exit__",
           [](const Context&, const py::args&) {
             if (!context_stack.empty()) context_stack.pop_back();
           })
      .def(
          "empty_cache", [](const Context& c) { release_pool_memory(c); },
          "Gives the pool's cached free memory of this device back to the system.");
  context.def_property_static(
      "default_ctx", [](const py::object&) { return current_context(); },
      [](const py::object&, const Context& c) { set_current_context(c); },
      "This thread's default context.");
  context.attr("devtype2str") = type_names(true);
  context.attr("devstr2type") = type_names(false);
  m.def("current_context", &current_context, "The default context of this thread.");
  m.def("num_gpus", &devices::num_gpus,
        "GPUs that can be used: the machine's, and declared virtual ones.");
  m.def("set_cuda_folders", &cuda::set_package_folders, py::arg("folders"),
        "Folders where NVIDIA's packages may lie; looked at when a GPU is first used.");
  m.def("use_tf32", &cuda::set_tf32, py::arg("on") = true,
        "Products of float32 matrices on a GPU by tensor cores: factors have 10 bits after the "
        "point.");
  m.def("num_virtual_gpus", &devices::num_virtual_gpus, "Declared virtual GPUs.");
  m.def(
      "set_virtual_gpus",
      [](int n) {
        const MaybeReleaseGil released(true);
        engine::set_virtual_gpus(n);
      },
      py::arg("n"),
      "Declares n GPUs (0 to 64) computed by the CPU, with lanes and pools of their own.");
}

}  // namespace bind
}  // namespace hybrid
