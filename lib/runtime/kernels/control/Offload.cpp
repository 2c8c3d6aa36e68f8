//! Fetches and stores of state variables that are kept outside of the program.
#include "lib/runtime/ranks/Offload.h"
#include "lib/runtime/kernels/common/Checks.h"

#include "dialects/rt/Rt.kernels.inc"

namespace proa::runtime {
namespace {

/// An error of the store names the variable.
Result<void> named(const Result<void> &outcome, const std::string &name) {
  Diagnostics diagnostics;
  for (const Diagnostic &p : outcome.diagnostics())
    diagnostics.add("",
                    "variable '" + name + "': " + (p.location.empty() ? "" : p.location + ": ") + p.message);
  return diagnostics;
}

Result<OffloadQueue *> queueOf(Call &call, const std::string &name) {
  if (OffloadQueue *queue = call.offload())
    return queue;
  return failure("variable '{}' is kept outside of the program, but the run has no store", name);
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeFetchVariable(const FetchVariableAttributes &op,
                                                         const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(0, 1);
  checks.expect(request.isStatic(), "the dims of a stored variable are not static");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([name = op.name, type = request.outputs[0]](Call &call) -> Result<void> {
    Result<OffloadQueue *> queue = queueOf(call, name);
    if (!queue)
      return queue.diagnostics();
    Result<View> out = call.output(0, type.dims);
    if (!out)
      return out.diagnostics();
    OffloadedVariable variable{name, (*queue)->rank(), type.dtype, type.dims};
    std::span<std::byte> data(out->as<std::byte>(), static_cast<size_t>(out->size()) * sizeOf(type.dtype));
    if (!call.isStart())
      return named((*queue)->fetch(variable, data), name);
    /// Names the variable in the error of the wait.
    class Named final : public StartedWork {
    public:
      Named(std::unique_ptr<StartedWork> work, std::string name)
          : work(std::move(work)), name(std::move(name)) {}
      Result<void> wait() override { return named(work->wait(), name); }

    private:
      std::unique_ptr<StartedWork> work;
      std::string name;
    };
    call.setStarted(std::make_unique<Named>((*queue)->start(std::move(variable), data), name));
    return {};
  });
}

Result<std::unique_ptr<LibraryKernel>> makeStoreVariable(const StoreVariableAttributes &op,
                                                         const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(1, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([name = op.name, dtype = request.inputs[0].dtype](Call &call) -> Result<void> {
    Result<OffloadQueue *> queue = queueOf(call, name);
    if (!queue)
      return queue.diagnostics();
    const View &x = call.input(0);
    OffloadedVariable variable{name, (*queue)->rank(), dtype, {x.dims.begin(), x.dims.end()}};
    return named(
        (*queue)->store(variable, {x.as<std::byte>(), static_cast<size_t>(x.size()) * sizeOf(dtype)}), name);
  });
}

} // namespace proa::runtime
