#include "lib/compiler/codegen/CompileKernels.h"

#include "dialects/proa/Proa.h"
#include "lib/base/support/DiagnosticCollector.h"
#include "lib/base/support/Files.h"
#include "lib/base/support/Parallel.h"
#include "lib/base/support/Verification.h"
#include "lib/compiler/codegen/EmulatedKernels.h"
#include "lib/compiler/codegen/TargetCode.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-cpu/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace mlir;

namespace proa {
namespace {

/// The kernels that one thread compiles.
struct Share {
  bool isDeferred = false; ///< it is not optimized now
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  std::string bitcode; ///< of a deferred share, before it is compiled
  std::string object;
  Diagnostics diagnostics;
};

/// The names of the kernels of a share.
struct ShareNames {
  bool isDeferred = false;
  std::vector<std::string> kernels;
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
    std::vector<std::string> objects;
    for (const Share &share : shares)
      objects.push_back(share.object);
    Result<std::string> archive = makeArchive(objects);
    if (!archive)
      return archive.diagnostics();
    compiled.archive = std::move(*archive);
    compiled.deferred = takeDeferred();
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
    passes.enableVerifier(verifiesPasses());
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
    setTarget(module, {targetOf(module).cpu, std::nullopt}); // the other kernels run on the CPU
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
      int64_t rows = RowsAttr::countOf(function);
      kernel.rows = ShapedType::isDynamic(rows) ? -1 : rows;
      kernel.work = RowsAttr::nanosecondsOf(function).value_or(0);
      kernel.needs = KernelNeeds::of(function);
      kernel.hasShapeFunction = module.lookupSymbol((function.getName() + "_shape").str()) != nullptr;
    }
    return kernels;
  }

  /// Whether a kernel runs for so short a time that its code need not be good at first.
  bool isDeferred(LLVM::LLVMFuncOp kernel) const {
    std::optional<double> work = RowsAttr::nanosecondsOf(kernel);
    return options.optimizes && work && *work < options.deferBelow;
  }

  /// Adds the names of these kernels by share, balanced by estimated compile time.
  void divide(std::vector<std::pair<size_t, std::string>> kernels, bool areDeferred,
              std::vector<ShareNames> &names) const {
    if (kernels.empty())
      return;
    llvm::sort(kernels, std::greater<>());
    size_t count = std::max<size_t>(1, std::min<size_t>(options.threads, kernels.size()));
    // Between two shares optimizeKernels() may stop.
    constexpr size_t largestDeferredShare = 8;
    if (areDeferred)
      count = std::max(count, llvm::divideCeil(kernels.size(), largestDeferredShare));
    std::vector<ShareNames> shares(count, {areDeferred, {}});
    std::vector<size_t> load(count, 0);
    for (auto &[operations, name] : kernels) {
      size_t least = std::min_element(load.begin(), load.end()) - load.begin();
      load[least] += operations;
      shares[least].kernels.push_back(name);
    }
    llvm::append_range(names, shares);
  }

  std::vector<ShareNames> divide() {
    std::vector<std::pair<size_t, std::string>> now, later;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(kernelAttribute)) {
        size_t operations = 0;
        if (auto rows = module.lookupSymbol((function.getName() + "_rows").str()))
          rows->walk([&](Operation *) { ++operations; });
        (isDeferred(function) ? later : now).push_back({operations, function.getName().str()});
      }
    std::vector<ShareNames> names;
    divide(std::move(now), false, names);
    divide(std::move(later), true, names);
    if (names.empty()) // functions that are not kernels
      names.emplace_back();
    return names;
  }

  /// The module with only the functions of `kernels` and those that are not kernels.
  OwningOpRef<ModuleOp> only(const std::vector<std::string> &kernels) {
    std::set<std::string> kept;
    for (const std::string &kernel : kernels)
      for (const char *suffix : {"", "_rows", "_shape", "_shape_dims"})
        kept.insert(kernel + suffix);
    OwningOpRef<ModuleOp> subset = cast<ModuleOp>(module->cloneWithoutRegions());
    subset->getBodyRegion().emplaceBlock();
    OpBuilder builder = OpBuilder::atBlockBegin(subset->getBody());
    for (Operation &op : *module.getBody()) {
      auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
      if (!function || function.isExternal() || kept.contains(function.getName().str()))
        builder.clone(op);
    }
    return subset;
  }

  Result<void> translate() {
    DiagnosticCollector diagnostics(module.getContext());
    for (const ShareNames &names : divide()) {
      OwningOpRef<ModuleOp> subset = only(names.kernels);
      Share &share = shares.emplace_back();
      share.isDeferred = names.isDeferred;
      share.module = translateModuleToLLVMIR(*subset, *share.context);
      if (!share.module)
        return diagnostics.take("the kernels could not be translated to LLVM IR");
      if (share.isDeferred) {
        llvm::raw_string_ostream stream(share.bitcode);
        llvm::WriteBitcodeToFile(*share.module, stream);
      }
    }
    return {};
  }

  /// The deferred shares for optimizeKernels(); null if there are none.
  std::shared_ptr<const DeferredKernels> takeDeferred() {
    auto deferred = std::make_shared<DeferredKernels>();
    for (Share &share : shares)
      if (share.isDeferred)
        deferred->modules.push_back(std::move(share.bitcode));
      else
        deferred->objects.push_back(std::move(share.object));
    if (deferred->modules.empty())
      return nullptr;
    return deferred;
  }

  void emitShare(Share &share, size_t index) {
    Target own = target;
    own.optimizes &= !share.isDeferred;
    auto machine = createTargetMachine(own);
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
    if (auto written = dump("kernels" + std::to_string(index) + ".o", [&] { return share.object; }); !written)
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

/// The object file of a module as bitcode, optimized.
static Result<std::string> optimizedObject(const std::string &bitcode, const Target &target) {
  llvm::LLVMContext context;
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "kernels"), context);
  if (!module)
    return errorAt("code generation", llvm::toString(module.takeError()));
  auto machine = createTargetMachine(target);
  if (!machine)
    return machine.diagnostics();
  optimize(**module, **machine);
  return emitObject(**module, **machine);
}

Result<std::string> optimizeKernels(const DeferredKernels &deferred, const CodegenOptions &options,
                                    const std::stop_token &stop) {
  std::vector<std::string> objects = deferred.objects;
  for (const std::string &bitcode : deferred.modules) {
    if (stop.stop_requested())
      return errorAt("", "compilation was stopped");
    auto object = optimizedObject(bitcode, chooseTarget(options));
    if (!object)
      return object.diagnostics();
    objects.push_back(std::move(*object));
  }
  return makeArchive(objects);
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
  return "LLVM " LLVM_VERSION_STRING ", code version 4, cpu " + target.cpu + ", features " + target.features +
         (target.optimizes ? "" : ", not optimized");
}

} // namespace proa
