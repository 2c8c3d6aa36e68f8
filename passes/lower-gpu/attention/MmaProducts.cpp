// Products by mma.sync: a warp has 16 rows.
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/MmaCode.h"
#include "passes/lower-gpu/attention/BlockProducts.h"
#include "passes/lower-gpu/attention/MmaFragments.h"

using namespace mlir;

namespace proa {
namespace {

/// Longer rows do not fit into registers.
constexpr int64_t mostInRegisters = 128;

class MmaProducts : public BlockProducts {
public:
  explicit MmaProducts(const AttentionSite &site)
      : BlockProducts(site), fragments(b, loc, site.thread), code(b, loc, remainder(site.thread, warpSize)),
        warpRow(IndexCode::multiply(divide(site.thread, warpSize), MmaCode::m)) {
    rows = MmaFragments::rows;
    scoresOfRow = MmaFragments::columnsOfRow(site.choice.columns());
    adjacentScores = MmaFragments::adjacentColumns;
    lanesOfRow = MmaFragments::lanesOfRow;
    pad = 8;
    lanesOfBlock = MmaFragments::lanesOfBlock(site.choice.isByKeys);
  }

  Value rowOf(int64_t row) override { return fragments.rowOf(row); }
  Value columnOf(int64_t score) override { return fragments.columnOf(score); }
  int64_t adjacentOutputs(int64_t) const override { return MmaFragments::adjacentColumns; }
  Value outputOf(int64_t output, int64_t) override { return fragments.columnOf(output); }

  void keepRows(Value memory, int64_t elements) override {
    kept.clear();
    for (int64_t k = 0; k < elements && elements <= mostInRegisters; k += MmaCode::k)
      kept.push_back(code.loadX({memory}, warpRow, constant(k)));
  }

  Values multiply(Value x, Value y, int64_t elements) override {
    Values sums(static_cast<size_t>(rows * scoresOfRow), zero());
    for (int64_t k = 0; k < elements; k += MmaCode::k) {
      Values left =
          kept.empty() ? code.loadX({x}, warpRow, constant(k)) : kept[static_cast<size_t>(k / MmaCode::k)];
      for (int64_t n = 0; n < site.choice.columns(); n += 2 * MmaCode::n)
        addBlocks(left, code.loadY({y}, constant(n), constant(k)), sums, n);
    }
    return MmaFragments::byRows(sums);
  }

  Values addWeighted(ValueRange weights, Value y, int64_t elements, ValueRange outputs) override {
    Values sums = MmaFragments::byRegisters(outputs);
    for (int64_t k = 0; k < site.choice.columns(); k += MmaCode::k) {
      Values x = fragments.operand(weights, k, site.element);
      for (int64_t n = 0; n < elements; n += 2 * MmaCode::n)
        addBlocks(x, code.loadY({y, /*kFirst=*/true}, constant(n), constant(k)), sums, n);
    }
    return MmaFragments::byRows(sums);
  }

private:
  MmaFragments fragments;
  MmaCode code;
  Value warpRow;
  SmallVector<Values> kept;

  /// The products with two blocks of 8 columns, from column `first` on.
  void addBlocks(ValueRange x, ValueRange y, Values &sums, int64_t first) {
    for (int64_t block = 0; block < 2; ++block)
      code.multiply(x, y.slice(static_cast<size_t>(block) * 2, 2), sums,
                    static_cast<size_t>(first / MmaCode::n + block) * MmaCode::sumsOfLane,
                    {site.element, site.element});
  }
};

} // namespace

std::unique_ptr<BlockProducts> makeMmaProducts(const AttentionSite &site) {
  return std::make_unique<MmaProducts>(site);
}

} // namespace proa
