// The C functions: arguments checked, one lock a model, no exception out.
#include <cstring>
#include <new>

#include "capi/files.h"
#include "capi/hybrid.h"
#include "capi/model.h"
#include "core/device_name.h"
#include "core/devices.h"
#include "core/error.h"
#include "core/fork.h"
#include "core/host_memory.h"
#include "core/pool.h"
#include "engine/engine.h"
#include "kernels/host_copy.h"
#include "launch/random.h"

struct hybrid_model {
  hybrid::ObjectMutex mutex;
  hybrid::Model model;
  hybrid_model(const std::string& symbol, const std::string& params) : model(symbol, params) {}
};

static_assert(HYBRID_MAX_DIMS == hybrid::kMaxDims, "hybrid.h and core/shape.h agree");
static_assert(HYBRID_COMPLEX128 == static_cast<int>(hybrid::DType::complex128) &&
                  HYBRID_BOOL == static_cast<int>(hybrid::DType::boolean) &&
                  HYBRID_BFLOAT16 == static_cast<int>(hybrid::DType::bfloat16),
              "hybrid.h and core/dtype.h agree");

namespace hybrid {
namespace {

constexpr uint64_t kMaxSymbolBytes = 256 << 20;  // as parse_json

// What is wrong with the call itself.
struct Invalid : Error {
  using Error::Error;
};

template <class... Parts>
void expect(bool ok, const Parts&... parts) {
  if (ok) return;
  std::ostringstream text;
  (text << ... << parts);
  throw Invalid(text.str());
}

struct LastError {
  std::string text;
  const char* fixed = nullptr;  // said instead, where there was no memory for a text
};
thread_local LastError last_error;

int failed(int status, const char* text) {
  last_error.fixed = nullptr;
  try {
    last_error.text = text;
  } catch (...) {
    last_error.fixed = "out of memory";
  }
  return status;
}

template <class Body>
int guarded(const char* function, Body body) {
  try {
    try {
      body();
      return HYBRID_OK;
    } catch (const Invalid& error) {
      return failed(HYBRID_INVALID, (std::string(function) + ": " + error.what()).c_str());
    } catch (const Error& error) {
      return failed(HYBRID_ERROR, error.what());
    } catch (const std::bad_alloc&) {
      return failed(HYBRID_NO_MEMORY, "out of memory");
    } catch (const std::length_error&) {
      return failed(HYBRID_NO_MEMORY, "out of memory");
    } catch (const std::exception& error) {
      return failed(HYBRID_ERROR, error.what());
    }
  } catch (...) {
    return failed(HYBRID_ERROR, "an unknown error");
  }
}

// A function on a model.
template <class Body>
int on_model(const char* function, hybrid_model* handle, Body body) {
  return guarded(function, [&] {
    expect(handle != nullptr, "the model is null");
    const ObjectGuard lock(handle->mutex);
    body(handle->model);
  });
}

void expect_index(size_t index, size_t count, const char* what) {
  expect(index < count, what, " ", index, " was asked for, the model has ", count);
}

template <class T>
void expect_pointer(const T* pointer, const char* what) {
  expect(pointer != nullptr, what, " is null");
}

void fill(const Model::Port& port, hybrid_array_info* info) {
  std::memset(info, 0, sizeof *info);
  info->name = port.name.c_str();
  info->dtype = static_cast<int>(port.dtype);
  info->ndim = port.shape.ndim();
  for (int i = 0; i < info->ndim; ++i) info->shape[i] = port.shape[i];
  if (port.shape.known() && port.dtype != DType::unknown) {
    info->bytes = static_cast<size_t>(port.shape.size()) * dtype_size(port.dtype);
  }
  info->optional = port.optional ? 1 : 0;
}

bool is_dtype(int dtype) { return dtype >= 0 && dtype < kNumDTypes; }

const NDArray& result(Model& model, size_t index) {
  expect_index(index, model.outputs().size(), "output");
  require(!model.results().empty(), "output ", index, ": the model was not run");
  return model.results()[index];
}

void load(const std::string& symbol, const std::string& params, hybrid_model** model) {
  engine::install_fork_handlers();
  *model = new hybrid_model(symbol, params);
}

}  // namespace
}  // namespace hybrid

using namespace hybrid;

extern "C" {

const char* hybrid_version(void) { return HYBRID_VERSION; }

const char* hybrid_last_error(void) {
  return last_error.fixed ? last_error.fixed : last_error.text.c_str();
}

const char* hybrid_dtype_name(int dtype) {
  return is_dtype(dtype) ? dtype_name(static_cast<DType>(dtype)) : nullptr;
}

size_t hybrid_dtype_size(int dtype) {
  return is_dtype(dtype) ? dtype_size(static_cast<DType>(dtype)) : 0;
}

int hybrid_load(const char* symbol_file, const char* params_file, hybrid_model** model) {
  return guarded("hybrid_load", [&] {
    expect_pointer(model, "where to put the model");
    *model = nullptr;
    expect_pointer(symbol_file, "the name of the symbol file");
    const std::string symbol = read_file(symbol_file, kMaxSymbolBytes);
    std::string params;
    if (params_file != nullptr) {
      params = read_file(params_file, static_cast<uint64_t>(devices::host_memory_bytes()));
      require(!params.empty(), params_file, ": is empty");
    }
    try {
      load(symbol, params, model);
    } catch (const Error& error) {
      const bool of_params = std::string(error.what()).compare(0, 7, "params:") == 0;
      fail(of_params ? params_file : symbol_file, ": ", error.what());
    }
  });
}

int hybrid_load_memory(const char* symbol, size_t symbol_bytes, const void* params,
                       size_t params_bytes, hybrid_model** model) {
  return guarded("hybrid_load_memory", [&] {
    expect_pointer(model, "where to put the model");
    *model = nullptr;
    expect_pointer(symbol, "the symbol");
    expect(params != nullptr || params_bytes == 0, "the parameters are null, but have ",
           params_bytes, " bytes");
    expect(params == nullptr || params_bytes > 0, "the parameters have no bytes");
    std::string bytes;
    if (params != nullptr) bytes.assign(static_cast<const char*>(params), params_bytes);
    load(std::string(symbol, symbol_bytes), bytes, model);
  });
}

int hybrid_free(hybrid_model* model) {
  return guarded("hybrid_free", [&] { delete model; });
}

int hybrid_num_inputs(hybrid_model* model, size_t* count) {
  return on_model("hybrid_num_inputs", model, [&](Model& m) {
    expect_pointer(count, "where to put the number");
    *count = m.inputs().size();
  });
}

int hybrid_num_outputs(hybrid_model* model, size_t* count) {
  return on_model("hybrid_num_outputs", model, [&](Model& m) {
    expect_pointer(count, "where to put the number");
    *count = m.outputs().size();
  });
}

int hybrid_input(hybrid_model* model, size_t index, hybrid_array_info* info) {
  return on_model("hybrid_input", model, [&](Model& m) {
    expect_pointer(info, "where to put the answer");
    expect_index(index, m.inputs().size(), "input");
    fill(m.inputs()[index], info);
  });
}

int hybrid_output(hybrid_model* model, size_t index, hybrid_array_info* info) {
  return on_model("hybrid_output", model, [&](Model& m) {
    expect_pointer(info, "where to put the answer");
    expect_index(index, m.outputs().size(), "output");
    fill(m.outputs()[index], info);
  });
}

int hybrid_find_input(hybrid_model* model, const char* name, size_t* index) {
  return on_model("hybrid_find_input", model, [&](Model& m) {
    expect_pointer(name, "the name");
    expect_pointer(index, "where to put the index");
    std::string names;
    for (size_t i = 0; i < m.inputs().size(); ++i) {
      *index = i;
      if (m.inputs()[i].name == name) return;
      names += (i ? ", " : "") + m.inputs()[i].name;
    }
    fail("there is no input '", name, "'; the inputs are ", names.empty() ? "none" : names);
  });
}

int hybrid_set_shape(hybrid_model* model, size_t index, int dtype, int ndim, const int64_t* shape) {
  return on_model("hybrid_set_shape", model, [&](Model& m) {
    expect_index(index, m.inputs().size(), "input");
    expect(dtype == HYBRID_UNKNOWN || is_dtype(dtype), dtype, " is no dtype");
    expect(ndim >= 0 && ndim <= HYBRID_MAX_DIMS, "given ", ndim, " dimensions, expected 0 to ",
           HYBRID_MAX_DIMS);
    expect(ndim == 0 || shape != nullptr, "the shape is null");
    Shape dims;
    for (int i = 0; i < ndim; ++i) {
      expect(shape[i] >= 0, "given a size of ", shape[i], ", expected 0 or more");
      dims.push_back(shape[i]);
    }
    dims.size();  // throws when it is above all bounds
    m.set_shape(index, dims, static_cast<DType>(dtype));
  });
}

int hybrid_virtual_gpus(int n) {
  return guarded("hybrid_virtual_gpus", [&] {
    expect(n >= 0 && n <= kMaxGpus, "given ", n, " GPUs, expected 0 to ", kMaxGpus);
    devices::declare_virtual_gpus(n);
  });
}

int hybrid_set_group(hybrid_model* model, const char* group, const char* device) {
  return on_model("hybrid_set_group", model, [&](Model& m) {
    expect_pointer(group, "the group");
    expect_pointer(device, "the device");
    m.set_group(group, parse_context(device));
  });
}

int hybrid_num_devices(hybrid_model* model, size_t* count) {
  return on_model("hybrid_num_devices", model, [&](Model& m) {
    expect_pointer(count, "where to put the number");
    *count = m.devices().size();
  });
}

int hybrid_device(hybrid_model* model, size_t index, char* name, size_t bytes, int* exists) {
  return on_model("hybrid_device", model, [&](Model& m) {
    expect_pointer(name, "where to put the name");
    expect_pointer(exists, "where to put whether it exists");
    const std::vector<Context> named = m.devices();
    expect_index(index, named.size(), "device");
    const std::string text = named[index].str();
    expect(bytes > text.size(), "given room for ", bytes, " bytes, the name takes ",
           text.size() + 1);
    std::memcpy(name, text.c_str(), text.size() + 1);
    *exists = devices::exists(named[index]) ? 1 : 0;
  });
}

int hybrid_bind(hybrid_model* model) {
  return on_model("hybrid_bind", model, [](Model& m) { m.bind(); });
}

int hybrid_set_input(hybrid_model* model, size_t index, const void* data, size_t bytes) {
  return on_model("hybrid_set_input", model, [&](Model& m) {
    expect_index(index, m.inputs().size(), "input");
    expect(data != nullptr || bytes == 0, "the data is null");
    m.set_input(index, data, bytes);
  });
}

int hybrid_run(hybrid_model* model) {
  return on_model("hybrid_run", model, [](Model& m) { m.run(); });
}

int hybrid_get_output(hybrid_model* model, size_t index, void* data, size_t bytes) {
  return on_model("hybrid_get_output", model, [&](Model& m) {
    const NDArray& array = result(m, index);
    expect(data != nullptr || bytes == 0, "the data is null");
    expect(bytes == static_cast<size_t>(array.nbytes()), "output '", m.outputs()[index].name,
           "' is ", dtype_name(array.dtype), " ", array.shape, ": ", array.nbytes(),
           " bytes, given room for ", bytes);
    if (bytes > 0) copy_to_host(array, data, bytes);
  });
}

int hybrid_output_data(hybrid_model* model, size_t index, const void** data, size_t* bytes) {
  return on_model("hybrid_output_data", model, [&](Model& m) {
    expect_pointer(data, "where to put the address");
    const NDArray& array = result(m, index);
    *data = array.data();
    if (bytes != nullptr) *bytes = static_cast<size_t>(array.nbytes());
  });
}

int hybrid_plan(hybrid_model* model, hybrid_memory* memory) {
  return on_model("hybrid_plan", model, [&](Model& m) {
    expect_pointer(memory, "where to put the answer");
    const Plan& plan = m.plan();
    memory->kernels = m.num_kernels();
    memory->parameter_bytes = m.parameter_bytes();
    memory->unplanned_bytes = plan.imperative_bytes;
    memory->planned_bytes = plan.planned_bytes;
    memory->bound_bytes = plan.lower_bound_bytes;
    memory->arena_bytes = plan.arena_bytes;
  });
}

int hybrid_seed(uint64_t value) {
  return guarded("hybrid_seed", [&] { seed(value); });
}

}  // extern "C"
