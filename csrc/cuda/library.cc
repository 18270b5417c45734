#include "cuda/library.h"

#include <dirent.h>
#include <dlfcn.h>

#include <cstdlib>
#include <mutex>

namespace hybrid {
namespace cuda {
namespace {

constexpr int kOldestMajor = 12;

std::mutex folders_mutex;
std::vector<std::string>& package_folders() {
  static auto* const folders = new std::vector<std::string>;
  return *folders;
}

std::vector<std::string> candidate_folders(int major) {
  std::vector<std::string> found;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const root = std::getenv(variable);
    if (root && *root) found.push_back(std::string(root) + "/lib64");
  }
  {
    const std::lock_guard<std::mutex> guard(folders_mutex);
    for (const std::string& folder : package_folders()) {
      const std::string packages = folder + "/nvidia/";
      for (const std::string& package :
           {"cu" + std::to_string(major), std::string("cuda_nvrtc"), std::string("cublas")}) {
        found.push_back(packages + package + "/lib");
      }
    }
  }
  found.push_back("/usr/local/cuda/lib64");
  found.push_back("");  // where the system looks
  return found;
}

// The loader is told where a library lies that another one asks for by its bare name.
void open_companions(const std::string& folder, const std::string& prefix) {
  DIR* const directory = opendir(folder.c_str());
  if (!directory) return;
  while (const dirent* const entry = readdir(directory)) {
    const std::string name = entry->d_name;
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    dlopen((folder + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  closedir(directory);
}

}  // namespace

void set_package_folders(std::vector<std::string> folders) {
  const std::lock_guard<std::mutex> guard(folders_mutex);
  package_folders() = std::move(folders);
}

void* open_library(const std::string& name, const std::string& companion, int newest_major,
                   std::string* why) {
  for (int major = newest_major; major >= kOldestMajor; --major) {
    const std::string file = name + "." + std::to_string(major);
    for (const std::string& folder : candidate_folders(major)) {
      if (!folder.empty() && !companion.empty()) {
        const std::string suffix = ".so." + std::to_string(major);
        open_companions(folder, companion + suffix);
      }
      const std::string path = folder.empty() ? file : folder + "/" + file;
      if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    }
  }
  *why = name + "." + std::to_string(newest_major) +
         " was not found: pip install 'jupyter_hybrid[cuda]' brings it";
  return nullptr;
}

void* find_symbol(void* library, const char* name) { return dlsym(library, name); }

}  // namespace cuda
}  // namespace hybrid
