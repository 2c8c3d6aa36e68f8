//! Steps of a frame that run on a device, and the memory of the device.
#include "lib/runtime/run/Frame.h"
#include "lib/runtime/run/KernelServices.h"
#include "lib/runtime/run/Profile.h"

#include <algorithm>
#include <functional>

namespace proa::runtime {
namespace {

int64_t bytesOf(const Value &value) {
  return elementCount(value.dims).value_or(0) * static_cast<int64_t>(sizeOf(value.dtype));
}

/// "conv2d_0.tmp_0 float32[8, 64] (2048 bytes)" of the largest values with static dims.
std::string largestValues(const Plan &plan) {
  constexpr size_t listed = 5;
  std::vector<const Value *> values;
  for (const Value &value : plan.values)
    if (value.memory == Memory::Device &&
        (value.storage == Storage::Arena || value.storage == Storage::Prepared))
      values.push_back(&value);
  std::ranges::sort(values, std::greater<>(), [](const Value *v) { return std::pair(bytesOf(*v), v); });
  std::string text;
  for (const Value *value : std::span(values).first(std::min(listed, values.size())))
    text += fmt::format("{}{}{}{} ({} bytes)", text.empty() ? "" : ", ", value->name,
                        value->name.empty() ? "" : " ", describe(value->dtype, value->dims), bytesOf(*value));
  return text;
}

} // namespace

std::string deviceMemoryText(const Plan &plan, const std::string &what, Device &device) {
  int64_t constantBytes = 0;
  for (const Value &value : plan.values)
    if (value.storage == Storage::Prepared && value.memory == Memory::Device)
      constantBytes += bytesOf(value);
  std::string text =
      fmt::format("no memory on {} for {} ({}); the program needs {} bytes for parameters and "
                  "constants, and {} bytes for values of static dims",
                  device.name(), what, device.memoryText(), constantBytes, plan.deviceArenaBytes);
  std::string largest = largestValues(plan);
  return largest.empty() ? text : text + ", of which the largest are " + largest;
}

Result<std::shared_ptr<void>> Frame::allocateOnDevice(size_t bytes) {
  if (!queue) {
    if (!device)
      return failure("the program needs a device");
    Result<std::unique_ptr<DeviceQueue>> created = device->createQueue();
    if (!created)
      return created.diagnostics();
    queue = std::move(*created);
  }
  return queue->allocate(std::max<size_t>(1, bytes));
}

Result<void> Frame::allocateDeviceArena() {
  if (!usesDevice(plan))
    return {};
  Result<std::shared_ptr<void>> memory = allocateOnDevice(static_cast<size_t>(plan.deviceArenaBytes));
  if (!memory && queue)
    return failure("{}: {}", deviceMemoryText(plan, fmt::format("{} bytes", plan.deviceArenaBytes), *device),
                   memory.diagnostics()[0].message);
  if (!memory)
    return memory.diagnostics();
  deviceArena = std::move(*memory);
  return {};
}

Diagnostics Frame::noMemoryFor(const Value &value, std::span<const int64_t> dims) const {
  std::string what = describe(value.dtype, dims);
  if (value.memory == Memory::Host)
    return failure("no memory for {}", what);
  return failure("{}", deviceMemoryText(plan, what, *device));
}

Result<void> Frame::launchKernel(const BoundStep &bound, int64_t rows) {
  if (rows == 0)
    return {};
  size_t nextBuffer = 0, nextDim = 0;
  parameters.clear();
  for (char parameter : bound.step->launch.parameters)
    parameters.push_back(parameter == 'p' ? reinterpret_cast<uint64_t>(pointers[nextBuffer++])
                                          : static_cast<uint64_t>(kernelDims[nextDim++]));
  queue->enter(*bound.step);
  return queue->launch(bound.deviceKernel, rows, parameters);
}

Diagnostics refusal(std::string message) {
  Diagnostics diagnostics;
  diagnostics.add(Diagnostic{.message = std::move(message), .code = libraryRefusal});
  return diagnostics;
}

bool isRefusal(const Diagnostics &diagnostics) {
  return std::ranges::any_of(diagnostics, [](const Diagnostic &p) { return p.code == libraryRefusal; });
}

Result<void> Frame::runDeviceLibrary(const BoundStep &bound) {
  if (refused.contains(bound.index))
    return runOnHost(bound);
  std::vector<View> inputs, outputs(bound.step->outputs.size());
  inputs.reserve(bound.step->inputs.size());
  for (ValueId id : bound.step->inputs)
    inputs.push_back(id == none ? View() : view(id));
  Result<std::vector<std::vector<int64_t>>> dims =
      bound.deviceLibrary->outputDims(inputs, communicator.get());
  if (!dims)
    return dims.diagnostics();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (bound.step->outputs[i] == none)
      continue;
    Result<View> output = provide(bound.step->outputs[i], (*dims)[i]);
    if (!output)
      return output.diagnostics();
    outputs[i] = *output;
  }
  queue->enter(*bound.step);
  std::unique_ptr<StartedWork> *work = bound.step->isStart ? &started[bound.step->outputs[0]] : nullptr;
  Result<void> done = bound.deviceLibrary->run({*queue, inputs, outputs, communicator.get(), work});
  return !done && isRefusal(done.diagnostics()) && bound.createOnHost ? runOnHost(bound) : done;
}

Result<void> Frame::executeGraph(std::span<const BoundStep> steps, States states, RecordedGraph &recorded) {
  std::vector<const void *> addresses;
  for (const BoundStep &bound : steps)
    for (const auto *ids : {&bound.step->inputs, &bound.step->outputs})
      for (ValueId id : *ids)
        addresses.push_back(id == none ? nullptr : view(id).data);
  bool isSame = recorded.addresses == addresses;
  if (isSame && recorded.graph) {
    for (const BoundStep &bound : steps)
      if (!bound.step->checks.empty())
        unchecked.push_back(&bound);
    queue->enter(*steps.front().step);
    return queue->launch(*recorded.graph);
  }
  recorded.graph = nullptr;
  recorded.addresses = std::move(addresses);
  bool needsHost =
      std::ranges::any_of(steps, [&](const BoundStep &bound) { return refused.contains(bound.index); });
  if (!isSame || needsHost)
    return execute(steps, states, nullptr);
  auto named = [&](const Result<void> &done) -> Result<void> {
    return done ? done
                : Result<void>(
                      errorAt("", fmt::format("{} (a CUDA graph of {} steps from {} on; PROA_CUDA_GRAPHS=off "
                                              "runs them one after the other)",
                                              done.diagnostics()[0].message, steps.size(),
                                              locationOf(*steps.front().step))));
  };
  if (Result<void> begun = queue->beginGraph(); !begun)
    return named(begun);
  Result<void> done = execute(steps, states, nullptr);
  Result<std::shared_ptr<DeviceGraph>> graph = queue->endGraph();
  if (!done)
    return done;
  if (!graph)
    return named(graph.diagnostics());
  recorded.graph = std::move(*graph);
  return named(queue->launch(*recorded.graph));
}

double Frame::bytesOf(const Step &step) const {
  double bytes = 0;
  for (const auto *ids : {&step.inputs, &step.outputs})
    for (ValueId id : *ids)
      if (id != none && plan.values[static_cast<size_t>(id)].storage != Storage::Array)
        bytes += static_cast<double>(view(id).size()) * static_cast<double>(sizeOf(view(id).dtype));
  return bytes;
}

/// Runs a step between two marks of the device.
Result<void> Frame::runTimed(const BoundStep &bound, States states, Profile &profile) {
  if (!queue)
    return runStep(bound, states, &profile);
  Result<size_t> begin = queue->mark();
  if (!begin)
    return begin.diagnostics();
  if (Result<void> done = runStep(bound, states, &profile); !done)
    return done;
  if (refused.contains(bound.index))
    profile.noteRefusal(bound.index);
  Result<size_t> end = queue->mark();
  if (!end)
    return end.diagnostics();
  deviceTimes.push_back({bound.index, *begin, *end, bytesOf(*bound.step)});
  return {};
}

Result<void> Frame::takeDeviceTimes(Profile &profile) {
  if (Result<void> done = deviceTimes.empty() ? Result<void>() : waitForDevice(); !done)
    return done;
  for (const DeviceTime &time : deviceTimes) {
    Result<double> before = queue->nanosecondsBetween(deviceTimes.front().begin, time.begin),
                   length = queue->nanosecondsBetween(time.begin, time.end);
    if (!before || !length)
      return (before ? length : before).diagnostics();
    profile.addOnDevice(time.step, static_cast<int64_t>(*before), static_cast<int64_t>(*length), time.bytes);
  }
  deviceTimes.clear();
  if (queue)
    queue->dropMarks();
  return {};
}

Result<void> Frame::runCopy(const Step &step) {
  if (isLeftOut[static_cast<size_t>(step.outputs[0])])
    return {};
  const View &from = view(step.inputs[0]);
  Result<View> to = provide(step.outputs[0], from.dims);
  if (!to)
    return to.diagnostics();
  size_t bytes = static_cast<size_t>(from.size()) * sizeOf(from.dtype);
  if (bytes == 0)
    return {};
  queue->enter(step);
  return isOnDevice(step.outputs[0]) ? queue->copyToDevice(to->data, from.data, bytes)
                                     : queue->copyToHost(to->data, from.data, bytes);
}

Result<void> Frame::advanceStates() {
  for (const ResidentState &state : plan.states) {
    const View &next = view(state.next);
    size_t bytes = static_cast<size_t>(next.size()) * sizeOf(next.dtype);
    if (bytes == 0)
      continue;
    if (Result<void> done = queue->copyOnDevice(view(state.current).data, next.data, bytes); !done)
      return done;
  }
  return {};
}

Result<Tensor> Frame::hostCopy(ValueId id) const {
  const View &source = view(id);
  Tensor copy(source.dtype, std::vector<int64_t>(source.dims.begin(), source.dims.end()));
  if (copy.bytes() == 0)
    return copy;
  if (Result<void> done = queue->copyToHost(copy.data(), source.data, copy.bytes()); !done)
    return done.diagnostics();
  if (Result<void> done = queue->wait(); !done)
    return done.diagnostics();
  return copy;
}

} // namespace proa::runtime
