#include "lib/compiler/codegen/cuda/EmitPtx.h"

#include "dialects/proa/Proa.h"
#include "dialects/rt/Rt.h"
#include "dialects/rt/Wgmma.h"
#include "lib/base/support/DiagnosticCollector.h"
#include "lib/base/support/Verification.h"
#include "lib/compiler/codegen/TargetCode.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>
#include <set>

using namespace mlir;

namespace proa::cuda {
namespace {

constexpr const char *triple = "nvptx64-nvidia-cuda";
constexpr llvm::StringLiteral libdevicePrefix = "__nv_";

void initializeNvptxTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

Result<std::unique_ptr<llvm::TargetMachine>> createMachine(const ChipInfo &chip) {
  initializeNvptxTarget();
  std::string error;
  llvm::Triple parsed(triple);
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(parsed, error);
  if (!backend)
    return errorAt("CUDA code generation", error);
  llvm::TargetOptions options;
  // As for the CPU: multiplications and additions may be contracted.
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  std::unique_ptr<llvm::TargetMachine> machine(
      backend->createTargetMachine(parsed, chip.name, chip.features, options, std::nullopt, std::nullopt,
                                   llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return errorAt("CUDA code generation", "LLVM has no target machine for " + chip.name);
  return machine;
}

/// The functions of libdevice that `module` declares and calls, in the order of the module.
std::vector<std::string> libdeviceCalls(const llvm::Module &module) {
  std::vector<std::string> names;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.use_empty() && function.getName().starts_with(libdevicePrefix))
      names.push_back(function.getName().str());
  return names;
}

Result<void> linkLibdevice(llvm::Module &module, const CudaToolkit &toolkit) {
  std::vector<std::string> calls = libdeviceCalls(module);
  if (calls.empty())
    return {};
  if (toolkit.libdevice.empty())
    return errorAt("CUDA code generation",
                   "the kernels call " + calls[0] + ", but libdevice.10.bc was not found; " + toolkitHint());
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> library =
      llvm::getLazyIRFileModule(toolkit.libdevice, diagnostic, module.getContext());
  if (!library)
    return errorAt(toolkit.libdevice, "cannot be read as LLVM bitcode: " + diagnostic.getMessage().str());
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  if (llvm::Linker::linkModules(module, std::move(library), llvm::Linker::LinkOnlyNeeded))
    return errorAt(toolkit.libdevice, "cannot be linked with the kernels");
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.getName().starts_with(libdevicePrefix))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  // Subnormal numbers are kept, as on the CPU.
  if (!module.getModuleFlag("nvvm-reflect-ftz"))
    module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", uint32_t(0));
  std::vector<std::string> missing = libdeviceCalls(module);
  if (!missing.empty())
    return errorAt(toolkit.libdevice, "has no function " + missing[0] + ", which the kernels call");
  return {};
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PassBuilder builder(&machine);
  runPipeline(module, builder,
              [&] { return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3); });
}

/// Calls of LLVM's intrinsic. Assembly may not return, as far as LLVM knows, and would separate accesses
/// that it merges into wide ones.
void lowerPowers(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  module.walk([&](rt::Exp2FtzOp op) {
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32"), op.getExponent());
  });
}

/// NVVM ops without an intrinsic of LLVM become inline assembly.
Result<void> lowerToIntrinsics(ModuleOp module) {
  lowerPowers(module);
  DiagnosticCollector diagnostics(module.getContext());
  PassManager passes(module.getContext());
  passes.enableVerifier(verifiesPasses());
  passes.addPass(createConvertNVVMToLLVMPass());
  if (failed(passes.run(module)))
    return diagnostics.take("the device module could not be lowered to the LLVM dialect");
  return {};
}

/// Symbols that are reachable from `roots`, these included.
std::set<StringRef> reachableFrom(ModuleOp module, const std::vector<StringRef> &roots) {
  SymbolTable symbols(module);
  std::set<StringRef> reached;
  std::vector<StringRef> pending = roots;
  while (!pending.empty()) {
    StringRef name = pending.back();
    pending.pop_back();
    Operation *op = symbols.lookup(name);
    if (!op || !reached.insert(cast<SymbolOpInterface>(op).getName()).second)
      continue;
    if (auto uses = SymbolTable::getSymbolUses(op))
      for (const SymbolTable::SymbolUse &use : *uses)
        pending.push_back(use.getSymbolRef().getRootReference().getValue());
  }
  return reached;
}

OwningOpRef<ModuleOp> cloneReachable(ModuleOp module, const std::vector<StringRef> &roots) {
  std::set<StringRef> kept = reachableFrom(module, roots);
  OwningOpRef<ModuleOp> subset = cast<ModuleOp>(module->cloneWithoutRegions());
  subset->getBodyRegion().emplaceBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(subset->getBody());
  for (Operation &op : *module.getBody())
    if (auto symbol = dyn_cast<SymbolOpInterface>(op); symbol && kept.contains(symbol.getName()))
      builder.clone(op);
  return subset;
}

} // namespace

const std::vector<ChipInfo> &knownChips() {
  // PTX 8.4 is the first version with all mixed types of wgmma, 8.6 the first one with sm_100a. LLVM aborts
  // the process for a version that does not fit the chip.
  static const std::vector<ChipInfo> chips = {
      {"sm_80", "+ptx84"},  {"sm_86", "+ptx84"},  {"sm_89", "+ptx84"},  {"sm_90", "+ptx84"},
      {"sm_90a", "+ptx84"}, {"sm_100", "+ptx86"}, {"sm_100a", "+ptx86"}};
  return chips;
}

Result<ChipInfo> chipNamed(const std::string &name) {
  std::string known;
  for (const ChipInfo &chip : knownChips()) {
    if (chip.name == name)
      return chip;
    known += (known.empty() ? "" : ", ") + chip.name;
  }
  return errorAt("CUDA code generation", "unknown chip '" + name + "', expected one of " + known);
}

Result<ChipInfo> chipFor(int major, int minor) {
  const ChipInfo *best = nullptr;
  int version = 10 * major + minor;
  for (const ChipInfo &chip : knownChips()) {
    StringRef name = StringRef(chip.name).drop_front(StringRef("sm_").size());
    bool hasOwnFeatures = name.consume_back("a");
    int scalar = 0;
    name.getAsInteger(10, scalar);
    // Ascending; of one version that with its own features comes last.
    if (hasOwnFeatures ? scalar == version : scalar <= version)
      best = &chip;
  }
  if (!best)
    return errorAt("CUDA code generation", "the device has compute capability " + std::to_string(major) +
                                               "." + std::to_string(minor) + ", expected 8.0 or newer");
  return *best;
}

void registerDeviceDialects(DialectRegistry &registry) {
  registry.insert<ProaDialect, rt::RtDialect, LLVM::LLVMDialect, NVVM::NVVMDialect, gpu::GPUDialect,
                  DLTIDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  registerConvertNVVMToLLVMInterface(registry);
}

Result<SplitModule> splitHostFunctions(ModuleOp module) {
  std::vector<StringRef> kernels, shapes;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()))
      continue;
    kernels.push_back(function.getName());
    if (auto shape = module.lookupSymbol<LLVM::LLVMFuncOp>((function.getName() + "_shape").str()))
      shapes.push_back(shape.getName());
  }
  if (kernels.empty())
    return errorAt("CUDA code generation", "the module has no function with the attribute `gpu.kernel`");
  return SplitModule{cloneReachable(module, kernels), cloneReachable(module, shapes)};
}

OwningOpRef<ModuleOp> moduleWith(ModuleOp module, const std::string &kernel) {
  return cloneReachable(module, {kernel});
}

Result<PtxCode> emitPtx(ModuleOp module, const ChipInfo &chip, const CudaToolkit &toolkit, bool withLlvmIr) {
  Result<std::unique_ptr<llvm::TargetMachine>> machine = createMachine(chip);
  if (!machine)
    return machine.diagnostics();
  if (Result<void> lowered = lowerToIntrinsics(module); !lowered)
    return lowered.diagnostics();
  llvm::LLVMContext context;
  DiagnosticCollector diagnostics(module.getContext());
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(module, context, "device");
  if (!translated)
    return diagnostics.take("the device module could not be translated to LLVM IR");
  translated->setTargetTriple((*machine)->getTargetTriple());
  translated->setDataLayout((*machine)->createDataLayout());
  if (Result<void> linked = linkLibdevice(*translated, toolkit); !linked)
    return linked.diagnostics();
  optimize(*translated, **machine);
  PtxCode code;
  if (withLlvmIr) {
    llvm::raw_string_ostream stream(code.llvmIr);
    translated->print(stream, nullptr);
  }
  llvm::SmallVector<char, 0> ptx;
  llvm::raw_svector_ostream stream(ptx);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return errorAt("CUDA code generation", "LLVM cannot emit PTX for " + chip.name);
  passes.run(*translated);
  code.ptx.assign(ptx.begin(), ptx.end());
  return code;
}

} // namespace proa::cuda
