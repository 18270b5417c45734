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

std::string with(const std::string& definitions, int64_t size, const char* file) {
  return "#include \"functions.inc\"\n#include \"kernels/reduce_ops.inc\"\n"
         "namespace hybrid {\nnamespace HYBRID_ISA {\nnamespace {\n" +
         definitions + "constexpr int kThreads = " + (size <= kShortRow ? "32" : "256") +
         ";\n}\n}\n}\n#include \"" + file + "\"\n";
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
              k.size, "reduce.inc");
}

std::string search_source(bool largest, DType dtype, int64_t size) {
  return with(std::string("using In = ") + device_type(dtype) + ";\n" + flag("kLargest", largest),
              size, "arg_reduce.inc");
}

std::string softmax_source(DType dtype, int64_t size, bool log) {
  return with(std::string("using T = ") + device_type(dtype) + ";\n" + flag("kLog", log), size,
              "softmax.inc");
}

std::string layer_norm_source(DType dtype, int64_t size) {
  return with(std::string("using T = ") + device_type(dtype) + ";\n", size, "layer_norm.inc");
}

}  // namespace cuda
}  // namespace hybrid
