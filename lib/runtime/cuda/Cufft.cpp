//! cuFFT, loaded at run time. Declarations and numbers follow the ABI of cufft.h of CUDA 12 and 13.
#include "lib/runtime/cuda/Cublas.h"
#include "lib/runtime/cuda/Fft.h"
#include "lib/runtime/cuda/SharedLibrary.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <vector>

namespace proa::cuda {
namespace {

using Status = int;
using Plan = int; ///< cufftHandle

/// cufftType
enum Type : int {
  realToComplex = 0x2a,
  complexToReal = 0x2c,
  complexToComplex = 0x29,
  doubleToComplex = 0x6a,
  complexToDouble = 0x6c,
  doubleComplex = 0x69
};
constexpr int forwardDirection = -1, backwardDirection = 1;

struct Api {
  Status (*create)(Plan *plan) = nullptr;
  Status (*destroy)(Plan plan) = nullptr;
  Status (*setAutoAllocation)(Plan plan, int isAutomatic) = nullptr;
  Status (*setWorkArea)(Plan plan, DeviceAddress workspace) = nullptr;
  Status (*setStream)(Plan plan, void *stream) = nullptr;
  Status (*makePlan)(Plan plan, int rank, long long *lengths, long long *fromDims, long long fromStride,
                     long long fromDistance, long long *toDims, long long toStride, long long toDistance,
                     int type, long long batch, size_t *workspaceBytes) = nullptr;
  Status (*complexToComplex)(Plan plan, DeviceAddress from, DeviceAddress to, int direction) = nullptr;
  Status (*doubleComplex)(Plan plan, DeviceAddress from, DeviceAddress to, int direction) = nullptr;
  using Convert = Status (*)(Plan plan, DeviceAddress from, DeviceAddress to);
  Convert realToComplex = nullptr, doubleToComplex = nullptr, complexToReal = nullptr,
          complexToDouble = nullptr;
};

Result<void> result(const char *function, Status status) {
  static const std::map<Status, const char *> names = {
      {1, "CUFFT_INVALID_PLAN"},   {2, "CUFFT_ALLOC_FAILED"},  {4, "CUFFT_INVALID_VALUE"},
      {5, "CUFFT_INTERNAL_ERROR"}, {6, "CUFFT_EXEC_FAILED"},   {7, "CUFFT_SETUP_FAILED"},
      {8, "CUFFT_INVALID_SIZE"},   {9, "CUFFT_UNALIGNED_DATA"}};
  if (status == 0)
    return {};
  auto name = names.find(status);
  return errorAt("", name == names.end() ? fmt::format("{}: cuFFT error {}", function, status)
                                         : fmt::format("{}: {}", function, name->second));
}

int typeOf(const FourierTransform &t) {
  switch (t.kind) {
  case FourierTransform::Kind::RealToComplex:
    return t.isDouble ? doubleToComplex : realToComplex;
  case FourierTransform::Kind::ComplexToReal:
    return t.isDouble ? complexToDouble : complexToReal;
  case FourierTransform::Kind::ComplexToComplex:
    break;
  }
  return t.isDouble ? doubleComplex : complexToComplex;
}

class Cufft final : public Fft {
public:
  Cufft(const Api &api, std::shared_ptr<Driver> driver, std::shared_ptr<Cublas> blas)
      : api(api), driver(std::move(driver)), blas(std::move(blas)) {}
  ~Cufft() override {
    for (const auto &[transform, plan] : plans)
      api.destroy(plan.plan);
  }

  Result<size_t> workspaceBytes(const FourierTransform &transform) override {
    std::lock_guard lock(mutex);
    Result<Prepared *> prepared = find(transform);
    return prepared ? Result<size_t>((*prepared)->bytes) : Result<size_t>(prepared.diagnostics());
  }

  Result<void> transform(const FourierTransform &t, DeviceAddress from, DeviceAddress to,
                         DeviceAddress workspace, StreamHandle stream) override {
    std::lock_guard lock(mutex);
    Result<Prepared *> prepared = find(t);
    if (!prepared)
      return prepared.diagnostics();
    Plan plan = (*prepared)->plan;
    if (Result<void> set = result("cufftSetStream", api.setStream(plan, stream.value)); !set)
      return set;
    if (Result<void> set = result("cufftSetWorkArea", api.setWorkArea(plan, workspace)); !set)
      return set;
    if (t.kind != FourierTransform::Kind::ComplexToComplex) {
      bool isForward = t.kind == FourierTransform::Kind::RealToComplex;
      Api::Convert convert = isForward ? (t.isDouble ? api.doubleToComplex : api.realToComplex)
                                       : (t.isDouble ? api.complexToDouble : api.complexToReal);
      return result("cufftExec", convert(plan, from, to));
    }
    auto function = t.isDouble ? api.doubleComplex : api.complexToComplex;
    return result("cufftExec", function(plan, from, to, t.forward ? forwardDirection : backwardDirection));
  }

  Result<void> scale(bool isDouble, double factor, DeviceAddress data, int64_t count,
                     StreamHandle stream) override {
    return blas->scale(isDouble, factor, data, count, stream);
  }

private:
  struct Prepared {
    Plan plan = 0;
    size_t bytes = 0;
  };

  const Api api;
  std::shared_ptr<Driver> driver;
  std::shared_ptr<Cublas> blas;
  std::mutex mutex;
  std::map<FourierTransform, Prepared> plans;

  Result<Prepared *> find(const FourierTransform &t) {
    if (Result<void> current = driver->makeCurrent(); !current)
      return current.diagnostics();
    if (auto found = plans.find(t); found != plans.end())
      return &found->second;
    Prepared prepared;
    if (Result<void> created = result("cufftCreate", api.create(&prepared.plan)); !created)
      return created.diagnostics();
    std::vector<long long> lengths(t.lengths.begin(), t.lengths.end()), from = lengths, to = lengths;
    if (t.kind == FourierTransform::Kind::RealToComplex)
      to.back() = to.back() / 2 + 1;
    if (t.kind == FourierTransform::Kind::ComplexToReal)
      from.back() = from.back() / 2 + 1;
    Result<void> done = result("cufftSetAutoAllocation", api.setAutoAllocation(prepared.plan, 0));
    if (done)
      done = result("cufftMakePlanMany64",
                    api.makePlan(prepared.plan, static_cast<int>(lengths.size()), lengths.data(), from.data(),
                                 t.fromStride, t.fromDistance, to.data(), t.toStride, t.toDistance, typeOf(t),
                                 t.batch, &prepared.bytes));
    if (!done) {
      api.destroy(prepared.plan);
      return done.diagnostics();
    }
    return &plans.emplace(t, prepared).first->second;
  }
};

} // namespace

Result<std::shared_ptr<Fft>> openCufft(std::shared_ptr<Driver> driver, const std::string &file) {
  Result<SharedLibrary> library =
      SharedLibrary::open({"cuFFT", {"libcufft.so.12", "libcufft.so.11"}, "cuFFT of CUDA 12 or 13"}, file);
  if (!library)
    return library.diagnostics();
  Api api;
  library->load(api.create, "cufftCreate");
  library->load(api.destroy, "cufftDestroy");
  library->load(api.setAutoAllocation, "cufftSetAutoAllocation");
  library->load(api.setWorkArea, "cufftSetWorkArea");
  library->load(api.setStream, "cufftSetStream");
  library->load(api.makePlan, "cufftMakePlanMany64");
  library->load(api.complexToComplex, "cufftExecC2C");
  library->load(api.doubleComplex, "cufftExecZ2Z");
  library->load(api.realToComplex, "cufftExecR2C");
  library->load(api.doubleToComplex, "cufftExecD2Z");
  library->load(api.complexToReal, "cufftExecC2R");
  library->load(api.complexToDouble, "cufftExecZ2D");
  if (Result<void> complete = library->complete(); !complete)
    return complete.diagnostics();
  Result<std::shared_ptr<Cublas>> blas = Cublas::open(driver);
  if (!blas)
    return blas.diagnostics();
  return std::shared_ptr<Fft>(std::make_shared<Cufft>(api, std::move(driver), std::move(*blas)));
}

} // namespace proa::cuda
