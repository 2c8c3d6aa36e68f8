#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/WaitPolicy.h"
#include "lib/runtime/ranks/Communicator.h"
#include "lib/runtime/ranks/Offload.h"
#include "lib/runtime/run/Executable.h"
#include "lib/runtime/run/Silence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace proa::runtime {
namespace {

bool matches(const Value &value, const Tensor &tensor) {
  if (tensor.dtype() != value.dtype || tensor.dims().size() != value.dims.size())
    return false;
  for (size_t axis = 0; axis < value.dims.size(); ++axis)
    if (value.dims[axis] != dynamicDim && value.dims[axis] != tensor.dims()[axis])
      return false;
  return true;
}

size_t bytesOf(const View &view) { return static_cast<size_t>(view.size()) * sizeOf(view.dtype); }

} // namespace

Session::Session(std::shared_ptr<const Executable> executable, std::shared_ptr<RunMemory> memory)
    : executable(std::move(executable)),
      frame(this->executable->layout, this->executable->device.get(), std::move(memory)),
      states(this->executable->stateCount), graphs(this->executable->graphs.size()),
      boundFeeds(this->executable->program.feeds.size()), fetched(this->executable->program.fetches.size()),
      areResident(this->executable->program.states.size()),
      areFed(this->executable->program.values.size(), true) {
  for (size_t i = 0; i < this->executable->program.states.size(); ++i)
    stateOf[this->executable->program.states[i].feed] = i;
  const Plan &plan = this->executable->program;
  for (size_t i = 0; i < fetched.size(); ++i)
    fetched[i].memory = &frame.runMemory().result(i);
  std::set<ValueId> placed;
  for (size_t i = 0; i < fetched.size(); ++i) {
    ValueId root = plan.fetches[i];
    while (plan.values[static_cast<size_t>(root)].storage == Storage::Alias)
      root = plan.values[static_cast<size_t>(root)].base;
    fetched[i].root = root;
    fetched[i].isPlaced =
        plan.values[static_cast<size_t>(root)].storage == Storage::Result && placed.insert(root).second;
  }
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<Executable> executable,
                                                 std::shared_ptr<RunMemory> memory) {
  if (!executable->ready && !executable->program.parameters.empty())
    return errorAt(executable->title, "its parameters are not bound");
  if (!executable->ready)
    if (Result<void> done = executable->bindParameters({}); !done)
      return done.diagnostics();
  std::unique_ptr<Session> session(new Session(std::move(executable), std::move(memory)));
  if (Result<void> done = session->frame.allocate(); !done)
    return session->executable->inProgram(done.diagnostics());
  return session;
}

Result<void> Session::bindFeeds(const NamedTensors &feeds) {
  const Plan &plan = executable->program;
  Diagnostics diagnostics;
  size_t used = 0;
  for (ValueId id : plan.feeds) {
    const Value &value = plan.values[static_cast<size_t>(id)];
    std::string where = executable->title + ": feed '" + value.name + "'";
    auto entry = feeds.find(value.name);
    areFed[static_cast<size_t>(id)] = entry != feeds.end();
    if (entry == feeds.end() && isResident(id))
      continue;
    if (entry == feeds.end()) {
      diagnostics.add(where, "is missing; expected " + executable->describe(id));
      continue;
    }
    ++used;
    if (!matches(value, entry->second))
      diagnostics.add(where, "is " + entry->second.describe() + "; expected " + executable->describe(id));
  }
  if (used != feeds.size())
    for (const auto &[name, tensor] : feeds) {
      bool known = std::any_of(plan.feeds.begin(), plan.feeds.end(),
                               [&](ValueId id) { return plan.values[static_cast<size_t>(id)].name == name; });
      if (!known)
        diagnostics.add(executable->title + ": feed '" + name + "'", "is not a feed of this program");
    }
  if (!diagnostics.empty())
    return diagnostics;
  for (size_t i = 0; i < plan.feeds.size(); ++i)
    if (auto entry = feeds.find(plan.values[static_cast<size_t>(plan.feeds[i])].name); entry != feeds.end())
      placeFeed(i, entry->second);
  return diagnostics;
}

Result<void> Session::bindFeeds(std::span<const Tensor> feeds) {
  const Plan &plan = executable->program;
  if (feeds.size() != plan.feeds.size())
    return errorAt(executable->title,
                   fmt::format("found {} feeds, expected {}", feeds.size(), plan.feeds.size()));
  Diagnostics diagnostics;
  for (size_t i = 0; i < feeds.size(); ++i)
    if (const Value &value = plan.values[static_cast<size_t>(plan.feeds[i])]; !matches(value, feeds[i]))
      diagnostics.add(executable->title + ": feed '" + value.name + "'",
                      "is " + feeds[i].describe() + "; expected " + executable->describe(plan.feeds[i]));
  if (!diagnostics.empty())
    return diagnostics;
  for (size_t i = 0; i < feeds.size(); ++i) {
    placeFeed(i, feeds[i]);
    areFed[static_cast<size_t>(plan.feeds[i])] = true;
  }
  return {};
}

bool Session::isResident(ValueId feed) const {
  auto found = stateOf.find(feed);
  return found != stateOf.end() && areResident[found->second];
}

/// Leaves out the copies of states that are on the device, or stay there.
void Session::placeStates() {
  const Plan &plan = executable->program;
  for (size_t i = 0; i < plan.states.size(); ++i) {
    const ResidentState &state = plan.states[i];
    bool isFed = areFed[static_cast<size_t>(state.feed)];
    frame.setCopied(state.current, isFed);
    Fetched &result = fetched[static_cast<size_t>(state.fetch)];
    result.stays = keepsStates;
    frame.setCopied(result.root, !keepsStates);
    areResident[i] = areResident[i] && !isFed;
  }
}

Result<void> Session::advanceStates() {
  if (!keepsStates || isSilent || executable->program.states.empty())
    return {};
  std::ranges::fill(areResident, true);
  return frame.advanceStates();
}

const ResidentState *Session::stateNamed(const std::string &name) const {
  const Plan &plan = executable->program;
  for (size_t i = 0; i < plan.states.size(); ++i)
    if (areResident[i] && plan.values[static_cast<size_t>(plan.states[i].feed)].name == name)
      return &plan.states[i];
  return nullptr;
}

const Value *Session::residentValue(const std::string &name) const {
  const ResidentState *state = stateNamed(name);
  return state ? &executable->program.values[static_cast<size_t>(state->feed)] : nullptr;
}

Result<Tensor> Session::residentState(const std::string &name) const {
  const ResidentState *state = stateNamed(name);
  if (!state)
    return errorAt(executable->title, "state '" + name + "' is not on the device");
  Result<Tensor> copy = frame.hostCopy(state->current);
  return copy ? copy : Result<Tensor>(executable->inProgram(copy.diagnostics()));
}

/// Gives a feed its bytes; those that a kernel reads are copied if their elements are not aligned.
void Session::placeFeed(size_t index, const Tensor &given) {
  ValueId id = executable->program.feeds[index];
  if (executable->mayAccess(given.dtype(), given.data()) ||
      !executable->readByKernel[static_cast<size_t>(id)]) {
    boundFeeds[index] = given;
  } else {
    boundFeeds[index] = Tensor(given.dtype(), given.dims());
    std::memcpy(boundFeeds[index].data(), given.data(), given.bytes());
  }
  frame.place(id, boundFeeds[index].data(), given.dims());
}

std::shared_ptr<void> Session::acquire(Fetched &result, const View &view) {
  std::span<std::byte> offered = result.offered;
  size_t bytes = bytesOf(view);
  bool isUsable = bytes != 0 && bytes == offered.size() && executable->mayAccess(view.dtype, offered.data());
  return isUsable ? std::shared_ptr<void>(std::shared_ptr<void>(), offered.data())
                  : result.memory->acquire(bytes);
}

void Session::placeFetched() {
  for (Fetched &result : fetched) {
    if (!result.isPlaced || result.stays)
      continue;
    const View &view = frame.view(result.root);
    result.current = acquire(result, view);
    frame.place(result.root, result.current.get(), view.dims);
  }
}

std::vector<Tensor> Session::fetch() {
  const Plan &plan = executable->program;
  std::map<ValueId, std::shared_ptr<void>> taken; // memory of dynamic values, which needs no copy
  std::vector<Tensor> results;
  for (size_t i = 0; i < fetched.size(); ++i) {
    if (fetched[i].stays) {
      results.emplace_back();
      continue;
    }
    const View &view = frame.view(plan.fetches[i]);
    std::vector<int64_t> dims(view.dims.begin(), view.dims.end());
    ValueId root = fetched[i].root;
    std::shared_ptr<void> memory = std::move(fetched[i].current);
    if (plan.values[static_cast<size_t>(root)].storage == Storage::Dynamic) {
      auto [entry, first] = taken.try_emplace(root);
      if (first)
        entry->second = frame.takeBuffer(root);
      // Control flow may have handed on the bytes of a feed, or the same bytes to two results.
      if (first && entry->second.use_count() > 1)
        entry->second.reset();
      memory = entry->second;
    }
    if (memory) {
      results.emplace_back(view.dtype, std::move(dims), view.data, std::move(memory));
      continue;
    }
    memory = acquire(fetched[i], view);
    if (bytesOf(view) != 0)
      std::memcpy(memory.get(), view.data, bytesOf(view));
    void *data = memory.get();
    results.emplace_back(view.dtype, std::move(dims), data, std::move(memory));
  }
  return results;
}

Result<std::vector<Tensor>> Session::run(const NamedTensors &feeds) { return runWith(feeds); }
Result<std::vector<Tensor>> Session::run(std::span<const Tensor> feeds) { return runWith(feeds); }

template <class Feeds> Result<std::vector<Tensor>> Session::runWith(const Feeds &feeds) {
  CpuScope cpu(executable->cpuFacts());
  RunScope scope;
  Result<std::vector<Tensor>> results = Diagnostics();
  try {
    results = runSteps(feeds);
  } catch (const std::bad_alloc &) {
    results = errorAt(executable->title, "no memory for the run");
  }
  if (!results && frame.sharedCommunicator())
    frame.sharedCommunicator()->fail(results.diagnostics());
  if (!results)
    frame.abandonDevice();
  frame.releaseAll();
  frame.runMemory().endRun();
  if (frame.sharedOffload())
    if (Result<void> ended = frame.sharedOffload()->endRun(static_cast<bool>(results)); !ended && results)
      results = executable->inProgram(ended.diagnostics());
  for (Tensor &feed : boundFeeds)
    feed = Tensor();
  for (Fetched &result : fetched)
    result.offered = {};
  return results;
}

void Session::setCommunicator(std::shared_ptr<Communicator> communicator) {
  comparesCollectives = communicator != nullptr;
  frame.setCommunicator(std::move(communicator));
}

/// Ends all ranks if their programs communicate in different ways, before the first one waits for another.
Result<void> Session::compareCollectives() {
  Communicator &communicator = *frame.sharedCommunicator();
  // Programs of ranks on different meshes (pipeline stages) may differ.
  std::map<std::vector<int64_t>, std::multimap<int64_t, std::string>> textsOfMesh;
  auto add = [&](auto &&add, const BoundSteps &steps) -> void {
    for (const BoundStep &step : steps) {
      std::optional<Agreement> agreement = step.library         ? step.library->agreement()
                                           : step.deviceLibrary ? step.deviceLibrary->agreement()
                                                                : std::nullopt;
      // Ranks may start them in other orders.
      if (agreement && std::ranges::find(agreement->ranks, communicator.rank()) != agreement->ranks.end())
        textsOfMesh[agreement->ranks].emplace(agreement->index,
                                              agreement->text + (step.step->isStart ? ", started\n" : "\n"));
      for (const BoundSteps &body : step.bodies)
        add(add, body);
    }
  };
  add(add, executable->steps);
  Operation operation{"the comparison of the collectives of " + executable->title, 1, /*isStart=*/true};
  for (const auto &[ranks, texts] : textsOfMesh) {
    std::string text;
    for (const auto &[index, own] : texts)
      text += own;
    if (Result<void> same = communicator.compare(operation, text, ranks); !same)
      return same;
  }
  return {};
}

Result<void> Session::runSilently(const NamedTensors &feeds) { return runSilentlyWith(feeds); }
Result<void> Session::runSilently(std::span<const Tensor> feeds) { return runSilentlyWith(feeds); }

template <class Feeds> Result<void> Session::runSilentlyWith(const Feeds &feeds) {
  Silence silence;
  std::shared_ptr<RandomGenerator> generator = frame.sharedGenerator();
  frame.setGenerator(std::make_shared<RandomGenerator>(*generator));
  if (frame.sharedOffload())
    frame.sharedOffload()->setSilent(true);
  isSilent = true;
  Result<std::vector<Tensor>> results = runWith(feeds);
  isSilent = false;
  if (frame.sharedOffload())
    frame.sharedOffload()->setSilent(false);
  frame.setGenerator(std::move(generator));
  return results ? Result<void>() : Result<void>(results.diagnostics());
}

/// Runs the steps, by graphs where there are graphs, unless each step is observed.
Result<void> Session::execute() {
  std::span<const BoundStep> steps = executable->steps;
  if (profile || executable->checksFinite || graphs.empty())
    return frame.execute(steps, states, profile);
  size_t done = 0;
  for (size_t i = 0; i < graphs.size(); ++i) {
    const GraphRange &range = executable->graphs[i];
    if (Result<void> ran = frame.execute(steps.subspan(done, range.begin - done), states, nullptr); !ran)
      return ran;
    if (Result<void> ran =
            frame.executeGraph(steps.subspan(range.begin, range.end - range.begin), states, graphs[i]);
        !ran)
      return ran;
    done = range.end;
  }
  return frame.execute(steps.subspan(done), states, nullptr);
}

template <class Feeds> Result<std::vector<Tensor>> Session::runSteps(const Feeds &feeds) {
  if (Result<void> done = bindFeeds(feeds); !done)
    return done.diagnostics();
  if (Result<void> done = frame.placeArena(); !done)
    return executable->inProgram(done.diagnostics());
  if (comparesCollectives)
    if (Result<void> done = compareCollectives(); !done)
      return executable->inProgram(done.diagnostics());
  comparesCollectives = false;
  // Parameters may have been replaced since the last run.
  executable->placeConstants(frame);
  placeStates();
  placeFetched();
  frame.setFiniteCheck(executable->checksFinite, executable->kernelDiagnosis);
  frame.setKernelInvoker(executable->kernelInvoker);
  ThreadTimesScope threadTimes(profile ? &profile->threadTimes() : nullptr);
  if (profile)
    profile->beginRun();
  if (Result<void> done = execute(); !done)
    return executable->inProgram(done.diagnostics());
  if (profile)
    if (Result<void> done = frame.takeDeviceTimes(*profile); !done)
      return executable->inProgram(done.diagnostics());
  for (ValueId id : executable->program.fetches)
    if (Result<void> fits = frame.checkFits(id); !fits)
      return executable->inProgram(fits.diagnostics());
  if (Result<void> done = advanceStates(); !done)
    return executable->inProgram(done.diagnostics());
  return fetch();
}

} // namespace proa::runtime
