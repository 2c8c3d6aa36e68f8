//! cuDNN, loaded at run time. Declarations and numbers follow the ABI of cudnn_ops.h and cudnn_cnn.h of
//! cuDNN 9.
#include "lib/runtime/cuda/Dnn.h"
#include "lib/runtime/cuda/LibraryObject.h"
#include "lib/runtime/cuda/SharedLibrary.h"
#include "lib/runtime/run/Device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

namespace proa::cuda {
namespace {

using Status = int;
using Handle = void *;

/// The values of the enumerations of cuDNN that are used.
namespace value {
enum DataType : int { real32F = 0, real64F = 1, real16F = 2, real16BF = 9 };
enum Format : int { channelsFirst = 0, channelsLast = 1 };
enum Mode : int { crossCorrelation = 1 };
enum Math : int { tensorOps = 1, fmaOnly = 3 }; // tensorOps: also TF32
enum Activation : int { relu = 1 };
enum Nan : int { propagate = 1 };
/// cudnnStatus_t: the thousands are the kind of an error.
constexpr int notSupported = 3000, statusesOfKind = 1000;
} // namespace value

/// cudnnConvolution{Fwd,BwdData,BwdFilter}AlgoPerf_t, which have one layout.
struct AlgorithmChoice {
  int algorithm;
  Status status;
  float time;
  size_t bytes;
  int determinism, math, reserved[3];
};

using Choose = Status (*)(Handle handle, Handle first, Handle second, Handle convolution, Handle third,
                          int requested, int *returned, AlgorithmChoice *choices);
/// cudnnConvolutionForward and the gradients: two operands, then the result.
using Convolve = Status (*)(Handle handle, const void *alpha, Handle first, DeviceAddress firstData,
                            Handle second, DeviceAddress secondData, Handle convolution, int algorithm,
                            DeviceAddress workspace, size_t bytes, const void *beta, Handle third,
                            DeviceAddress thirdData);

/// The functions that are used.
struct Api {
  Status (*create)(Handle *handle) = nullptr;
  Status (*destroy)(Handle handle) = nullptr;
  Status (*setStream)(Handle handle, void *stream) = nullptr;
  size_t (*version)() = nullptr;
  const char *(*errorString)(Status status) = nullptr;
  void (*lastError)(char *text, size_t bytes) = nullptr;
  Status (*tensorCreate)(Handle *tensor) = nullptr;
  Status (*tensorDestroy)(Handle tensor) = nullptr;
  Status (*tensorSet)(Handle tensor, int type, int rank, const int *dims, const int *strides) = nullptr;
  Status (*filterCreate)(Handle *filter) = nullptr;
  Status (*filterDestroy)(Handle filter) = nullptr;
  Status (*filterSet)(Handle filter, int type, int format, int rank, const int *dims) = nullptr;
  Status (*convolutionCreate)(Handle *convolution) = nullptr;
  Status (*convolutionDestroy)(Handle convolution) = nullptr;
  Status (*convolutionSet)(Handle convolution, int rank, const int *paddings, const int *strides,
                           const int *dilations, int mode, int computeType) = nullptr;
  Status (*setGroups)(Handle convolution, int groups) = nullptr;
  Status (*setMath)(Handle convolution, int math) = nullptr;
  Status (*activationCreate)(Handle *activation) = nullptr;
  Status (*activationDestroy)(Handle activation) = nullptr;
  Status (*activationSet)(Handle activation, int mode, int nan, double coefficient) = nullptr;
  Status (*transform)(Handle handle, const void *alpha, Handle from, DeviceAddress fromData, const void *beta,
                      Handle to, DeviceAddress toData) = nullptr;
  Status (*add)(Handle handle, const void *alpha, Handle from, DeviceAddress fromData, const void *beta,
                Handle to, DeviceAddress toData) = nullptr;
  Status (*activate)(Handle handle, Handle activation, const void *alpha, Handle from, DeviceAddress fromData,
                     const void *beta, Handle to, DeviceAddress toData) = nullptr;
  Choose chooseForward = nullptr, chooseImage = nullptr, chooseFilter = nullptr;
  Convolve forward = nullptr, imageGradient = nullptr, filterGradient = nullptr;
  Status (*forwardFused)(Handle handle, const void *alpha, Handle image, DeviceAddress imageData,
                         Handle filter, DeviceAddress filterData, Handle convolution, int algorithm,
                         DeviceAddress workspace, size_t bytes, const void *addendFactor, Handle addend,
                         DeviceAddress addendData, Handle bias, DeviceAddress biasData, Handle activation,
                         Handle result, DeviceAddress resultData) = nullptr;
};

Diagnostics failure(const Api &api, const char *function, Status status) {
  std::array<char, 512> text{};
  api.lastError(text.data(), text.size() - 1);
  std::string detail = text[0] ? std::string(": ") + text.data() : "";
  std::string message = fmt::format("{}: {}{}", function, api.errorString(status), detail);
  bool isSupported = status / value::statusesOfKind != value::notSupported / value::statusesOfKind;
  return isSupported ? errorAt("", message) : runtime::refusal(message);
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

std::vector<int> ints(const std::vector<int64_t> &values) { return {values.begin(), values.end()}; }

/// Strides of a dense tensor of these dims, whose channels are the second dim.
std::vector<int> stridesOf(const std::vector<int64_t> &dims, bool channelsLast) {
  std::vector<int> strides(dims.size(), 1);
  int64_t next = channelsLast ? dims[1] : 1;
  for (size_t axis = dims.size(); axis-- > 2; next *= dims[axis])
    strides[axis] = static_cast<int>(next);
  if (!channelsLast) {
    strides[1] = static_cast<int>(next);
    next *= dims[1];
  }
  strides[0] = static_cast<int>(next);
  return strides;
}

size_t rounded(size_t bytes) { return (bytes + 255) / 256 * 256; }

/// The library's objects for a convolution, and the algorithm that it chose.
struct Prepared {
  LibraryObject image, filter, result, bias, convolution, activation;
  LibraryObject storedFilter, workFilter; ///< the filter as tensors: in the caller's layout and the library's
  int algorithm = 0;
  size_t algorithmBytes = 0; ///< of the workspace, before the filter
  size_t filterBytes = 0;    ///< of the filter in the library's layout; 0: the caller's
};

class Cudnn final : public Dnn {
public:
  Cudnn(const Api &api, std::shared_ptr<Driver> driver, Handle handle)
      : api(api), driver(std::move(driver)), handle(handle, api.destroy) {}

  Result<size_t> workspaceBytes(const Convolution &convolution) override {
    std::lock_guard lock(mutex);
    Result<Prepared *> prepared = find(convolution);
    if (!prepared)
      return prepared.diagnostics();
    return rounded((*prepared)->algorithmBytes) + (*prepared)->filterBytes;
  }

  Result<void> convolve(const Convolution &convolution, const ConvolutionAddresses &addresses,
                        DeviceAddress workspace, StreamHandle stream) override {
    std::lock_guard lock(mutex);
    Result<Prepared *> prepared = find(convolution);
    if (!prepared)
      return prepared.diagnostics();
    if (Status status = api.setStream(handle.get(), stream.value); status != 0)
      return failure(api, "cudnnSetStream", status);
    return run(convolution, **prepared, addresses, workspace);
  }

private:
  const Api api;
  std::shared_ptr<Driver> driver;
  LibraryObject handle;
  std::mutex mutex;
  std::map<Convolution, Prepared> convolutions;

  static constexpr double wideOne = 1, wideZero = 0;
  static constexpr float one = 1, zero = 0;

  Result<Prepared *> find(const Convolution &convolution) {
    if (Result<void> current = driver->makeCurrent(); !current)
      return current.diagnostics();
    if (auto found = convolutions.find(convolution); found != convolutions.end())
      return &found->second;
    Result<Prepared> prepared = prepare(convolution);
    if (!prepared)
      return prepared.diagnostics();
    return &convolutions.emplace(convolution, std::move(*prepared)).first->second;
  }

  template <class Set>
  Result<LibraryObject> make(Status (*create)(Handle *), Status (*destroy)(Handle), const char *what,
                             Set set) const {
    Handle created = nullptr;
    if (Status status = create(&created); status != 0)
      return failure(api, what, status);
    LibraryObject object(created, destroy);
    if (Status status = set(created); status != 0)
      return failure(api, what, status);
    return object;
  }

  Result<LibraryObject> tensor(DType dtype, const std::vector<int64_t> &dims, bool channelsLast) const {
    std::vector<int> sizes = ints(dims), strides = stridesOf(dims, channelsLast);
    return make(api.tensorCreate, api.tensorDestroy, "cudnnSetTensorNdDescriptor", [&](Handle created) {
      return api.tensorSet(created, typeOf(dtype), static_cast<int>(sizes.size()), sizes.data(),
                           strides.data());
    });
  }

  Result<LibraryObject> convolutionObject(const Convolution &c) const {
    std::vector<int> paddings = ints(c.paddings), strides = ints(c.strides), dilations = ints(c.dilations);
    int compute = c.dtype == DType::Float64 ? value::real64F : value::real32F;
    bool isHalf = c.dtype == DType::Float16 || c.dtype == DType::BFloat16;
    int math = isHalf || (c.allowsTf32 && c.dtype == DType::Float32) ? value::tensorOps : value::fmaOnly;
    return make(api.convolutionCreate, api.convolutionDestroy, "cudnnSetConvolutionNdDescriptor",
                [&](Handle created) {
                  Status status =
                      api.convolutionSet(created, static_cast<int>(paddings.size()), paddings.data(),
                                         strides.data(), dilations.data(), value::crossCorrelation, compute);
                  if (status == 0)
                    status = api.setGroups(created, static_cast<int>(c.groups));
                  return status ? status : api.setMath(created, math);
                });
  }

  Result<Prepared> prepare(const Convolution &c) const {
    Prepared prepared;
    std::vector<int> filterDims = ints(c.filter);
    std::vector<int64_t> bias(c.result.size(), 1);
    bias[1] = c.result[1];
    auto filter =
        make(api.filterCreate, api.filterDestroy, "cudnnSetFilterNdDescriptor", [&](Handle created) {
          return api.filterSet(created, typeOf(c.dtype),
                               c.channelsLast ? value::channelsLast : value::channelsFirst,
                               static_cast<int>(filterDims.size()), filterDims.data());
        });
    auto activation =
        make(api.activationCreate, api.activationDestroy, "cudnnSetActivationDescriptor",
             [&](Handle created) { return api.activationSet(created, value::relu, value::propagate, 0); });
    std::pair<LibraryObject *, Result<LibraryObject>> objects[] = {
        {&prepared.image, tensor(c.dtype, c.image, c.channelsLast)},
        {&prepared.result, tensor(c.dtype, c.result, c.channelsLast)},
        {&prepared.bias, tensor(c.dtype, bias, c.channelsLast)},
        {&prepared.storedFilter, tensor(c.dtype, c.filter, false)},
        {&prepared.workFilter, tensor(c.dtype, c.filter, c.channelsLast)},
        {&prepared.filter, std::move(filter)},
        {&prepared.activation, std::move(activation)},
        {&prepared.convolution, convolutionObject(c)}};
    for (auto &[target, created] : objects) {
      if (!created)
        return created.diagnostics();
      *target = std::move(*created);
    }
    if (c.channelsLast)
      prepared.filterBytes =
          rounded(static_cast<size_t>(elementCount(c.filter).value_or(0)) * sizeOf(c.dtype));
    if (Result<void> done = choose(c, prepared); !done)
      return done.diagnostics();
    return prepared;
  }

  /// The library's first choice of those that need little memory.
  Result<void> choose(const Convolution &c, Prepared &prepared) const {
    constexpr size_t mostBytes = size_t(1) << 30;
    constexpr int requested = 8;
    std::array<AlgorithmChoice, requested> choices{};
    int returned = 0;
    Handle image = prepared.image.get(), filter = prepared.filter.get(), result = prepared.result.get(),
           convolution = prepared.convolution.get();
    Status status = 0;
    switch (c.direction) {
    case Convolution::Direction::Forward:
      status = api.chooseForward(handle.get(), image, filter, convolution, result, requested, &returned,
                                 choices.data());
      break;
    case Convolution::Direction::ImageGradient:
      status = api.chooseImage(handle.get(), filter, result, convolution, image, requested, &returned,
                               choices.data());
      break;
    case Convolution::Direction::FilterGradient:
      status = api.chooseFilter(handle.get(), image, result, convolution, filter, requested, &returned,
                                choices.data());
      break;
    }
    if (status != 0)
      return failure(api, "cudnnGetConvolutionAlgorithm", status);
    for (const AlgorithmChoice &choice : std::span(choices).first(static_cast<size_t>(returned)))
      if (choice.status == 0 && choice.bytes <= mostBytes) {
        prepared.algorithm = choice.algorithm;
        prepared.algorithmBytes = choice.bytes;
        bool isHalf = c.dtype == DType::Float16 || c.dtype == DType::BFloat16;
        if (Status set = isHalf ? api.setMath(convolution, choice.math) : 0; set != 0)
          return failure(api, "cudnnSetConvolutionMathType", set);
        return {};
      }
    return runtime::refusal("cuDNN has no algorithm for the convolution");
  }

  Result<void> run(const Convolution &c, Prepared &p, const ConvolutionAddresses &at,
                   DeviceAddress workspace) const {
    bool isDouble = c.dtype == DType::Float64;
    const void *alpha = isDouble ? static_cast<const void *>(&wideOne) : &one;
    const void *beta = isDouble ? static_cast<const void *>(&wideZero) : &zero;
    bool moves = p.filterBytes > 0, isGradient = c.direction == Convolution::Direction::FilterGradient;
    DeviceAddress filter = moves ? workspace + rounded(p.algorithmBytes) : at.filter;
    if (moves && !isGradient)
      if (Status status = api.transform(handle.get(), alpha, p.storedFilter.get(), at.filter, beta,
                                        p.workFilter.get(), filter);
          status != 0)
        return failure(api, "cudnnTransformTensor", status);
    auto call = [&](Convolve function, const char *name, const LibraryObject &first, DeviceAddress firstData,
                    const LibraryObject &second, DeviceAddress secondData, const LibraryObject &third,
                    DeviceAddress thirdData) -> Result<void> {
      Status status =
          function(handle.get(), alpha, first.get(), firstData, second.get(), secondData, p.convolution.get(),
                   p.algorithm, workspace, p.algorithmBytes, beta, third.get(), thirdData);
      return status == 0 ? Result<void>() : Result<void>(failure(api, name, status));
    };
    switch (c.direction) {
    case Convolution::Direction::ImageGradient:
      return call(api.imageGradient, "cudnnConvolutionBackwardData", p.filter, filter, p.result, at.result,
                  p.image, at.image);
    case Convolution::Direction::FilterGradient:
      if (Result<void> done = call(api.filterGradient, "cudnnConvolutionBackwardFilter", p.image, at.image,
                                   p.result, at.result, p.filter, filter);
          !done || !moves)
        return done;
      if (Status status = api.transform(handle.get(), alpha, p.workFilter.get(), filter, beta,
                                        p.storedFilter.get(), at.filter);
          status != 0)
        return failure(api, "cudnnTransformTensor", status);
      return {};
    case Convolution::Direction::Forward:
      break;
    }
    if (c.hasBias && c.hasRelu && !isDouble)
      return runFused(c, p, at, filter, workspace);
    if (Result<void> done = call(api.forward, "cudnnConvolutionForward", p.image, at.image, p.filter, filter,
                                 p.result, at.result);
        !done)
      return done;
    return applyEpilogue(c, p, at, alpha, beta);
  }

  Result<void> runFused(const Convolution &c, Prepared &p, const ConvolutionAddresses &at,
                        DeviceAddress filter, DeviceAddress workspace) const {
    // Without an addend the result is read with the factor 0.
    Status status =
        api.forwardFused(handle.get(), &one, p.image.get(), at.image, p.filter.get(), filter,
                         p.convolution.get(), p.algorithm, workspace, p.algorithmBytes,
                         c.hasAddend ? &one : &zero, p.result.get(), c.hasAddend ? at.addend : at.result,
                         p.bias.get(), at.bias, p.activation.get(), p.result.get(), at.result);
    return status == 0 ? Result<void>()
                       : Result<void>(failure(api, "cudnnConvolutionBiasActivationForward", status));
  }

  Result<void> applyEpilogue(const Convolution &c, Prepared &p, const ConvolutionAddresses &at,
                             const void *alpha, const void *beta) const {
    Status status = 0;
    if (c.hasAddend)
      status = api.add(handle.get(), alpha, p.result.get(), at.addend, alpha, p.result.get(), at.result);
    if (status == 0 && c.hasBias)
      status = api.add(handle.get(), alpha, p.bias.get(), at.bias, alpha, p.result.get(), at.result);
    if (status != 0)
      return failure(api, "cudnnAddTensor", status);
    if (c.hasRelu)
      status = api.activate(handle.get(), p.activation.get(), alpha, p.result.get(), at.result, beta,
                            p.result.get(), at.result);
    return status == 0 ? Result<void>() : Result<void>(failure(api, "cudnnActivationForward", status));
  }
};

Result<Api> loadApi(const std::string &file) {
  Result<SharedLibrary> library = SharedLibrary::open({"cuDNN", {"libcudnn.so.9"}, "cuDNN 9"}, file);
  if (!library)
    return library.diagnostics();
  Api api;
  library->load(api.create, "cudnnCreate");
  library->load(api.destroy, "cudnnDestroy");
  library->load(api.setStream, "cudnnSetStream");
  library->load(api.version, "cudnnGetVersion");
  library->load(api.errorString, "cudnnGetErrorString");
  library->load(api.lastError, "cudnnGetLastErrorString");
  library->load(api.tensorCreate, "cudnnCreateTensorDescriptor");
  library->load(api.tensorDestroy, "cudnnDestroyTensorDescriptor");
  library->load(api.tensorSet, "cudnnSetTensorNdDescriptor");
  library->load(api.filterCreate, "cudnnCreateFilterDescriptor");
  library->load(api.filterDestroy, "cudnnDestroyFilterDescriptor");
  library->load(api.filterSet, "cudnnSetFilterNdDescriptor");
  library->load(api.convolutionCreate, "cudnnCreateConvolutionDescriptor");
  library->load(api.convolutionDestroy, "cudnnDestroyConvolutionDescriptor");
  library->load(api.convolutionSet, "cudnnSetConvolutionNdDescriptor");
  library->load(api.setGroups, "cudnnSetConvolutionGroupCount");
  library->load(api.setMath, "cudnnSetConvolutionMathType");
  library->load(api.activationCreate, "cudnnCreateActivationDescriptor");
  library->load(api.activationDestroy, "cudnnDestroyActivationDescriptor");
  library->load(api.activationSet, "cudnnSetActivationDescriptor");
  library->load(api.transform, "cudnnTransformTensor");
  library->load(api.add, "cudnnAddTensor");
  library->load(api.activate, "cudnnActivationForward");
  library->load(api.chooseForward, "cudnnGetConvolutionForwardAlgorithm_v7");
  library->load(api.chooseImage, "cudnnGetConvolutionBackwardDataAlgorithm_v7");
  library->load(api.chooseFilter, "cudnnGetConvolutionBackwardFilterAlgorithm_v7");
  library->load(api.forward, "cudnnConvolutionForward");
  library->load(api.imageGradient, "cudnnConvolutionBackwardData");
  library->load(api.filterGradient, "cudnnConvolutionBackwardFilter");
  library->load(api.forwardFused, "cudnnConvolutionBiasActivationForward");
  if (Result<void> complete = library->complete(); !complete)
    return complete.diagnostics();
  constexpr size_t supportedMajor = 9, perMajor = 10000;
  if (size_t version = api.version(); version / perMajor != supportedMajor)
    return errorAt("", fmt::format("cuDNN has the version {}.{}.{}, expected 9", version / perMajor,
                                   version / 100 % 100, version % 100));
  return api;
}

} // namespace

Result<std::shared_ptr<Dnn>> openCudnn(std::shared_ptr<Driver> driver, const std::string &file) {
  return openWithHandle<Cudnn, Dnn>(loadApi(file), std::move(driver), "cudnnCreate");
}

} // namespace proa::cuda
