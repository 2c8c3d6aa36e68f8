// ldmatrix, stmatrix and mma.sync, as the PTX ISA describes their fragments.
#include "lib/runtime/emulator/Functions.h"
#include "lib/runtime/emulator/MatrixNumbers.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

namespace proa::emulator {
namespace {

/// A tile of ldmatrix has 8 rows of 16 bytes.
constexpr int tileRows = 8, rowBytes = 16;

struct LoadOperands {
  const std::byte *row;
  int32_t count;
  uint32_t *result;
};

struct StoreOperands {
  std::byte *row;
  int32_t count;
  const uint32_t *values;
};

template <class Operands> Operands &operandsOf(const LaneOperands &lanes, size_t lane) {
  return *static_cast<Operands *>(lanes[lane]);
}

void requireFullWarp(Thread *thread, const char *operation) {
  if (thread->block->warpOf(*thread).size() != warpSize)
    thread->block->fail(*thread, fmt::format("executes {} in a warp of {} threads, expected {}", operation,
                                             thread->block->warpOf(*thread).size(), warpSize));
}

/// The lane with the address of the row of a 16-bit element, and the byte offset in the row: of half `half`
/// of register `tile` of `lane`.
std::pair<size_t, size_t> positionOf(size_t lane, int32_t tile, size_t half, bool isTransposed) {
  size_t outer = lane / 4, inner = lane % 4 * 2 + half;
  size_t row = isTransposed ? inner : outer, column = isTransposed ? outer : inner;
  return {static_cast<size_t>(tile * tileRows) + row, column * sizeof(uint16_t)};
}

template <bool isTransposed> void performLoad(Block &, Thread &, const LaneOperands &lanes, uint32_t) {
  for (size_t lane = 0; lane < warpSize; ++lane) {
    auto &operands = operandsOf<LoadOperands>(lanes, lane);
    for (int32_t tile = 0; tile < operands.count; ++tile) {
      std::array<uint16_t, 2> halves;
      for (size_t half = 0; half < 2; ++half) {
        auto [rowLane, offset] = positionOf(lane, tile, half, isTransposed);
        std::memcpy(&halves[half], operandsOf<LoadOperands>(lanes, rowLane).row + offset, sizeof(uint16_t));
      }
      operands.result[tile] = std::bit_cast<uint32_t>(halves);
    }
  }
}

template <bool isTransposed> void performStore(Block &, Thread &, const LaneOperands &lanes, uint32_t) {
  for (size_t lane = 0; lane < warpSize; ++lane) {
    auto &operands = operandsOf<StoreOperands>(lanes, lane);
    for (int32_t tile = 0; tile < operands.count; ++tile) {
      auto halves = std::bit_cast<std::array<uint16_t, 2>>(operands.values[tile]);
      for (size_t half = 0; half < 2; ++half) {
        auto [rowLane, offset] = positionOf(lane, tile, half, isTransposed);
        std::memcpy(operandsOf<StoreOperands>(lanes, rowLane).row + offset, &halves[half], sizeof(uint16_t));
      }
    }
  }
}

struct MmaForm {
  int32_t m, k;
  MatrixElement a, b, c, d;
  bool saturates;
};

struct MmaOperands {
  MmaForm form;
  const void *a, *b, *c;
  void *d;
};

/// A matrix of numbers whose rows have `k` elements, of the fragments of a warp.
struct Multiplicand {
  std::vector<double> numbers;
  int64_t k;

  Multiplicand(const LaneOperands &lanes, const void *MmaOperands::*registers, MatrixElement type,
               int64_t outer, int64_t k)
      : numbers(static_cast<size_t>(outer * k)), k(k) {
    ThreadLayout layout = warpOperandLayout(outer, k, bitsOf(type));
    for (int64_t lane = 0; lane < layout.threads(); ++lane)
      for (int64_t i = 0; i < layout.elements(); ++i) {
        auto [row, column] = layout.positionOf({lane, i});
        const void *own = operandsOf<MmaOperands>(lanes, static_cast<size_t>(lane)).*registers;
        numbers[static_cast<size_t>(row * k + column)] = numberAt(type, own, static_cast<size_t>(i));
      }
  }

  const double *row(int64_t index) const { return &numbers[static_cast<size_t>(index * k)]; }
};

/// The sum is rounded once; the processor rounds (or truncates) more often.
void performMma(Block &, Thread &, const LaneOperands &lanes, uint32_t) {
  const MmaForm form = operandsOf<MmaOperands>(lanes, 0).form;
  constexpr int64_t columns = 8;
  Multiplicand a(lanes, &MmaOperands::a, form.a, form.m, form.k),
      b(lanes, &MmaOperands::b, form.b, columns, form.k);
  ThreadLayout sums = warpSumsLayout(form.m, columns);
  for (int64_t lane = 0; lane < sums.threads(); ++lane) {
    auto &operands = operandsOf<MmaOperands>(lanes, static_cast<size_t>(lane));
    for (int64_t i = 0; i < sums.elements(); ++i) {
      auto [row, column] = sums.positionOf({lane, i});
      const double *x = a.row(row), *y = b.row(column);
      auto index = static_cast<size_t>(i);
      double sum = std::inner_product(x, x + form.k, y, numberAt(form.c, operands.c, index));
      storeNumber(form.d, operands.d, index, sum, form.saturates);
    }
  }
}

} // namespace

void loadMatrix(Thread *thread, const std::byte *row, int32_t count, int32_t isTransposed, uint32_t *result) {
  requireFullWarp(thread, "ldmatrix");
  if (thread->lane() < static_cast<uint32_t>(count * tileRows))
    checkSharedAddress(thread, row, rowBytes, rowBytes, readAccess);
  LoadOperands operands{row, count, result};
  thread->block->collect(*thread, allLanes, WarpOperation::LoadMatrix,
                         static_cast<uint32_t>(count | isTransposed << 8), &operands,
                         isTransposed ? performLoad<true> : performLoad<false>);
}

void storeMatrix(Thread *thread, std::byte *row, int32_t count, int32_t isTransposed,
                 const uint32_t *values) {
  requireFullWarp(thread, "stmatrix");
  if (thread->lane() < static_cast<uint32_t>(count * tileRows))
    checkSharedAddress(thread, row, rowBytes, rowBytes, writeAccess);
  StoreOperands operands{row, count, values};
  thread->block->collect(*thread, allLanes, WarpOperation::StoreMatrix,
                         static_cast<uint32_t>(count | isTransposed << 8), &operands,
                         isTransposed ? performStore<true> : performStore<false>);
}

void multiplyMatrices(Thread *thread, int32_t m, int32_t k, MatrixElement typeA, MatrixElement typeB,
                      MatrixElement typeC, MatrixElement typeD, int32_t saturates, const void *a,
                      const void *b, const void *c, void *d) {
  requireFullWarp(thread, "mma.sync");
  MmaOperands operands{{m, k, typeA, typeB, typeC, typeD, saturates != 0}, a, b, c, d};
  auto qualifiers = static_cast<uint32_t>(
      m | k << 8 | static_cast<int32_t>(typeA) << 16 | static_cast<int32_t>(typeB) << 20 |
      static_cast<int32_t>(typeC) << 24 | static_cast<int32_t>(typeD) << 28);
  thread->block->collect(*thread, allLanes, WarpOperation::Mma, qualifiers, &operands, performMma);
}

int32_t roundToTensorFloat32(const Thread *, float value, int32_t tiesAway) {
  auto bits = std::bit_cast<uint32_t>(value);
  if (!std::isfinite(value))
    return static_cast<int32_t>(bits);
  constexpr uint32_t dropped = 13, half = 1u << (dropped - 1);
  bits += tiesAway ? half : half - 1 + (bits >> dropped & 1);
  return static_cast<int32_t>(bits & ~((1u << dropped) - 1));
}

} // namespace proa::emulator
