#include "lib/compiler/planner/ResidentStates.h"

#include <algorithm>
#include <map>
#include <set>

namespace proa::planner {
namespace {

using namespace runtime;

class StateFinder {
public:
  explicit StateFinder(const Plan &plan) : plan(plan) {
    forEachStep(plan.steps, [&](const Step &step) {
      for (ValueId id : step.inputs)
        countUse(id);
      for (const Body &body : step.bodies)
        for (ValueId id : body.results)
          countUse(id);
    });
    for (ValueId id : plan.fetches)
      countUse(id);
    for (const Step &step : plan.steps)
      if (step.kind == StepKind::Copy) {
        copyOf.emplace(step.inputs[0], step.outputs[0]);
        sourceOf.emplace(step.outputs[0], step.inputs[0]);
      }
  }

  /// Whether the host only copies the state; fills in its values on the device.
  bool complete(ResidentState &state) const {
    ValueId fetched = plan.fetches[static_cast<size_t>(state.fetch)], result = rootOf(fetched);
    auto in = copyOf.find(state.feed);
    auto out = sourceOf.find(result);
    if (in == copyOf.end() || out == sourceOf.end() || uses.at(state.feed) != 1 || uses.at(result) != 1 ||
        !isSame(state.feed, fetched) || !isSame(state.feed, out->second))
      return false;
    state.current = in->second;
    state.next = out->second;
    return isInArena(state.current) && isInArena(rootOf(state.next));
  }

  ValueId rootOf(ValueId id) const {
    while (plan.values[static_cast<size_t>(id)].storage == Storage::Alias)
      id = plan.values[static_cast<size_t>(id)].base;
    return id;
  }

private:
  const Plan &plan;
  std::map<ValueId, size_t> uses;              ///< by root, also as fetches
  std::map<ValueId, ValueId> copyOf, sourceOf; ///< of steps outside of bodies

  void countUse(ValueId id) {
    if (id != none)
      ++uses[rootOf(id)];
  }

  bool isSame(ValueId a, ValueId b) const {
    const Value &x = plan.values[static_cast<size_t>(a)], &y = plan.values[static_cast<size_t>(b)];
    return x.dtype == y.dtype && elementCount(x.dims) && elementCount(x.dims) == elementCount(y.dims) &&
           std::ranges::find(x.dims, dynamicDim) == x.dims.end();
  }

  bool isInArena(ValueId id) const {
    const Value &value = plan.values[static_cast<size_t>(id)];
    return value.storage == Storage::Arena && value.memory == Memory::Device;
  }
};

} // namespace

void completeStates(Plan &plan) {
  StateFinder finder(plan);
  std::erase_if(plan.states, [&](ResidentState &state) { return !finder.complete(state); });
  // The new values are copied over the current ones, in any order.
  std::set<ValueId> current;
  for (const ResidentState &state : plan.states)
    current.insert(state.current);
  std::erase_if(plan.states,
                [&](const ResidentState &state) { return current.contains(finder.rootOf(state.next)); });
}

} // namespace proa::planner
