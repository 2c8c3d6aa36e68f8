// ldmatrix, stmatrix and mma.sync, as the PTX ISA describes their fragments.
#include "lib/emulator/Functions.h"
#include "proa/Half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

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
std::pair<size_t, size_t> placeOf(size_t lane, int32_t tile, size_t half, bool isTransposed) {
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
        auto [rowLane, offset] = placeOf(lane, tile, half, isTransposed);
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
        auto [rowLane, offset] = placeOf(lane, tile, half, isTransposed);
        std::memcpy(operandsOf<StoreOperands>(lanes, rowLane).row + offset, &halves[half], sizeof(uint16_t));
      }
    }
  }
}

struct MmaForm {
  int32_t m, k;
  MmaType a, b, c, d;
  bool saturates;
};

struct MmaOperands {
  MmaForm form;
  const void *a, *b, *c;
  void *d;
};

size_t bytesOf(MmaType type) {
  switch (type) {
  case MmaType::Float64:
    return 8;
  case MmaType::Float16:
  case MmaType::BFloat16:
    return 2;
  case MmaType::Int8:
  case MmaType::UInt8:
    return 1;
  default:
    return 4;
  }
}

template <class T> T elementAt(const void *registers, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte *>(registers) + index * sizeof(T), sizeof(T));
  return value;
}

/// The 19 upper bits of a float; the processor ignores the others.
float asTensorFloat32(uint32_t bits) { return std::bit_cast<float>(bits & 0xffffe000); }

/// Element `index` of a fragment as a number. Products of two of these are exact in double, but for float64.
double numberAt(MmaType type, const void *registers, size_t index) {
  switch (type) {
  case MmaType::Float16:
    return static_cast<float>(elementAt<Float16>(registers, index));
  case MmaType::BFloat16:
    return static_cast<float>(elementAt<BFloat16>(registers, index));
  case MmaType::TensorFloat32:
    return asTensorFloat32(elementAt<uint32_t>(registers, index));
  case MmaType::Float32:
    return elementAt<float>(registers, index);
  case MmaType::Float64:
    return elementAt<double>(registers, index);
  case MmaType::Int8:
    return elementAt<int8_t>(registers, index);
  case MmaType::UInt8:
    return elementAt<uint8_t>(registers, index);
  case MmaType::Int32:
    return elementAt<int32_t>(registers, index);
  }
  return 0;
}

template <class T> void store(void *registers, size_t index, T value) {
  std::memcpy(static_cast<std::byte *>(registers) + index * sizeof(T), &value, sizeof(T));
}

/// Integer sums of at most 32 products are exact in double.
void storeNumber(const MmaForm &form, void *registers, size_t index, double number) {
  switch (form.d) {
  case MmaType::Float16:
    return store(registers, index, Float16(static_cast<float>(number)));
  case MmaType::Float64:
    return store(registers, index, number);
  case MmaType::Int32: {
    auto sum = static_cast<int64_t>(number);
    if (form.saturates)
      sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
    return store(registers, index, static_cast<int32_t>(sum));
  }
  default:
    return store(registers, index, static_cast<float>(number));
  }
}

/// A lane and an index into its fragment.
struct FragmentPlace {
  size_t lane, index;
};

/// A fragment of A or B consists of units: `perUnit` neighbors along k in one register, four lanes to a
/// group. The units of a lane follow each other along the 8 rows (or columns) first, then along k.
FragmentPlace multiplicandPlace(size_t outer, size_t k, size_t perUnit, size_t outerBlocks) {
  size_t unit = k / (4 * perUnit) * outerBlocks + outer / 8;
  return {outer % 8 * 4 + k / perUnit % 4, unit * perUnit + k % perUnit};
}

double sumOfProducts(const LaneOperands &lanes, const MmaForm &form, size_t row, size_t column,
                     double start) {
  size_t perUnit = std::max<size_t>(1, 4 / bytesOf(form.a)), rowBlocks = static_cast<size_t>(form.m) / 8;
  double sum = start;
  for (size_t k = 0; k < static_cast<size_t>(form.k); ++k) {
    FragmentPlace a = multiplicandPlace(row, k, perUnit, rowBlocks),
                  b = multiplicandPlace(column, k, perUnit, 1);
    double product = numberAt(form.a, operandsOf<MmaOperands>(lanes, a.lane).a, a.index) *
                     numberAt(form.b, operandsOf<MmaOperands>(lanes, b.lane).b, b.index);
    sum += product;
  }
  return sum;
}

/// The sum is rounded once; the processor rounds (or truncates) more often.
void performMma(Block &, Thread &, const LaneOperands &lanes, uint32_t) {
  const MmaForm form = operandsOf<MmaOperands>(lanes, 0).form;
  for (size_t lane = 0; lane < warpSize; ++lane) {
    auto &operands = operandsOf<MmaOperands>(lanes, lane);
    for (size_t i = 0; i < static_cast<size_t>(form.m) / 4; ++i) {
      size_t row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      double start = numberAt(form.c, operands.c, i);
      storeNumber(form, operands.d, i, sumOfProducts(lanes, form, row, column, start));
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

void multiplyMatrices(Thread *thread, int32_t m, int32_t k, MmaType typeA, MmaType typeB, MmaType typeC,
                      MmaType typeD, int32_t saturates, const void *a, const void *b, const void *c,
                      void *d) {
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
