#include "lib/runtime/run/KernelServices.h"

#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/run/Frame.h"

#include <algorithm>

namespace proa::runtime {
namespace {

constexpr int valueBits = 24;
constexpr int64_t largestValue = (int64_t(1) << (valueBits - 1)) - 1, leastValue = -largestValue - 1;

/// The number in a word; nothing if it did not fit.
std::optional<int64_t> numberIn(uint64_t word) {
  auto value = static_cast<int64_t>(word << (64 - valueBits)) >> (64 - valueBits);
  return value == leastValue || value == largestValue ? std::nullopt : std::optional(value);
}

} // namespace

std::string describeFault(const IndexCheck &check, uint64_t word,
                          const std::function<const View &(int32_t)> &view) {
  int64_t size = check.bound >= 0 ? view(check.bound).dims[static_cast<size_t>(check.axis)] : check.size;
  std::span<const int64_t> dims = check.indices >= 0 ? view(check.indices).dims : std::span<const int64_t>();
  auto position = static_cast<int64_t>(word >> valueBits);
  if (check.kind == CheckedNumber::GroupSize)
    return wrongSizeText(numberIn(word), position, size);
  return wrongIndexText(numberIn(word), position, dims, size, check.kind == CheckedNumber::IndexFromEnd);
}

Result<void> Frame::allocateDeviceServices() {
  if (deviceServices)
    return {};
  size_t counterBytes = kernelCounters * sizeof(uint32_t), faultBytes = layout.checkCount * sizeof(uint64_t);
  Result<std::shared_ptr<void>> memory = allocateOnDevice(counterBytes + faultBytes);
  if (!memory)
    return memory.diagnostics();
  std::vector<std::byte> initial(counterBytes + faultBytes, std::byte(0));
  std::fill(initial.begin() + static_cast<ptrdiff_t>(counterBytes), initial.end(),
            std::byte(0xFF)); // noFault
  if (Result<void> done = queue->copyToDevice(memory->get(), initial.data(), initial.size()); !done)
    return done;
  deviceServices = std::move(*memory);
  return {};
}

/// Adds the addresses of counters and of the words of checks to `pointers`.
Result<void> Frame::addServices(const BoundStep &bound, size_t &count) {
  const Step &step = *bound.step;
  serviceBytes.clear();
  if (!usesServices(step))
    return {};
  bool onDevice = step.isOnDevice();
  if (onDevice)
    if (Result<void> done = allocateDeviceServices(); !done)
      return done;
  counters.resize(onDevice ? counters.size() : kernelCounters, 0);
  faults.resize(layout.checkCount, noFault);
  auto *onDeviceBegin = static_cast<std::byte *>(deviceServices.get());
  auto add = [&](void *onHost, size_t offset, size_t bytes) {
    pointers[count++] = onDevice ? onDeviceBegin + offset : onHost;
    serviceBytes.push_back(bytes);
  };
  if (step.hasCounters)
    add(counters.data(), 0, kernelCounters * sizeof(uint32_t));
  if (step.checks.empty())
    return {};
  add(faults.data() + bound.firstFault,
      kernelCounters * sizeof(uint32_t) + bound.firstFault * sizeof(uint64_t),
      step.checks.size() * sizeof(uint64_t));
  if (onDevice)
    unchecked.push_back(&bound);
  return {};
}

/// The first wrong index that the step found, as an error. Resets the words of its checks.
Result<void> Frame::findFaults(const BoundStep &bound, std::vector<uint64_t> &words) {
  const Step &step = *bound.step;
  std::string message;
  for (size_t i = 0; i < step.checks.size(); ++i) {
    uint64_t word = std::exchange(words[bound.firstFault + i], noFault);
    if (word == noFault || !message.empty())
      continue;
    message = describeFault(step.checks[i], word, [&](int32_t input) -> const View & {
      return view(step.inputs[static_cast<size_t>(input)]);
    });
  }
  return message.empty() ? Result<void>() : failure("{}", message);
}

Result<void> Frame::findDeviceFaults() {
  std::vector<const BoundStep *> steps = std::exchange(unchecked, {});
  for (const BoundStep *bound : steps)
    if (Result<void> found = findFaults(*bound, faults); !found) {
      std::ranges::fill(faults, noFault);
      deviceServices.reset();
      return errorAt(locationOf(*bound->step), found.diagnostics()[0].message);
    }
  return {};
}

Result<void> Frame::waitForDevice() {
  if (!queue)
    return {};
  if (!unchecked.empty()) {
    auto *words = static_cast<std::byte *>(deviceServices.get()) + kernelCounters * sizeof(uint32_t);
    if (Result<void> done = queue->copyToHost(faults.data(), words, faults.size() * sizeof(uint64_t)); !done)
      return done;
  }
  if (Result<void> done = queue->wait(); !done)
    return done;
  return findDeviceFaults();
}

void Frame::abandonDevice() {
  if (queue)
    queue->abandon();
  // A kernel that has failed may have left its counters.
  unchecked.clear();
  deviceServices.reset();
}

} // namespace proa::runtime
