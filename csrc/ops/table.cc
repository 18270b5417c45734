// The op table: filled once by the families, looked up by name.
#include <algorithm>
#include <cstring>
#include <deque>
#include <unordered_map>

#include "core/error.h"
#include "ops/copy_to_device.h"
#include "ops/families.h"
#include "ops/half.h"
#include "ops/infer.h"
#include "ops/op.h"
#include "ops/states.h"
#include "ops/suggest.h"

namespace hybrid {

namespace {

struct Table {
  std::deque<OpDef> defs;  // never moves: OpDef pointers are identities
  std::vector<const OpDef*> all;
  std::unordered_map<std::string, const OpDef*> by_name;
};

Table& storage() {
  static Table* const table = new Table;  // never destroyed: threads may outlive main()
  return *table;
}

const Table& table() {
  static const bool filled = [] {
    register_unary();
    register_binary();
    register_activation();
    register_elementwise();
    register_linear();
    register_linalg();
    register_correlate();
    register_fft();
    register_fully_connected();
    register_conv();
    register_deconv();
    register_upsampling();
    register_pool();
    register_reduce();
    register_broadcast();
    register_reshape();
    register_slice();
    register_join();
    register_repeat();
    register_index();
    register_gather();
    register_sort();
    register_search();
    register_exact_int();
    register_scan();
    register_softmax();
    register_batch_norm();
    register_layer_norm();
    register_group_norm();
    register_l2_norm();
    register_lrn();
    register_loss();
    register_random();
    register_creation();
    register_optimizer();
    register_device();
    return true;
  }();
  (void)filled;
  return storage();
}

}  // namespace

int OpDef::attr_index(const char* attr_name) const {
  for (size_t i = 0; i < attrs.size(); ++i) {
    if (std::strcmp(attrs[i].name, attr_name) == 0) return static_cast<int>(i);
  }
  return -1;
}

int OpDef::count_inputs(const Attrs& a) const {
  if (variadic) return -1;
  int count = 0;
  for (const InputDef& input : inputs) {
    const char* absent = input.absent_if;
    count += absent == nullptr || !a.has(absent) || !a.boolean(absent);
  }
  return count;
}

const OpDef* add_op(OpDef def) {
  Table& t = storage();
  require(t.by_name.count(def.name) == 0, "op table: '", def.name, "' is defined twice");
  for (const AttrDef& a : def.attrs) {
    def.defaults.push_back(
        a.default_text ? parse_attr(a.type, a.default_text, std::string(def.name) + ": " + a.name)
                       : AttrValue());
  }
  def.rule = def.infer;
  def.infer = checked_infer;
  compute_halves(&def);
  t.defs.push_back(std::move(def));
  const OpDef* op = &t.defs.back();
  t.all.push_back(op);
  t.by_name.emplace(op->name, op);
  return op;
}

const OpDef* find_op(const std::string& core_name) {
  const Table& t = table();
  const auto found = t.by_name.find(core_name);
  return found == t.by_name.end() ? nullptr : found->second;
}

const OpDef* get_op(const std::string& core_name) {
  const OpDef* op = find_op(core_name);
  if (op) return op;
  std::vector<std::string> names;
  for (const OpDef* other : all_ops()) names.emplace_back(other->name);
  fail("unknown operator '", core_name.substr(0, 100), "'", did_you_mean(core_name, names));
}

const std::vector<const OpDef*>& all_ops() { return table().all; }

}  // namespace hybrid
