// The nd/sym lowering table: MXNet 1.x operator names and rules onto core operators, both ways.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ops/op.h"

namespace hybrid {

// One MXNet 1.x name. `core` attrs not listed pass through under their own name.
struct MxName {
  std::string name;  // "broadcast_add", "_plus_scalar", "FullyConnected"
  const OpDef* op;   // core operator
  // Core attrs fixed by the name: act_type=relu for relu, dtype=None for float32 comparisons.
  std::map<std::string, std::string> fixed;
  std::map<std::string, std::string> renamed;  // MXNet attr -> core attr
  bool exported = false;     // the name that writing symbol.json uses for (op, fixed)
  bool face = true;          // appears in nd.* / sym.*
  bool same_shapes = false;  // exported: only for operands of equal shapes (elemwise_*)
};
const std::vector<MxName>& mx_names();
const MxName* find_mx_name(const std::string& name);  // null when unknown
const MxName& get_mx_name(const std::string& name);   // throws Error naming near misses
// Attributes that MXNet has and we accept without meaning (workspace, cudnn_off, ctx, num_args...);
// some only with the value that changes nothing.
bool mx_ignores(const MxName& name, const std::string& attr, const std::string& text);
// Core attributes of a use under an MXNet name: fixed ones, renamed ones, ignored ones left out.
// Throws Error naming operator and attribute. Required attributes may still be missing.
// They may be those of another operator than the name's: one that MXNet spells with an attribute.
Attrs mx_to_core(const MxName& name, const std::map<std::string, std::string>& mx_attrs);
// In MXNet's symbols 0 (and -1) in the shape of what has no inputs is a size that the use decides,
// an RNN's first state has the batch's, and no shape at all is the shape that the use wants.
void open_sizes(Attrs* attrs);
// Reshape as MXNet had it before codes: a target_shape, whose 0 is the size that is left, and with
// keep_highest data's first size. Old files have it, and it counts where no shape is given.
bool is_coded_reshape(const MxName& name);
void set_target_shape(Attrs* reshape, std::vector<int64_t> target, bool keep_highest);
// LeakyReLU of act_type prelu is the core's prelu; others stay what they are.
Attrs spelled_operator(Attrs attrs);
// The 1.9.1 name and attributes for a core node; throws Error naming the node when there is none.
// `same_shapes`: operands known to have equal shapes (elemwise_add against broadcast_add).
// `num_inputs`: of variadic operators, written as num_args.
std::string to_mx(const OpDef& op, const Attrs& attrs, bool same_shapes,
                  std::map<std::string, std::string>* mx_attrs, int num_inputs = -1);

}  // namespace hybrid
