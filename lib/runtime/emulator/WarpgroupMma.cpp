// wgmma: matrices in shared memory by descriptors. The layouts are the canonical ones of the PTX ISA. The
// result is computed at once. What must not happen before the wait for it is reported: a read of the result,
// and a write of the matrices.
#include "lib/runtime/emulator/Functions.h"
#include "lib/runtime/emulator/MatrixNumbers.h"

#include "lib/base/target/WarpgroupRegisters.h"

#include <numeric>
#include <vector>

namespace proa::emulator {
namespace {

/// Rows of a core matrix, and bytes of a row of one.
constexpr int64_t coreRows = 8, coreBytes = 16;

/// A matrix descriptor.
struct MatrixLayout {
  int64_t start, leading, stride; ///< byte offsets in the shared memory of a block
  Swizzle swizzle;
  bool isTransposed;
  int64_t elementBytes;

  MatrixLayout(uint64_t descriptor, bool isTransposed, int64_t elementBytes)
      : isTransposed(isTransposed), elementBytes(elementBytes) {
    auto field = [&](unsigned bit) { return static_cast<int64_t>(descriptor >> bit & 0x3fff) << 4; };
    start = field(0);
    leading = field(16);
    stride = field(32);
    constexpr Swizzle modes[] = {Swizzle::None, Swizzle::Bytes128, Swizzle::Bytes64, Swizzle::Bytes32};
    swizzle = modes[descriptor >> 62];
  }

  /// The offset of the element at `outer` (a row of A or a column of B) and `k`.
  int64_t offsetOf(int64_t outer, int64_t k) const {
    int64_t width = swizzle == Swizzle::None ? coreBytes : static_cast<int64_t>(swizzle), offset = 0;
    if (!isTransposed) {
      int64_t along = k * elementBytes;
      offset = outer / coreRows * stride + outer % coreRows * width;
      offset += swizzle == Swizzle::None ? along / coreBytes * leading + along % coreBytes : along;
    } else {
      int64_t along = outer * elementBytes, inK = k / coreRows, inOuter = along / width;
      offset = k % coreRows * width + along % width;
      offset +=
          swizzle == Swizzle::None ? inOuter * stride + inK * leading : inOuter * leading + inK * stride;
    }
    return static_cast<int64_t>(swizzled(static_cast<uintptr_t>(start + offset), swizzle));
  }
};

struct Operands {
  int32_t n, k;
  MatrixElement typeA, typeB, typeD;
  int32_t flags;
  uint64_t descriptorA, descriptorB;
  const uint32_t *registersA; ///< instead of the descriptor
  const void *c;
  void *d;
};

double elementOf(Block &block, Thread &thread, const MatrixLayout &layout, MatrixElement type, int64_t outer,
                 int64_t k) {
  constexpr int64_t checkedBytes = 8; // halves of the 16 bytes of a row of a core matrix
  int64_t offset = layout.offsetOf(outer, k);
  if (offset + layout.elementBytes > static_cast<int64_t>(block.launch().sharedBytes))
    block.fail(thread, fmt::format("multiplies a matrix at offset {} of shared memory, which has {} bytes",
                                   offset, block.launch().sharedBytes));
  if (offset % checkedBytes == 0) {
    checkAsyncAccess(&thread, block.shared() + offset, checkedBytes, readAccess);
    block.sharedOrder().recordRead(static_cast<size_t>(offset), checkedBytes, thread.index / warpSize);
  }
  return numberAt(type, block.shared() + offset, 0);
}

/// Rows of A that a warp has.
constexpr int64_t rowsOfWarp = 16;

/// Rows of A or columns of B as numbers, with all k of each after each other.
void decodeMatrix(std::vector<double> &values, Block &block, Thread &thread, const MatrixLayout &layout,
                  MatrixElement type, int64_t first, int64_t count, int64_t depth) {
  values.clear();
  for (int64_t outer = first; outer < first + count; ++outer)
    for (int64_t k = 0; k < depth; ++k)
      values.push_back(elementOf(block, thread, layout, type, outer, k));
}

/// The rows of A of a warp, from its registers.
void decodeRegisters(std::vector<double> &values, const LaneOperands &lanes, const Operands &operands) {
  static const ThreadLayout layout = warpOperandLayout(rowsOfWarp, /*k=*/16, /*elementBits=*/16);
  values.assign(static_cast<size_t>(rowsOfWarp * operands.k), 0);
  for (int64_t lane = 0; lane < layout.threads(); ++lane)
    for (int64_t i = 0; i < layout.elements(); ++i) {
      auto [row, k] = layout.positionOf({lane, i});
      const uint32_t *registers = static_cast<const Operands *>(lanes[static_cast<size_t>(lane)])->registersA;
      values[static_cast<size_t>(row * operands.k + k)] =
          numberAt(operands.typeA, registers, static_cast<size_t>(i));
    }
}

void multiplyLane(const Operands &operands, const std::vector<double> &a, const std::vector<double> &b,
                  int64_t lane) {
  constexpr int64_t mostColumns = wgmmaInstruction.mostColumns;
  static const auto positions = warpSumsLayout(rowsOfWarp, mostColumns).positions();
  double sign = ((operands.flags & negatesA) != 0) != ((operands.flags & negatesB) != 0) ? -1 : 1;
  for (int64_t i = 0; i < operands.n / 2; ++i) {
    auto [row, column] = positions[static_cast<size_t>(lane * mostColumns / 2 + i)];
    const double *left = &a[static_cast<size_t>(row * operands.k)],
                 *right = &b[static_cast<size_t>(column * operands.k)];
    auto index = static_cast<size_t>(i);
    double sum = operands.flags & addsAccumulator ? numberAt(operands.typeD, operands.c, index) : 0;
    double products = std::inner_product(left, left + operands.k, right, 0.0);
    storeNumber(operands.typeD, operands.d, index, sum + sign * products,
                (operands.flags & saturatesSums) != 0);
  }
}

/// Gives the instruction the next number of its warp.
void issueProduct(Block &block, Thread &thread) {
  uint32_t index = block.sharedOrder().issue(thread.index / warpSize);
  for (Thread &lane : block.warpOf(thread)) {
    if (!lane.products.isFenced)
      block.fail(lane, "executes wgmma with no wgmma.fence before the first one of the group");
    lane.products.issued = index;
  }
}

void performWarpgroupMma(Block &block, Thread &thread, const LaneOperands &lanes, uint32_t) {
  const auto &first = *static_cast<const Operands *>(lanes[0]);
  int64_t warp = thread.index / warpSize % 4;
  block.countWarpgroupOperation(thread);
  issueProduct(block, thread);
  MatrixLayout ofA(first.descriptorA, (first.flags & isATransposed) != 0, bitsOf(first.typeA) / 8),
      ofB(first.descriptorB, (first.flags & isBTransposed) != 0, bitsOf(first.typeB) / 8);
  thread_local std::vector<double> a, b; // an error does not destroy locals
  if (first.registersA)
    decodeRegisters(a, lanes, first);
  else
    decodeMatrix(a, block, thread, ofA, first.typeA, warp * rowsOfWarp, rowsOfWarp, first.k);
  decodeMatrix(b, block, thread, ofB, first.typeB, 0, first.n, first.k);
  for (size_t lane = 0; lane < warpSize; ++lane) {
    const auto &operands = *static_cast<const Operands *>(lanes[lane]);
    if (operands.descriptorA != first.descriptorA || operands.descriptorB != first.descriptorB)
      block.fail(thread,
                 fmt::format("executes wgmma with other matrix descriptors in lane {} than in lane 0", lane));
    multiplyLane(operands, a, b, static_cast<int64_t>(lane));
  }
}

void collectWarpgroupMma(Thread *thread, Operands &operands) {
  constexpr uint32_t warpgroupThreads = 128, registersFlag = 1 << 26;
  Block &block = *thread->block;
  if (thread->index / warpgroupThreads * warpgroupThreads + warpgroupThreads > block.launch().threads())
    block.fail(*thread, fmt::format("executes wgmma in a block of {} threads, expected a multiple of {}",
                                    block.launch().threads(), warpgroupThreads));
  auto qualifiers = static_cast<uint32_t>(operands.n | operands.k << 10 | operands.flags << 20);
  block.collect(*thread, allLanes, WarpOperation::WarpgroupMma,
                qualifiers | (operands.registersA ? registersFlag : 0), &operands, performWarpgroupMma);
}

} // namespace

void multiplyInWarpgroup(Thread *thread, int32_t n, int32_t k, MatrixElement typeA, MatrixElement typeB,
                         MatrixElement typeD, int32_t flags, int64_t descriptorA, int64_t descriptorB,
                         const void *c, void *d) {
  Operands operands{n,
                    k,
                    typeA,
                    typeB,
                    typeD,
                    flags,
                    static_cast<uint64_t>(descriptorA),
                    static_cast<uint64_t>(descriptorB),
                    nullptr,
                    c,
                    d};
  collectWarpgroupMma(thread, operands);
}

void multiplyRegistersInWarpgroup(Thread *thread, int32_t n, int32_t k, MatrixElement type, int32_t flags,
                                  const uint32_t *a, int64_t descriptorB, const void *c, void *d) {
  Operands operands{n, k, type, type, MatrixElement::F32, flags, 0, static_cast<uint64_t>(descriptorB),
                    a, c, d};
  collectWarpgroupMma(thread, operands);
}

void setRegisters(Thread *thread, int32_t registers, int32_t isIncrease) {
  Block &block = *thread->block;
  uint32_t threads = block.launch().threads();
  if (!WarpgroupRegisters::isRequest(registers) || threads % WarpgroupRegisters::threads != 0)
    block.fail(
        *thread,
        fmt::format("executes setmaxnreg of {} registers in a block of {} threads, expected a multiple "
                    "of {} from {} to {}, and whole warpgroups of {} threads",
                    registers, threads, WarpgroupRegisters::unit, WarpgroupRegisters::least,
                    WarpgroupRegisters::most, WarpgroupRegisters::threads));
  constexpr uint32_t increase = 1 << 16;
  auto perform = [](Block &own, Thread &last, const LaneOperands &, uint32_t) {
    uint32_t qualifiers = last.wait.qualifiers;
    own.setRegisters(last, qualifiers % increase, qualifiers >= increase);
  };
  block.collect(*thread, allLanes, WarpOperation::SetRegisters,
                static_cast<uint32_t>(registers) | (isIncrease ? increase : 0), nullptr, perform);
}

void fenceProducts(Thread *thread) { thread->products.isFenced = true; }

void commitProducts(Thread *thread) {
  Products &products = thread->products;
  products.groups.push_back(products.issued);
  products.committed = products.issued;
  products.isFenced = false;
}

void waitForProducts(Thread *thread, int32_t pendingGroups) {
  Products &products = thread->products;
  auto kept = static_cast<size_t>(pendingGroups);
  if (products.groups.size() <= kept)
    return;
  thread->block->delay(*thread, Wait::Kind::Products);
  auto end = products.groups.end() - pendingGroups;
  products.completed = *std::prev(end);
  products.groups.erase(products.groups.begin(), end);
  thread->block->sharedOrder().complete(thread->index / warpSize, products.completed);
}

int64_t lastProduct(const Thread *thread) { return thread->products.issued; }

void checkProduct(Thread *thread, int64_t index) {
  if (index > thread->products.committed)
    thread->block->fail(*thread, "reads the result of a wgmma that no wgmma.commit_group follows");
  if (index > thread->products.completed)
    thread->block->fail(*thread, "reads the result of a wgmma before wgmma.wait_group completes its group");
}

} // namespace proa::emulator
