//! Opening of a program with its weights.
#include "lib/compiler/api/ModelImplementation.h"

#include "lib/base/support/Files.h"
#include "lib/base/support/Sequences.h"
#include "lib/base/support/UniqueDiagnostics.h"
#include "lib/compiler/api/OptionChecks.h"
#include "lib/compiler/api/Variants.h"
#include "lib/compiler/compile/DescribeTarget.h"
#include "lib/compiler/compile/Stopwatch.h"
#include "lib/compiler/program/FeedDims.h"
#include "lib/compiler/program/IrProgram.h"
#include "lib/compiler/program/LocateErrors.h"
#include "lib/runtime/cuda/CudaContext.h"
#include "lib/runtime/host/CpuFeatures.h"
#include "passes/autodiff/MixedPrecision.h"
#include "translator/params/ModelFolder.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Pd.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdlib>

namespace proa {

/// ModelOptions::targetFacts. Programs of the cache are found by the content of the file.
Result<void> Model::Implementation::checkTargetFacts() const {
  CompileOptions compile;
  compile.cpu = options.cpu;
  compile.target = target.kind;
  compile.device = target.device;
  compile.targetFacts = options.targetFacts;
  if (options.targetFacts.empty())
    return {};
  auto facts = targetFactsOf(compile);
  return facts ? Result<void>() : Result<void>(facts.diagnostics());
}

Result<void> Model::Implementation::open(const std::string &modelPath, const ModelSource *given) {
  path = modelPath;
  if (Result<void> checked = checkOptions(options, path); !checked)
    return checked;
  if (Result<void> limit = runtime::checkVectorLimit(); !limit)
    return limit;
  onRemark = options.onDiagnostic;
  options.onDiagnostic = onceEach(options.onDiagnostic);
  if (!options.cpu.empty())
    if (Result<void> runs = checkRunsHere(options.cpu); !runs)
      return runs;
  if (Result<void> chosen = chooseDevice(); !chosen)
    return chosen;
  if (Result<void> read = checkTargetFacts(); !read)
    return read;
  if (Result<void> opened = options.mesh ? openMesh() : Result<void>(); !opened)
    return opened;
  if (options.mesh && options.threadPool)
    return errorAt(path, "the option 'threadPool' is given; expected none on a mesh");
  threads = options.threads > 0 ? options.threads : availableCores();
  Result<void> read = readProgram(given);
  return mesh ? mesh->agree("opening of " + path, read) : read;
}

Result<void> Model::Implementation::chooseDevice() {
  if (options.target.empty())
    return {};
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
  return {};
}

Result<void> Model::Implementation::openMesh() {
  auto opened = ModelMesh::open(options);
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

/// Memory of a caller as the content of a file.
static std::shared_ptr<const MappedFile> contentOf(std::span<const std::byte> bytes,
                                                   std::shared_ptr<const void> owner) {
  struct Content {
    MappedFile file;
    std::shared_ptr<const void> owner;
  };
  std::shared_ptr<Content> content(new Content{{bytes.data(), bytes.size()}, std::move(owner)});
  return {content, &content->file};
}

Result<params::ModelFiles> Model::Implementation::findFiles(const ModelSource *given) {
  if (given) {
    if (!options.parameters.empty() && (!given->weights.empty() || !given->tensors.empty()))
      return errorAt(path, "the option 'parameters' names a file of weights, and weights are in memory too; "
                           "expected one of them");
    programText.assign(reinterpret_cast<const char *>(given->program.data()), given->program.size());
    params::ModelFiles files{.program = path, .weightsForm = params::WeightsForm::Memory, .weights = path};
    if (!given->weights.empty())
      files.content = contentOf(given->weights, given->owner);
    if (!options.parameters.empty()) {
      auto mapped = mapFile(options.parameters);
      if (!mapped)
        return mapped.diagnostics();
      files.content = std::move(*mapped);
    }
    files.tensors = given->tensors;
    return files;
  }
  auto files = params::findModel(path, options.parameters);
  if (!files)
    return files;
  Stopwatch watch(times.read);
  auto text = readFile(files->program);
  if (!text)
    return text.diagnostics();
  programText = std::move(*text);
  return files;
}

Result<void> Model::Implementation::readProgram(const ModelSource *given) {
  auto files = findFiles(given);
  if (!files)
    return files.diagnostics();
  context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false); // no function's text after an error
  if (Result<void> read = readSource(*files); !read)
    return read;
  considerOffload();
  return describe();
}

void Model::Implementation::considerOffload() {
  if (!options.offload || source->sharedParameters().empty())
    return;
  if (options.onDiagnostic)
    options.onDiagnostic({Diagnostic::Severity::Warning, path,
                          "states are not offloaded: parameters of the program share memory"});
  options.offload.reset();
}

void Model::Implementation::addLossScaling() {
  if (!options.amp || options.amp->scaling != AmpOptions::Scaling::Dynamic ||
      weights.contains(autodiff::lossScalingState[0]))
    return;
  Tensor scale(DType::Float32, {1}), steps(DType::Int32, {1});
  *scale.as<float>() = static_cast<float>(options.amp->lossScale);
  *steps.as<int32_t>() = 0;
  weights[autodiff::lossScalingState[0]] = scale;
  weights[autodiff::lossScalingState[1]] = steps;
  weights[autodiff::lossScalingState[2]] = steps;
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
  programFile = files.program;
  lacksWeightsFile = files.weightsForm == params::WeightsForm::None;
  for (const std::string &other : files.unused)
    warn("other-file", other,
         "the file '" + other + "' is not used, because '" +
             (params::isProgram(other) ? files.program : files.weights) + "' is");
  if (isIr(files.program, programText))
    if (Result<void> checked = checkIrOptions(options, path); !checked)
      return checked;
  auto opened = ProgramSource::open(*context, {files, programText, options.function, options.feeds,
                                               options.fetches, options.derivedGradients,
                                               options.onDiagnostic, options.feedDims, options.fetchesAll});
  if (!opened)
    return opened.diagnostics();
  source = std::move(*opened);
  if (Result<void> considered = considerMeshOfProgram(); !considered)
    return considered;
  auto read = source->readWeights();
  if (!read)
    return read.diagnostics();
  weights = std::move(*read);
  std::map<std::string, Tensor> known;
  if (source->legacyProgram())
    known = import::specializingParameters(weights);
  variants = std::make_shared<Variants>(*this, std::move(known));
  addLossScaling();
  return {};
}

static TensorInfo infoOf(std::string name, mlir::RankedTensorType type) {
  TensorInfo info;
  info.name = std::move(name);
  info.dtype = *pd::dtypeOf(type.getElementType());
  for (int64_t dim : type.getShape())
    info.dims.push_back(mlir::ShapedType::isDynamic(dim) ? -1 : dim);
  return info;
}

std::string fetchedSequenceOf(mlir::func::FuncOp main, unsigned result) {
  auto sequence = main.getResultAttrOfType<mlir::StringAttr>(result, pd::sequenceAttribute);
  return sequence ? sequence.str() : "";
}

Result<void> Model::Implementation::describe() {
  Stopwatch watch(times.import);
  auto imported = variants->importDeclared(&needsFeeds);
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

static TensorInfo declaredInfo(const std::string &name, mlir::RankedTensorType type,
                               import::Interface &interface) {
  TensorInfo info = infoOf(name, type);
  info.dimNames = interface.dimNames[name];
  info.isSequence = llvm::is_contained(interface.sequences, name);
  return info;
}

/// As describeInterface, for a program that cannot be imported yet.
Result<void> Model::Implementation::describeDeclared() {
  auto interface = source->declaredInterface(*context);
  if (!interface)
    return interface.diagnostics();
  for (const auto &[name, type] : interface->feeds)
    feeds.push_back(declaredInfo(name, type, *interface));
  for (const auto &[name, type] : interface->fetchTypes)
    fetchInfos.push_back(declaredInfo(name, type, *interface));
  for (const auto &[name, type] : interface->parameters)
    parameters.push_back(infoOf(name, type));
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
            infoOf((feed ? feed : parameter).str(), globalArgumentType(module, argument.getArgNumber())));
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
    std::string sequence = fetchedSequenceOf(main, i);
    if (!sequence.empty() && fetch.getValue() != sequenceRowsName(sequence)) {
      fetchInfos.back().dtype = *pd::dtypeOf(type.getElementType()); // of its elements
    } else if (fetch && !main.getResultAttr(i, pd::lodOwnerAttribute)) {
      TensorInfo info = infoOf(sequence.empty() ? fetch.str() : sequence, type);
      info.isSequence = !sequence.empty();
      if (info.isSequence)
        info.dims.clear();
      if (auto names = main.getResultAttrOfType<mlir::ArrayAttr>(i, pd::dimNamesAttribute))
        for (auto dim : names.getAsRange<mlir::StringAttr>())
          info.dimNames.push_back(dim.str());
      fetches.push_back(info.name);
      fetchInfos.push_back(std::move(info));
    }
  }
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (auto state = main.getResultAttrOfType<mlir::StringAttr>(i, pd::stateAttribute))
      states.insert(state.str());
}

Diagnostics Model::Implementation::located(const Diagnostics &diagnostics) const {
  const legacy::Program *program = source ? source->legacyProgram() : nullptr;
  Diagnostics result;
  for (Diagnostic error : diagnostics) {
    if (program && !error.output.empty() && error.op < 0)
      locateInProgram(error, *program, path);
    if (error.location.starts_with("program.regions[")) // an op of the new IR
      error.location = path + ": " + error.location;
    result.add(std::move(error));
  }
  return result;
}

bool Model::Implementation::isForOneSession() const {
  return (mesh && mesh->hasProcesses()) || (options.offload && options.offload->store);
}

Result<Model> Model::open(const std::string &path, ModelOptions options) {
  auto implementation = std::make_shared<Implementation>();
  implementation->options = std::move(options);
  if (auto opened = implementation->open(path, nullptr); !opened)
    return opened.diagnostics();
  return Model(std::move(implementation));
}

Result<Model> Model::open(const ModelSource &source, ModelOptions options) {
  auto implementation = std::make_shared<Implementation>();
  implementation->options = std::move(options);
  if (auto opened = implementation->open(source.name, &source); !opened)
    return opened.diagnostics();
  return Model(std::move(implementation));
}

Model::Model(std::shared_ptr<Implementation> implementation) : implementation(std::move(implementation)) {}

const std::vector<TensorInfo> &Model::feeds() const { return implementation->feeds; }
const std::vector<std::string> &Model::fetches() const { return implementation->fetches; }
const std::vector<TensorInfo> &Model::fetchInfos() const { return implementation->fetchInfos; }
const std::vector<TensorInfo> &Model::parameters() const { return implementation->parameters; }
bool Model::isTraining() const { return !implementation->states.empty(); }
const ModelTimes &Model::times() const { return implementation->times; }
int64_t Model::rank() const { return implementation->mesh ? implementation->mesh->rank() : 0; }
int64_t Model::rankCount() const { return implementation->mesh ? implementation->mesh->rankCount() : 1; }

Result<Tensor> Model::parameter(const std::string &name) const {
  auto found = implementation->weights.find(name);
  if (found == implementation->weights.end())
    return errorAt(implementation->path, "parameter or state variable '" + name + "' has no value");
  return found->second;
}

} // namespace proa
