#include "kernels/elem_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/error.h"
#include "engine/float_flags.h"
#include "kernels/scratch.h"

namespace hybrid {
namespace {

constexpr int64_t kRegisterBytes = 8192;  // of one block register: 2048 floats
constexpr int64_t kMinRegisterBytes = 2048;
constexpr int64_t kBlockBudget = 28 << 10;  // of the first-level cache
constexpr int64_t kMinRow = 256;            // elements: shorter rows are copied together
constexpr int64_t kMinRepeatBytes = 384;    // of one element: shorter runs are copied together
constexpr int64_t kRegisterGap = 192;       // so that registers do not share cache sets

DType own_result(const ElemInstr& q) {
  if (q.code == ElemCode::cast) return q.out_dtype;
  return elem_result(q.code, q.dtype);
}

// The dtype an instruction wants of its operand number k.
DType wanted(const ElemInstr& q, int k) {
  return q.code == ElemCode::where && k == 0 ? DType::boolean : q.dtype;
}

int type_index(DType dtype, const char* what) {
  const int index = elem_type(dtype);
  require(index >= 0, "elementwise: ", what, " of dtype ", dtype_name(dtype), ", expected one of ",
          dtype_set_names(kAllComputed));
  return index;
}

bool overlap(const TensorView& a, const TensorView& b, int64_t count) {
  // Bytes from the first to the last element, at least; windows have no negative strides here
  // unless strided, in which case only equal starts matter (the contract).
  const char* pa = static_cast<const char*>(a.data);
  const char* pb = static_cast<const char*>(b.data);
  const int64_t bytes_a = count * static_cast<int64_t>(dtype_size(a.dtype));
  const int64_t bytes_b = count * static_cast<int64_t>(dtype_size(b.dtype));
  return pa < pb + bytes_b && pb < pa + bytes_a;
}

bool is_kept(const ElemBinding& binding, int output) {
  return static_cast<size_t>(output) < binding.kept.size() &&
         binding.kept[static_cast<size_t>(output)];
}

}  // namespace

ElemInstr cheaper(ElemInstr q) {
  if (q.b.kind != ElemOperand::immediate) return q;
  const bool real = q.dtype == DType::float32 || q.dtype == DType::float64;
  if (real && q.code == ElemCode::div) {
    int exponent = 0;
    constexpr int kMost = 100;  // of either type's normal numbers
    if (std::fabs(std::frexp(q.imm, &exponent)) != 0.5 || std::abs(exponent) > kMost) return q;
    q.code = ElemCode::mul;
    q.imm = 1 / q.imm;
  } else if ((q.code == ElemCode::mod || q.code == ElemCode::floor_div) && is_integer(q.dtype)) {
    const uint64_t divisor = static_cast<uint64_t>(q.imm_int);
    const size_t bits = 8 * dtype_size(q.dtype) - 1;
    if (q.imm_int <= 0 || (divisor & (divisor - 1)) != 0 || divisor >> bits != 0) return q;
    const bool rest = q.code == ElemCode::mod;
    q.code = rest ? ElemCode::bit_and : ElemCode::shift_right;
    q.imm_int = rest ? q.imm_int - 1 : __builtin_ctzll(divisor);
  }
  return q;
}

int32_t ElemPlan::add_slot(ElemSlot slot) {
  slots_.push_back(slot);
  spread_of_.push_back(-1);
  return static_cast<int32_t>(slots_.size()) - 1;
}

int32_t ElemPlan::new_register(int64_t item) {
  ElemSlot slot;
  slot.kind = ElemSlot::scratch;
  slot.item = static_cast<int32_t>(item);
  if (free_registers_.empty()) {
    slot.reg = num_registers_++;
  } else {
    slot.reg = free_registers_.back();
    free_registers_.pop_back();
  }
  return add_slot(slot);
}

int32_t ElemPlan::constant(DType dtype, double real, int64_t integer) {
  Constant bits{};
  switch (dtype) {
    case DType::float32:
    case DType::complex64: {
      const float x = static_cast<float>(real);
      std::memcpy(&bits.low, &x, sizeof x);
      break;
    }
    case DType::float64:
    case DType::complex128:
      std::memcpy(&bits.low, &real, sizeof real);
      break;
    case DType::boolean:
      bits.low = integer != 0 || real != 0;
      break;
    default:
      bits.low = static_cast<uint64_t>(integer);  // little-endian: the low bytes come first
  }
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  if (!is_floating(dtype) && !is_complex(dtype)) bits.low <<= 8 * (8 - dtype_size(dtype));
#endif
  constants_.push_back(bits);  // reserved: earlier addresses stay valid
  ElemSlot slot;
  slot.kind = ElemSlot::one;
  slot.item = static_cast<int32_t>(dtype_size(dtype));
  slot.data = reinterpret_cast<char*>(&constants_.back());
  return add_slot(slot);
}

int32_t ElemPlan::spread(int32_t slot) {
  if (slots_[slot].kind != ElemSlot::one) return slot;
  if (spread_of_[slot] < 0) {
    const int32_t item = slots_[slot].item;
    ElemSlot full;
    full.item = item;
    full.reg = num_registers_++;  // never freed: filled once for all blocks
    spread_of_[slot] = add_slot(full);
    (slots_[slot].varies ? row_fills_ : fills_)
        .push_back({elem_table().repeat[item], slot, -1, -1, spread_of_[slot]});
  }
  return spread_of_[slot];
}

void ElemPlan::use_inputs(const ElemProgram& program, const TensorView* inputs,
                          const Shape& shape) {
  input_slot_.assign(program.inputs.size(), -1);
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const TensorView& v = inputs[i];
    require(v.dtype == program.inputs[i], "elementwise: input ", i, " is ", dtype_name(v.dtype),
            ", the program expects ", dtype_name(program.inputs[i]));
    type_index(v.dtype, "input");
    ElemSlot slot;
    slot.item = static_cast<int32_t>(dtype_size(v.dtype));
    slot.data = static_cast<char*>(v.data);
    slot.memory = static_cast<int32_t>(i);
    if (is_flat(shape, v.strides)) {
      slot.kind = ElemSlot::stream;
      input_slot_[i] = add_slot(slot);
      continue;
    }
    const StridedBlock from(v.data, v.dtype, shape, v.strides);
    if (from.repeats_one()) {
      slot.kind = ElemSlot::one;
      input_slot_[i] = add_slot(slot);
    } else {
      slot.kind = ElemSlot::scratch;
      slot.data = nullptr;
      input_slot_[i] = add_slot(slot);
      loads_.push_back({input_slot_[i], from, false});
    }
  }
}

int32_t ElemPlan::place(const ElemOperand& operand, const ElemInstr& q, DType dtype,
                        const ElemProgram& program) {
  const auto check = [&](DType given) {
    require(given == dtype, "elementwise: ", elem_code_name(q.code), " expects ", dtype_name(dtype),
            ", its operand is ", dtype_name(given));
  };
  switch (operand.kind) {
    case ElemOperand::input:
      check(program.inputs.at(operand.index));
      return input_slot_[operand.index];
    case ElemOperand::temp:
      check(program.instrs.at(operand.index).out_dtype);
      return temp_slot_.at(operand.index);
    case ElemOperand::immediate:
      return constant(dtype, q.imm, q.imm_int);
    default:
      fail("elementwise: ", elem_code_name(q.code), " misses an operand");
  }
}

// Where instruction `index` writes: the output itself when nothing forbids it, else a register.
int32_t ElemPlan::result_slot(int index, DType dtype) {
  if (direct_slot_[index] >= 0) return direct_slot_[index];
  return new_register(static_cast<int64_t>(dtype_size(dtype)));
}

void ElemPlan::release(const ElemOperand& operand, int at) {
  if (operand.kind != ElemOperand::temp || last_use_[operand.index] != at) return;
  last_use_[operand.index] = -1;
  give_back(temp_slot_[operand.index]);
}

void ElemPlan::give_back(int32_t slot) {
  if (slots_[slot].reg >= 0) free_registers_.push_back(slots_[slot].reg);
}

int32_t ElemPlan::cast_to(int32_t slot, DType from, DType to, int32_t out) {
  steps_.push_back({elem_table().cast[type_index(from, "operand")][type_index(to, "result")], slot,
                    -1, -1, out});
  return out;
}

void ElemPlan::add_instr(const ElemProgram& program, int index) {
  const ElemInstr q = cheaper(program.instrs[index]);
  const ElemTable& table = elem_table();
  const int type = type_index(q.dtype, elem_code_name(q.code));
  if (q.code == ElemCode::fill) {
    const int32_t value = constant(q.out_dtype, q.imm, q.imm_int);
    temp_slot_[index] = value;
    if (direct_slot_[index] >= 0) {
      steps_.push_back({table.repeat[slots_[value].item], value, -1, -1, direct_slot_[index]});
    }
    return;
  }
  ElemStep step;
  Repeat repeat = Repeat::none;
  step.a = place(q.a, q, wanted(q, 0), program);
  if (is_unary(q.code)) {
    step.a = spread(step.a);
  } else {
    step.b = place(q.b, q, wanted(q, 1), program);
    if (q.code == ElemCode::where) {
      step.c = spread(place(q.c, q, wanted(q, 2), program));
      step.a = spread(step.a);
      step.b = spread(step.b);
    } else if (slots_[step.b].kind == ElemSlot::one) {
      step.a = spread(step.a);
      repeat = Repeat::right;
    } else if (slots_[step.a].kind == ElemSlot::one) {
      repeat = Repeat::left;
    }
    const BlockFn* const forms = table.code[static_cast<int>(q.code)][type];
    if (repeat != Repeat::none && forms[static_cast<int>(repeat)] == nullptr) {
      repeat = Repeat::none;
      step.a = spread(step.a);
      step.b = spread(step.b);
    }
  }
  const DType own = own_result(q);
  const bool casts = own != q.out_dtype;
  if (q.code == ElemCode::cast) {
    step.fn = table.cast[type][type_index(q.out_dtype, "cast")];
  } else {
    step.fn = table.code[static_cast<int>(q.code)][type][static_cast<int>(repeat)];
    require(step.fn != nullptr, "elementwise: ", elem_code_name(q.code), " of ",
            dtype_name(q.dtype), " is not defined");
  }
  // A register may be reused by the result when elements have one size, not otherwise.
  const ElemOperand* const operands[] = {&q.a, &q.b, &q.c};
  const int64_t item = static_cast<int64_t>(dtype_size(own));
  for (const ElemOperand* o : operands) {
    if (o->kind == ElemOperand::temp && slots_[temp_slot_[o->index]].item == item)
      release(*o, index);
  }
  step.out = casts ? new_register(item) : result_slot(index, own);
  step.check = float_check(q.code, q.dtype);
  steps_.push_back(step);
  for (const ElemOperand* o : operands) release(*o, index);
  int32_t result = step.out;
  if (casts) {
    result = cast_to(step.out, own, q.out_dtype, result_slot(index, q.out_dtype));
    give_back(step.out);
  }
  made(index, result);
}

void ElemPlan::made(int index, int32_t slot) {
  temp_slot_[index] = slot;
  if (last_use_[index] == index) give_back(slot);  // nobody wants it
}

void ElemPlan::save_outputs(const ElemProgram& program, const TensorView* inputs,
                            const TensorView* outputs, const ElemBinding& binding) {
  const int count = static_cast<int>(program.outputs.size());
  const auto same_memory = [&](int o, int i) {
    if (!binding.late) return overlap(outputs[o], inputs[i], size_);
    const auto& shared = binding.shared;
    return std::find(shared.begin(), shared.end(), std::make_pair(o, i)) != shared.end();
  };
  for (int o = 0; o < count; ++o) {
    const int temp = program.outputs[o];
    const TensorView& v = outputs[o];
    require(temp >= 0 && temp < static_cast<int>(program.instrs.size()), "elementwise: output ", o,
            " is instruction ", temp, " of ", program.instrs.size());
    const DType made = program.instrs[temp].out_dtype;
    require(v.dtype == made && v.shape == outputs[0].shape, "elementwise: output ", o, " is ",
            dtype_name(v.dtype), " ", v.shape, ", expected ", dtype_name(made), " ",
            outputs[0].shape);
    const bool flat = is_flat(v.shape, v.strides);
    bool shares = false;      // memory with an input
    bool read_later = false;  // an input in this memory is read after the result is made
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      if (!same_memory(o, static_cast<int>(i))) continue;
      shares = true;
      for (size_t k = static_cast<size_t>(temp) + 1; k < program.instrs.size(); ++k) {
        for (const ElemOperand* p :
             {&program.instrs[k].a, &program.instrs[k].b, &program.instrs[k].c}) {
          read_later =
              read_later || (p->kind == ElemOperand::input && p->index == static_cast<int>(i));
        }
      }
    }
    for (int other = 0; other < count; ++other) {
      read_later = read_later || (other != o && !binding.late && overlap(v, outputs[other], size_));
    }
    const int32_t memory = static_cast<int32_t>(program.inputs.size()) + o;
    const bool past = past_cache_ && flat && !shares && !is_kept(binding, o);
    const StridedBlock to(v.data, v.dtype, v.shape, v.strides);
    if ((flat || has_rows(to)) && !past && !read_later && direct_slot_[temp] < 0) {
      ElemSlot slot;
      slot.item = static_cast<int32_t>(to.item);
      slot.memory = memory;
      if (flat) {
        slot.kind = ElemSlot::stream;
        slot.data = to.data;
      }
      direct_slot_[temp] = add_slot(slot);
      if (!flat) loads_.push_back({direct_slot_[temp], to, true});
    } else {
      saves_.push_back({temp, past, flat, memory, to});
    }
  }
}

// Long rows of an output need not be copied, only found, if blocks end where they do.
bool ElemPlan::has_rows(const StridedBlock& to) {
  if (to.ndim < 2 || to.stride[0] != 1) return false;
  if (row_ == 0 && to.size[0] >= kMinRow) row_ = to.size[0];
  return to.size[0] == row_;
}

// Inputs whose long rows are contiguous, or repeat one element, need not be copied, only found.
void ElemPlan::read_rows_in_place() {
  row_ = 0;
  for (const int64_t stride : {1, 0}) {
    for (const Load& l : loads_) {
      const StridedBlock& s = l.from;
      if (row_ > 0 || s.ndim < 2 || s.stride[0] != stride) continue;
      if (stride == 1 ? s.size[0] >= kMinRow : s.size[0] * s.item >= kMinRepeatBytes) {
        row_ = s.size[0];
      }
    }
  }
  for (Load& l : loads_) {
    const StridedBlock& s = l.from;
    ElemSlot& slot = slots_[l.slot];
    if (row_ > 0 && s.ndim >= 2) {
      l.rows = s.stride[0] == 1 ? s.size[0] == row_ : s.stride[0] == 0 && s.size[0] % row_ == 0;
      if (l.rows && s.stride[0] == 0) {
        slot.kind = ElemSlot::one;
        slot.varies = true;
      }
    }
    // Loaded before the steps of a block: kept all through.
    if (!l.rows) slot.reg = num_registers_++;
  }
}

void ElemPlan::build(const ElemProgram& program, const TensorView* inputs,
                     const TensorView* outputs, const ElemBinding& binding) {
  const int count = static_cast<int>(program.instrs.size());
  const Shape& shape = outputs[0].shape;
  size_ = shape.size();
  num_registers_ = 0;
  slots_.clear();
  spread_of_.clear();
  fills_.clear();
  row_fills_.clear();
  loads_.clear();
  steps_.clear();
  path_steps_.clear();
  path_slots_.clear();
  saves_.clear();
  constants_.clear();
  constants_.reserve(static_cast<size_t>(count) * 3);
  free_registers_.clear();
  temp_slot_.assign(count, -1);
  direct_slot_.assign(count, -1);
  last_use_.assign(count, 0);

  int64_t item = 1, bytes = 0;
  cost_ns_ = 0;
  for (int i = 0; i < count; ++i) {
    const ElemInstr& q = program.instrs[i];
    type_index(q.out_dtype, elem_code_name(q.code));
    last_use_[i] = i;
    for (const ElemOperand* o : {&q.a, &q.b, &q.c}) {
      if (o->kind == ElemOperand::temp) {
        require(o->index >= 0 && o->index < i, "elementwise: instruction ", i, " reads ", o->index);
        last_use_[o->index] = i;
      } else if (o->kind == ElemOperand::input) {
        require(o->index >= 0 && o->index < static_cast<int>(program.inputs.size()),
                "elementwise: instruction ", i, " reads input ", o->index, " of ",
                program.inputs.size());
      }
    }
    item = std::max({item, static_cast<int64_t>(dtype_size(q.out_dtype)),
                     static_cast<int64_t>(dtype_size(q.dtype))});
    cost_ns_ += elem_cost_ns(q.code, q.dtype);
  }
  use_inputs(program, inputs, shape);
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    item = std::max(item, static_cast<int64_t>(slots_[input_slot_[i]].item));
    if (slots_[input_slot_[i]].kind == ElemSlot::stream)
      bytes += size_ * slots_[input_slot_[i]].item;
  }
  for (size_t o = 0; o < program.outputs.size(); ++o) {
    if (is_kept(binding, static_cast<int>(o))) continue;
    bytes += size_ * static_cast<int64_t>(dtype_size(outputs[o].dtype));
  }
  past_cache_ = binding.stores && bytes > last_level_cache_bytes();
  read_rows_in_place();
  save_outputs(program, inputs, outputs, binding);
  for (const Save& s : saves_) last_use_[s.slot] = count;  // kept to the end of the block
  for (int i = 0, end = 0; i < count; i = end) {
    end = path_end(program, i);
    if (end - i == 1) {
      add_instr(program, i);
    } else {
      add_path(program, i, end);
    }
  }
  for (Save& s : saves_) s.slot = spread(temp_slot_[s.slot]);
  // A block of every register and stream at once should fit the first-level cache.
  int64_t blocks = num_registers_, bytes_each = kRegisterBytes;
  for (const ElemSlot& s : slots_) blocks += s.kind == ElemSlot::stream;
  while (bytes_each > kMinRegisterBytes && blocks * bytes_each > kBlockBudget) bytes_each /= 2;
  block_ = bytes_each / item;
}

void ElemPlan::run(int64_t begin, int64_t end, char* const* memory) const {
  thread_local ThreadScratch registers, pointers, path_steps;
  constexpr int64_t kStep = kRegisterBytes + kRegisterGap;
  char* const scratch =
      static_cast<char*>(registers.get(static_cast<size_t>(num_registers_) * kStep));
  char** const at = static_cast<char**>(pointers.get(slots_.size() * sizeof(char*)));
  PathStep* const paths =
      static_cast<PathStep*>(path_steps.get(path_steps_.size() * sizeof(PathStep)));
  std::copy(path_steps_.begin(), path_steps_.end(), paths);
  const auto base = [memory](int32_t number, char* bound) {
    return memory != nullptr && number >= 0 ? memory[number] : bound;
  };
  for (size_t i = 0; i < slots_.size(); ++i) {
    const ElemSlot& s = slots_[i];
    at[i] = s.kind == ElemSlot::scratch ? scratch + s.reg * kStep
            : s.kind == ElemSlot::one   ? base(s.memory, s.data)
                                        : base(s.memory, s.data) + begin * s.item;
  }
  uint32_t floats = engine::float_flags();
  const auto run_step = [this, at, paths, &floats](const ElemStep& s, int64_t n) {
    if (s.fn == nullptr) {
      run_path(s, paths, at, n);
      floats = settle_floats(s.check, {}, floats);
      return;
    }
    const char* const b = s.b < 0 ? nullptr : at[s.b];
    s.fn(at[s.a], b, s.c < 0 ? nullptr : at[s.c], at[s.out], n);
    if (s.check == FloatCheck::none) return;
    const bool one_b = b != nullptr && slots_[s.b].kind == ElemSlot::one;
    const bool one_a = slots_[s.a].kind == ElemSlot::one;
    floats = settle_floats(s.check, {at[s.a], b, at[s.out], one_a, one_b, n}, floats);
  };
  for (const ElemStep& s : fills_) run_step(s, std::min(block_, end - begin));
  bool past_cache = false;
  for (int64_t i = begin; i < end;) {
    int64_t n = std::min(block_, end - i);
    if (row_ > 0) n = std::min(n, row_ - i % row_);
    for (const Load& l : loads_) {
      char* const from = base(slots_[l.slot].memory, l.from.data);
      if (l.rows) {
        at[l.slot] = l.from.address(i, from);
      } else {
        l.from.load(i, n, at[l.slot], from);
      }
    }
    for (const ElemStep& s : row_fills_) run_step(s, n);
    for (const ElemStep& s : steps_) run_step(s, n);
    for (const Save& s : saves_) {
      char* const to = base(s.memory, s.to.data);
      if (!s.flat) {
        s.to.save(i, n, at[s.slot], to);
      } else if (s.past_cache) {
        copy_past_cache(to + i * s.to.item, at[s.slot], n * s.to.item);
        past_cache = true;
      } else {
        std::memcpy(to + i * s.to.item, at[s.slot], static_cast<size_t>(n * s.to.item));
      }
    }
    for (size_t k = 0; k < slots_.size(); ++k) {
      if (slots_[k].kind == ElemSlot::stream) at[k] += n * slots_[k].item;
    }
    i += n;
  }
  if (past_cache) finish_past_cache();
}

}  // namespace hybrid
