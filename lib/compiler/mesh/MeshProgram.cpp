#include "lib/compiler/mesh/MeshProgram.h"

#include "lib/runtime/ranks/Collective.h"
#include "lib/runtime/run/Silence.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

namespace proa {
namespace {

bool isReplicated(const spmd::Placement &placement) {
  for (const spmd::DimPlacement &dim : placement.dims)
    if (dim.shardCount() != 1)
      return false;
  return placement.partial.empty();
}

/// Whether a rank is a device of a mesh.
bool has(const spmd::Mesh &mesh, int64_t rank) { return spmd::positionOf(mesh, rank).has_value(); }

/// The local tensor of a rank that is not a device of the mesh.
Tensor absent(const ShardedType &type) {
  return Tensor(type.dtype, std::vector<int64_t>(type.dims.size(), 0));
}

/// The global dims of a tensor with dynamic dims, from the local dims of all ranks.
Result<std::vector<int64_t>> exchangeDims(runtime::Communicator &communicator, const spmd::Mesh &mesh,
                                          const ShardedType &type, const Tensor &local,
                                          const std::string &name) {
  const std::vector<int64_t> &own = local.dims();
  auto gathered = communicator.gather({"dims of " + name}, std::as_bytes(std::span(own)));
  if (!gathered)
    return gathered.diagnostics();
  std::vector<int64_t> dims = type.dims;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] >= 0)
      continue;
    dims[d] = 0;
    for (const auto &[rank, bytes] : *gathered) {
      int64_t dim = 0;
      std::memcpy(&dim, bytes.data() + d * sizeof dim, sizeof dim);
      dims[d] += dim;
    }
    dims[d] /= mesh.size() / type.placement.dims[d].shardCount(); // the number of ranks that hold each shard
  }
  return dims;
}

/// The whole of a tensor from the local tensor of this rank; all ranks call it.
Result<Tensor> wholeOf(runtime::Communicator &communicator, const spmd::Mesh &mesh, const ShardedType &type,
                       const Tensor &local, const std::string &name) {
  if (isReplicated(type.placement) && mesh.size() == communicator.size())
    return local;
  std::vector<int64_t> dims = type.dims;
  if (std::ranges::find(dims, -1) != dims.end()) {
    auto exchanged = exchangeDims(communicator, mesh, type, local, name);
    if (!exchanged)
      return exchanged.diagnostics();
    dims = std::move(*exchanged);
  }
  return runtime::gatherWhole(&communicator, mesh, type.placement, dims, local, name);
}

Result<Tensor> shardOf(const Tensor &whole, const spmd::Mesh &mesh, const ShardedType &type, int64_t rank) {
  if (!has(mesh, rank))
    return absent(type);
  return isReplicated(type.placement) ? Result<Tensor>(whole)
                                      : runtime::localShard(mesh, type.placement, whole, rank);
}

bool fits(const Tensor &whole, const ShardedType &type) {
  bool fits = whole.dtype() == type.dtype && whole.dims().size() == type.dims.size();
  for (size_t d = 0; fits && d < type.dims.size(); ++d)
    fits = type.dims[d] < 0 || type.dims[d] == whole.dims()[d];
  return fits;
}

} // namespace

Result<Tensor> gather(RankGroup &ranks, const ShardedTensor &tensor, const std::string &name) {
  std::vector<Tensor> wholes(ranks.count());
  Result<void> done = ranks.forEach([&](size_t index) -> Result<void> {
    auto whole = wholeOf(*ranks.communicator(index), *tensor.mesh, *tensor.type, tensor.locals[index],
                         "'" + name + "'");
    if (!whole)
      return whole.diagnostics();
    wholes[index] = std::move(*whole);
    return {};
  });
  if (!done)
    return done.diagnostics();
  return std::move(wholes.front());
}

Result<const ShardedTensor *> MeshValues::distribute(const std::string &name,
                                                     const std::shared_ptr<const spmd::Mesh> &mesh,
                                                     const std::shared_ptr<const ShardedType> &type) {
  auto found = sharded.find(name);
  if (found != sharded.end() &&
      (found->second.type == type ||
       (found->second.type->placement == type->placement && *found->second.mesh == *mesh)))
    return &found->second;
  if (found != sharded.end()) { // another program distributes it in another way
    auto gathered = gather(ranks, found->second, name);
    if (!gathered)
      return gathered.diagnostics();
    whole.insert_or_assign(name, std::move(*gathered));
  }
  auto value = whole.find(name);
  if (value == whole.end())
    return nullptr;
  if (!fits(value->second, *type))
    return errorAt("parameter '" + name + "'",
                   "is " + value->second.describe() + "; expected " + describe(type->dtype, type->dims));
  ShardedTensor result{mesh, type, {}};
  for (size_t index = 0; index < ranks.count(); ++index) {
    auto shard = shardOf(value->second, *mesh, *type, ranks.rankOf(index));
    if (!shard)
      return shard.diagnostics();
    result.locals.push_back(std::move(*shard));
  }
  whole.erase(value);
  return &(sharded[name] = std::move(result));
}

void MeshValues::set(const std::string &name, ShardedTensor value) {
  whole.erase(name);
  sharded.insert_or_assign(name, std::move(value));
}

const ShardedTensor *MeshValues::find(const std::string &name) const {
  auto found = sharded.find(name);
  return found == sharded.end() ? nullptr : &found->second;
}

Result<void> MeshValues::gatherAll() {
  for (auto &[name, tensor] : std::exchange(sharded, {})) {
    auto gathered = gather(ranks, tensor, name);
    if (!gathered)
      return gathered.diagnostics();
    whole.insert_or_assign(name, std::move(*gathered));
  }
  return {};
}

Result<std::unique_ptr<MeshProgram>>
MeshProgram::create(std::span<const std::shared_ptr<const LoadedProgram>> programs,
                    std::span<const size_t> programOf, MeshInterface interface, RankGroup &ranks,
                    const std::string &name) {
  std::unique_ptr<MeshProgram> program(new MeshProgram(std::move(interface), ranks));
  for (size_t index = 0; index < programOf.size(); ++index) {
    // Ranks of one process use one device each.
    auto executable = programs[programOf[index]]->instantiate(name, static_cast<int>(index));
    if (!executable)
      return executable.diagnostics();
    program->executables.push_back(std::move(*executable));
  }
  program->inputs.resize(ranks.count());
  program->stateResults.resize(ranks.count());
  for (const ShardedType &type : program->interface.fetches)
    program->isOnAllRanks.push_back(isReplicated(type.placement) &&
                                    program->interface.meshes[type.mesh].size() == ranks.size());
  for (size_t index = 0; index < ranks.count(); ++index)
    program->describePlan(index, program->executables[index]->plan());
  program->sessions.resize(ranks.count());
  program->connected.resize(ranks.count());
  return program;
}

Result<std::vector<runtime::NamedTensors>> MeshProgram::parametersOf(MeshValues &values) {
  std::vector<runtime::NamedTensors> shards(ranks.count());
  for (const auto &[name, type] : interface.arguments) {
    auto value = values.distribute(name, meshOf(type), sharing(type));
    if (!value)
      return value.diagnostics();
    for (size_t index = 0; *value && index < ranks.count(); ++index)
      if (has(type, index))
        shards[index][name] = (*value)->locals[index];
  }
  return shards;
}

Result<void> MeshProgram::bind(MeshValues &values, bool checksFinite, const Generators &generators) {
  auto shards = parametersOf(values);
  if (!shards)
    return shards.diagnostics();
  return ranks.forEach([&](size_t index) -> Result<void> {
    runtime::Executable &executable = *executables[index];
    executable.setCommunicator(ranks.communicator(index));
    if (Result<void> bound = executable.bindParameters((*shards)[index]); !bound)
      return bound;
    if (checksFinite)
      if (Result<void> checked = executable.checkFinite(); !checked)
        return checked;
    auto session = runtime::Session::create(executables[index]);
    if (!session)
      return session.diagnostics();
    (*session)->setGenerator(generators[index]);
    sessions[index] = std::move(*session);
    return {};
  });
}

Result<const ShardedTensor *> MeshProgram::distributed(const std::string &name, MeshValues &values) {
  const ShardedType &type = interface.states.at(name);
  return values.distribute(name, meshOf(type), sharing(type));
}

void MeshProgram::setOffload(
    const std::function<std::shared_ptr<runtime::OffloadQueue>(int64_t rank)> &queueOf) {
  for (size_t index = 0; index < ranks.count(); ++index)
    sessions[index]->setOffload(queueOf(ranks.rankOf(index)));
}

int64_t MeshProgram::arenaBytes() const {
  int64_t largest = 0;
  for (const std::shared_ptr<runtime::Executable> &executable : executables)
    largest = std::max(largest, executable->plan().arenaBytes);
  return largest;
}

std::vector<int64_t> MeshProgram::ranksOfProcess() const {
  std::vector<int64_t> all;
  for (size_t index = 0; index < ranks.count(); ++index)
    all.push_back(ranks.rankOf(index));
  return all;
}

Result<void> MeshProgram::rebind(MeshValues &values) {
  auto shards = parametersOf(values);
  if (!shards)
    return shards.diagnostics();
  return ranks.forEach([&](size_t index) {
    executables[index]->setCommunicator(ranks.communicator(index));
    return executables[index]->bindParameters((*shards)[index]);
  });
}

bool MeshProgram::has(const ShardedType &type, size_t index) const {
  return proa::has(interface.meshes[type.mesh], ranks.rankOf(index));
}

/// Looks up the types of feeds and results once.
void MeshProgram::describePlan(size_t index, const runtime::Plan &plan) {
  for (runtime::ValueId id : plan.feeds) {
    const std::string &name = plan.values[static_cast<size_t>(id)].name;
    const ShardedType &type = interface.arguments.at(name);
    inputs[index].push_back({name, sharing(type), isReplicated(type.placement) && has(type, index)});
  }
  // The results of a plan are the fetches of its meshes, then its states; gatherFetches() adds the others.
  auto own =
      std::ranges::count_if(interface.fetches, [&](const ShardedType &type) { return has(type, index); });
  auto names = std::span(plan.fetchNames).subspan(static_cast<size_t>(own));
  for (const auto &[name, type] : interface.states) {
    auto at = std::ranges::find(names, name);
    stateResults[index].push_back(
        at == names.end() ? none : interface.fetches.size() + static_cast<size_t>(at - names.begin()));
  }
}

Result<std::vector<std::vector<Tensor>>> MeshProgram::inputsOf(const runtime::NamedTensors &feeds,
                                                               MeshValues &values) {
  // Ranks on different meshes have different inputs. All processes distribute all values, in one order.
  if (interface.meshes.size() > 1)
    for (const auto &[name, type] : interface.arguments)
      if (!feeds.contains(name))
        if (auto state = values.distribute(name, meshOf(type), sharing(type)); !state)
          return state.diagnostics();
  std::vector<std::vector<Tensor>> tensors(ranks.count());
  for (size_t index = 0; index < ranks.count(); ++index) {
    tensors[index].reserve(inputs[index].size());
    for (const Input &input : inputs[index]) {
      const ShardedType &type = *input.type;
      if (auto feed = feeds.find(input.name); feed != feeds.end()) {
        auto shard = input.isReplicated
                         ? Result<Tensor>(feed->second)
                         : shardOf(feed->second, interface.meshes[type.mesh], type, ranks.rankOf(index));
        if (!shard)
          return shard.diagnostics();
        tensors[index].push_back(std::move(*shard));
        continue;
      }
      auto state = values.distribute(input.name, meshOf(type), input.type);
      if (!state)
        return state.diagnostics();
      if (!*state)
        return errorAt("feed '" + input.name + "'",
                       "is missing; expected " + describe(type.dtype, type.dims));
      tensors[index].push_back((*state)->locals[index]);
    }
  }
  return tensors;
}

/// The results of a rank begin with the fetches of its meshes; the fetches of others come in between.
Result<void> MeshProgram::gatherFetches(size_t index, std::vector<Tensor> &results) {
  for (size_t i = 0; i < interface.fetches.size(); ++i) {
    if (isOnAllRanks[i])
      continue;
    const ShardedType &type = interface.fetches[i];
    if (!has(type, index))
      results.insert(results.begin() + static_cast<ptrdiff_t>(i), absent(type));
    auto whole = wholeOf(*ranks.communicator(index), interface.meshes[type.mesh], type, results[i],
                         "fetch '" + interface.fetchNames[i] + "'");
    if (!whole)
      return whole.diagnostics();
    results[i] = std::move(*whole);
  }
  return {};
}

void MeshProgram::connect(size_t index) {
  if (std::exchange(connected[index], ranks.communicator(index)) != ranks.communicator(index))
    sessions[index]->setCommunicator(connected[index]);
}

Result<void> MeshProgram::runRank(size_t index, const std::vector<Tensor> &feeds,
                                  std::vector<Tensor> &results) {
  std::optional<runtime::Silence> silence; // one rank prints
  if (ranks.rankOf(index) != 0)
    silence.emplace();
  connect(index);
  auto outcome = sessions[index]->run(std::span<const Tensor>(feeds));
  if (!outcome)
    return outcome.diagnostics();
  results = std::move(*outcome);
  return gatherFetches(index, results);
}

Result<std::vector<Tensor>> MeshProgram::run(const runtime::NamedTensors &feeds, MeshValues &values) {
  auto shards = inputsOf(feeds, values);
  if (!shards)
    return shards.diagnostics();
  std::vector<std::vector<Tensor>> results(ranks.count());
  Result<void> done =
      ranks.forEach([&](size_t index) { return runRank(index, (*shards)[index], results[index]); });
  if (!done)
    return done.diagnostics();
  size_t nextState = 0;
  for (const auto &[name, type] : interface.states) {
    ShardedTensor state{meshOf(type), sharing(type), {}};
    for (size_t index = 0; index < ranks.count(); ++index) {
      size_t at = stateResults[index][nextState];
      if (at != none)
        state.locals.push_back(std::move(results[index][at]));
      else if (!has(type, index))
        state.locals.push_back(absent(type));
    }
    ++nextState;
    if (state.locals.size() == ranks.count()) // else the program has stored it itself
      values.set(name, std::move(state));
  }
  results.front().resize(interface.fetches.size());
  return std::move(results.front());
}

Result<void> MeshProgram::runSilently(const runtime::NamedTensors &feeds, MeshValues &values) {
  auto shards = inputsOf(feeds, values);
  if (!shards)
    return shards.diagnostics();
  return ranks.forEach([&](size_t index) {
    connect(index);
    return sessions[index]->runSilently(std::span<const Tensor>((*shards)[index]));
  });
}

} // namespace proa
