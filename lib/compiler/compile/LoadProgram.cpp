//! Loading of compiled programs into this process.
#include "lib/compiler/codegen/LoadedObject.h"
#include "lib/compiler/compile/Backend.h"
#include "lib/compiler/compile/Compile.h"

namespace proa {
namespace {

/// The object code of a program: kernels for the CPU, and functions that compute the shapes
/// of kernels on a device.
struct HostCode {
  LoadedObject kernels;
  std::vector<LoadedObject> shapes;

  Result<void *> find(const std::string &symbol) const {
    for (const LoadedObject &object : shapes)
      if (auto found = object.find(symbol); found && *found)
        return found;
    return kernels.find(symbol);
  }
};

Result<std::shared_ptr<HostCode>> loadHostCode(const std::string &kernelArchive,
                                               const std::vector<std::string> &shapeArchives) {
  auto kernels = LoadedObject::load(kernelArchive);
  if (!kernels)
    return kernels.diagnostics();
  auto code = std::make_shared<HostCode>(HostCode{std::move(*kernels), {}});
  for (const std::string &archive : shapeArchives) {
    auto shapes = LoadedObject::load(archive);
    if (!shapes)
      return shapes.diagnostics();
    code->shapes.push_back(std::move(*shapes));
  }
  return code;
}

} // namespace

Result<std::shared_ptr<const LoadedProgram>> LoadedProgram::load(CompiledProgram program) {
  auto code = loadHostCode(program.archive, program.shapeArchives);
  if (!code)
    return code.diagnostics();
  auto loaded = std::shared_ptr<LoadedProgram>(new LoadedProgram);
  loaded->resolve = [code = *code](const std::string &symbol) { return code->find(symbol); };
  loaded->code = std::move(*code);
  loaded->shared = std::make_shared<const runtime::Plan>(std::move(program.plan));
  // The rest of the program is needed to open devices.
  loaded->program = {
      .target = program.target, .device = program.device, .deviceCode = std::move(program.deviceCode)};
  return std::shared_ptr<const LoadedProgram>(std::move(loaded));
}

Result<std::shared_ptr<runtime::Executable>> LoadedProgram::instantiate(const std::string &name,
                                                                        int offset) const {
  std::unique_ptr<Backend> backend = Backend::create(program.target);
  auto device = backend->openDevice(program, offset);
  if (!device)
    return device.diagnostics();
  std::lock_guard lock(mutex);
  auto executable = runtime::Executable::create(shared, name, resolve, code, *device);
  if (!executable)
    return executable;
  (*executable)->setKernelInvoker(backend->kernelInvoker());
  std::erase_if(executables, [](const auto &known) { return known.expired(); });
  executables.push_back(*executable);
  return executable;
}

Result<void> LoadedProgram::replaceCode(const std::string &archive) const {
  auto loaded = loadHostCode(archive, {});
  if (!loaded)
    return loaded.diagnostics();
  runtime::KernelResolver better = [loaded = *loaded](const std::string &symbol) {
    return loaded->find(symbol);
  };
  // Links the code before others have to wait.
  runtime::forEachStep(shared->steps, [&](const runtime::Step &step) {
    if (step.kind == runtime::StepKind::Kernel)
      (void)better(step.symbol);
  });
  std::lock_guard lock(mutex);
  for (const std::weak_ptr<runtime::Executable> &known : executables)
    if (std::shared_ptr<runtime::Executable> executable = known.lock())
      if (Result<void> replaced = executable->replaceKernels(better, *loaded); !replaced)
        return replaced;
  code = std::move(*loaded);
  resolve = std::move(better);
  return {};
}

Result<std::shared_ptr<runtime::Executable>> loadProgram(CompiledProgram program, const std::string &name) {
  auto loaded = LoadedProgram::load(std::move(program));
  if (!loaded)
    return loaded.diagnostics();
  return (*loaded)->instantiate(name);
}

} // namespace proa
