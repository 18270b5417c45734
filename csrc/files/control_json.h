// Control flow in symbol.json: MXNet's _foreach, _while_loop and _cond with their "subgraphs".
#pragma once
#include <map>
#include <string>
#include <vector>

#include "symbol/symbol.h"

namespace hybrid {

// A body as it stands in the file: heads, and variables in the order of their nodes.
struct JsonBody {
  Symbol symbol;
  std::vector<SymEntry> variables;
};

struct ControlJson {
  std::string op;
  std::map<std::string, std::string> attrs;
  std::vector<Symbol> bodies;  // their variables in list_arguments order
};

// What MXNet lacks (a counter, no limit of steps, a limit that is an error) are attributes that its
// reader refuses.
ControlJson control_to_json(const SymNode& node);
bool is_control_name(const std::string& op_name);
// Is it one of our own, which looks like a variable's?
bool is_control_attribute(const std::string& key);
// Gives the node its operator, attributes and inputs. Throws Error on what does not fit together.
void control_from_json(SymNode* node, const std::string& op_name,
                       const std::map<std::string, std::string>& attrs,
                       const std::vector<JsonBody>& bodies, const std::string& where);
// Constants inside bodies become inputs of their nodes: a file keeps all at the top.
Symbol without_body_constants(const Symbol& symbol);

}  // namespace hybrid
