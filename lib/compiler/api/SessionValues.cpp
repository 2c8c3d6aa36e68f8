#include "lib/compiler/api/SessionValues.h"

#include "lib/compiler/api/SharedParameters.h"

namespace proa {

void SessionValues::begin(const std::string &ownPath, const std::vector<legacy::SharedStorage> &ownShared,
                          SessionMesh *ownMesh) {
  path = ownPath;
  shared = &ownShared;
  mesh = ownMesh;
}

Result<void> SessionValues::beginOffload(const OffloadOptions &options) {
  auto opened = OffloadedValues::open(options);
  if (!opened)
    return opened.diagnostics();
  offloaded = std::move(*opened);
  return {};
}

Result<Tensor> SessionValues::storedValue(const std::string &name) const {
  auto value = offloaded->get(name);
  if (!value)
    return value.diagnostics();
  return mesh ? mesh->gather(*value, name) : Result<Tensor>(std::move(value->locals[0]));
}

Result<void> SessionValues::read(const std::string &name) {
  auto value = storedValue(name);
  if (!value)
    return value.diagnostics();
  inMemory[name] = std::move(*value);
  return {};
}

Result<void> SessionValues::store(const std::string &name, MeshProgram *onMesh) {
  ShardedTensor value;
  std::vector<int64_t> ranks{0};
  if (mesh) {
    auto distributed = onMesh->distributed(name, *mesh->values());
    if (!distributed)
      return distributed.diagnostics();
    if (*distributed)
      value = **distributed;
    ranks = onMesh->ranksOfProcess();
  } else if (auto found = inMemory.find(name); found != inMemory.end()) {
    value.locals.push_back(found->second);
  }
  if (value.locals.empty() && !offloaded->contains(name))
    return errorAt(path, "state variable '" + name + "' has no value");
  if (value.locals.empty())
    return {};
  if (Result<void> done = offloaded->put(name, value, std::move(ranks)); !done)
    return done;
  inMemory.erase(name);
  if (mesh)
    mesh->forget(name);
  return {};
}

Result<void> SessionValues::moveStates(const runtime::Plan &plan, const std::set<std::string> &stored,
                                       MeshProgram *onMesh) {
  for (runtime::ValueId id : plan.feeds)
    if (const std::string &name = plan.values[static_cast<size_t>(id)].name;
        offloaded->contains(name) && !inMemory.contains(name)) {
      if (Result<void> done = read(name); !done)
        return done;
      offloaded->drop(name);
    }
  for (const std::string &name : stored)
    if (Result<void> done = store(name, onMesh); !done)
      return done;
  return {};
}

void SessionValues::connect(runtime::Session &session) const {
  if (offloaded)
    session.setOffload(queueOf(0));
  session.keepStates(!mesh && !offloaded && shared->empty());
}

Result<void> SessionValues::beginRun(const runtime::Plan &plan, const std::set<std::string> &stored,
                                     MeshProgram *onMesh, runtime::Session &session) {
  if (offloaded)
    return moveStates(plan, stored, onMesh);
  return holder == &session ? Result<void>() : leaveDevice();
}

void SessionValues::addStates(const std::set<std::string> &states, const runtime::Plan &plan,
                              runtime::NamedTensors &feeds) const {
  for (runtime::ValueId id : plan.feeds) {
    const std::string &name = plan.values[static_cast<size_t>(id)].name;
    if (auto found = inMemory.find(name); states.contains(name) && found != inMemory.end())
      feeds[name] = found->second;
  }
}

void SessionValues::leaveOnDevice(const std::string &name, runtime::Session &session) {
  holder = &session;
  resident.insert(name);
  inMemory.erase(name);
}

Result<void> SessionValues::leaveDevice() {
  while (!resident.empty()) {
    const std::string &name = *resident.begin();
    auto value = holder->residentState(name);
    if (!value)
      return value.diagnostics();
    inMemory[name] = std::move(*value);
    resident.erase(resident.begin());
  }
  holder = nullptr;
  return {};
}

const runtime::Value *SessionValues::onDevice(const std::string &name) const {
  return resident.contains(name) ? holder->residentValue(name) : nullptr;
}

Result<void> SessionValues::set(const std::string &name, Tensor value) {
  resident.erase(name);
  // Parameters that share memory are updated as whole values.
  if (mesh && !shared->empty())
    if (Result<void> gathered = mesh->gatherAll(); !gathered)
      return gathered;
  if (mesh)
    mesh->forget(name);
  inMemory[name] = std::move(value);
  updateMembers(*shared, name, inMemory);
  return updateBuffers(*shared, inMemory);
}

Result<Tensor> SessionValues::get(const std::string &name) {
  if (resident.contains(name))
    return holder->residentState(name);
  if (offloaded && offloaded->contains(name) && !inMemory.contains(name))
    return storedValue(name);
  if (const ShardedTensor *value = mesh && shared->empty() ? mesh->find(name) : nullptr)
    return mesh->gather(*value, name);
  auto values = whole();
  if (!values)
    return values.diagnostics();
  auto found = (*values)->find(name);
  if (found == (*values)->end())
    return errorAt(path, "unknown parameter or state variable '" + name + "'");
  return found->second;
}

Result<void> SessionValues::moveToMemory() {
  if (!offloaded && shared->empty())
    return leaveDevice();
  auto all = whole();
  return all ? Result<void>() : all.diagnostics();
}

Result<const std::map<std::string, Tensor> *> SessionValues::whole() {
  if (Result<void> moved = leaveDevice(); !moved)
    return moved.diagnostics();
  if (mesh)
    if (Result<void> gathered = mesh->gatherAll(); !gathered)
      return gathered.diagnostics();
  for (const std::string &name : offloaded ? offloaded->names() : std::vector<std::string>())
    if (!inMemory.contains(name))
      if (Result<void> done = read(name); !done)
        return done.diagnostics();
  if (Result<void> updated = updateBuffers(*shared, inMemory); !updated)
    return updated.diagnostics();
  return &inMemory;
}

} // namespace proa
