#include "program/row_program.h"

#include <algorithm>
#include <unordered_map>

#include "core/error.h"
#include "graph/elem_program.h"
#include "graph/row_kernel.h"
#include "graph/row_reduction.h"
#include "kernels/layout.h"
#include "ops/emit.h"

namespace hybrid {
namespace {

// The elementwise work of one stage on wide values, or on those of one element a row.
struct Piece {
  ElemProgram program;
  std::vector<TensorView> inputs;
  std::vector<int> from;  // memory of every input
  std::vector<int> to;    // of every output
};

class Maker {
 public:
  Maker(const Graph& graph, const Node& kernel, const std::vector<TensorView>& arrays,
        const std::vector<std::pair<int, int>>& shared)
      : graph_(graph),
        kernel_(kernel),
        arrays_(arrays),
        shared_(shared),
        order_(find_row_order(kernel)),
        rows_(find_rows(graph, kernel)),
        made_(std::make_shared<RowKernel>()) {
    for (size_t i = 0; i < kernel.members.size(); ++i) at_.emplace(kernel.members[i].id, i);
    values_.resize(kernel.members.size());
    made_->rows = rows_.rows;
    made_->size = rows_.size;
    made_->num_arrays = static_cast<int>(arrays.size());
    const int last = *std::max_element(order_.stage.begin(), order_.stage.end());
    for (std::vector<Piece>* pieces : {&narrow_, &wide_}) {
      pieces->resize(static_cast<size_t>(last) + 2);
    }
    reductions_.resize(static_cast<size_t>(last) + 2);
  }

  std::shared_ptr<const RowKernel> run() {
    for (size_t i = 0; i < kernel_.members.size(); ++i) add(i);
    for (size_t o = 0; o < kernel_.member_outputs.size(); ++o) add_output(o);
    for (size_t s = 0; s < narrow_.size(); ++s) {
      finish(narrow_[s], false);
      finish(wide_[s], true);
      for (RowPhase& phase : reductions_[s]) made_->phases.push_back(std::move(phase));
    }
    made_->finish();
    return made_;
  }

 private:
  // Where a member's result is. Of one element a row: `shape` and `strides` over those elements.
  struct Value {
    bool wide = false;
    int stage = 0;  // of the piece that makes it
    int temp = -1;  // in that piece; -1: a reduction makes it
    int tile = -1;  // memory that holds it between pieces, when it is needed
    DType dtype = DType::unknown;
    Shape shape, strides;
    size_t source = 0;  // the value that this is a view of, or itself
  };

  const Value* inside(Entry e) const {
    const auto found = at_.find(e.node);
    return found == at_.end() ? nullptr : &values_[values_[found->second].source];
  }

  Piece& piece(bool wide, int stage) {
    return (wide ? wide_ : narrow_)[static_cast<size_t>(stage)];
  }

  int new_tile(bool wide, DType dtype) {
    made_->tiles.push_back({wide, static_cast<int64_t>(dtype_size(dtype)), 0});
    return made_->num_arrays + static_cast<int>(made_->tiles.size()) - 1;
  }

  // The memory of a value that another phase reads.
  int tile_of(size_t i) {
    Value& v = values_[i];
    if (v.tile < 0) {
      v.tile = new_tile(v.wide, v.dtype);
      write(piece(v.wide, v.stage), v.temp, v.tile);
    }
    return v.tile;
  }

  static void write(Piece& p, int temp, int memory) {
    p.program.outputs.push_back(static_cast<int16_t>(temp));
    p.to.push_back(memory);
  }

  ElemOperand read(Piece* p, int memory, const TensorView& view) {
    for (size_t i = 0; i < p->from.size(); ++i) {
      if (p->from[i] == memory && p->inputs[i].strides == view.strides) {
        return {ElemOperand::input, static_cast<int16_t>(i)};
      }
    }
    p->from.push_back(memory);
    p->inputs.push_back(view);
    p->program.inputs.push_back(view.dtype);
    return {ElemOperand::input, static_cast<int16_t>(p->from.size() - 1)};
  }

  // The shape that a piece works on: rows of elements, or one element a row.
  Shape shape_of(bool wide) const { return wide ? rows_.shape : rows_.lead; }

  TensorView flat(bool wide, DType dtype) const {
    return {nullptr, dtype, shape_of(wide), contiguous_strides(shape_of(wide))};
  }

  // A view of one element a row, whatever its shape, in the shape of the rows.
  TensorView by_row(const TensorView& view) const {
    TensorView result = flat(false, view.dtype);
    Shape sizes, strides;
    for (int d = 0; d < view.shape.ndim(); ++d) {
      if (view.shape[d] == 1) continue;
      sizes.push_back(view.shape[d]);
      strides.push_back(view.strides[d]);
    }
    if (sizes == rows_.lead) {
      result.strides = strides;
    } else {
      require(sizes.ndim() == 1, "fused node ", kernel_.id, ": ", view.shape,
              " has not one element a row");
      for (int d = 0; d < result.strides.ndim(); ++d) result.strides[d] *= strides[0];
    }
    return result;
  }

  // What a member of this piece reads; `shape`: of its result.
  ElemOperand operand(Entry e, bool wide, int stage, const Shape& shape) {
    Piece* const p = &piece(wide, stage);
    const auto found = at_.find(e.node);
    if (found == at_.end()) {
      const auto input = std::find(kernel_.inputs.begin(), kernel_.inputs.end(), e);
      require(input != kernel_.inputs.end(), "fused node ", kernel_.id, ": a member reads node ",
              e.node, ", which is neither a member before it nor an input");
      const int memory = static_cast<int>(input - kernel_.inputs.begin());
      const TensorView view = broadcast_view(arrays_[static_cast<size_t>(memory)], shape, "fused");
      return read(p, memory, wide ? view : by_row(view));
    }
    const Value& seen = values_[found->second];
    const Value& v = values_[seen.source];
    if (v.wide == wide && v.stage == stage && v.temp >= 0) {
      return {ElemOperand::temp, static_cast<int16_t>(v.temp)};
    }
    const int memory = tile_of(seen.source);
    if (!wide) return read(p, memory, flat(false, v.dtype));
    const TensorView view{nullptr, v.dtype, seen.shape, seen.strides};
    return read(p, memory, broadcast_view(view, shape, "fused"));
  }

  void add(size_t i) {
    const Node& m = kernel_.members[i];
    Value& v = values_[i];
    v.source = i;
    v.wide = order_.wide[i];
    v.stage = order_.stage[i];
    v.dtype = m.dtypes[0];
    v.shape = m.shapes[0];
    v.strides = contiguous_strides(v.shape);
    if (is_row_reduction(*m.op)) return add_reduction(i);
    if (m.op->elementwise == nullptr) return add_view(i);
    std::vector<ElemOperand> operands;
    std::vector<DType> dtypes;
    for (const Entry& e : m.inputs) {
      operands.push_back(operand(e, v.wide, v.stage, v.shape));
      const Value* from = inside(e);
      dtypes.push_back(from != nullptr ? from->dtype : graph_.dtype(e));
    }
    v.temp = append_instructions(m, operands, dtypes, &piece(v.wide, v.stage).program);
    add_cost(m, v.wide);
  }

  void add_view(size_t i) {
    const Node& m = kernel_.members[i];
    Value& v = values_[i];
    const Value& of = values_[at_.at(m.inputs[0].node)];
    TensorView in{nullptr, of.dtype, of.shape, of.strides};
    int64_t offset = 0;
    const bool viewed = m.op->view(m.attrs, in, &v.shape, &v.strides, &offset);
    require(viewed && offset == 0, "fused node ", kernel_.id, ": member ", m.id, " is no view");
    v.source = of.source;
  }

  void add_reduction(size_t i) {
    const Node& m = kernel_.members[i];
    RowReduction r;
    const bool found = find_row_reduction(m, rows_.shape, m.dtypes[0], &r);
    require(found, "fused node ", kernel_.id, ": member ", m.id, " reduces no rows");
    const int stage = values_[i].stage;
    RowPhase phase;
    phase.kind = RowPhase::reduction;
    phase.reduce = r.kind;
    phase.dtype = m.dtypes[0];
    phase.from = reduced_memory(m.inputs[0], stage);
    phase.to = new_tile(false, phase.dtype);
    made_->cost_ns += 0.1 * static_cast<double>(rows_.size);
    Value& v = values_[i];
    v.tile = phase.to;
    reductions_[static_cast<size_t>(stage)].push_back(std::move(phase));
    if (r.after == RowReduction::After::nothing) return;
    v.stage = stage + 1;
    Piece& p = piece(false, v.stage);
    TensorView raw = flat(false, v.dtype);
    Emitter::Value x;
    x.operand = read(&p, v.tile, raw);
    const int base = static_cast<int>(p.program.instrs.size());
    Emitter emit(&p.program.instrs);
    if (r.after == RowReduction::After::divide) {
      emit.op(ElemCode::div, v.dtype, x, Emitter::number(static_cast<double>(rows_.size)));
    } else {
      emit.op(ElemCode::sqrt, v.dtype, x);
    }
    v.temp = base;
    v.tile = -1;
  }

  // Where the elements that a reduction reads lie, row after row.
  int reduced_memory(Entry e, int stage) {
    const auto found = at_.find(e.node);
    if (found != at_.end()) return tile_of(found->second);
    const auto input = std::find(kernel_.inputs.begin(), kernel_.inputs.end(), e);
    require(input != kernel_.inputs.end(), "fused node ", kernel_.id, " does not read node ",
            e.node);
    const int memory = static_cast<int>(input - kernel_.inputs.begin());
    const TensorView& view = arrays_[static_cast<size_t>(memory)];
    if (is_flat(view.shape, view.strides)) return memory;
    Piece& p = piece(true, stage);
    const ElemOperand x = read(&p, memory, view);
    const int tile = new_tile(true, view.dtype);
    write(p, copied(&p, x, view.dtype), tile);
    return tile;
  }

  static int copied(Piece* p, const ElemOperand& x, DType dtype) {
    ElemInstr q;
    q.code = ElemCode::copy;
    q.dtype = q.out_dtype = dtype;
    q.a = x;
    p->program.instrs.push_back(q);
    return static_cast<int>(p->program.instrs.size()) - 1;
  }

  void add_output(size_t o) {
    const int memory = static_cast<int>(kernel_.inputs.size() + o);
    const auto found = at_.find(kernel_.member_outputs[o].node);
    require(found != at_.end(), "fused node ", kernel_.id, ": an output is not a member");
    const Value& seen = values_[found->second];
    const Value& v = values_[seen.source];
    const bool spread = !v.wide && seen.shape == rows_.shape;
    if (v.temp >= 0 && !spread) return write(piece(v.wide, v.stage), v.temp, memory);
    const int stage = v.temp >= 0 ? v.stage : v.stage + 1;  // a reduction's result: after it
    const int tile = tile_of(seen.source);
    TensorView view = flat(false, v.dtype);
    if (spread) view = {nullptr, v.dtype, seen.shape, seen.strides};
    Piece& p = piece(spread, stage);
    const ElemOperand x = read(&p, tile, view);
    write(p, copied(&p, x, v.dtype), memory);
  }

  void add_cost(const Node& m, bool wide) {
    std::vector<DType> dtypes;
    for (const Entry& e : m.inputs) {
      const Value* from = inside(e);
      dtypes.push_back(from != nullptr ? from->dtype : graph_.dtype(e));
    }
    std::vector<ElemInstr> code;
    m.op->elementwise(m.attrs, dtypes, &code);
    for (const ElemInstr& q : code) {
      made_->cost_ns +=
          elem_cost_ns(q.code, q.dtype) * (wide ? static_cast<double>(rows_.size) : 1.0);
    }
  }

  void finish(const Piece& p, bool wide) {
    if (p.program.outputs.empty()) return;
    RowPhase phase;
    phase.kind = RowPhase::elementwise;
    phase.wide = wide;
    phase.memory = p.from;
    phase.memory.insert(phase.memory.end(), p.to.begin(), p.to.end());
    std::vector<TensorView> views = p.inputs;
    ElemBinding binding;
    binding.late = true;
    for (size_t o = 0; o < p.to.size(); ++o) {
      views.push_back(
          flat(wide, p.program.instrs[static_cast<size_t>(p.program.outputs[o])].out_dtype));
      binding.kept.push_back(p.to[o] >= made_->num_arrays);
      for (size_t i = 0; i < p.from.size(); ++i) {
        const std::pair<int, int> pair(p.to[o] - static_cast<int>(kernel_.inputs.size()),
                                       p.from[i]);
        if (std::find(shared_.begin(), shared_.end(), pair) != shared_.end()) {
          binding.shared.push_back({static_cast<int>(o), static_cast<int>(i)});
        }
      }
    }
    collapse_dimensions(&views);
    phase.plan.build(p.program, views.data(), views.data() + p.inputs.size(), binding);
    made_->phases.push_back(std::move(phase));
  }

  const Graph& graph_;
  const Node& kernel_;
  const std::vector<TensorView>& arrays_;
  const std::vector<std::pair<int, int>>& shared_;
  const RowOrder order_;
  const RowShape rows_;
  std::shared_ptr<RowKernel> made_;
  std::unordered_map<NodeId, size_t> at_;  // member by id
  std::vector<Value> values_;              // by member
  std::vector<Piece> narrow_, wide_;       // by stage
  std::vector<std::vector<RowPhase>> reductions_;
};

}  // namespace

RowShape find_rows(const Graph& graph, const Node& kernel) {
  std::vector<const Node*> members;
  for (const Node& m : kernel.members) members.push_back(&m);
  RowShape rows;
  const bool found =
      find_rows(members, [&](Entry e) { return OuterType{graph.shape(e), graph.dtype(e)}; }, &rows);
  require(found, "fused node ", kernel.id, ": its members do not work along the same rows");
  return rows;
}

std::shared_ptr<const RowKernel> make_row_kernel(const Graph& graph, const Node& kernel,
                                                 const std::vector<TensorView>& arrays,
                                                 const std::vector<std::pair<int, int>>& shared) {
  return Maker(graph, kernel, arrays, shared).run();
}

}  // namespace hybrid
