#include "lib/compiler/api/SessionCheckpoint.h"

#include "lib/base/spmd/Exchange.h"
#include "lib/base/support/Suggest.h"
#include "lib/checkpoint/Index.h"
#include "lib/checkpoint/Layout.h"
#include "lib/compiler/api/ModelImplementation.h"
#include "lib/compiler/api/SessionImplementation.h"
#include "lib/compiler/mesh/MoveValue.h"
#include "lib/runtime/host/Random.h"

#include <fmt/format.h>

#include <numeric>

namespace proa {
namespace {

using checkpoints::Box;
using checkpoints::Catalog;
using checkpoints::Checkpoint;
using checkpoints::ShardData;

/// Collects the boxes of all values, then chooses who stores each.
class SnapshotBuilder {
public:
  /// `ranks` is null where this process has all values whole and no other takes part.
  explicit SnapshotBuilder(const RankGroup *ranks) : ranks(ranks) {
    snapshot.rankCount = ranks ? ranks->size() : 1;
    everybody.resize(static_cast<size_t>(snapshot.rankCount));
    std::iota(everybody.begin(), everybody.end(), 0);
  }

  void addWhole(const std::string &name, checkpoints::StateKind kind, const Tensor &value) {
    tensors[name] = {value.dtype(), value.dims(), kind};
    boxes[name] = {{checkpoints::wholeBox(value.dims()), everybody}};
    whole[name] = value;
  }

  /// The type has static dims and no partial axes. `value` has to live until finish().
  void addSharded(const std::string &name, checkpoints::StateKind kind, const ShardedTensor &value) {
    const ShardedType &type = *value.type;
    tensors[name] = {type.dtype, type.dims, kind};
    boxes[name] = checkpoints::heldBoxes(*value.mesh, type.placement, type.dims);
    sharded[name] = &value;
  }

  CheckpointSnapshot finish() {
    for (auto &[name, stored] : checkpoints::storeOnHolders(tensors, boxes))
      for (const checkpoints::StoredBox &box : stored)
        if (isHere(box.file))
          snapshot.byRank[box.file].push_back({name, tensors[name], box.box, elementsOf(name, box.box)});
    return std::move(snapshot);
  }

private:
  bool isHere(int64_t rank) const {
    for (size_t index = 0; ranks && index < ranks->count(); ++index)
      if (ranks->rankOf(index) == rank)
        return true;
    return !ranks;
  }

  Tensor elementsOf(const std::string &name, const Box &box) const {
    auto found = whole.find(name);
    return found != whole.end() ? found->second : elementsOf(*sharded.at(name), box);
  }

  /// The elements of a box from a rank of this process that holds it.
  Tensor elementsOf(const ShardedTensor &value, const Box &box) const {
    for (size_t index = 0; index < value.locals.size(); ++index) {
      std::optional<int64_t> position = spmd::positionOf(*value.mesh, ranks->rankOf(index));
      if (!position)
        continue;
      const Tensor &local = value.locals[index];
      for (const checkpoints::LocalBox &overlap :
           checkpoints::localBoxes(*value.mesh, value.type->placement, value.type->dims, *position)) {
        if (overlap.box != box)
          continue;
        Box all = checkpoints::wholeBox(local.dims());
        if (overlap.local == all)
          return local;
        Tensor copy(local.dtype(), checkpoints::dimsOf(box));
        checkpoints::copyElements({local.as<std::byte>(), all}, {copy.as<std::byte>(), overlap.local},
                                  overlap.local, sizeOf(local.dtype()));
        return copy;
      }
    }
    return Tensor(value.type->dtype, checkpoints::dimsOf(box)); // without elements
  }

  const RankGroup *ranks;
  std::vector<int64_t> everybody;
  std::map<std::string, checkpoints::TensorEntry> tensors;
  checkpoints::HeldBoxes boxes;
  std::map<std::string, Tensor> whole;
  std::map<std::string, const ShardedTensor *> sharded;
  CheckpointSnapshot snapshot;
};

} // namespace

Result<CheckpointSnapshot>
takeSnapshot(SessionValues &values,
             const std::function<checkpoints::StateKind(const std::string &name)> &kindOf) {
  if (Result<void> moved = values.moveToMemory(); !moved)
    return moved.diagnostics();
  SessionMesh *mesh = values.onMesh();
  SnapshotBuilder builder(mesh ? mesh->ranksOfSession() : nullptr);
  for (const auto &[name, value] : values.inMemory)
    builder.addWhole(name, kindOf(name), value);
  if (!mesh || !mesh->values())
    return builder.finish();
  for (const auto &[name, value] : mesh->values()->distributedValues()) {
    if (hasStaticBoxes(*value.type)) {
      builder.addSharded(name, kindOf(name), value);
      continue;
    }
    Result<Tensor> whole = mesh->gather(value, name);
    if (!whole)
      return whole.diagnostics();
    builder.addWhole(name, kindOf(name), *whole);
  }
  return builder.finish();
}

Result<Catalog> writeFiles(const CheckpointSnapshot &snapshot, bool commits) {
  Catalog ofRanks;
  for (const auto &[rank, shards] : snapshot.byRank) {
    std::string file = checkpoints::shardFileName(snapshot.head.save, rank, snapshot.rankCount);
    Result<Catalog> written = checkpoints::writeShards(snapshot.folder, file, shards);
    if (!written)
      return written;
    checkpoints::merge(ofRanks, *written);
  }
  if (commits) {
    Catalog catalog = snapshot.head;
    checkpoints::merge(catalog, ofRanks);
    if (Result<void> committed = checkpoints::commitSave(snapshot.folder, catalog); !committed)
      return committed.diagnostics();
  }
  return ofRanks;
}

Result<ShardedTensor> readShards(Checkpoint &checkpoint, const std::string &name, const ShardedTensor &type,
                                 const RankGroup &ranks) {
  ShardedTensor result{type.mesh, type.type, {}};
  for (size_t index = 0; index < ranks.count(); ++index) {
    const Tensor &before = type.locals[index];
    std::optional<int64_t> position = spmd::positionOf(*type.mesh, ranks.rankOf(index));
    Tensor local(before.dtype(), before.dims());
    Box all = checkpoints::wholeBox(local.dims());
    if (position)
      for (const checkpoints::LocalBox &overlap :
           checkpoints::localBoxes(*type.mesh, type.type->placement, type.type->dims, *position)) {
        Result<Tensor> elements = checkpoint.read(name, overlap.box);
        if (!elements)
          return elements.diagnostics();
        checkpoints::copyElements({elements->as<std::byte>(), overlap.local}, {local.as<std::byte>(), all},
                                  overlap.local, sizeOf(local.dtype()));
      }
    result.locals.push_back(std::move(local));
  }
  return result;
}

namespace {

/// The names of the parameters of a legacy program; other variables with values are states.
std::set<std::string> parameterNames(const legacy::Program &program) {
  std::set<std::string> names;
  for (const legacy::Block &block : program.blocks)
    for (const legacy::Variable &variable : block.variables)
      if (variable.isParameter)
        names.insert(variable.name);
  return names;
}

} // namespace

Result<std::vector<std::string>> CheckpointProcesses::gather(const std::string &what,
                                                             const std::string &text) const {
  return areSeveral() ? ranks->gather({what, 0, true}, text) : std::vector<std::string>{text};
}

/// The number of the save, which the first process chooses.
static Result<int64_t> chooseSave(const CheckpointProcesses &processes, const std::string &folder) {
  Result<int64_t> own = processes.isFirst() ? checkpoints::beginSave(folder) : Result<int64_t>(0);
  Result<void> outcome = own ? Result<void>() : Result<void>(own.diagnostics());
  if (Result<void> agreed = processes.agree("the begin of a checkpoint", outcome); !agreed)
    return agreed.diagnostics();
  auto texts = processes.gather("the number of a checkpoint", std::to_string(*own));
  if (!texts)
    return texts.diagnostics();
  return std::stoll(texts->front());
}

Result<void> Session::Implementation::saveCheckpoint(const std::string &folder,
                                                     const CheckpointOptions &options) {
  if (options.step < 0)
    return errorAt(folder, fmt::format("found {} completed steps, expected 0 or more", options.step));
  if (Result<void> finished = finishCheckpoint(); !finished)
    return finished;
  const legacy::Program *program = shared.source->legacyProgram();
  std::set<std::string> parameters = program ? parameterNames(*program) : std::set<std::string>();
  Result<CheckpointSnapshot> snapshot = takeSnapshot(values, [&](const std::string &name) {
    return !program || parameters.contains(name) ? checkpoints::StateKind::Parameter
                                                 : checkpoints::StateKind::State;
  });
  if (!snapshot)
    return snapshot.diagnostics();
  CheckpointProcesses processes(mesh.get());
  Result<int64_t> save = chooseSave(processes, folder);
  if (!save)
    return save.diagnostics();
  snapshot->folder = folder;
  snapshot->head.save = *save;
  snapshot->head.training = {options.step, randomState()};
  pending = std::make_unique<PendingCheckpoint>();
  pending->snapshot = std::move(*snapshot);
  auto policy = options.inBackground ? std::launch::async : std::launch::deferred;
  bool commits = !processes.areSeveral(); // else the first process commits when all have written
  pending->files =
      std::async(policy, [&stored = pending->snapshot, commits] { return writeFiles(stored, commits); });
  return options.inBackground ? Result<void>() : finishCheckpoint();
}

Result<void> Session::Implementation::finishCheckpoint() {
  if (!pending)
    return {};
  std::unique_ptr<PendingCheckpoint> current = std::move(pending);
  CheckpointProcesses processes(mesh.get());
  Result<Catalog> own = current->files.get();
  Result<void> outcome = own ? Result<void>() : Result<void>(own.diagnostics());
  Result<void> agreed = processes.agree("the files of a checkpoint", outcome);
  if (!agreed || !processes.areSeveral())
    return agreed;
  const std::string &folder = current->snapshot.folder;
  auto texts = processes.gather("the shards of a checkpoint", checkpoints::catalogText(*own));
  if (!texts)
    return texts.diagnostics();
  if (processes.isFirst()) {
    Catalog catalog = current->snapshot.head;
    for (const std::string &text : *texts)
      if (Result<Catalog> written = checkpoints::readCatalogText(text, folder, true); written)
        checkpoints::merge(catalog, *written);
      else
        outcome = written.diagnostics();
    if (outcome)
      outcome = checkpoints::commitSave(folder, catalog);
  }
  return processes.agree("the index of a checkpoint", outcome);
}

Result<void> Session::Implementation::checkNames(const std::set<std::string> &names,
                                                 const std::string &where) const {
  std::set<std::string> required, variables = shared.states;
  for (const TensorInfo &info : shared.parameters)
    variables.insert(info.name);
  for (const auto &[name, value] : values.inMemory)
    required.insert(name);
  if (mesh && mesh->values())
    for (const auto &[name, value] : mesh->values()->distributedValues())
      required.insert(name);
  variables.insert(required.begin(), required.end());
  Diagnostics diagnostics;
  std::vector<std::string> candidates(variables.begin(), variables.end());
  for (const std::string &name : required)
    if (!names.contains(name))
      diagnostics.add(where, "has no value for the variable '" + name + "' of the program");
  for (const std::string &name : names)
    if (!variables.contains(name))
      diagnostics.add(where, "has the tensor '" + name + "', but the program no such variable" +
                                 didYouMean(name, candidates));
  return diagnostics;
}

checkpoints::RandomState Session::Implementation::randomState() const {
  const runtime::RandomGenerator &random = mesh ? mesh->generatorOr(*generator) : *generator;
  return {random.key(), random.callCount()};
}

void Session::Implementation::setRandomState(const checkpoints::RandomState &random) {
  generator->restore(random.seed, random.calls);
  if (mesh)
    mesh->restoreRandom(random.seed, random.calls);
}

const ShardedTensor *Session::Implementation::replaceable(const std::string &name) const {
  const ShardedTensor *current =
      mesh && shared.states.contains(name) && values.areIndependent() ? mesh->find(name) : nullptr;
  return current && hasStaticBoxes(*current->type) ? current : nullptr;
}

void Session::Implementation::replaceShards(const std::string &name, ShardedTensor shards) {
  ownParameters.insert(name);
  mesh->values()->set(name, std::move(shards));
}

Result<void> Session::Implementation::restore(Checkpoint &checkpoint) {
  std::set<std::string> names;
  for (const auto &[name, entry] : checkpoint.catalog().tensors)
    names.insert(name);
  if (Result<void> checked = checkNames(names, checkpoint.path()); !checked)
    return checked;
  Diagnostics diagnostics;
  for (const auto &[name, entry] : checkpoint.catalog().tensors)
    diagnostics.append(restoreValue(checkpoint, name, entry).diagnostics());
  if (!diagnostics.empty())
    return diagnostics;
  parametersChanged = true;
  if (const auto &random = checkpoint.catalog().training->random)
    setRandomState(*random);
  return {};
}

/// The error of a value that another program has with another type.
static Result<void> checkSameType(const std::string &where, const std::string &name, DType dtype,
                                  const std::vector<int64_t> &dims, const ShardedType &expected) {
  if (dtype == expected.dtype && dims == expected.dims)
    return {};
  return errorAt(where, "the tensor '" + name + "' is " + describe(dtype, dims) + ", expected " +
                            describe(expected.dtype, expected.dims));
}

Result<void> Session::Implementation::restoreValue(Checkpoint &checkpoint, const std::string &name,
                                                   const checkpoints::TensorEntry &entry) {
  const ShardedTensor *current = replaceable(name);
  if (!current) {
    Result<Tensor> whole = checkpoint.read(name);
    return whole ? setParameter(name, std::move(*whole)) : Result<void>(whole.diagnostics());
  }
  if (auto same = checkSameType(checkpoint.path(), name, entry.dtype, entry.dims, *current->type); !same)
    return same;
  Result<ShardedTensor> shards = readShards(checkpoint, name, *current, *mesh->ranksOfSession());
  if (!shards)
    return shards.diagnostics();
  replaceShards(name, std::move(*shards));
  return {};
}

/// Ranks that have the devices of both meshes: the processes, or simulated ones. Null if there are none.
static std::shared_ptr<RankGroup> ranksOfBoth(SessionMesh *a, SessionMesh *b) {
  RankGroup *first = a ? a->ranksOfSession() : nullptr, *second = b ? b->ranksOfSession() : nullptr;
  if (!first || !second || a->hasProcesses() != b->hasProcesses())
    return nullptr;
  if (a->hasProcesses())
    return {std::shared_ptr<RankGroup>(), second};
  return RankGroup::simulate(std::max(first->size(), second->size()));
}

Result<void> Session::Implementation::copyValue(Implementation &source, const std::string &name,
                                                const ShardedTensor &value, RankGroup *ranks) {
  const ShardedTensor *current = replaceable(name);
  if (!current || !ranks || !hasStaticBoxes(*value.type)) {
    Result<Tensor> whole = source.mesh->gather(value, name);
    return whole ? setParameter(name, std::move(*whole)) : Result<void>(whole.diagnostics());
  }
  if (auto same =
          checkSameType(source.shared.path, name, value.type->dtype, value.type->dims, *current->type);
      !same)
    return same;
  Result<ShardedTensor> shards = moveValue(value, current->mesh, current->type, *ranks, name);
  if (!shards)
    return shards.diagnostics();
  shards->locals.resize(mesh->ranksOfSession()->count());
  replaceShards(name, std::move(*shards));
  return {};
}

Result<void> Session::Implementation::copyValues(Implementation &source) {
  for (SessionValues *moved : {&values, &source.values})
    if (Result<void> done = moved->moveToMemory(); !done)
      return done;
  std::map<std::string, ShardedTensor> none;
  const auto &distributed =
      source.mesh && source.mesh->values() ? source.mesh->values()->distributedValues() : none;
  std::set<std::string> names;
  for (const auto &[name, value] : source.values.inMemory)
    names.insert(name);
  for (const auto &[name, value] : distributed)
    names.insert(name);
  if (Result<void> checked = checkNames(names, source.shared.path); !checked)
    return checked;
  std::shared_ptr<RankGroup> ranks = ranksOfBoth(source.mesh.get(), mesh.get());
  Diagnostics diagnostics;
  for (const auto &[name, value] : source.values.inMemory)
    diagnostics.append(setParameter(name, value).diagnostics());
  for (const auto &[name, value] : distributed)
    diagnostics.append(copyValue(source, name, value, ranks.get()).diagnostics());
  if (!diagnostics.empty())
    return diagnostics;
  parametersChanged = true;
  setRandomState(source.randomState());
  return {};
}

Result<int64_t> Session::Implementation::loadCheckpoint(const std::string &folder) {
  if (Result<void> finished = finishCheckpoint(); !finished)
    return finished.diagnostics();
  if (Result<void> moved = values.moveToMemory(); !moved)
    return moved.diagnostics();
  Result<Checkpoint> opened = Checkpoint::open(folder);
  Result<void> outcome;
  if (!opened)
    outcome = opened.diagnostics();
  else if (!opened->catalog().training)
    outcome = errorAt(opened->path(), "has no state of a training, expected a checkpoint of a session");
  else
    outcome = restore(*opened);
  if (Result<void> agreed = CheckpointProcesses(mesh.get()).agree("the reading of a checkpoint", outcome);
      !agreed)
    return agreed.diagnostics();
  return opened->catalog().training->step;
}

Result<void> Session::saveCheckpoint(const std::string &folder, const CheckpointOptions &options) {
  SessionUse use(implementation->isUsed);
  return use ? implementation->saveCheckpoint(folder, options) : implementation->inUse();
}

Result<void> Session::finishCheckpoint() {
  SessionUse use(implementation->isUsed);
  return use ? implementation->finishCheckpoint() : implementation->inUse();
}

Result<void> Session::copyValues(Session &other) {
  if (this == &other)
    return {};
  SessionUse use(implementation->isUsed), otherUse(other.implementation->isUsed);
  if (!use || !otherUse)
    return use ? other.implementation->inUse() : implementation->inUse();
  return implementation->copyValues(*other.implementation);
}

Result<int64_t> Session::loadCheckpoint(const std::string &folder) {
  SessionUse use(implementation->isUsed);
  return use ? implementation->loadCheckpoint(folder) : Result<int64_t>(implementation->inUse());
}

} // namespace proa
