//! cuSOLVER, loaded at run time. Declarations follow the ABI of cusolverDn.h of CUDA 12 and 13.
#include "lib/runtime/cuda/Cublas.h"
#include "lib/runtime/cuda/LibraryObject.h"
#include "lib/runtime/cuda/SharedLibrary.h"
#include "lib/runtime/cuda/Solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <mutex>

namespace proa::cuda {
namespace {

using Status = int;
using Handle = void *;
using Address = DeviceAddress;
constexpr size_t typeCount = 4; ///< s, d, c, z

/// The functions of one type, named as in cusolverDn.h.
struct TypedApi {
  Status (*potrfBytes)(Handle, int fill, int n, Address a, int lda, int *elements) = nullptr;
  Status (*potrf)(Handle, int fill, int n, Address a, int lda, Address work, int elements,
                  Address info) = nullptr;
  Status (*potrs)(Handle, int fill, int n, int columns, Address a, int lda, Address b, int ldb,
                  Address info) = nullptr;
  Status (*getrfBytes)(Handle, int m, int n, Address a, int lda, int *elements) = nullptr;
  Status (*getrf)(Handle, int m, int n, Address a, int lda, Address work, Address pivots,
                  Address info) = nullptr;
  Status (*getrs)(Handle, int operation, int n, int columns, Address a, int lda, Address pivots, Address b,
                  int ldb, Address info) = nullptr;
  Status (*geqrfBytes)(Handle, int m, int n, Address a, int lda, int *elements) = nullptr;
  Status (*geqrf)(Handle, int m, int n, Address a, int lda, Address tau, Address work, int elements,
                  Address info) = nullptr;
  Status (*orgqrBytes)(Handle, int m, int n, int k, Address a, int lda, Address tau, int *elements) = nullptr;
  Status (*orgqr)(Handle, int m, int n, int k, Address a, int lda, Address tau, Address work, int elements,
                  Address info) = nullptr;
  Status (*syevdBytes)(Handle, int job, int fill, int n, Address a, int lda, Address w,
                       int *elements) = nullptr;
  Status (*syevd)(Handle, int job, int fill, int n, Address a, int lda, Address w, Address work, int elements,
                  Address info) = nullptr;
  Status (*gesvdjBytes)(Handle, int job, int econ, int m, int n, Address a, int lda, Address s, Address u,
                        int ldu, Address v, int ldv, int *elements, Handle parameters) = nullptr;
  Status (*gesvdj)(Handle, int job, int econ, int m, int n, Address a, int lda, Address s, Address u, int ldu,
                   Address v, int ldv, Address work, int elements, Address info, Handle parameters) = nullptr;

  void load(SharedLibrary &library, char letter) {
    bool isComplex = letter == 'C' || letter == 'Z';
    const char *orthogonal = isComplex ? "ungqr" : "orgqr", *symmetric = isComplex ? "heevd" : "syevd";
    auto both = [&](auto *&bytes, auto *&function, const char *name) {
      std::string full = fmt::format("cusolverDn{}{}", letter, name);
      library.load(bytes, (full + "_bufferSize").c_str());
      library.load(function, full.c_str());
    };
    both(potrfBytes, potrf, "potrf");
    both(getrfBytes, getrf, "getrf");
    both(geqrfBytes, geqrf, "geqrf");
    both(orgqrBytes, orgqr, orthogonal);
    both(syevdBytes, syevd, symmetric);
    both(gesvdjBytes, gesvdj, "gesvdj");
    library.load(potrs, fmt::format("cusolverDn{}potrs", letter).c_str());
    library.load(getrs, fmt::format("cusolverDn{}getrs", letter).c_str());
  }
};

struct Api {
  Status (*create)(Handle *handle) = nullptr;
  Status (*destroy)(Handle handle) = nullptr;
  Status (*setStream)(Handle handle, void *stream) = nullptr;
  Status (*jacobiCreate)(Handle *parameters) = nullptr;
  Status (*jacobiDestroy)(Handle parameters) = nullptr;
  std::array<TypedApi, typeCount> types;
};

Result<void> result(const char *function, Status status) {
  static const std::map<Status, const char *> names = {
      {1, "CUSOLVER_STATUS_NOT_INITIALIZED"},  {2, "CUSOLVER_STATUS_ALLOC_FAILED"},
      {3, "CUSOLVER_STATUS_INVALID_VALUE"},    {4, "CUSOLVER_STATUS_ARCH_MISMATCH"},
      {6, "CUSOLVER_STATUS_EXECUTION_FAILED"}, {7, "CUSOLVER_STATUS_INTERNAL_ERROR"},
      {9, "CUSOLVER_STATUS_NOT_SUPPORTED"}};
  if (status == 0)
    return {};
  auto name = names.find(status);
  return errorAt("", name == names.end() ? fmt::format("{}: cuSOLVER error {}", function, status)
                                         : fmt::format("{}: {}", function, name->second));
}

int sizeOfMatrix(int64_t size) { return static_cast<int>(size); }

class Cusolver final : public Solver {
public:
  Cusolver(const Api &api, std::shared_ptr<Driver> driver, std::shared_ptr<Cublas> blas, LibraryObject handle,
           LibraryObject jacobi)
      : api(api), driver(std::move(driver)), blas(std::move(blas)), handle(std::move(handle)),
        jacobi(std::move(jacobi)) {}

  Result<size_t> workspaceBytes(Operation operation, DType dtype, const DeviceMatrix &a, bool job) override {
    if (std::max(a.rows, a.columns) > std::numeric_limits<int32_t>::max())
      return errorAt("", "cuSOLVER has no matrices of more than 2^31 rows or columns");
    std::lock_guard lock(mutex);
    Result<int> elements = elementsOf(operation, dtype, a, job);
    return elements ? Result<size_t>(static_cast<size_t>(*elements) * sizeOf(dtype))
                    : Result<size_t>(elements.diagnostics());
  }

  Result<void> potrf(DType dtype, bool upper, const DeviceMatrix &a, Address workspace, Address info,
                     StreamHandle stream) override {
    return call(Operation::Potrf, dtype, a, upper, stream, [&](const TypedApi &typed, int elements) {
      return typed.potrf(handle.get(), upper, n(a), a.data, lda(a), workspace, elements, info);
    });
  }
  Result<void> potrs(DType dtype, bool upper, const DeviceMatrix &a, const DeviceMatrix &b, Address info,
                     StreamHandle stream) override {
    return call(std::nullopt, dtype, a, false, stream, [&](const TypedApi &typed, int) {
      return typed.potrs(handle.get(), upper, n(a), n(b), a.data, lda(a), b.data, lda(b), info);
    });
  }
  Result<void> getrf(DType dtype, const DeviceMatrix &a, Address pivots, Address workspace, Address info,
                     StreamHandle stream) override {
    return call(Operation::Getrf, dtype, a, false, stream, [&](const TypedApi &typed, int) {
      return typed.getrf(handle.get(), m(a), n(a), a.data, lda(a), workspace, pivots, info);
    });
  }
  Result<void> getrs(DType dtype, const DeviceMatrix &a, Address pivots, const DeviceMatrix &b, Address info,
                     StreamHandle stream) override {
    return call(std::nullopt, dtype, a, false, stream, [&](const TypedApi &typed, int) {
      return typed.getrs(handle.get(), 0, n(a), n(b), a.data, lda(a), pivots, b.data, lda(b), info);
    });
  }
  Result<void> geqrf(DType dtype, const DeviceMatrix &a, Address tau, Address workspace, Address info,
                     StreamHandle stream) override {
    return call(Operation::Geqrf, dtype, a, false, stream, [&](const TypedApi &typed, int elements) {
      return typed.geqrf(handle.get(), m(a), n(a), a.data, lda(a), tau, workspace, elements, info);
    });
  }
  Result<void> orgqr(DType dtype, const DeviceMatrix &a, int64_t count, Address tau, Address workspace,
                     Address info, StreamHandle stream) override {
    return call(Operation::Orgqr, dtype, a, false, stream, [&](const TypedApi &typed, int elements) {
      return typed.orgqr(handle.get(), m(a), n(a), sizeOfMatrix(count), a.data, lda(a), tau, workspace,
                         elements, info);
    });
  }
  Result<void> syevd(DType dtype, bool vectors, bool upper, const DeviceMatrix &a, Address values,
                     Address workspace, Address info, StreamHandle stream) override {
    return call(Operation::Syevd, dtype, a, vectors, stream, [&](const TypedApi &typed, int elements) {
      return typed.syevd(handle.get(), vectors, upper, n(a), a.data, lda(a), values, workspace, elements,
                         info);
    });
  }
  Result<void> gesvdj(DType dtype, bool full, const DeviceMatrix &a, Address values, const DeviceMatrix &u,
                      const DeviceMatrix &v, Address workspace, Address info, StreamHandle stream) override {
    return call(Operation::Gesvdj, dtype, a, full, stream, [&](const TypedApi &typed, int elements) {
      constexpr int withVectors = 1;
      return typed.gesvdj(handle.get(), withVectors, !full, m(a), n(a), a.data, lda(a), values, u.data,
                          lda(u), v.data, lda(v), workspace, elements, info, jacobi.get());
    });
  }

  Result<void> trsm(DType dtype, bool upper, bool transposed, bool unit, bool left, const DeviceMatrix &a,
                    const DeviceMatrix &b, StreamHandle stream) override {
    return blas->trsm(dtype, {upper, transposed, unit, left}, a.data, b.data, b.rows, b.columns, stream);
  }
  Result<void> transpose(DType dtype, bool conjugate, const DeviceMatrix &from, Address to,
                         StreamHandle stream) override {
    return blas->transpose(dtype, conjugate, from.data, from.rows, from.columns, from.leading(), to, stream);
  }
  Result<void> clearOther(DType dtype, bool upper, const DeviceMatrix &a, Address workspace,
                          StreamHandle stream) override {
    return blas->clearOther(dtype, upper, a.data, a.columns, a.leading(), workspace, stream);
  }

private:
  const Api api;
  std::shared_ptr<Driver> driver;
  std::shared_ptr<Cublas> blas;
  LibraryObject handle, jacobi;
  std::mutex mutex;

  static int m(const DeviceMatrix &a) { return sizeOfMatrix(a.rows); }
  static int n(const DeviceMatrix &a) { return sizeOfMatrix(a.columns); }
  static int lda(const DeviceMatrix &a) { return sizeOfMatrix(a.leading()); }
  const TypedApi &typed(DType dtype) const {
    return api.types[dtype == DType::Float64      ? 1
                     : dtype == DType::Complex64  ? 2
                     : dtype == DType::Complex128 ? 3
                                                  : 0];
  }

  Result<int> elementsOf(Operation operation, DType dtype, const DeviceMatrix &a, bool job) {
    if (Result<void> current = driver->makeCurrent(); !current)
      return current.diagnostics();
    const TypedApi &api = typed(dtype);
    int elements = 0, least = std::min(m(a), n(a));
    Status status = 0;
    switch (operation) {
    case Operation::Potrf:
      status = api.potrfBytes(handle.get(), job, n(a), a.data, lda(a), &elements);
      break;
    case Operation::Getrf:
      status = api.getrfBytes(handle.get(), m(a), n(a), a.data, lda(a), &elements);
      break;
    case Operation::Geqrf:
      status = api.geqrfBytes(handle.get(), m(a), n(a), a.data, lda(a), &elements);
      break;
    case Operation::Orgqr:
      status = api.orgqrBytes(handle.get(), m(a), n(a), least, a.data, lda(a), a.data, &elements);
      break;
    case Operation::Syevd:
      status = api.syevdBytes(handle.get(), job, 0, n(a), a.data, lda(a), a.data, &elements);
      break;
    case Operation::Gesvdj: {
      int rightRows = n(a);
      status = api.gesvdjBytes(handle.get(), 1, !job, m(a), n(a), a.data, lda(a), a.data, a.data, lda(a),
                               a.data, std::max(rightRows, 1), &elements, jacobi.get());
      break;
    }
    }
    if (Result<void> done = result("cusolverDn_bufferSize", status); !done)
      return done.diagnostics();
    return std::max(elements, 1);
  }

  /// Calls `body(functions, elements of the workspace)` on a stream.
  template <class Body>
  Result<void> call(std::optional<Operation> operation, DType dtype, const DeviceMatrix &a, bool job,
                    StreamHandle stream, Body body) {
    std::lock_guard lock(mutex);
    if (Result<void> current = driver->makeCurrent(); !current)
      return current;
    Result<int> elements = operation ? elementsOf(*operation, dtype, a, job) : Result<int>(0);
    if (!elements)
      return elements.diagnostics();
    if (Result<void> set = result("cusolverDnSetStream", api.setStream(handle.get(), stream.value)); !set)
      return set;
    static constexpr const char *names[] = {"cusolverDnPotrf", "cusolverDnGetrf", "cusolverDnGeqrf",
                                            "cusolverDnOrgqr", "cusolverDnSyevd", "cusolverDnGesvdj"};
    return result(operation ? names[static_cast<size_t>(*operation)] : "cusolverDn solve",
                  body(typed(dtype), *elements));
  }
};

} // namespace

Result<std::shared_ptr<Solver>> openCusolver(std::shared_ptr<Driver> driver, const std::string &file) {
  Result<SharedLibrary> library = SharedLibrary::open(
      {"cuSOLVER", {"libcusolver.so.12", "libcusolver.so.11"}, "cuSOLVER of CUDA 12 or 13"}, file);
  if (!library)
    return library.diagnostics();
  Api api;
  library->load(api.create, "cusolverDnCreate");
  library->load(api.destroy, "cusolverDnDestroy");
  library->load(api.setStream, "cusolverDnSetStream");
  library->load(api.jacobiCreate, "cusolverDnCreateGesvdjInfo");
  library->load(api.jacobiDestroy, "cusolverDnDestroyGesvdjInfo");
  for (size_t i = 0; i < typeCount; ++i)
    api.types[i].load(*library, "SDCZ"[i]);
  if (Result<void> complete = library->complete(); !complete)
    return complete.diagnostics();
  Result<std::shared_ptr<Cublas>> blas = Cublas::open(driver);
  if (!blas)
    return blas.diagnostics();
  Handle handle = nullptr, jacobi = nullptr;
  if (Result<void> created = result("cusolverDnCreate", api.create(&handle)); !created)
    return created.diagnostics();
  LibraryObject solver(handle, api.destroy);
  if (Result<void> created = result("cusolverDnCreateGesvdjInfo", api.jacobiCreate(&jacobi)); !created)
    return created.diagnostics();
  return std::shared_ptr<Solver>(std::make_shared<Cusolver>(
      api, std::move(driver), std::move(*blas), std::move(solver), LibraryObject(jacobi, api.jacobiDestroy)));
}

} // namespace proa::cuda
