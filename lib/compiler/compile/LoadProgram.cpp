//! Loading of compiled programs into this process.
#include "lib/codegen/LoadedObject.h"
#include "lib/compiler/compile/Backend.h"
#include "lib/compiler/compile/Compile.h"

namespace proa {
namespace {

/// The object code of a program: that of kernels for the CPU, and that of functions that compute the shapes
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

Result<std::shared_ptr<HostCode>> loadHostCode(const CompiledProgram &program) {
  auto kernels = LoadedObject::load(program.archive);
  if (!kernels)
    return kernels.diagnostics();
  auto code = std::make_shared<HostCode>(HostCode{std::move(*kernels), {}});
  for (const std::string &archive : program.shapeArchives) {
    auto shapes = LoadedObject::load(archive);
    if (!shapes)
      return shapes.diagnostics();
    code->shapes.push_back(std::move(*shapes));
  }
  return code;
}

} // namespace

Result<std::vector<std::shared_ptr<runtime::Executable>>>
loadProgram(CompiledProgram program, const std::string &name, const std::vector<int> &offsets) {
  auto code = loadHostCode(program);
  if (!code)
    return code.diagnostics();
  std::unique_ptr<Backend> backend = Backend::create(program.target);
  auto resolve = [&](const std::string &symbol) { return (*code)->find(symbol); };
  std::vector<std::shared_ptr<runtime::Executable>> executables;
  for (size_t i = 0; i < offsets.size(); ++i) {
    auto device = backend->openDevice(program, offsets[i]);
    if (!device)
      return device.diagnostics();
    runtime::Plan plan = i + 1 < offsets.size() ? program.plan : std::move(program.plan);
    auto executable = runtime::Executable::create(std::move(plan), name, resolve, *code, *device);
    if (!executable)
      return executable.diagnostics();
    (*executable)->setKernelInvoker(backend->kernelInvoker());
    executables.push_back(std::move(*executable));
  }
  return executables;
}

Result<std::shared_ptr<runtime::Executable>> loadProgram(CompiledProgram program, const std::string &name) {
  auto loaded = loadProgram(std::move(program), name, std::vector<int>{0});
  if (!loaded)
    return loaded.diagnostics();
  return std::move(loaded->front());
}

} // namespace proa
