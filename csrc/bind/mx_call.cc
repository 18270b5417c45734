#include "bind/mx_call.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace hybrid {
namespace bind {

namespace {

// Every attribute that the name takes, for error messages.
std::string known_attrs(const MxName& name) {
  std::string list;
  for (const AttrDef& def : name.op->attrs) {
    if (name.fixed.count(def.name)) continue;
    std::string shown = def.name;
    for (const auto& [mx, core] : name.renamed) {
      if (core == shown) shown = mx;
    }
    list += (list.empty() ? "" : ", ") + shown;
  }
  return list.empty() ? "(it has none)" : list;
}

// MXNet looks at no attribute of an operator that has none.
bool takes_any(const MxName& name) {
  return std::all_of(name.op->attrs.begin(), name.op->attrs.end(),
                     [&](const AttrDef& def) { return name.fixed.count(def.name) != 0; });
}

bool may_be_none(const AttrDef& def) {
  return (def.default_text && std::strcmp(def.default_text, "None") == 0) ||
         (def.choices && std::strstr(def.choices, "None"));
}

}  // namespace

MxCall mx_call(const std::string& mx_name) {
  // What a name fixes is parsed once. Under the GIL.
  static auto* known = new std::unordered_map<std::string, MxCall>;
  const auto found = known->find(mx_name);
  if (found != known->end()) return found->second;
  const MxName& name = get_mx_name(mx_name);
  MxCall call{&name, name.op, Attrs(name.op)};
  for (const auto& [attr, text] : name.fixed) call.attrs.set_text(attr, text);
  return known->emplace(mx_name, std::move(call)).first->second;
}

void set_mx_attr(MxCall* call, const std::string& mx_attr, py::handle value) {
  const MxName& name = *call->name;
  const auto renamed = name.renamed.find(mx_attr);
  const std::string& attr = renamed == name.renamed.end() ? mx_attr : renamed->second;
  const int index = call->op->attr_index(attr.c_str());
  if (index < 0 || name.fixed.count(attr)) {
    if (takes_any(name) || mx_ignores(name, mx_attr, py::str(value).cast<std::string>())) return;
    fail(name.name, ": given attribute '", mx_attr, "', expected one of: ", known_attrs(name));
  }
  const AttrDef& def = call->op->attrs[static_cast<size_t>(index)];
  // MXNet's word for the default; a required one is reported as missing.
  if (value.is_none() && !may_be_none(def)) return;
  call->attrs.set(def.name, attr_from_python(*call->op, def, value));
}

MxCall mx_call(const std::string& mx_name, const py::dict& attrs) {
  MxCall call = mx_call(mx_name);
  const bool old = attrs.contains("target_shape") && is_coded_reshape(*call.name);
  for (const auto& pair : attrs) {
    const auto attr = pair.first.cast<std::string>();
    if (old && (attr == "target_shape" || attr == "keep_highest")) continue;
    set_mx_attr(&call, attr, pair.second);
  }
  if (old && !attrs["target_shape"].is_none()) {
    Attrs target(call.op);
    const AttrDef& def = call.op->attrs[static_cast<size_t>(call.op->attr_index("shape"))];
    target.set("shape", attr_from_python(*call.op, def, attrs["target_shape"]));
    const bool keep = attrs.contains("keep_highest") && py::bool_(attrs["keep_highest"]);
    set_target_shape(&call.attrs, target.ints("shape"), keep);
  }
  call.attrs = spelled_operator(std::move(call.attrs));
  call.op = call.attrs.op();
  return call;
}

}  // namespace bind
}  // namespace hybrid
