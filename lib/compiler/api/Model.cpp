//! The embedded library: opens a program, compiles it for the dims of its feeds, and runs it.
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

Result<std::vector<NamedTensor>> Model::Implementation::take(const Variant &variant,
                                                             const std::vector<Tensor> &results) {
  std::vector<NamedTensor> fetched;
  const auto &names = variant.onMesh ? variant.onMesh->fetchNames() : variant.executable->plan().fetchNames;
  const auto &sequences = variant.imported->fetchedTensors;
  const auto &lods = variant.imported->fetchedLods;
  std::map<std::string, Lod> levels;
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor &result = results[i];
    if (i < sequences.size() && !sequences[i].empty()) {
      bool isPair = i + 1 < sequences.size() && sequences[i + 1] == sequences[i];
      auto elements = unpackSequence(sequences[i], result, isPair ? results[i + 1] : Tensor());
      ++i;
      if (!elements)
        return elements.diagnostics();
      llvm::append_range(fetched, *elements);
    } else if (i < sequences.size())
      fetched.push_back({names[i], result});
    else if (i < sequences.size() + lods.size())
      levels[lods[i - sequences.size()]].emplace_back(result.as<int64_t>(),
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

Result<Model> Model::open(const std::string &path, ModelOptions options) {
  auto implementation = std::make_unique<Implementation>();
  implementation->options = std::move(options);
  if (auto opened = implementation->open(path); !opened)
    return opened.diagnostics();
  return Model(std::move(implementation));
}

const std::vector<TensorInfo> &Model::feeds() const { return implementation->feeds; }
const std::vector<std::string> &Model::fetches() const { return implementation->fetches; }
const std::vector<TensorInfo> &Model::fetchInfos() const { return implementation->fetchInfos; }
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
    if (error.location.starts_with("program.regions[")) // an op of the new IR
      error.location = path + ": " + error.location;
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
