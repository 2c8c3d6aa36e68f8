#include "lib/compiler/planner/PlaceOnDevice.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace proa::planner {
namespace {

using namespace runtime;

size_t index(ValueId id) { return static_cast<size_t>(id); }

/// Chooses the memory of each value: Plan::values[].memory.
class MemoryChoice {
public:
  explicit MemoryChoice(Plan &plan)
      : plan(plan), isRead(plan.values.size(), false), isDevice(plan.values.size(), false) {}

  void run() {
    for (const auto *steps : {&plan.prepare, &plan.steps})
      forEachStep(*steps, [&](const Step &step) { visit(step); });
    for (bool changes = true; changes;) {
      changes = false;
      for (Flow &flow : flows)
        changes |= update(flow);
    }
    // A base comes before its aliases.
    for (size_t i = 0; i < plan.values.size(); ++i) {
      Value &value = plan.values[i];
      value.memory = value.storage == Storage::Alias ? plan.values[index(value.base)].memory
                     : isDevice[i]                   ? Memory::Device
                                                     : Memory::Host;
    }
  }

private:
  /// A value that control flow passes on: the names it has, and the values that it comes from.
  struct Flow {
    std::vector<ValueId> members, sources;
    bool isDevice = false;
  };

  Plan &plan;
  std::vector<bool> isRead; ///< by root: a device step reads it
  std::vector<bool> isDevice;
  std::vector<Flow> flows;

  ValueId rootOf(ValueId id) const {
    while (plan.values[index(id)].storage == Storage::Alias)
      id = plan.values[index(id)].base;
    return id;
  }

  void visit(const Step &step) {
    if (step.isOnDevice()) {
      for (ValueId id : step.inputs)
        if (id != none)
          isRead[index(rootOf(id))] = true;
      for (ValueId id : step.outputs)
        if (id != none)
          isDevice[index(id)] = true;
    }
    if (step.kind == StepKind::If)
      for (size_t i = 0; i < step.outputs.size(); ++i)
        addFlow({{step.outputs[i]}, {step.bodies[0].results[i], step.bodies[1].results[i]}});
    if (step.kind == StepKind::While)
      for (size_t i = 0; i < step.outputs.size(); ++i)
        addFlow({{step.bodies[1].arguments[i], step.outputs[i]}, {step.bodies[0].results[i + 1]}});
    if (step.kind == StepKind::While)
      for (size_t i = 0; i < step.inputs.size(); ++i)
        addFlow({{step.bodies[0].arguments[i]}, {step.inputs[i], step.bodies[1].results[i]}});
  }

  void addFlow(Flow flow) {
    if (plan.values[index(flow.members.front())].storage != Storage::Array)
      flows.push_back(std::move(flow));
  }

  bool update(Flow &flow) {
    auto any = [&](const std::vector<ValueId> &ids, const std::vector<bool> &property) {
      return std::ranges::any_of(ids, [&](ValueId id) { return property[index(rootOf(id))]; });
    };
    if (flow.isDevice ||
        (!any(flow.members, isRead) && !any(flow.members, isDevice) && !any(flow.sources, isDevice)))
      return false;
    flow.isDevice = true;
    for (ValueId id : flow.members)
      isDevice[index(id)] = true;
    // The sources are better on the device too.
    for (ValueId id : flow.sources)
      isRead[index(rootOf(id))] = true;
    return true;
  }
};

/// Adds the copies and waits.
class CopyInsertion {
public:
  explicit CopyInsertion(Plan &plan) : plan(plan) {
    isComputed.assign(plan.values.size(), false);
    for (const auto *steps : {&plan.prepare, &plan.steps})
      forEachStep(*steps, [&](const Step &step) {
        for (ValueId id : step.outputs)
          if (id != none)
            isComputed[index(id)] = true;
      });
  }

  void run() {
    std::vector<Step> prepare, steps;
    scopes.emplace_back(prepare);
    add(plan.prepare);
    scopes.emplace_back(steps);
    for (ValueId id : plan.feeds)
      define(id);
    add(plan.steps);
    for (ValueId &id : plan.fetches)
      id = inMemory(Memory::Host, id, "");
    for (; !scopes.empty(); scopes.pop_back())
      wait();
    plan.prepare = std::move(prepare);
    plan.steps = std::move(steps);
  }

private:
  /// A list of steps that is being written.
  struct Scope {
    explicit Scope(std::vector<Step> &steps) : steps(&steps) {}
    std::vector<Step> *steps;
    std::set<ValueId> defined;         ///< values of this list
    std::map<ValueId, ValueId> copies; ///< of these values, in the other memory
    std::set<ValueId> awaited;         ///< copies on the host that need a wait
    size_t feedCopies = 0;             ///< copies of feeds, at the beginning of the list
  };

  Plan &plan;
  std::vector<bool> isComputed; ///< by value: a step writes it
  std::vector<Scope> scopes;    ///< of Plan::prepare, of Plan::steps, of bodies

  void define(ValueId id) { scopes.back().defined.insert(id); }

  ValueId rootOf(ValueId id) const {
    while (plan.values[index(id)].storage == Storage::Alias)
      id = plan.values[index(id)].base;
    return id;
  }

  /// The scope of the list that defines a value. Parameters and constants belong to Plan::prepare.
  Scope &scopeOf(ValueId id) {
    for (size_t i = scopes.size(); i-- > 0;)
      if (scopes[i].defined.contains(id))
        return scopes[i];
    return scopes.front();
  }

  void addWait(Scope &scope) {
    Step step;
    step.kind = StepKind::Wait;
    step.symbol = step.label = "wait";
    scope.steps->push_back(std::move(step));
    scope.awaited.clear();
  }

  /// Waits if any copy of the current list needs it.
  void wait() {
    if (!scopes.back().awaited.empty())
      addWait(scopes.back());
  }

  ValueId addValue(Value value) {
    plan.values.push_back(std::move(value));
    isComputed.push_back(false);
    return static_cast<ValueId>(plan.values.size() - 1);
  }

  ValueId inMemory(Memory memory, ValueId id, const std::string &location) {
    return plan.values[index(id)].memory == memory ? id : copyOf(id, location);
  }

  /// The value in the other memory.
  ValueId copyOf(ValueId id, const std::string &location) {
    for (const Scope &scope : scopes)
      if (auto found = scope.copies.find(id); found != scope.copies.end())
        return found->second;
    Value value = plan.values[index(id)];
    bool isFollower = value.storage == Storage::Alias && !isComputed[index(id)];
    Memory memory = value.memory == Memory::Host ? Memory::Device : Memory::Host;
    ValueId root = rootOf(id);
    if (isFollower) {
      value.base = copyOf(value.base, location);
      value.memory = memory;
      ValueId alias = addValue(std::move(value));
      scopeOf(root).copies[id] = alias;
      return alias;
    }
    Scope &scope = scopeOf(isComputed[index(id)] ? id : root);
    bool isPrepared = &scope == &scopes.front();
    bool isStatic = std::ranges::find(value.dims, dynamicDim) == value.dims.end();
    ValueId copy = addValue({value.dtype, value.dims,
                             isPrepared ? Storage::Prepared
                             : isStatic ? Storage::Arena
                                        : Storage::Dynamic,
                             0, none, value.name, memory});
    addCopyStep(scope, id, copy, location);
    scope.copies[id] = copy;
    return copy;
  }

  void addCopyStep(Scope &scope, ValueId from, ValueId to, const std::string &location) {
    const Value &value = plan.values[index(to)];
    bool toHost = value.memory == Memory::Host;
    Step step;
    step.kind = StepKind::Copy;
    step.symbol = toHost ? "copy_to_host" : "copy_to_device";
    step.label = value.name;
    step.location = location;
    step.inputs = {from};
    step.outputs = {to};
    isComputed[index(to)] = true;
    // Feeds are copied first, so that the steps on the device follow each other: they are recorded as a
    // graph.
    bool isFeed = !toHost && plan.values[index(from)].storage == Storage::Feed;
    auto position =
        scope.steps->begin() + static_cast<ptrdiff_t>(isFeed ? scope.feedCopies++ : scope.steps->size());
    scope.steps->insert(position, std::move(step));
    scope.defined.insert(to);
    if (!toHost)
      return;
    scope.awaited.insert(to);
    // The list is outside of the body that needs the value. Plan::prepare waits at its end.
    if (&scope != &scopes.back() && &scope != &scopes.front())
      addWait(scope);
  }

  void add(const std::vector<Step> &steps) {
    for (const Step &step : steps)
      add(step);
  }

  void add(Step step) {
    if (step.kind == StepKind::If || step.kind == StepKind::While)
      addControlFlow(step);
    else
      moveInputs(step);
    for (ValueId id : step.outputs)
      if (id != none)
        define(id);
    scopes.back().steps->push_back(std::move(step));
  }

  /// Copies of the inputs that are in the other memory. A step that writes an alias of its first input reads
  /// only the dims of that.
  void moveInputs(Step &step) {
    bool isAlias = step.kind == StepKind::Library && !step.isOnDevice() && !step.inputs.empty() &&
                   step.outputs.size() == 1 && step.outputs[0] != none &&
                   plan.values[index(step.outputs[0])].storage == Storage::Alias;
    Memory memory = step.isOnDevice() ? Memory::Device : Memory::Host;
    if (step.isWait()) // keeps the operands of the step that was started, where that reads them
      memory = memoryOf(step.inputs[0]);
    bool needsWait = false;
    for (size_t i = isAlias ? 1 : 0; i < step.inputs.size(); ++i) {
      ValueId &id = step.inputs[i];
      if (id == none)
        continue;
      id = inMemory(memory, id, step.location);
      needsWait |= scopes.back().awaited.contains(rootOf(id));
    }
    if (needsWait)
      wait();
  }

  void addControlFlow(Step &step) {
    bool isLoop = step.kind == StepKind::While;
    if (isLoop)
      for (size_t i = 0; i < step.inputs.size(); ++i)
        step.inputs[i] = inMemory(memoryOf(step.bodies[0].arguments[i]), step.inputs[i], step.location);
    else
      step.inputs[0] = inMemory(Memory::Host, step.inputs[0], step.location);
    wait();
    for (size_t i = 0; i < step.bodies.size(); ++i) {
      std::vector<Memory> results;
      if (isLoop && i == 0)
        results.push_back(Memory::Host); // the condition
      for (ValueId id : isLoop &&i == 1 ? step.bodies[0].arguments : step.outputs)
        results.push_back(memoryOf(id));
      addBody(step.bodies[i], results, step.location);
    }
  }

  void addBody(Body &body, const std::vector<Memory> &results, const std::string &location) {
    std::vector<Step> steps;
    scopes.emplace_back(steps);
    for (ValueId id : body.arguments)
      define(id);
    add(body.steps);
    for (size_t i = 0; i < results.size(); ++i)
      body.results[i] = inMemory(results[i], body.results[i], location);
    wait();
    scopes.pop_back();
    body.steps = std::move(steps);
  }

  Memory memoryOf(ValueId id) const { return plan.values[index(id)].memory; }
};

} // namespace

void placeOnDevice(Plan &plan) {
  bool hasDeviceSteps = false;
  for (const auto *steps : {&plan.prepare, &plan.steps})
    forEachStep(*steps, [&](const Step &step) { hasDeviceSteps |= step.isOnDevice(); });
  if (!hasDeviceSteps)
    return;
  MemoryChoice(plan).run();
  CopyInsertion(plan).run();
}

} // namespace proa::planner
