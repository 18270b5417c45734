// Library: NVIDIA's shared libraries, found at run time; none of them is needed to build or
// install.
#pragma once
#include <string>
#include <vector>

namespace hybrid {
namespace cuda {

// Folders that may hold an `nvidia` package (Python's sys.path); looked at when a library is
// wanted.
void set_package_folders(std::vector<std::string> folders);

// Opens the newest `name` (libnvrtc.so, libcublas.so) of at most this major version, and before it
// the library that it loads by name itself. Null, with the reason in *why, when there is none.
void* open_library(const std::string& name, const std::string& companion, int newest_major,
                   std::string* why);
// The address of a function; null when the library has none.
void* find_symbol(void* library, const char* name);

}  // namespace cuda
}  // namespace hybrid
