//! Steps of a frame that run on a device, and the memory of the device.
#include "lib/runtime/Frame.h"

#include <algorithm>
#include <functional>

namespace proa::runtime {
namespace {

int64_t bytesOf(const Value &value) {
  return elementCount(value.dims).value_or(0) * static_cast<int64_t>(sizeOf(value.dtype));
}

/// "conv2d_0.tmp_0 float32[8, 64] (2048 bytes)" of the largest values in the arena.
std::string largestValues(const Plan &plan) {
  constexpr size_t listed = 5;
  std::vector<const Value *> values;
  for (const Value &value : plan.values)
    if (value.storage == Storage::Arena && value.memory == Memory::Device)
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
  return queue->launch(bound.deviceKernel, rows, parameters);
}

Result<void> Frame::runDeviceLibrary(const BoundStep &bound) {
  std::vector<View> inputs;
  inputs.reserve(bound.step->inputs.size());
  for (ValueId id : bound.step->inputs)
    inputs.push_back(id == none ? View() : view(id));
  Result<std::vector<int64_t>> dims = bound.deviceLibrary->outputDims(inputs);
  if (!dims)
    return dims.diagnostics();
  Result<View> output = provide(bound.step->outputs[0], *dims);
  if (!output)
    return output.diagnostics();
  return bound.deviceLibrary->run(*queue, inputs, *output);
}

Result<void> Frame::runCopy(const Step &step) {
  const View &from = view(step.inputs[0]);
  Result<View> to = provide(step.outputs[0], from.dims);
  if (!to)
    return to.diagnostics();
  size_t bytes = static_cast<size_t>(from.size()) * sizeOf(from.dtype);
  if (bytes == 0)
    return {};
  return isOnDevice(step.outputs[0]) ? queue->copyToDevice(to->data, from.data, bytes)
                                     : queue->copyToHost(to->data, from.data, bytes);
}

/// The bytes of a value on the device, now.
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
