// Whole files in and out of memory, with errors that name them.
#pragma once
#include <cstdint>
#include <string>

namespace hybrid {

// Throws Error naming the file when it cannot be opened or read, or has more than `limit` bytes.
std::string read_file(const std::string& path, uint64_t limit);
// Throws Error; a file that could not be finished is removed.
void write_file(const std::string& path, const std::string& bytes);

}  // namespace hybrid
