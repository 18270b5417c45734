// Helpers of the execution tests: arrays from values, graphs from operators, bytes compared.
#pragma once
#include <cstring>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "array/array_ref.h"
#include "call/invoke.h"
#include "engine/engine.h"
#include "kernels/host_copy.h"
#include "launch/run_op.h"
#include "launch/thread_state.h"
#include "program/program.h"
#include "tape/autograd.h"

namespace exec_test {

using namespace hybrid;

using Texts = std::map<std::string, std::string>;

inline Attrs attrs_of(const OpDef* op, const Texts& texts = {}) {
  Attrs attrs(op);
  for (const auto& [name, text] : texts) attrs.set_text(name, text);
  return attrs;
}

template <class T = double>
NDArray array(const Shape& shape, const std::vector<T>& values, DType dtype = DType::float64) {
  NDArray a = NDArray::empty(shape, dtype, Context());
  copy_from_host(a, values.data(), values.size() * sizeof(T));
  return a;
}

// Values that differ from each other, without exact zeros, in [-2, 2].
inline NDArray sample(const Shape& shape, uint64_t seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.size(); ++i) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    values.push_back(static_cast<double>(seed >> 11) * 0x1p-51 - 2.0);
  }
  return array(shape, values);
}

inline std::string bytes_of(const NDArray& a) {
  std::string bytes(static_cast<size_t>(a.nbytes()), '\0');
  copy_to_host(a, &bytes[0], bytes.size());
  return bytes;
}

template <class T = double>
std::vector<T> values_of(const NDArray& a) {
  const std::string bytes = bytes_of(a);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

inline std::vector<NDArray> eager(const char* name, const std::vector<NDArray>& inputs,
                                  const Texts& texts = {}, uint64_t key = 0) {
  const OpDef* op = get_op(name);
  return run_op(*op, attrs_of(op, texts), inputs, key);
}

// A graph under construction; every node is inferred when added.
struct Maker {
  Graph graph;

  Entry input(const std::string& name, const Shape& shape, DType dtype = DType::float64) {
    Node n;
    n.kind = NodeKind::input;
    n.name = name;
    n.shapes = {shape};
    n.dtypes = {dtype};
    const NodeId id = graph.add(std::move(n)).id;
    graph.inputs.push_back(id);
    return {id, 0};
  }
  Entry constant(const NDArray& value) {
    Node n;
    n.kind = NodeKind::constant;
    n.value = value;
    n.shapes = {value.shape};
    n.dtypes = {value.dtype};
    return {graph.add(std::move(n)).id, 0};
  }
  Entry op(const char* name, const std::vector<Entry>& inputs, const Texts& texts = {}) {
    Node n;
    n.op = get_op(name);
    n.attrs = attrs_of(n.op, texts);
    n.name = std::string(name) + std::to_string(graph.next_id);
    n.inputs = inputs;
    if (n.op->random) n.key_slot = graph.num_keys++;
    infer_node(graph, &n);
    return {graph.add(std::move(n)).id, 0};
  }
  void output(Entry e) {
    graph.outputs.push_back(e);
    graph.output_names.push_back("out" + std::to_string(graph.outputs.size() - 1));
  }
};

// Fresh and freed memory is filled while this lives, so that stale reads show.
struct PoisonFreed {
  PoisonFreed() { set_poison_freed(true); }
  ~PoisonFreed() { set_poison_freed(false); }
};

// Declared virtual GPUs while this lives; declare it before arrays on them.
struct VirtualGpus {
  explicit VirtualGpus(int n) : before(engine::num_virtual_gpus()) { engine::set_virtual_gpus(n); }
  ~VirtualGpus() { engine::set_virtual_gpus(before); }
  int before;
};

inline ArrayRef ref(const NDArray& a) { return ArrayRef{a, {}}; }

inline ArrayRef variable(const NDArray& a, ArrayExtra::Req req = ArrayExtra::write) {
  ArrayRef v{a, {}};
  attach_grad(v, req);
  return v;
}

// The thread records (and trains) while this lives.
struct Recording {
  explicit Recording(bool training = true) : before(thread_state()) {
    thread_state().mode = kRecording;
    thread_state().training = training;
  }
  ~Recording() { thread_state() = before; }
  ThreadState before;
};

inline ArrayRef call(const char* name, const std::vector<ArrayRef>& inputs,
                     const Texts& texts = {}) {
  const OpDef* op = get_op(name);
  return invoke(*op, attrs_of(op, texts), inputs)[0];
}

inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace exec_test
