// The nd/sym lowering table: MXNet 1.x operator names and rules onto core operators, both ways.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ops/op.h"

namespace hybrid {

// One MXNet 1.x name. `core` attrs not listed pass through under their own name.
struct MxName {
  std::string name;                        // "broadcast_add", "_plus_scalar", "FullyConnected"
  const OpDef* op;                         // core operator
  std::map<std::string, std::string> fixed;   // core attrs fixed by the name: act_type=relu for relu
  std::map<std::string, std::string> renamed; // MXNet attr -> core attr
  bool exported = false;                   // the name that writing symbol.json uses for (op, fixed)
  bool face = true;                        // appears in nd.* / sym.*
};
const std::vector<MxName>& mx_names();
const MxName* find_mx_name(const std::string& name);  // null when unknown
// The 1.9.1 name and attributes for a core node; throws Error naming the node when there is none.
// `same_shapes`: operands known to have equal shapes (elemwise_add against broadcast_add).
std::string to_mx(const OpDef& op, const Attrs& attrs, bool same_shapes,
                  std::map<std::string, std::string>* mx_attrs);

}  // namespace hybrid
