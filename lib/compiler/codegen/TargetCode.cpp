#include "lib/compiler/codegen/TargetCode.h"

#include "lib/runtime/host/CpuFeatures.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <mutex>

namespace proa {

Target chooseTarget(const CodegenOptions &options) {
  if (!options.cpu.empty())
    return {options.cpu, options.features, options.optimizes};
#if defined(__x86_64__)
  if (auto limit = runtime::vectorLimit(); limit && *limit != runtime::VectorIsa::Avx512)
    return {runtime::vectorIsa() == runtime::VectorIsa::Avx2 ? "x86-64-v3" : "x86-64-v2", options.features,
            options.optimizes};
#endif
  llvm::SubtargetFeatures features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.AddFeature(feature.getKey(), feature.getValue());
  std::string all = features.getString();
  if (!options.features.empty())
    all += "," + options.features;
  return {llvm::sys::getHostCPUName().str(), all, options.optimizes};
}

static void initializeNativeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

Result<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const Target &target) {
  initializeNativeTarget();
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string error;
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return errorAt("code generation", error);
  // Checked first, because creating a machine for an unknown CPU prints a warning.
  std::unique_ptr<llvm::MCSubtargetInfo> known(backend->createMCSubtargetInfo(triple, "", ""));
  if (!known->isCPUStringValid(target.cpu))
    return errorAt("code generation", "LLVM does not know the CPU '" + target.cpu + "'");
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, target.cpu, target.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      target.optimizes ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None));
  if (!machine)
    return errorAt("code generation", "LLVM has no target machine for " + triple.str());
  return machine;
}

/// Without target attributes on each function the vectorizer silently does nothing.
static void setTarget(llvm::Module &module, llvm::TargetMachine &machine) {
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
  }
}

void runPipeline(llvm::Module &module, llvm::PassBuilder &builder,
                 llvm::function_ref<llvm::ModulePassManager()> create) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  create().run(module, modules);
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  setTarget(module, machine);
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  // The vectorizer interleaves; unrolling in addition doubles the compile time without a gain.
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = true;
  llvm::PassBuilder builder(&machine, tuning);
  runPipeline(module, builder, [&] {
    return machine.getOptLevel() == llvm::CodeGenOptLevel::None
               ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
               : builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  });
}

Result<std::string> emitObject(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return errorAt("code generation",
                   "LLVM cannot write object files for " + machine.getTargetTriple().str());
  passes.run(module);
  return std::string(object.begin(), object.end());
}

Result<std::string> makeArchive(llvm::ArrayRef<std::string> objects) {
  std::vector<std::string> names;
  std::vector<llvm::NewArchiveMember> members;
  names.reserve(objects.size());
  for (const std::string &object : objects) {
    names.push_back("kernels" + std::to_string(names.size()) + ".o");
    members.emplace_back(llvm::MemoryBufferRef(object, names.back()));
  }
  auto archive =
      llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
                                 /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return errorAt("code generation", llvm::toString(archive.takeError()));
  return (*archive)->getBuffer().str();
}

} // namespace proa
