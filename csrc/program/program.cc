// Program::make: the plan's steps as kernels on numbered buffers.
#include "program/program.h"
#include "program/device_cost.h"

#include <algorithm>
#include <atomic>

#include "core/error.h"
#include "engine/trace.h"
#include "graph/elem_program.h"
#include "graph/kernel_kind.h"
#include "kernels/layout.h"
#include "launch/run_op.h"
#include "ops/copy_to_device.h"
#include "program/kernels.h"
#include "program/row_program.h"

namespace hybrid {
namespace {

struct Maker {
  const Graph& graph;
  const Plan& plan;
  Program::Impl& impl;

  Slot slot(Entry e) const {
    const int p = graph.position(e.node);
    const Window& w = plan.windows[p][e.out];
    Slot s;
    s.buffer = plan.buffer_of[p][e.out];
    require(s.buffer >= 0, "program: node ", e.node, " has no memory in the plan");
    s.view.dtype = graph.dtype(e);
    s.view.shape = graph.shape(e);
    s.view.strides = w.strides;
    s.bytes = w.offset * static_cast<int64_t>(dtype_size(s.view.dtype));
    return s;
  }

  // Every input stretched to the outputs' shape, then dimensions merged where all allow it.
  static void prepare_elementwise(ProgramKernel* k, const char* op) {
    std::vector<TensorView> views;
    const Shape shape = k->slots[k->num_in].view.shape;
    for (Slot& s : k->slots) views.push_back(broadcast_view(s.view, shape, op));
    collapse_dimensions(&views);
    for (size_t i = 0; i < views.size(); ++i) k->slots[i].view = views[i];
  }

  // Elementwise work and reductions along the same rows.
  void prepare_rows(ProgramKernel* k, const Node& node) const {
    std::vector<TensorView> arrays;
    for (const Slot& s : k->slots) arrays.push_back(s.view);
    std::vector<std::pair<int, int>> shared;
    for (int o = 0; o < k->num_out; ++o) {
      for (int i = 0; i < k->num_in; ++i) {
        if (k->slots[k->num_in + o].buffer == k->slots[i].buffer) shared.push_back({o, i});
      }
    }
    k->name = trace::intern_name(fused_name(node).c_str());
    k->rows_kernel = make_row_kernel(graph, node, arrays, shared);
    k->cost_ns = 20 + k->rows_kernel->cost_ns * static_cast<double>(k->rows_kernel->rows);
  }

  // A fused kernel whose result is a window of the output.
  void prepare_write(ProgramKernel* k, const Node& node) const {
    const Node& last = node.members.back();
    const Entry from = last.inputs[1];
    const auto made = std::find_if(node.members.begin(), node.members.end(),
                                   [&](const Node& m) { return m.id == from.node; });
    require(made != node.members.end() && find_window_write(last, made->shapes[0], &k->window),
            "program: fused node ", node.id, " does not end in a write of a window");
    const auto base = std::find(node.inputs.begin(), node.inputs.end(), last.inputs[0]);
    require(base != node.inputs.end(), "program: fused node ", node.id, " does not read its base");
    k->elem = elem_program(graph, node);
    k->name = trace::intern_name(fused_name(node).c_str());
    k->base = static_cast<int>(base - node.inputs.begin());
    k->whole = k->slots[k->base].view;
    const Shape shape = made->shapes[0];
    std::vector<TensorView> views;
    for (int i = 0; i < k->num_in; ++i) {
      TensorView v = k->slots[i].view;
      if (i == k->base) {  // no instruction reads it
        v.shape = shape;
        v.strides = Shape::of_rank(shape.ndim(), 0);
      }
      views.push_back(broadcast_view(v, shape, "fused"));
    }
    Slot& out = k->slots[k->num_in];
    TensorView part = out.view;
    part.shape = shape;
    views.push_back(part);
    collapse_dimensions(&views);
    for (size_t i = 0; i < views.size(); ++i) k->slots[i].view = views[i];
    k->cost_ns = elementwise_cost(*k);
  }

  // A product whose result is finished elementwise, in its own memory.
  void prepare_product(ProgramKernel* k, const Node& node) const {
    const Node& product = node.members.front();
    k->op_def = product.op;
    k->attrs = product.attrs;
    k->elem = elem_program(graph, node);
    k->name = trace::intern_name(fused_name(node).c_str());
    std::vector<Shape> shapes;
    for (const Entry& e : product.inputs) {
      const auto found = std::find(node.inputs.begin(), node.inputs.end(), e);
      require(found != node.inputs.end(), "program: fused node ", node.id,
              " does not read what its product does");
      k->product_inputs.push_back(static_cast<int>(found - node.inputs.begin()));
      shapes.push_back(graph.shape(e));
    }
    std::vector<bool> read(node.inputs.size(), false);
    for (const ElemInstr& i : k->elem.instrs) {
      for (const ElemOperand& o : {i.a, i.b, i.c}) {
        if (o.kind == ElemOperand::input && o.index < k->num_in) read[o.index] = true;
      }
    }
    const TensorView out = k->slots[k->num_in].view;
    std::vector<TensorView> views;
    for (int i = 0; i < k->num_in; ++i) {
      TensorView v = k->slots[i].view;
      if (!read[i]) {  // the product's alone
        v.shape = out.shape;
        v.strides = Shape::of_rank(out.shape.ndim(), 0);
      }
      views.push_back(broadcast_view(v, out.shape, "fused"));
    }
    views.push_back(out);
    collapse_dimensions(&views);
    k->epilogue_views = views;
    k->cost_ns = elementwise_cost(*k) + estimate_cost_ns(*product.op, product.attrs, shapes,
                                                         product.shapes, product.dtypes[0]);
  }

  static double elementwise_cost(const ProgramKernel& k) {
    double ns = 0;
    for (const ElemInstr& i : k.elem.instrs) ns += elem_cost_ns(i.code, i.dtype);
    return 20 + ns * static_cast<double>(k.slots[k.num_in].view.shape.size());
  }

  void add_kernel(const Node& node) {
    ProgramKernel k;
    k.node = node.id;
    k.site = node.site;
    k.op_def = node.op;
    k.attrs = node.attrs;
    k.num_in = static_cast<int>(node.inputs.size());
    k.num_out = node.num_outputs();
    std::vector<DType> in_dtypes;
    std::vector<Shape> in_shapes;
    for (const Entry& e : node.inputs) {
      k.slots.push_back(slot(e));
      in_dtypes.push_back(graph.dtype(e));
      in_shapes.push_back(graph.shape(e));
    }
    for (int o = 0; o < k.num_out; ++o) k.slots.push_back(slot({node.id, o}));
    k.kind = kernel_kind(node);
    switch (k.kind) {
      case KernelKind::rows:
        prepare_rows(&k, node);
        break;
      case KernelKind::write:
        prepare_write(&k, node);
        break;
      case KernelKind::product:
        prepare_product(&k, node);
        break;
      case KernelKind::elementwise:
        k.elem = node.kind == NodeKind::fused ? elem_program(graph, node)
                                              : elem_program(*node.op, node.attrs, in_dtypes);
        prepare_elementwise(&k, node.kind == NodeKind::fused ? "fused" : node.op->name);
        k.cost_ns = elementwise_cost(k);
        k.name = trace::intern_name(fused_name(node).c_str());
        break;
      case KernelKind::op:
        prepare_operator(&k, node, in_shapes, in_dtypes);
        break;
      case KernelKind::none:
      case KernelKind::copy:
        fail("program: node ", node.id, " is no kernel");
    }
    impl.cost_ns += k.cost_ns;
    k.device_cost = device_cost_of(k, node, graph);
    if (k.kind == KernelKind::op) find_inner_devices(node.attrs, k.name);
    impl.kernels.push_back(std::move(k));
  }

  void find_inner_devices(const Attrs& attrs, uint32_t name) const {
    for (const AttrDef& a : attrs.op()->attrs) {
      if (a.type != AttrType::graph) continue;
      for (const Node& n : attrs.subgraph(a.name).graph().nodes) {
        if (n.kind != NodeKind::op) continue;
        if (is_device_copy(n.op)) {
          impl.inner_devices.push_back({target_of_copy(n.attrs), name, n.site});
        }
        find_inner_devices(n.attrs, name);
      }
    }
  }

  // By the operator's own kernel.
  void prepare_operator(ProgramKernel* k, const Node& node, const std::vector<Shape>& in_shapes,
                        const std::vector<DType>& in_dtypes) const {
    k->name = trace::intern_name(node.op->name);
    if (node.op->random) {
      k->key_slot = node.key_slot;
      require(k->key_slot >= 0 && k->key_slot < graph.num_keys, node.op->name, ": node ", node.id,
              " has no key slot");
    }
    k->cost_ns = estimate_cost_ns(*node.op, node.attrs, in_shapes, node.shapes,
                                  in_dtypes.empty() ? node.dtypes[0] : in_dtypes[0]);
    if (copies_a_window(k, node)) k->kind = KernelKind::copy;
    require(k->kind == KernelKind::copy || node.op->cpu, node.op->name, ": node ", node.id,
            " has no kernel");
  }

  // A view that must copy, because a reader needs contiguous memory.
  static bool copies_a_window(ProgramKernel* k, const Node& node) {
    if (!node.op->view || node.inputs.empty()) return false;
    TensorView& in = k->slots[0].view;
    Shape shape, strides;
    int64_t offset = 0;
    if (!node.op->view(node.attrs, in, &shape, &strides, &offset)) return false;
    k->slots[0].bytes += offset * static_cast<int64_t>(dtype_size(in.dtype));
    in.shape = shape;
    in.strides = strides;
    return true;
  }

  static std::string fused_name(const Node& node) {
    if (node.kind != NodeKind::fused) return node.op->name;
    std::string name;
    for (const Node& m : node.members) {
      if (name.size() > 60) return name + "+...";
      name += (name.empty() ? "" : "+") + std::string(m.op->name);
    }
    return name;
  }

  // The new contents of an array, from where they were computed.
  void add_commit(const Commit& commit) {
    add_copy({commit.output, commit.buffer});
    for (const OutputCopy& copy : plan.copies) {
      if (copy.output != commit.output) continue;
      Slot& from = impl.kernels.back().slots[0];  // put aside
      from = impl.kernels.back().slots[1];
      from.buffer = copy.buffer;
    }
  }

  void find_last_uses() {
    std::vector<int32_t> last(static_cast<size_t>(impl.num_buffers), 0);
    for (size_t i = 0; i < impl.kernels.size(); ++i) {
      for (const Slot& s : impl.kernels[i].slots) {
        last[static_cast<size_t>(s.buffer)] = static_cast<int32_t>(i);
      }
    }
    for (const auto& o : impl.outputs) {
      impl.finished_after.push_back(last[static_cast<size_t>(o.buffer)]);
    }
  }

  // Where the point of no return is, and what must run then.
  void find_updates() {
    std::vector<bool> target(plan.buffers.size(), false);
    for (const Buffer& b : plan.buffers) {
      target[b.id] =
          b.kind == BufferKind::given || (b.kind == BufferKind::input && impl.updated[b.index]);
    }
    std::vector<bool> needed = target;
    for (size_t i = impl.kernels.size(); i-- > 0;) {
      ProgramKernel& k = impl.kernels[i];
      for (size_t s = k.num_in; s < k.slots.size(); ++s) {
        if (target[k.slots[s].buffer]) impl.first_update = i;
        if (needed[k.slots[s].buffer]) k.for_update = true;
      }
      for (int s = 0; k.for_update && s < k.num_in; ++s) needed[k.slots[s].buffer] = true;
    }
  }

  void add_copy(const OutputCopy& copy) {
    static const uint32_t name = trace::intern_name("copy");
    ProgramKernel k;
    k.kind = KernelKind::copy;
    k.num_in = k.num_out = 1;
    k.name = name;
    const Entry e = graph.outputs[copy.output];
    k.node = e.node;
    k.site = graph.node(e.node).site;
    k.slots.push_back(slot(e));
    Slot to = k.slots[0];
    to.buffer = copy.buffer;
    to.bytes = 0;
    to.view.strides = contiguous_strides(to.view.shape);
    k.slots.push_back(to);
    k.cost_ns = 20 + 0.2 * static_cast<double>(graph.bytes(e));
    impl.cost_ns += k.cost_ns;
    k.device_cost = device_cost_of(k, graph.node(e.node), graph);
    impl.kernels.push_back(std::move(k));
  }

  void add_buffers() {
    impl.num_buffers = static_cast<int32_t>(plan.buffers.size());
    impl.input_buffer.assign(graph.inputs.size(), -1);
    impl.may_overwrite.assign(graph.inputs.size(), false);
    impl.updated.assign(graph.inputs.size(), false);
    for (const int32_t u : plan.updates) {
      if (u >= 0) impl.updated[u] = impl.may_overwrite[u] = true;
    }
    for (const Buffer& b : plan.buffers) {
      switch (b.kind) {
        case BufferKind::arena:
          impl.arena.push_back({b.id, b.offset});
          break;
        case BufferKind::input: {
          impl.input_buffer[b.index] = b.id;
          for (const Entry& e : b.entries) {
            const int p = graph.position(e.node);
            if (graph.nodes[p].kind != NodeKind::input && !plan.views[p]) {
              impl.may_overwrite[b.index] = true;
            }
          }
          break;
        }
        case BufferKind::constant:
          impl.constants.push_back({b.id, make_contiguous(graph.nodes[b.index].value)});
          break;
        case BufferKind::given:
          impl.given.push_back({b.id, b.index, b.bytes});
          break;
        case BufferKind::output:
          impl.outputs.push_back({b.id, b.index, b.bytes});
          impl.output_bytes += b.bytes;
          break;
      }
    }
  }

  void add_results() {
    for (const Entry& e : graph.outputs) {
      const int p = graph.position(e.node);
      impl.results.push_back({plan.buffer_of[p][e.out], -1, -1, -1, plan.windows[p][e.out],
                              graph.shape(e), graph.dtype(e)});
    }
    for (const OutputCopy& copy : plan.copies) {
      ResultWindow& r = impl.results[copy.output];
      r.buffer = copy.buffer;
      r.window = {contiguous_strides(r.shape), 0};
    }
    for (size_t k = 0; k < impl.results.size(); ++k) {
      if (plan.updates[k] == kFresh) continue;
      ResultWindow& r = impl.results[k];
      r.window = {contiguous_strides(r.shape), 0};
      if (plan.updates[k] >= 0) r.buffer = impl.input_buffer[plan.updates[k]];
      for (size_t i = 0; i < impl.given.size(); ++i) {
        if (impl.given[i].output != static_cast<int32_t>(k)) continue;
        r.buffer = impl.given[i].buffer;
        r.given = static_cast<int32_t>(i);
      }
    }
    for (ResultWindow& r : impl.results) {
      for (size_t i = 0; i < impl.outputs.size(); ++i) {
        if (impl.outputs[i].buffer == r.buffer) r.output = static_cast<int32_t>(i);
      }
      for (size_t i = 0; i < impl.input_buffer.size(); ++i) {
        if (impl.input_buffer[i] == r.buffer) r.input = static_cast<int32_t>(i);
      }
      require(r.output >= 0 || r.input >= 0 || r.given >= 0,
              "program: an output lies in the arena");
    }
  }

  void run() {
    require(plan.windows.size() == graph.nodes.size(), "program: the plan is of another graph");
    static const uint32_t name = trace::intern_name("program");
    impl.name = name;
    impl.num_keys = graph.num_keys;
    impl.arena_bytes = plan.arena_bytes;
    for (NodeId id : graph.inputs) {
      const Node& n = graph.node(id);
      impl.inputs.push_back({n.name, n.shapes[0], n.dtypes[0]});
    }
    add_buffers();
    for (NodeId id : plan.steps) {
      const int p = graph.position(id);
      if (!plan.views[p]) add_kernel(graph.nodes[p]);
    }
    for (const OutputCopy& copy : plan.copies) add_copy(copy);
    for (const Commit& commit : plan.commits) add_commit(commit);
    find_updates();
    find_last_uses();
    add_results();
    if (!graph.outputs.empty()) impl.default_ctx = graph.node(graph.outputs[0].node).ctx;
    for (const Node& n : graph.nodes) {
      if (n.kind != NodeKind::op && n.kind != NodeKind::fused) continue;
      impl.default_ctx = n.ctx;
      break;
    }
  }
};

// 0 stands for no node.
uint32_t take_serials(uint32_t count) {
  static std::atomic<uint32_t> next{1};
  return next.fetch_add(count, std::memory_order_relaxed);
}

}  // namespace

uint32_t Program::num_ids() const {
  NodeId most = -1;
  for (const Node& n : graph_.nodes) most = std::max(most, n.id);
  return static_cast<uint32_t>(most + 1);
}

uint32_t Program::first_serial() const { return impl_ ? impl_->first_serial : 0; }

std::shared_ptr<const Program> Program::make(Graph graph, Plan plan) {
  auto program = std::make_shared<Program>();
  program->graph_ = std::move(graph);
  program->plan_ = std::move(plan);
  auto impl = std::make_shared<Impl>();
  Maker{program->graph_, program->plan_, *impl}.run();
  impl->first_serial = take_serials(program->num_ids());
  std::vector<int32_t> nodes;
  for (ProgramKernel& k : impl->kernels) {
    nodes.push_back(static_cast<int32_t>(k.node));
    k.serial = impl->first_serial + static_cast<uint32_t>(k.node);
  }
  impl->kernel_nodes = std::make_shared<const std::vector<int32_t>>(std::move(nodes));
  program->impl_ = std::move(impl);
  return program;
}

double Program::cost_ns() const {
  if (impl_) return impl_->cost_ns;
  double sum = 0;
  for (const ProgramRef& part : parts()) sum += part->cost_ns();
  return sum;
}

}  // namespace hybrid
