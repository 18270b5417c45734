#include "capi/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "core/error.h"

namespace hybrid {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

File open(const std::string& path, const char* mode) {
  File file(std::fopen(path.c_str(), mode));
  const int why = errno;
  require(file != nullptr, path, ": ", std::strerror(why));
  return file;
}

}  // namespace

std::string read_file(const std::string& path, uint64_t limit) {
  const File file = open(path, "rb");
  std::string bytes;
  size_t step = 1 << 16;
  // Not by its size: a pipe has none.
  for (;;) {
    const size_t had = bytes.size();
    require(had <= limit, path, ": has more than ", limit, " bytes");
    bytes.resize(had + step);
    const size_t got = std::fread(&bytes[had], 1, step, file.get());
    const int why = errno;
    bytes.resize(had + got);
    if (got == step) {
      step = bytes.size();
      continue;
    }
    require(!std::ferror(file.get()), path, ": ", std::strerror(why));
    require(bytes.size() <= limit, path, ": has more than ", limit, " bytes");
    return bytes;
  }
}

void write_file(const std::string& path, const std::string& bytes) {
  File file = open(path, "wb");
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  int why = errno;
  const bool closed = std::fclose(file.release()) == 0;
  if (written && closed) return;
  if (written) why = errno;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
  fail(path, ": ", std::strerror(why));
}

}  // namespace hybrid
