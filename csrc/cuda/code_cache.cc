#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cuda/modules.h"

namespace hybrid {
namespace cuda {
namespace {

const char kMagic[] = "jupyter_hybrid kernel 1\n";

uint64_t hash_of(const std::string& text) {
  uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

void make_folders(const std::string& path) {
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    mkdir(path.substr(0, at).c_str(), 0755);
  }
}

}  // namespace

CodeCache CodeCache::of_user() {
  const char* const own = std::getenv("HYBRID_CACHE");
  if (own && *own) return CodeCache(own);
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache) return CodeCache(std::string(cache) + "/jupyter_hybrid");
  const char* const home = std::getenv("HOME");
  return CodeCache(home && *home ? std::string(home) + "/.cache/jupyter_hybrid" : "");
}

std::string CodeCache::path(const std::string& key) const {
  char name[32];
  std::snprintf(name, sizeof name, "%016llx.cubin", static_cast<unsigned long long>(hash_of(key)));
  return folder_ + "/" + name;
}

// The file: magic, length of the key, the key, hash of the code, the code.
std::string CodeCache::find(const std::string& key) const {
  if (folder_.empty()) return "";
  std::ifstream file(path(key), std::ios::binary);
  if (!file) return "";
  std::ostringstream text;
  text << file.rdbuf();
  const std::string all = text.str();
  const std::string head = kMagic + std::to_string(key.size()) + "\n" + key;
  if (all.compare(0, head.size(), head) != 0 || all.size() < head.size() + 16) return "";
  const std::string code = all.substr(head.size() + 16);
  char sum[17];
  std::snprintf(sum, sizeof sum, "%016llx", static_cast<unsigned long long>(hash_of(code)));
  return all.compare(head.size(), 16, sum) == 0 ? code : "";
}

void CodeCache::store(const std::string& key, const std::string& code) const {
  if (folder_.empty()) return;
  static std::atomic<int> number{0};
  const std::string target = path(key);
  make_folders(target);
  const std::string fresh =
      target + "." + std::to_string(getpid()) + "." + std::to_string(number.fetch_add(1));
  char sum[17];
  std::snprintf(sum, sizeof sum, "%016llx", static_cast<unsigned long long>(hash_of(code)));
  std::ofstream file(fresh, std::ios::binary);
  file << kMagic << key.size() << "\n" << key << sum << code;
  file.close();
  if (!file || std::rename(fresh.c_str(), target.c_str()) != 0) std::remove(fresh.c_str());
}

}  // namespace cuda
}  // namespace hybrid
