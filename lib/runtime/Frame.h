/// The memory of one execution of a plan's steps, and the loop that interprets them. Used by Session for runs
/// and by Executable for Plan::prepare.
#pragma once

#include "lib/runtime/BufferPool.h"
#include "lib/runtime/Library.h"
#include "lib/runtime/Plan.h"

#include <memory>
#include <span>
#include <vector>

namespace proa::runtime {

class Profile;

using KernelFunction = void (*)(void *const *buffers, const int64_t *dims, int64_t begin, int64_t end);
using ShapeFunction = void (*)(const int64_t *inputDims, int64_t *result);

/// A dim of a value that is known only in a run.
struct DynamicDim {
  ValueId value;
  uint32_t axis;
};

/// A step with all that can be found out at load.
struct BoundStep {
  const Step *step = nullptr;
  KernelFunction function = nullptr; ///< Kernel
  ShapeFunction shape = nullptr;     ///< Kernel whose extent or output dims are dynamic
  std::unique_ptr<LibraryKernel> library;
  std::vector<DynamicDim> inputDims;  ///< Kernel
  std::vector<DynamicDim> outputDims; ///< Kernel
  int64_t grain = 0; ///< Kernel: rows below which a thread does not pay; 0: depends on dims of the run
};

/// Rows below which another thread does not pay, from the nanoseconds of one row.
int64_t grainOf(double nanosecondsPerRow);
/// Nanoseconds to read or write so many bytes, for kernels that come without an estimate.
double nanosecondsFor(double bytes);

/// What all frames of an executable share.
struct Layout {
  const Plan *plan = nullptr;
  std::vector<std::vector<ValueId>> followers; ///< by value: the aliases that change with it
  std::vector<uint8_t> isStatic;               ///< by value: all dims known
  size_t maximalBuffers = 0;                   ///< of a kernel step
  size_t maximalDims = 0;                      ///< dynamic dims of a kernel step, and one for the extent

  explicit Layout(const Plan &plan);
};

class Frame {
public:
  explicit Frame(const Layout &layout);
  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  /// Allocates the arena. Error: no memory.
  Result<void> allocate();
  /// Gives a value that lives outside of the frame its bytes, and its dims where they are dynamic.
  Result<void> place(ValueId id, void *data, std::span<const int64_t> dims);
  const View &view(ValueId id) const { return views[static_cast<size_t>(id)]; }
  /// Runs the steps in order; `states` has a slot for each. The problem of a step names the user's line and
  /// the op.
  Result<void> execute(std::span<const BoundStep> steps, std::span<std::unique_ptr<KernelState>> states,
                       Profile *profile);
  /// Takes the memory of a Dynamic value out of the frame.
  AlignedMemory takeBuffer(ValueId id);
  /// Frees all Dynamic values that are left.
  void releaseAll();

private:
  class LibraryCall;

  Result<void> runKernel(const BoundStep &bound);
  Result<void> computeShape(const BoundStep &bound, int64_t &extent);
  int64_t grainFor(const BoundStep &bound, int64_t extent) const;
  Result<View> provide(ValueId id, std::span<const int64_t> dims);
  Result<void> updateFollowers(ValueId id);
  Result<void> setAliasDims(ValueId id);
  void setDims(ValueId id, std::span<const int64_t> dims);

  const Layout &layout;
  const Plan &plan;
  AlignedMemory arena;
  std::vector<int64_t> dimStorage;
  std::vector<size_t> dimBegin; ///< by value: into dimStorage
  std::vector<View> views;      ///< by value
  BufferPool pool;
  std::vector<BufferPool::Buffer> buffers; ///< by value: of Dynamic values
  BufferPool::Buffer scratch;
  std::vector<void *> pointers;    ///< arguments of the kernel being called
  std::vector<int64_t> kernelDims; ///< likewise
  std::vector<int64_t> shapeResult;
};

/// "net.py:42: gelu + matmul": where a problem of a step is.
std::string placeOf(const Step &step);

} // namespace proa::runtime
