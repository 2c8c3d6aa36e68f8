//! cuBLASLt, loaded at run time. Declarations and numbers follow the ABI of cublasLt.h of CUDA 12 and 13.
#include "lib/runtime/cuda/Blas.h"
#include "lib/runtime/cuda/LibraryObject.h"
#include "lib/runtime/cuda/SharedLibrary.h"
#include "lib/runtime/run/Device.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace proa::cuda {
namespace {

using Status = int;
using Handle = void *;

/// The values of the enumerations of cublasLt.h, cublas_api.h and library_types.h that are used.
namespace value {
enum Compute : int { compute32F = 68, compute64F = 70, compute32FFastTF32 = 77 };
enum DataType : int { real32F = 0, real64F = 1, real16F = 2, real16BF = 14 };
enum Operation : int { notTransposed = 0, transposed = 1 };
enum LayoutAttribute : int { batchCount = 5, stridedBatchOffset = 6 };
enum DescriptionAttribute : int { transposeA = 3, transposeB = 4, epilogue = 7, biasPointer = 8 };
enum Epilogue : int { plain = 1, relu = 2, bias = 4, gelu = 32 };
enum Preference : int {
  maxWorkspaceBytes = 1,
  alignmentA = 5,
  alignmentB = 6,
  alignmentC = 7,
  alignmentD = 8
};
constexpr int notSupported = 15; ///< cublasStatus_t
} // namespace value

struct Algorithm {
  uint64_t data[8];
};
struct HeuristicResult {
  Algorithm algorithm;
  size_t workspaceBytes;
  Status state;
  float waves;
  int reserved[4];
};

/// The functions that are used, as in cublasLt.h.
struct Api {
  Status (*create)(Handle *handle) = nullptr;
  Status (*destroy)(Handle handle) = nullptr;
  const char *(*statusName)(Status status) = nullptr;
  Status (*layoutCreate)(Handle *layout, int type, uint64_t rows, uint64_t columns,
                         int64_t leading) = nullptr;
  Status (*layoutDestroy)(Handle layout) = nullptr;
  Status (*layoutSet)(Handle layout, int attribute, const void *value, size_t bytes) = nullptr;
  Status (*descriptionCreate)(Handle *description, int compute, int scaleType) = nullptr;
  Status (*descriptionDestroy)(Handle description) = nullptr;
  Status (*descriptionSet)(Handle description, int attribute, const void *value, size_t bytes) = nullptr;
  Status (*preferenceCreate)(Handle *preference) = nullptr;
  Status (*preferenceDestroy)(Handle preference) = nullptr;
  Status (*preferenceSet)(Handle preference, int attribute, const void *value, size_t bytes) = nullptr;
  Status (*heuristic)(Handle handle, Handle description, Handle a, Handle b, Handle c, Handle d,
                      Handle preference, int requested, HeuristicResult *results, int *returned) = nullptr;
  Status (*matmul)(Handle handle, Handle description, const void *alpha, DeviceAddress a, Handle aLayout,
                   DeviceAddress b, Handle bLayout, const void *beta, DeviceAddress c, Handle cLayout,
                   DeviceAddress d, Handle dLayout, const Algorithm *algorithm, DeviceAddress workspace,
                   size_t workspaceBytes, void *stream) = nullptr;
};

Diagnostics failure(const Api &api, const char *function, Status status) {
  const char *name = api.statusName ? api.statusName(status) : nullptr;
  std::string text = fmt::format("{}: {}", function, name ? name : fmt::format("cuBLAS error {}", status));
  return status == value::notSupported ? runtime::refusal(text) : errorAt("", text);
}

int typeOf(DType dtype) {
  switch (dtype) {
  case DType::Float16:
    return value::real16F;
  case DType::BFloat16:
    return value::real16BF;
  case DType::Float64:
    return value::real64F;
  default:
    return value::real32F;
  }
}

/// The library's objects for a matmul, and the algorithm that it chose.
struct Prepared {
  LibraryObject description, a, b, c, d;
  Algorithm algorithm{};
};

class CublasLt final : public Blas {
public:
  CublasLt(const Api &api, std::shared_ptr<Driver> driver, Handle handle)
      : api(api), driver(std::move(driver)), handle(handle, api.destroy) {}

  size_t workspaceBytes() const override { return size_t(32) << 20; } // as NVIDIA recommends for Hopper

  Result<void> multiply(const LibraryMatmul &matmul, const MatrixAddresses &addresses,
                        DeviceAddress workspace, StreamHandle stream) override {
    if (Result<void> current = driver->makeCurrent(); !current)
      return current;
    std::lock_guard lock(mutex);
    Result<Prepared *> prepared = find(matmul, addresses);
    if (!prepared)
      return prepared.diagnostics();
    Prepared &p = **prepared;
    if (matmul.hasBias)
      if (Result<void> done = set(p.description, value::biasPointer, addresses.bias); !done)
        return done;
    bool isDouble = matmul.dtype == DType::Float64;
    double wide[] = {matmul.alpha, matmul.hasAddend ? 1.0 : 0.0};
    float narrow[] = {static_cast<float>(wide[0]), static_cast<float>(wide[1])};
    const void *alpha = isDouble ? static_cast<const void *>(wide) : narrow;
    const void *beta = isDouble ? static_cast<const void *>(wide + 1) : narrow + 1;
    Status status =
        api.matmul(handle.get(), p.description.get(), alpha, addresses.a, p.a.get(), addresses.b, p.b.get(),
                   beta, matmul.hasAddend ? addresses.c : addresses.d, p.c.get(), addresses.d, p.d.get(),
                   &p.algorithm, workspace, workspaceBytes(), stream.value);
    return status == 0 ? Result<void>() : Result<void>(failure(api, "cublasLtMatmul", status));
  }

private:
  const Api api;
  std::shared_ptr<Driver> driver;
  LibraryObject handle;
  std::mutex mutex;
  /// By matmul and alignment of its addresses.
  std::map<std::pair<LibraryMatmul, uint32_t>, Prepared> matmuls;

  /// The largest power of two, up to 256, that divides all addresses: algorithms with wide accesses depend on
  /// it.
  static uint32_t alignmentOf(const MatrixAddresses &addresses) {
    constexpr DeviceAddress most = 256;
    DeviceAddress all = addresses.a | addresses.b | addresses.c | addresses.d | addresses.bias | most;
    return static_cast<uint32_t>(all & (~all + 1));
  }

  Result<Prepared *> find(const LibraryMatmul &matmul, const MatrixAddresses &addresses) {
    std::pair key(matmul, alignmentOf(addresses));
    if (auto found = matmuls.find(key); found != matmuls.end())
      return &found->second;
    Result<Prepared> prepared = prepare(matmul, addresses, key.second);
    if (!prepared)
      return prepared.diagnostics();
    return &matmuls.emplace(key, std::move(*prepared)).first->second;
  }

  template <class T> Result<void> set(const LibraryObject &description, int attribute, T value) const {
    Status status = api.descriptionSet(description.get(), attribute, &value, sizeof value);
    return status == 0 ? Result<void>()
                       : Result<void>(failure(api, "cublasLtMatmulDescSetAttribute", status));
  }

  Result<LibraryObject> layout(const LibraryMatmul &matmul, const MatrixLayout &matrix, int64_t rows,
                               int64_t columns) const {
    if (matrix.isTransposed)
      std::swap(rows, columns);
    Handle created = nullptr;
    Status status = api.layoutCreate(&created, typeOf(matmul.dtype), static_cast<uint64_t>(rows),
                                     static_cast<uint64_t>(columns), matrix.leading);
    if (status != 0)
      return failure(api, "cublasLtMatrixLayoutCreate", status);
    LibraryObject object(created, api.layoutDestroy);
    auto count = static_cast<int32_t>(matmul.batch);
    status = api.layoutSet(created, value::batchCount, &count, sizeof count);
    if (status == 0)
      status =
          api.layoutSet(created, value::stridedBatchOffset, &matrix.batchStride, sizeof matrix.batchStride);
    if (status != 0)
      return failure(api, "cublasLtMatrixLayoutSetAttribute", status);
    return object;
  }

  Result<void> describe(const LibraryMatmul &matmul, Prepared &prepared) const {
    bool isDouble = matmul.dtype == DType::Float64;
    int compute = isDouble                                              ? value::compute64F
                  : matmul.allowsTf32 && matmul.dtype == DType::Float32 ? value::compute32FFastTF32
                                                                        : value::compute32F;
    Handle created = nullptr;
    Status status = api.descriptionCreate(&created, compute, isDouble ? value::real64F : value::real32F);
    if (status != 0)
      return failure(api, "cublasLtMatmulDescCreate", status);
    prepared.description = LibraryObject(created, api.descriptionDestroy);
    auto operation = [](const MatrixLayout &matrix) {
      return static_cast<int32_t>(matrix.isTransposed ? value::transposed : value::notTransposed);
    };
    uint32_t epilogue = matmul.hasBias ? value::bias : 0;
    if (matmul.activation == LibraryMatmul::Activation::Relu)
      epilogue |= value::relu;
    if (matmul.activation == LibraryMatmul::Activation::GeluTanh)
      epilogue |= value::gelu;
    if (epilogue == 0)
      epilogue = value::plain;
    if (Result<void> done = set(prepared.description, value::transposeA, operation(matmul.a)); !done)
      return done;
    if (Result<void> done = set(prepared.description, value::transposeB, operation(matmul.b)); !done)
      return done;
    return set(prepared.description, value::epilogue, epilogue);
  }

  Result<Prepared> prepare(const LibraryMatmul &matmul, const MatrixAddresses &addresses,
                           uint32_t alignment) const {
    Prepared prepared;
    if (Result<void> done = describe(matmul, prepared); !done)
      return done.diagnostics();
    if (matmul.hasBias) // its alignment is read
      if (Result<void> done = set(prepared.description, value::biasPointer, addresses.bias); !done)
        return done.diagnostics();
    struct {
      LibraryObject &object;
      const MatrixLayout &matrix;
      int64_t rows, columns;
    } layouts[] = {{prepared.a, matmul.a, matmul.m, matmul.k},
                   {prepared.b, matmul.b, matmul.k, matmul.n},
                   {prepared.c, matmul.hasAddend ? matmul.c : matmul.d, matmul.m, matmul.n},
                   {prepared.d, matmul.d, matmul.m, matmul.n}};
    for (auto &[object, matrix, rows, columns] : layouts) {
      Result<LibraryObject> created = layout(matmul, matrix, rows, columns);
      if (!created)
        return created.diagnostics();
      object = std::move(*created);
    }
    if (Result<void> done = choose(prepared, alignment); !done)
      return done.diagnostics();
    return prepared;
  }

  /// The library's first choice.
  Result<void> choose(Prepared &prepared, uint32_t alignment) const {
    Handle created = nullptr;
    if (Status status = api.preferenceCreate(&created); status != 0)
      return failure(api, "cublasLtMatmulPreferenceCreate", status);
    LibraryObject preference(created, api.preferenceDestroy);
    uint64_t bytes = workspaceBytes();
    api.preferenceSet(created, value::maxWorkspaceBytes, &bytes, sizeof bytes);
    for (int attribute : {value::alignmentA, value::alignmentB, value::alignmentC, value::alignmentD})
      api.preferenceSet(created, attribute, &alignment, sizeof alignment);
    HeuristicResult result{};
    int returned = 0;
    Status status =
        api.heuristic(handle.get(), prepared.description.get(), prepared.a.get(), prepared.b.get(),
                      prepared.c.get(), prepared.d.get(), created, 1, &result, &returned);
    if (status != 0)
      return failure(api, "cublasLtMatmulAlgoGetHeuristic", status);
    if (returned == 0 || result.state != 0)
      return runtime::refusal("cuBLASLt has no algorithm for the matmul");
    prepared.algorithm = result.algorithm;
    return {};
  }
};

Result<Api> loadApi(const std::string &file) {
  Result<SharedLibrary> library = SharedLibrary::open(
      {"cuBLASLt", {"libcublasLt.so.13", "libcublasLt.so.12"}, "cuBLASLt of CUDA 12 or 13"}, file);
  if (!library)
    return library.diagnostics();
  Api api;
  library->load(api.create, "cublasLtCreate");
  library->load(api.destroy, "cublasLtDestroy");
  library->load(api.statusName, "cublasLtGetStatusName");
  library->load(api.layoutCreate, "cublasLtMatrixLayoutCreate");
  library->load(api.layoutDestroy, "cublasLtMatrixLayoutDestroy");
  library->load(api.layoutSet, "cublasLtMatrixLayoutSetAttribute");
  library->load(api.descriptionCreate, "cublasLtMatmulDescCreate");
  library->load(api.descriptionDestroy, "cublasLtMatmulDescDestroy");
  library->load(api.descriptionSet, "cublasLtMatmulDescSetAttribute");
  library->load(api.preferenceCreate, "cublasLtMatmulPreferenceCreate");
  library->load(api.preferenceDestroy, "cublasLtMatmulPreferenceDestroy");
  library->load(api.preferenceSet, "cublasLtMatmulPreferenceSetAttribute");
  library->load(api.heuristic, "cublasLtMatmulAlgoGetHeuristic");
  library->load(api.matmul, "cublasLtMatmul");
  if (Result<void> complete = library->complete(); !complete)
    return complete.diagnostics();
  return api;
}

} // namespace

Result<std::shared_ptr<Blas>> openCublasLt(std::shared_ptr<Driver> driver, const std::string &library) {
  return openWithHandle<CublasLt, Blas>(loadApi(library), std::move(driver), "cublasLtCreate");
}

} // namespace proa::cuda
