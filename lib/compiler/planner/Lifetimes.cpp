#include "lib/compiler/planner/Lifetimes.h"
#include "lib/compiler/planner/MemoryPlan.h"

#include <algorithm>
#include <map>
#include <set>

namespace proa::planner {
namespace {

using namespace runtime;

/// Steps get numbers in the order of forEachStep; a control-flow step ends after all that is in it.
struct Span {
  int64_t begin = 0, end = 0;
};

class Placement {
public:
  Placement(Plan &plan, const Accumulators &accumulators) : plan(plan), accumulators(accumulators) {
    defined.assign(plan.values.size(), -1);
    last.assign(plan.values.size(), -1);
  }

  void run() {
    number(plan.steps);
    std::vector<Span> loops;
    findUses(plan.steps, loops);
    for (ValueId id : plan.fetches)
      if (Value &root = plan.values[index(rootOf(id))]; root.storage == Storage::Arena)
        root.storage = Storage::Result;
    keepStates();
    placeArena(Memory::Host, plan.arenaBytes);
    placeArena(Memory::Device, plan.deviceArenaBytes);
    std::set<ValueId> kept;
    for (ValueId id : plan.fetches)
      kept.insert(rootOf(id));
    release(plan.steps, {}, kept);
  }

private:
  static size_t index(ValueId id) { return static_cast<size_t>(id); }

  ValueId rootOf(ValueId id) const {
    while (plan.values[index(id)].storage == Storage::Alias)
      id = plan.values[index(id)].base;
    return id;
  }

  void number(const std::vector<Step> &steps) {
    for (const Step &step : steps) {
      Span &span = spans[&step];
      span.begin = next++;
      for (const Body &body : step.bodies) {
        for (ValueId id : body.arguments)
          defined[index(id)] = span.begin;
        number(body.steps);
        ++next; // where the results are taken
      }
      span.end = step.bodies.empty() ? span.begin : next++;
      for (ValueId id : step.outputs)
        if (id != none)
          defined[index(id)] = span.end;
    }
  }

  /// A value that is defined before a loop and used in it lives until the loop ends.
  void use(ValueId id, int64_t position, const std::vector<Span> &loops) {
    if (id == none)
      return;
    ValueId root = rootOf(id);
    for (const Span &loop : loops)
      if (defined[index(root)] < loop.begin) {
        position = loop.end;
        break;
      }
    last[index(root)] = std::max(last[index(root)], position);
  }

  void findUses(const std::vector<Step> &steps, std::vector<Span> &loops) {
    for (const Step &step : steps) {
      Span span = spans[&step];
      for (ValueId id : step.inputs)
        use(id, span.begin, loops);
      for (ValueId id : step.outputs)
        use(id, span.end, loops);
      if (step.kind == StepKind::While)
        loops.push_back(span);
      for (const Body &body : step.bodies) {
        findUses(body.steps, loops);
        int64_t taken = body.steps.empty() ? span.begin : spans[&body.steps.back()].end + 1;
        for (ValueId id : body.results)
          use(id, taken, loops);
      }
      if (step.kind == StepKind::While)
        loops.pop_back();
    }
  }

  /// A run reads the state that is there before it; the new value is copied after it.
  void keepStates() {
    for (const ResidentState &state : plan.states) {
      persistent.insert(state.current);
      for (ValueId id : {state.current, rootOf(state.next)})
        last[index(id)] = next;
    }
  }

  /// The accumulator of a step's result, if its memory can become the result's: it lives in the arena, has
  /// the same size, dies here, and is not another input of the step. The runtime adds in place then.
  ValueId accumulatorToReuse(const Step &step) const {
    auto found = step.outputs.size() == 1 ? accumulators.find(step.outputs[0]) : accumulators.end();
    if (found == accumulators.end())
      return none;
    ValueId root = rootOf(found->second);
    const Value &from = plan.values[index(root)], &to = plan.values[index(step.outputs[0])];
    bool dies = from.storage == Storage::Arena && last[index(root)] == spans.at(&step).begin;
    bool same = from.memory == to.memory && from.dtype == to.dtype &&
                elementCount(from.dims) == elementCount(to.dims);
    auto uses =
        std::ranges::count_if(step.inputs, [&](ValueId id) { return id != none && rootOf(id) == root; });
    return dies && same && uses == 1 && to.storage == Storage::Arena ? root : none;
  }

  /// Sets the offsets in the arena of one memory.
  void placeArena(Memory memory, int64_t &arenaBytes) {
    std::vector<Lifetime> lifetimes;
    std::vector<std::pair<ValueId, size_t>> owners;
    std::vector<size_t> bufferOf(plan.values.size(), 0);
    forEachStep(plan.steps, [&](const Step &step) {
      ValueId reused = accumulatorToReuse(step);
      for (ValueId id : step.outputs) {
        if (id == none || plan.values[index(id)].storage != Storage::Arena ||
            plan.values[index(id)].memory != memory)
          continue;
        if (reused != none) {
          bufferOf[index(id)] = bufferOf[index(reused)];
          lifetimes[bufferOf[index(id)]].last = last[index(id)];
        } else {
          int64_t count = elementCount(plan.values[index(id)].dims).value_or(0);
          bufferOf[index(id)] = lifetimes.size();
          lifetimes.push_back({count * static_cast<int64_t>(sizeOf(plan.values[index(id)].dtype)),
                               persistent.contains(id) ? 0 : spans[&step].begin, last[index(id)]});
        }
        owners.emplace_back(id, bufferOf[index(id)]);
      }
    });
    MemoryPlan planned = planMemory(lifetimes, addressAlignment);
    for (auto [id, buffer] : owners)
      plan.values[index(id)].offset = planned.offsets[buffer];
    arenaBytes = planned.bytes;
  }

  /// The roots that a step touches, with all that is in it.
  void touch(const Step &step, std::set<ValueId> &roots) const {
    auto add = [&](const std::vector<ValueId> &ids) {
      for (ValueId id : ids)
        if (id != none)
          roots.insert(rootOf(id));
    };
    add(step.inputs);
    add(step.outputs);
    for (const Body &body : step.bodies) {
      add(body.results);
      for (const Step &inner : body.steps)
        touch(inner, roots);
    }
  }

  /// Lets each value that this list defines, and `arguments`, die after the last step of the list that
  /// touches it; returns those in `kept` that it defines.
  std::vector<ValueId> release(std::vector<Step> &steps, const std::vector<ValueId> &arguments,
                               const std::set<ValueId> &kept) {
    std::set<ValueId> own(arguments.begin(), arguments.end());
    std::map<ValueId, size_t> lastStep;
    for (size_t i = 0; i < steps.size(); ++i) {
      std::set<ValueId> touched;
      touch(steps[i], touched);
      for (ValueId id : touched)
        lastStep[id] = i;
      for (ValueId id : steps[i].outputs)
        if (id != none)
          own.insert(rootOf(id) == id ? id : none);
      releaseInBodies(steps[i]);
    }
    std::vector<ValueId> left;
    for (ValueId id : own) {
      if (id == none || (plan.values[index(id)].storage != Storage::Dynamic &&
                         plan.values[index(id)].storage != Storage::Array))
        continue;
      auto found = lastStep.find(id);
      if (kept.contains(id))
        left.push_back(id);
      else if (found != lastStep.end())
        steps[found->second].release.push_back(id);
    }
    return left;
  }

  void releaseInBodies(Step &step) {
    for (size_t i = 0; i < step.bodies.size(); ++i) {
      Body &body = step.bodies[i];
      std::set<ValueId> kept;
      for (ValueId id : body.results)
        kept.insert(rootOf(id));
      std::vector<ValueId> arguments = body.arguments;
      // An argument of the test that the body has too dies there.
      if (step.kind == StepKind::While && i == 0)
        std::erase_if(arguments, [&](ValueId id) {
          return std::find(step.bodies[1].arguments.begin(), step.bodies[1].arguments.end(), id) !=
                 step.bodies[1].arguments.end();
        });
      body.release = release(body.steps, arguments, kept);
    }
  }

  Plan &plan;
  const Accumulators &accumulators;
  std::map<const Step *, Span> spans;
  std::vector<int64_t> defined; ///< by value: the number of the step that writes it
  std::vector<int64_t> last;    ///< by root: the number of the last step that needs it
  std::set<ValueId> persistent; ///< they have memory of their own in all steps
  int64_t next = 0;
};

} // namespace

void placeValues(Plan &plan, const Accumulators &accumulators) { Placement(plan, accumulators).run(); }

} // namespace proa::planner
