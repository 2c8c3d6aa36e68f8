//! Import and compilation of a model's program for its feeds.
#include "lib/compiler/api/ModelImplementation.h"

#include "lib/compiler/api/FeedChecks.h"
#include "lib/compiler/api/ModelValues.h"
#include "lib/compiler/api/OptionChecks.h"
#include "lib/compiler/cache/CompiledCache.h"
#include "lib/compiler/compile/Compile.h"
#include "lib/compiler/compile/KernelDiagnosis.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/compiler/compile/Stopwatch.h"
#include "lib/compiler/cuda/CudaProgram.h"
#include "lib/compiler/mesh/ModelMesh.h"
#include "lib/compiler/program/FeedDims.h"
#include "lib/compiler/program/IrProgram.h"
#include "lib/compiler/program/LocateErrors.h"
#include "lib/compiler/program/ParameterValues.h"
#include "lib/compiler/program/ProgramSource.h"
#include "lib/compiler/program/SpecializeFeeds.h"
#include "lib/runtime/Executable.h"
#include "lib/runtime/ThreadPool.h"
#include "lib/support/Cores.h"
#include "lib/support/Files.h"
#include "lib/support/Sequences.h"
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

static TensorInfo describe(std::string name, mlir::RankedTensorType type) {
  TensorInfo info;
  info.name = std::move(name);
  info.dtype = *pd::dtypeOf(type.getElementType());
  for (int64_t dim : type.getShape())
    info.dims.push_back(mlir::ShapedType::isDynamic(dim) ? -1 : dim);
  return info;
}

/// The name of the fetched sequence that a result is a part of; empty for others.
static std::string sequenceOf(mlir::func::FuncOp main, unsigned result) {
  auto sequence = main.getResultAttrOfType<mlir::StringAttr>(result, pd::sequenceAttribute);
  return sequence ? sequence.str() : "";
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
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    if (auto of = main.getResultAttrOfType<mlir::StringAttr>(i, pd::lodOwnerAttribute))
      imported.fetchedLods.push_back(of.str());
    else if (main.getResultAttr(i, pd::fetchAttribute))
      imported.fetchedTensors.push_back(sequenceOf(main, i));
  }
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
  for (const TensorInfo &info : feeds) {
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
  for (const auto &[name, type] : interface->feeds) {
    feeds.push_back(describe(name, type));
    feeds.back().dimNames = interface->dimNames[name];
    feeds.back().isSequence = llvm::is_contained(interface->sequences, name);
  }
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
  std::map<std::string, std::vector<std::string>> names = dimNamesOf(module);
  for (TensorInfo &info : feeds) {
    info.lodLevel = levels[info.name];
    info.dimNames = names[info.name];
  }
  describeResults(module);
}

void Model::Implementation::describeResults(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  fetches.clear();
  fetchInfos.clear();
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    auto fetch = main.getResultAttrOfType<mlir::StringAttr>(i, pd::fetchAttribute);
    auto type = mlir::cast<mlir::RankedTensorType>(main.getResultTypes()[i]);
    std::string sequence = sequenceOf(main, i);
    if (!sequence.empty() && fetch.getValue() != sequenceRowsName(sequence)) {
      fetchInfos.back().dtype = *pd::dtypeOf(type.getElementType()); // of its elements
    } else if (fetch && !main.getResultAttr(i, pd::lodOwnerAttribute)) {
      TensorInfo info = describe(sequence.empty() ? fetch.str() : sequence, type);
      info.isSequence = !sequence.empty();
      if (info.isSequence)
        info.dims.clear();
      fetches.push_back(info.name);
      fetchInfos.push_back(std::move(info));
    }
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
  compileOptions.passes = options.passes;
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
  auto program = compileProgram(std::move(*copy), withOutput);
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
  described.outsideValues = source->outsideValues();
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

} // namespace proa
