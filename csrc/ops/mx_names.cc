// Looking up MXNet names, and turning attributes both ways.
#include "ops/mx_names.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "core/error.h"
#include "ops/custom.h"
#include "ops/mx_table.h"
#include "ops/suggest.h"

namespace hybrid {

namespace {

struct Index {
  std::vector<MxName> rows = make_mx_table();
  std::unordered_map<std::string, const MxName*> by_name;
  std::unordered_multimap<const OpDef*, const MxName*> by_op;  // exported ones
  Index() {
    for (const MxName& row : rows) {
      const bool fresh = by_name.emplace(row.name, &row).second;
      require(fresh, "MXNet names: '", row.name, "' is listed twice");
      if (row.exported) by_op.emplace(row.op, &row);
    }
  }
};

const Index& index() {
  static const Index table;
  return table;
}

bool starts_with_underscores(const std::string& attr) { return attr.compare(0, 2, "__") == 0; }

// Does this use mean the same under the name? `soft` attributes may differ where it shows nowhere.
bool matches(const MxName& row, const Attrs& attrs) {
  for (const auto& [name, value] : row.fixed) {
    const std::string own = attrs.text(name.c_str());
    if (own == value) continue;
    if (name == "codes") {  // plain sizes mean the same to MXNet, but for 0
      for (int64_t d : attrs.ints("shape")) {
        if (d == 0) return false;
      }
      continue;
    }
    if (name == "batch_stats" && own == "False") continue;  // MXNet is told when it runs
    if (name == "open") continue;                           // MXNet sees it in the shape
    if (name == "at_least_1d") {                            // shows only in results without axes
      const OpDef& op = *attrs.op();
      const bool keeps = op.attr_index("keepdims") >= 0 && attrs.boolean("keepdims");
      const bool partial =
          op.attr_index("axis") >= 0 && attrs.has("axis") && attrs.text("axis") != "()";
      const bool shaped = op.attr_index("shape") >= 0 && !attrs.ints("shape").empty();
      if (keeps || partial || shaped || std::strcmp(op.name, "dot") == 0) continue;
      return false;
    }
    return false;
  }
  return true;
}

}  // namespace

const std::vector<MxName>& mx_names() { return index().rows; }

const MxName* find_mx_name(const std::string& name) {
  const auto found = index().by_name.find(name);
  return found == index().by_name.end() ? nullptr : found->second;
}

const MxName& get_mx_name(const std::string& name) {
  const MxName* row = find_mx_name(name);
  if (row) return *row;
  std::vector<std::string> names;
  for (const MxName& other : mx_names()) {
    if (other.face) names.push_back(other.name);
  }
  fail("unknown operator '", name.substr(0, 100), "'", did_you_mean(name, names));
}

bool mx_ignores(const MxName& row, const std::string& attr, const std::string& text) {
  if (starts_with_underscores(attr)) return true;
  for (const MxIgnored& ignored : mx_ignored()) {
    if (attr != ignored.attr) continue;
    const bool here = std::strcmp(ignored.name, "*") == 0 || get_mx_name(ignored.name).op == row.op;
    if (here && (ignored.value == nullptr || text == ignored.value)) return true;
  }
  return false;
}

namespace {

// Whatever stands beside op_type belongs to the operator's property.
Attrs custom_from_mx(const MxName& row, std::map<std::string, std::string> mx_attrs) {
  Attrs attrs(row.op);
  const auto type = mx_attrs.find("op_type");
  if (type != mx_attrs.end()) attrs.set("op_type", type->second);
  mx_attrs.erase("op_type");
  for (auto it = mx_attrs.begin(); it != mx_attrs.end();) {
    it = starts_with_underscores(it->first) ? mx_attrs.erase(it) : std::next(it);
  }
  attrs.set("arguments", custom_arguments(mx_attrs));
  return attrs;
}

}  // namespace

void open_sizes(Attrs* attrs) {
  if (attrs->op()->attr_index("open") < 0 || !attrs->has("shape")) return;
  std::vector<int64_t> sizes = attrs->ints("shape");
  std::replace(sizes.begin(), sizes.end(), int64_t{-1}, int64_t{0});
  if (!sizes.empty() && std::count(sizes.begin(), sizes.end(), 0) == 0) return;
  attrs->set("open", true);
  attrs->set("shape", sizes);
}

bool is_coded_reshape(const MxName& row) { return row.fixed.count("codes") != 0; }

void set_target_shape(Attrs* reshape, std::vector<int64_t> target, bool keep_highest) {
  if (target.empty() || (reshape->has("shape") && !reshape->ints("shape").empty())) return;
  for (size_t i = 0; i < target.size(); ++i) {
    if (target[i] == 0 && !(keep_highest && i == 0)) target[i] = -1;
  }
  if (keep_highest) target[0] = 0;
  reshape->set("shape", target);
}

Attrs mx_to_core(const MxName& row, const std::map<std::string, std::string>& mx_attrs) {
  if (is_custom(*row.op)) return custom_from_mx(row, mx_attrs);
  if (is_coded_reshape(row) && mx_attrs.count("target_shape") != 0) {
    std::map<std::string, std::string> others = mx_attrs;
    Attrs target(row.op), keep(row.op);
    target.set_text("shape", others.at("target_shape"));
    if (others.count("keep_highest") != 0) keep.set_text("reverse", others.at("keep_highest"));
    others.erase("target_shape");
    others.erase("keep_highest");
    Attrs attrs = mx_to_core(row, others);
    set_target_shape(&attrs, target.ints("shape"), keep.boolean("reverse"));
    return attrs;
  }
  Attrs attrs(row.op);
  for (const auto& [name, text] : row.fixed) attrs.set_text(name, text);
  for (const auto& [name, text] : mx_attrs) {
    const auto renamed = row.renamed.find(name);
    const std::string& core = renamed == row.renamed.end() ? name : renamed->second;
    const int at = row.op->attr_index(core.c_str());
    if (at >= 0 && row.fixed.count(core) == 0) {
      const AttrDef& def = row.op->attrs[static_cast<size_t>(at)];
      const bool nullable = (def.default_text && std::strcmp(def.default_text, "None") == 0) ||
                            (def.choices && std::strstr(def.choices, "None"));
      if (text == "None" && !nullable) continue;  // MXNet's word for its default
      attrs.set_text(core, text);
      continue;
    }
    const auto same = row.fixed.find(core);
    if (same != row.fixed.end() && same->second == text) continue;
    require(mx_ignores(row, name, text), row.name, ": given attribute '", name.substr(0, 100),
            "' = '", text.substr(0, 100), "', which it does not have");
  }
  return spelled_operator(std::move(attrs));
}

Attrs spelled_operator(Attrs attrs) {
  for (const MxSpelling& spelling : mx_spellings()) {
    if (!spelling.read || std::strcmp(spelling.mx, attrs.op()->name) != 0) continue;
    if (attrs.string(spelling.attr) != spelling.value) continue;
    Attrs own(get_op(spelling.core));
    for (const AttrDef& def : own.op()->attrs) own.set(def.name, attrs.at(def.name));
    return own;
  }
  return attrs;
}

std::string to_mx(const OpDef& op, const Attrs& attrs, bool same_shapes,
                  std::map<std::string, std::string>* mx_attrs, int num_inputs) {
  if (is_custom(op)) {
    *mx_attrs = custom_arguments(attrs.string("arguments"));
    (*mx_attrs)["op_type"] = attrs.string("op_type");
    return "Custom";
  }
  for (const MxSpelling& spelling : mx_spellings()) {
    if (std::strcmp(spelling.core, op.name) != 0) continue;
    for (const AttrDef& def : op.attrs) (*mx_attrs)[def.name] = attrs.text(def.name);
    if (spelling.attr) (*mx_attrs)[spelling.attr] = spelling.value;
    return spelling.mx;
  }
  const MxName* found = nullptr;
  const auto rows = index().by_op.equal_range(&op);
  for (auto it = rows.first; it != rows.second; ++it) {
    const MxName& row = *it->second;
    if (!matches(row, attrs) || (row.same_shapes && !same_shapes)) continue;
    // Of two names the one for equal shapes is the more telling; then the first in the table.
    const bool better = !found || (row.same_shapes && !found->same_shapes) ||
                        (row.same_shapes == found->same_shapes && &row < found);
    if (better) found = &row;
  }
  const std::string summary = attrs.summary();
  require(found != nullptr, op.name, summary.empty() ? "" : " (" + summary + ")",
          ": MXNet 1.9.1 has no operator for this, so it cannot be written to symbol.json");
  for (const AttrDef& def : op.attrs) {
    if (found->fixed.count(def.name) || is_core_only(def.name, op)) continue;
    const bool none = !attrs.has(def.name);
    if (none && !(std::strcmp(op.name, "slice_axis") == 0)) continue;
    std::string name = def.name;
    for (const auto& [mx, core] : found->renamed) {
      if (core == name) name = mx;
    }
    (*mx_attrs)[name] = attrs.text(def.name);
  }
  // MXNet takes no shape for one that the use decides.
  const bool sized = op.attr_index("open") < 0 || attrs.boolean("open");
  if (!sized && attrs.ints("shape").empty()) (*mx_attrs)["shape"] = "(1,)";
  // Some have a name of their own for it.
  const bool own = op.attr_index("num_arrays") >= 0 || op.attr_index("num_outputs") >= 0;
  if (op.variadic && !own && num_inputs >= 0) (*mx_attrs)["num_args"] = std::to_string(num_inputs);
  return found->name;
}

}  // namespace hybrid
