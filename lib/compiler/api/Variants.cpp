//! Import and compilation of a model's program for its feeds.
#include "lib/compiler/api/Variants.h"

#include "lib/base/support/DiagnosticCollector.h"
#include "lib/base/support/Sequences.h"
#include "lib/compiler/api/FeedChecks.h"
#include "lib/compiler/api/OffloadedValues.h"
#include "lib/compiler/api/OptionChecks.h"
#include "lib/compiler/cache/CompiledCache.h"
#include "lib/compiler/compile/KernelDiagnosis.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/compiler/compile/Stopwatch.h"
#include "lib/compiler/mesh/PipelineForm.h"
#include "lib/compiler/program/IrProgram.h"
#include "lib/compiler/program/SpecializeFeeds.h"
#include "lib/runtime/kernels/common/DescribedKernel.h"
#include "passes/autodiff/MixedPrecision.h"
#include "passes/autodiff/Transforms.h"

#include "dialects/pd/ir/FunctionAttributes.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <utility>

namespace proa {

Result<const Imported *> Variants::importDeclared(bool *feedsMayHelp) {
  std::lock_guard lock(model.compiling);
  return importWith({}, feedsMayHelp);
}

Result<const Imported *> Variants::importWith(FeedFacts facts, bool *feedsMayHelp) {
  facts.parameters = knownParameters;
  std::string key = facts.key();
  if (auto found = imports.find(key); found != imports.end())
    return &found->second;
  auto module = model.source->import(*model.context, facts, feedsMayHelp);
  if (!module)
    return module.diagnostics();
  if (auto transformed = transform(**module); !transformed)
    return transformed.diagnostics();
  return keep(key, std::move(*module));
}

const Imported *Variants::keep(const std::string &key, mlir::OwningOpRef<mlir::ModuleOp> module) {
  Imported &imported = imports[key];
  imported.module = std::move(module);
  auto main = imported.module->lookupSymbol<mlir::func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    if (auto of = main.getResultAttrOfType<mlir::StringAttr>(i, pd::lodOwnerAttribute))
      imported.fetchedLods.push_back(of.str());
    else if (main.getResultAttr(i, pd::fetchAttribute))
      imported.fetchedTensors.push_back(fetchedSequenceOf(main, i));
    if (auto state = main.getResultAttrOfType<mlir::StringAttr>(i, pd::stateAttribute))
      imported.states.insert(state.str());
  }
  return &imported;
}

Result<void> Variants::transform(mlir::ModuleOp module) const {
  const ModelOptions &options = model.options;
  Diagnostics diagnostics;
  mlir::ScopedDiagnosticHandler handler(model.context.get(), [&](mlir::Diagnostic &diagnostic) {
    diagnostics.add(model.path, diagnostic.str());
    return mlir::success();
  });
  if (Result<void> converted = model.mesh ? model.mesh->convertProcessGroups(module) : Result<void>();
      !converted)
    return converted;
  if (Result<void> marked = model.mesh ? model.mesh->markStages(module) : markStages(module, nullptr);
      !marked)
    return marked;
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (options.amp && failed(autodiff::scaleLoss(main, *options.amp)))
    return diagnostics;
  std::optional<int64_t> microBatches;
  if (options.microBatches != 1)
    microBatches = options.microBatches;
  if (model.mesh)
    if (Result<void> formed = model.mesh->preparePipeline(module, microBatches); !formed)
      return formed;
  if (microBatches) {
    auto accumulated = autodiff::accumulate(main, "accumulated", *microBatches);
    if (failed(accumulated))
      return diagnostics;
    main.erase();
    accumulated->setName("main");
  }
  return {};
}

FeedFacts Variants::factsFor(const std::map<std::string, Tensor> &inputs, Attempt attempt) const {
  FeedFacts facts;
  for (const TensorInfo &info : model.feeds) {
    if (info.isSequence) {
      facts.sequences.try_emplace(info.name);
      continue;
    }
    if (auto count = static_cast<int>(inputs.at(info.name).lod().size()); count != info.lodLevel)
      facts.lodLevels[info.name] = count;
  }
  for (auto &[name, elements] : elementDims(inputs))
    if (auto found = facts.sequences.find(name); found != facts.sequences.end())
      found->second = elements;
  if (!model.source->dependsOnFeeds()) // the one module, or the error that it has no arguments for these LoDs
    return facts;
  facts.deferAll = attempt.deferAll;
  for (const auto &[name, tensor] : inputs)
    if (attempt.known != FeedKnowledge::Declared)
      facts.dims[name] = tensor.dims();
  if (attempt.known == FeedKnowledge::Elements)
    facts.values = import::specializingFeeds(inputs);
  return facts;
}

Result<const Imported *> Variants::importFor(const std::map<std::string, Tensor> &inputs, Attempt attempt) {
  return importWith(factsFor(inputs, attempt));
}

using FeedDims = std::map<std::string, std::vector<int64_t>>;

static FeedDims dimsOf(const std::map<std::string, Tensor> &feeds) {
  FeedDims dims;
  for (const auto &[name, tensor] : import::withLods(feeds))
    dims[name] = tensor.dims();
  return dims;
}

static Compilation oneProgram(CompiledProgram program) {
  Compilation compilation;
  compilation.programs.push_back(std::move(program));
  compilation.programOf.push_back(0);
  return compilation;
}

Result<mlir::OwningOpRef<mlir::ModuleOp>>
Variants::specialized(mlir::ModuleOp module, const std::map<std::string, std::vector<int64_t>> &dims) const {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  model.context->appendDialectRegistry(registry);
  mlir::OwningOpRef<mlir::ModuleOp> copy(mlir::cast<mlir::ModuleOp>(module->clone()));
  if (!hasFormedKernels(*copy) && !isLocalForm(*copy)) // these keep their types
    if (auto done = specializeFeeds(*copy, dims); !done)
      return done.diagnostics();
  return copy;
}

CompileOptions Variants::compileOptions() const {
  const ModelOptions &options = model.options;
  CompileOptions compileOptions;
  compileOptions.threads = availableCores();
  compileOptions.decompose = options.decompose;
  compileOptions.memoryBudget = options.memoryBudget;
  compileOptions.amp = options.amp;
  compileOptions.cpu = options.cpu;
  compileOptions.optimizesCode = options.codeOptimization != CodeOptimization::Never;
  compileOptions.allowsTf32 = options.allowsTf32;
  compileOptions.allowsAtomicSums = options.allowsAtomicSums;
  compileOptions.target = model.target.kind;
  compileOptions.device = model.target.device;
  compileOptions.cacheDirectory = options.cacheDirectory;
  compileOptions.offload = options.offload;
  compileOptions.passes = options.passes;
  compileOptions.patterns = options.patterns;
  compileOptions.targetFacts = options.targetFacts;
  return compileOptions;
}

/// Kernels with less work, in nanoseconds, are optimized after the first runs. Without optimization they are
/// up to thirty times slower, so that a run is slower by less than the time that optimizing one takes.
static constexpr double deferredWork = 50e3;

bool Variants::mayDefer() const {
  return model.options.codeOptimization == CodeOptimization::Background && !model.mesh &&
         model.target.kind == TargetKind::Cpu && model.options.dumpDirectory.empty();
}

void Variants::optimizeInBackground(std::shared_ptr<const LoadedProgram> program,
                                    std::shared_ptr<const DeferredKernels> deferred, const std::string &key) {
  optimizer.add(
      [this, program = std::move(program), deferred = std::move(deferred), key](const std::stop_token &stop) {
        CodegenOptions codegen;
        codegen.cpu = model.options.cpu;
        auto archive = optimizeKernels(*deferred, codegen, stop);
        // The code that runs is valid: what LLVM could compile before, it compiles again.
        if (!archive || !program->replaceCode(*archive))
          return;
        auto cache = key.empty() ? errorAt("", "") : CompiledCache::open(model.options.cacheDirectory);
        if (cache) // a folder that cannot be written was reported with the first code
          (void)cache->store(key, oneProgram({.plan = program->plan(), .archive = std::move(*archive)}));
      });
}

Result<Compilation> Variants::compileFresh(mlir::ModuleOp module, const std::map<std::string, Tensor> &feeds,
                                           Attempt attempt, PrepareTimes &times) const {
  Stopwatch watch(times.compile);
  PhaseStopwatch phases(times.phases);
  const ModelOptions &options = model.options;
  phases.begin("specializing");
  auto copy = specialized(module, attempt.keepsDims ? FeedDims() : dimsOf(feeds));
  if (!copy)
    return copy.diagnostics();
  CompileOptions withOutput = compileOptions();
  withOutput.dumpDirectory = options.dumpDirectory;
  withOutput.progress = options.progress;
  withOutput.remarks = options.remarks;
  withOutput.onRemark = model.onRemark;
  if (mayDefer())
    withOutput.deferBelow = deferredWork;
  if (model.mesh)
    return model.mesh->compile(std::move(*copy), withOutput);
  withOutput.progress = [&](const std::string &what, double fraction) {
    if (fraction < 1) // else all is done
      phases.begin(what);
    if (options.progress)
      options.progress(what, fraction);
  };
  auto program = compileProgram(std::move(*copy), withOutput);
  if (!program)
    return program.diagnostics();
  return oneProgram(std::move(*program));
}

Result<Compilation> Variants::compileInBackground(mlir::ModuleOp module,
                                                  const std::map<std::string, Tensor> &feeds,
                                                  const Background &background) const {
  std::string text;
  mlir::DialectRegistry registry;
  {
    std::lock_guard lock(model.compiling);
    auto copy = specialized(module, dimsOf(feeds));
    if (!copy)
      return copy.diagnostics();
    llvm::raw_string_ostream stream(text);
    if (failed(mlir::writeBytecodeToFile(**copy, stream)))
      return errorAt(model.path, "the program cannot be copied");
    model.context->getDialectRegistry().appendTo(registry);
  }
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  DiagnosticCollector diagnostics(&context);
  auto copy = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!copy)
    return diagnostics.take("the program cannot be copied");
  CompileOptions quiet = compileOptions();
  quiet.threads = 1;
  quiet.stop = background.stop;
  auto program = compileProgram(std::move(copy), quiet);
  return program ? Result<Compilation>(oneProgram(std::move(*program))) : program.diagnostics();
}

static bool isDeferred(const Compilation &compilation) {
  return llvm::any_of(compilation.programs, [](const CompiledProgram &program) { return program.deferred; });
}

Result<Compilation> Variants::compile(mlir::ModuleOp module, const std::map<std::string, Tensor> &inputs,
                                      Attempt attempt, PrepareTimes &times,
                                      const Background *background) const {
  const ModelOptions &options = model.options;
  auto fresh = [&] {
    return background ? compileInBackground(module, inputs, *background)
                      : compileFresh(module, inputs, attempt, times);
  };
  // Keys of cached programs do not have the content of files that passes read.
  bool readsFiles = options.passes.find("pd-apply-patterns") != std::string::npos;
  if (options.cacheDirectory == "off" || !options.dumpDirectory.empty() || !options.remarks.empty() ||
      readsFiles)
    return fresh();
  auto cache = CompiledCache::open(options.cacheDirectory);
  if (!cache && !options.cacheDirectory.empty())
    return cache.diagnostics();
  if (!cache) { // a default cache that cannot be used only costs time
    model.warn("no-cache", "",
               "the cache of compiled programs cannot be used: " + textOf(cache.diagnostics()[0]));
    return fresh();
  }
  std::map<std::string, Tensor> feeds = import::withLods(inputs);
  CompiledKey described{options, model.programText, model.source->legacyProgram(), feeds,
                        {},      attempt.deferAll};
  if (attempt.known == FeedKnowledge::Elements)
    described.values = import::specializingFeeds(inputs);
  described.keepsDims = attempt.keepsDims;
  described.parameters = knownParameters;
  described.outsideValues = model.source->outsideValues();
  if (model.mesh)
    described.mesh = model.mesh->key();
  std::string key = described.describe();
  auto found = cache->find(key);
  if (found && (mayDefer() || !isDeferred(*found))) {
    times.fromCache = true;
    found->cacheKey = key;
    return std::move(*found);
  }
  auto compiled = fresh();
  if (!compiled)
    return compiled;
  if (Result<void> stored = cache->store(key, *compiled); !stored)
    model.warn("no-cache", "", "the compiled program cannot be stored: " + textOf(stored.diagnostics()[0]));
  compiled->cacheKey = key;
  return compiled;
}

runtime::KernelDiagnosis Variants::diagnosisOf(const Variant &variant) const {
  return [this, &variant](const runtime::Step &step, const std::vector<Tensor> &inputs) -> Diagnostics {
    std::lock_guard lock(model.compiling);
    auto copy = specialized(*variant.imported->module, variant.dims);
    CompileOptions formOptions = compileOptions();
    formOptions.opLocations = true;
    if (!copy || !formKernels(**copy, formOptions))
      return {};
    return findNonFiniteOp(**copy, step, inputs, formOptions);
  };
}

void Variants::remarkGraphs(const runtime::Executable &executable) const {
  if (!model.onRemark || !remarksMatch(model.options.remarks, graphRemarks))
    return;
  std::lock_guard lock(model.compiling);
  for (Diagnostic remark : executable.describeGraphs()) {
    remark.severity = Diagnostic::Severity::Remark;
    remark.code = graphRemarks;
    remark.message = remark.code + ": " + remark.message;
    model.onRemark(remark);
  }
}

Result<std::shared_ptr<runtime::Executable>>
Variants::bind(const Variant &variant, const std::map<std::string, Tensor> &parameters,
               std::shared_ptr<runtime::WeightStore> sharedWeights) const {
  if (model.lacksWeightsFile) // else bindParameters() reports each
    if (auto complete = checkParameterValues(model.path, model.programFile, variant.plan(), parameters);
        !complete)
      return complete.diagnostics();
  auto executable = variant.programs.front()->instantiate(model.path);
  if (!executable)
    return executable;
  if (sharedWeights)
    (*executable)->sharePacked(std::move(sharedWeights));
  if (model.options.checkFinite)
    if (auto checked = (*executable)->checkFinite(diagnosisOf(variant)); !checked)
      return checked.diagnostics();
  if (auto bound = (*executable)->bindParameters(parameters); !bound)
    return bound.diagnostics();
  std::call_once(variant.graphsRemarked, [&] { remarkGraphs(**executable); });
  return executable;
}

Result<std::shared_ptr<runtime::Executable>> Variants::shared(const Variant &variant,
                                                              PrepareTimes &times) const {
  std::lock_guard lock(variant.mutex);
  if (variant.executable)
    return variant.executable;
  Stopwatch watch(times.load);
  auto executable = bind(variant, model.weights, packed);
  if (executable)
    variant.executable = *executable;
  return executable;
}

std::vector<Attempt> Variants::attemptsFor(const std::map<std::string, Tensor> &inputs,
                                           FeedKnowledge known) const {
  bool isOpen =
      llvm::any_of(model.feeds, [](const TensorInfo &info) { return llvm::is_contained(info.dims, -1); });
  auto isUseful = [&](FeedKnowledge next) {
    if (!model.source->dependsOnFeeds())
      return next == FeedKnowledge::Declared;
    return next == FeedKnowledge::Declared ||
           (next == FeedKnowledge::Dims ? isOpen : !import::specializingFeeds(inputs).empty());
  };
  std::vector<Attempt> attempts;
  for (FeedKnowledge next : {FeedKnowledge::Declared, FeedKnowledge::Dims, FeedKnowledge::Elements})
    if (next >= known && isUseful(next))
      attempts.push_back({next});
  // An op that cannot be imported in any way is an error if control flow reaches it.
  attempts.push_back({attempts.empty() ? known : attempts.back().known, true});
  return attempts;
}

Result<void> Variants::tryImports(const std::map<std::string, Tensor> &inputs, FeedKnowledge known,
                                  const ImportWork &work) {
  Diagnostics errors;
  // Some ops have another result rank for other dims (squeeze of a dim other than 1), so that types inferred
  // from dynamic dims are wrong. Importing with the dims of the feeds helps. Other ops need the value of an
  // axis or a number, which may be fed.
  bool isFirst = true;
  for (Attempt next : attemptsFor(inputs, known)) {
    auto attempt = importFor(inputs, next);
    Result<void> done = attempt ? work(**attempt, next) : Result<void>(attempt.diagnostics());
    if (done)
      return {};
    // If no attempt succeeds, the errors of the most specialized one are the most precise.
    if (std::exchange(isFirst, false) || model.needsFeeds)
      errors = done.diagnostics();
  }
  return errors;
}

Result<Variants::Compiled> Variants::compileWith(const std::map<std::string, Tensor> &inputs,
                                                 FeedKnowledge known, PrepareTimes &times) {
  std::optional<Compiled> result;
  Result<void> done = tryImports(inputs, known, [&](const Imported &imported, Attempt next) -> Result<void> {
    auto compiled = compile(*imported.module, inputs, next, times);
    if (!compiled)
      return compiled.diagnostics();
    result = Compiled{std::move(*compiled), &imported, next.known};
    return {};
  });
  if (!done)
    return done.diagnostics();
  return std::move(*result);
}

Result<MeshInterface> Variants::distribute(const std::map<std::string, Tensor> &inputs) {
  if (!model.mesh)
    return errorAt(model.path, "the model has no mesh, expected one or a strategy");
  if (auto checked = checkFeeds(model.path, model.feeds, inputs); !checked)
    return checked.diagnostics();
  std::lock_guard lock(model.compiling);
  std::optional<MeshInterface> result;
  auto work = [&](const Imported &imported, Attempt) -> Result<void> {
    auto copy = specialized(*imported.module, dimsOf(inputs));
    if (!copy)
      return copy.diagnostics();
    auto distributed = model.mesh->distribute(**copy, compileOptions());
    if (!distributed)
      return distributed.diagnostics();
    result = std::move(*distributed);
    return {};
  };
  if (Result<void> done = tryImports(inputs, FeedKnowledge::Declared, work); !done)
    return model.located(done.diagnostics());
  return std::move(*result);
}

Result<MeshInterface> Variants::distribute(const Model &model, const std::map<std::string, Tensor> &feeds) {
  return model.implementation->variants->distribute(feeds);
}

Result<std::shared_ptr<Variant>> Variants::load(Compiled compiled,
                                                const std::map<std::string, Tensor> &feeds) {
  auto variant = std::make_shared<Variant>();
  variant->imported = compiled.imported;
  variant->dims = dimsOf(feeds);
  variant->programOf = std::move(compiled.compilation.programOf);
  for (CompiledProgram &program : compiled.compilation.programs) {
    program.device = model.target.device;
    std::shared_ptr<const DeferredKernels> deferred = program.deferred;
    auto loaded = LoadedProgram::load(std::move(program));
    if (!loaded)
      return loaded.diagnostics();
    variant->programs.push_back(std::move(*loaded));
    if (deferred)
      optimizeInBackground(variant->programs.back(), std::move(deferred), compiled.compilation.cacheKey);
  }
  if (model.mesh) {
    auto interface = readMeshInterface(*model.context, compiled.compilation.interface);
    if (!interface)
      return interface.diagnostics();
    variant->interface = std::move(*interface);
  }
  variant->stored = offloadedVariables(variant->plan());
  return variant;
}

std::shared_ptr<const Variant> Variants::find(const std::map<std::string, Tensor> &feeds,
                                              const std::string &dims) {
  std::lock_guard lock(mutex);
  for (auto &[ownDims, variant] : compiledInBackground.take())
    variants.put(ownDims, std::move(variant));
  std::string values =
      valueSpecialized.contains(dims) ? describeValues(import::specializingFeeds(feeds)) : std::string();
  std::shared_ptr<const Variant> *found = variants.find(dims + values);
  return found ? *found : nullptr;
}

/// Reports what library kernels choose, if `remarks` (ModelOptions) says so.
static void remarkKernels(const runtime::Plan &plan, const std::string &remarks,
                          const std::function<void(const Diagnostic &)> &onRemark) {
  if (!onRemark || !remarksMatch(remarks, runtime::kernelChoiceRemarks))
    return;
  for (Diagnostic remark : runtime::describeChoices(plan)) {
    remark.severity = Diagnostic::Severity::Remark;
    remark.code = runtime::kernelChoiceRemarks;
    remark.message = remark.code + ": " + remark.message;
    onRemark(remark);
  }
}

Result<std::shared_ptr<const Variant>> Variants::add(const std::map<std::string, Tensor> &inputs,
                                                     const std::string &dims, PrepareTimes &times) {
  FeedKnowledge known = FeedKnowledge::Declared;
  {
    std::lock_guard lock(mutex);
    if (valueSpecialized.contains(dims))
      known = FeedKnowledge::Elements;
  }
  auto compiled = compileWith(inputs, known, times);
  if (model.mesh)
    if (auto agreed = model.mesh->agree("compilation of " + model.path,
                                        compiled ? Result<void>() : compiled.diagnostics(),
                                        compiled ? runtime::hashOf(compiled->compilation.interface) : 0);
        !agreed)
      return agreed.diagnostics();
  if (!compiled)
    return model.located(compiled.diagnostics());
  known = compiled->known;
  Stopwatch watch(times.load);
  auto variant = load(std::move(*compiled), inputs);
  if (!variant)
    return variant.diagnostics();
  remarkKernels((*variant)->plan(), model.options.remarks, model.onRemark);
  std::lock_guard lock(mutex);
  std::string key = dims;
  if (known == FeedKnowledge::Elements) {
    valueSpecialized.insert(dims);
    key += describeValues(import::specializingFeeds(inputs));
  }
  return variants.put(key, std::move(*variant));
}

std::shared_ptr<Variants> Variants::withParameter(const std::string &name, const Tensor &value) const {
  std::map<std::string, Tensor> known = knownParameters;
  return replaceKnown(known, name, value) ? std::make_shared<Variants>(model, std::move(known)) : nullptr;
}

} // namespace proa
