#include "array/array_ref.h"

#include "array/history.h"
#include "core/error.h"

namespace hybrid {
namespace {

Materializer materializer = nullptr;

}  // namespace

bool is_variable_copy(const SymNode& node) {
  static const OpDef* copy = get_op("identity");
  return node.op == copy && node.tape == Tape::none;
}

void destroy(ArrayExtra* extra) {
  if (extra->variable && extra->entry.node) {
    VariableSlot* slot = variable_slot(*extra->entry.node);
    if (slot && slot->extra == extra) slot->extra = nullptr;
  }
  delete extra;
}

const Shape& shape_of(const ArrayRef& a) {
  return a.array.defined() ? a.array.shape : a.extra->entry.node->shapes.at(a.extra->entry.out);
}

DType dtype_of(const ArrayRef& a) {
  return a.array.defined() ? a.array.dtype : a.extra->entry.node->dtypes.at(a.extra->entry.out);
}

Context context_of(const ArrayRef& a) {
  return a.array.defined() ? a.array.ctx() : a.extra->entry.node->ctx;
}

void set_materializer(Materializer m) { materializer = m; }

NDArray concrete(const ArrayRef& a) {
  if (a.array.defined()) return a.array;
  require(a.extra && a.extra->entry.node, "an array without a value was given");
  const SymEntry& entry = a.extra->entry;
  const auto value = [&]() -> NDArray {
    const auto& values = entry.node->values;
    return entry.out < static_cast<int>(values.size()) ? values[entry.out] : NDArray();
  };
  NDArray result = value();
  if (!result.defined() && materializer) {
    materializer(entry);
    result = value();
  }
  require(result.defined(), entry.node->op ? entry.node->op->name : entry.node->name.c_str(),
          ": the value of this recorded array has not been computed");
  return result;
}

}  // namespace hybrid
