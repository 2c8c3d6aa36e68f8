#include "lib/compiler/autodiff/CompiledFunction.h"

#include "dialects/pd/ir/FunctionAttributes.h"

#include "lib/compiler/program/SpecializeFeeds.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace proa {
namespace {

/// Names arguments and results by index: names need not be unique.
void numberInterface(func::FuncOp main) {
  Builder builder(main.getContext());
  auto role = [&](llvm::StringRef name, unsigned index) {
    return builder.getDictionaryAttr(
        builder.getNamedAttr(name, builder.getStringAttr(std::to_string(index))));
  };
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    main.setArgAttrs(i, role(pd::feedAttribute, i));
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    main.setResultAttrs(i, role(pd::fetchAttribute, i));
}

} // namespace

Result<CompiledFunction> CompiledFunction::create(OwningOpRef<ModuleOp> module,
                                                  const std::vector<Tensor> &arguments,
                                                  const CompileOptions &options, const std::string &name) {
  numberInterface(module->lookupSymbol<func::FuncOp>("main"));
  if (!hasFormedKernels(*module)) {
    std::map<std::string, std::vector<int64_t>> dims;
    for (size_t i = 0; i < arguments.size(); ++i)
      dims[std::to_string(i)] = arguments[i].dims();
    if (Result<void> done = specializeFeeds(*module, dims); !done)
      return done.diagnostics();
  }
  auto program = compileProgram(std::move(module), options);
  if (!program)
    return program.diagnostics();
  auto executable = loadProgram(std::move(*program), name);
  if (!executable)
    return executable.diagnostics();
  auto session = runtime::Session::create(*executable);
  if (!session)
    return session.diagnostics();
  CompiledFunction compiled;
  compiled.executable = *executable;
  compiled.session = std::move(*session);
  return compiled;
}

Result<std::vector<Tensor>> CompiledFunction::run(const std::vector<Tensor> &arguments) {
  runtime::NamedTensors feeds;
  for (size_t i = 0; i < arguments.size(); ++i)
    feeds[std::to_string(i)] = arguments[i];
  return session->run(feeds);
}

} // namespace proa
