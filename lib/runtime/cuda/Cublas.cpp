//! cuBLAS, loaded at run time. Declarations follow the ABI of cublas_api.h of CUDA 12 and 13.
#include "lib/runtime/cuda/Cublas.h"

#include "lib/runtime/cuda/SharedLibrary.h"

#include <fmt/format.h>

#include <array>

namespace proa::cuda {
namespace {

using Status = int;
constexpr int plain = 0, transposedOp = 1, conjugated = 2;

/// The letter of a type in names of functions, as an index: s, d, c, z.
size_t letterOf(DType dtype) {
  switch (dtype) {
  case DType::Float64:
    return 1;
  case DType::Complex64:
    return 2;
  case DType::Complex128:
    return 3;
  default:
    return 0;
  }
}

/// Numbers of all types: a pointer to the number of a dtype.
struct Constant {
  explicit Constant(double value)
      : narrow(static_cast<float>(value)), wide(value), narrowComplex(narrow), wideComplex(wide) {}
  const void *of(DType dtype) const {
    const void *all[] = {&narrow, &wide, &narrowComplex, &wideComplex};
    return all[letterOf(dtype)];
  }
  float narrow;
  double wide;
  std::complex<float> narrowComplex;
  std::complex<double> wideComplex;
};

} // namespace

struct Cublas::Api {
  Status (*create)(void **handle) = nullptr;
  Status (*destroy)(void *handle) = nullptr;
  Status (*setStream)(void *handle, void *stream) = nullptr;
  const char *(*statusName)(Status status) = nullptr;
  Status (*scaleFloat)(void *handle, int64_t count, const float *factor, DeviceAddress x,
                       int64_t step) = nullptr;
  Status (*scaleDouble)(void *handle, int64_t count, const double *factor, DeviceAddress x,
                        int64_t step) = nullptr;
  using Geam = Status (*)(void *handle, int operationA, int operationB, int64_t m, int64_t n,
                          const void *alpha, DeviceAddress a, int64_t lda, const void *beta, DeviceAddress b,
                          int64_t ldb, DeviceAddress c, int64_t ldc);
  using Trsm = Status (*)(void *handle, int side, int fill, int operation, int diagonal, int64_t m, int64_t n,
                          const void *alpha, DeviceAddress a, int64_t lda, DeviceAddress b, int64_t ldb);
  using Pack = Status (*)(void *handle, int fill, int n, DeviceAddress a, int lda, DeviceAddress packed);
  using Unpack = Status (*)(void *handle, int fill, int n, DeviceAddress packed, DeviceAddress a, int lda);
  std::array<Geam, 4> geam{};
  std::array<Pack, 4> pack{};
  std::array<Unpack, 4> unpack{};
  std::array<Trsm, 4> trsm{};

  Result<void> load() {
    Result<SharedLibrary> library =
        SharedLibrary::open({"cuBLAS", {"libcublas.so.13", "libcublas.so.12"}, "cuBLAS of CUDA 12 or 13"});
    if (!library)
      return library.diagnostics();
    library->load(create, "cublasCreate_v2");
    library->load(destroy, "cublasDestroy_v2");
    library->load(setStream, "cublasSetStream_v2");
    library->load(statusName, "cublasGetStatusName");
    library->load(scaleFloat, "cublasSscal_v2_64");
    library->load(scaleDouble, "cublasDscal_v2_64");
    for (size_t i = 0; i < 4; ++i) {
      library->load(geam[i], fmt::format("cublas{}geam_64", "SDCZ"[i]).c_str());
      library->load(pack[i], fmt::format("cublas{}trttp", "SDCZ"[i]).c_str());
      library->load(unpack[i], fmt::format("cublas{}tpttr", "SDCZ"[i]).c_str());
      library->load(trsm[i], fmt::format("cublas{}trsm_v2_64", "SDCZ"[i]).c_str());
    }
    return library->complete();
  }
};

Cublas::Cublas(std::unique_ptr<Api> api, std::shared_ptr<Driver> driver, void *handle)
    : api(std::move(api)), driver(std::move(driver)), handle(handle) {}

Cublas::~Cublas() { api->destroy(handle); }

Result<std::shared_ptr<Cublas>> Cublas::open(std::shared_ptr<Driver> driver) {
  auto api = std::make_unique<Api>();
  if (Result<void> loaded = api->load(); !loaded)
    return loaded.diagnostics();
  if (Result<void> current = driver->makeCurrent(); !current)
    return current.diagnostics();
  void *handle = nullptr;
  if (Status status = api->create(&handle); status != 0)
    return errorAt("", fmt::format("cublasCreate: {}", api->statusName(status)));
  return std::shared_ptr<Cublas>(new Cublas(std::move(api), std::move(driver), handle));
}

Result<void> Cublas::result(const char *function, Status status) const {
  return status == 0 ? Result<void>()
                     : Result<void>(errorAt("", fmt::format("{}: {}", function, api->statusName(status))));
}

Result<void> Cublas::select(StreamHandle stream) {
  if (Result<void> current = driver->makeCurrent(); !current)
    return current;
  return result("cublasSetStream", api->setStream(handle, stream.value));
}

Result<void> Cublas::scale(bool isDouble, double factor, DeviceAddress x, int64_t count,
                           StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Result<void> selected = select(stream); !selected)
    return selected;
  auto narrow = static_cast<float>(factor);
  return result("cublasScal", isDouble ? api->scaleDouble(handle, count, &factor, x, 1)
                                       : api->scaleFloat(handle, count, &narrow, x, 1));
}

Result<void> Cublas::transpose(DType dtype, bool conjugate, DeviceAddress from, int64_t rows, int64_t columns,
                               int64_t leading, DeviceAddress to, StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Result<void> selected = select(stream); !selected)
    return selected;
  Constant one(1), zero(0);
  return result("cublasGeam", api->geam[letterOf(dtype)](handle, conjugate ? conjugated : transposedOp, plain,
                                                         columns, rows, one.of(dtype), from, leading,
                                                         zero.of(dtype), to, columns, to, columns));
}

Result<void> Cublas::clearOther(DType dtype, bool upper, DeviceAddress a, int64_t n, int64_t leading,
                                DeviceAddress workspace, StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Result<void> selected = select(stream); !selected)
    return selected;
  size_t type = letterOf(dtype);
  int fill = upper ? 1 : 0, size = static_cast<int>(n), lda = static_cast<int>(leading);
  Constant zero(0);
  if (auto done = result("cublasTrttp", api->pack[type](handle, fill, size, a, lda, workspace)); !done)
    return done;
  if (auto done = result("cublasGeam", api->geam[type](handle, plain, plain, n, n, zero.of(dtype), a, leading,
                                                       zero.of(dtype), a, leading, a, leading));
      !done)
    return done;
  return result("cublasTpttr", api->unpack[type](handle, fill, size, workspace, a, lda));
}

Result<void> Cublas::trsm(DType dtype, const Triangle &triangle, DeviceAddress a, DeviceAddress b,
                          int64_t rows, int64_t columns, StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Result<void> selected = select(stream); !selected)
    return selected;
  Constant one(1);
  return result("cublasTrsm", api->trsm[letterOf(dtype)](
                                  handle, triangle.left ? 0 : 1, triangle.upper ? 1 : 0,
                                  triangle.transposed ? transposedOp : plain, triangle.unit ? 1 : 0, rows,
                                  columns, one.of(dtype), a, triangle.left ? rows : columns, b, rows));
}

} // namespace proa::cuda
