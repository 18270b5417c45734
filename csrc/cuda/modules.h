// Modules: compiled kernels of a device, and the cache of their machine code on disk.
#pragma once
#include <string>

#include "cuda/device.h"

namespace hybrid {
namespace cuda {

// The function of this name in the source, compiled on first use.
Handle function_of(Device& device, const std::string& source, const char* name);

// Machine code by what it is made of: the whole source is in the file, so that nothing is mistaken
// for something else. Files appear whole (renamed into place): processes may share the folder.
class CodeCache {
 public:
  explicit CodeCache(std::string folder) : folder_(std::move(folder)) {}
  // HYBRID_CACHE, else the user's cache folder; nothing is kept when there is none.
  static CodeCache of_user();
  std::string find(const std::string& key) const;  // "" when it is not there
  void store(const std::string& key, const std::string& code) const;

 private:
  std::string path(const std::string& key) const;
  std::string folder_;
};

}  // namespace cuda
}  // namespace hybrid
