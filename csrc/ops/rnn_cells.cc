#include "ops/rnn_cells.h"

#include "ops/emit.h"

namespace hybrid {

namespace {

using Value = Emitter::Value;

// Formulas over inputs of one dtype; results are named in order.
class Formulas {
 public:
  Formulas(ElemProgram* program, DType dtype)
      : program_(program), dtype_(dtype), emit_(&program->instrs) {}

  Value input() {
    program_->inputs.push_back(dtype_);
    return Emitter::input(static_cast<int>(program_->inputs.size()) - 1);
  }
  std::vector<Value> inputs(int64_t count) {
    std::vector<Value> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(input());
    return values;
  }
  void result(const Value& v) { program_->outputs.push_back(v.operand.index); }

  Value add(Value a, Value b) { return emit_.op(ElemCode::add, dtype_, a, b); }
  Value sub(Value a, Value b) { return emit_.op(ElemCode::sub, dtype_, a, b); }
  Value mul(Value a, Value b) { return emit_.op(ElemCode::mul, dtype_, a, b); }
  Value apply(ElemCode code, Value a, Value b = {}) { return emit_.op(code, dtype_, a, b); }
  Value sum(Value a, Value b, Value c) { return add(add(a, b), c); }
  Value from_one(Value a) { return sub(Emitter::number(1.0), a); }
  // Of the value that went in, given what came out.
  Value sigmoid_slope(Value y) { return mul(y, from_one(y)); }
  Value tanh_slope(Value y) { return from_one(mul(y, y)); }
  Value test(ElemCode code, Value a, Value b) {
    return emit_.test(code, dtype_, DType::boolean, a, b);
  }
  Value where(Value condition, Value yes, Value no) {
    return emit_.select(dtype_, condition, yes, no);
  }
  Value number(double x) { return emit_.fill(dtype_, Emitter::number(x)); }

 private:
  ElemProgram* program_;
  DType dtype_;
  Emitter emit_;
};

Value clipped(const RnnShape& s, Formulas* f, Value c) {
  if (!s.clips) return c;
  const Value low = f->number(s.clip_min), high = f->number(s.clip_max);
  // A comparison with NaN is false.
  const Value above = f->where(f->test(ElemCode::lesser, c, low), low, c);
  const Value both = f->where(f->test(ElemCode::greater, above, high), high, above);
  if (!s.clip_nan) return both;
  return f->where(f->test(ElemCode::equal, both, both), both, low);
}

void lstm_forward(const RnnShape& s, Formulas* f) {
  const auto x = f->inputs(4), h = f->inputs(4), bias = f->inputs(4);
  const Value before = f->input();
  const auto gate = [&](size_t k, ElemCode code) {
    return f->apply(code, f->sum(x[k], h[k], bias[k]));
  };
  const Value i = gate(0, ElemCode::sigmoid), forget = gate(1, ElemCode::sigmoid);
  const Value g = gate(2, ElemCode::tanh), o = gate(3, ElemCode::sigmoid);
  const Value c = clipped(s, f, f->add(f->mul(forget, before), f->mul(i, g)));
  const Value out = f->mul(o, f->apply(ElemCode::tanh, c));
  for (const Value& v : {i, forget, g, o, c, out}) f->result(v);
}

void gru_forward(Formulas* f) {
  const auto x = f->inputs(3), h = f->inputs(3), bias = f->inputs(4);
  const Value before = f->input();
  const Value r = f->apply(ElemCode::sigmoid, f->sum(x[0], h[0], bias[0]));
  const Value z = f->apply(ElemCode::sigmoid, f->sum(x[1], h[1], bias[1]));
  const Value part = f->add(h[2], bias[3]);
  const Value n = f->apply(ElemCode::tanh, f->sum(x[2], bias[2], f->mul(r, part)));
  const Value out = f->add(f->mul(f->from_one(z), n), f->mul(z, before));
  for (const Value& v : {r, z, n, part, out}) f->result(v);
}

void plain_forward(const RnnShape& s, Formulas* f) {
  const Value x = f->input(), h = f->input(), bias = f->input();
  const ElemCode code = s.mode == RnnMode::relu ? ElemCode::relu : ElemCode::tanh;
  f->result(f->apply(code, f->sum(x, h, bias)));
}

void lstm_backward(const RnnShape& s, Formulas* f, Value grad) {
  const auto gates = f->inputs(4);
  const Value c = f->input(), before = f->input(), later = f->input();
  const Value i = gates[0], forget = gates[1], g = gates[2], o = gates[3];
  const Value t = f->apply(ElemCode::tanh, c);
  const Value by_o = f->mul(f->mul(grad, t), f->sigmoid_slope(o));
  Value by_c = f->add(later, f->mul(f->mul(grad, o), f->tanh_slope(t)));
  if (s.clips) {  // nothing flows to what was cut off
    const Value zero = f->number(0);
    by_c = f->where(f->test(ElemCode::greater, c, f->number(s.clip_min)), by_c, zero);
    by_c = f->where(f->test(ElemCode::lesser, c, f->number(s.clip_max)), by_c, zero);
  }
  f->result(f->mul(f->mul(by_c, g), f->sigmoid_slope(i)));
  f->result(f->mul(f->mul(by_c, before), f->sigmoid_slope(forget)));
  f->result(f->mul(f->mul(by_c, i), f->tanh_slope(g)));
  f->result(by_o);
  f->result(f->mul(by_c, forget));
}

void gru_backward(Formulas* f, Value grad) {
  const auto gates = f->inputs(3);
  const Value part = f->input(), before = f->input();
  const Value r = gates[0], z = gates[1], n = gates[2];
  const Value by_n = f->mul(f->mul(grad, f->from_one(z)), f->tanh_slope(n));
  f->result(f->mul(f->mul(by_n, part), f->sigmoid_slope(r)));
  f->result(f->mul(f->mul(grad, f->sub(before, n)), f->sigmoid_slope(z)));
  f->result(by_n);
  f->result(f->mul(by_n, r));
  f->result(f->mul(grad, z));
}

void plain_backward(const RnnShape& s, Formulas* f, Value grad) {
  const Value h = f->input();
  if (s.mode == RnnMode::tanh) {
    f->result(f->mul(grad, f->tanh_slope(h)));
  } else {
    const Value zero = f->number(0);
    f->result(f->where(f->test(ElemCode::greater, h, zero), grad, zero));
  }
}

}  // namespace

TensorView rnn_window(DType dtype, const void* data, int64_t rows, int64_t columns,
                      int64_t stride) {
  TensorView view;
  view.data = const_cast<void*>(data);
  view.dtype = dtype;
  view.shape = {rows, columns};
  view.strides = {stride, 1};
  return view;
}

void rnn_combine(ElemCode code, const TensorView& a, const TensorView& b, const TensorView& out,
                 Resources& resources) {
  if (out.size() == 0) return;
  ElemProgram program;
  Formulas f(&program, a.dtype);
  f.result(f.apply(code, f.input(), f.input()));
  const TensorView in[] = {a, b};
  run_elementwise(program, in, &out, resources);
}

constexpr size_t kAligned = 64;  // bytes

RnnScratch::RnnScratch(DType dtype, int64_t elements, int parts, Resources& resources)
    : item_(dtype_size(dtype)) {
  const size_t bytes =
      static_cast<size_t>(elements) * item_ + static_cast<size_t>(parts) * kAligned;
  data_ = static_cast<char*>(resources.workspace(bytes));
}

char* RnnScratch::take(int64_t elements) {
  char* const taken = data_ + used_;
  used_ += (static_cast<size_t>(elements) * item_ + kAligned - 1) / kAligned * kAligned;
  return taken;
}

RnnProgram rnn_forward_program(const RnnShape& s, DType dtype) {
  RnnProgram made;
  Formulas f(&made.program(), dtype);
  if (s.mode == RnnMode::lstm) {
    lstm_forward(s, &f);
  } else if (s.mode == RnnMode::gru) {
    gru_forward(&f);
  } else {
    plain_forward(s, &f);
  }
  return made;
}

RnnProgram rnn_backward_program(const RnnShape& s, DType dtype, int gradients) {
  RnnProgram made;
  Formulas f(&made.program(), dtype);
  Value grad = f.input();
  if (gradients == 2) grad = f.add(grad, f.input());
  if (s.mode == RnnMode::lstm) {
    lstm_backward(s, &f, grad);
  } else if (s.mode == RnnMode::gru) {
    gru_backward(&f, grad);
  } else {
    plain_backward(s, &f, grad);
  }
  return made;
}

}  // namespace hybrid
