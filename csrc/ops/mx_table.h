// The rows of the MXNet name table, and what only writing or reading needs.
#pragma once
#include "ops/mx_names.h"

namespace hybrid {

std::vector<MxName> make_mx_table();

// Core operators that MXNet says with another operator and an attribute.
struct MxSpelling {
  const char* core;
  const char* mx;
  const char* attr;  // may be null
  const char* value;
  bool read = false;  // MXNet's operator with this attribute is the core's, otherwise its own
};
const std::vector<MxSpelling>& mx_spellings();

// Attributes without a meaning here. name "*": any operator; value null: any value.
struct MxIgnored {
  const char* name;
  const char* attr;
  const char* value;
};
const std::vector<MxIgnored>& mx_ignored();

// Core attributes that MXNet's operators do not have.
bool is_core_only(const char* attr, const OpDef& op);

}  // namespace hybrid
