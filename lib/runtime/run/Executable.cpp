#include "lib/runtime/run/Executable.h"

#include "lib/runtime/host/ForkCost.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace proa::runtime {
namespace {

bool isAligned(const void *address) { return reinterpret_cast<uintptr_t>(address) % addressAlignment == 0; }

/// A tensor whose memory WeightStore may share. Throws std::bad_alloc.
Tensor allocateTensor(DType dtype, std::vector<int64_t> dims, std::shared_ptr<void> &memory) {
  memory = allocateShared(static_cast<size_t>(elementCount(dims).value_or(0)) * sizeOf(dtype));
  if (!memory)
    throw std::bad_alloc();
  return {dtype, std::move(dims), memory.get(), memory};
}

Tensor alignedCopy(const Tensor &tensor, WeightStore &packed) {
  std::shared_ptr<void> memory;
  Tensor copy = allocateTensor(tensor.dtype(), tensor.dims(), memory);
  std::memcpy(copy.data(), tensor.data(), tensor.bytes());
  return packed.shared(copy, memory);
}

} // namespace

Executable::Executable(std::shared_ptr<const Plan> plan, std::string name)
    : sharedPlan(std::move(plan)), program(*sharedPlan), title(std::move(name)), layout(program) {}

Result<std::shared_ptr<Executable>> Executable::create(Plan plan, const std::string &name,
                                                       const KernelResolver &resolve,
                                                       std::shared_ptr<const void> code,
                                                       std::shared_ptr<Device> device) {
  return create(std::make_shared<const Plan>(std::move(plan)), name, resolve, std::move(code),
                std::move(device));
}

Result<std::shared_ptr<Executable>> Executable::create(std::shared_ptr<const Plan> plan,
                                                       const std::string &name, const KernelResolver &resolve,
                                                       std::shared_ptr<const void> code,
                                                       std::shared_ptr<Device> device) {
  if (Result<void> valid = verify(*plan, name); !valid)
    return valid.diagnostics();
  std::shared_ptr<Executable> executable(new Executable(std::move(plan), name));
  executable->code = std::move(code);
  executable->device = std::move(device);
  if (!executable->device && usesDevice(executable->program))
    return errorAt(name, "the plan has steps on a device, but no device is given");
  const Plan &program = executable->program;
  CpuScope cpu(executable->cpuFacts());
  executable->constants.reset(allocateAligned(program.constants.size()));
  if (!executable->constants)
    return errorAt(name, fmt::format("no memory for {} bytes of constants", program.constants.size()));
  std::ranges::copy(program.constants, static_cast<std::byte *>(executable->constants.get()));
  executable->constantTensors.resize(program.values.size());
  executable->readByKernel.resize(program.values.size(), false);
  Diagnostics diagnostics;
  size_t prepareCount = 0;
  if (auto done =
          executable->bindSteps(program.prepare, executable->prepare, "prepare", resolve, prepareCount);
      !done)
    diagnostics.append(done.diagnostics());
  if (auto done =
          executable->bindSteps(program.steps, executable->steps, "steps", resolve, executable->stateCount);
      !done)
    diagnostics.append(done.diagnostics());
  if (!diagnostics.empty())
    return diagnostics;
  executable->formGraphs();
  return executable;
}

std::string Executable::describe(ValueId id) const {
  const Value &value = program.values[static_cast<size_t>(id)];
  return proa::describe(value.dtype, value.dims);
}

bool Executable::isConstant(ValueId id) const {
  const Value *value = &program.values[static_cast<size_t>(id)];
  while (value->storage == Storage::Alias)
    value = &program.values[static_cast<size_t>(value->base)];
  return value->storage == Storage::Parameter || value->storage == Storage::Constant ||
         value->storage == Storage::Prepared;
}

OperandType Executable::operandType(ValueId id) const {
  if (id == none)
    return {};
  const Value &value = program.values[static_cast<size_t>(id)];
  return {true, isConstant(id), value.dtype, value.dims, value.storage == Storage::Array};
}

Result<void> Executable::bindSteps(const std::vector<Step> &list, std::vector<BoundStep> &bound,
                                   const std::string &listName, const KernelResolver &resolve,
                                   size_t &count) {
  Diagnostics diagnostics;
  bound.resize(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    bound[i].step = &list[i];
    bound[i].index = count++;
    if (!list[i].bodies.empty()) {
      diagnostics.append(
          bindControlFlow(bound[i], fmt::format("{}[{}].", listName, i), resolve, count).diagnostics());
      continue;
    }
    if (list[i].kind == StepKind::Copy || list[i].kind == StepKind::Wait)
      continue;
    bool compiled = list[i].kind == StepKind::Kernel,
         isInBody = &list != &program.steps && &list != &program.prepare;
    Result<void> done = compiled ? bindKernel(bound[i], resolve) : bindLibrary(bound[i]);
    if (!compiled && isInBody && !done) {
      bound[i].refusal = done.diagnostics();
      continue;
    }
    for (const Diagnostic &p : done.diagnostics())
      diagnostics.add(fmt::format("{}: {}[{}]: {}", title, listName, i, locationOf(list[i])), p.message);
  }
  return diagnostics;
}

Result<void> Executable::bindControlFlow(BoundStep &bound, const std::string &where,
                                         const KernelResolver &resolve, size_t &count) {
  const Step &step = *bound.step;
  Diagnostics diagnostics;
  bound.bodies.resize(step.bodies.size());
  for (size_t i = 0; i < step.bodies.size(); ++i) {
    auto done = bindSteps(step.bodies[i].steps, bound.bodies[i], fmt::format("{}bodies[{}]", where, i),
                          resolve, count);
    diagnostics.append(done.diagnostics());
    // A result of a body may reach a kernel as another value.
    for (ValueId id : step.bodies[i].results)
      markReadByKernel(id);
  }
  for (ValueId id : step.inputs)
    markReadByKernel(id);
  return diagnostics;
}

void Executable::markReadByKernel(ValueId id) {
  for (ValueId root = id; root != none; root = program.values[static_cast<size_t>(root)].base)
    readByKernel[static_cast<size_t>(root)] = true;
}

bool Executable::mayAccess(DType dtype, const void *address) const {
  size_t alignment = kernelInvoker ? size_t(addressAlignment) : std::min(sizeOf(dtype), alignof(double));
  return reinterpret_cast<uintptr_t>(address) % alignment == 0;
}

Result<void> Executable::bindFunction(BoundStep &bound, const KernelResolver &resolve) {
  const Step &step = *bound.step;
  if (step.isOnDevice()) {
    Result<size_t> kernel = device->bind(step.symbol, step.launch);
    if (!kernel)
      return kernel.diagnostics();
    bound.deviceKernel = *kernel;
    return {};
  }
  Result<void *> function = resolve(step.symbol);
  if (!function)
    return function.diagnostics();
  bound.function.set(reinterpret_cast<KernelFunction>(*function));
  if (!bound.function.get())
    return failure("the object file has no kernel '{}'", step.symbol);
  return {};
}

Result<void> Executable::replaceKernels(const KernelResolver &resolve, std::shared_ptr<const void> newCode) {
  std::vector<std::pair<KernelPointer *, KernelFunction>> replaced;
  Diagnostics diagnostics;
  auto find = [&](auto &self, std::vector<BoundStep> &list) -> void {
    for (BoundStep &bound : list) {
      for (BoundSteps &body : bound.bodies)
        self(self, body);
      if (!bound.function.get())
        continue;
      Result<void *> function = resolve(bound.step->symbol);
      if (!function)
        diagnostics.append(function.diagnostics());
      else if (*function)
        replaced.emplace_back(&bound.function, reinterpret_cast<KernelFunction>(*function));
    }
  };
  find(find, steps);
  if (!diagnostics.empty())
    return diagnostics;
  replacements.push_back(std::move(newCode)); // the present code may be running
  for (auto &[pointer, function] : replaced)
    pointer->set(function);
  return {};
}

Result<void> Executable::bindKernel(BoundStep &bound, const KernelResolver &resolve) {
  const Step &step = *bound.step;
  if (Result<void> done = bindFunction(bound, resolve); !done)
    return done;
  double bytes = 0;
  bool allStatic = true;
  auto visit = [&](ValueId id, std::vector<DynamicDim> &dynamic) {
    const Value &value = program.values[static_cast<size_t>(id)];
    for (uint32_t axis = 0; axis < value.dims.size(); ++axis)
      if (value.dims[axis] == dynamicDim)
        dynamic.push_back({id, axis});
    if (layout.isStatic[static_cast<size_t>(id)])
      bytes += static_cast<double>(*elementCount(value.dims)) * static_cast<double>(sizeOf(value.dtype));
    else
      allStatic = false;
  };
  for (ValueId id : step.inputs) {
    visit(id, bound.inputDims);
    markReadByKernel(id);
  }
  for (ValueId id : step.outputs)
    visit(id, bound.outputDims);
  bound.firstFault = checkCount;
  checkCount += step.checks.size();
  if (step.rows == dynamicDim || !bound.outputDims.empty()) {
    Result<void *> shape = resolve(step.symbol + "_shape");
    if (!shape)
      return shape.diagnostics();
    bound.shape = reinterpret_cast<ShapeFunction>(*shape);
    if (!bound.shape)
      return failure("the object file has no '{}_shape', but the kernel has dynamic dims", step.symbol);
  }
  if (step.rows != dynamicDim && (step.work > 0 || allStatic))
    bound.rowNanoseconds = (step.work > 0 ? step.work : nanosecondsFor(bytes)) /
                           static_cast<double>(std::max<int64_t>(1, step.rows));
  return {};
}

/// The kernel of a library step on the host.
static Result<std::unique_ptr<LibraryKernel>> createLibraryKernel(const Step &step,
                                                                  const KernelRequest &request) {
  const KernelEntry *entry = findLibraryKernel(step.symbol);
  if (!entry)
    return failure("the runtime has no library kernel '{}'", step.symbol);
  try {
    return entry->create(step.attributes, request);
  } catch (const std::exception &error) { // oneDNN's and the JSON library's
    return failure("{}", error.what());
  }
}

Result<void> Executable::bindLibrary(BoundStep &bound) {
  const Step &step = *bound.step;
  std::vector<OperandType> inputs, outputs;
  for (ValueId id : step.inputs)
    inputs.push_back(operandType(id));
  for (ValueId id : step.outputs)
    outputs.push_back(operandType(id));
  const CpuFacts *cpu = cpuFacts();
  if (step.isOnDevice()) {
    Result<std::shared_ptr<DeviceLibraryKernel>> kernel = device->bindLibrary(step, {inputs, outputs});
    if (!kernel)
      return kernel.diagnostics();
    bound.deviceLibrary = std::move(*kernel);
    bound.createOnHost = [&step, inputs, outputs, cpu]() mutable {
      for (OperandType &input : inputs)
        input.constant = false; // its bytes are on the device
      return createLibraryKernel(step, {inputs, outputs, cpu});
    };
    return {};
  }
  Result<std::unique_ptr<LibraryKernel>> kernel = createLibraryKernel(step, {inputs, outputs, cpu});
  if (!kernel)
    return kernel.diagnostics();
  bound.library = std::move(*kernel);
  return {};
}

/// Why a step cannot be part of a graph; null: it can.
const char *Executable::whyNotRecorded(const BoundStep &bound) const {
  const Step &step = *bound.step;
  if (!step.bodies.empty())
    return "control flow decides on the host";
  if (step.kind == StepKind::Copy || step.kind == StepKind::Wait)
    return "it exchanges values with the host";
  if (!step.isOnDevice())
    return "it runs on the host";
  if (bound.deviceLibrary && !bound.deviceLibrary->isRecordable())
    return "its library needs the host";
  for (const auto *ids : {&step.inputs, &step.outputs})
    for (ValueId id : *ids) {
      const Value *value = id == none ? nullptr : &program.values[static_cast<size_t>(id)];
      if (value && !layout.isStatic[static_cast<size_t>(id)])
        return "its dims are dynamic";
      while (value && value->storage == Storage::Alias)
        value = &program.values[static_cast<size_t>(value->base)];
      if (value && value->storage == Storage::Dynamic)
        return "control flow passes on its values";
    }
  return nullptr;
}

void Executable::formGraphs() {
  constexpr size_t leastSteps = 2; // a graph of one step saves nothing
  graphs.clear();
  for (size_t begin = 0; begin < steps.size() && device && device->recordsGraphs(); ++begin) {
    size_t end = begin;
    while (end < steps.size() && !whyNotRecorded(steps[end]))
      ++end;
    if (end - begin >= leastSteps)
      graphs.push_back({begin, end});
    begin = end;
  }
}

Diagnostics Executable::describeGraphs() const {
  Diagnostics remarks;
  if (!device || !usesDevice(program))
    return remarks;
  size_t first = steps.size(), last = 0;
  for (size_t i = 0; i < steps.size(); ++i)
    if (steps[i].step->isOnDevice()) {
      first = std::min(first, i);
      last = i;
    }
  auto add = [&](const BoundStep &bound, std::string text) {
    remarks.add(locationOf(*bound.step), std::move(text));
  };
  const char *reasonForAll = !device->recordsGraphs()
                                 ? "graphs are off (PROA_CUDA_GRAPHS), or the host waits after each launch"
                             : checksFinite ? "results are checked for NaN and infinity step by step"
                                            : nullptr;
  if (reasonForAll && first < steps.size()) {
    add(steps[first], fmt::format("no step is part of a CUDA graph: {}", reasonForAll));
    return remarks;
  }
  for (const GraphRange &range : graphs)
    add(steps[range.begin], fmt::format("{} steps are a CUDA graph", range.end - range.begin));
  auto isRecorded = [&](size_t i) {
    return std::ranges::any_of(graphs,
                               [&](const GraphRange &range) { return range.begin <= i && i < range.end; });
  };
  for (size_t i = first; i <= last && i < steps.size(); ++i)
    if (const char *reason = whyNotRecorded(steps[i]))
      add(steps[i], fmt::format("is not part of a CUDA graph: {}", reason));
    else if (!isRecorded(i))
      add(steps[i], "is not part of a CUDA graph: a graph of one step saves nothing");
  return remarks;
}

Diagnostics Executable::inProgram(const Diagnostics &diagnostics) const {
  Diagnostics named;
  for (const Diagnostic &p : diagnostics) {
    bool needsSeparator = !title.empty() && !p.location.empty();
    Diagnostic error = p;
    error.location = title + (needsSeparator ? ": " : "") + p.location;
    named.add(std::move(error));
  }
  return named;
}

Result<void> Executable::bindParameters(const NamedTensors &parameters) {
  Diagnostics diagnostics;
  std::vector<std::pair<ValueId, Tensor>> found;
  for (ValueId id : program.parameters) {
    const Value &value = program.values[static_cast<size_t>(id)];
    std::string where = title + ": parameter '" + value.name + "'";
    auto entry = parameters.find(value.name);
    if (entry == parameters.end())
      diagnostics.add(where, "is missing; expected " + describe(id));
    else if (entry->second.dtype() != value.dtype || entry->second.dims() != value.dims)
      diagnostics.add(where, "is " + entry->second.describe() + "; expected " + describe(id));
    else
      found.emplace_back(id, entry->second);
  }
  if (!diagnostics.empty())
    return diagnostics;
  ready = false;
  try {
    beginPacking();
    for (auto &[id, tensor] : found) {
      auto i = static_cast<size_t>(id);
      constantTensors[i] =
          readByKernel[i] && !isAligned(tensor.data()) ? alignedCopy(tensor, *packed) : tensor;
    }
    if (Result<void> done = runPrepare(); !done)
      diagnostics = inProgram(done.diagnostics());
  } catch (const std::bad_alloc &) {
    diagnostics.add(title, "no memory for the values prepared from the parameters");
  }
  if (!diagnostics.empty())
    return diagnostics;
  ready = true;
  return {};
}

Result<void> Executable::checkFinite(KernelDiagnosis diagnosis) {
  checksFinite = true;
  kernelDiagnosis = std::move(diagnosis);
  if (!ready)
    return {};
  beginPacking();
  Result<void> done = runPrepare();
  ready = static_cast<bool>(done);
  return done ? done : Result<void>(inProgram(done.diagnostics()));
}

void Executable::placeConstants(Frame &frame) const {
  for (size_t i = 0; i < program.values.size(); ++i) {
    const Value &value = program.values[i];
    void *data = nullptr;
    if (value.storage == Storage::Constant)
      data = static_cast<std::byte *>(constants.get()) + value.offset;
    else if (value.storage == Storage::Parameter || value.storage == Storage::Prepared)
      data = const_cast<void *>(constantTensors[i].data()); // steps only read it
    else
      continue;
    frame.place(static_cast<ValueId>(i), data, value.dims);
  }
}

bool Executable::isHostConstant(ValueId id) const {
  return id != none && isConstant(id) && program.values[static_cast<size_t>(id)].memory == Memory::Host;
}

/// Lets the library kernels [first, first + count) see their constant inputs.
Result<void> Executable::bindConstants(std::vector<BoundStep> &list, const Frame &frame, size_t first,
                                       size_t count) {
  Diagnostics diagnostics;
  for (size_t i = first; i < first + count; ++i) {
    for (BoundSteps &body : list[i].bodies)
      diagnostics.append(bindConstants(body, frame, 0, body.size()).diagnostics());
    bool isInBody = &list != &steps && &list != &prepare;
    if (!list[i].library)
      continue;
    std::vector<View> inputs;
    for (ValueId id : list[i].step->inputs)
      inputs.push_back(isHostConstant(id) ? frame.view(id) : View());
    try {
      Result<void> done = list[i].library->bind(inputs, *packed);
      if (isInBody && !done)
        list[i].refusal = done.diagnostics();
      else
        for (const Diagnostic &p : done.diagnostics())
          diagnostics.add(locationOf(*list[i].step), p.message);
    } catch (const std::exception &error) {
      diagnostics.add(locationOf(*list[i].step), error.what());
    }
  }
  return diagnostics;
}

/// Whether Plan::prepare has values that do not outlive it in the arena of the device, which may be large.
bool Executable::preparesInDeviceArena() const {
  return std::ranges::any_of(program.prepare, [&](const Step &step) {
    return std::ranges::any_of(step.outputs, [&](ValueId id) {
      const Value *value = id == none ? nullptr : &program.values[static_cast<size_t>(id)];
      return value && value->storage == Storage::Arena && value->memory == Memory::Device;
    });
  });
}

/// The addresses of an earlier binding may have other bytes now.
void Executable::beginPacking() {
  if (std::exchange(isPacked, true))
    packed = std::make_shared<WeightStore>();
}

Result<void> Executable::allocatePrepared(Frame &frame) {
  preparedMemory.clear();
  for (size_t i = 0; i < program.values.size(); ++i) {
    const Value &value = program.values[i];
    if (value.storage != Storage::Prepared)
      continue;
    constantTensors[i] = Tensor();
    if (value.memory == Memory::Host) {
      constantTensors[i] = allocateTensor(value.dtype, value.dims, preparedMemory[i]);
      continue;
    }
    size_t bytes = static_cast<size_t>(elementCount(value.dims).value_or(0)) * sizeOf(value.dtype);
    Result<std::shared_ptr<void>> memory = frame.allocateOnDevice(bytes);
    if (!memory)
      return failure(
          "{}: {}",
          deviceMemoryText(program, value.name + " " + proa::describe(value.dtype, value.dims), *device),
          memory.diagnostics()[0].message);
    void *data = memory->get();
    constantTensors[i] = Tensor(value.dtype, value.dims, data, std::move(*memory));
  }
  return {};
}

Result<void> Executable::runPrepare() {
  CpuScope cpu(cpuFacts());
  Frame frame(layout, device.get());
  if (Result<void> done = allocatePrepared(frame); !done)
    return done;
  frame.setFiniteCheck(checksFinite, kernelDiagnosis);
  frame.setCommunicator(communicator);
  frame.setKernelInvoker(kernelInvoker);
  if (!prepare.empty())
    if (Result<void> done = frame.allocate(preparesInDeviceArena()); !done)
      return done;
  placeConstants(frame);
  std::vector<std::unique_ptr<KernelState>> states(prepare.size());
  for (size_t i = 0; i < prepare.size(); ++i) {
    if (Result<void> done = bindConstants(prepare, frame, i, 1); !done)
      return done;
    if (Result<void> done = frame.execute(std::span(prepare).subspan(i, 1), states, nullptr); !done)
      return done;
  }
  if (Result<void> done = frame.waitForDevice(); !done)
    return done;
  for (const auto &[i, memory] : preparedMemory)
    constantTensors[i] = packed->shared(constantTensors[i], memory);
  preparedMemory.clear();
  placeConstants(frame);
  return bindConstants(steps, frame, 0, steps.size());
}

} // namespace proa::runtime
