// How a block computes a tile of a contraction, written into the IR: see Passes.td.
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/ContractionForm.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/remarks/Remarks.h"

namespace proa {
#define GEN_PASS_DEF_CHOOSECONTRACTION
#include "passes/lower-gpu/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

/// The assumed size of a dynamic dimension.
constexpr int64_t assumedSize = 1024;

/// A tile of a block and the part of it that a thread or a warp computes.
struct Tile {
  int64_t m, n, k, partOfM, partOfN;
};

/// From the largest to the smallest. A thread of the first one multiplies 8 + 8 elements of shared memory to
/// 64 products, one of the others 4 + 4 to 16.
constexpr Tile fmaTiles[] = {{128, 128, 16, 8, 8}, {64, 64, 16, 4, 4}, {32, 32, 32, 4, 4}};
/// The accumulators of the first one are 64 registers of a thread; the second keeps four warps busy.
constexpr Tile mmaTiles[] = {{128, 128, 32, 64, 32}, {64, 64, 32, 32, 32}, {32, 32, 32, 32, 16}};

class TileChooser {
public:
  TileChooser(linalg::LinalgOp op, proa::ContractionForm form, int64_t maxThreads, int64_t blocks)
      : op(op), form(form), maxThreads(maxThreads), blocks(blocks) {}

  /// The largest tile of which there are enough to occupy the device, or else the smallest.
  Tile choose(bool usesTensorCores) const {
    ArrayRef<Tile> tiles = usesTensorCores ? ArrayRef<Tile>(mmaTiles) : ArrayRef<Tile>(fmaTiles);
    for (const Tile &tile : tiles)
      if (fits(tile, usesTensorCores) && countOf(tile) >= blocks)
        return tile;
    return tiles.back();
  }

private:
  linalg::LinalgOp op;
  proa::ContractionForm form;
  int64_t maxThreads, blocks;

  int64_t sizeOf(unsigned loop) const {
    int64_t size = linalg::LinalgOp(op).getStaticLoopRanges()[loop];
    return ShapedType::isDynamic(size) ? assumedSize : size;
  }

  bool fits(const Tile &tile, bool usesTensorCores) const {
    int64_t threads = tile.m / tile.partOfM * (tile.n / tile.partOfN) * (usesTensorCores ? 32 : 1);
    // Twice the registers: 64-bit numbers take the tiles from the second one on.
    bool isWide = getElementTypeOrSelf(op->getOperand(2).getType()).getIntOrFloatBitWidth() > 32;
    return threads <= maxThreads && (!isWide || tile.partOfM * tile.partOfN <= 16);
  }

  int64_t countOf(const Tile &tile) const {
    int64_t count = llvm::divideCeil(sizeOf(form.m), tile.m) * llvm::divideCeil(sizeOf(form.n), tile.n);
    for (unsigned loop : form.batch)
      count *= sizeOf(loop);
    return count;
  }
};

struct ChooseContraction : proa::impl::ChooseContractionBase<ChooseContraction> {
  using ChooseContractionBase::ChooseContractionBase;

  /// The only op that reads the result of a contraction, if it computes each element from the same element.
  static linalg::GenericOp elementwiseReader(linalg::LinalgOp contraction) {
    Value result = contraction->getResult(0);
    if (!result.hasOneUse())
      return {};
    OpOperand &use = *result.use_begin();
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!reader || !reader.isDpsInput(&use) || reader.getNumReductionLoops() > 0)
      return {};
    bool writesAlike = llvm::all_of(reader.getDpsInitsMutable(), [&](OpOperand &init) {
      return reader.getMatchingIndexingMap(&init).isIdentity();
    });
    bool hasIndex = !reader.getBody()->getOps<linalg::IndexOp>().empty();
    return writesAlike && !hasIndex && reader.getMatchingIndexingMap(&use).isIdentity() ? reader
                                                                                        : linalg::GenericOp();
  }

  LogicalResult chooseFor(linalg::LinalgOp op, const proa::ContractionForm &form) {
    Builder b(&getContext());
    if (!proa::isChosenContraction(op)) {
      bool canUse = proa::canUseTensorCores(op);
      if (strategy == "mma" && !canUse)
        return op->emitError("strategy=mma needs operands of f16 or of bf16, accumulated in f32");
      bool usesTensorCores = canUse && strategy != "fma";
      Tile tile = TileChooser(op, form, maxThreads, blocks).choose(usesTensorCores);
      SmallVector<int64_t> tiles(op.getNumLoops(), 1);
      tiles[form.m] = tile.m;
      tiles[form.n] = tile.n;
      tiles[form.k] = tile.k;
      op->setAttr(proa::contractionAttribute, b.getStringAttr(usesTensorCores ? "mma" : "fma"));
      op->setAttr(proa::loopTilesAttribute, b.getDenseI64ArrayAttr(tiles));
      if (usesTensorCores)
        op->setAttr(proa::stagesAttribute, b.getI64IntegerAttr(2));
      op->setAttr(proa::partAttribute, b.getDenseI64ArrayAttr({tile.partOfM, tile.partOfN}));
    }
    FailureOr<proa::ContractionChoice> choice = proa::ContractionChoice::read(op);
    if (failed(choice))
      return failure();
    linalg::GenericOp reader = elementwiseReader(op);
    if (reader)
      reader->setAttr(proa::epilogueAttribute, b.getUnitAttr());
    remarks.done(op) << "a block computes tiles of " << std::to_string(choice->m) << "x"
                     << std::to_string(choice->n) << " elements with " << std::to_string(choice->threads)
                     << (choice->usesTensorCores ? " threads and tensor cores" : " threads")
                     << (reader ? ", and its epilogue in registers" : "");
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function->hasAttr(proa::kernelAttribute) || function.isDeclaration())
      return;
    if (strategy != "" && strategy != "fma" && strategy != "mma") {
      function.emitError() << "strategy is '" << strategy << "', expected fma, mma or nothing";
      return signalPassFailure();
    }
    SmallVector<linalg::LinalgOp> ops;
    function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops)
      if (std::optional<proa::ContractionForm> form = proa::ContractionForm::of(op))
        if (failed(chooseFor(op, *form)))
          return signalPassFailure();
  }

private:
  proa::PassRemarks remarks{getArgumentName()};
};

} // namespace
