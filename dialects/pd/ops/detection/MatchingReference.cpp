//! Reference kernels of matching.
#include "dialects/pd/ops/detection/Matching.h"
#include "dialects/pd/reference/Boxes.h"

#include <optional>

using namespace mlir;

namespace proa::pd {
namespace {
using namespace boxes;
} // namespace

LogicalResult BipartiteMatchOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                 llvm::MutableArrayRef<Tensor> results, RandomState *) {
  int64_t columns = operands[0].dims()[1];
  std::vector<int64_t> offsets =
      operands.size() > 1 ? integersOf(operands[1]) : std::vector<int64_t>{0, operands[0].dims()[0]};
  auto images = static_cast<int64_t>(offsets.size()) - 1;
  double least = rounded(operands[0].dtype(), 1e-6),
         threshold = rounded(operands[0].dtype(), getDistThreshold().convertToDouble());
  std::vector<int64_t> rowOf(static_cast<size_t>(images * columns), -1);
  results[1] = Tensor(results[1].dtype(), {images, columns});
  for (int64_t i = 0; i < results[1].size(); ++i)
    setReal(results[1], i, 0);
  for (int64_t n = 0; n < images; ++n) {
    int64_t begin = offsets[static_cast<size_t>(n)], end = offsets[static_cast<size_t>(n) + 1];
    auto distance = [&](int64_t row, int64_t column) { return realAt(operands[0], row * columns + column); };
    auto chosen = [&](int64_t column) -> int64_t & {
      return rowOf[static_cast<size_t>(n * columns + column)];
    };
    auto choose = [&](int64_t row, int64_t column) {
      chosen(column) = row - begin;
      setReal(results[1], n * columns + column, distance(row, column));
    };
    std::vector<bool> isTaken(static_cast<size_t>(end - begin));
    while (true) { // the greatest of all remaining pairs
      std::optional<std::pair<int64_t, int64_t>> best;
      for (int64_t row = begin; row < end; ++row)
        for (int64_t column = 0; column < columns; ++column)
          if (!isTaken[static_cast<size_t>(row - begin)] && chosen(column) < 0 &&
              distance(row, column) >= least &&
              (!best || distance(row, column) > distance(best->first, best->second)))
            best = {row, column};
      if (!best)
        break;
      isTaken[static_cast<size_t>(best->first - begin)] = true;
      choose(best->first, best->second);
    }
    for (int64_t column = 0; getMatchType() == MatchType::PerPrediction && column < columns; ++column) {
      if (chosen(column) >= 0)
        continue;
      for (int64_t row = begin; row < end; ++row)
        if (double own = distance(row, column);
            own >= least && own >= threshold &&
            (chosen(column) < 0 || own > distance(chosen(column) + begin, column)))
          choose(row, column);
    }
  }
  results[0] = vectorOf(results[0].dtype(), rowOf).reshaped({images, columns});
  return success();
}

LogicalResult MineHardExamplesOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                   llvm::MutableArrayRef<Tensor> results, RandomState *) {
  const Tensor *placeLoss = operandOf(getOperation(), operands, getLocLoss());
  bool isHard = getMiningType() == MiningType::HardExample;
  double least = rounded(operands[2].dtype(), getNegDistThreshold().convertToDouble());
  std::vector<int64_t> matches = integersOf(operands[1]), updated = matches, negatives, ends{0};
  int64_t count = operands[1].dims()[1];
  for (int64_t n = 0; n < operands[1].dims()[0]; ++n) {
    std::vector<int64_t> chosen;
    double matched = 0;
    for (int64_t i = n * count; i < (n + 1) * count; ++i) {
      bool isMatched = matches[static_cast<size_t>(i)] != -1;
      matched += isMatched;
      if (isHard || (!isMatched && realAt(operands[2], i) < least))
        chosen.push_back(i);
    }
    auto loss = [&](int64_t i) {
      return realAt(operands[0], i) + (isHard && placeLoss ? realAt(*placeLoss, i) : 0);
    };
    llvm::stable_sort(chosen, [&](int64_t a, int64_t b) { return loss(a) > loss(b); });
    auto most = isHard ? static_cast<int64_t>(getSampleSize())
                       : static_cast<int64_t>(matched * getNegPosRatio().convertToDouble());
    if (most >= 0 && static_cast<int64_t>(chosen.size()) > most)
      chosen.resize(static_cast<size_t>(most));
    llvm::sort(chosen);
    for (int64_t i = n * count; i < (n + 1) * count; ++i) {
      bool isChosen = llvm::is_contained(chosen, i), isMatched = matches[static_cast<size_t>(i)] > -1;
      if (isChosen && !(isHard && isMatched))
        negatives.push_back(i - n * count);
      if (isHard && isMatched && !isChosen)
        updated[static_cast<size_t>(i)] = -1;
    }
    ends.push_back(static_cast<int64_t>(negatives.size()));
  }
  results[0] = vectorOf(results[0].dtype(), negatives).reshaped({ends.back(), 1});
  results[1] = vectorOf(results[1].dtype(), ends);
  results[2] = vectorOf(results[2].dtype(), updated).reshaped(operands[1].dims());
  return success();
}

LogicalResult SimilarityFocusOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                  llvm::MutableArrayRef<Tensor> results, RandomState *) {
  const std::vector<int64_t> &dims = operands[0].dims();
  auto axis = static_cast<size_t>(getAxis());
  size_t rowAxis = axis == 1 ? 2 : 1, columnAxis = axis == 3 ? 2 : 3;
  auto position = [&](int64_t n, int64_t slice, int64_t row, int64_t column) {
    std::array<int64_t, 4> index{n, 0, 0, 0};
    index[axis] = slice;
    index[rowAxis] = row;
    index[columnAxis] = column;
    return ((index[0] * dims[1] + index[1]) * dims[2] + index[2]) * dims[3] + index[3];
  };
  for (int64_t i = 0; i < results[0].size(); ++i)
    setReal(results[0], i, 0);
  for (int64_t n = 0; n < dims[0]; ++n)
    for (int64_t slice : getIndexes()) {
      std::vector<bool> rowHas(static_cast<size_t>(dims[rowAxis])),
          columnHas(static_cast<size_t>(dims[columnAxis]));
      while (true) { // the greatest in the remaining rows and columns
        std::optional<std::pair<int64_t, int64_t>> best;
        for (int64_t row = 0; row < dims[rowAxis]; ++row)
          for (int64_t column = 0; column < dims[columnAxis]; ++column)
            if (!rowHas[static_cast<size_t>(row)] && !columnHas[static_cast<size_t>(column)] &&
                (!best || realAt(operands[0], position(n, slice, row, column)) >
                              realAt(operands[0], position(n, slice, best->first, best->second))))
              best = {row, column};
        if (!best)
          break;
        rowHas[static_cast<size_t>(best->first)] = columnHas[static_cast<size_t>(best->second)] = true;
        for (int64_t k = 0; k < dims[axis]; ++k)
          setReal(results[0], position(n, k, best->first, best->second), 1);
      }
    }
  return success();
}

} // namespace proa::pd
