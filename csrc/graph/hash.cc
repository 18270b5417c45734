// Graph::hash: equal for graphs that compile to the same program.
#include <cstring>

#include "graph/constant.h"
#include "graph/graph.h"

namespace hybrid {

namespace {

struct Hasher {
  uint64_t state = 0x9e3779b97f4a7c15ull;
  void word(uint64_t v) {  // the finaliser of splitmix64 over a running state
    uint64_t x = state ^ (v + 0x9e3779b97f4a7c15ull + (state << 6) + (state >> 2));
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    state = x ^ (x >> 31);
  }
  void bytes(const char* p, size_t n) {
    word(n);
    for (; n >= 8; p += 8, n -= 8) {
      uint64_t v;
      std::memcpy(&v, p, 8);
      word(v);
    }
    uint64_t v = 0;
    std::memcpy(&v, p, n);
    word(v);
  }
  void text(const std::string& s) { bytes(s.data(), s.size()); }
  void shape(const Shape& s) {
    word(static_cast<uint64_t>(static_cast<int64_t>(s.ndim())));
    for (int64_t d : s) word(static_cast<uint64_t>(d));
  }
};

}  // namespace

uint64_t Graph::hash() const { return digest(true, false); }

uint64_t Graph::structure() const { return digest(false, true); }

uint64_t Graph::digest(bool with_shapes, bool with_ids) const {
  Hasher h;
  // Members of fused nodes are numbered after their node, so ids never enter the hash.
  std::vector<int32_t> member_number(static_cast<size_t>(next_id), -1);
  const auto entry = [&](const Entry& e) {
    const int32_t member = member_number[static_cast<size_t>(e.node)];
    h.word(member >= 0 ? (uint64_t{1} << 32) + static_cast<uint64_t>(member)
                       : static_cast<uint64_t>(position(e.node)));
    h.word(static_cast<uint64_t>(e.out));
  };
  const auto node = [&](const Node& n) {
    h.word(static_cast<uint64_t>(n.kind));
    h.word(reinterpret_cast<uintptr_t>(n.op));
    if (n.op != nullptr) h.word(n.attrs.hash());
    h.word(n.inputs.size());
    for (const Entry& e : n.inputs) entry(e);
    if (with_ids) h.word(static_cast<uint64_t>(n.id));
    if (with_shapes) {
      for (const Shape& s : n.shapes) h.shape(s);
    }
    for (DType d : n.dtypes) h.word(static_cast<uint64_t>(static_cast<int64_t>(d)));
    h.word(static_cast<uint64_t>(static_cast<int64_t>(n.key_slot)));
    h.word((static_cast<uint64_t>(n.ctx.type) << 16) | static_cast<uint16_t>(n.ctx.id));
    if (n.kind == NodeKind::effect) h.text(n.text);
    if (n.kind == NodeKind::constant) h.text(constant_bytes(n.value));
  };
  int32_t next_member = 0;
  for (const Node& n : nodes) {
    node(n);
    h.word(n.members.size());
    for (const Node& m : n.members) {
      node(m);
      member_number[static_cast<size_t>(m.id)] = next_member++;
    }
    for (const Entry& e : n.member_outputs) entry(e);
  }
  h.word(inputs.size());
  for (NodeId id : inputs) h.word(static_cast<uint64_t>(position(id)));
  h.word(outputs.size());
  for (const Entry& e : outputs) entry(e);
  h.word(static_cast<uint64_t>(num_keys));
  return h.state;
}

uint64_t Graph::labels() const {
  Hasher h;
  const auto node = [&](const Node& n) {
    h.word(static_cast<uint64_t>(n.id));
    h.word(static_cast<uint64_t>(n.segment));
    h.word(n.site);
    h.text(n.name);
    h.text(n.scope);
    h.text(n.text);
    if (n.op == nullptr) return;
    for (const AttrValue& value : n.attrs.values()) {
      const auto* body = std::get_if<SubgraphRef>(&value);
      if (body != nullptr && body->body) h.word(body->body->graph().labels());
    }
  };
  for (const Node& n : nodes) {
    node(n);
    for (const Node& m : n.members) node(m);
  }
  for (const std::string& name : output_names) h.text(name);
  return h.state;
}

}  // namespace hybrid
