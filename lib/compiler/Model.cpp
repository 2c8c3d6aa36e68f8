//! The embedded library: opens a program, compiles it for the dims of its feeds, and runs it.
#include "proa/Model.h"

#include "lib/compiler/Compile.h"
#include "lib/compiler/CompiledCache.h"
#include "lib/compiler/CudaProgram.h"
#include "lib/compiler/FeedChecks.h"
#include "lib/compiler/IrProgram.h"
#include "lib/compiler/KernelDiagnosis.h"
#include "lib/compiler/LocateErrors.h"
#include "lib/compiler/ModelMesh.h"
#include "lib/compiler/ModelValues.h"
#include "lib/compiler/OptionChecks.h"
#include "lib/compiler/ParameterValues.h"
#include "lib/compiler/ProgramSource.h"
#include "lib/compiler/Registration.h"
#include "lib/compiler/SpecializeFeeds.h"
#include "lib/compiler/Stopwatch.h"
#include "lib/runtime/Executable.h"
#include "lib/runtime/ThreadPool.h"
#include "lib/support/Cores.h"
#include "lib/support/Files.h"
#include "lib/support/Suggest.h"
#include "lib/support/UniqueDiagnostics.h"
#include "passes/autodiff/MixedPrecision.h"
#include "passes/autodiff/Transforms.h"
#include "translator/params/ModelFolder.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Pd.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace proa {
namespace {

int threadsOf(const ModelOptions &options) {
  return options.threads > 0 ? options.threads : availableCores();
}

TensorInfo describe(std::string name, mlir::RankedTensorType type) {
  TensorInfo info;
  info.name = std::move(name);
  info.dtype = *pd::dtypeOf(type.getElementType());
  for (int64_t dim : type.getShape())
    info.dims.push_back(mlir::ShapedType::isDynamic(dim) ? -1 : dim);
  return info;
}

} // namespace

/// How much is known about the feeds at import, from least to most specialized.
enum class FeedKnowledge { Declared, Dims, Elements };

/// An attempt to import a program for some feeds.
struct Attempt {
  FeedKnowledge known = FeedKnowledge::Declared;
  /// ImportOptions::deferAll.
  bool deferAll = false;
};

/// The program imported with certain facts about its feeds.
struct Imported {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Owner of each fetched LoD level, which come after the fetches.
  std::vector<std::string> fetchedLods;
};

/// A compilation for one set of feed dims.
struct Variant {
  const Imported *imported = nullptr;
  /// Of the first rank of this process on a mesh.
  std::shared_ptr<runtime::Executable> executable;
  std::unique_ptr<runtime::Session> session; ///< null on a mesh
  std::unique_ptr<MeshProgram> onMesh;       ///< null without a mesh
  std::unique_ptr<runtime::Profile> profile;
  std::set<std::string> stored = {}; ///< state variables that the program fetches and stores itself
};

struct Model::Implementation {
  ModelOptions options;
  std::function<void(const Diagnostic &)> onRemark;
  std::string path; ///< begins the messages
  std::string programText, programFile;
  bool lacksWeightsFile = false;
  ProgramTarget target;
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<ProgramSource> source;
  /// By FeedFacts::key.
  std::map<std::string, Imported> imports;
  std::vector<TensorInfo> feeds, parameters;
  std::vector<std::string> fetches;
  std::set<std::string> states;
  ModelValues values;
  /// Parameters for whose values the program is imported (ImportOptions::parameterValues).
  std::map<std::string, Tensor> knownParameters;
  std::unique_ptr<ModelMesh> mesh; ///< null without one
  std::map<std::string, Variant> variants;
  Variant *current = nullptr;
  ModelTimes times;
  bool profiling = false;
  bool parametersChanged = false;
  /// The program cannot be imported by its declarations alone.
  bool needsFeeds = false;
  /// Sets of dims for which compilation depends on elements of the feeds.
  std::set<std::string> valueSpecialized;
  /// Shared by all variants, so that their runs continue one sequence of random numbers.
  std::shared_ptr<runtime::RandomGenerator> generator;

  Result<void> open(const std::string &path);
  Result<void> openMesh();
  /// Without a mesh of the options: opens that of the program, or warns that it is ignored.
  Result<void> considerMeshOfProgram();
  Result<void> readProgram();
  Result<void> readSource(const params::ModelFiles &files);
  Result<void> importDeclared();
  /// Adds a module to `imports`.
  const Imported *keep(const std::string &key, mlir::OwningOpRef<mlir::ModuleOp> module);
  Result<void> checkParameter(const std::string &name, const Tensor &value) const;
  /// Forgets what was imported for another value of a parameter.
  void forgetValue(const std::string &name, const Tensor &value);
  void describeInterface(mlir::ModuleOp module);
  /// Finds fetches and states.
  void describeResults(mlir::ModuleOp module);
  Result<void> describeDeclared();
  /// The program for these feeds, imported as `attempt` says.
  Result<const Imported *> importFor(const std::map<std::string, Tensor> &feeds, Attempt attempt);
  /// The attempts from `known` on that may import different modules.
  std::vector<Attempt> attemptsFor(const std::map<std::string, Tensor> &feeds, FeedKnowledge known) const;
  Result<const Imported *> importWith(FeedFacts facts, bool *feedsMayHelp = nullptr);
  Result<Variant *> variantFor(const std::map<std::string, Tensor> &feeds);
  /// The first import and compilation that succeed, from `known` on.
  Result<Compilation> compileWith(const std::map<std::string, Tensor> &feeds, FeedKnowledge &known,
                                  const Imported *&imported);
  Result<Compilation> compile(mlir::ModuleOp module, const std::map<std::string, Tensor> &feeds,
                              Attempt attempt);
  Result<Compilation> compileFresh(mlir::ModuleOp module, const std::map<std::string, Tensor> &feeds);
  /// A copy of the module for the dims of the feeds.
  Result<mlir::OwningOpRef<mlir::ModuleOp>>
  specialized(mlir::ModuleOp module, const std::map<std::string, std::vector<int64_t>> &dims);
  CompileOptions compileOptions() const;
  Result<Variant> load(Compilation compilation, const Imported &imported,
                       const std::map<std::string, Tensor> &feeds);
  /// Gives changed parameters to all variants.
  Result<void> bindParameters();
  /// The results of a run of the current variant: fetches and their LoDs, without a mesh also state.
  Result<std::vector<Tensor>> runCurrent(const runtime::NamedTensors &inputs);
  /// The errors with the ops of the legacy program that compute the named outputs.
  Diagnostics located(const Diagnostics &diagnostics) const;
  /// Stops the other processes of a mesh, which may not have these errors.
  Diagnostics failEverywhere(const Diagnostics &diagnostics) const;
  /// Finds the op in a kernel of a variant that makes a NaN or an Inf.
  runtime::KernelDiagnosis diagnosisOf(const Imported &imported, const std::map<std::string, Tensor> &feeds);
  Result<void> transform(mlir::ModuleOp module);
  void warn(const char *code, const std::string &variable, const std::string &message) const;
  /// The common part of run() and measure(): selects the variant for these feeds, and adds state and LoDs to
  /// the feeds of its plan.
  Result<runtime::NamedTensors> beforeRun(const std::map<std::string, Tensor> &feeds);
  /// Stores the state among the results of a run and returns the fetches with their LoDs.
  std::vector<NamedTensor> take(const Variant &variant, const std::vector<Tensor> &results);
};

std::vector<NamedTensor> Model::Implementation::take(const Variant &variant,
                                                     const std::vector<Tensor> &results) {
  std::vector<NamedTensor> fetched;
  const auto &names = variant.onMesh ? variant.onMesh->fetchNames() : variant.executable->plan().fetchNames;
  const auto &lods = variant.imported->fetchedLods;
  std::map<std::string, Lod> levels;
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor &result = results[i];
    if (i < fetches.size())
      fetched.push_back({names[i], result});
    else if (i < fetches.size() + lods.size())
      levels[lods[i - fetches.size()]].emplace_back(result.as<int64_t>(),
                                                    result.as<int64_t>() + result.size());
    else if (variant.session && variant.session->stayed(i))
      values.leaveOnDevice(names[i], *variant.session);
    else
      values.inMemory[names[i]] = result;
  }
  for (NamedTensor &result : fetched)
    result.tensor.setLod(levels[result.name]);
  return fetched;
}

Result<void> Model::Implementation::open(const std::string &modelPath) {
  path = modelPath;
  if (Result<void> checked = checkOptions(options, path); !checked)
    return checked;
  onRemark = options.onDiagnostic;
  options.onDiagnostic = onceEach(options.onDiagnostic);
  if (!options.cpu.empty())
    if (Result<void> runs = checkRunsHere(options.cpu); !runs)
      return runs;
  if (!options.target.empty()) {
    auto chosen = chooseTarget(options.target);
    if (!chosen)
      return chosen.diagnostics();
    target = *chosen;
    // Part of the key of the cache: programs for equal chips are equal.
    options.target = nameOf(target.kind);
    if (target.kind == TargetKind::Cuda)
      if (auto device = cuda::cudaContext(target.device))
        options.target += " " + cuda::chipOf(device->driver->properties());
    if (const char *libraries = std::getenv("PROA_CUDA_LIBRARIES"))
      options.target += std::string(" libraries ") + libraries;
  }
  if (Result<void> opened = options.mesh ? openMesh() : Result<void>(); !opened)
    return opened;
  Result<void> read = readProgram();
  if (read)
    values.begin(path, source->sharedParameters(), mesh.get());
  if (read && options.offload)
    read = values.beginOffload(options);
  return mesh ? mesh->agree("opening of " + path, read) : read;
}

Result<void> Model::Implementation::openMesh() {
  auto opened = ModelMesh::open(options, values.inMemory);
  if (!opened)
    return opened.diagnostics();
  mesh = std::move(*opened);
  if (mesh->rank() != 0) // rank 0 reports
    options.progress = {}, options.onDiagnostic = {}, onRemark = {};
  return {};
}

Result<void> Model::Implementation::considerMeshOfProgram() {
  if (!mesh && options.usesMeshOfProgram && source->deviceCount() > 0) {
    options.mesh.emplace();
    if (Result<void> opened = openMesh(); !opened)
      return opened;
  }
  if (mesh)
    return mesh->checkDevices(source->deviceCount());
  reportIgnoredMesh(*source, path, options.onDiagnostic);
  return {};
}

Result<void> Model::Implementation::readProgram() {
  auto files = params::findModel(path, options.parameters);
  if (!files)
    return files.diagnostics();
  context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false); // no function's text after an error
  if (Result<void> read = readSource(*files); !read)
    return read;
  return importDeclared();
}

void Model::Implementation::warn(const char *code, const std::string &variable,
                                 const std::string &message) const {
  if (options.onDiagnostic)
    options.onDiagnostic({.severity = Diagnostic::Severity::Warning,
                          .location = path,
                          .message = message,
                          .code = code,
                          .variable = variable});
}

Result<void> Model::Implementation::readSource(const params::ModelFiles &files) {
  Stopwatch watch(times.read);
  auto text = readFile(files.program);
  if (!text)
    return text.diagnostics();
  programFile = files.program;
  lacksWeightsFile = files.weightsForm == params::WeightsForm::None;
  for (const std::string &other : files.unused)
    warn("other-file", other,
         "the file '" + other + "' is not used, because '" +
             (params::isProgram(other) ? files.program : files.weights) + "' is");
  programText = std::move(*text);
  if (isIr(files.program, programText))
    if (Result<void> checked = checkIrOptions(options, path); !checked)
      return checked;
  auto opened =
      ProgramSource::open(*context, {files, programText, options.function, options.feeds, options.fetches,
                                     options.derivedGradients, options.onDiagnostic, options.feedDims});
  if (!opened)
    return opened.diagnostics();
  source = std::move(*opened);
  if (Result<void> considered = considerMeshOfProgram(); !considered)
    return considered;
  auto weights = source->readWeights();
  if (!weights)
    return weights.diagnostics();
  if (source->legacyProgram())
    knownParameters = import::specializingParameters(*weights);
  values.inMemory = std::move(*weights);
  return {};
}

/// Imports the program by its declarations, or describes it by them if the import needs to know the feeds.
Result<void> Model::Implementation::importDeclared() {
  Stopwatch watch(times.import);
  auto imported = importWith({}, &needsFeeds);
  if (imported) {
    needsFeeds = false;
    describeInterface(*(*imported)->module);
  } else if (!needsFeeds || !describeDeclared()) {
    return located(imported.diagnostics());
  }
  for (TensorInfo &info : feeds)
    info.lodLevel = source->lodLevelOf(info.name).value_or(info.lodLevel);
  return {};
}

Result<const Imported *> Model::Implementation::importWith(FeedFacts facts, bool *feedsMayHelp) {
  facts.parameters = knownParameters;
  std::string key = facts.key();
  if (auto found = imports.find(key); found != imports.end())
    return &found->second;
  auto module = source->import(*context, facts, feedsMayHelp);
  if (!module)
    return module.diagnostics();
  if (auto transformed = transform(**module); !transformed)
    return transformed.diagnostics();
  return keep(key, std::move(*module));
}

const Imported *Model::Implementation::keep(const std::string &key,
                                            mlir::OwningOpRef<mlir::ModuleOp> module) {
  Imported &imported = imports[key];
  imported.module = std::move(module);
  auto main = imported.module->lookupSymbol<mlir::func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (auto of = main.getResultAttrOfType<mlir::StringAttr>(i, pd::lodOwnerAttribute))
      imported.fetchedLods.push_back(of.str());
  return &imported;
}

/// Converts rings, applies loss scaling and micro-batches, and sets the initial state of the scale.
Result<void> Model::Implementation::transform(mlir::ModuleOp module) {
  Diagnostics diagnostics;
  mlir::ScopedDiagnosticHandler handler(context.get(), [&](mlir::Diagnostic &diagnostic) {
    diagnostics.add(path, diagnostic.str());
    return mlir::success();
  });
  if (Result<void> converted = mesh ? mesh->convertRings(module) : Result<void>(); !converted)
    return converted;
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (options.amp && failed(autodiff::scaleLoss(main, *options.amp)))
    return diagnostics;
  if (options.microBatches != 1) {
    auto accumulated = autodiff::accumulate(main, "accumulated", options.microBatches);
    if (failed(accumulated))
      return diagnostics;
    main.erase();
    accumulated->setName("main");
  }
  if (options.amp && options.amp->scaling == AmpOptions::Scaling::Dynamic &&
      !values.inMemory.contains(autodiff::lossScalingState[0])) {
    Tensor scale(DType::Float32, {1}), steps(DType::Int32, {1});
    *scale.as<float>() = static_cast<float>(options.amp->lossScale);
    *steps.as<int32_t>() = 0;
    values.inMemory[autodiff::lossScalingState[0]] = scale;
    values.inMemory[autodiff::lossScalingState[1]] = steps;
    values.inMemory[autodiff::lossScalingState[2]] = steps;
  }
  return {};
}

Result<const Imported *> Model::Implementation::importFor(const std::map<std::string, Tensor> &inputs,
                                                          Attempt attempt) {
  FeedFacts facts;
  for (const TensorInfo &info : feeds)
    if (auto count = static_cast<int>(inputs.at(info.name).lod().size()); count != info.lodLevel)
      facts.lodLevels[info.name] = count;
  if (!source->dependsOnFeeds()) // the one module, or the error that it has no arguments for these LoDs
    return importWith(facts);
  facts.deferAll = attempt.deferAll;
  for (const auto &[name, tensor] : inputs)
    if (attempt.known != FeedKnowledge::Declared)
      facts.dims[name] = tensor.dims();
  if (attempt.known == FeedKnowledge::Elements)
    facts.values = import::specializingFeeds(inputs);
  return importWith(facts);
}

/// As describeInterface, for a program that cannot be imported yet.
Result<void> Model::Implementation::describeDeclared() {
  auto interface = source->declaredInterface(*context);
  if (!interface)
    return interface.diagnostics();
  for (const auto &[name, type] : interface->feeds)
    feeds.push_back(describe(name, type));
  for (const auto &[name, type] : interface->parameters)
    parameters.push_back(describe(name, type));
  fetches = interface->fetches;
  states.insert(interface->states.begin(), interface->states.end());
  return {};
}

void Model::Implementation::describeInterface(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  std::map<std::string, int> levels;
  for (mlir::BlockArgument argument : main.getArguments()) {
    if (auto owner =
            main.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), pd::lodOwnerAttribute)) {
      ++levels[owner.str()];
      continue;
    }
    auto feed = main.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), pd::feedAttribute);
    auto parameter = main.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), pd::parameterAttribute);
    (feed ? feeds : parameters)
        .push_back(
            describe((feed ? feed : parameter).str(), globalArgumentType(module, argument.getArgNumber())));
  }
  for (TensorInfo &info : feeds)
    info.lodLevel = levels[info.name];
  describeResults(module);
}

void Model::Implementation::describeResults(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  fetches.clear();
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    auto fetch = main.getResultAttrOfType<mlir::StringAttr>(i, pd::fetchAttribute);
    if (fetch && !main.getResultAttr(i, pd::lodOwnerAttribute))
      fetches.push_back(fetch.str());
  }
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (auto state = main.getResultAttrOfType<mlir::StringAttr>(i, pd::stateAttribute))
      states.insert(state.str());
}

static std::map<std::string, std::vector<int64_t>> dimsOf(const std::map<std::string, Tensor> &feeds) {
  std::map<std::string, std::vector<int64_t>> dims;
  for (const auto &[name, tensor] : import::withLods(feeds))
    dims[name] = tensor.dims();
  return dims;
}

Result<mlir::OwningOpRef<mlir::ModuleOp>>
Model::Implementation::specialized(mlir::ModuleOp module,
                                   const std::map<std::string, std::vector<int64_t>> &dims) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  context->appendDialectRegistry(registry);
  mlir::OwningOpRef<mlir::ModuleOp> copy(mlir::cast<mlir::ModuleOp>(module->clone()));
  if (!hasFormedKernels(*copy) && !isLocalForm(*copy)) // these keep their types
    if (auto done = specializeFeeds(*copy, dims); !done)
      return done.diagnostics();
  return copy;
}

CompileOptions Model::Implementation::compileOptions() const {
  CompileOptions compileOptions;
  compileOptions.threads = availableCores();
  compileOptions.decompose = options.decompose;
  compileOptions.memoryBudget = options.memoryBudget;
  compileOptions.amp = options.amp;
  compileOptions.cpu = options.cpu;
  compileOptions.optimizesCode = options.optimizesCode;
  compileOptions.allowsTf32 = options.allowsTf32;
  compileOptions.allowsAtomicSums = options.allowsAtomicSums;
  compileOptions.target = target.kind;
  compileOptions.device = target.device;
  compileOptions.cacheDirectory = options.cacheDirectory;
  compileOptions.offload = options.offload;
  return compileOptions;
}

Result<Compilation> Model::Implementation::compileFresh(mlir::ModuleOp module,
                                                        const std::map<std::string, Tensor> &feeds) {
  Stopwatch watch(times.compile);
  auto copy = specialized(module, dimsOf(feeds));
  if (!copy)
    return copy.diagnostics();
  CompileOptions withOutput = compileOptions();
  withOutput.dumpDirectory = options.dumpDirectory;
  withOutput.progress = options.progress;
  withOutput.remarks = options.remarks;
  withOutput.onRemark = onRemark;
  if (mesh)
    return mesh->compile(std::move(*copy), withOutput);
  auto program = compileForCpu(std::move(*copy), withOutput);
  if (!program)
    return program.diagnostics();
  Compilation compilation;
  compilation.programs.push_back(std::move(*program));
  compilation.programOf.push_back(0);
  return compilation;
}

Result<Compilation> Model::Implementation::compile(mlir::ModuleOp module,
                                                   const std::map<std::string, Tensor> &inputs,
                                                   Attempt attempt) {
  times.fromCache = false;
  times.compile = 0;
  if (options.cacheDirectory == "off" || !options.dumpDirectory.empty() || !options.remarks.empty())
    return compileFresh(module, inputs);
  auto cache = CompiledCache::open(options.cacheDirectory);
  if (!cache && !options.cacheDirectory.empty())
    return cache.diagnostics();
  if (!cache) { // a default cache that cannot be used only costs time
    warn("no-cache", "", "the cache of compiled programs cannot be used: " + textOf(cache.diagnostics()[0]));
    return compileFresh(module, inputs);
  }
  std::map<std::string, Tensor> feeds = import::withLods(inputs);
  CompiledKey described{options, programText, source->legacyProgram(), feeds, {}, attempt.deferAll};
  if (attempt.known == FeedKnowledge::Elements)
    described.values = import::specializingFeeds(inputs);
  described.parameters = knownParameters;
  if (mesh)
    described.mesh = mesh->key();
  std::string key = described.describe();
  if (auto found = cache->find(key)) {
    times.fromCache = true;
    return std::move(*found);
  }
  auto compiled = compileFresh(module, inputs);
  if (compiled)
    cache->store(key, *compiled);
  return compiled;
}

runtime::KernelDiagnosis Model::Implementation::diagnosisOf(const Imported &imported,
                                                            const std::map<std::string, Tensor> &feeds) {
  return [this, module = *imported.module, dims = dimsOf(feeds)](
             const runtime::Step &step, const std::vector<Tensor> &inputs) mutable -> Diagnostics {
    auto copy = specialized(module, dims);
    CompileOptions formOptions = compileOptions();
    formOptions.opLocations = true;
    if (!copy || !formKernels(**copy, formOptions))
      return {};
    return findNonFiniteOp(**copy, step, inputs, formOptions);
  };
}

Result<Variant> Model::Implementation::load(Compilation compilation, const Imported &imported,
                                            const std::map<std::string, Tensor> &feeds) {
  Stopwatch watch(times.load);
  for (CompiledProgram &program : compilation.programs)
    program.device = target.device;
  if (mesh) {
    auto program = mesh->load(std::move(compilation), *context, path, options, threadsOf(options));
    if (!program)
      return program.diagnostics();
    if (values.isOffloaded())
      (*program)->setOffload([&](int64_t rank) { return values.queueOf(rank); });
    return Variant{&imported, (*program)->executable(), nullptr, std::move(*program), nullptr};
  }
  auto executable = loadProgram(std::move(compilation.programs.front()), path);
  if (!executable)
    return executable.diagnostics();
  if (onRemark && remarksMatch(options.remarks, graphRemarks))
    for (Diagnostic remark : (*executable)->describeGraphs()) {
      remark.severity = Diagnostic::Severity::Remark;
      remark.code = graphRemarks;
      remark.message = remark.code + ": " + remark.message;
      onRemark(remark);
    }
  if (lacksWeightsFile) // else bindParameters() reports each
    if (auto complete = checkParameterValues(path, programFile, (*executable)->plan(), values.inMemory);
        !complete)
      return complete.diagnostics();
  if (auto bound = (*executable)->bindParameters(values.inMemory); !bound)
    return bound.diagnostics();
  if (options.checkFinite)
    if (auto checked = (*executable)->checkFinite(diagnosisOf(imported, feeds)); !checked)
      return checked.diagnostics();
  auto session = runtime::Session::create(*executable);
  if (!session)
    return session.diagnostics();
  if (!generator)
    generator = std::make_shared<runtime::RandomGenerator>(options.seed);
  (*session)->setGenerator(generator);
  values.connect(**session);
  return Variant{&imported, *executable, std::move(*session), nullptr, nullptr};
}

std::vector<Attempt> Model::Implementation::attemptsFor(const std::map<std::string, Tensor> &inputs,
                                                        FeedKnowledge known) const {
  bool isOpen = llvm::any_of(feeds, [](const TensorInfo &info) { return llvm::is_contained(info.dims, -1); });
  auto isUseful = [&](FeedKnowledge next) {
    if (!source->dependsOnFeeds())
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

Result<Compilation> Model::Implementation::compileWith(const std::map<std::string, Tensor> &inputs,
                                                       FeedKnowledge &known, const Imported *&imported) {
  Result<Compilation> program = Diagnostics();
  // Some ops have another result rank for other dims (squeeze of a dim other than 1), so that types inferred
  // from dynamic dims are wrong. Importing with the dims of the feeds helps. Other ops need the value of an
  // axis or a number, which may be fed.
  bool isFirst = true;
  for (Attempt next : attemptsFor(inputs, known)) {
    auto attempt = importFor(inputs, next);
    auto compiled =
        attempt ? compile(*(*attempt)->module, inputs, next) : Result<Compilation>(attempt.diagnostics());
    if (compiled) {
      imported = *attempt;
      describeResults(*imported->module);
      known = next.known;
      return compiled;
    }
    // If no attempt succeeds, the errors of the most specialized one are the most precise.
    if (std::exchange(isFirst, false) || needsFeeds)
      program = compiled.diagnostics();
  }
  return program;
}

Result<Variant *> Model::Implementation::variantFor(const std::map<std::string, Tensor> &inputs) {
  if (auto checked = checkFeeds(path, feeds, inputs); !checked)
    return checked.diagnostics();
  std::string dims = describeDims(import::withLods(inputs)), key = dims;
  FeedKnowledge known = valueSpecialized.contains(dims) ? FeedKnowledge::Elements : FeedKnowledge::Declared;
  if (known == FeedKnowledge::Elements)
    key += describeValues(import::specializingFeeds(inputs));
  if (auto found = variants.find(key); found != variants.end())
    return &found->second;
  runtime::setThreads(threadsOf(options));
  const Imported *imported = nullptr;
  auto compiled = compileWith(inputs, known, imported);
  if (mesh)
    if (auto agreed =
            mesh->agree("compilation of " + path, compiled ? Result<void>() : compiled.diagnostics(),
                        compiled ? runtime::hashOf(compiled->interface) : 0);
        !agreed)
      return agreed.diagnostics();
  if (!compiled)
    return located(compiled.diagnostics());
  times.load = 0;
  auto variant = load(std::move(*compiled), *imported, inputs);
  if (!variant)
    return variant.diagnostics();
  variant->stored = offloadedVariables(variant->executable->plan());
  if (known == FeedKnowledge::Elements) {
    valueSpecialized.insert(dims);
    key = dims + describeValues(import::specializingFeeds(inputs));
  }
  return &variants.emplace(key, std::move(*variant)).first->second;
}

Model::Model(std::unique_ptr<Implementation> implementation) : implementation(std::move(implementation)) {}
Model::Model(Model &&) noexcept = default;
Model &Model::operator=(Model &&) noexcept = default;
Model::~Model() = default;

Result<Model> Model::open(const std::string &path, ModelOptions options) {
  auto implementation = std::make_unique<Implementation>();
  implementation->options = std::move(options);
  if (auto opened = implementation->open(path); !opened)
    return opened.diagnostics();
  return Model(std::move(implementation));
}

const std::vector<TensorInfo> &Model::feeds() const { return implementation->feeds; }
const std::vector<std::string> &Model::fetches() const { return implementation->fetches; }
const std::vector<TensorInfo> &Model::parameters() const { return implementation->parameters; }
bool Model::isTraining() const { return !implementation->states.empty(); }
const ModelTimes &Model::times() const { return implementation->times; }

Result<void> Model::Implementation::checkParameter(const std::string &name, const Tensor &value) const {
  auto known = std::ranges::find(parameters, name, &TensorInfo::name);
  if (const ShardedTensor *current = mesh ? mesh->find(name) : nullptr)
    return checkType(path, name, value, current->type->dtype, current->type->dims);
  if (auto current = values.inMemory.find(name); current != values.inMemory.end())
    return checkType(path, name, value, current->second.dtype(), current->second.dims());
  if (const runtime::Value *current = values.onDevice(name))
    return checkType(path, name, value, current->dtype, current->dims);
  if (known != parameters.end())
    return checkType(path, name, value, known->dtype, known->dims);
  if (states.contains(name))
    return {};
  std::vector<std::string> names(states.begin(), states.end());
  for (const TensorInfo &info : parameters)
    names.push_back(info.name);
  return errorAt(path,
                 "the program has no parameter or state variable '" + name + "'" + didYouMean(name, names));
}

void Model::Implementation::forgetValue(const std::string &name, const Tensor &value) {
  if (states.contains(name) || !replaceKnown(knownParameters, name, value))
    return;
  current = nullptr;
  variants.clear();
  imports.clear();
  valueSpecialized.clear();
}

Result<void> Model::setParameter(const std::string &name, Tensor value) {
  Implementation &self = *implementation;
  if (Result<void> checked = self.checkParameter(name, value); !checked)
    return checked;
  // Programs with another value of a parameter have other sessions.
  Result<void> moved = self.states.contains(name) ? Result<void>() : self.values.leaveDevice();
  if (!moved)
    return moved;
  self.forgetValue(name, value);
  // State is fed to each run, so values computed once from parameters must be recomputed.
  self.parametersChanged |= !self.states.contains(name);
  return self.values.set(name, std::move(value));
}

Result<Tensor> Model::parameter(const std::string &name) const { return implementation->values.get(name); }

Result<void> Model::saveParameters(const std::string &path) const {
  Implementation &self = *implementation;
  auto values = self.values.whole();
  Result<void> saved;
  if (!values)
    saved = values.diagnostics();
  else if (rank() == 0)
    saved = writeParameters(path, **values, self.source->savedVariables());
  return self.mesh ? self.mesh->agree("saving of parameters", saved) : saved;
}

Result<void> Model::prepare(const std::map<std::string, Tensor> &feeds) {
  auto variant = implementation->variantFor(feeds);
  return variant ? Result<void>() : Result<void>(variant.diagnostics());
}

Result<void> Model::Implementation::bindParameters() {
  if (!std::exchange(parametersChanged, false))
    return {};
  for (auto &[key, variant] : variants)
    if (auto bound = mesh ? variant.onMesh->rebind(*mesh->values())
                          : variant.executable->bindParameters(values.inMemory);
        !bound)
      return bound;
  return {};
}

Diagnostics Model::Implementation::located(const Diagnostics &diagnostics) const {
  const legacy::Program *program = source ? source->legacyProgram() : nullptr;
  Diagnostics result;
  for (Diagnostic error : diagnostics) {
    if (program && !error.output.empty() && error.op < 0)
      locateInProgram(error, *program, path);
    result.add(std::move(error));
  }
  return result;
}

Diagnostics Model::Implementation::failEverywhere(const Diagnostics &diagnostics) const {
  if (mesh)
    mesh->fail(diagnostics);
  return diagnostics;
}

Result<std::vector<Tensor>> Model::Implementation::runCurrent(const runtime::NamedTensors &inputs) {
  Stopwatch watch(times.lastRun);
  return mesh ? current->onMesh->run(inputs, *mesh->values()) : current->session->run(inputs);
}

Result<runtime::NamedTensors> Model::Implementation::beforeRun(const std::map<std::string, Tensor> &feeds) {
  if (Result<void> valid = checkValid(path, feeds); !valid)
    return valid.diagnostics();
  auto variant = variantFor(feeds);
  if (!variant)
    return variant.diagnostics();
  current = *variant;
  if (Result<void> bound = bindParameters(); !bound)
    return bound.diagnostics();
  const runtime::Plan &plan = current->executable->plan();
  if (profiling && !current->profile)
    current->profile = std::make_unique<runtime::Profile>(plan, current->executable->devicePeaks());
  runtime::Session &session = mesh ? current->onMesh->session() : *current->session;
  session.setProfile(profiling ? current->profile.get() : nullptr);
  if (Result<void> moved = values.beginRun(plan, current->stored, current->onMesh.get(), session); !moved)
    return moved.diagnostics();
  std::map<std::string, Tensor> all = import::withLods(feeds);
  if (Result<void> compared = mesh ? mesh->compareFeeds(all, path) : Result<void>(); !compared)
    return compared.diagnostics();
  runtime::NamedTensors inputs(all.begin(), all.end());
  if (!mesh)
    values.addStates(states, plan, inputs);
  times.lastRun = 0;
  return inputs;
}

Result<std::vector<NamedTensor>> Model::run(const std::map<std::string, Tensor> &feeds) {
  Implementation &self = *implementation;
  auto inputs = self.beforeRun(feeds);
  if (!inputs)
    return self.failEverywhere(inputs.diagnostics());
  auto results = self.runCurrent(*inputs);
  if (!results)
    return self.located(results.diagnostics());
  return self.take(*self.current, *results);
}

Result<double> Model::measure(const std::map<std::string, Tensor> &feeds) {
  Implementation &self = *implementation;
  auto inputs = self.beforeRun(feeds);
  if (!inputs)
    return self.failEverywhere(inputs.diagnostics());
  Result<void> done = [&] {
    Stopwatch watch(self.times.lastRun);
    return self.mesh ? self.current->onMesh->runSilently(*inputs, *self.mesh->values())
                     : self.current->session->runSilently(*inputs);
  }();
  if (!done)
    return self.located(done.diagnostics());
  return self.times.lastRun;
}

int Model::threads() const {
  int threads = threadsOf(implementation->options);
  return implementation->mesh ? implementation->mesh->threadsOfRank(threads) : threads;
}

int64_t Model::rank() const { return implementation->mesh ? implementation->mesh->rank() : 0; }
int64_t Model::rankCount() const { return implementation->mesh ? implementation->mesh->rankCount() : 1; }

int64_t Model::arenaBytes() const {
  return implementation->current ? implementation->current->executable->plan().arenaBytes : 0;
}

void Model::enableProfile(bool on) { implementation->profiling = on; }

std::string Model::profileTable() const {
  Variant *variant = implementation->current;
  return variant && variant->profile ? variant->profile->table() : "";
}

std::string Model::profileTrace() const {
  Variant *variant = implementation->current;
  return variant && variant->profile ? variant->profile->chromeTrace() : "[]";
}

std::vector<StepTime> Model::profileSteps() const {
  Variant *variant = implementation->current;
  return variant && variant->profile ? variant->profile->steps() : std::vector<StepTime>();
}

} // namespace proa
