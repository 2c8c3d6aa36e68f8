// Products by mma.sync: a warp has 16 rows.
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/MmaCode.h"
#include "passes/lower-gpu/attention/BlockProducts.h"

using namespace mlir;

namespace proa {
namespace {

/// Longer rows do not fit into registers.
constexpr int64_t mostInRegisters = 128;

class MmaProducts : public BlockProducts {
public:
  explicit MmaProducts(const AttentionSite &site)
      : BlockProducts(site, /*pad=*/8), code(b, loc, remainder(site.thread, warpSize)),
        warpRow(IndexCode::multiply(divide(site.thread, warpSize), MmaCode::m)) {}

  void keepRows(Value memory, int64_t elements) override {
    kept.clear();
    for (int64_t k = 0; k < elements && elements <= mostInRegisters; k += MmaCode::k)
      kept.push_back(code.loadX({memory}, warpRow, constant(k)));
  }

  Values multiply(Value x, Value y, int64_t elements) override {
    int64_t columns = site.choice.columns();
    Values sums(static_cast<size_t>(fragments.rows() * fragments.columns()), zero());
    for (int64_t k = 0; k < elements; k += MmaCode::k) {
      Values left =
          kept.empty() ? code.loadX({x}, warpRow, constant(k)) : kept[static_cast<size_t>(k / MmaCode::k)];
      for (int64_t n = 0; n < columns; n += 2 * MmaCode::n)
        addBlocks(left, code.loadY({y}, constant(n), constant(k)), sums, n);
    }
    return fragments.byRows(sums, columns);
  }

  Values addWeighted(ValueRange weights, Value y, int64_t elements, ValueRange outputs) override {
    Values sums = fragments.byRegisters(outputs, elements);
    for (int64_t k = 0; k < site.choice.columns(); k += MmaCode::k) {
      Values x = fragments.operand(weights, k, site.element);
      for (int64_t n = 0; n < elements; n += 2 * MmaCode::n)
        addBlocks(x, code.loadY({y, /*kFirst=*/true}, constant(n), constant(k)), sums, n);
    }
    return fragments.byRows(sums, elements);
  }

private:
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
