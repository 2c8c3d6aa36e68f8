// Attention by mma.sync: a warp has 16 rows.
#include "passes/lower-gpu/MmaCode.h"
#include "passes/lower-gpu/attention/MmaFragments.h"
#include "passes/lower-gpu/attention/StagedAttention.h"

using namespace mlir;

namespace proa {
namespace {

constexpr int64_t warpSize = 32;
/// With more elements of a head the queries do not fit into registers.
constexpr int64_t mostHeadInRegisters = 128;

class MmaAttention : public StagedAttention {
public:
  explicit MmaAttention(const AttentionSite &site)
      : StagedAttention(site, /*pad=*/8), fragments(b, loc, site.thread),
        code(b, loc, remainder(site.thread, warpSize)),
        warpRow(IndexCode::multiply(divide(site.thread, warpSize), MmaCode::m)) {
    rows = MmaFragments::rows;
    scoresOfRow = MmaFragments::columnsOfRow(site.choice.keys);
    outputsOfRow = MmaFragments::columnsOfRow(valueElements);
    lanesOfRow = MmaFragments::lanesOfRow;
    adjacentOutputs = 2;
  }

  Value rowOf(int64_t row) override { return fragments.rowOf(row); }
  Value keyOf(int64_t score) override { return fragments.columnOf(score); }
  Value outputOf(int64_t output) override { return fragments.columnOf(output); }

protected:
  void loadQueries(Value memory) override {
    queryRegisters.clear();
    for (int64_t k = 0; k < headElements && headElements <= mostHeadInRegisters; k += MmaCode::k)
      queryRegisters.push_back(code.loadX({memory}, warpRow, constant(k)));
  }

  Values multiply(Value queries, Value keys) override {
    Values sums(static_cast<size_t>(rows * scoresOfRow), zero());
    for (int64_t k = 0; k < headElements; k += MmaCode::k) {
      Values x = queryRegisters.empty() ? code.loadX({queries}, warpRow, constant(k))
                                        : queryRegisters[static_cast<size_t>(k / MmaCode::k)];
      for (int64_t n = 0; n < site.choice.keys; n += 2 * MmaCode::n)
        addBlocks(x, code.loadY({keys}, constant(n), constant(k)), sums, n);
    }
    return MmaFragments::byRows(sums);
  }

  Values addWeighted(ValueRange weights, Value values, ValueRange outputs) override {
    Values sums = MmaFragments::byRegisters(outputs);
    for (int64_t k = 0; k < site.choice.keys; k += MmaCode::k) {
      Values x = fragments.operand(weights, k, site.element);
      for (int64_t n = 0; n < valueElements; n += 2 * MmaCode::n)
        addBlocks(x, code.loadY({values, /*kFirst=*/true}, constant(n), constant(k)), sums, n);
    }
    return MmaFragments::byRows(sums);
  }

private:
  MmaFragments fragments;
  MmaCode code;
  Value warpRow;
  SmallVector<Values> queryRegisters;

  /// The products with two blocks of 8 columns, from column `first` on.
  void addBlocks(ValueRange x, ValueRange y, Values &sums, int64_t first) {
    for (int64_t block = 0; block < 2; ++block)
      code.multiply(x, y.slice(static_cast<size_t>(block) * 2, 2), sums,
                    static_cast<size_t>(first / MmaCode::n + block) * MmaCode::sumsOfLane, site.element);
  }
};

} // namespace

std::unique_ptr<AttentionTile> makeMmaAttention(const AttentionSite &site) {
  return std::make_unique<MmaAttention>(site);
}

} // namespace proa
