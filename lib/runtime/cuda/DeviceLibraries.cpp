#include "lib/runtime/cuda/DeviceLibraries.h"

#include "lib/runtime/cuda/DeviceCollective.h"
#include "lib/runtime/cuda/DeviceConvolution.h"
#include "lib/runtime/cuda/DeviceFft.h"
#include "lib/runtime/cuda/DeviceMatmul.h"
#include "lib/runtime/cuda/DeviceSolver.h"

namespace proa::cuda {
namespace {

using Create = Result<std::shared_ptr<runtime::DeviceLibraryKernel>> (*)(const runtime::Step &,
                                                                         const runtime::KernelRequest &);

Create creatorOf(std::string_view library) {
  static constexpr std::pair<std::string_view, Create> creators[] = {{cublasLt, createDeviceMatmul},
                                                                     {cudnn, createDeviceConvolution},
                                                                     {cufft, createDeviceFft},
                                                                     {cusolver, createDeviceSolver},
                                                                     {nccl, createDeviceCollective}};
  for (auto [name, create] : creators)
    if (name == library)
      return create;
  return nullptr;
}

} // namespace

Result<std::shared_ptr<runtime::DeviceLibraryKernel>>
createDeviceKernel(const runtime::Step &step, const runtime::KernelRequest &request) {
  Create create = creatorOf(step.launch.library);
  if (!create)
    return runtime::failure("the device has no library '{}'", step.launch.library);
  return create(step, request);
}

LibraryChoice chooseLibrary(const runtime::Step &step, const runtime::Plan &plan, Libraries *libraries) {
  const runtime::KernelEntry *entry = runtime::findLibraryKernel(step.symbol);
  std::string library = entry ? entry->cudaLibrary : "";
  if (library.empty())
    return {"", "no library of CUDA computes it"};
  auto typesOf = [&](const std::vector<runtime::ValueId> &ids) {
    std::vector<runtime::OperandType> types;
    for (runtime::ValueId id : ids) {
      runtime::OperandType &type = types.emplace_back();
      if (id == runtime::none)
        continue;
      const runtime::Value &value = plan.values[static_cast<size_t>(id)];
      type = {true, false, value.dtype, value.dims, value.storage == runtime::Storage::Array};
    }
    return types;
  };
  std::vector<runtime::OperandType> inputs = typesOf(step.inputs), outputs = typesOf(step.outputs);
  // The attributes first: opening a library takes time.
  if (auto kernel = creatorOf(library)(step, {inputs, outputs}); !kernel)
    return {"", kernel.diagnostics()[0].message};
  if (Result<void> usable = libraries ? libraries->check(library) : Result<void>(); !usable)
    return {"", usable.diagnostics()[0].message};
  return {library, ""};
}

} // namespace proa::cuda
