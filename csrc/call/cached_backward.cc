// Recorded calls of compiled graphs: forward with saved values, backward programs.
#include <algorithm>

#include "call/signature.h"
#include "core/device_name.h"
#include "core/error.h"
#include "launch/run_op.h"
#include "ops/grad_builder.h"
#include "passes/passthrough.h"
#include "tape/compiled_call.h"
#include "tape/tape.h"

namespace hybrid {
namespace {

const OpDef& cached_backward_op() {
  static const OpDef& op = *new OpDef([] {
    OpDef def;
    def.name = "cached_graph_backward";
    def.doc = "Gradients of a compiled call: by `wanted` inputs, given those of `heads`.";
    def.inputs = {{"data", "gradients of the heads, then the call's inputs"}};
    def.variadic = true;
    def.attrs = {{"heads", AttrType::ints, nullptr, "outputs with a gradient"},
                 {"wanted", AttrType::ints, nullptr, "inputs whose gradient is wanted"}};
    def.defaults.resize(def.attrs.size());
    def.num_outputs_fn = [](const Attrs& a) { return static_cast<int>(a.ints("wanted").size()); };
    def.dtypes = ~DTypeSet{0};
    def.infer = [](InferContext& c) {
      const size_t first = c.attrs.ints("heads").size();
      const auto& wanted = c.attrs.ints("wanted");
      for (size_t i = 0; i < wanted.size(); ++i) {
        c.out_shapes.at(i) = c.in_shapes.at(first + wanted[i]);
        c.out_dtypes.at(i) = c.in_dtypes.at(first + wanted[i]);
      }
    };
    return def;
  }());
  return op;
}

void cached_call_gradient(GradBuilder& b);

std::vector<int> to_ints(const std::vector<int64_t>& values) {
  return std::vector<int>(values.begin(), values.end());
}

Signature::Choice choice_of(const Attrs& attrs) {
  return {to_ints(attrs.ints("heads")), to_ints(attrs.ints("wanted"))};
}

bool contains_all(const std::vector<Entry>& have, const std::vector<Entry>& needed) {
  return std::all_of(needed.begin(), needed.end(), [&](const Entry& e) {
    return std::find(have.begin(), have.end(), e) != have.end();
  });
}

std::shared_ptr<const BackwardProgram> backward_for(Signature* s, const Signature::Choice& choice) {
  const ObjectGuard lock(s->mutex);
  const auto found = s->backward.find(choice);
  if (found != s->backward.end()) return found->second;
  std::shared_ptr<const BackwardProgram> made = make_backward(*s, choice);
  if (!contains_all(s->saved, made->saved)) made = nullptr;
  s->backward[choice] = made;
  return made;
}

std::shared_ptr<CachedGraph> recomputing_for(Signature* s, const Signature::Choice& choice) {
  const ObjectGuard lock(s->mutex);
  std::shared_ptr<CachedGraph>& graph = s->recomputing[choice];
  if (!graph) {
    size_t num_forward = 0;
    CompileOptions options = s->options;
    options.pass.input_shapes.clear();
    options.pass.input_dtypes.clear();
    graph = std::make_shared<CachedGraph>(joint_gradient(*s, choice, &num_forward), options);
  }
  return graph;
}

const CachedCall& call_of(const SymNode& node) {
  check_not_freed(node);
  return *static_cast<const CachedCall*>(node.held.get());
}

}  // namespace

bool is_cached_backward(const OpDef* op) { return op == &cached_backward_op(); }

const OpDef& cached_call_op() {
  static const OpDef& op = *new OpDef([] {
    OpDef def;
    def.name = "cached_graph";
    def.doc = "A compiled graph, called as one operator.";
    def.inputs = {{"data", "the graph's inputs"}};
    def.variadic = true;
    def.attrs = {{"outputs", AttrType::integer, nullptr, "number of outputs"}};
    def.defaults.resize(def.attrs.size());
    def.num_outputs_fn = [](const Attrs& a) { return static_cast<int>(a.integer("outputs")); };
    def.dtypes = ~DTypeSet{0};
    def.infer = [](InferContext&) {};  // known from the call
    def.gradient = cached_call_gradient;
    return def;
  }());
  return op;
}

Attrs cached_call_attrs(size_t num_outputs) {
  Attrs attrs(&cached_call_op());
  attrs.set("outputs", static_cast<int64_t>(num_outputs));
  return attrs;
}

namespace {

void cached_call_gradient(GradBuilder& b) {
  std::vector<int64_t> heads, wanted;
  std::vector<Entry> inputs;
  for (int i = 0; i < static_cast<int>(b.attrs().integer("outputs")); ++i) {
    if (!b.has_out_grad(i)) continue;
    heads.push_back(i);
    inputs.push_back(b.out_grad(i));
  }
  for (int i = 0; i < b.num_inputs(); ++i) {
    if (b.wanted(i)) wanted.push_back(i);
    inputs.push_back(b.input(i));
  }
  Attrs attrs(&cached_backward_op());
  attrs.set("heads", heads);
  attrs.set("wanted", wanted);
  const Entry first = b.op(attrs, inputs);
  for (size_t k = 0; k < wanted.size(); ++k) {
    b.set(static_cast<int>(wanted[k]), {first.node, static_cast<int32_t>(k)});
  }
}

}  // namespace

namespace {

int64_t total_bytes(const Graph& graph, const std::vector<Entry>& entries) {
  int64_t sum = 0;
  for (const Entry& e : entries) sum += graph.bytes(e);
  return sum;
}

// Returns the most bytes that the forward and the backward program hold, what is saved included.
int64_t compile_both(Signature* s, const Signature::Choice& usual) {
  const std::shared_ptr<const BackwardProgram> backward = make_backward(*s, usual);
  s->backward[usual] = backward;
  s->saved = backward->saved;
  s->saved_output.clear();
  CompileOptions options = s->options;
  Graph forward = with_states(s->typed, s->states, &options.plan);
  for (const Entry& e : s->saved) {
    const auto head = std::find(forward.outputs.begin(), forward.outputs.end(), e);
    s->saved_output.push_back(static_cast<int>(head - forward.outputs.begin()));
    if (head != forward.outputs.end()) continue;
    forward.outputs.push_back(e);
    forward.output_names.push_back("saved" + std::to_string(s->saved_output.size() - 1));
  }
  options.pass.remat_segments = 0;  // of the gradient's program
  s->program = compile(forward, options).program;
  ++*s->num_programs;
  return std::max(s->program->plan().planned_bytes,
                  total_bytes(forward, forward.outputs) + backward->program->plan().planned_bytes);
}

}  // namespace

void compile_recording(Signature* s) {
  s->typed = without_passthrough(s->typed, s->training);
  Signature::Choice usual;
  for (size_t i = 0; i < s->num_heads; ++i) usual.first.push_back(static_cast<int>(i));
  for (size_t i = 0; i < s->wanted.size(); ++i) {
    if (s->wanted[i]) usual.second.push_back(static_cast<int>(i));
  }
  s->options.plan.has_backward = true;
  s->options.plan.remat_asked =
      s->options.pass.remat_segments != 0 || s->options.pass.remat_budget != 0;
  int64_t budget = 0;
  std::swap(budget, s->options.pass.remat_budget);
  if (budget == 0) {
    compile_both(s, usual);
    return;
  }
  within_budget(budget, [&](int32_t segments) {
    s->options.pass.remat_segments = segments;
    return compile_both(s, usual);
  });
}

std::vector<NDArray> run_cached_backward(const Attrs& attrs, const SymNode& call,
                                         const std::vector<NDArray>& given_grads,
                                         const std::vector<NDArray>& into) {
  const CachedCall& held = call_of(call);
  const Signature::Choice choice = choice_of(attrs);
  std::vector<NDArray> out_grads = given_grads;
  for (size_t i = 0; i < out_grads.size() && !held.signature->devices.empty(); ++i) {
    const Graph& typed = held.signature->typed;
    const Context ctx = typed.node(typed.outputs.at(choice.first.at(i)).node).ctx;
    if (same_device(ctx, out_grads[i].ctx())) continue;
    const NDArray moved = NDArray::empty(out_grads[i].shape, out_grads[i].dtype, ctx);
    copy_array(out_grads[i], moved);
    out_grads[i] = moved;
  }
  const auto program = backward_for(held.signature.get(), choice);
  const auto input_value = [&](int i) {
    const SymEntry& e = call.inputs.at(i);
    return saved_value(*e.node, e.out);
  };
  std::vector<NDArray> arguments;
  if (!program) {  // another choice of heads needs more than was kept: compute it again
    std::vector<ArrayRef> refs;
    for (const NDArray& g : out_grads) refs.push_back({g, {}});
    for (size_t i = 0; i < call.inputs.size(); ++i)
      refs.push_back({input_value(static_cast<int>(i)), {}});
    std::vector<NDArray> grads;
    for (const ArrayRef& a :
         recomputing_for(held.signature.get(), choice)->call_with_keys(refs, held.keys)) {
      const NDArray& given = into.empty() ? NDArray() : into.at(grads.size());
      if (given.defined()) copy_array(a.array, given);
      grads.push_back(given.defined() ? given : a.array);
    }
    return grads;
  }
  for (int h : program->heads) arguments.push_back(out_grads.at(h));
  for (int i : program->inputs) arguments.push_back(input_value(i));
  for (const Entry& e : program->saved) {
    const auto& saved = held.signature->saved;
    const size_t k = std::find(saved.begin(), saved.end(), e) - saved.begin();
    const NDArray& value = held.saved.at(k);
    if (value.storage->var.version.load() != held.saved_versions[k]) {
      fail("backward: the gradient needs a result of ", describe_node(call),
           ", which was overwritten after it was recorded");
    }
    arguments.push_back(value);
  }
  return program->program->run(arguments, held.keys, {}, into.empty() ? nullptr : &into);
}

std::vector<ArrayRef> record_cached_backward(const Attrs& attrs, const SymNode& call,
                                             const std::vector<ArrayRef>& out_grads) {
  const CachedCall& held = call_of(call);
  std::vector<ArrayRef> arguments = out_grads;
  for (const SymEntry& e : call.inputs) {
    ArrayRef input{saved_value(*e.node, e.out), Ref<ArrayExtra>(new ArrayExtra)};
    input.extra->entry = e;
    arguments.push_back(input);
  }
  return recomputing_for(held.signature.get(), choice_of(attrs))
      ->call_with_keys(arguments, held.keys);
}

}  // namespace hybrid
