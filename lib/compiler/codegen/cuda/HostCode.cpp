#include "lib/compiler/codegen/cuda/HostCode.h"

#include "lib/base/support/DiagnosticCollector.h"
#include "lib/compiler/codegen/TargetCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LLVMContext.h"

using namespace mlir;

namespace proa::cuda {

Result<std::string> compileHostCode(ModuleOp module, const CodegenOptions &options) {
  if (module.getOps<LLVM::LLVMFuncOp>().empty())
    return std::string();
  DiagnosticCollector diagnostics(module.getContext());
  auto machine = createTargetMachine(chooseTarget(options));
  if (!machine)
    return machine.diagnostics();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(module, context);
  if (!translated)
    return diagnostics.take("the host functions could not be translated to LLVM IR");
  optimize(*translated, **machine);
  auto object = emitObject(*translated, **machine);
  if (!object)
    return object.diagnostics();
  return makeArchive({std::move(*object)});
}

} // namespace proa::cuda
