#include "bind/mx_call.h"

#include <algorithm>

#include "ops/suggest.h"

namespace hybrid {
namespace bind {

namespace {

// Hints to MXNet's GPU libraries; no result depends on them.
bool is_hint(const std::string& attr) {
  static const char* const hints[] = {"cudnn_tune", "cudnn_off", "cudnn_algo_fwd", "workspace",
                                      "cudnn_algo_bwd_data", "cudnn_algo_bwd_filter"};
  return std::any_of(std::begin(hints), std::end(hints), [&](const char* h) { return attr == h; });
}

}  // namespace

MxCall mx_call(const std::string& mx_name) {
  const MxName* found = find_mx_name(mx_name);
  if (found == nullptr) {
    std::vector<std::string> known;
    for (const MxName& name : mx_names()) known.push_back(name.name);
    fail("unknown operator '", mx_name, "'", did_you_mean(mx_name, known));
  }
  MxCall call{found, found->op, Attrs(found->op)};
  for (const auto& [attr, text] : found->fixed) call.attrs.set_text(attr, text);
  return call;
}

void set_mx_attr(MxCall* call, const std::string& mx_attr, py::handle value) {
  const auto renamed = call->name->renamed.find(mx_attr);
  const std::string& attr = renamed == call->name->renamed.end() ? mx_attr : renamed->second;
  const int index = call->op->attr_index(attr.c_str());
  if (index < 0 || call->name->fixed.count(attr)) {
    if (is_hint(mx_attr)) return;
    std::vector<std::string> known;
    for (const AttrDef& def : call->op->attrs) {
      if (!call->name->fixed.count(def.name)) known.push_back(def.name);
    }
    for (const auto& [mx, core] : call->name->renamed) {
      std::replace(known.begin(), known.end(), core, mx);
    }
    std::string list;
    for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
    fail(call->name->name, ": given attribute '", mx_attr, "', expected one of: ",
         list.empty() ? "(it has none)" : list);
  }
  const AttrDef& def = call->op->attrs[static_cast<size_t>(index)];
  call->attrs.set(def.name, attr_from_python(*call->op, def, value));
}

MxCall mx_call(const std::string& mx_name, const py::dict& attrs) {
  MxCall call = mx_call(mx_name);
  for (const auto& pair : attrs) set_mx_attr(&call, pair.first.cast<std::string>(), pair.second);
  return call;
}

}  // namespace bind
}  // namespace hybrid
