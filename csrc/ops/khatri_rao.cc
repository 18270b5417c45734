// khatri_rao: Kronecker's product column by column (Khatri and Rao 1968).
#include "ops/dispatch.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

void infer(InferContext& c) {
  one_dtype(c);
  require(!c.in_shapes.empty(), c.op_name, ": given no matrix, expected at least one");
  std::vector<int64_t> rows{1};
  int64_t columns = -1;
  for (size_t i = 0; i < c.in_shapes.size(); ++i) {
    const Shape& s = c.in_shapes[i];
    if (!s.rank_known()) return;
    expect_rank(c, i, 2, "rows, columns");
    require(columns < 0 || s[1] < 0 || columns == s[1], c.op_name, ": given ", c.in_shapes[0],
            " and ", s, ", expected as many columns in all matrices");
    if (s[1] >= 0) columns = s[1];
    if (s[0] < 0) rows.assign(1, -1);
    if (rows[0] >= 0) rows.push_back(s[0]);
  }
  if (rows[0] < 0) return set_shape(c, 0, {-1, columns});
  int64_t count = 1;  // no more than a shape may have
  for (const int64_t n : rows) count = checked_shape({count, n}, c.op_name).size();
  set_shape(c, 0, {count, columns});
}

void run(KernelContext& c) {
  const int64_t rows = c.out[0].shape[0], columns = c.out[0].shape[1];
  dispatch(c.out[0].dtype, "khatri_rao", [&](auto zero) {
    using T = decltype(zero);
    T* out = c.out[0].as<T>();
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) out[i * columns + j] = T(1);
      int64_t rest = i;
      for (int k = c.num_in - 1; k >= 0; --k) {
        const int64_t own = c.in[k].shape[0];
        const T* row = c.in[k].as<T>() + rest % own * columns;
        rest /= own;
        for (int64_t j = 0; j < columns; ++j) {
          out[i * columns + j] = static_cast<T>(out[i * columns + j] * row[j]);
        }
      }
    }
  });
}

// Of factor k: the gradient times the product of the others, summed over their rows.
void gradient(GradBuilder& b) {
  const int64_t columns = known_shape(b, b.input(0))[1];
  for (int k = 0; k < b.num_inputs(); ++k) {
    if (!b.wanted(k)) continue;
    std::vector<Entry> left, right;
    for (int i = 0; i < b.num_inputs(); ++i) {
      if (i != k) (i < k ? left : right).push_back(b.input(i));
    }
    const int64_t own = known_shape(b, b.input(k))[0];
    const auto joined = [&](const std::vector<Entry>& some, bool first) {
      const Entry all = b.op("khatri_rao", some);
      const int64_t n = known_shape(b, all)[0];
      return reshape_to(b, all, first ? Shape{n, 1, 1, columns} : Shape{1, 1, n, columns});
    };
    const int64_t before = left.empty() ? 1 : known_shape(b, b.op("khatri_rao", left))[0];
    const int64_t after = right.empty() ? 1 : known_shape(b, b.op("khatri_rao", right))[0];
    Expr g(b, reshape_to(b, b.out_grad(), {before, own, after, columns}));
    if (!left.empty()) g = g * Expr(b, joined(left, true));
    if (!right.empty()) g = g * Expr(b, joined(right, false));
    b.set(k, b.op("sum", {g.entry()}, {{"axis", std::vector<int64_t>{0, 2}}}));
  }
}

}  // namespace

void register_khatri_rao() {
  OpDef def;
  def.name = "khatri_rao";
  def.family = Family::linear;
  def.doc =
      "Kronecker's product of the columns of matrices: (n1, k), (n2, k), ... give (n1 n2 ..., k).";
  def.inputs = {{"args", "matrices with as many columns, of one dtype"}};
  def.variadic = true;
  def.dtypes = kNumbers;
  def.infer = infer;
  def.cpu = run;
  def.gradient = gradient;
  add_op(std::move(def));
}

}  // namespace hybrid
