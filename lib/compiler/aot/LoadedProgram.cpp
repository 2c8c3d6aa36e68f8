#include "lib/compiler/aot/LoadedProgram.h"

#include "lib/base/support/NamedDims.h"
#include "lib/runtime/cuda/CudaContext.h"
#include "lib/runtime/host/CpuFeatures.h"
#include "translator/params/PaddleParams.h"
#include "translator/params/Safetensors.h"

#include <fmt/format.h>

#include <atomic>
#include <cstring>

namespace proa::aot {
namespace {

runtime::NamedTensors embeddedWeights(const Description &description, const proa_program_data &data) {
  runtime::NamedTensors tensors;
  auto *begin = static_cast<std::byte *>(const_cast<void *>(data.weights)); // steps only read it
  for (const EmbeddedTensor &entry : description.embedded)
    tensors.emplace(entry.info.name,
                    Tensor(entry.info.dtype, entry.info.dims, begin + entry.offset, nullptr));
  return tensors;
}

Result<runtime::NamedTensors> readWeights(const Description &description, const proa_program_data &data,
                                          const std::string &path) {
  if (!path.empty())
    return path.ends_with(".safetensors") ? params::readSafetensors(path)
                                          : params::readCombinedParams(path, description.savedVariables);
  if (!description.embedded.empty())
    return embeddedWeights(description, data);
  if (std::vector<TensorInfo> needed = description.weights(); !needed.empty())
    return errorAt(description.name, fmt::format("a weights file is needed for {} weights, the first is '{}'",
                                                 needed.size(), needed.front().name));
  return runtime::NamedTensors();
}

Result<void> checkTable(const Description &description, const proa_program_data &data) {
  if (description.kernels.size() == data.kernel_count)
    return {};
  return errorAt(description.name, fmt::format("the library has {} kernels, but its description names {}",
                                               data.kernel_count, description.kernels.size()));
}

Result<void> checkCpu(const Description &description) {
  std::vector<std::string> missing = runtime::missingCpuFeatures(description.cpuFeatures);
  if (missing.empty())
    return {};
  return errorAt(
      description.name,
      fmt::format("the library was compiled for a CPU with {}, which this CPU lacks; compile it on this CPU",
                  fmt::join(missing, ", ")));
}

} // namespace

static std::atomic<int> chosenDevice = 0;

void setDevice(int device) { chosenDevice = device; }

/// Makes the plan of the description that for the device of this process, and returns the device; null for a
/// program that runs on the CPU.
static Result<std::shared_ptr<runtime::Device>> chooseDevice(Description &description) {
  if (description.devicePrograms.empty())
    return std::shared_ptr<runtime::Device>();
  auto context = cuda::cudaContext(chosenDevice);
  if (!context)
    return errorAt(description.name, context.diagnostics()[0].message);
  const cuda::DeviceProperties &properties = context->driver->properties();
  DeviceProgram *best = nullptr;
  int fit = 0;
  std::string chips;
  for (DeviceProgram &program : description.devicePrograms) {
    chips += (chips.empty() ? "" : ", ") + program.code.chip;
    int own = cuda::fitOf(program.code, properties);
    // Of several portable ones the newest.
    if (own > fit || (own == fit && own == 1 && program.code.chip > best->code.chip)) {
      best = &program;
      fit = own;
    }
  }
  if (!best)
    return errorAt(
        description.name,
        fmt::format("the library was compiled for {}, but {} has compute capability {}.{}; compile it with "
                    "--chips={}",
                    chips, properties.name, properties.major, properties.minor, cuda::chipOf(properties)));
  description.plan = std::move(best->plan);
  return std::shared_ptr<runtime::Device>(std::make_shared<cuda::CudaDevice>(
      context->driver, std::move(best->code), cuda::deviceOptions(*context)));
}

LoadedProgram::LoadedProgram(const Description &description)
    : name(description.name), inputInfos(description.inputs()), outputInfos(description.outputs()),
      stateInfos(description.fedStates()), weightInfos(description.weights()),
      stateNames(description.states()) {}

Result<std::unique_ptr<LoadedProgram>> LoadedProgram::create(const proa_program_data &data,
                                                             const std::string &weightsPath) {
  if (data.format != PROA_PROGRAM_FORMAT)
    return errorAt("compiled library",
                   fmt::format("its format is {}, but this libproa_runtime reads {}; compile it "
                               "again with proa-compile {}",
                               data.format, PROA_PROGRAM_FORMAT, version()));
  auto description =
      deserializeDescription({static_cast<const uint8_t *>(data.description), data.description_size},
                             data.weights_size, "compiled library");
  if (!description)
    return description.diagnostics();
  if (Result<void> valid = checkTable(*description, data); !valid)
    return valid.diagnostics();
  if (Result<void> valid = checkCpu(*description); !valid)
    return valid.diagnostics();
  auto weights = readWeights(*description, data, weightsPath);
  if (!weights)
    return weights.diagnostics();

  std::unique_ptr<LoadedProgram> program(new LoadedProgram(*description));
  std::map<std::string, void *> kernels;
  for (size_t i = 0; i < description->kernels.size(); ++i)
    kernels.emplace(description->kernels[i], reinterpret_cast<void *>(data.kernels[i]));
  auto resolve = [&](const std::string &symbol) {
    auto found = kernels.find(symbol);
    return found == kernels.end() ? nullptr : found->second;
  };
  auto device = chooseDevice(*description);
  if (!device)
    return device.diagnostics();
  auto executable =
      runtime::Executable::create(std::move(description->plan), program->name, resolve, nullptr, *device);
  if (!executable)
    return executable.diagnostics();
  if (Result<void> bound = (*executable)->bindParameters(*weights); !bound)
    return bound.diagnostics();
  program->weights = std::move(*weights);
  if (Result<void> bound = program->bindStates(); !bound)
    return bound.diagnostics();
  auto session = runtime::Session::create(*executable);
  if (!session)
    return session.diagnostics();
  program->executable = std::move(*executable);
  program->session = std::move(*session);
  return program;
}

Result<void> LoadedProgram::bindStates() {
  Diagnostics diagnostics;
  for (const TensorInfo &state : stateInfos) {
    auto found = weights.find(state.name);
    if (found == weights.end())
      diagnostics.add(name + ": state variable '" + state.name + "'",
                      "is missing; expected " + describe(state.dtype, state.dims));
    else
      stateValues.insert(weights.extract(found));
  }
  return diagnostics;
}

Result<void> LoadedProgram::setState(size_t index, const Tensor &value) {
  const TensorInfo &info = stateInfos.at(index);
  Tensor &own = stateValues.at(info.name);
  if (value.dtype() != own.dtype() || value.dims() != own.dims())
    return errorAt(name + ": state variable '" + info.name + "'",
                   fmt::format("found {}, expected {}", value.describe(), own.describe()));
  Tensor copy(value.dtype(), value.dims()); // results of the last run may share the memory of the old value
  std::memcpy(copy.data(), value.data(), value.bytes());
  own = std::move(copy);
  return {};
}

Result<void> LoadedProgram::save(const std::string &path) const {
  if (!path.ends_with(".safetensors"))
    return errorAt(path, "expected the suffix .safetensors");
  params::Tensors tensors;
  for (const TensorInfo &info : weightInfos) {
    auto state = stateValues.find(info.name);
    tensors.insert_or_assign(info.name, state == stateValues.end() ? weights.at(info.name) : state->second);
  }
  return params::writeSafetensors(path, tensors);
}

Result<void> LoadedProgram::checkInputs(std::span<const Tensor> tensors) const {
  if (tensors.size() != inputInfos.size())
    return errorAt(name, fmt::format("found {} inputs, expected {}", tensors.size(), inputInfos.size()));
  std::map<std::string, Tensor> named;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!inputInfos[i].dimNames.empty())
      named.emplace(inputInfos[i].name, tensors[i]);
  return checkNamedDims(name, inputInfos, named);
}

runtime::NamedTensors LoadedProgram::feedsOf(std::span<const Tensor> tensors) const {
  runtime::NamedTensors feeds = stateValues;
  for (size_t i = 0; i < tensors.size(); ++i)
    feeds.insert_or_assign(inputInfos[i].name, tensors[i]);
  return feeds;
}

Result<void> LoadedProgram::prepare(std::span<const Tensor> tensors) {
  std::vector<Tensor> filled(tensors.begin(), tensors.end());
  for (Tensor &tensor : filled)
    if (!tensor.data() && tensor.bytes() != 0) {
      tensor = Tensor(tensor.dtype(), tensor.dims());
      std::memset(tensor.data(), 0, tensor.bytes());
    }
  if (Result<void> valid = checkInputs(filled); !valid)
    return valid;
  return session->runSilently(feedsOf(filled));
}

Result<std::vector<Tensor>> LoadedProgram::run(std::span<const Tensor> tensors) {
  if (Result<void> valid = checkInputs(tensors); !valid)
    return valid.diagnostics();
  auto results = session->run(feedsOf(tensors));
  if (!results)
    return results.diagnostics();
  for (size_t i = 0; i < stateNames.size(); ++i)
    if (auto fed = stateValues.find(stateNames[i]); fed != stateValues.end())
      fed->second = (*results)[outputInfos.size() + i];
  results->resize(outputInfos.size());
  return results;
}

void LoadedProgram::setProfile(bool on) {
  if (on)
    profile = std::make_unique<runtime::Profile>(executable->plan(), executable->devicePeaks());
  session->setProfile(on ? profile.get() : nullptr);
}

std::vector<StepTime> LoadedProgram::stepTimes() const {
  return profile ? profile->steps() : std::vector<StepTime>();
}

} // namespace proa::aot
