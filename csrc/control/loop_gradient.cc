// The gradient of while_loop and foreach: forward again, then the steps backward.
#include <array>
#include <cstring>

#include "control/body_gradient.h"
#include "control/control.h"
#include "control/control_run.h"
#include "control/device_kernels.h"
#include "core/error.h"
#include "kernels/kernels.h"
#include "kernels/layout.h"
#include "ops/grad_builder.h"
#include "ops/grad_shape.h"

namespace hybrid {
namespace {

// Where the inputs of a loop's node, or of its body, are.
struct Loop {
  bool has_condition, nd_rows;
  int counter, data, carried, captured;  // counter: 0 or 1 more input of the body

  Loop(const Attrs& attrs, int inputs)
      : has_condition(attrs.op()->attr_index("condition") >= 0),
        nd_rows(!has_condition && attrs.boolean("nd_rows")),
        counter(!has_condition && attrs.boolean("counter")),
        data(has_condition ? 0 : static_cast<int>(attrs.integer("data"))),
        carried(static_cast<int>(attrs.integer("carried"))),
        captured(inputs - data - carried) {}
  int first_captured() const { return data + carried; }
};

std::vector<int> numbers(const Attrs& attrs, const char* name) {
  std::vector<int> found;
  for (int64_t i : attrs.ints(name)) found.push_back(static_cast<int>(i));
  return found;
}

// The body's inputs and outputs that a gradient concerns. `wanted`: inputs of the node; carried
// values of floating types always, since a step's gradient needs the next one's.
WantedGradients of_step(const Loop& loop, const Graph& body, const std::vector<int>& wanted,
                        const std::vector<int>& stacked_heads, const DTypes& dtypes) {
  WantedGradients of;
  const int stacked = static_cast<int>(body.outputs.size()) - loop.carried;
  of.heads = stacked_heads;
  for (int i : wanted) {
    if (i < loop.data) of.inputs.push_back(loop.counter + i);
  }
  for (int i = 0; i < loop.carried; ++i) {
    if (!is_floating(dtypes[static_cast<size_t>(loop.data + i)])) continue;
    of.heads.push_back(stacked + i);
    of.inputs.push_back(loop.counter + loop.data + i);
  }
  for (int i : wanted) {
    if (i >= loop.first_captured()) of.inputs.push_back(loop.counter + i);
  }
  return of;
}

// One step's backward graph, in which gradients of captured values are added to what later steps
// gave: these are its last inputs and outputs.
Graph step_backward(const Graph& body, const Shapes& shapes, const DTypes& dtypes,
                    const WantedGradients& of, int captured_wanted) {
  Graph graph = differentiated(body, shapes, dtypes, of);
  const size_t first = graph.outputs.size() - static_cast<size_t>(captured_wanted);
  for (size_t i = first; i < graph.outputs.size(); ++i) {
    const Entry grad = graph.outputs[i];
    Node sum;
    sum.kind = NodeKind::input;
    sum.name = "sum_" + std::to_string(i - first);
    const auto input = static_cast<size_t>(of.inputs[i]);
    sum.shapes = {shapes[input]};
    sum.dtypes = {dtypes[input]};
    const NodeId id = graph.add(std::move(sum)).id;
    graph.inputs.push_back(id);
    Node add;
    add.op = get_op("add");
    add.attrs = Attrs(add.op);
    add.name = "add_" + std::to_string(i - first);
    add.inputs = {{id, 0}, grad};
    infer_node(graph, &add);
    graph.outputs[i] = {graph.add(std::move(add)).id, 0};
  }
  return graph;
}

struct Types {
  Shapes shapes;
  DTypes dtypes;
};

// Of the body's inputs, given those of the node's.
Types body_types(const Loop& loop, Types types) {
  for (int i = 0; i < loop.data; ++i) {
    Shape& shape = types.shapes[static_cast<size_t>(i)];
    shape = row_shape(shape, loop.nd_rows);
  }
  if (loop.counter) {
    types.shapes.insert(types.shapes.begin(), Shape());
    types.dtypes.insert(types.dtypes.begin(), DType::int64);
  }
  return types;
}

int64_t num_inputs(const Attrs& attrs) { return attrs.integer("inputs"); }

void add_type(Types* types, const Shape& shape, DType dtype) {
  types->shapes.push_back(shape);
  types->dtypes.push_back(dtype);
}

Types loop_types(const Attrs& attrs, const Types& all) {
  const auto count = static_cast<std::ptrdiff_t>(num_inputs(attrs));
  return {{all.shapes.begin(), all.shapes.begin() + count},
          {all.dtypes.begin(), all.dtypes.begin() + count}};
}

// What one step backward sees, given the types of all inputs of the gradient.
Types step_types(const Loop& loop, const Attrs& attrs, const Types& all) {
  Types types = body_types(loop, loop_types(attrs, all));
  const auto count = static_cast<size_t>(num_inputs(attrs));
  const size_t heads = attrs.ints("heads").size();
  for (size_t i = count; i < all.shapes.size(); ++i) {
    const bool stacked = i < count + heads;
    add_type(&types, stacked ? row_shape(all.shapes[i]) : all.shapes[i], all.dtypes[i]);
  }
  for (const int i : numbers(attrs, "wanted")) {
    if (i < loop.first_captured()) continue;
    add_type(&types, all.shapes[static_cast<size_t>(i)], all.dtypes[static_cast<size_t>(i)]);
  }
  return types;
}

void infer_backward(InferContext& c) {
  const std::vector<int> wanted = numbers(c.attrs, "wanted");
  for (size_t i = 0; i < wanted.size(); ++i) {
    c.out_shapes.at(i) = c.in_shapes.at(static_cast<size_t>(wanted[i]));
    c.out_dtypes.at(i) = c.in_dtypes.at(static_cast<size_t>(wanted[i]));
  }
}

// A run of one loop backward.
class Backward {
 public:
  explicit Backward(KernelContext& c)
      : c_(c),
        loop_(c.attrs, static_cast<int>(num_inputs(c.attrs))),
        in_(arrays_of(c.in, c.num_in)),
        wanted_(numbers(c.attrs, "wanted")),
        heads_(numbers(c.attrs, "heads")) {
    const auto count = static_cast<size_t>(num_inputs(c.attrs));
    for (size_t i = 0; i < count; ++i) {
      types_.shapes.push_back(in_[i].shape);
      types_.dtypes.push_back(in_[i].dtype);
    }
  }

  void run() {
    forward();
    backward();
  }

 private:
  void check(int64_t done) const { check_wanted(c_, "gradient of a loop", done); }
  int64_t counter(int64_t t) const {
    return c_.attrs.integer("start") + t * c_.attrs.integer("step");
  }

  std::vector<NDArray> body_inputs(int64_t t, const std::vector<NDArray>& carried) const {
    std::vector<NDArray> made;
    if (loop_.counter) {
      const int64_t value = counter(t);
      made.push_back(NDArray::empty(Shape(), DType::int64, Context()));
      std::memcpy(made[0].data(), &value, sizeof(value));
    }
    for (int i = 0; i < loop_.data; ++i) {
      made.push_back(row_of(in_[static_cast<size_t>(i)], t, loop_.nd_rows));
    }
    made.insert(made.end(), carried.begin(), carried.end());
    for (int i = 0; i < loop_.captured; ++i) {
      made.push_back(in_[static_cast<size_t>(loop_.first_captured() + i)]);
    }
    return made;
  }

  // Fills starts_ with the carried values that each step began with.
  void forward() {
    const LoopPrograms programs = loop_.has_condition
                                      ? while_programs(c_.attrs, types_.shapes, types_.dtypes)
                                      : foreach_programs(c_.attrs, types_.shapes, types_.dtypes);
    const int64_t limit = loop_.has_condition ? c_.attrs.integer("max_iterations")
                                              : foreach_steps(c_.attrs, types_.shapes);
    const size_t stacked =
        programs.body->graph().outputs.size() - static_cast<size_t>(loop_.carried);
    std::vector<NDArray> carried(in_.begin() + loop_.data,
                                 in_.begin() + loop_.data + loop_.carried);
    for (int64_t t = 0; (loop_.has_condition && limit < 0) || t < limit; ++t) {
      check(t);
      const std::vector<NDArray> inputs = body_inputs(t, carried);
      if (loop_.has_condition) {
        const auto more = programs.condition->run_nested(inputs, c_.resources);
        check(t);
        if (!holds(more[0])) return;
      }
      starts_.push_back(carried);
      if (!loop_.has_condition && t + 1 == limit) return;  // nobody reads what it gives
      const auto next = programs.body->run_nested(inputs, c_.resources);
      check(t);
      for (size_t i = 0; i < carried.size(); ++i) {
        carried[i] = contiguous_copy(next[stacked + i], c_.resources);
      }
    }
  }

  void backward() {
    const auto& body = static_cast<const Body&>(c_.attrs.subgraph("backward"));
    auto next = in_.begin() + num_inputs(c_.attrs);
    const std::vector<NDArray> stacked(next, next + static_cast<int64_t>(heads_.size()));
    std::vector<NDArray> grads(next + static_cast<int64_t>(heads_.size()), in_.end());
    std::vector<NDArray> sums;
    for (int i : wanted_) {
      if (i < loop_.first_captured()) continue;
      sums.push_back(zeros(in_[static_cast<size_t>(i)]));
    }
    Types all;
    for (const NDArray& a : in_) add_type(&all, a.shape, a.dtype);
    const Types types = step_types(loop_, c_.attrs, all);
    const ProgramRef program = body.program(types.shapes, types.dtypes);
    const size_t rows = rows_wanted();
    for (auto t = static_cast<int64_t>(starts_.size()) - 1; t >= 0; --t) {
      check(t);
      std::vector<NDArray> inputs = body_inputs(t, starts_[static_cast<size_t>(t)]);
      for (const NDArray& head : stacked) inputs.push_back(row_of(head, t));
      inputs.insert(inputs.end(), grads.begin(), grads.end());
      inputs.insert(inputs.end(), sums.begin(), sums.end());
      const auto made = program->run_nested(inputs, c_.resources);
      check(t);
      starts_.pop_back();
      for (size_t i = 0; i < rows; ++i) {
        const TensorView& out = c_.out[i];
        TensorView row = out;
        row.shape = row_shape(out.shape, loop_.nd_rows);
        row.strides = contiguous_strides(row.shape);
        row.data = static_cast<char*>(out.data) +
                   t * row.shape.size() * static_cast<int64_t>(dtype_size(out.dtype));
        strided_copy(view_of(made[i]), row, c_.resources);
      }
      for (size_t i = 0; i < grads.size(); ++i) {
        grads[i] = contiguous_copy(made[rows + i], c_.resources);
      }
      for (size_t i = 0; i < sums.size(); ++i) {
        sums[i] = contiguous_copy(made[rows + grads.size() + i], c_.resources);
      }
    }
    write(grads, sums, rows);
  }

  void write(const std::vector<NDArray>& grads, const std::vector<NDArray>& sums, size_t rows) {
    size_t sum = 0;
    for (size_t o = rows; o < wanted_.size(); ++o) {
      const int input = wanted_[o];
      if (input >= loop_.first_captured()) {
        strided_copy(view_of(sums[sum++]), c_.out[o], c_.resources);
        continue;
      }
      size_t grad = 0;
      for (int i = loop_.data; i < input; ++i) {
        grad += is_floating(types_.dtypes[static_cast<size_t>(i)]);
      }
      strided_copy(view_of(grads[grad]), c_.out[o], c_.resources);
    }
  }

  size_t rows_wanted() const {
    size_t count = 0;
    for (int i : wanted_) count += i < loop_.data;
    return count;
  }

  static NDArray zeros(const NDArray& like) {
    NDArray made = NDArray::empty(like.shape, like.dtype, Context());
    std::memset(made.data(), 0, static_cast<size_t>(made.shape.size()) * dtype_size(made.dtype));
    return made;
  }

  KernelContext& c_;
  Loop loop_;
  std::vector<NDArray> in_;
  std::vector<int> wanted_, heads_;
  Types types_;  // of the loop's own inputs
  std::vector<std::vector<NDArray>> starts_;
};

void run_backward(KernelContext& c) { Backward(c).run(); }

// Forward again, but for the last step of a known number, whose results nobody reads; then every
// step backward.
Kernels backward_kernels(const Attrs& attrs, const Shapes& in, const DTypes& dtypes) {
  const Types all{in, dtypes};
  const Loop loop(attrs, static_cast<int>(num_inputs(attrs)));
  const Types own = loop_types(attrs, all);
  const LoopPrograms forward = loop.has_condition ? while_programs(attrs, own.shapes, own.dtypes)
                                                  : foreach_programs(attrs, own.shapes, own.dtypes);
  Kernels step = loop.has_condition ? forward.condition->device_kernels() : Kernels();
  append(&step, forward.body->device_kernels());
  const int64_t steps =
      loop.has_condition ? counted_steps(attrs) : foreach_steps(attrs, own.shapes);
  Kernels kernels = repeated(step, loop.has_condition ? steps : steps - 1);
  const Types types = step_types(loop, attrs, all);
  const auto& body = static_cast<const Body&>(attrs.subgraph("backward"));
  const ProgramRef backward = body.program(types.shapes, types.dtypes);
  step = backward->device_kernels();
  const std::vector<int> wanted = numbers(attrs, "wanted");
  for (size_t i = 0; i < wanted.size() && wanted[i] < loop.data; ++i) {
    add_copies(&step, backward->graph(), i, i + 1);
  }
  append(&kernels, repeated(step, steps));
  for (const int i : wanted) {
    if (i < loop.data) continue;
    add_copy(&kernels, in[static_cast<size_t>(i)], dtypes[static_cast<size_t>(i)]);
  }
  return kernels;
}

void no_second_gradient(GradBuilder& b) {
  fail(b.attrs().op()->name,
       ": a loop's gradient cannot be differentiated again; a loop over a known range that is "
       "unrolled can");
}

OpDef backward_of(const OpDef& loop, const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.doc = doc;
  def.inputs = {{"data", "the loop's inputs, then gradients of its outputs"}};
  def.variadic = true;
  def.dtypes = ~DTypeSet{0};
  def.attrs = loop.attrs;
  def.attrs.push_back({"backward", AttrType::graph, nullptr, "one step backward"});
  def.attrs.push_back({"inputs", AttrType::integer, nullptr, "number of the loop's inputs"});
  def.attrs.push_back({"wanted", AttrType::ints, nullptr, "inputs whose gradient is given"});
  def.attrs.push_back({"heads", AttrType::ints, nullptr, "stacked outputs that have a gradient"});
  def.num_outputs_fn = [](const Attrs& a) { return static_cast<int>(a.ints("wanted").size()); };
  def.infer = infer_backward;
  def.cpu = run_backward;
  def.gradient = no_second_gradient;
  def.flops = loop.flops;
  def.device_kernels = backward_kernels;
  for (const AttrDef& a : def.attrs) {
    def.defaults.push_back(a.default_text ? parse_attr(a.type, a.default_text, def.name)
                                          : AttrValue());
  }
  return def;
}

const OpDef& backward_op(bool of_while) {
  static const auto& ops = *new std::array<OpDef, 2>{
      backward_of(foreach_op(), "foreach_backward", "The gradient of foreach."),
      backward_of(while_loop_op(), "while_loop_backward", "The gradient of while_loop."),
  };
  return ops[of_while];
}

}  // namespace

void loop_gradient(GradBuilder& b) {
  const Attrs& own = b.attrs();
  const Loop loop(own, b.num_inputs());
  Types types;
  std::vector<Entry> inputs;
  std::vector<int> wanted, heads;
  int captured_wanted = 0;
  for (int i = 0; i < b.num_inputs(); ++i) {
    inputs.push_back(b.input(i));
    types.shapes.push_back(known_shape(b, b.input(i)));
    types.dtypes.push_back(known_dtype(b, b.input(i)));
    if (!b.wanted(i) || !is_floating(types.dtypes.back())) continue;
    wanted.push_back(i);
    captured_wanted += i >= loop.first_captured();
  }
  const Graph& body = own.subgraph("body").graph();
  const int stacked = static_cast<int>(body.outputs.size()) - loop.carried;
  bool any = false;
  for (int i = 0; i < stacked; ++i) {
    if (b.has_out_grad(i)) heads.push_back(i);
  }
  for (int i = 0; i < loop.carried; ++i) any = any || b.has_out_grad(stacked + i);
  if (wanted.empty() || (heads.empty() && !any)) return;
  const Types inside = body_types(loop, types);
  const WantedGradients of = of_step(loop, body, wanted, heads, types.dtypes);
  for (int head : of.heads) inputs.push_back(b.out_grad(head));
  Attrs attrs(&backward_op(loop.has_condition));
  for (const AttrDef& a : own.op()->attrs) attrs.set(a.name, own.at(a.name));
  attrs.set("backward", SubgraphRef{Body::make(step_backward(body, inside.shapes, inside.dtypes, of,
                                                             captured_wanted))});
  attrs.set("inputs", static_cast<int64_t>(b.num_inputs()));
  attrs.set("wanted", std::vector<int64_t>(wanted.begin(), wanted.end()));
  attrs.set("heads", std::vector<int64_t>(heads.begin(), heads.end()));
  const Entry first = b.op(attrs, inputs);
  for (size_t i = 0; i < wanted.size(); ++i) {
    b.set(wanted[i], {first.node, static_cast<int32_t>(i)});
  }
}

}  // namespace hybrid
