// The short way for small elementwise operators: no vectors, no inference, no task.
#include <array>
#include <memory>

#include "engine/trace.h"
#include "graph/elem_program.h"
#include "launch/launch.h"

namespace hybrid {
namespace {

constexpr int kMaxInputs = 3;

// What an operator does with inputs of these dtypes, when all have one shape.
struct Prepared {
  const OpDef* op = nullptr;
  Attrs attrs;
  int num_inputs = 0;
  DType in[kMaxInputs];
  DType out = DType::unknown;
  bool usable = false;
  double ns = 0;  // an element
  uint32_t name = 0;
  ElemProgram program;
};

// Shapes must follow from the inputs' alone, so that one preparation serves every shape.
bool shape_follows(const OpDef& op, int num_inputs) {
  if (!op.elementwise || op.variadic || op.num_outputs != 1 || op.num_outputs_fn || op.random ||
      op.view || static_cast<int>(op.inputs.size()) != num_inputs) {
    return false;
  }
  for (const AttrDef& a : op.attrs) {
    if (a.type == AttrType::ints || a.type == AttrType::reals || a.type == AttrType::string) {
      return false;
    }
  }
  return true;
}

void prepare(Prepared* p, const OpDef& op, const Attrs& attrs, const NDArray* const* inputs,
             int n) {
  p->op = &op;
  p->attrs = attrs;
  p->num_inputs = n;
  p->usable = false;
  std::vector<DType> dtypes;
  std::vector<Shape> shapes;
  for (int i = 0; i < n; ++i) {
    dtypes.push_back(p->in[i] = inputs[i]->dtype);
    shapes.push_back(inputs[i]->shape);
  }
  if (!shape_follows(op, n) || !(op.dtypes & dtype_bit(p->in[0]))) return;
  std::vector<Shape> out_shapes(1, Shape::unknown());
  std::vector<DType> out_dtypes(1, DType::unknown);
  const Shape shape = shapes[0];
  InferContext context{attrs, shapes, out_shapes, dtypes, out_dtypes, op.name};
  op.infer(context);  // throws what run_op would
  p->program = elem_program(op, attrs, dtypes);
  p->out = out_dtypes[0];
  if (out_shapes[0] != shape || p->program.instrs.back().out_dtype != p->out) return;
  p->ns = 0;
  for (const ElemInstr& i : p->program.instrs) p->ns += elem_cost_ns(i.code, i.dtype);
  p->name = trace::intern_name(op.name);
  p->usable = true;
}

Prepared& find(const OpDef& op, const Attrs& attrs, const NDArray* const* inputs, int n) {
  // On the heap: a library loaded at run time gets little static thread-local memory.
  thread_local const std::unique_ptr<std::array<Prepared, 128>> owner(
      new std::array<Prepared, 128>());
  std::array<Prepared, 128>& cache = *owner;
  size_t hash = reinterpret_cast<uintptr_t>(&op) >> 5;
  for (int i = 0; i < n; ++i) hash = hash * 7 + static_cast<size_t>(inputs[i]->dtype);
  Prepared& p = cache[(hash ^ (hash >> 7)) % cache.size()];
  bool hit = p.op == &op && p.num_inputs == n;
  for (int i = 0; hit && i < n; ++i) hit = p.in[i] == inputs[i]->dtype;
  hit = hit && (op.attrs.empty() || p.attrs == attrs);
  if (!hit) {
    p.op = nullptr;
    prepare(&p, op, attrs, inputs, n);
  }
  return p;
}

struct Flat {
  TensorView views[kMaxInputs + 1];
  Flat() {
    for (TensorView& v : views) v.shape = v.strides = Shape{1};
  }
  void set(int i, void* data, DType dtype, int64_t n) {
    views[i].data = data;
    views[i].dtype = dtype;
    views[i].shape[0] = n;
  }
};

}  // namespace

bool run_small(const OpDef& op, const Attrs& attrs, const NDArray* const* inputs, int num_inputs,
               NDArray* out) {
  constexpr int64_t kMaxElements = 1 << 16;
  if (!op.elementwise || num_inputs < 1 || num_inputs > kMaxInputs) return false;
  const NDArray& first = *inputs[0];
  if (!first.defined()) return false;
  const Context ctx = first.storage->ctx;
  if (!ctx.is_cpu()) return false;
  int64_t n = 1;
  for (int64_t d : first.shape) {
    n *= d;
    if (n > kMaxElements) return false;
  }
  if (n == 0) return false;
  for (int i = 0; i < num_inputs; ++i) {
    const NDArray& a = *inputs[i];
    if (!a.defined() || (i > 0 && (a.shape != first.shape || a.storage->ctx != ctx)) ||
        !ready_to_read(*a.storage) || (n > 1 && !a.contiguous())) {
      return false;
    }
  }
  const Prepared& p = find(op, attrs, inputs, num_inputs);
  if (!p.usable) return false;
  engine::Props props;
  props.cost_ns = 20 + p.ns * static_cast<double>(n);
  props.ctx = ctx;
  if (!engine::may_inline(props.cost_ns, ctx)) return false;

  // Set up once per thread: one dimension, stride 1.
  thread_local const std::unique_ptr<Flat> owner(new Flat());
  Flat& flat = *owner;
  for (int i = 0; i < num_inputs; ++i) flat.set(i, inputs[i]->data(), p.in[i], n);
  StorageRef storage = allocate(n * dtype_size(p.out), ctx);
  flat.set(num_inputs, storage->data, p.out, n);
  const uint64_t start = trace::ticks();
  run_elementwise(p.program, flat.views, flat.views + num_inputs, Resources::current());
  bump_version(*storage);
  props.name = p.name;
  props.site = current_site();
  engine::note_inline(props, start, trace::ticks());
  out->offset = 0;  // `first` may be *out itself: its shape is read before it is replaced
  out->strides = n > 1 ? first.strides : contiguous_strides(first.shape);
  out->shape = first.shape;
  out->dtype = p.out;
  out->storage = std::move(storage);
  return true;
}

}  // namespace hybrid
