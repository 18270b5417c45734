// Interned names, push sites and lanes of the trace.
#include <deque>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/error.h"
#include "core/fork.h"
#include "core/mutex.h"
#include "engine/trace.h"

namespace hybrid {
namespace trace {
namespace {

using SiteKey = std::tuple<std::string, int, int, std::string>;

struct Tables {
  Mutex mutex;
  std::unordered_map<std::string, uint32_t> name_ids;
  std::deque<std::string> names{""};
  std::map<SiteKey, uint32_t> site_ids;
  std::deque<Site> sites{Site{}};
  std::vector<Lane> lanes;
};

Tables& tables() {
  static Tables* const all = new Tables;  // never destroyed: threads may outlive main()
  return *all;
}

const bool held_over_fork = hold_over_fork(
    ForkStage::names, {[] { tables().mutex.lock(); }, [](bool) { tables().mutex.unlock(); }});

thread_local uint32_t this_site = 0;

}  // namespace

uint32_t intern_name(const char* name) {
  if (!name || !*name) return 0;
  Tables& t = tables();
  Guard guard(t.mutex);
  const auto [at, fresh] = t.name_ids.emplace(name, static_cast<uint32_t>(t.names.size()));
  if (fresh) t.names.emplace_back(name);
  return at->second;
}

std::string name_of(uint32_t id) {
  Tables& t = tables();
  Guard guard(t.mutex);
  return id < t.names.size() ? t.names[id] : std::string();
}

uint32_t intern_site(const Site& site) {
  if (site.cell.empty() && site.text.empty() && site.line == 0) return 0;
  Tables& t = tables();
  Guard guard(t.mutex);
  const auto [at, fresh] = t.site_ids.emplace(SiteKey{site.cell, site.line, site.col, site.text},
                                              static_cast<uint32_t>(t.sites.size()));
  if (fresh) t.sites.push_back(site);
  return at->second;
}

Site site_of(uint32_t id) {
  Tables& t = tables();
  Guard guard(t.mutex);
  return id < t.sites.size() ? t.sites[id] : Site{};
}

std::string describe_site(uint32_t id) {
  if (id == 0) return {};
  const Site site = site_of(id);
  std::string text = !site.text.empty() ? site.text : "cell " + site.cell;
  if (site.line > 0) text += ", line " + std::to_string(site.line);
  return text;
}

void set_current_site(uint32_t site) { this_site = site; }
uint32_t current_site() { return this_site; }

uint16_t register_lane(const std::string& name, const std::string& device, const std::string& kind,
                       bool is_virtual) {
  Tables& t = tables();
  Guard guard(t.mutex);
  for (const Lane& lane : t.lanes) {
    if (lane.name == name) return lane.id;
  }
  require(t.lanes.size() < UINT16_MAX, "trace: more than 65534 lanes");
  const auto id = static_cast<uint16_t>(t.lanes.size());
  t.lanes.push_back({id, name, device, kind, is_virtual});
  return id;
}

std::vector<Lane> lanes() {
  Tables& t = tables();
  Guard guard(t.mutex);
  return t.lanes;
}

}  // namespace trace
}  // namespace hybrid
