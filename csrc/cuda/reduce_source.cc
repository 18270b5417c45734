#include "cuda/reduce_source.h"

#include "cuda/elem_source.h"
#include "kernels/device_kernels.h"

namespace hybrid {
namespace cuda {
namespace {

constexpr int64_t kShortRow = 512;  // elements

std::string flag(const char* name, bool value) {
  return std::string("constexpr bool ") + name + " = " + (value ? "true" : "false") + ";\n";
}

std::string with(const std::string& definitions, int threads, const char* file) {
  return "#include \"functions.inc\"\n#include \"kernels/reduce_ops.inc\"\n"
         "namespace hybrid {\nnamespace HYBRID_ISA {\nnamespace {\n" +
         definitions + "constexpr int kThreads = " + std::to_string(threads) +
         ";\n}\n}\n}\n#include \"" + file + "\"\n";
}

int reduce_threads(int64_t size) { return rows_a_block(size) > 1 ? 32 : 256; }

// Elements of a row that each of its threads keeps; a longer row is read again.
std::string kept(int64_t size, int threads) {
  constexpr int64_t kMost = 32;
  int64_t each = 1;
  while (each * threads < size) each *= 2;
  return "constexpr int kKeep = " + std::to_string(each <= kMost ? each : 0) + ";\n";
}

const char* step_of(Reduction kind) {
  switch (kind) {
    case Reduction::sum:
      return "Sum";
    case Reduction::prod:
      return "Prod";
    case Reduction::max:
      return "Max";
    case Reduction::min:
      return "Min";
    case Reduction::any:
      return "Any";
    case Reduction::all:
      return "All";
    case Reduction::sum_squares:
      return "SumSquares";
    case Reduction::nansum:
      return "NanSum";
    default:
      throw NotOnDevice("that reduction is computed by the CPU");
  }
}

}  // namespace

int softmax_threads(int64_t size) {
  constexpr int64_t kLongRow = 2048;
  return size <= kShortRow ? 32 : size <= kLongRow ? 256 : 1024;
}

int norm_threads(int64_t size) { return size <= kShortRow ? 32 : 256; }

int64_t rows_a_block(int64_t size) { return size <= kShortRow ? 8 : 1; }

Reduction joined(Reduction kind) {
  return kind == Reduction::sum_squares || kind == Reduction::nansum ? Reduction::sum : kind;
}

DType accumulator_of(DType dtype) { return is_floating(dtype) ? DType::float64 : DType::int64; }

std::string reduce_source(const ReduceKernel& k) {
  return with(std::string("using In = ") + device_type(k.in) +
                  ";\nusing Out = " + device_type(k.out) + ";\nusing Op = " + step_of(k.kind) +
                  ";\nusing Joined = " + step_of(joined(k.kind)) + ";\n" + flag("kFlip", k.flip) +
                  flag("kFlipBack", k.flip_back) + flag("kToBool", k.out == DType::boolean),
              reduce_threads(k.size), "reduce.inc");
}

std::string search_source(bool largest, DType dtype, int64_t size) {
  return with(std::string("using In = ") + device_type(dtype) + ";\n" + flag("kLargest", largest),
              reduce_threads(size), "arg_reduce.inc");
}

std::string softmax_source(DType dtype, int64_t size, bool log, bool cooled) {
  return with(std::string("using T = ") + device_type(dtype) + ";\n" + flag("kLog", log) +
                  flag("kCooled", cooled) + kept(size, softmax_threads(size)),
              softmax_threads(size), "softmax.inc");
}

std::string images_source(DType dtype) {
  return with(std::string("using T = ") + device_type(dtype) + ";\n", 256, "images.inc");
}

std::string gather_source(DType dtype, DType index, bool wraps) {
  return with(std::string("using T = ") + device_type(dtype) +
                  ";\nusing Index = " + device_type(index) + ";\n" + flag("kWrap", wraps),
              256, "gather.inc");
}

std::string layer_norm_source(DType dtype, int64_t size) {
  return with(
      std::string("using T = ") + device_type(dtype) + ";\n" + kept(size, norm_threads(size)),
      norm_threads(size), "layer_norm.inc");
}

}  // namespace cuda
}  // namespace hybrid
