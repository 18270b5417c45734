// Signature: what a CachedGraph has compiled for one combination of input types and modes.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "call/cached_graph.h"
#include "core/fork.h"
#include "passes/mode.h"

namespace hybrid {

// A program for gradients. Its inputs: gradients of `heads`, then some of the forward's inputs,
// then some of the values that the forward program saved.
struct BackwardProgram {
  ProgramRef program;
  std::vector<int> heads, inputs;
  std::vector<Entry> saved;  // entries of the forward graph
};

struct Signature {
  // The key.
  std::vector<Shape> shapes;
  std::vector<DType> dtypes;
  Context ctx;                   // of the first input, or `devices` of all
  std::vector<Context> devices;  // by input, where the graph runs on several
  bool training = false;
  bool recording = false;
  std::vector<bool> wanted;  // recording: inputs that a gradient may flow to
  bool matches(const std::vector<ArrayRef>& inputs, const std::vector<bool>& wanted_now,
               bool training_now, bool recording_now) const;

  ProgramRef program;       // outputs: heads, new states, then saved values that are neither
  std::vector<bool> draws;  // by key slot: whether a call draws it
  size_t num_heads = 0;
  // What training changes: input i gets an output of `program`, the one after the heads and the
  // states before it.
  std::vector<StateValue> states;

  DeviceOptions where;  // what decided the nodes' devices

  // Recording only.
  Graph typed;  // inferred, without what does nothing outside training
  CompileOptions options;
  std::vector<Entry> saved;       // what calls keep
  std::vector<int> saved_output;  // where: output of `program`
  using Choice =
      std::pair<std::vector<int>, std::vector<int>>;  // heads with gradient, wanted inputs
  ObjectMutex mutex;
  std::map<Choice, std::shared_ptr<const BackwardProgram>> backward;  // null: `saved` is not enough
  std::map<Choice, std::shared_ptr<CachedGraph>> recomputing;
  std::shared_ptr<std::atomic<int>> num_programs;
};

// `held` of a recorded call.
struct CachedCall {
  std::shared_ptr<Signature> signature;
  std::vector<NDArray> saved;  // by signature.saved
  std::vector<uint64_t> saved_versions;
  std::vector<uint64_t> keys;
};

// The graph with the new states as outputs that are written into the states' arrays.
Graph with_states(const Graph& graph, const std::vector<StateValue>& states, PlanOptions* plan);
Attrs cached_call_attrs(size_t num_outputs);
// Compiles the forward program with what the usual backward (all heads) needs, and that backward.
void compile_recording(Signature* signature);
// The program of the gradients for `choice`, and which saved values it needs.
std::shared_ptr<BackwardProgram> make_backward(const Signature& signature,
                                               const Signature::Choice& choice);
// The gradient nodes for `choice` together with the whole forward: outputs are the gradients;
// inputs are the heads' gradients, then the forward's inputs. `num_forward`: nodes before them.
// What options.pass.remat_segments says is computed again stands among the gradient nodes.
Graph joint_gradient(const Signature& signature, const Signature::Choice& choice,
                     size_t* num_forward);

}  // namespace hybrid
