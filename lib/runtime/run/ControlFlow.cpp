/// The control-flow steps of a frame: conditions and loops, and how values are handed on without copying
/// bytes.
#include "lib/runtime/run/Frame.h"

#include <cstring>
#include <utility>

namespace proa::runtime {

Result<bool> Frame::condition(ValueId id) const {
  const View &value = view(id);
  if (value.dtype != DType::Bool || value.size() != 1 || !value)
    return failure("the condition is {}, expected one bool", describe(value.dtype, value.dims));
  return *value.as<const bool>();
}

/// The value and a share in its memory. What lives in the arena is copied: a later step writes there.
Result<ArrayElement> Frame::share(ValueId id) {
  if (Result<void> fits = checkFits(id); !fits)
    return fits.diagnostics();
  const View &value = view(id);
  ArrayElement element{value.dtype, {value.dims.begin(), value.dims.end()}, value.data, {}};
  ValueId root = id;
  while (plan.values[static_cast<size_t>(root)].storage == Storage::Alias)
    root = plan.values[static_cast<size_t>(root)].base;
  Storage storage = plan.values[static_cast<size_t>(root)].storage;
  if (storage == Storage::Dynamic)
    element.buffer = buffers[static_cast<size_t>(root)];
  if (storage != Storage::Arena)
    return element;
  size_t bytes = static_cast<size_t>(value.size()) * sizeOf(value.dtype);
  element.buffer = poolOf(id).acquire(bytes);
  element.data = element.buffer.memory.get();
  if (!element.data)
    return noMemoryFor(plan.values[static_cast<size_t>(id)], value.dims);
  if (isOnDevice(id)) {
    if (Result<void> done = queue->copyOnDevice(element.data, value.data, bytes); !done)
      return done.diagnostics();
  } else {
    std::memcpy(element.data, value.data, bytes);
  }
  return element;
}

/// Makes a Dynamic value the tensor that the element holds.
Result<void> Frame::set(ValueId id, ArrayElement element) {
  auto i = static_cast<size_t>(id);
  const Value &value = plan.values[i];
  bool fits = value.dtype == element.dtype && value.dims.size() == element.dims.size();
  for (size_t axis = 0; fits && axis < element.dims.size(); ++axis)
    fits = value.dims[axis] == dynamicDim || value.dims[axis] == element.dims[axis];
  if (!fits)
    return failure("the value is {}, but the program declares {}", describe(element.dtype, element.dims),
                   describe(value.dtype, value.dims));
  poolOf(id).release(std::exchange(buffers[i], std::move(element.buffer)));
  place(id, element.data, element.dims);
  return {};
}

void Frame::release(ValueId id) {
  auto i = static_cast<size_t>(id);
  arrays[i].reset();
  poolOf(id).release(std::exchange(buffers[i], {}));
}

/// All values at once, so that two of them may change places.
Result<void> Frame::pass(std::span<const ValueId> from, std::span<const ValueId> dying,
                         std::span<const ValueId> to) {
  held.clear();
  for (size_t i = 0; i < from.size(); ++i) {
    Held &value = held.emplace_back();
    if (from[i] == to[i])
      continue;
    if (plan.values[static_cast<size_t>(from[i])].storage == Storage::Array) {
      value.array = arrays[static_cast<size_t>(from[i])];
      continue;
    }
    Result<ArrayElement> shared = share(from[i]);
    if (!shared)
      return shared.diagnostics();
    value.element = std::move(*shared);
  }
  for (ValueId id : dying)
    release(id);
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == to[i])
      continue;
    if (plan.values[static_cast<size_t>(to[i])].storage == Storage::Array)
      arrays[static_cast<size_t>(to[i])] = std::move(held[i].array);
    else if (Result<void> done = set(to[i], std::move(held[i].element)); !done)
      return done;
  }
  held.clear();
  return {};
}

Result<void> Frame::runIf(const BoundStep &bound, States states, Profile *profile) {
  const Step &step = *bound.step;
  Result<bool> holds = condition(step.inputs.front());
  if (!holds)
    return holds.diagnostics();
  size_t taken = *holds ? 0 : 1;
  if (Result<void> done = execute(bound.bodies[taken], states, profile); !done)
    return done;
  return pass(step.bodies[taken].results, step.bodies[taken].release, step.outputs);
}

Result<void> Frame::runWhile(const BoundStep &bound, States states, Profile *profile) {
  const Step &step = *bound.step;
  const Body &test = step.bodies[0], &body = step.bodies[1];
  std::span<const ValueId> flowing = std::span(test.results).subspan(1);
  if (Result<void> done = pass(step.inputs, {}, test.arguments); !done)
    return done;
  auto inIteration = [](Result<void> done, int64_t iteration) -> Result<void> {
    Diagnostics diagnostics;
    for (Diagnostic p : done.diagnostics()) {
      p.message += fmt::format(" (in iteration {} of the loop)", iteration);
      diagnostics.add(std::move(p));
    }
    return diagnostics;
  };
  for (int64_t iteration = 0;; ++iteration) {
    if (Result<void> done = execute(bound.bodies[0], states, profile); !done)
      return inIteration(done, iteration);
    Result<bool> goesOn = condition(test.results.front());
    if (!goesOn)
      return goesOn.diagnostics();
    if (!*goesOn)
      break;
    if (Result<void> done = pass(flowing, test.release, body.arguments); !done)
      return done;
    if (Result<void> done = execute(bound.bodies[1], states, profile); !done)
      return inIteration(done, iteration);
    if (Result<void> done = pass(body.results, body.release, test.arguments); !done)
      return done;
  }
  Result<void> done = pass(flowing, test.release, step.outputs);
  for (const auto *arguments : {&test.arguments, &body.arguments})
    for (ValueId id : *arguments)
      release(id);
  return done;
}

} // namespace proa::runtime
