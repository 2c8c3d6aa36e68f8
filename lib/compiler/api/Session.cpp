//! Runs of a model.
#include "lib/compiler/api/SessionImplementation.h"

#include "lib/base/support/MappedPages.h"
#include "lib/base/support/Sequences.h"
#include "lib/base/support/Suggest.h"
#include "lib/compiler/api/FeedChecks.h"
#include "lib/compiler/compile/Stopwatch.h"
#include "lib/compiler/program/ParameterValues.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/run/RunLimits.h"

#include <algorithm>
#include <utility>

namespace proa {

/// Whether a plan computes values once from a parameter.
static bool hasParameter(const runtime::Plan &plan, const std::string &name) {
  return std::ranges::any_of(plan.parameters, [&](runtime::ValueId id) {
    return plan.values[static_cast<size_t>(id)].name == name;
  });
}

/// The allocator of a caller as an allocator of the runtime.
static runtime::BufferPool::Allocate memoryOf(std::shared_ptr<Allocator> allocator) {
  return [allocator = std::move(allocator)](size_t requested) -> std::shared_ptr<void> {
    constexpr size_t alignment = 64; // of kernels' vectors
    size_t bytes = std::max<size_t>(requested, 1);
    void *memory = allocator->allocate(bytes, alignment);
    if (!memory)
      return nullptr;
    std::shared_ptr<void> shared(memory,
                                 [allocator, bytes](void *own) { allocator->deallocate(own, bytes); });
    return reinterpret_cast<uintptr_t>(memory) % alignment == 0 ? shared : nullptr;
  };
}

Session::Implementation::Implementation(Model opened)
    : model(std::move(opened)), shared(*model.implementation), variants(shared.variants),
      entries(std::max<size_t>(1, shared.options.keptSpecializations) + 1) {} // and the one for all dims

Session::Implementation::~Implementation() {
  if (isSole)
    shared.hasSoleSession = false;
}

Result<void> Session::Implementation::begin(const SessionOptions &options) {
  if (shared.isForOneSession()) {
    if (shared.hasSoleSession.exchange(true))
      return errorAt(shared.path, "the model has a session already; expected one at a time on a mesh of "
                                  "processes, and with a store of the caller");
    isSole = true;
  }
  if (options.allocator && shared.mesh)
    return errorAt(shared.path, "the option 'allocator' is given; expected none on a mesh");
  memory = options.allocator ? std::make_shared<runtime::RunMemory>(memoryOf(options.allocator))
                             : std::make_shared<runtime::RunMemory>();
  seed = options.seed.value_or(shared.options.seed);
  generator = std::make_shared<runtime::RandomGenerator>(seed);
  values.inMemory = shared.weights;
  if (shared.mesh)
    mesh = std::make_unique<SessionMesh>(*shared.mesh, values.inMemory);
  values.begin(shared.path, shared.source->sharedParameters(), mesh.get());
  return shared.options.offload ? values.beginOffload(*shared.options.offload) : Result<void>();
}

Diagnostics Session::Implementation::inUse() const {
  return errorAt(shared.path, "another thread uses the session; expected a session for each thread "
                              "(Model::session)");
}

Result<void> Session::Implementation::checkParameter(const std::string &name, const Tensor &value) const {
  const std::vector<TensorInfo> &parameters = shared.parameters;
  auto known = std::ranges::find(parameters, name, &TensorInfo::name);
  if (const ShardedTensor *current = mesh ? mesh->find(name) : nullptr)
    return checkType(shared.path, name, value, current->type->dtype, current->type->dims);
  if (auto current = values.inMemory.find(name); current != values.inMemory.end())
    return checkType(shared.path, name, value, current->second.dtype(), current->second.dims());
  if (const runtime::Value *current = values.onDevice(name))
    return checkType(shared.path, name, value, current->dtype, current->dims);
  if (known != parameters.end())
    return checkType(shared.path, name, value, known->dtype, known->dims);
  if (shared.states.contains(name))
    return {};
  std::vector<std::string> names(shared.states.begin(), shared.states.end());
  for (const TensorInfo &info : parameters)
    names.push_back(info.name);
  return errorAt(shared.path,
                 "the program has no parameter or state variable '" + name + "'" + didYouMean(name, names));
}

Result<void> Session::Implementation::setParameter(const std::string &name, Tensor value) {
  if (Result<void> checked = checkParameter(name, value); !checked)
    return checked;
  if (!shared.states.contains(name)) {
    // Programs with another value of a parameter have another memory.
    if (Result<void> moved = values.leaveDevice(); !moved)
      return moved;
    if (std::shared_ptr<Variants> others = variants->withParameter(name, value)) {
      current = nullptr;
      entries.clear();
      variants = std::move(others);
    }
    parametersChanged |= mesh != nullptr;
  }
  // State is fed to each run, so only values computed once from parameters must be recomputed.
  ownParameters.insert(name);
  parametersChanged |= std::ranges::any_of(
      entries, [&](const auto &entry) { return hasParameter(entry.first->plan(), name); });
  return values.set(name, std::move(value));
}

bool Session::Implementation::needsOwnParameters(const Variant &variant) const {
  return std::ranges::any_of(ownParameters,
                             [&](const std::string &name) { return hasParameter(variant.plan(), name); });
}

Result<void> Session::Implementation::connect(SessionVariant &entry, PrepareTimes &prepared) {
  entry.hasOwnParameters = needsOwnParameters(*entry.variant);
  auto executable = [&]() -> Result<std::shared_ptr<runtime::Executable>> {
    if (!entry.hasOwnParameters)
      return variants->shared(*entry.variant, prepared);
    Stopwatch watch(prepared.load);
    return variants->bind(*entry.variant, values.inMemory);
  }();
  if (!executable)
    return executable.diagnostics();
  auto session = runtime::Session::create(*executable, memory);
  if (!session)
    return session.diagnostics();
  entry.executable = std::move(*executable);
  entry.session = std::move(*session);
  entry.session->setGenerator(generator);
  entry.profile = nullptr;
  entry.otherProfiles.clear();
  values.connect(*entry.session);
  return {};
}

void SessionVariant::setProfiling(bool isOn) {
  if (isOn && !profile) {
    profile = std::make_unique<runtime::Profile>(executable->plan(), executable->devicePeaks());
    for (size_t rank = 1; onMesh && rank < onMesh->rankSessions().size(); ++rank)
      otherProfiles.push_back(
          std::make_unique<runtime::Profile>(onMesh->planOf(rank), executable->devicePeaks()));
  }
  ofFirstRank().setProfile(isOn ? profile.get() : nullptr);
  for (size_t i = 0; i < otherProfiles.size(); ++i)
    onMesh->rankSessions()[i + 1]->setProfile(isOn ? otherProfiles[i].get() : nullptr);
}

Result<SessionVariant> Session::Implementation::load(std::shared_ptr<const Variant> variant,
                                                     PrepareTimes &prepared) {
  SessionVariant entry;
  entry.variant = std::move(variant);
  if (!mesh) {
    Result<void> connected = connect(entry, prepared);
    return connected ? Result<SessionVariant>(std::move(entry)) : connected.diagnostics();
  }
  Stopwatch watch(prepared.load);
  auto program = mesh->load(entry.variant->programs, entry.variant->programOf, *entry.variant->interface,
                            shared.path, shared.options, seed, shared.threads);
  if (!program)
    return program.diagnostics();
  if (values.isOffloaded())
    (*program)->setOffload([&](int64_t rank) { return values.queueOf(rank); });
  entry.executable = (*program)->executable();
  entry.onMesh = std::move(*program);
  return entry;
}

/// The phases of a preparation, of which some may not have happened.
static PhaseTimes phasesOf(const PrepareTimes &prepared) {
  PhaseTimes phases = prepared.phases;
  if (phases.empty() && prepared.compile > 0)
    phases.emplace_back("compiling", prepared.compile);
  if (prepared.load > 0)
    phases.emplace_back(prepared.fromCache ? "loading from the cache" : "loading", prepared.load);
  return phases;
}

Result<SessionVariant *> Session::Implementation::entryFor(const std::map<std::string, Tensor> &feeds,
                                                           Choice choice) {
  PrepareTimes prepared;
  auto entry = [&]() -> Result<SessionVariant *> {
    auto variant = (*variants.*choice)(feeds, prepared);
    if (!variant)
      return variant.diagnostics();
    if (SessionVariant *found = entries.find(variant->get()))
      return found;
    auto loaded = load(*variant, prepared);
    if (!loaded)
      return loaded.diagnostics();
    if (entries.isFull()) { // the entry that is dropped may hold states
      current = nullptr;
      if (Result<void> moved = values.leaveDevice(); !moved)
        return moved.diagnostics();
    }
    loaded->phases = phasesOf(prepared);
    return &entries.put(variant->get(), std::move(*loaded));
  }();
  times = {prepared.compile, prepared.load, 0, prepared.fromCache};
  return entry;
}

Result<void> Session::Implementation::bindParameters() {
  if (!std::exchange(parametersChanged, false))
    return {};
  PrepareTimes ignored;
  for (auto &[variant, entry] : entries) {
    Result<void> bound;
    if (mesh)
      bound = entry.onMesh->rebind(*mesh->values());
    else if (entry.hasOwnParameters)
      bound = entry.executable->bindParameters(values.inMemory);
    else if (needsOwnParameters(*variant))
      bound = connect(entry, ignored);
    if (!bound)
      return bound;
  }
  return {};
}

Diagnostics Session::Implementation::failEverywhere(const Diagnostics &diagnostics) const {
  if (shared.mesh)
    shared.mesh->fail(diagnostics);
  return diagnostics;
}

Result<runtime::NamedTensors> Session::Implementation::beforeRun(const std::map<std::string, Tensor> &feeds,
                                                                 Choice choice) {
  if (Result<void> valid = checkValid(shared.path, feeds); !valid)
    return valid.diagnostics();
  auto entry = entryFor(feeds, choice);
  if (!entry)
    return entry.diagnostics();
  current = *entry;
  if (Result<void> bound = bindParameters(); !bound)
    return bound.diagnostics();
  const runtime::Plan &plan = current->executable->plan();
  runtime::Session &session = current->ofFirstRank();
  current->setProfiling(profiling);
  if (Result<void> moved = values.beginRun(plan, current->variant->stored, current->onMesh.get(), session);
      !moved)
    return moved.diagnostics();
  std::map<std::string, Tensor> all = import::withLods(feeds);
  if (Result<void> compared = mesh ? mesh->compareFeeds(all, shared.path) : Result<void>(); !compared)
    return compared.diagnostics();
  runtime::NamedTensors inputs(all.begin(), all.end());
  if (!mesh)
    values.addStates(current->variant->imported->states, plan, inputs);
  return inputs;
}

Result<std::vector<Tensor>> Session::Implementation::runCurrent(const runtime::NamedTensors &inputs) {
  Stopwatch watch(times.lastRun);
  return mesh ? current->onMesh->run(inputs, *mesh->values()) : current->session->run(inputs);
}

Result<std::vector<NamedTensor>> Session::Implementation::take(const std::vector<Tensor> &results) {
  std::vector<NamedTensor> fetched;
  const auto &names =
      current->onMesh ? current->onMesh->fetchNames() : current->executable->plan().fetchNames;
  const auto &sequences = current->variant->imported->fetchedTensors;
  const auto &lods = current->variant->imported->fetchedLods;
  std::map<std::string, Lod> levels;
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor &result = results[i];
    if (i < sequences.size() && !sequences[i].empty()) {
      bool isPair = i + 1 < sequences.size() && sequences[i + 1] == sequences[i];
      auto elements = unpackSequence(sequences[i], result, isPair ? results[i + 1] : Tensor());
      ++i;
      if (!elements)
        return elements.diagnostics();
      std::ranges::move(*elements, std::back_inserter(fetched));
    } else if (i < sequences.size())
      fetched.push_back({names[i], result});
    else if (i < sequences.size() + lods.size())
      levels[lods[i - sequences.size()]].emplace_back(result.as<int64_t>(),
                                                      result.as<int64_t>() + result.size());
    else if (current->session && current->session->stayed(i))
      values.leaveOnDevice(names[i], *current->session);
    else
      values.inMemory[names[i]] = result;
  }
  for (NamedTensor &result : fetched)
    result.tensor.setLod(levels[result.name]);
  return fetched;
}

Result<void> Session::Implementation::offerOutputs(const RunOptions &options) {
  Diagnostics diagnostics;
  const auto &names =
      current->onMesh ? current->onMesh->fetchNames() : current->executable->plan().fetchNames;
  const std::vector<std::string> &sequences = current->variant->imported->fetchedTensors;
  for (const auto &[name, memory] : options.outputs) {
    std::string where = shared.path + ": output '" + name + "'";
    size_t i = 0;
    while (i < sequences.size() && (names[i] != name || !sequences[i].empty()))
      ++i;
    if (i == sequences.size()) {
      diagnostics.add(where, "is not a fetched tensor of the program" + didYouMean(name, shared.fetches));
      continue;
    }
    const runtime::Plan &plan = current->executable->plan();
    if (!current->session) // on a mesh, the results are gathered
      continue;
    const runtime::Value &value = plan.values[static_cast<size_t>(plan.fetches[i])];
    bool isPossible = memory.dtype == value.dtype && memory.dims.size() == value.dims.size();
    for (size_t axis = 0; isPossible && axis < memory.dims.size(); ++axis)
      isPossible = value.dims[axis] < 0 || value.dims[axis] == memory.dims[axis];
    auto view = tensorOf({memory.dtype, memory.dims, {}, memory.data});
    if (!isPossible)
      diagnostics.add(where, "its memory is " + describe(memory.dtype, memory.dims) + "; expected " +
                                 describe(value.dtype, value.dims));
    else if (!view)
      diagnostics.add(where, view.diagnostics()[0].message);
    else if (memory.isDense())
      current->session->offerMemory(i, memory.data, view->bytes());
  }
  return diagnostics;
}

Result<void> Session::Implementation::fillOutputs(const RunOptions &options,
                                                  std::vector<NamedTensor> &fetched) const {
  Diagnostics diagnostics;
  for (const auto &[name, memory] : options.outputs) {
    auto result = std::ranges::find(fetched, name, &NamedTensor::name);
    if (result == fetched.end())
      continue;
    if (Result<void> copied = copyTensor(result->tensor, memory); !copied)
      diagnostics.add(shared.path + ": output '" + name + "'", copied.diagnostics()[0].message);
    else if (memory.isDense()) {
      Lod lod = result->tensor.lod();
      result->tensor = Tensor(memory.dtype, memory.dims, memory.data, nullptr);
      result->tensor.setLod(std::move(lod));
    }
  }
  return diagnostics;
}

void Session::Implementation::releaseWeights() {
  if (std::exchange(current->hasReleasedWeights, true) || shared.target.kind == TargetKind::Cuda)
    return;
  for (const auto &[name, tensor] : shared.weights)
    releaseMappedPages(tensor.data(), tensor.bytes());
}

Result<std::vector<NamedTensor>> Session::Implementation::run(const std::map<std::string, Tensor> &feeds,
                                                              const RunOptions &options) {
  runtime::RunLimits limits{.stop = options.stop, .poll = options.poll};
  if (options.timeLimit)
    limits.deadline = std::chrono::steady_clock::now() + *options.timeLimit;
  bool hasBegun = false;
  auto attempt = [&](Choice choice) -> Result<std::vector<Tensor>> {
    auto inputs = beforeRun(feeds, choice);
    if (!inputs)
      return failEverywhere(inputs.diagnostics());
    if (Result<void> offered = offerOutputs(options); !offered)
      return failEverywhere(offered.diagnostics());
    current->setLimits(limits.isEmpty() ? nullptr : &limits);
    hasBegun = true;
    auto results = runCurrent(*inputs);
    current->setLimits(nullptr);
    return results ? std::move(results) : shared.located(results.diagnostics());
  };
  auto results = attempt(&Variants::get);
  if (!results && hasBegun && maySpecialize() && limits.check())
    results = attempt(&Variants::specialize);
  if (!results)
    return results.diagnostics();
  releaseWeights();
  auto fetched = take(*results);
  if (fetched && !options.outputs.empty())
    if (Result<void> filled = fillOutputs(options, *fetched); !filled)
      return filled.diagnostics();
  return fetched;
}

Result<Session> Model::session(SessionOptions options) const {
  auto created = std::make_unique<Session::Implementation>(*this);
  if (Result<void> begun = created->begin(options); !begun)
    return begun.diagnostics();
  return Session(std::move(created));
}

Session::Session(std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}
Session::Session(Session &&) noexcept = default;
Session &Session::operator=(Session &&) noexcept = default;
Session::~Session() = default;

const Model &Session::model() const { return implementation->model; }
const SessionTimes &Session::times() const { return implementation->times; }

int Session::threads() const {
  int threads = implementation->shared.threads;
  return implementation->mesh ? implementation->mesh->threadsOfRank(threads) : threads;
}

Result<void> Session::setParameter(const std::string &name, Tensor value) {
  SessionUse use(implementation->isUsed);
  return use ? implementation->setParameter(name, std::move(value)) : implementation->inUse();
}

Result<Tensor> Session::parameter(const std::string &name) const {
  SessionUse use(implementation->isUsed);
  return use ? implementation->values.get(name) : implementation->inUse();
}

Result<void> Session::saveParameters(const std::string &path) const {
  Implementation &self = *implementation;
  SessionUse use(self.isUsed);
  if (!use)
    return self.inUse();
  auto values = self.values.whole();
  Result<void> saved;
  if (!values)
    saved = values.diagnostics();
  else if (self.model.rank() == 0)
    saved = writeParameters(path, **values, self.shared.source->savedVariables());
  return self.mesh ? self.mesh->agree("saving of parameters", saved) : saved;
}

Result<void> Session::prepare(const std::map<std::string, Tensor> &feeds) {
  Implementation &self = *implementation;
  SessionUse use(self.isUsed);
  if (!use)
    return self.inUse();
  runtime::ThreadScope threads(self.shared.threads, self.shared.options.threadPool.get());
  auto entry = self.entryFor(feeds, &Variants::prepare);
  return entry ? Result<void>() : Result<void>(entry.diagnostics());
}

void Session::finishCompilation() { implementation->variants->finishBackground(); }

Result<std::vector<NamedTensor>> Session::run(const std::map<std::string, Tensor> &feeds,
                                              const RunOptions &options) {
  Implementation &self = *implementation;
  SessionUse use(self.isUsed);
  if (!use)
    return self.inUse();
  runtime::ThreadScope threads(self.shared.threads, self.shared.options.threadPool.get());
  return self.run(feeds, options);
}

Result<double> Session::measure(const std::map<std::string, Tensor> &feeds) {
  Implementation &self = *implementation;
  SessionUse use(self.isUsed);
  if (!use)
    return self.inUse();
  runtime::ThreadScope threads(self.shared.threads, self.shared.options.threadPool.get());
  auto inputs = self.beforeRun(feeds, &Variants::prepare);
  if (!inputs)
    return self.failEverywhere(inputs.diagnostics());
  Result<void> done = [&] {
    Stopwatch watch(self.times.lastRun);
    return self.mesh ? self.current->onMesh->runSilently(*inputs, *self.mesh->values())
                     : self.current->session->runSilently(*inputs);
  }();
  if (!done)
    return self.shared.located(done.diagnostics());
  return self.times.lastRun;
}

int64_t Session::arenaBytes() const {
  const SessionVariant *current = implementation->current;
  if (!current)
    return 0;
  return current->onMesh ? current->onMesh->arenaBytes() : current->executable->plan().arenaBytes;
}

void Session::enableProfile(bool on) { implementation->profiling = on; }

std::string Session::profileTable() const {
  SessionVariant *variant = implementation->current;
  return variant && variant->profile ? variant->profile->table() : "";
}

std::string Session::profileTrace() const {
  SessionVariant *variant = implementation->current;
  if (!variant || !variant->profile)
    return "[]";
  const ModelTimes &opened = model().times();
  PhaseTimes phases{{"reading", opened.read}, {"importing", opened.import}};
  phases.insert(phases.end(), variant->phases.begin(), variant->phases.end());
  return variant->profile->chromeTrace(phases, variant->otherProfiles);
}

std::vector<StepTime> Session::profileSteps() const {
  SessionVariant *variant = implementation->current;
  return variant && variant->profile ? variant->profile->steps() : std::vector<StepTime>();
}

} // namespace proa
