//! Integer ops on rows and positions, whose results have extents that depend on data.
#include "dialects/pd/Evaluate.h"
#include "dialects/pd/search/SearchOps.h"
#include "dialects/pd/sequence/RowsOps.h"
#include "dialects/pd/textbook/Textbook.h"

using namespace mlir;

namespace proa::pd {
namespace {

LogicalResult rowPositions(Operation *, llvm::ArrayRef<Tensor> operands,
                           llvm::MutableArrayRef<Tensor> results) {
  std::vector<int64_t> offsets = integersOf(operands[1]), sequence, position;
  for (size_t i = 0; i + 1 < offsets.size(); ++i)
    for (int64_t row = offsets[i]; row < offsets[i + 1]; ++row) {
      sequence.push_back(static_cast<int64_t>(i));
      position.push_back(row - offsets[i]);
    }
  results[0] = vectorOf(results[0].dtype(), sequence);
  results[1] = vectorOf(results[1].dtype(), position);
  return success(static_cast<int64_t>(sequence.size()) == operands[0].dims()[0]);
}

LogicalResult ranges(Operation *, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  std::vector<int64_t> starts = integersOf(operands[0]), lengths = integersOf(operands[1]), rows, offsets{0};
  for (size_t i = 0; i < starts.size(); ++i) {
    for (int64_t k = 0; k < lengths[i]; ++k)
      rows.push_back(starts[i] + k);
    offsets.push_back(static_cast<int64_t>(rows.size()));
  }
  results[0] = vectorOf(results[0].dtype(), rows);
  results[1] = vectorOf(results[1].dtype(), offsets);
  return success();
}

LogicalResult nonzero(Operation *, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  std::vector<int64_t> places;
  int64_t count = 0, rank = static_cast<int64_t>(operands[0].dims().size());
  forEachIndex(operands[0].dims(), [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    HostScalar value = loadScalar(operands[0], position);
    if (value.isInteger() ? value.integer == 0 : value.number == 0.0)
      return;
    places.insert(places.end(), index.begin(), index.end());
    ++count;
  });
  results[0] = Tensor(results[0].dtype(), {count, rank});
  for (auto [i, place] : llvm::enumerate(places))
    storeScalar(results[0], static_cast<int64_t>(i), HostScalar::of(place));
  return success();
}

} // namespace

void addRowComputations(Textbook &book) {
  book.add<RowPositionsOp>(rowPositions);
  book.add<RangesOp>(ranges);
  book.add<NonzeroOp>(nonzero);
}

} // namespace proa::pd
