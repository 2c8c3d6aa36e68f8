#include "lib/runtime/run/Frame.h"

#include "lib/base/support/KernelScratch.h"
#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/run/Profile.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

namespace proa::runtime {
namespace {

bool hasDynamicDim(const std::vector<int64_t> &dims) {
  return std::find(dims.begin(), dims.end(), dynamicDim) != dims.end();
}

} // namespace

std::string locationOf(const Step &step) {
  const std::string &what = step.label.empty() ? step.symbol : step.label;
  return step.location.empty() ? what : step.location + ": " + what;
}

double nanosecondsFor(double bytes) {
  constexpr double bytesPerNanosecond = 10; // one thread, data in the second-level cache or beyond
  return bytes / bytesPerNanosecond;
}

Layout::Layout(const Plan &plan) : plan(&plan) {
  followers.resize(plan.values.size());
  isStatic.resize(plan.values.size());
  std::vector<uint8_t> computed(plan.values.size(), 0);
  for (const auto *steps : {&plan.prepare, &plan.steps})
    forEachStep(*steps, [&](const Step &step) {
      for (ValueId id : step.outputs)
        if (id != none)
          computed[static_cast<size_t>(id)] = 1;
      if (step.kind != StepKind::Kernel)
        return;
      constexpr size_t services = 2;
      maximalBuffers = std::max(maximalBuffers, step.inputs.size() + step.outputs.size() + services);
      checkCount += step.checks.size();
      size_t dims = 1;
      for (const auto *ids : {&step.inputs, &step.outputs})
        for (ValueId id : *ids)
          dims += plan.values[static_cast<size_t>(id)].dims.size();
      maximalDims = std::max(maximalDims, dims);
    });
  for (size_t i = 0; i < plan.values.size(); ++i) {
    const Value &value = plan.values[i];
    isStatic[i] = !hasDynamicDim(value.dims);
    if (value.storage == Storage::Alias && !computed[i])
      followers[static_cast<size_t>(value.base)].push_back(static_cast<ValueId>(i));
  }
}

/// The view that a library kernel has of the frame.
class Frame::LibraryCall final : public Call {
public:
  LibraryCall(Frame &frame, const Step &step, std::unique_ptr<KernelState> &slot) : frame(frame), step(step) {
    views = frame.views;
    inputs = step.inputs;
    outputs = step.outputs;
    stateSlot = &slot;
    generator = frame.generator.get();
    network = frame.communicator.get();
    variables = frame.offload.get();
  }
  Result<View> output(size_t i, std::span<const int64_t> dims) override {
    if (!hasOutput(i))
      return failure("the step has no output {}", i);
    return frame.provide(outputs[i], dims);
  }
  const TensorArray &array(size_t i) const override {
    static const TensorArray empty;
    const auto &found =
        i < inputs.size() && inputs[i] != none ? frame.arrays[static_cast<size_t>(inputs[i])] : nullptr;
    return found ? *found : empty;
  }
  TensorArray &outputArray(size_t i, std::optional<size_t> j) override {
    std::shared_ptr<TensorArray> array;
    if (j) {
      ValueId id = inputs[*j];
      std::shared_ptr<TensorArray> &source = frame.arrays[static_cast<size_t>(id)];
      bool dies = std::find(step.release.begin(), step.release.end(), id) != step.release.end();
      array = dies ? std::move(source) : source;
    }
    if (!array || array.use_count() > 1)
      array = array ? std::make_shared<TensorArray>(*array) : std::make_shared<TensorArray>();
    frame.arrays[static_cast<size_t>(outputs[i])] = array;
    return *array;
  }
  Result<ArrayElement> share(size_t i) override { return frame.share(inputs[i]); }
  Result<void> setOutput(size_t i, const ArrayElement &element) override {
    return frame.set(outputs[i], element);
  }
  bool outputIsAlias(size_t i) const override {
    return hasOutput(i) && frame.plan.values[static_cast<size_t>(outputs[i])].storage == Storage::Alias;
  }
  bool isStart() const override { return step.isStart; }
  void setStarted(std::unique_ptr<StartedWork> work) override { frame.started[outputs[0]] = std::move(work); }
  std::unique_ptr<StartedWork> takeStarted() override {
    auto found = frame.started.extract(inputs[0]);
    return found ? std::move(found.mapped()) : nullptr;
  }
  void *scratch(size_t bytes) override { return frame.memory->scratch(bytes); }

private:
  Frame &frame;
  const Step &step;
};

Frame::Frame(const Layout &layout, Device *device, std::shared_ptr<RunMemory> shared)
    : layout(layout), plan(*layout.plan), device(device),
      memory(shared ? std::move(shared) : std::make_shared<RunMemory>()), devicePool([this](size_t bytes) {
        Result<std::shared_ptr<void>> memory = allocateOnDevice(bytes);
        return memory ? std::move(*memory) : nullptr;
      }) {
  size_t total = 0;
  for (const Value &value : plan.values) {
    dimBegin.push_back(total);
    total += value.dims.size();
  }
  dimStorage.reserve(total);
  for (const Value &value : plan.values)
    dimStorage.insert(dimStorage.end(), value.dims.begin(), value.dims.end());
  views.resize(plan.values.size());
  for (size_t i = 0; i < plan.values.size(); ++i) {
    views[i].dtype = plan.values[i].dtype;
    views[i].dims = {dimStorage.data() + dimBegin[i], plan.values[i].dims.size()};
  }
  misfits.resize(plan.values.size());
  isLeftOut.resize(plan.values.size());
  buffers.resize(plan.values.size());
  arrays.resize(plan.values.size());
  pointers.resize(layout.maximalBuffers);
  kernelDims.resize(layout.maximalDims);
  shapeResult.resize(layout.maximalDims);
}

Result<void> Frame::allocate(bool onDevice) {
  if (onDevice)
    if (Result<void> done = allocateDeviceArena(); !done)
      return done;
  memory->addProgram(static_cast<size_t>(plan.arenaBytes));
  isAllocated = true;
  return placeArena();
}

Frame::~Frame() {
  if (isAllocated)
    memory->removeProgram(static_cast<size_t>(plan.arenaBytes));
}

Result<void> Frame::placeArena() {
  void *now = memory->arena();
  if (!now)
    return failure("no memory for an arena of {} bytes", plan.arenaBytes);
  if (now == arena)
    return {};
  arena = now;
  for (size_t i = 0; i < plan.values.size(); ++i) {
    if (plan.values[i].storage != Storage::Arena)
      continue;
    void *begin = isOnDevice(static_cast<ValueId>(i)) ? deviceArena.get() : arena;
    views[i].data = static_cast<std::byte *>(begin) + plan.values[i].offset;
    updateFollowers(static_cast<ValueId>(i));
  }
  return {};
}

void Frame::setDims(ValueId id, std::span<const int64_t> dims) {
  std::copy(dims.begin(), dims.end(),
            dimStorage.begin() + static_cast<ptrdiff_t>(dimBegin[static_cast<size_t>(id)]));
}

void Frame::place(ValueId id, void *data, std::span<const int64_t> dims) {
  if (!layout.isStatic[static_cast<size_t>(id)])
    setDims(id, dims);
  views[static_cast<size_t>(id)].data = data;
  updateFollowers(id);
}

/// A loop may leave a value in dims that its aliases cannot take, where no step reads them any more.
void Frame::updateFollowers(ValueId id) {
  auto base = static_cast<size_t>(id);
  for (ValueId follower : layout.followers[base]) {
    auto i = static_cast<size_t>(follower);
    views[i].data = static_cast<std::byte *>(views[base].data) + plan.values[i].offset;
    bool fits = !misfits[base] && ((layout.isStatic[i] && layout.isStatic[base]) || setAliasDims(follower));
    misfitCount += static_cast<size_t>(!fits) - misfits[i];
    misfits[i] = !fits;
    updateFollowers(follower);
  }
}

Result<void> Frame::checkFits(ValueId id) const {
  if (misfitCount == 0 || id == none || !misfits[static_cast<size_t>(id)])
    return {};
  const Value &value = plan.values[static_cast<size_t>(id)];
  const View &base = view(value.base);
  return failure("{} elements of {} do not fill {}", base.size(), describe(value.dtype, base.dims),
                 describe(value.dtype, value.dims));
}

/// An alias of something dynamic holds as many elements as its base; one dynamic dim follows from that.
bool Frame::setAliasDims(ValueId id) {
  const Value &value = plan.values[static_cast<size_t>(id)];
  int64_t count = views[static_cast<size_t>(value.base)].size(), known = 1;
  for (int64_t dim : value.dims)
    known *= dim == dynamicDim ? 1 : dim;
  bool isStatic = layout.isStatic[static_cast<size_t>(id)] != 0;
  int64_t missing = known == 0 ? 0 : count / known;
  if (known * (isStatic ? 1 : missing) != count)
    return false;
  for (size_t axis = 0; axis < value.dims.size(); ++axis)
    if (value.dims[axis] == dynamicDim)
      dimStorage[dimBegin[static_cast<size_t>(id)] + axis] = missing;
  return true;
}

/// Memory for an output under these dims.
Result<View> Frame::provide(ValueId id, std::span<const int64_t> dims) {
  auto i = static_cast<size_t>(id);
  const Value &value = plan.values[i];
  bool fits = dims.size() == value.dims.size();
  for (size_t axis = 0; fits && axis < dims.size(); ++axis)
    fits = value.dims[axis] == dims[axis] || (value.dims[axis] == dynamicDim && dims[axis] >= 0);
  if (!fits)
    return failure("the result is {}, but the program declares {}", describe(value.dtype, dims),
                   describe(value.dtype, value.dims));
  if (layout.isStatic[i] && value.storage != Storage::Dynamic && value.storage != Storage::Alias)
    return views[i];
  setDims(id, dims);
  std::optional<int64_t> count = elementCount(dims);
  if (value.storage == Storage::Dynamic) {
    if (!count || *count > INT64_MAX / 16)
      return failure("{} is too large", describe(value.dtype, dims));
    poolOf(id).release(std::exchange(buffers[i], {}));
    buffers[i] = poolOf(id).acquire(static_cast<size_t>(*count) * sizeOf(value.dtype));
    if (!buffers[i].memory)
      return noMemoryFor(value, dims);
    views[i].data = buffers[i].memory.get();
  } else {
    const View &base = views[static_cast<size_t>(value.base)];
    if (count != base.size())
      return failure("{} cannot be seen as {}", describe(base.dtype, base.dims), describe(value.dtype, dims));
    views[i].data = base.data;
  }
  updateFollowers(id);
  return views[i];
}

double Frame::rowNanosecondsOf(const BoundStep &bound, int64_t rows) const {
  if (bound.rowNanoseconds > 0)
    return bound.rowNanoseconds;
  if (bound.step->work > 0)
    return bound.step->work; // of one row, where the number of rows is dynamic
  double bytes = 0;
  for (const auto *ids : {&bound.step->inputs, &bound.step->outputs})
    for (ValueId id : *ids)
      bytes += static_cast<double>(view(id).size()) * static_cast<double>(sizeOf(view(id).dtype));
  return nanosecondsFor(bytes) / static_cast<double>(std::max<int64_t>(1, rows));
}

Result<void> Frame::computeShape(const BoundStep &bound, int64_t &rows) {
  bound.shape(kernelDims.data(), shapeResult.data());
  if (bound.step->rows == dynamicDim)
    rows = shapeResult[bound.outputDims.size()];
  size_t next = 0;
  std::vector<int64_t> dims;
  for (ValueId id : bound.step->outputs) {
    const Value &value = plan.values[static_cast<size_t>(id)];
    dims = value.dims;
    for (int64_t &dim : dims)
      if (dim == dynamicDim)
        dim = shapeResult[next++];
    if (value.storage == Storage::Dynamic)
      if (Result<View> memory = provide(id, dims); !memory)
        return memory.diagnostics();
  }
  return {};
}

Result<void> Frame::checkDims(const Step &step) const {
  for (const DimCheck &check : step.dimChecks) {
    const View &own = view(step.inputs[static_cast<size_t>(check.input)]);
    int64_t dim = own.dims[static_cast<size_t>(check.axis)];
    if (check.mayBeOne && dim == 1)
      continue;
    if (check.other < 0) {
      if (dim != check.size)
        return failure("dim {} of {} is {}, expected {}: a dim that only a run knows is not broadcast",
                       check.axis, describe(own.dtype, own.dims), dim, check.size);
      continue;
    }
    const View &other = view(step.inputs[static_cast<size_t>(check.other)]);
    if (dim != other.dims[static_cast<size_t>(check.otherAxis)])
      return failure("dim {} of {} and dim {} of {} differ, expected the same: dims that only a run knows "
                     "are not broadcast",
                     check.axis, describe(own.dtype, own.dims), check.otherAxis,
                     describe(other.dtype, other.dims));
  }
  return {};
}

Result<void> Frame::runKernel(const BoundStep &bound) {
  if (Result<void> done = checkDims(*bound.step); !done)
    return done;
  int64_t rows = bound.step->rows;
  for (size_t i = 0; i < bound.inputDims.size(); ++i)
    kernelDims[i] = view(bound.inputDims[i].value).dims[bound.inputDims[i].axis];
  if (bound.shape) {
    if (Result<void> done = computeShape(bound, rows); !done)
      return done;
    for (size_t i = 0; i < bound.outputDims.size(); ++i)
      kernelDims[bound.inputDims.size() + i] = shapeResult[i];
  } else {
    for (ValueId id : bound.step->outputs)
      if (plan.values[static_cast<size_t>(id)].storage == Storage::Dynamic)
        if (Result<View> memory = provide(id, plan.values[static_cast<size_t>(id)].dims); !memory)
          return memory.diagnostics();
  }
  size_t count = 0;
  for (const auto *ids : {&bound.step->inputs, &bound.step->outputs})
    for (ValueId id : *ids)
      pointers[count++] = view(id).data;
  if (Result<void> done = addServices(bound, count); !done)
    return done;
  if (bound.step->isOnDevice())
    return launchKernel(bound, rows);
  if (Result<void> done = callOnHost(bound, rows); !done)
    return done;
  return findFaults(bound, faults);
}

/// Calls the kernel on this CPU. The buffers are in `pointers`.
Result<void> Frame::callOnHost(const BoundStep &bound, int64_t rows) {
  // Estimates of compiled kernels are low: half of the work of a library kernel is worth a thread.
  int64_t grain = grainFor(2 * rowNanosecondsOf(bound, rows));
  if (kernelInvoker)
    return invokeKernel(bound, rows, grain);
  std::atomic<bool> hasMemory = true;
  KernelFunction function = bound.function.get();
  parallelFor(rows, grain, [&](int64_t begin, int64_t end) {
    if (!callKernel([&] { function(pointers.data(), kernelDims.data(), begin, end); }))
      hasMemory = false;
  });
  if (!hasMemory)
    return failure("no memory for what the kernel computes in between");
  return {};
}

/// Calls the kernel by the invoker. The buffers are in `pointers`.
Result<void> Frame::invokeKernel(const BoundStep &bound, int64_t rows, int64_t grain) {
  std::vector<size_t> bytes;
  for (const auto *ids : {&bound.step->inputs, &bound.step->outputs})
    for (ValueId id : *ids)
      bytes.push_back(static_cast<size_t>(view(id).size()) * sizeOf(view(id).dtype));
  bytes.insert(bytes.end(), serviceBytes.begin(), serviceBytes.end());
  std::mutex mutex;
  Diagnostics diagnostics;
  parallelFor(rows, grain, [&](int64_t begin, int64_t end) {
    Result<void> done = (*kernelInvoker)({.name = bound.step->symbol,
                                          .function = bound.function.get(),
                                          .buffers = std::span(pointers).first(bytes.size()),
                                          .bytes = bytes,
                                          .dims = kernelDims.data(),
                                          .begin = begin,
                                          .end = end});
    std::lock_guard lock(mutex);
    if (!done && diagnostics.empty())
      diagnostics = done.diagnostics();
  });
  if (!diagnostics.empty())
    std::ranges::fill(counters, 0);
  return diagnostics;
}

Result<void> Frame::runStep(const BoundStep &bound, States states, Profile *profile) {
  for (ValueId id : bound.step->inputs)
    if (Result<void> fits = checkFits(id); !fits)
      return fits;
  try {
    switch (bound.step->kind) {
    case StepKind::Kernel:
      return runKernel(bound);
    case StepKind::Library: {
      if (!bound.refusal.empty())
        return bound.refusal;
      if (bound.deviceLibrary)
        return runDeviceLibrary(bound);
      LibraryCall call(*this, *bound.step, states[bound.index]);
      return bound.library->run(call);
    }
    case StepKind::If:
      return runIf(bound, states, profile);
    case StepKind::While:
      return runWhile(bound, states, profile);
    case StepKind::Copy:
      return runCopy(*bound.step);
    case StepKind::Wait:
      return waitForDevice();
    }
  } catch (const std::exception &error) { // oneDNN's and the allocator's
    return failure("{}", error.what());
  }
  return {};
}

Diagnostic Frame::atStep(const Step &step, const std::string &message) const {
  Diagnostic error{.location = locationOf(step), .message = message};
  for (ValueId id : step.outputs)
    if (id != none && error.output.empty())
      error.output = layout.plan->values[static_cast<size_t>(id)].name;
  if (!error.output.empty())
    error.location += " -> " + error.output;
  return error;
}

void Frame::addTo(Profile &profile, const BoundStep &bound, bool isTimed, int64_t begin, int64_t end) const {
  if (!isTimed)
    profile.add(bound.index, begin, end, bytesOf(*bound.step));
  if (profile.hasDynamicTypes(bound.index))
    profile.setTypes(bound.index, typesOf(plan, *bound.step, [&](ValueId id) { return view(id).dims; }));
}

Result<void> Frame::execute(std::span<const BoundStep> steps, States states, Profile *profile) {
  for (const BoundStep &bound : steps) {
    if (limits)
      if (Result<void> within = limits->check(); !within)
        return within;
    int64_t start = profile ? Profile::now() : 0;
    // The device measures its own steps, while the host continues.
    bool isTimed =
        profile && !checksFinite && (bound.step->isOnDevice() || bound.step->kind == StepKind::Copy);
    Result<void> done = isTimed        ? runTimed(bound, states, *profile)
                        : checksFinite ? runChecked(bound, states, profile)
                                       : runStep(bound, states, profile);
    if (!done) {
      Diagnostics diagnostics;
      for (const Diagnostic &p : done.diagnostics()) // a step of a body has said already where it is
        diagnostics.add(p.location.empty() && p.code.empty() ? atStep(*bound.step, p.message) : p);
      return diagnostics;
    }
    if (profile && bound.bodies.empty())
      addTo(*profile, bound, isTimed, start, Profile::now());
    for (ValueId id : bound.step->release)
      release(id);
  }
  return {};
}

std::shared_ptr<void> Frame::takeBuffer(ValueId id) {
  BufferPool::Buffer buffer = std::move(buffers[static_cast<size_t>(id)]);
  return std::move(buffer.memory);
}

void Frame::releaseAll() {
  started.clear();
  for (auto &array : arrays)
    array.reset();
  for (BufferPool::Buffer &buffer : buffers)
    if (buffer.memory)
      poolOf(static_cast<ValueId>(&buffer - buffers.data())).release(std::exchange(buffer, {}));
}

} // namespace proa::runtime
