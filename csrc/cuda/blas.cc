// Products of matrices by cuBLAS, one handle a lane; TF32 only when asked for.
#include <atomic>
#include <type_traits>

#include "cuda/blas.h"
#include "cuda/kernels.h"
#include "cuda/library.h"

namespace hybrid {
namespace cuda {
namespace {

constexpr int kDefaultMath = 0, kTf32Math = 3;
std::atomic<bool> tf32{false};

struct Cublas {
  int (*create)(Handle*) = nullptr;
  int (*set_stream)(Handle, Handle) = nullptr;
  int (*set_math)(Handle, int) = nullptr;
  int (*sgemm)(Handle, int, int, int, int, int, const float*, Address, int, Address, int,
               const float*, Address, int) = nullptr;
  int (*dgemm)(Handle, int, int, int, int, int, const double*, Address, int, Address, int,
               const double*, Address, int) = nullptr;
  std::string why;
  bool usable = false;

  Cublas() {
    void* const library =
        open_library("libcublas.so", "libcublasLt", driver().version / 1000, &why);
    if (!library) return;
    usable = true;
    const auto find = [&](auto* function, const char* name) {
      *function =
          reinterpret_cast<std::remove_pointer_t<decltype(function)>>(find_symbol(library, name));
      usable = usable && *function != nullptr;
    };
    find(&create, "cublasCreate_v2");
    find(&set_stream, "cublasSetStream_v2");
    find(&set_math, "cublasSetMathMode");
    find(&sgemm, "cublasSgemm_v2");
    find(&dgemm, "cublasDgemm_v2");
    if (!usable) why = "libcublas.so lacks a function that is needed";
  }
};

const Cublas& cublas() {
  static const Cublas* const library = new Cublas;
  return *library;
}

void check_blas(int status, const char* function) {
  require(status == 0, "cuda: ", function, ": cuBLAS status ", status);
}

}  // namespace

void set_tf32(bool on) { tf32.store(on); }
bool uses_tf32() { return tf32.load(); }

void Kernels::gemm(DType dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k,
                   const void* a, int64_t lda, const void* b, int64_t ldb, void* c, int64_t ldc,
                   bool accumulate) {
  if (m == 0 || n == 0) return;
  const Cublas& blas = cublas();
  if (!blas.usable) throw NotOnDevice(blas.why);
  if (dtype != DType::float32 && dtype != DType::float64) {
    throw NotOnDevice("products of " + std::string(dtype_name(dtype)));
  }
  for (const int64_t size : {m, n, k, lda, ldb, ldc}) {
    if (size >= int64_t{1} << 31) throw NotOnDevice("a matrix of more than 2^31 rows or columns");
  }
  if (!blas_) {
    check_blas(blas.create(&blas_), "cublasCreate");
    check_blas(blas.set_stream(blas_, lane_.stream()), "cublasSetStream");
  }
  check_blas(blas.set_math(blas_, uses_tf32() ? kTf32Math : kDefaultMath), "cublasSetMathMode");
  lane_.open();
  // cuBLAS counts by columns: what it sees of a row-major matrix is the transpose, and
  // c^T = op(b)^T op(a)^T.
  const auto i = [](int64_t v) { return static_cast<int>(v); };
  if (dtype == DType::float32) {
    const float one = 1, old = accumulate ? 1 : 0;
    check_blas(blas.sgemm(blas_, trans_b, trans_a, i(n), i(m), i(k), &one, address_of(b), i(ldb),
                          address_of(a), i(lda), &old, address_of(c), i(ldc)),
               "cublasSgemm");
  } else {
    const double one = 1, old = accumulate ? 1 : 0;
    check_blas(blas.dgemm(blas_, trans_b, trans_a, i(n), i(m), i(k), &one, address_of(b), i(ldb),
                          address_of(a), i(lda), &old, address_of(c), i(ldc)),
               "cublasDgemm");
  }
}

}  // namespace cuda
}  // namespace hybrid
