#include "call/cached_graph.h"

#include <algorithm>

#include "call/signature.h"
#include "core/error.h"
#include "core/fork.h"
#include "launch/call_types.h"
#include "launch/random.h"
#include "launch/thread_state.h"
#include "ops/states.h"
#include "tape/compiled_call.h"
#include "tape/tape.h"
#include "trace/trace_op.h"

namespace hybrid {

struct CachedGraph::Impl {
  Graph graph;
  CompileOptions options;
  std::vector<int32_t> updates;  // inputs, by the last outputs
  ObjectMutex mutex;
  std::vector<std::shared_ptr<Signature>> signatures;  // the latest first
  std::shared_ptr<std::atomic<int>> num_programs = std::make_shared<std::atomic<int>>(0);

  std::shared_ptr<Signature> find(const std::vector<ArrayRef>& inputs,
                                  const std::vector<bool>& wanted, bool training, bool recording);
  std::shared_ptr<Signature> compile_for(const std::vector<ArrayRef>& inputs,
                                         const std::vector<bool>& wanted, bool training,
                                         bool recording);
  std::vector<ArrayRef> run(const std::vector<ArrayRef>& inputs, const std::vector<uint64_t>* keys,
                            std::vector<NewState>* new_states);
  std::vector<ArrayRef> trace(const std::vector<ArrayRef>& inputs,
                              std::vector<NewState>* new_states) const;
  Graph in_mode_of(const PassOptions& inputs, bool training, std::vector<StateValue>* states) const;
};

// The graph of what calls return; whatever they write is in `states`. Where an input has no
// elements the mode of an operator may depend on its shape.
Graph CachedGraph::Impl::in_mode_of(const PassOptions& inputs, bool training,
                                    std::vector<StateValue>* states) const {
  const auto is_empty = [](const Shape& s) { return s.known() && s.size() == 0; };
  const auto& shapes = inputs.input_shapes;
  const bool some = training && std::any_of(shapes.begin(), shapes.end(), is_empty);
  PassContext context{inputs, {}, false};
  Graph decided = in_mode(some ? infer(graph, context) : graph, training, states);
  const size_t returned = decided.outputs.size() - updates.size();
  for (size_t k = 0; k < updates.size(); ++k) {
    states->push_back({updates[k], decided.outputs[returned + k]});
  }
  decided.outputs.resize(returned);
  if (decided.output_names.size() > returned) decided.output_names.resize(returned);
  return decided;
}

Graph with_states(const Graph& graph, const std::vector<StateValue>& states, PlanOptions* plan) {
  if (states.empty()) return graph;
  Graph result = graph;
  plan->updates.assign(graph.outputs.size(), kFresh);
  for (const StateValue& s : states) {
    result.outputs.push_back(s.value);
    result.output_names.push_back(graph.node(s.value.node).name);
    plan->updates.push_back(s.input);
  }
  return result;
}

bool Signature::matches(const std::vector<ArrayRef>& inputs, const std::vector<bool>& wanted_now,
                        bool training_now, bool recording_now) const {
  if (training != training_now || recording != recording_now || wanted != wanted_now) return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (dtype_of(inputs[i]) != dtypes[i] || shape_of(inputs[i]) != shapes[i]) return false;
  }
  for (size_t i = 0; i < devices.size(); ++i) {
    if (context_of(inputs[i]) != devices[i]) return false;
  }
  return inputs.empty() || context_of(inputs[0]) == ctx;
}

CachedGraph::CachedGraph(Graph graph, CompileOptions options) : impl_(std::make_shared<Impl>()) {
  impl_->graph = std::move(graph);
  impl_->options = std::move(options);
  impl_->options.keep_stages = false;
  impl_->updates.swap(impl_->options.plan.updates);
  impl_->graph.check();
  require(impl_->updates.size() <= impl_->graph.outputs.size(),
          "cached graph: ", impl_->updates.size(), " updates of ", impl_->graph.outputs.size(),
          " outputs");
  std::vector<bool> taken(impl_->graph.inputs.size(), false);
  for (const int32_t input : impl_->updates) {
    require(input >= 0 && static_cast<size_t>(input) < taken.size(), "cached graph: input ", input,
            " is updated, there are ", taken.size());
    require(!taken[input], "cached graph: input ", input, " is updated twice");
    taken[input] = true;
  }
}

const Graph& CachedGraph::graph() const { return impl_->graph; }

bool CachedGraph::meets(bool training) const {
  return std::any_of(impl_->graph.nodes.begin(), impl_->graph.nodes.end(), [&](const Node& n) {
    if (n.kind != NodeKind::op || !n.op->meets) return false;
    Attrs attrs = n.attrs;
    if (is_mode_open(*n.op, attrs)) set_mode(training, &attrs);
    return !n.op->meeting_key(attrs).empty();
  });
}

int CachedGraph::num_programs() const { return impl_->num_programs->load(); }

std::shared_ptr<Signature> CachedGraph::Impl::find(const std::vector<ArrayRef>& inputs,
                                                   const std::vector<bool>& wanted, bool training,
                                                   bool recording) {
  const ObjectGuard lock(mutex);
  for (size_t i = 0; i < signatures.size(); ++i) {
    if (!signatures[i]->matches(inputs, wanted, training, recording)) continue;
    if (i > 0) std::swap(signatures[0], signatures[i]);
    return signatures[0];
  }
  signatures.insert(signatures.begin(), compile_for(inputs, wanted, training, recording));
  return signatures[0];
}

std::shared_ptr<Signature> CachedGraph::Impl::compile_for(const std::vector<ArrayRef>& inputs,
                                                          const std::vector<bool>& wanted,
                                                          bool training, bool recording) {
  auto s = std::make_shared<Signature>();
  for (const ArrayRef& a : inputs) {
    s->shapes.push_back(shape_of(a));
    s->dtypes.push_back(dtype_of(a));
  }
  if (!inputs.empty()) s->ctx = context_of(inputs[0]);
  s->training = training;
  s->recording = recording;
  s->wanted = wanted;
  s->num_heads = graph.outputs.size() - updates.size();
  s->num_programs = num_programs;
  s->draws.assign(graph.num_keys, false);
  for (const Node& n : graph.nodes) {
    if (n.kind != NodeKind::op || n.key_slot < 0) continue;
    if (draws_key(*n.op, n.attrs, training)) s->draws[n.key_slot] = true;
  }
  s->options = options;
  s->options.pass.training = training;
  s->options.pass.input_shapes = s->shapes;
  s->options.pass.input_dtypes = s->dtypes;
  s->options.pass.grad_of.clear();
  Graph decided = in_mode_of(s->options.pass, training, &s->states);
  if (s->options.devices.wanted && names_devices(decided, s->options.devices)) {
    for (const ArrayRef& a : inputs) s->devices.push_back(context_of(a));
    s->where = s->options.devices;
    s->where.inputs = s->devices;
    if (!inputs.empty() && s->where.groups.empty()) s->where.home = s->ctx;
    assign_devices(&decided, s->where);
    s->options.pass.devices = true;
    s->options.devices = DeviceOptions();  // every graph that is made of this one has them
  } else if (s->options.pass.devices) {
    for (const ArrayRef& a : inputs) s->devices.push_back(context_of(a));
  }
  if (recording) {
    PassContext context{s->options.pass, {}, false};
    s->typed = infer(decided, context);
    compile_recording(s.get());
  } else {
    s->options.pass.remat_segments = 0;
    s->options.pass.remat_budget = 0;
    CompileOptions own = s->options;
    s->program = compile(with_states(decided, s->states, &own.plan), own).program;
    ++*num_programs;
  }
  return s;
}

std::vector<ArrayRef> CachedGraph::Impl::trace(const std::vector<ArrayRef>& inputs,
                                               std::vector<NewState>* new_states) const {
  std::vector<StateValue> states;
  PassOptions given;
  for (const ArrayRef& a : inputs) {
    given.input_shapes.push_back(shape_of(a));
    given.input_dtypes.push_back(dtype_of(a));
  }
  const Graph decided = in_mode_of(given, thread_state().training, &states);
  std::map<Entry, ArrayRef> values;
  for (size_t i = 0; i < inputs.size(); ++i) values[{graph.inputs[i], 0}] = inputs[i];
  for (const Node& n : decided.nodes) {
    if (n.kind == NodeKind::constant) values[{n.id, 0}] = ArrayRef{n.value, {}};
    if (n.kind != NodeKind::op) continue;
    std::vector<ArrayRef> arguments;
    for (const Entry& e : n.inputs) arguments.push_back(values.at(e));
    const std::vector<ArrayRef> made = trace_op(*n.op, n.attrs, arguments, n.ctx, n.name, n.scope);
    for (size_t i = 0; i < made.size(); ++i) values[{n.id, static_cast<int32_t>(i)}] = made[i];
  }
  std::vector<ArrayRef> results;
  for (const Entry& e : decided.outputs) results.push_back(values.at(e));
  require(states.empty() || new_states != nullptr, "cached graph: states change here");
  for (const StateValue& s : states) {
    ArrayRef value = values.at(s.value);
    if (decided.node(s.value.node).kind == NodeKind::input) {  // what it was before the writes
      static const OpDef* identity = get_op("identity");
      value = trace_op(*identity, Attrs(identity), {value}, Context(), "", "")[0];
    }
    new_states->push_back({s.input, value});
  }
  return results;
}

std::vector<ArrayRef> CachedGraph::Impl::run(const std::vector<ArrayRef>& inputs,
                                             const std::vector<uint64_t>* given_keys,
                                             std::vector<NewState>* new_states) {
  require(inputs.size() == graph.inputs.size(), "cached graph: expected ", graph.inputs.size(),
          " inputs, given ", inputs.size());
  const ThreadState& state = thread_state();
  if (state.mode & kTracing) return trace(inputs, new_states);
  std::vector<NDArray> values;
  values.reserve(inputs.size());
  for (const ArrayRef& a : inputs) values.push_back(a.array.defined() ? a.array : concrete(a));
  std::vector<bool> wanted;
  bool recording = false;
  if (state.mode & kRecording) {
    for (const ArrayRef& a : inputs) {
      wanted.push_back(has_history(a) && is_floating(dtype_of(a)));
      recording = recording || wanted.back();
    }
    if (!recording) wanted.clear();
  }
  const std::shared_ptr<Signature> s = find(inputs, wanted, state.training, recording);
  std::vector<uint64_t> keys;
  if (given_keys) {
    keys = *given_keys;
  } else if (!s->draws.empty()) {
    for (bool drawn : s->draws) keys.push_back(drawn ? next_key() : 0);
  }
  std::vector<NDArray> made = s->program->run(values, keys);
  if (!recording) {
    made.resize(s->num_heads);
    std::vector<ArrayRef> results(made.size());
    for (size_t i = 0; i < made.size(); ++i) results[i].array = std::move(made[i]);
    return results;
  }
  auto held = std::make_shared<CachedCall>();
  held->signature = s;
  held->keys = std::move(keys);
  for (int k : s->saved_output) {
    held->saved.push_back(made[k]);
    held->saved_versions.push_back(made[k].storage->var.version.load());
  }
  made.resize(s->num_heads);
  return record(cached_call_op(), cached_call_attrs(s->num_heads), inputs, values, made, 0,
                std::move(held));
}

std::vector<ArrayRef> CachedGraph::call(const std::vector<ArrayRef>& inputs,
                                        std::vector<NewState>* new_states) {
  return impl_->run(inputs, nullptr, new_states);
}

std::vector<ArrayRef> CachedGraph::call_with_keys(const std::vector<ArrayRef>& inputs,
                                                  const std::vector<uint64_t>& keys) {
  return impl_->run(inputs, &keys, nullptr);
}

namespace {

bool same_graph(const Graph& a, const Graph& b) {
  return a.nodes.size() == b.nodes.size() && a.hash() == b.hash() && a.labels() == b.labels();
}

}  // namespace

Compiled CachedGraph::report(bool training, bool with_gradient) {
  CompileOptions options;
  DeviceOptions where;
  {
    const ObjectGuard lock(impl_->mutex);
    require(!impl_->signatures.empty(), "report: the graph has not been called yet");
    options = impl_->signatures[0]->options;
    where = impl_->signatures[0]->where;
  }
  options.keep_stages = true;
  options.pass.training = training;
  options.devices = where;
  if (with_gradient) {
    options.pass.grad_of = impl_->graph.outputs;
    options.pass.grad_of.resize(options.pass.grad_of.size() - impl_->updates.size());
    for (size_t i = 0; i < options.pass.input_dtypes.size(); ++i) {
      if (!is_floating(options.pass.input_dtypes[i])) continue;
      options.pass.grad_wrt.push_back(impl_->graph.inputs[i]);
    }
  }
  std::vector<StateValue> states;
  const Graph decided = impl_->in_mode_of(options.pass, training, &states);
  Compiled made = compile(with_states(decided, states, &options.plan), options);
  const ObjectGuard lock(impl_->mutex);
  for (const auto& s : impl_->signatures) {
    if (s->program && same_graph(s->program->graph(), made.program->graph())) {
      made.program =
          s->program;  // the one that calls run: its nodes have the serials of their spans
      break;
    }
  }
  return made;
}

}  // namespace hybrid
