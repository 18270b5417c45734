#include "graph/row_kernel.h"

#include <algorithm>
#include <unordered_map>

#include "graph/row_reduction.h"
#include "kernels/elem_blocks.h"

namespace hybrid {
namespace {

// Strides of `from`, broadcast to `to`; false when it does not fit.
bool broadcast_strides(const Shape& from, const Shape& strides, const Shape& to, Shape* result) {
  const int extra = to.ndim() - from.ndim();
  *result = Shape::of_rank(to.ndim(), 0);
  if (extra < 0) return false;
  for (int d = 0; d < from.ndim(); ++d) {
    if (from[d] == to[d + extra]) {
      (*result)[d + extra] = strides[d];
    } else if (from[d] != 1) {
      return false;
    }
  }
  return true;
}

// A value of one element a row, or a view of one.
struct Narrow {
  Shape shape, strides;
};

class Check {
 public:
  Check(const std::vector<const Node*>& members, const std::function<OuterType(Entry)>& type_of)
      : members_(members), type_of_(type_of) {}

  bool run(RowShape* found) {
    if (!find_shape()) return false;
    for (const Node* m : members_) inside_.emplace(m->id, m);
    for (const Node* m : members_) {
      if (!add(*m)) return false;
    }
    *found = rows_;
    return true;
  }

 private:
  const Node* inside(Entry e) const {
    const auto found = inside_.find(e.node);
    return found == inside_.end() ? nullptr : found->second;
  }

  bool find_shape() {
    std::unordered_map<NodeId, const Node*> all;
    for (const Node* m : members_) all.emplace(m->id, m);
    for (const Node* m : members_) {
      if (!is_row_reduction(*m->op)) continue;
      const Entry e = m->inputs.at(0);
      const auto from = all.find(e.node);
      const OuterType in = from == all.end()
                               ? type_of_(e)
                               : OuterType{from->second->shapes.at(0), from->second->dtypes.at(0)};
      RowReduction r;
      if (!find_row_reduction(*m, in.shape, in.dtype, &r)) return false;
      if (rows_.rows == 0) {
        rows_.shape = in.shape;
        rows_.rows = r.rows;
        rows_.size = r.size;
        int64_t before = 1;
        for (int d = 0; before < r.rows; before *= in.shape[d++]) {
          if (in.shape[d] != 1) rows_.lead.push_back(in.shape[d]);
        }
      } else if (rows_.shape != in.shape || rows_.rows != r.rows || rows_.size != r.size) {
        return false;
      }
    }
    return rows_.rows > 0;
  }

  bool add(const Node& m) {
    if (m.num_outputs() != 1 || !m.shapes[0].known()) return false;
    if (is_row_reduction(*m.op)) {
      if (inside(m.inputs[0]) != nullptr && narrow_.count(m.inputs[0].node)) return false;
      narrow_[m.id] = {m.shapes[0], contiguous_strides(m.shapes[0])};
      return true;
    }
    if (m.op->elementwise == nullptr) return add_view(m);
    const bool wide = m.shapes[0] == rows_.shape;
    if (!wide) {
      const Shape own = without_ones(m.shapes[0]);
      if (own != rows_.lead && (own.ndim() > 1 || m.shapes[0].size() != rows_.rows)) return false;
    }
    for (const Entry& e : m.inputs) {
      if (inside(e) == nullptr) continue;
      const auto from = narrow_.find(e.node);
      if (from == narrow_.end()) {
        if (!wide) return false;
        continue;
      }
      Shape strides;
      if (!broadcast_strides(from->second.shape, from->second.strides, m.shapes[0], &strides) ||
          !(wide ? repeats_along_rows(rows_, strides) : is_flat(m.shapes[0], strides))) {
        return false;
      }
    }
    if (!wide) narrow_[m.id] = {m.shapes[0], contiguous_strides(m.shapes[0])};
    return true;
  }

  // A view of a row's one element: another shape for the same elements, or a repetition of them.
  bool add_view(const Node& m) {
    if (m.op->view == nullptr || m.inputs.size() != 1) return false;
    const auto from = narrow_.find(m.inputs[0].node);
    if (from == narrow_.end()) return false;
    TensorView in;
    in.dtype = m.dtypes[0];
    in.shape = from->second.shape;
    in.strides = from->second.strides;
    Narrow made;
    int64_t offset = 0;
    if (!m.op->view(m.attrs, in, &made.shape, &made.strides, &offset) || offset != 0) return false;
    if (made.shape != m.shapes[0]) return false;
    const bool one_a_row = made.shape.size() == rows_.rows && is_flat(made.shape, made.strides);
    if (!one_a_row && !(made.shape == rows_.shape && repeats_along_rows(rows_, made.strides))) {
      return false;
    }
    narrow_[m.id] = made;
    return true;
  }

  const std::vector<const Node*>& members_;
  const std::function<OuterType(Entry)>& type_of_;
  RowShape rows_;
  std::unordered_map<NodeId, const Node*> inside_;
  std::unordered_map<NodeId, Narrow> narrow_;
};

}  // namespace

Shape without_ones(const Shape& shape) {
  Shape result;
  for (int64_t size : shape) {
    if (size != 1) result.push_back(size);
  }
  return result;
}

bool is_row_member(const OpDef& op) {
  return op.elementwise != nullptr || op.view != nullptr || is_row_reduction(op);
}

bool find_rows(const std::vector<const Node*>& members,
               const std::function<OuterType(Entry)>& type_of, RowShape* found) {
  return Check(members, type_of).run(found);
}

bool repeats_along_rows(const RowShape& rows, const Shape& strides) {
  int d = rows.shape.ndim() - 1;
  for (int64_t size = 1; size < rows.size; --d) {
    size *= rows.shape[d];
    if (rows.shape[d] != 1 && strides[d] != 0) return false;
  }
  for (int64_t step = 1; d >= 0; --d) {
    if (rows.shape[d] != 1 && strides[d] != step) return false;
    step *= rows.shape[d];
  }
  return true;
}

RowOrder find_row_order(const Node& kernel) {
  const size_t count = kernel.members.size();
  std::unordered_map<NodeId, size_t> at;
  int64_t rows = 0;
  for (size_t i = 0; i < count; ++i) {
    const Node& m = kernel.members[i];
    at.emplace(m.id, i);
    if (is_row_reduction(*m.op)) rows = m.shapes[0].size();
  }
  RowOrder order;
  order.wide.resize(count);
  order.stage.resize(count);
  order.time.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const Node& m = kernel.members[i];
    order.wide[i] = m.op->elementwise != nullptr && m.shapes[0].size() != rows;
    for (const Entry& e : m.inputs) {
      const auto from = at.find(e.node);
      if (from == at.end()) continue;
      const bool reduced = is_row_reduction(*kernel.members[from->second].op);
      order.stage[i] = std::max(order.stage[i], order.stage[from->second] + (reduced ? 1 : 0));
    }
  }
  // Wide values as late as their readers allow: they are not kept for longer than they must.
  std::vector<int> latest(count, -1);
  for (size_t i = count; i-- > 0;) {
    if (order.wide[i] && latest[i] > order.stage[i]) order.stage[i] = latest[i];
    for (const Entry& e : kernel.members[i].inputs) {
      const auto from = at.find(e.node);
      if (from == at.end()) continue;
      int& last = latest[from->second];
      last = last < 0 ? order.stage[i] : std::min(last, order.stage[i]);
    }
  }
  const int step = static_cast<int>(count) + 1;
  for (size_t i = 0; i < count; ++i) {
    const bool reduces = is_row_reduction(*kernel.members[i].op);
    // One element a row: before the wide values; reductions: after them.
    order.time[i] = 3 * step * order.stage[i] + (reduces         ? 3 * step - 1
                                                 : order.wide[i] ? step + static_cast<int>(i)
                                                                 : 0);
  }
  return order;
}

}  // namespace hybrid
