// The operators' table entries: attributes, inference, cost.
#include "control/control.h"

#include <algorithm>

#include "control/control_run.h"
#include "control/device_kernels.h"
#include "core/error.h"

namespace hybrid {
namespace {

bool all_known(const InferContext& c) {
  for (const Shape& s : c.in_shapes) {
    if (!s.known()) return false;
  }
  for (DType d : c.in_dtypes) {
    if (d == DType::unknown) return false;
  }
  return true;
}

std::string type_text(const Shape& shape, DType dtype) {
  return std::string(dtype_name(dtype)) + " " + shape.str();
}

std::string value_name(const Graph& body, size_t output) {
  const std::string name = output < body.output_names.size() ? body.output_names[output] : "";
  return name.empty() ? "value " + std::to_string(output) : "'" + name + "'";
}

void set_output(InferContext& c, size_t i, const Shape& shape, DType dtype) {
  c.out_shapes.at(i) = shape;
  c.out_dtypes.at(i) = dtype;
}

void check_predicate(const char* op, const char* what, const Shape& shape, DType dtype) {
  require(shape.size() == 1, op, ": ", what, " must have one element, given ",
          type_text(shape, dtype));
}

// A step sees the same types as the one before it.
void check_carried(const InferContext& c, const Graph& body, size_t first_output,
                   size_t first_input, size_t carried) {
  for (size_t i = 0; i < carried; ++i) {
    const Entry e = body.outputs[first_output + i];
    const Shape& before = c.in_shapes[first_input + i];
    const DType type = c.in_dtypes[first_input + i];
    require(body.shape(e) == before && body.dtype(e) == type, c.op_name, ": the carried ",
            value_name(body, first_output + i), " is ", type_text(before, type),
            " before a step and ", type_text(body.shape(e), body.dtype(e)),
            " after it; a loop keeps shapes and dtypes");
  }
}

void infer_cond(InferContext& c) {
  require(!c.in_shapes.empty(), "cond: expected a condition, given no inputs");
  if (!all_known(c)) return;
  check_predicate("cond", "the condition", c.in_shapes[0], c.in_dtypes[0]);
  const ProgramRef yes = branch_program(c.attrs, true, c.in_shapes, c.in_dtypes);
  const ProgramRef no = branch_program(c.attrs, false, c.in_shapes, c.in_dtypes);
  const Graph &a = yes->graph(), &b = no->graph();
  for (size_t i = 0; i < c.out_shapes.size(); ++i) {
    const Entry x = a.outputs[i], y = b.outputs[i];
    require(a.shape(x) == b.shape(y) && a.dtype(x) == b.dtype(y), "cond: ", value_name(a, i),
            " is ", type_text(a.shape(x), a.dtype(x)), " in one branch and ",
            type_text(b.shape(y), b.dtype(y)), " in the other; both must agree");
    set_output(c, i, a.shape(x), a.dtype(x));
  }
}

void infer_while(InferContext& c) {
  const auto carried = static_cast<size_t>(c.attrs.integer("carried"));
  require(c.in_shapes.size() >= carried, "while_loop: expected ", carried,
          " carried values, given ", c.in_shapes.size(), " inputs");
  if (!all_known(c)) return;
  const LoopPrograms loop = while_programs(c.attrs, c.in_shapes, c.in_dtypes);
  const Graph& condition = loop.condition->graph();
  check_predicate("while_loop", "the condition", condition.shape(condition.outputs[0]),
                  condition.dtype(condition.outputs[0]));
  const Graph& body = loop.body->graph();
  const size_t steps = body.outputs.size() - carried;
  check_carried(c, body, steps, 0, carried);
  for (size_t i = 0; i < body.outputs.size(); ++i) {
    const Entry e = body.outputs[i];
    Shape shape = body.shape(e);
    if (i < steps) shape = stacked_shape(c.attrs.integer("max_iterations"), shape);
    set_output(c, i, shape, body.dtype(e));
  }
}

void infer_foreach(InferContext& c) {
  const auto data = static_cast<size_t>(c.attrs.integer("data"));
  const auto carried = static_cast<size_t>(c.attrs.integer("carried"));
  require(c.in_shapes.size() >= data + carried, "foreach: expected ", data, " arrays and ", carried,
          " carried values, given ", c.in_shapes.size(), " inputs");
  if (!all_known(c)) return;
  const int64_t count = foreach_steps(c.attrs, c.in_shapes);
  const LoopPrograms loop = foreach_programs(c.attrs, c.in_shapes, c.in_dtypes);
  const Graph& body = loop.body->graph();
  const size_t steps = body.outputs.size() - carried;
  check_carried(c, body, steps, data, carried);
  for (size_t i = 0; i < body.outputs.size(); ++i) {
    const Entry e = body.outputs[i];
    Shape shape = body.shape(e);
    if (i < steps) shape = stacked_shape(count, shape);
    set_output(c, i, shape, body.dtype(e));
  }
}

int outputs_of(const Attrs& attrs, const char* body) {
  return static_cast<int>(attrs.subgraph(body).graph().outputs.size());
}

// FLOP so that the estimated time is that of the programs; a while loop counts as long, so that no
// caller runs it itself.
constexpr double kFlopPerNs = 1.5;
constexpr double kLongNs = 1e8;
constexpr double kCondNs = 1e5;

constexpr double kNodeNs = 60;

double foreach_flops(const Attrs& attrs, const std::vector<Shape>& in, const std::vector<Shape>&) {
  const auto& body = static_cast<const Body&>(attrs.subgraph("body"));
  const double least = static_cast<double>(body.graph().nodes.size()) * kNodeNs;
  const double step = least + body.cost_ns(foreach_step_shapes(attrs, in));
  return static_cast<double>(foreach_steps(attrs, in)) * step * kFlopPerNs;
}

double cond_flops(const Attrs& attrs, const std::vector<Shape>& in, const std::vector<Shape>&) {
  const Shapes shapes(in.begin() + 1, in.end());
  double longest = kCondNs;
  for (const char* name : {"then", "else"}) {
    const auto& body = static_cast<const Body&>(attrs.subgraph(name));
    longest = std::max(longest, body.cost_ns(shapes));
  }
  return longest * kFlopPerNs;
}

OpDef base(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.doc = doc;
  def.inputs = {{"data", "what the bodies read"}};
  def.variadic = true;
  def.dtypes = ~DTypeSet{0};
  return def;
}

// Not in the table: no face takes a graph as an attribute.
OpDef finished(OpDef def) {
  def.control_flow = true;
  for (const AttrDef& a : def.attrs) {
    def.defaults.push_back(a.default_text ? parse_attr(a.type, a.default_text, def.name)
                                          : AttrValue());
  }
  return def;
}

}  // namespace

const OpDef& cond_op() {
  static const OpDef& op = *new OpDef([] {
    OpDef def = base("cond", "One of two branches, chosen by a value when it runs.");
    def.attrs = {{"then", AttrType::graph, nullptr, "run when the condition holds"},
                 {"else", AttrType::graph, nullptr, "run otherwise"}};
    def.num_outputs_fn = [](const Attrs& a) { return outputs_of(a, "then"); };
    def.infer = infer_cond;
    def.cpu = run_cond;
    def.gradient = cond_gradient;
    def.flops = cond_flops;
    def.device_kernels = cond_kernels;
    return finished(std::move(def));
  }());
  return op;
}

const OpDef& while_loop_op() {
  static const OpDef& op = *new OpDef([] {
    OpDef def = base("while_loop", "The body again and again while the condition holds.");
    def.attrs = {
        {"condition", AttrType::graph, nullptr, "one element: go on?"},
        {"body", AttrType::graph, nullptr, "one step"},
        {"carried", AttrType::integer, nullptr, "number of carried values"},
        {"max_iterations", AttrType::integer, "-1", "at most so many steps; -1: no limit"},
        {"must_end", AttrType::boolean, "False", "an error when the condition holds after those"}};
    def.num_outputs_fn = [](const Attrs& a) { return outputs_of(a, "body"); };
    def.infer = infer_while;
    def.cpu = run_while_loop;
    def.gradient = loop_gradient;
    def.flops = [](const Attrs&, const std::vector<Shape>&, const std::vector<Shape>&) {
      return kLongNs * kFlopPerNs;
    };
    def.device_kernels = while_kernels;
    return finished(std::move(def));
  }());
  return op;
}

const OpDef& foreach_op() {
  static const OpDef& op = *new OpDef([] {
    OpDef def = base("foreach", "The body once for every row of the data, or a counted loop.");
    def.attrs = {{"body", AttrType::graph, nullptr, "one step"},
                 {"data", AttrType::integer, nullptr, "number of arrays walked through"},
                 {"carried", AttrType::integer, nullptr, "number of carried values"},
                 {"steps", AttrType::integer, "-1", "number of steps; -1: rows of the data"},
                 {"counter", AttrType::boolean, "False", "the body's first input counts"},
                 {"start", AttrType::integer, "0", "first value of the counter"},
                 {"step", AttrType::integer, "1", "its increment"},
                 {"nd_rows", AttrType::boolean, "False",
                  "rows of one-dimensional arrays have shape (1,), as MXNet's"}};
    def.num_outputs_fn = [](const Attrs& a) { return outputs_of(a, "body"); };
    def.infer = infer_foreach;
    def.cpu = run_foreach;
    def.gradient = loop_gradient;
    def.flops = foreach_flops;
    def.device_kernels = foreach_kernels;
    return finished(std::move(def));
  }());
  return op;
}

Attrs cond_attrs(std::shared_ptr<const Body> then_branch, std::shared_ptr<const Body> else_branch) {
  const Graph &a = then_branch->graph(), &b = else_branch->graph();
  require(a.inputs.size() == b.inputs.size() && a.outputs.size() == b.outputs.size(),
          "cond: the branches take ", a.inputs.size(), " and ", b.inputs.size(),
          " values and give ", a.outputs.size(), " and ", b.outputs.size());
  Attrs attrs(&cond_op());
  attrs.set("then", SubgraphRef{std::move(then_branch)});
  attrs.set("else", SubgraphRef{std::move(else_branch)});
  return attrs;
}

Attrs while_loop_attrs(std::shared_ptr<const Body> condition, std::shared_ptr<const Body> body,
                       int64_t carried, int64_t max_iterations, bool must_end) {
  const size_t outputs = body->graph().outputs.size();
  require(condition->graph().outputs.size() == 1, "while_loop: the condition gives ",
          condition->graph().outputs.size(), " values, expected one");
  require(static_cast<int64_t>(outputs) >= carried, "while_loop: the body gives ", outputs,
          " values, expected at least the ", carried, " carried ones");
  require(max_iterations >= 0 || static_cast<int64_t>(outputs) == carried,
          "while_loop: outputs of every step need max_iterations");
  Attrs attrs(&while_loop_op());
  attrs.set("condition", SubgraphRef{std::move(condition)});
  attrs.set("body", SubgraphRef{std::move(body)});
  attrs.set("carried", carried);
  attrs.set("max_iterations", max_iterations);
  attrs.set("must_end", must_end);
  return attrs;
}

Attrs foreach_attrs(std::shared_ptr<const Body> body, int64_t data, int64_t carried,
                    Counter counter) {
  const size_t outputs = body->graph().outputs.size();
  require(static_cast<int64_t>(outputs) >= carried, "foreach: the body gives ", outputs,
          " values, expected at least the ", carried, " carried ones");
  require(data > 0 || counter.steps >= 0, "foreach: expected data or a number of steps");
  Attrs attrs(&foreach_op());
  attrs.set("body", SubgraphRef{std::move(body)});
  attrs.set("data", data);
  attrs.set("carried", carried);
  attrs.set("steps", counter.steps);
  attrs.set("counter", counter.used);
  attrs.set("start", counter.start);
  attrs.set("step", counter.step);
  return attrs;
}

}  // namespace hybrid
