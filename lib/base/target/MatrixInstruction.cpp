// The figures of the layouts are from the PTX ISA 8.4: 9.7.14.5 (mma.sync) and 9.7.15.5 (wgmma).
#include "lib/base/target/MatrixInstruction.h"

#include <algorithm>
#include <array>

namespace proa {
namespace {

struct ElementInfo {
  MatrixElement element;
  std::string_view name;
  int64_t bits;
};

constexpr std::array elements{
    ElementInfo{MatrixElement::F16, "f16", 16},   ElementInfo{MatrixElement::BF16, "bf16", 16},
    ElementInfo{MatrixElement::TF32, "tf32", 32}, ElementInfo{MatrixElement::F32, "f32", 32},
    ElementInfo{MatrixElement::F64, "f64", 64},   ElementInfo{MatrixElement::S8, "s8", 8},
    ElementInfo{MatrixElement::U8, "u8", 8},      ElementInfo{MatrixElement::S32, "s32", 32},
    ElementInfo{MatrixElement::E4M3, "e4m3", 8},  ElementInfo{MatrixElement::E5M2, "e5m2", 8}};

const ElementInfo &infoOf(MatrixElement element) { return elements[static_cast<size_t>(element)]; }

constexpr int64_t warpThreads = 32, rowsOfWarp = 16, registerBits = 32;
/// Lanes of a row or column of a fragment, and rows of lanes.
constexpr int64_t lanesOfLine = 4, linesOfWarp = 8;

ThreadLayout withWarps(ThreadLayout layout, int64_t threads) {
  ThreadLayout::Digits digits = layout.threadDigits();
  digits.push_back(rowDigit(threads / warpThreads, rowsOfWarp));
  return {std::move(digits), layout.elementDigits()};
}

} // namespace

std::string_view ptxName(MatrixElement element) { return infoOf(element).name; }

std::optional<MatrixElement> matrixElementNamed(std::string_view ptxName) {
  const auto *found = std::ranges::find(elements, ptxName, &ElementInfo::name);
  return found == elements.end() ? std::nullopt : std::optional(found->element);
}

int64_t bitsOf(MatrixElement element) { return infoOf(element).bits; }

ThreadLayout warpOperandLayout(int64_t outer, int64_t k, int64_t elementBits) {
  int64_t ofRegister = std::max<int64_t>(registerBits / elementBits, 1), ofLanes = lanesOfLine * ofRegister;
  return {{columnDigit(lanesOfLine, ofRegister), rowDigit(linesOfWarp, 1)},
          {columnDigit(ofRegister, 1), rowDigit(outer / linesOfWarp, linesOfWarp),
           columnDigit(k / ofLanes, ofLanes)}};
}

ThreadLayout warpSumsLayout(int64_t rows, int64_t columns) {
  constexpr int64_t adjacent = 2, columnsOfLine = adjacent * lanesOfLine;
  return {{columnDigit(lanesOfLine, adjacent), rowDigit(linesOfWarp, 1)},
          {columnDigit(adjacent, 1), rowDigit(rows / linesOfWarp, linesOfWarp),
           columnDigit(columns / columnsOfLine, columnsOfLine)}};
}

ThreadLayout MatrixInstruction::sums(int64_t ofColumns) const {
  if (threads == 1)
    return {{}, {columnDigit(ofColumns, 1), rowDigit(rows, 1)}};
  return withWarps(warpSumsLayout(rowsOfWarp, ofColumns), threads);
}

ThreadLayout MatrixInstruction::x(int64_t elementBits) const {
  if (threads == 1)
    return {{}, {rowDigit(rows, 1)}};
  return withWarps(warpOperandLayout(rowsOfWarp, k(elementBits), elementBits), threads);
}

ThreadLayout MatrixInstruction::y(int64_t elementBits) const {
  if (threads == 1)
    return {{}, {rowDigit(columns, 1)}};
  return warpOperandLayout(columns, k(elementBits), elementBits);
}

} // namespace proa
