// RNN: vanilla recurrent layers, LSTM and GRU, and their gradient.
#include <cstring>

#include "ops/differentiable_once.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/rnn_layers.h"
#include "ops/states.h"

namespace hybrid {

namespace {

// Inputs by position; the optional ones follow.
constexpr int kData = 0, kParameters = 1, kState = 2;
constexpr const char* kUnlessLstm = "mode!lstm";

RnnMode mode_of(const Attrs& attrs) {
  const std::string& mode = attrs.string("mode");
  return mode == "lstm"       ? RnnMode::lstm
         : mode == "gru"      ? RnnMode::gru
         : mode == "rnn_tanh" ? RnnMode::tanh
                              : RnnMode::relu;
}

// All but steps, batch and input.
RnnShape sizes_of(const Attrs& attrs) {
  const char* op = attrs.op()->name;
  RnnShape s;
  s.mode = mode_of(attrs);
  s.hidden = attrs.integer("state_size");
  s.layers = attrs.integer("num_layers");
  require(s.hidden > 0 && s.layers > 0, op, ": given state_size ", s.hidden, " and num_layers ",
          s.layers, ", expected at least 1 of each");
  s.directions = attrs.boolean("bidirectional") ? 2 : 1;
  s.lengths = attrs.boolean("use_sequence_length");
  s.p = attrs.real("p");
  require(s.p >= 0 && s.p <= 1, op, ": given p ", s.p, ", expected 0 to 1");
  const bool lstm = s.mode == RnnMode::lstm;
  if (attrs.has("projection_size")) {
    s.projection = attrs.integer("projection_size");
    require(lstm && s.projection > 0, op, ": given projection_size ", s.projection, " and mode ",
            attrs.string("mode"), ", expected a size above 0, and mode lstm");
  }
  const bool low = attrs.has("lstm_state_clip_min"), high = attrs.has("lstm_state_clip_max");
  require(low == high, op,
          ": given one of lstm_state_clip_min and lstm_state_clip_max, expected "
          "both or none");
  s.clips = lstm && low;
  if (s.clips) {
    s.clip_min = attrs.real("lstm_state_clip_min");
    s.clip_max = attrs.real("lstm_state_clip_max");
    s.clip_nan = attrs.boolean("lstm_state_clip_nan");
    require(s.clip_min <= s.clip_max, op, ": given lstm_state_clip_min ", s.clip_min,
            " above lstm_state_clip_max ", s.clip_max);
  }
  return s;
}

RnnShape shape_of(const Attrs& attrs, const Shape& data) {
  RnnShape s = sizes_of(attrs);
  s.steps = data[0];
  s.batch = data[1];
  s.input = data[2];
  return s;
}

bool is_lstm(const Attrs& attrs) { return mode_of(attrs) == RnnMode::lstm; }

// Position of sequence_length among the inputs when `first` comes before the optional ones.
int lengths_at(const Attrs& attrs, int first, int for_lstm) {
  return first + (is_lstm(attrs) ? for_lstm : 0);
}

void infer_rnn(InferContext& c) {
  const RnnShape sizes = sizes_of(c.attrs);
  const bool lstm = sizes.mode == RnnMode::lstm;
  std::vector<size_t> floats = {kData, kParameters, kState};
  if (lstm) floats.push_back(3);
  DType dtype = DType::unknown;
  for (size_t i : floats) dtype = dtype == DType::unknown ? c.in_dtypes[i] : dtype;
  for (size_t i : floats) expect_dtype(c, i, dtype);
  for (size_t i = 0; i < c.out_dtypes.size(); ++i) set_dtype(c, i, dtype);
  const auto at = static_cast<size_t>(lengths_at(c.attrs, 3, 1));
  if (sizes.lengths && c.in_dtypes[at] == DType::unknown) c.in_dtypes[at] = DType::float32;
  expect_rank(c, kData, 3, "steps, batch, input");
  if (!c.in_shapes[kData].rank_known()) return;
  const Shape data = c.in_shapes[kData];
  RnnShape s = shape_of(c.attrs, data);
  const int64_t states = s.layers * s.directions;
  require(s.layers < (int64_t{1} << 40), c.op_name, ": given num_layers ", s.layers);
  expect_shape(c, kState, {states, s.batch, s.state()});
  if (lstm) expect_shape(c, 3, {states, s.batch, s.hidden});
  if (sizes.lengths) expect_shape(c, at, {s.batch});
  set_shape(c, 0, {s.steps, s.batch, s.width()});
  set_shape(c, 1, {states, s.batch, s.state()});
  if (lstm) set_shape(c, 2, {states, s.batch, s.hidden});
  if (s.input < 0) return;
  expect_shape(c, kParameters, {rnn_parameters(s)});
  if (!data.known()) return;
  set_shape(c, c.out_shapes.size() - 1, {rnn_reserve(s)});
}

int count_outputs(const Attrs& attrs) { return is_lstm(attrs) ? 4 : 3; }

int count_shown(const Attrs& attrs) {
  return attrs.boolean("state_outputs") ? count_outputs(attrs) - 1 : 1;
}

// As whole numbers within the sequence.
std::vector<int64_t> lengths_of(const TensorView& given, int64_t steps) {
  const IndexReader read(given);
  std::vector<int64_t> lengths(static_cast<size_t>(given.size()));
  for (size_t n = 0; n < lengths.size(); ++n) {
    lengths[n] = read[static_cast<int64_t>(n)];
    require(lengths[n] >= 0 && lengths[n] <= steps, "RNN: given sequence_length ", lengths[n],
            ", expected 0 to ", steps);
  }
  return lengths;
}

RnnArrays arrays_of(const KernelContext& c) {
  RnnArrays a;
  a.dtype = c.in[kData].dtype;
  a.data = c.in[kData].data;
  a.parameters = c.in[kParameters].data;
  a.state = c.in[kState].data;
  return a;
}

void run_rnn(KernelContext& c) {
  const RnnShape s = shape_of(c.attrs, c.in[kData].shape);
  const bool lstm = s.mode == RnnMode::lstm;
  RnnArrays a = arrays_of(c);
  if (lstm) a.cell = c.in[3].data;
  std::vector<int64_t> lengths;
  if (s.lengths) lengths = lengths_of(c.in[lengths_at(c.attrs, 3, 1)], s.steps);
  a.lengths = lengths.data();
  a.output = c.out[0].data;
  a.reserve = c.out[c.num_out - 1].data;
  RnnResults last;
  last.state = c.out[1].data;
  if (lstm) last.cell = c.out[2].data;
  rnn_forward(s, a, last, c.key, c.resources);
}

// --- rnn_grad -----------------------------------------------------------------------------------

constexpr int kOutput = 3, kReserve = 4, kGrad = 5, kStateGrad = 6, kCell = 7, kCellGrad = 8;

void grad_rnn(GradBuilder& b) {
  const Attrs& given = b.attrs();
  Attrs attrs(get_op("rnn_grad"));
  for (const AttrDef& def : attrs.op()->attrs) attrs.set(def.name, given.at(def.name));
  const bool lstm = is_lstm(given);
  const int reserve = b.num_outputs() - 1;
  std::vector<Entry> inputs = {b.input(kData), b.input(kParameters), b.input(kState),
                               b.output(0),    b.output(reserve),    b.out_grad(0),
                               b.out_grad(1)};
  if (lstm) {
    inputs.push_back(b.input(3));
    inputs.push_back(b.out_grad(2));
  }
  if (given.boolean("use_sequence_length")) inputs.push_back(b.input(lengths_at(given, 3, 1)));
  const Entry first = b.op("rnn_grad", inputs, attrs);
  for (int i = 0; i < (lstm ? 4 : 3); ++i) {
    if (b.wanted(i)) b.set(i, {first.node, i});
  }
}

void infer_rnn_grad(InferContext& c) {
  const int count = is_lstm(c.attrs) ? 4 : 3;
  for (int i = 0; i < count; ++i) {
    const auto from = static_cast<size_t>(i == 3 ? kCell : i);
    set_shape(c, static_cast<size_t>(i), c.in_shapes[from]);
    set_dtype(c, static_cast<size_t>(i), c.in_dtypes[from]);
  }
}

void run_rnn_grad(KernelContext& c) {
  const RnnShape s = shape_of(c.attrs, c.in[kData].shape);
  const bool lstm = s.mode == RnnMode::lstm;
  RnnArrays a = arrays_of(c);
  a.output = c.in[kOutput].data;
  a.reserve = c.in[kReserve].data;
  if (lstm) a.cell = c.in[kCell].data;
  std::vector<int64_t> lengths;
  if (s.lengths) lengths = lengths_of(c.in[lengths_at(c.attrs, kCell, 2)], s.steps);
  a.lengths = lengths.data();
  RnnGradients g;
  g.output = c.in[kGrad].data;
  g.last_state = c.in[kStateGrad].data;
  g.data = c.out[kData].data;
  g.parameters = c.out[kParameters].data;
  g.state = c.out[kState].data;
  if (lstm) {
    g.last_cell = c.in[kCellGrad].data;
    g.cell = c.out[3].data;
  }
  rnn_backward(s, a, g, c.resources);
}

double rnn_flops(const Attrs& attrs, const std::vector<Shape>& in, const std::vector<Shape>&) {
  const RnnShape s = shape_of(attrs, in[kData]);
  return 2.0 * static_cast<double>(s.rows()) * static_cast<double>(in[kParameters].size());
}

double rnn_grad_flops(const Attrs& attrs, const std::vector<Shape>& in,
                      const std::vector<Shape>& out) {
  return 2 * rnn_flops(attrs, in, out);
}

std::vector<AttrDef> rnn_attrs() {
  return {{"state_size", AttrType::integer, nullptr, "numbers of a layer's state"},
          {"num_layers", AttrType::integer, nullptr, "layers, one on the output of the other"},
          {"bidirectional", AttrType::boolean, "False",
           "every layer runs forward and backward; its output is both"},
          {"mode", AttrType::string, nullptr, "kind of the cells", "rnn_relu|rnn_tanh|lstm|gru"},
          {"p", AttrType::real, "0.0", "dropout in training, of what a layer gives the next"},
          {"state_outputs", AttrType::boolean, "False", "the last states are results too"},
          {"projection_size", AttrType::integer, "None",
           "LSTM's h is projected to so many numbers (Sak et al. 2014)"},
          {"lstm_state_clip_min", AttrType::real, "None", "LSTM's cells are kept above it"},
          {"lstm_state_clip_max", AttrType::real, "None", "and below it"},
          {"lstm_state_clip_nan", AttrType::boolean, "False",
           "with these limits: a cell that is not a number becomes the least"},
          {"use_sequence_length", AttrType::boolean, "False",
           "every sequence has its own length; beyond it the output is 0, the state stays"}};
}

}  // namespace

void register_rnn() {
  OpDef rnn;
  rnn.name = "RNN";
  rnn.family = Family::linear;
  rnn.doc =
      "Recurrent layers: vanilla (h = f(W x + b + U h + c), f relu or tanh), LSTM (Hochreiter and "
      "Schmidhuber 1997, gates i, f, g, o) or GRU (Cho et al. 2014, gates r, z, n, with r on U h + "
      "c). Data (steps, batch, input) gives (steps, batch, directions * state_size) and, with "
      "state_outputs, the last states. parameters: all matrices (i2h, h2h, LSTM's projection) by "
      "layer and direction, then all biases (i2h, h2h). MXNet's RNN.";
  rnn.inputs = {{"data", "(steps, batch, input)"},
                {"parameters", "weights and biases in one row"},
                {"state", "first h, (layers * directions, batch, state_size or projection_size)"},
                {"state_cell", "LSTM's first cells, (layers * directions, batch, state_size)", true,
                 kUnlessLstm},
                {"sequence_length", "(batch,)", false, "!use_sequence_length"}};
  rnn.attrs = rnn_attrs();
  rnn.num_outputs_fn = count_outputs;
  rnn.infer = infer_rnn;
  rnn.cpu = run_rnn;
  rnn.gradient = grad_rnn;
  rnn.random = true;
  rnn.drops_in_training = true;
  rnn.flops = rnn_flops;
  OpDef grad = rnn;
  StatesDef shown;
  shown.num_visible = count_shown;
  shown.output_names = {"output", "state_output", "statecell_output", "reserve"};
  add_states(add_op(std::move(rnn)), std::move(shown));

  grad.name = "rnn_grad";
  grad.doc = "The gradients of RNN by data, parameters, state and LSTM's state_cell.";
  grad.inputs = {{"data", "RNN's"},
                 {"parameters", "RNN's"},
                 {"state", "RNN's"},
                 {"output", "RNN's result"},
                 {"reserve", "what RNN kept for this"},
                 {"grad", "gradient of the result"},
                 {"grad_state", "gradient of the last h"},
                 {"state_cell", "RNN's", true, kUnlessLstm},
                 {"grad_cell", "gradient of the last cells", true, kUnlessLstm},
                 {"sequence_length", "RNN's", false, "!use_sequence_length"}};
  grad.num_outputs_fn = [](const Attrs& attrs) { return is_lstm(attrs) ? 4 : 3; };
  grad.infer = infer_rnn_grad;
  grad.cpu = run_rnn_grad;
  grad.gradient = differentiable_once;
  grad.random = false;
  grad.drops_in_training = false;
  grad.flops = rnn_grad_flops;
  add_op(std::move(grad));
}

}  // namespace hybrid
