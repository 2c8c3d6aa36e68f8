#include "lib/codegen/CompileKernels.h"

#include "lib/codegen/EmulatedKernels.h"
#include "lib/codegen/TargetCode.h"
#include "lib/support/DiagnosticCollector.h"
#include "lib/support/Files.h"
#include "lib/support/Parallel.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-cpu/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace mlir;

namespace proa {
namespace {

/// A part of the kernels, compiled by one thread.
struct Share {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  llvm::SmallVector<char, 0> object;
  Diagnostics diagnostics;
};

template <class T> std::string textOf(T &printable) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if constexpr (std::is_same_v<T, llvm::Module>)
    printable.print(stream, nullptr);
  else
    printable->print(stream);
  return text;
}

class Compiler {
public:
  Compiler(ModuleOp module, const CodegenOptions &options)
      : module(module), options(options), target(chooseTarget(options)) {}

  Result<CompiledKernels> run() {
    if (auto written = dump("kernels.mlir", [&] { return textOf(module); }); !written)
      return written.diagnostics();
    if (auto lowered = lower(); !lowered)
      return lowered.diagnostics();
    CompiledKernels compiled;
    compiled.kernels = describeKernels();
    if (auto translated = translate(); !translated)
      return translated.diagnostics();
    if (auto emitted = emit(); !emitted)
      return emitted.diagnostics();
    std::vector<llvm::SmallVector<char, 0>> objects;
    for (Share &share : shares)
      objects.push_back(std::move(share.object));
    Result<std::string> archive = makeArchive(objects);
    if (!archive)
      return archive.diagnostics();
    compiled.archive = std::move(*archive);
    return compiled;
  }

private:
  ModuleOp module;
  const CodegenOptions &options;
  Target target;
  std::vector<Share> shares;

  template <class Text> Result<void> dump(const std::string &name, Text text) {
    if (options.dumpDirectory.empty())
      return {};
    return writeFile(options.dumpDirectory + "/" + name, std::string(text()));
  }

  Result<void> lower() {
    DiagnosticCollector diagnostics(module.getContext());
    PassManager passes(module.getContext());
    passes.enableVerifier(false);
    auto machine = createTargetMachine(target);
    if (!machine)
      return machine.diagnostics();
    LowerKernelsOptions lowering;
    // Only x86-64 is queried: other CPUs use integer arithmetic, which needs no special instructions.
    bool isX86 = (*machine)->getTargetTriple().getArch() == llvm::Triple::x86_64;
    const llvm::MCSubtargetInfo &subtarget = *(*machine)->getMCSubtargetInfo();
    lowering.expandBFloat16 = !isX86 || !subtarget.checkFeatures("+avx512bf16,+avx512vl");
    lowering.expandFloat16 = !isX86 || !subtarget.checkFeatures("+f16c");
    FailureOr<OwningOpRef<ModuleOp>> emulated = OwningOpRef<ModuleOp>();
    if (options.emulatesGpu)
      emulated = takeEmulatedKernels(module, {.chip = options.emulatedChip,
                                              .contraction = options.emulatedContraction,
                                              .attention = options.emulatedAttention,
                                              .expandBFloat16 = lowering.expandBFloat16,
                                              .expandFloat16 = lowering.expandFloat16});
    buildLowerKernelsPipeline(passes, lowering);
    if (failed(emulated) || failed(passes.run(module)))
      return diagnostics.take("the kernels could not be lowered");
    if (*emulated)
      mergeModules(module, **emulated);
    return dump("lowered.mlir", [&] { return textOf(module); });
  }

  std::vector<CompiledKernel> describeKernels() {
    std::vector<CompiledKernel> kernels;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      if (!function->hasAttr(kernelAttribute))
        continue;
      CompiledKernel &kernel = kernels.emplace_back();
      kernel.symbol = function.getName().str();
      if (auto rows = function->getAttrOfType<IntegerAttr>(rowsAttribute))
        kernel.rows = ShapedType::isDynamic(rows.getInt()) ? -1 : rows.getInt();
      if (auto work = function->getAttrOfType<FloatAttr>(workAttribute))
        kernel.work = work.getValueAsDouble();
      kernel.needs = KernelNeeds::of(function);
      kernel.hasShapeFunction = module.lookupSymbol((function.getName() + "_shape").str()) != nullptr;
    }
    return kernels;
  }

  /// Kernel names by part, balanced by estimated compile time.
  std::vector<std::vector<std::string>> divide() {
    std::vector<std::pair<size_t, std::string>> kernels;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(kernelAttribute)) {
        size_t operations = 0;
        if (auto rows = module.lookupSymbol((function.getName() + "_rows").str()))
          rows->walk([&](Operation *) { ++operations; });
        kernels.push_back({operations, function.getName().str()});
      }
    llvm::sort(kernels, std::greater<>());
    size_t count = std::max<size_t>(1, std::min<size_t>(options.threads, kernels.size()));
    std::vector<std::vector<std::string>> names(count);
    std::vector<size_t> load(count, 0);
    for (auto &[operations, name] : kernels) {
      size_t least = std::min_element(load.begin(), load.end()) - load.begin();
      load[least] += operations;
      names[least].push_back(name);
    }
    return names;
  }

  /// The module with only the functions of `kernels` and those that are not kernels.
  OwningOpRef<ModuleOp> only(const std::vector<std::string> &kernels) {
    std::set<std::string> kept;
    for (const std::string &kernel : kernels)
      for (const char *suffix : {"", "_rows", "_shape", "_shape_dims"})
        kept.insert(kernel + suffix);
    OwningOpRef<ModuleOp> part = cast<ModuleOp>(module->cloneWithoutRegions());
    part->getBodyRegion().emplaceBlock();
    OpBuilder builder = OpBuilder::atBlockBegin(part->getBody());
    for (Operation &op : *module.getBody()) {
      auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
      if (!function || function.isExternal() || kept.contains(function.getName().str()))
        builder.clone(op);
    }
    return part;
  }

  Result<void> translate() {
    DiagnosticCollector diagnostics(module.getContext());
    for (const std::vector<std::string> &kernels : divide()) {
      OwningOpRef<ModuleOp> part = only(kernels);
      Share &share = shares.emplace_back();
      share.module = translateModuleToLLVMIR(*part, *share.context);
      if (!share.module)
        return diagnostics.take("the kernels could not be translated to LLVM IR");
    }
    return {};
  }

  void emitShare(Share &share, size_t index) {
    auto machine = createTargetMachine(target);
    if (!machine) {
      share.diagnostics = machine.diagnostics();
      return;
    }
    optimize(*share.module, **machine);
    if (auto written = dump("kernels" + std::to_string(index) + ".ll", [&] { return textOf(*share.module); });
        !written)
      share.diagnostics.append(written.diagnostics());
    auto object = emitObject(*share.module, **machine);
    if (!object) {
      share.diagnostics.append(object.diagnostics());
      return;
    }
    share.object = std::move(*object);
    if (auto written = dump("kernels" + std::to_string(index) + ".o",
                            [&] { return std::string(share.object.begin(), share.object.end()); });
        !written)
      share.diagnostics.append(written.diagnostics());
  }

  Result<void> emit() {
    parallelFor(shares.size(), [&](size_t i) { emitShare(shares[i], i); });
    Diagnostics diagnostics;
    for (Share &share : shares)
      diagnostics.append(share.diagnostics);
    if (!diagnostics.empty())
      return diagnostics;
    return {};
  }
};

} // namespace

Result<CompiledKernels> compileKernels(ModuleOp module, const CodegenOptions &options) {
  return Compiler(module, options).run();
}

Result<std::vector<std::string>> targetFeatures(const CodegenOptions &options,
                                                std::span<const std::string> features) {
  auto machine = createTargetMachine(chooseTarget(options));
  if (!machine)
    return machine.diagnostics();
  std::vector<std::string> found;
  llvm::copy_if(features, std::back_inserter(found), [&](const std::string &feature) {
    return (*machine)->getMCSubtargetInfo()->checkFeatures("+" + feature);
  });
  return found;
}

std::string codegenFingerprint(const CodegenOptions &options) {
  Target target = chooseTarget(options);
  return "LLVM " LLVM_VERSION_STRING ", code version 3, cpu " + target.cpu + ", features " + target.features +
         (target.optimizes ? "" : ", not optimized");
}

} // namespace proa
