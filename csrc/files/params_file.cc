// MXNet's .params files: lists of arrays with optional names; untrusted when read.
//
// uint64 0x112, uint64 0, uint64 count, the arrays, uint64 count of names, then each name as
// uint64 length and bytes. All little-endian. An array is
//   V2, V3: uint32 magic, int32 storage type, shape, device type, device id, type flag, data
//   V1:     uint32 magic, shape, device type, device id, type flag, data
//   oldest: uint32 rank, uint32 sizes, device type, device id, type flag, data
// with shape = int32 rank, int64 sizes. V3 has NumPy's shapes (rank 0 a scalar, -1 no array);
// before it rank 0 means no array, and then nothing follows the shape.
#include <algorithm>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "files/utf8.h"
#include "graph/constant.h"
#include "kernels/host_copy.h"
#include "symbol/symbol.h"

namespace hybrid {

namespace {

constexpr uint64_t kListMagic = 0x112;
constexpr uint32_t kMagicV1 = 0xf993fac8, kMagicV2 = 0xf993fac9, kMagicV3 = 0xf993faca;
// An array takes some 300 bytes beside its values, and one that is absent as few as 4 of a file.
constexpr uint64_t kFreeArrays = 16384, kBytesPerArray = 32;

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}

  std::vector<NamedArray> read(bool* np_shape) {
    list(nullptr, np_shape);  // a bad file is refused before memory is taken
    at_ = 0;
    std::vector<NamedArray> result;
    list(&result, np_shape);
    return result;
  }

 private:
  // Checks the whole file; keeps the arrays where there is a `result`.
  void list(std::vector<NamedArray>* result, bool* np_shape) {
    what_ = "the header";
    require(number<uint64_t>() == kListMagic,
            "params: the first 8 bytes are not those of an MXNet array file");
    number<uint64_t>();  // reserved
    const uint64_t count = counted(4, "arrays");
    require(count <= kFreeArrays + bytes_.size() / kBytesPerArray, "params: ", count,
            " arrays in a file of ", bytes_.size(), " bytes, expected at most ", kFreeArrays,
            " and one for each further ", kBytesPerArray, " bytes");
    if (result != nullptr) result->resize(count);
    bool all_v3 = count > 0;
    for (uint64_t i = 0; i < count; ++i) {
      what_ = "array " + std::to_string(i);
      bool v3 = false;
      NDArray* array = result != nullptr ? &(*result)[i].array : nullptr;
      read_array(&v3, array);
      all_v3 &= v3;
    }
    what_ = "the names";
    const uint64_t names = counted(8, "names");
    require(names == 0 || names == count, "params: ", count, " arrays, but ", names, " names");
    for (uint64_t i = 0; i < names; ++i) {
      what_ = "name " + std::to_string(i);
      const uint64_t length = number<uint64_t>();
      const char* text = take(length);
      require(is_utf8(text, length), "params: ", what_, " is not UTF-8 text");
      if (result != nullptr) (*result)[i].name.assign(text, length);
    }
    require(at_ == bytes_.size(), "params: ", bytes_.size() - at_,
            " bytes follow the end of the file");
    if (np_shape != nullptr) *np_shape = all_v3;
  }

  // The only place that advances: nothing is read or allocated that is not there.
  const char* take(uint64_t length) {
    const uint64_t left = bytes_.size() - at_;
    require(length <= left, "params: ", what_, " needs ", length, " bytes at offset ", at_,
            ", the file has ", left, " left: it is truncated or corrupt");
    const char* p = bytes_.data() + at_;
    at_ += length;
    return p;
  }

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }

  // A count of things that take at least `each` bytes.
  uint64_t counted(uint64_t each, const char* things) {
    const uint64_t count = number<uint64_t>();
    require(count <= (bytes_.size() - at_) / each, "params: ", count, " ", things,
            " are declared, the file has only ", bytes_.size() - at_, " bytes left");
    return count;
  }

  // `result`: null where the array is checked only.
  void read_array(bool* v3, NDArray* result) {
    const uint32_t magic = number<uint32_t>();
    *v3 = magic == kMagicV3;
    const bool old = magic != kMagicV1 && magic != kMagicV2 && magic != kMagicV3;
    if (magic == kMagicV2 || magic == kMagicV3) {
      const int32_t stype = number<int32_t>();
      require(stype == 0, "params: ", what_, " has storage type ", stype,
              "; only dense arrays (0) can be read");
    }
    const int32_t rank = old ? static_cast<int32_t>(magic) : number<int32_t>();
    require(rank >= -1 && rank <= kMaxDims, "params: ", what_, " has ", rank,
            " dimensions; expected at most ", kMaxDims);
    if (rank == (*v3 ? -1 : 0)) return;
    require(rank >= 0, "params: ", what_, " has ", rank, " dimensions");
    Shape shape;
    uint64_t elements = 1;
    for (int32_t i = 0; i < rank; ++i) {
      const int64_t dim = old ? static_cast<int64_t>(number<uint32_t>()) : number<int64_t>();
      require(dim >= 0, "params: ", what_, " has a dimension of ", dim);
      require(dim == 0 || elements <= (uint64_t{1} << 62) / static_cast<uint64_t>(dim),
              "params: ", what_, " declares more than 2^62 elements");
      elements *= static_cast<uint64_t>(dim);
      shape.push_back(dim);
    }
    const int32_t device = number<int32_t>();
    require(device >= 1 && device <= 5, "params: ", what_, " has device type ", device,
            "; expected 1 to 5");
    number<int32_t>();  // device id
    const int32_t flag = number<int32_t>();
    DType dtype = DType::unknown;
    try {
      dtype = dtype_from_flag(flag);
    } catch (const Error& error) {
      fail("params: ", what_, ": ", error.what());
    }
    const uint64_t size = dtype_size(dtype);
    require(elements <= std::numeric_limits<uint64_t>::max() / size, "params: ", what_,
            " declares more bytes than there are");
    const char* data = take(elements * size);
    if (result == nullptr) return;
    *result = NDArray::empty(shape, dtype, Context());
    if (elements > 0) copy_from_host(*result, data, elements * size);
  }

  const std::string& bytes_;
  size_t at_ = 0;
  std::string what_;
};

template <class T>
void append(std::string* out, T value) {
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_array(std::string* out, const NDArray& array, bool np_shape) {
  if (!array.defined()) {
    append<uint32_t>(out, np_shape ? kMagicV3 : kMagicV2);
    append<int32_t>(out, 0);
    append<int32_t>(out, np_shape ? -1 : 0);
    return;
  }
  append<uint32_t>(out, np_shape ? kMagicV3 : kMagicV2);
  append<int32_t>(out, 0);
  append<int32_t>(out, array.shape.ndim());
  for (int64_t dim : array.shape) append<int64_t>(out, dim);
  append<int32_t>(out, static_cast<int32_t>(DeviceType::cpu));
  append<int32_t>(out, 0);
  append<int32_t>(out, static_cast<int32_t>(array.dtype));
  *out += constant_bytes(array);
}

// Before V3 rank 0 meant "no array" and a size of 0 "not known". MXNet reads no file of both forms.
bool needs_v3(const NamedArray& a) {
  return a.array.defined() && (a.array.shape.ndim() == 0 || a.array.shape.size() == 0);
}

}  // namespace

std::string save_params(const std::vector<NamedArray>& arrays, bool np_shape) {
  const bool named = std::any_of(arrays.begin(), arrays.end(),
                                 [](const NamedArray& a) { return !a.name.empty(); });
  const bool v3 = np_shape || std::any_of(arrays.begin(), arrays.end(), needs_v3);
  std::string out;
  append<uint64_t>(&out, kListMagic);
  append<uint64_t>(&out, 0);
  append<uint64_t>(&out, arrays.size());
  for (const NamedArray& a : arrays) append_array(&out, a.array, v3);
  append<uint64_t>(&out, named ? arrays.size() : 0);
  if (!named) return out;
  for (const NamedArray& a : arrays) {
    append<uint64_t>(&out, a.name.size());
    out += a.name;
  }
  return out;
}

std::vector<NamedArray> load_params(const std::string& bytes, bool* np_shape) {
  return Reader(bytes).read(np_shape);
}

}  // namespace hybrid
