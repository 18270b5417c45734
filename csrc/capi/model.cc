#include "capi/model.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "core/error.h"
#include "engine/engine.h"
#include "kernels/host_copy.h"
#include "launch/random.h"
#include "launch/run_op.h"
#include "ops/copy_to_device.h"
#include "symbol/symbol.h"

namespace hybrid {
namespace {

// Output layers that read their second input, the label, in their gradient alone.
bool ignores_label(const OpDef& op) {
  for (const char* name : {"SoftmaxOutput", "LinearRegressionOutput", "LogisticRegressionOutput",
                           "MAERegressionOutput"}) {
    if (std::strcmp(op.name, name) == 0) return true;
  }
  return false;
}

std::string without_prefix(const std::string& name) {
  const bool prefixed = name.compare(0, 4, "arg:") == 0 || name.compare(0, 4, "aux:") == 0;
  return prefixed ? name.substr(4) : name;
}

std::string type_text(const Shape& shape, DType dtype) {
  return std::string(dtype == DType::unknown ? "?" : dtype_name(dtype)) + " " + shape.str();
}

}  // namespace

Model::Model(const std::string& symbol, const std::string& params) {
  const Symbol read = symbol_from_json(symbol);
  require_unique_arguments(read);
  graph_ = to_graph(read);
  for (const Node& n : graph_.nodes) {
    require(n.name.find('\0') == std::string::npos, "symbol.json: a name with a zero byte");
  }
  values_.resize(graph_.inputs.size());
  take_parameters(params);
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    if (values_[i].defined()) continue;
    position_.push_back(i);
    inputs_.push_back({graph_.node(graph_.inputs[i]).name});
  }
  given_.resize(inputs_.size());
  find_labels();
  draws_.assign(static_cast<size_t>(graph_.num_keys), false);
  for (const Node& n : graph_.nodes) {
    if (n.kind != NodeKind::op || n.key_slot < 0) continue;
    if (draws_key(*n.op, n.attrs, false)) draws_[static_cast<size_t>(n.key_slot)] = true;
  }
  describe(inferred(given_, false));
}

void Model::take_parameters(const std::string& params) {
  if (params.empty()) return;
  std::map<std::string, size_t> wanted;
  for (size_t i = 0; i < graph_.inputs.size(); ++i) wanted[graph_.node(graph_.inputs[i]).name] = i;
  std::unordered_set<std::string> seen;
  for (const NamedArray& named : load_params(params)) {
    require(!named.name.empty(), "params: the arrays have no names, expected parameters");
    const std::string name = without_prefix(named.name);
    require(seen.insert(name).second, "params: two arrays are named '", name, "'");
    const auto found = wanted.find(name);
    if (found == wanted.end()) continue;  // of another part of the net
    require(named.array.defined(), "params: '", name, "' has no value");
    values_[found->second] = named.array;
    parameter_bytes_ += named.array.nbytes();
  }
}

// Optional is an input that is read as a label and in no other way.
void Model::find_labels() {
  std::map<NodeId, size_t> input_of;
  for (size_t i = 0; i < inputs_.size(); ++i) input_of[graph_.inputs[position_[i]]] = i;
  std::vector<bool> label(inputs_.size(), false), other(inputs_.size(), false);
  const auto read = [&](const Entry& e, bool as_label) {
    const auto found = input_of.find(e.node);
    if (found == input_of.end()) return;
    (as_label ? label : other)[found->second] = true;
  };
  for (const Node& n : graph_.nodes) {
    for (size_t k = 0; k < n.inputs.size(); ++k) {
      read(n.inputs[k], k == 1 && n.op != nullptr && ignores_label(*n.op));
    }
  }
  for (const Entry& e : graph_.outputs) read(e, false);
  for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i].optional = label[i] && !other[i];
}

Graph Model::inferred(const std::vector<Given>& given, bool assume_dtype) const {
  PassOptions options;
  options.assume_dtype = assume_dtype;
  for (const NDArray& value : values_) {
    options.input_shapes.push_back(value.defined() ? value.shape : Shape::unknown());
    options.input_dtypes.push_back(value.defined() ? value.dtype : DType::unknown);
  }
  for (size_t i = 0; i < given.size(); ++i) {
    options.input_shapes[position_[i]] = given[i].shape;
    options.input_dtypes[position_[i]] = given[i].dtype;
  }
  PassContext context{options, {}, false};
  return infer(graph_, context);
}

void Model::describe(const Graph& typed) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Entry e{typed.inputs[position_[i]], 0};
    inputs_[i].shape = typed.shape(e);
    inputs_[i].dtype = typed.dtype(e);
  }
  // Names stay where they are: callers hold pointers to them.
  if (outputs_.empty()) {
    for (const std::string& name : typed.output_names) outputs_.push_back({name});
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    outputs_[i].shape = typed.shape(typed.outputs[i]);
    outputs_[i].dtype = typed.dtype(typed.outputs[i]);
  }
}

void Model::set_shape(size_t input, const Shape& shape, DType dtype) {
  if (given_[input].shape == shape && given_[input].dtype == dtype) return;
  // Checked alone: the shapes of the other inputs may be about to change with it.
  std::vector<Given> alone(given_.size());
  alone[input] = {shape, dtype};
  Graph typed = inferred(alone, false);
  given_[input] = {shape, dtype};
  values_[position_[input]] = NDArray();
  forget_program();
  try {
    typed = inferred(given_, false);
  } catch (const Error&) {  // bind() says so if it stays
  }
  describe(typed);
}

void Model::forget_program() {
  program_.reset();
  results_.clear();
}

void Model::set_group(const std::string& group, Context ctx) {
  std::vector<std::string> known;
  for (const Node& n : graph_.nodes) {
    const auto found = n.extra.find(kGroupAttribute);
    if (found == n.extra.end()) continue;
    if (std::find(known.begin(), known.end(), found->second) == known.end()) {
      known.push_back(found->second);
    }
  }
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  require(std::find(known.begin(), known.end(), group) != known.end(), "the model has no group '",
          group, "'; ", known.empty() ? "it has none" : "its groups are " + names);
  groups_[group] = ctx;
  forget_program();
}

std::vector<Context> Model::devices() const {
  std::vector<Context> named;
  const auto add = [&](Context ctx) {
    if (std::find(named.begin(), named.end(), ctx) == named.end()) named.push_back(ctx);
  };
  for (const Node& n : graph_.nodes) {
    if (n.kind == NodeKind::op && is_device_copy(n.op)) add(parse_context(n.attrs.string("ctx")));
    const auto group = n.extra.find(kGroupAttribute);
    if (group == n.extra.end()) continue;
    if (const auto found = groups_.find(group->second); found != groups_.end()) add(found->second);
  }
  return named;
}

void Model::place(size_t i) {
  NDArray& value = values_[i];
  const Graph& graph = program_->graph();
  const Context ctx = graph.node(graph.inputs[i]).ctx;
  if (!value.defined() || same_device(value.ctx(), ctx)) return;
  const NDArray there = NDArray::empty(value.shape, value.dtype, ctx);
  copy_array(value, there);
  value = there;
}

void Model::bind() {
  if (program_) return;
  const Graph typed = inferred(given_, true);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Entry e{typed.inputs[position_[i]], 0};
    require(typed.shape(e).known(), "input '", inputs_[i].name, "': its shape is not given, the ",
            "model says ", typed.shape(e));
  }
  describe(typed);
  CompileOptions options;
  options.keep_stages = false;
  for (const NodeId id : typed.inputs) {
    options.pass.input_shapes.push_back(typed.shape({id, 0}));
    options.pass.input_dtypes.push_back(typed.dtype({id, 0}));
  }
  options.devices.wanted = true;
  options.devices.groups = groups_;
  program_ = compile(graph_, options).program;
  for (size_t i = 0; i < values_.size(); ++i) place(i);
}

void Model::set_input(size_t input, const void* data, size_t bytes) {
  bind();
  const Port& port = inputs_[input];
  NDArray& value = values_[position_[input]];
  const Shape shape = port.shape;
  const size_t size = static_cast<size_t>(shape.size()) * dtype_size(port.dtype);
  require(bytes == size, "input '", port.name, "' is ", type_text(shape, port.dtype), ": ", size,
          " bytes, given ", bytes);
  if (!value.defined() || value.shape != shape || value.dtype != port.dtype) {
    value = NDArray::empty(shape, port.dtype, Context());
  }
  if (bytes > 0) copy_from_host(value, data, bytes);
  place(position_[input]);
}

void Model::require_values() {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Port& port = inputs_[i];
    NDArray& value = values_[position_[i]];
    const bool fits = value.defined() && value.shape == port.shape && value.dtype == port.dtype;
    if (fits) continue;
    require(port.optional, "input '", port.name, "' (", type_text(port.shape, port.dtype),
            ") has no value");
    value = NDArray::empty(port.shape, port.dtype, Context());
    const std::string zeros(static_cast<size_t>(value.nbytes()), '\0');
    if (!zeros.empty()) copy_from_host(value, zeros.data(), zeros.size());
    place(position_[i]);
  }
}

void Model::run() {
  bind();
  require_values();
  results_.clear();
  std::vector<uint64_t> keys;
  for (const bool drawn : draws_) keys.push_back(drawn ? next_key() : 0);
  std::vector<NDArray> made = program_->run(values_, keys);
  for (NDArray& result : made) {
    result = make_contiguous(result);
    if (!result.ctx().is_cpu()) {
      const NDArray here = NDArray::empty(result.shape, result.dtype, Context());
      copy_array(result, here);
      result = here;
    }
    engine::wait_to_read(result.storage.get());
  }
  results_ = std::move(made);
}

const Plan& Model::plan() {
  bind();
  return program_->plan();
}

int Model::num_kernels() {
  const Plan& steps = plan();
  const Graph& graph = program_->graph();
  int count = static_cast<int>(steps.copies.size());
  for (const NodeId id : steps.steps)
    count += !steps.views[static_cast<size_t>(graph.position(id))];
  return count;
}

}  // namespace hybrid
