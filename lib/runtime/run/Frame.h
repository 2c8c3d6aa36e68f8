/// The memory of one execution of a plan's steps, and the loop that interprets them. Used by Session for runs
/// and by Executable for Plan::prepare.
#pragma once

#include "lib/runtime/memory/BufferPool.h"
#include "lib/runtime/memory/RunMemory.h"
#include "lib/runtime/plan/KernelCall.h"
#include "lib/runtime/plan/Library.h"
#include "lib/runtime/plan/Plan.h"
#include "lib/runtime/run/Device.h"
#include "lib/runtime/run/RunLimits.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace proa::runtime {

class Profile;
struct NonFinite;

using ShapeFunction = void (*)(const int64_t *inputDims, int64_t *result);

/// A dim of a value that is known only in a run.
struct DynamicDim {
  ValueId value;
  uint32_t axis;
};

/// Names the op of a compiled kernel that computed a NaN or an Inf: the errors to report instead of the
/// kernel's, empty if no op was found. `inputs` are the kernel's inputs before it ran.
using KernelDiagnosis = std::function<Diagnostics(const Step &step, const std::vector<Tensor> &inputs)>;

struct BoundStep;
using BoundSteps = std::vector<BoundStep>;

/// A step, with the facts that are known at load.
struct BoundStep {
  const Step *step = nullptr;
  size_t index = 0;              ///< in the order of forEachStep: of its state and its times
  KernelPointer function;        ///< Kernel
  size_t deviceKernel = 0;       ///< Kernel on a device: the number of Device::bind
  ShapeFunction shape = nullptr; ///< Kernel with a dynamic number of rows or dynamic output dims
  std::unique_ptr<LibraryKernel> library;
  std::shared_ptr<DeviceLibraryKernel> deviceLibrary; ///< Library on a device
  /// With `deviceLibrary`: the same step on the host, for a library that refuses it in a run.
  std::function<Result<std::unique_ptr<LibraryKernel>>()> createOnHost;
  /// Of a library step in a body: why the runtime lacks a kernel for it. The body may never run.
  Diagnostics refusal;
  size_t firstFault = 0;              ///< Kernel: the index of its first check among the checks of all steps
  std::vector<DynamicDim> inputDims;  ///< Kernel
  std::vector<DynamicDim> outputDims; ///< Kernel
  double rowNanoseconds = 0;      ///< Kernel: estimate of the work of a row; 0: depends on dims of the run
  std::vector<BoundSteps> bodies; ///< If, While
};

/// Nanoseconds to read or write `bytes` bytes, for kernels without an estimate.
double nanosecondsFor(double bytes);

/// Facts that all frames of an executable share.
struct Layout {
  const Plan *plan = nullptr;
  std::vector<std::vector<ValueId>> followers; ///< by value: the aliases that change with it
  std::vector<uint8_t> isStatic;               ///< by value: all dims known
  size_t maximalBuffers = 0;                   ///< of a kernel step
  size_t checkCount = 0;                       ///< of all kernel steps
  size_t maximalDims = 0; ///< dynamic dims of a kernel step, and one for its number of rows

  explicit Layout(const Plan &plan);
};

/// Steps of a list whose work on a device is recorded: [begin, end).
struct GraphRange {
  size_t begin = 0, end = 0;
};

/// The record of a range of one session.
struct RecordedGraph {
  std::shared_ptr<DeviceGraph> graph;
  /// Of the services and all values of the steps, when they were recorded or, without a graph, when they ran
  /// last.
  std::vector<const void *> addresses;
};

class Frame {
public:
  /// `device` is null for a plan that uses none; it must outlive the frame.
  ///
  /// `memory` has the arena and the values with dynamic dims on the host; null: memory of its own. Frames
  /// that share it must not run at once.
  explicit Frame(const Layout &layout, Device *device = nullptr, std::shared_ptr<RunMemory> memory = nullptr);
  ~Frame();
  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  /// Allocates the arena, and the arena of the device unless nothing will be placed there. Error: no memory.
  Result<void> allocate(bool onDevice = true);
  /// Before each run: finds the arena of `memory`, which other frames may have moved. Error: no memory.
  Result<void> placeArena();
  RunMemory &runMemory() { return *memory; }
  /// Gives a value that lives outside of the frame its bytes, and its dims where they are dynamic.
  void place(ValueId id, void *data, std::span<const int64_t> dims);
  const View &view(ValueId id) const { return views[static_cast<size_t>(id)]; }
  /// Error: a value whose elements do not fill its dims.
  Result<void> checkFits(ValueId id) const;
  /// Runs the steps in order; `states` has a slot for each step's index. The error of a step names the
  /// user's line and the op.
  Result<void> execute(std::span<const BoundStep> steps, std::span<std::unique_ptr<KernelState>> states,
                       Profile *profile);
  /// An error of a step, with its output.
  Diagnostic atStep(const Step &step, const std::string &message) const;
  /// Runs steps that the device can record: at first step by step, which loads code and allocates workspaces;
  /// with the same addresses again, by a graph.
  Result<void> executeGraph(std::span<const BoundStep> steps, std::span<std::unique_ptr<KernelState>> states,
                            RecordedGraph &recorded);
  /// Whether execute() ends at the first step that makes a NaN or an Inf (FiniteCheck.h). `diagnosis` may be
  /// empty; it must outlive the frame.
  void setFiniteCheck(bool on, const KernelDiagnosis &diagnosis) {
    checksFinite = on;
    kernelDiagnosis = on && diagnosis ? &diagnosis : nullptr;
  }
  /// How compiled kernels are called; empty: plainly. It must outlive the frame.
  void setKernelInvoker(const KernelInvoker &invoker) { kernelInvoker = invoker ? &invoker : nullptr; }
  /// Where random numbers come from; a new frame has a generator of its own.
  void setGenerator(std::shared_ptr<RandomGenerator> shared) { generator = std::move(shared); }
  const std::shared_ptr<RandomGenerator> &sharedGenerator() const { return generator; }
  /// The other ranks of a distributed run; null: the run is not distributed.
  void setCommunicator(std::shared_ptr<Communicator> shared) { communicator = std::move(shared); }
  const std::shared_ptr<Communicator> &sharedCommunicator() const { return communicator; }
  /// State variables outside of the program; null: there are none.
  void setOffload(std::shared_ptr<OffloadQueue> shared) { offload = std::move(shared); }
  const std::shared_ptr<OffloadQueue> &sharedOffload() const { return offload; }
  /// When the run ends early; null: never. It must outlive the frame's use of it.
  void setLimits(const RunLimits *given) { limits = given; }
  /// Takes the memory of a Dynamic value out of the frame; null where its bytes belong to a feed or a
  /// constant.
  std::shared_ptr<void> takeBuffer(ValueId id);
  /// Frees all Dynamic and Array values that are left.
  void releaseAll();
  /// Waits for the work on the device. Error: it failed, or a kernel found a wrong index.
  Result<void> waitForDevice();
  /// Notes the times of the steps on the device in the profile of a run that has ended.
  Result<void> takeDeviceTimes(Profile &profile);
  /// Ends the work on the device after an error of a run.
  void abandonDevice();
  /// Makes the copy step that writes a value do nothing, or do its work again.
  void setCopied(ValueId id, bool on) { isLeftOut[static_cast<size_t>(id)] = !on; }
  /// Copies the new values of states over the current ones, on the device.
  Result<void> advanceStates();
  /// The bytes of a value on the device, now.
  Result<Tensor> hostCopy(ValueId id) const;
  /// Memory of the device that outlives the frame. Error: no memory.
  Result<std::shared_ptr<void>> allocateOnDevice(size_t bytes);

private:
  /// A value on its way from one place to another.
  struct Held {
    ArrayElement element;
    std::shared_ptr<TensorArray> array;
  };
  class LibraryCall;
  using States = std::span<std::unique_ptr<KernelState>>;

  Result<void> runStep(const BoundStep &bound, States states, Profile *profile);
  // The check of finite values (FiniteCheck.cpp).
  NonFinite nonFiniteOf(ValueId id) const;
  NonFinite nonFiniteIn(std::span<const ValueId> ids) const;
  std::vector<Tensor> copiesOf(std::span<const ValueId> ids) const;
  Result<void> runChecked(const BoundStep &bound, States states, Profile *profile);
  // Steps on the device (DeviceSteps.cpp).
  Result<void> allocateDeviceArena();
  Result<void> launchKernel(const BoundStep &bound, int64_t rows);
  Result<void> runDeviceLibrary(const BoundStep &bound);
  Result<void> runOnHost(const BoundStep &bound);
  Result<void> runCopy(const Step &step);
  Result<void> runTimed(const BoundStep &bound, States states, Profile &profile);
  /// Of operands and results.
  double bytesOf(const Step &step) const;
  /// Adds a step that ran; `isTimed`: runTimed() measures it.
  void addTo(Profile &profile, const BoundStep &bound, bool isTimed, int64_t begin, int64_t end) const;
  // Counters and index checks of kernels (KernelServices.h).
  Result<void> addServices(const BoundStep &bound, size_t &count);
  Result<void> allocateDeviceServices();
  Result<void> findFaults(const BoundStep &bound, std::vector<uint64_t> &words);
  Result<void> findDeviceFaults();
  bool isOnDevice(ValueId id) const { return plan.values[static_cast<size_t>(id)].memory == Memory::Device; }
  BufferPool &poolOf(ValueId id) { return isOnDevice(id) ? devicePool : memory->buffers(); }
  Diagnostics noMemoryFor(const Value &value, std::span<const int64_t> dims) const;
  // Control flow (ControlFlow.cpp).
  Result<void> runIf(const BoundStep &bound, States states, Profile *profile);
  Result<void> runWhile(const BoundStep &bound, States states, Profile *profile);
  Result<bool> condition(ValueId id) const;
  Result<ArrayElement> share(ValueId id);
  Result<void> set(ValueId id, ArrayElement element);
  Result<void> pass(std::span<const ValueId> from, std::span<const ValueId> dying,
                    std::span<const ValueId> to);
  void release(ValueId id);
  Result<void> runKernel(const BoundStep &bound);
  Result<void> callOnHost(const BoundStep &bound, int64_t rows);
  Result<void> invokeKernel(const BoundStep &bound, int64_t rows, int64_t grain);
  /// Error: dims that the step's kernel takes to be equal differ.
  Result<void> checkDims(const Step &step) const;
  Result<void> computeShape(const BoundStep &bound, int64_t &rows);
  double rowNanosecondsOf(const BoundStep &bound, int64_t rows) const;
  Result<View> provide(ValueId id, std::span<const int64_t> dims);
  void updateFollowers(ValueId id);
  bool setAliasDims(ValueId id);
  void setDims(ValueId id, std::span<const int64_t> dims);

  const Layout &layout;
  const Plan &plan;
  Device *device;
  std::unique_ptr<DeviceQueue> queue; ///< null until the plan needs the device
  std::shared_ptr<RunMemory> memory;
  bool isAllocated = false; ///< `memory` counts the arena of the plan
  void *arena = nullptr;    ///< where Arena values are now
  std::shared_ptr<void> deviceArena;
  /// Of a profiled step on the device: marks before and after it.
  struct DeviceTime {
    size_t step, begin, end;
    double bytes;
  };
  std::vector<DeviceTime> deviceTimes;
  /// By index: library steps that the library of the device refused in an earlier run.
  std::map<size_t, std::unique_ptr<LibraryKernel>> refused;
  std::vector<int64_t> dimStorage;
  std::vector<size_t> dimBegin; ///< by value: into dimStorage
  std::vector<View> views;      ///< by value
  std::vector<uint8_t> misfits; ///< by value: an alias that its base does not fill now
  size_t misfitCount = 0;
  std::vector<uint8_t> isLeftOut; ///< by value: the copy step that writes it
  BufferPool devicePool;
  std::vector<BufferPool::Buffer> buffers;          ///< by value: of Dynamic values
  std::vector<std::shared_ptr<TensorArray>> arrays; ///< by value: of Array values
  std::vector<Held> held;                           ///< what control flow is passing on
  std::vector<void *> pointers;                     ///< arguments of the kernel being called
  std::vector<int64_t> kernelDims;                  ///< likewise
  std::vector<uint64_t> parameters;                 ///< of the device kernel being launched
  std::vector<int64_t> shapeResult;
  std::vector<uint32_t> counters;           ///< of kernels on the host
  std::vector<uint64_t> faults;             ///< by check: of kernels on the host
  std::shared_ptr<void> deviceServices;     ///< counters, then the words of checks
  std::vector<const BoundStep *> unchecked; ///< steps with checks that the device may not have done
  std::vector<size_t> serviceBytes;         ///< of the kernel being called: sizes of the last of `pointers`
  bool checksFinite = false;
  const KernelDiagnosis *kernelDiagnosis = nullptr;
  const KernelInvoker *kernelInvoker = nullptr;
  const RunLimits *limits = nullptr;
  std::shared_ptr<RandomGenerator> generator = std::make_shared<RandomGenerator>();
  std::shared_ptr<Communicator> communicator;
  std::shared_ptr<OffloadQueue> offload;
  std::map<ValueId, std::unique_ptr<StartedWork>> started; ///< by output of Step::isStart, before the wait
};

/// "net.py:42: gelu + matmul": where an error of a step is.
std::string locationOf(const Step &step);

} // namespace proa::runtime
