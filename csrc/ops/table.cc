// The op table: filled once by the families, looked up by name.
#include <algorithm>
#include <cstring>
#include <deque>
#include <unordered_map>

#include "core/error.h"
#include "ops/copy_to_device.h"
#include "ops/families.h"
#include "ops/half.h"
#include "ops/images.h"
#include "ops/infer.h"
#include "ops/op.h"
#include "ops/proposal.h"
#include "ops/slopes.h"
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
    register_slopes();
    register_elementwise();
    register_linear();
    register_linalg();
    register_correlate();
    register_fft();
    register_fully_connected();
    register_conv();
    register_deconv();
    register_deformable();
    register_upsampling();
    register_pool();
    register_reduce();
    register_broadcast();
    register_reshape();
    register_slice();
    register_join();
    register_repeat();
    register_pad();
    register_crop();
    register_where_rows();
    register_columns();
    register_adaptive_pool();
    register_bilinear_resize();
    register_index();
    register_gather();
    register_sort();
    register_search();
    register_exact_int();
    register_scan();
    register_softmax();
    register_batch_norm();
    register_sync_batch_norm();
    register_layer_norm();
    register_group_norm();
    register_l2_norm();
    register_lrn();
    register_loss();
    register_rnn();
    register_roi_sums();
    register_hawkes();
    register_custom();
    register_roi_pooling();
    register_roi_align();
    register_boxes();
    register_box_nms();
    register_multibox();
    register_proposal();
    register_deformable_psroi();
    register_grid();
    register_correlation();
    register_sequence();
    register_softmax_activation();
    register_svm_output();
    register_moments();
    register_ctc_loss();
    register_random();
    register_creation();
    register_optimizer();
    register_device();
    register_random_draws();
    register_split_v2();
    register_histogram();
    register_random_pdf();
    register_special_functions();
    register_blocks_of_space();
    register_multi_index();
    register_batch_take();
    register_khatri_rao();
    register_mixed_precision();
    register_contrib_elementwise();
    register_contrib_index();
    register_interleaved_attention();
    register_linalg_products();
    register_linalg_factors();
    register_linalg_triangles();
    register_diag();
    register_image_moves();
    register_image_resize();
    register_image_colours();
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

bool InputDef::is_absent(const Attrs& a) const {
  if (absent_if == nullptr) return false;
  const char* const mark = std::strchr(absent_if, '!');
  if (mark == nullptr) return a.has(absent_if) && a.boolean(absent_if);
  if (mark == absent_if) return !a.has(mark + 1) || !a.boolean(mark + 1);
  const std::string attr(absent_if, static_cast<size_t>(mark - absent_if));
  return a.text(attr.c_str()) != mark + 1;
}

int OpDef::count_inputs(const Attrs& a) const {
  if (variadic) return -1;
  int count = 0;
  for (const InputDef& input : inputs) {
    count += !input.is_absent(a);
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
