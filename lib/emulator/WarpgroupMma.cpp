// wgmma: matrices in shared memory by descriptors. The layouts are the canonical ones of the PTX ISA. The
// result is computed at once. What must not happen before the wait for it is reported: a read of the result,
// and a write of the matrices.
#include "lib/emulator/Functions.h"
#include "proa/Half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace proa::emulator {
namespace {

/// Rows of a core matrix, and bytes of a row of one.
constexpr int64_t coreRows = 8, coreBytes = 16;

/// A float of 8 bits. E4M3 has no infinities.
double decodeByte(uint8_t bits, int exponentBits, int mantissaBits) {
  int bias = (1 << (exponentBits - 1)) - 1, exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
  int mantissa = bits & ((1 << mantissaBits) - 1), largest = (1 << exponentBits) - 1;
  double sign = bits & 0x80 ? -1 : 1;
  bool hasInfinities = exponentBits == 5;
  if (exponent == largest && hasInfinities)
    return mantissa ? NAN : sign * INFINITY;
  if (exponent == largest && mantissa == (1 << mantissaBits) - 1)
    return NAN;
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
  return sign * std::ldexp(mantissa + (1 << mantissaBits), exponent - bias - mantissaBits);
}

template <class T> T read(const std::byte *address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

double decode(WgmmaType type, const std::byte *address) {
  switch (type) {
  case WgmmaType::Float16:
    return static_cast<float>(read<Float16>(address));
  case WgmmaType::BFloat16:
    return static_cast<float>(read<BFloat16>(address));
  case WgmmaType::TensorFloat32:
    return std::bit_cast<float>(read<uint32_t>(address) & 0xffffe000);
  case WgmmaType::Int8:
    return read<int8_t>(address);
  case WgmmaType::UInt8:
    return read<uint8_t>(address);
  case WgmmaType::E4M3:
    return decodeByte(read<uint8_t>(address), 4, 3);
  case WgmmaType::E5M2:
    return decodeByte(read<uint8_t>(address), 5, 2);
  default:
    return 0;
  }
}

int64_t bytesOf(WgmmaType type) {
  switch (type) {
  case WgmmaType::TensorFloat32:
    return 4;
  case WgmmaType::Float16:
  case WgmmaType::BFloat16:
    return 2;
  default:
    return 1;
  }
}

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
  WgmmaType typeA, typeB, typeD;
  int32_t flags;
  uint64_t descriptorA, descriptorB;
  const uint32_t *registersA; ///< instead of the descriptor
  const void *c;
  void *d;
};

double elementOf(Block &block, Thread &thread, const MatrixLayout &layout, WgmmaType type, int64_t outer,
                 int64_t k) {
  constexpr int64_t checkedBytes = 8; // parts of the 16 bytes of a row of a core matrix
  int64_t offset = layout.offsetOf(outer, k);
  if (offset + layout.elementBytes > static_cast<int64_t>(block.launch().sharedBytes))
    block.fail(thread, fmt::format("multiplies a matrix at offset {} of shared memory, which has {} bytes",
                                   offset, block.launch().sharedBytes));
  if (offset % checkedBytes == 0) {
    checkAsyncAccess(&thread, block.shared() + offset, checkedBytes, readAccess);
    block.sharedOrder().recordRead(static_cast<size_t>(offset), checkedBytes, thread.index / warpSize);
  }
  return decode(type, block.shared() + offset);
}

/// The rounded or saturated sum as it is in a register.
void storeSum(const Operands &operands, size_t index, double sum) {
  auto *bytes = static_cast<std::byte *>(operands.d);
  if (operands.typeD == WgmmaType::Float16) {
    Float16 value(static_cast<float>(sum));
    std::memcpy(bytes + index * sizeof value, &value, sizeof value);
  } else if (operands.typeD == WgmmaType::Int32) {
    auto whole = static_cast<int64_t>(sum);
    if (operands.flags & saturatesSums)
      whole = std::clamp<int64_t>(whole, INT32_MIN, INT32_MAX);
    auto value = static_cast<int32_t>(whole);
    std::memcpy(bytes + index * sizeof value, &value, sizeof value);
  } else {
    auto value = static_cast<float>(sum);
    std::memcpy(bytes + index * sizeof value, &value, sizeof value);
  }
}

double accumulatorOf(const Operands &operands, size_t index) {
  const auto *bytes = static_cast<const std::byte *>(operands.c);
  if (!(operands.flags & addsAccumulator))
    return 0;
  if (operands.typeD == WgmmaType::Float16)
    return static_cast<float>(read<Float16>(bytes + index * sizeof(Float16)));
  if (operands.typeD == WgmmaType::Int32)
    return read<int32_t>(bytes + index * sizeof(int32_t));
  return read<float>(bytes + index * sizeof(float));
}

/// Rows of A that a warp has.
constexpr int64_t rowsOfWarp = 16;

/// Rows of A or columns of B as numbers, with all k of each after each other.
void decodeMatrix(std::vector<double> &numbers, Block &block, Thread &thread, const MatrixLayout &layout,
                  WgmmaType type, int64_t first, int64_t count, int64_t depth) {
  numbers.clear();
  for (int64_t outer = first; outer < first + count; ++outer)
    for (int64_t k = 0; k < depth; ++k)
      numbers.push_back(elementOf(block, thread, layout, type, outer, k));
}

/// The rows of A of a warp, from its registers.
void decodeRegisters(std::vector<double> &numbers, const LaneOperands &lanes, const Operands &operands) {
  numbers.assign(static_cast<size_t>(rowsOfWarp * operands.k), 0);
  for (size_t lane = 0; lane < warpSize; ++lane) {
    const uint32_t *registers = static_cast<const Operands *>(lanes[lane])->registersA;
    for (size_t i = 0; i < 8; ++i) {
      size_t row = lane / 4 + i / 2 % 2 * 8, k = lane % 4 * 2 + i % 2 + i / 4 * 8;
      const auto *element = reinterpret_cast<const std::byte *>(registers) + i * sizeof(uint16_t);
      numbers[row * static_cast<size_t>(operands.k) + k] = decode(operands.typeA, element);
    }
  }
}

void multiplyLane(const Operands &operands, const std::vector<double> &a, const std::vector<double> &b,
                  int64_t lane) {
  double sign = ((operands.flags & negatesA) != 0) != ((operands.flags & negatesB) != 0) ? -1 : 1;
  for (int64_t i = 0; i < operands.n / 2; ++i) {
    int64_t row = lane / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    const double *left = &a[static_cast<size_t>(row * operands.k)],
                 *right = &b[static_cast<size_t>(column * operands.k)];
    double sum = accumulatorOf(operands, static_cast<size_t>(i)), products = 0;
    for (int64_t k = 0; k < operands.k; ++k)
      products += left[k] * right[k];
    storeSum(operands, static_cast<size_t>(i), sum + sign * products);
  }
}

/// Gives the instruction the next number of its warp.
void issueProduct(Block &block, Thread &thread) {
  uint32_t number = block.sharedOrder().issue(thread.index / warpSize);
  for (Thread &lane : block.warpOf(thread)) {
    if (!lane.products.isFenced)
      block.fail(lane, "executes wgmma with no wgmma.fence before the first one of the group");
    lane.products.issued = number;
  }
}

void performWarpgroupMma(Block &block, Thread &thread, const LaneOperands &lanes, uint32_t) {
  const auto &first = *static_cast<const Operands *>(lanes[0]);
  int64_t warp = thread.index / warpSize % 4;
  block.countWarpgroupOperation(thread);
  issueProduct(block, thread);
  MatrixLayout ofA(first.descriptorA, (first.flags & isATransposed) != 0, bytesOf(first.typeA)),
      ofB(first.descriptorB, (first.flags & isBTransposed) != 0, bytesOf(first.typeB));
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

void multiplyInWarpgroup(Thread *thread, int32_t n, int32_t k, WgmmaType typeA, WgmmaType typeB,
                         WgmmaType typeD, int32_t flags, int64_t descriptorA, int64_t descriptorB,
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

void multiplyRegistersInWarpgroup(Thread *thread, int32_t n, int32_t k, WgmmaType type, int32_t flags,
                                  const uint32_t *a, int64_t descriptorB, const void *c, void *d) {
  Operands operands{n, k, type, type, WgmmaType::Float32, flags, 0, static_cast<uint64_t>(descriptorB),
                    a, c, d};
  collectWarpgroupMma(thread, operands);
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

void checkProduct(Thread *thread, int64_t number) {
  if (number > thread->products.committed)
    thread->block->fail(*thread, "reads the result of a wgmma that no wgmma.commit_group follows");
  if (number > thread->products.completed)
    thread->block->fail(*thread, "reads the result of a wgmma before wgmma.wait_group completes its group");
}

} // namespace proa::emulator
