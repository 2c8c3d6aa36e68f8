/// The plan of a program, from the compiler to the runtime: its values, the storage of each, and the steps
/// that compute them.
///
/// A plan and one object file of compiled kernels are an executable. Both are stored in the object cache and,
/// ahead of time, in a shared library. The runtime needs no compiler to run them.
#pragma once

#include "lib/base/support/CheckedNumber.h"
#include "lib/base/target/TargetFacts.h"
#include "proa/Result.h"
#include "proa/Tensor.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace proa::runtime {

/// A dimension known only when the program runs.
inline constexpr int64_t dynamicDim = -1;

/// Index into Plan::values; `none` marks an optional operand that is absent.
using ValueId = int32_t;
inline constexpr ValueId none = -1;

/// Where the bytes of a value live.
enum class Storage : uint8_t {
  Feed,      ///< given by the caller of a run; `name` is the feed's name
  Parameter, ///< set when the program is loaded, constant over all runs, static dims; `name` is the
             ///< parameter's name
  Constant,  ///< part of the plan: Plan::constants at `offset`
  Prepared,  ///< computed once by Plan::prepare after the parameters are there; own memory, static dims, then
             ///< constant
  Arena,     ///< at `offset` (a multiple of 64) of the run's arena; its dims are all static
  Result,  ///< its bytes become a result of the run, so that none is copied; its dims are all static, and one
           ///< of Plan::fetches is the value or an alias of it
  Dynamic, ///< allocated by the step that writes it, freed after the step that lists it in `release`
  Alias,   ///< the bytes of value `base` from byte `offset` on, under other dims (a reshape, a slice of the
           ///< outer dim)
  Array,   ///< a tensor array: dtype and dims describe its elements; released as Dynamic values are
};

/// Which memory holds the bytes of a value. A device has its own arena, at the same kind of offsets.
enum class Memory : uint8_t {
  Host,
  Device, ///< only Prepared, Arena, Dynamic and Alias values
};

/// Every address that a compiled kernel gets is a multiple of this, and so are the offsets of arena values
/// and constants; but feeds and results in the caller's memory are aligned to their elements only, unless an
/// invoker calls the kernels (Executable::setKernelInvoker).
inline constexpr int64_t addressAlignment = 64;

struct Value {
  DType dtype = DType::Float32;
  std::vector<int64_t> dims; ///< dynamicDim where not known
  Storage storage = Storage::Arena;
  int64_t offset = 0;           ///< Arena, Constant, Alias: in bytes, a multiple of addressAlignment
  ValueId base = none;          ///< Alias: an earlier value
  std::string name;             ///< Feed, Parameter; otherwise for people only
  Memory memory = Memory::Host; ///< Alias: as its base
};

enum class StepKind : uint8_t {
  Kernel,  ///< a compiled kernel: `symbol` is its name in the object file
  Library, ///< a kernel of the runtime: `symbol` is its name in the library registry ("matmul", "topk")
  If,      ///< runs one of two bodies
  While,   ///< runs a body as long as another one says so
  /// Copies inputs[0] to outputs[0], which have the same type and dims and are in different memories. A copy
  /// to the host is done when a later step of kind Wait has run.
  Copy,
  Wait, ///< waits until the device has done everything before
};

/// A parameter of a kernel that describes a contiguous tensor to the tensor memory accelerator: a
/// CUtensorMap.
struct TensorMapParameter {
  /// A constant times dynamic dims, which are named by their numbers among the parameters of the kernel.
  struct Size {
    int64_t constant = 1;
    std::vector<int32_t> dims;
  };
  int32_t buffer = 0;       ///< number among the buffers
  int32_t elementBytes = 1; ///< 1, 2, 4 or 8
  std::vector<Size> sizes;  ///< outermost first
  std::vector<int32_t> box; ///< elements of one copy, for each dim
  int32_t swizzle = 0;      ///< bytes of the pattern in shared memory: 0, 32, 64 or 128
};

/// How a step runs on a device. lib/compiler/codegen/cuda/CompileDevice.h describes the parameters of
/// kernels.
struct DeviceLaunch {
  std::string library;     ///< Library: the device library of the step; empty: it runs on the host
  int32_t threads = 0;     ///< Kernel: of a block; 0: it runs on the host
  int64_t sharedBytes = 0; ///< dynamic shared memory of a block
  /// The kernel's parameters in order: 'p' is the address of the next buffer, 'd' the next dynamic dim. The
  /// range of rows follows: a block computes the rows begin + its index, in steps of the number of blocks.
  std::string parameters;
  std::vector<TensorMapParameter> tensorMaps; ///< the parameters after the range of rows
  int32_t residentBlocks = 0; ///< largest number of blocks for each multiprocessor; 0: a block for each row
  bool allowsTf32 = false;    ///< Library: ModelOptions::allowsTf32
};

/// A check of a kernel that the elements of one of its inputs are indices of a dimension, or sizes of groups
/// of its rows. KernelServices.h describes how the kernel reports one that is not.
struct IndexCheck {
  int32_t indices = -1; ///< into Step::inputs; -1: a constant of the kernel
  int32_t bound = -1;   ///< into Step::inputs: its dim `axis` is the bound; -1: `size` is
  int32_t axis = 0;
  int64_t size = 0;
  CheckedNumber kind = CheckedNumber::Index;
};

/// A condition of a kernel on dims that only a run knows: dim `axis` of an input is dim `otherAxis` of
/// another one, or `size`, or 1 if `mayBeOne`. The runtime compares them before the call.
struct DimCheck {
  int32_t input = 0; ///< into Step::inputs
  int32_t axis = 0;
  int32_t other = -1; ///< into Step::inputs; -1: the dim is `size`
  int32_t otherAxis = 0;
  int64_t size = dynamicDim;
  bool mayBeOne = false;
};

struct Step;

/// A list of steps inside of a control-flow step. What is defined in it is seen in it alone.
struct Body {
  std::vector<ValueId> arguments; ///< Dynamic or Array values that the step sets before it runs the body
  std::vector<Step> steps;
  std::vector<ValueId> results; ///< what the step takes out at the end
  std::vector<ValueId> release; ///< values of this body that die when the results are taken
};

/// One step of a run.
///
/// A compiled kernel is `void symbol(void *const *buffers, const int64_t *dims, int64_t begin, int64_t end)`:
/// `buffers` are the inputs, then the outputs; `dims` holds the value of each *dynamic* dimension of these
/// buffers in order; [begin, end) is a range of the kernel's parallel rows, so that the runtime may split it
/// over threads. When their number or a dim of an output is dynamic, the object also has `void
/// symbol_shape(const int64_t *inputDims, int64_t *result)`: from the dynamic dims of the inputs it writes
/// the dynamic dims of the outputs and then the number of rows. A library kernel computes the dims of its
/// Dynamic outputs itself. The library kernel "reshape" may write an Alias of its input: no bytes move, only
/// the dims are computed. An Alias that no step writes has at most one dynamic dim, which follows from the
/// number of elements of its base. The output of a step with `post_ops` may have the memory of the first
/// operand of kind `add`: it adds in place. If: inputs[0] is a condition, one bool. bodies[0] runs where it
/// holds, else bodies[1]; the results of the body become the outputs. While: bodies[0] is the test. Its
/// arguments are the inputs at first; its results are a condition and then what flows on: as the condition
/// holds, to the arguments of bodies[1], whose results are the next arguments of the test; at last to the
/// outputs. The test and the body may share an argument. Values that control flow hands on share
/// their bytes: nothing writes to them any more.
///
/// A library step with `isStart` returns before its output is complete. The library step "dist_wait" whose
/// first input is that output waits for it, in the same list of steps; its output is an alias of the input.
/// Until then no other step uses the output, and the inputs do not change: they are inputs of the wait too.
struct Step {
  StepKind kind = StepKind::Kernel;
  std::string symbol;
  std::vector<ValueId> inputs;  ///< Library: `none` where an optional operand is absent
  std::vector<ValueId> outputs; ///< Library: `none` where nobody reads an optional result
  nlohmann::json attributes = nlohmann::json::object(); ///< Library: the op's attributes by name
  int64_t rows = 1; ///< Kernel: number of parallel rows; dynamicDim: symbol_shape says
  /// Estimated nanoseconds on one thread for all rows (for one row, if their number is dynamic); 0: estimated
  /// from the bytes read and written.
  double work = 0;
  double flops = 0;             ///< arithmetic operations of a run; 0: not known
  std::string label;            ///< for profiles: op names of the group
  std::string location;         ///< where the user wrote it ("net.py:42"), or empty
  std::vector<ValueId> release; ///< Dynamic and Array values that die after this step
  std::vector<Body> bodies;     ///< If, While
  DeviceLaunch launch;          ///< Kernel, Library
  /// Kernel: after its outputs it gets the address of kernelCounters counters.
  bool hasCounters = false;
  /// Kernel: after these it gets the address of a word for each check.
  std::vector<IndexCheck> checks;
  std::vector<DimCheck> dimChecks; ///< Kernel
  bool isStart = false;            ///< Library

  /// Whether the step waits for the output of a step with `isStart`.
  bool isWait() const { return kind == StepKind::Library && symbol == "dist_wait"; }
  /// Whether the inputs and outputs are in device memory.
  bool isOnDevice() const {
    return (kind == StepKind::Kernel && launch.threads > 0) ||
           (kind == StepKind::Library && !launch.library.empty());
  }
};

/// Calls `visit` with each step of a list and of the bodies in it: a step first, then what is in its bodies.
template <class Steps, class Visit> void forEachStep(Steps &steps, const Visit &visit) {
  for (auto &step : steps) {
    visit(step);
    for (auto &body : step.bodies)
      forEachStep(body.steps, visit);
  }
}

/// A state variable that may stay on the device: the next run starts with the new value of a run. The session
/// copies `next` over `current` after a run, and leaves out the copies from and to the host.
struct ResidentState {
  ValueId feed = none;    ///< on the host; a copy step of Plan::steps is its only use
  ValueId current = none; ///< the copy; no other value has its memory in a run
  ValueId next = none;    ///< has its memory until the run ends, and no `current` is in this memory
  int32_t fetch = 0;      ///< into Plan::fetches: the copy of `next` on the host is its only use
};

struct Plan {
  std::vector<Value> values;
  std::vector<Step> prepare; ///< run once after the parameters are bound
  std::vector<Step> steps;   ///< one run
  std::vector<ValueId> feeds;
  std::vector<ValueId> parameters;
  std::vector<ValueId> fetches; ///< may repeat a value, may be feeds or parameters themselves
  std::vector<std::string> fetchNames;
  std::vector<ResidentState> states; ///< those that may stay on the device
  int64_t arenaBytes = 0;
  int64_t deviceArenaBytes = 0;
  std::vector<std::byte> constants;
  /// Facts of the CPU that the program is compiled for, if they are not the known ones. Kernels of the
  /// library choose by them on a CPU of this name.
  std::optional<CpuFacts> cpu;
};

/// Whether a step of the plan runs on a device or uses its memory.
bool usesDevice(const Plan &plan);

/// Checks every index, offset and size of the plan, and that each value is written before it is read. After
/// it a run touches no memory outside of the values. `where` begins the messages.
Result<void> verify(const Plan &plan, const std::string &where);

/// The plan as bytes (CBOR), and back. Reading verifies the plan.
std::vector<uint8_t> serialize(const Plan &plan);
Result<Plan> deserialize(std::span<const uint8_t> bytes, const std::string &where);

} // namespace proa::runtime
