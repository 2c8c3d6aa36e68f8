// The choice of rows, written into the IR: see Passes.td.
#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/CostModel.h"
#include "passes/kernels/DimensionClasses.h"
#include "passes/kernels/KernelForm.h"
#include "passes/kernels/Passes.h"
#include "passes/remarks/Remarks.h"

#include "mlir/IR/Builders.h"

namespace proa {
#define GEN_PASS_DEF_CHOOSEROWS
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;
using proa::DimensionClasses;

namespace {

/// The largest divisor of `size` up to `limit` that is a multiple of `multiple`, if it is not much smaller
/// than the limit: then no row is a rest.
int64_t tileOf(int64_t size, int64_t limit, int64_t multiple = 1) {
  limit = std::max<int64_t>(limit, 1);
  if (ShapedType::isDynamic(size))
    return limit;
  if (size <= limit)
    return std::max<int64_t>(size, 1);
  for (int64_t tile = limit; tile * 2 > limit; --tile)
    if (size % tile == 0 && tile % multiple == 0)
      return tile;
  return std::max(limit / multiple * multiple, std::min(limit, multiple));
}

struct RowChooser {
  struct Limits {
    int64_t innerElements, leastInnerElements, innerMultiple, rowElements, transposedElements,
        squareTransposes;
  };

  RowChooser(func::FuncOp function, const Limits &limits)
      : function(function), target(proa::targetOf(function)), assumedSize(target.device().assumedDim),
        classes(function, DimensionClasses::Kind::Slices), limits(limits) {
    for (Value result : function.getBody().front().getTerminator()->getOperands()) {
      SmallVector<Operation *> reshapes;
      roots.push_back(proa::peelReshapes(result, reshapes));
    }
  }

  void run() {
    findRowClasses();
    chooseTiles();
    write();
  }

private:
  func::FuncOp function;
  const proa::TargetFacts &target;
  int64_t assumedSize; ///< of a dynamic dimension
  DimensionClasses classes;
  Limits limits;
  SmallVector<Value> roots;
  SmallVector<unsigned> rowClasses; ///< outermost first
  SmallVector<int64_t> tiles;

  Value mainRoot() const {
    auto weight = [](Value root) {
      bool computed = root.getDefiningOp<linalg::LinalgOp>() != nullptr;
      return 2 * cast<ShapedType>(root.getType()).getRank() + (computed ? 1 : 0);
    };
    return *llvm::max_element(roots, [&](Value a, Value b) { return weight(a) < weight(b); });
  }

  /// Classes of a result. One that no operation computes (an argument, a constant) has the classes of the
  /// main result where the shapes agree: it is copied along.
  SmallVector<unsigned> classesOf(Value root) const {
    auto type = cast<ShapedType>(root.getType()), mainType = cast<ShapedType>(mainRoot().getType());
    bool computed = root.getDefiningOp<linalg::LinalgOp>() != nullptr;
    bool sameShape = type.hasStaticShape() && type.getShape() == mainType.getShape();
    return classes.of(!computed && sameShape ? mainRoot() : root);
  }

  /// Row classes: every result has them, no operation reduces them, and a reduction has all of them or none,
  /// because it would be repeated for each missing one.
  void findRowClasses() {
    if (roots.empty())
      return;
    rowClasses = classes.of(mainRoot());
    auto keep = [&](function_ref<bool(unsigned)> predicate) {
      llvm::erase_if(rowClasses, [&](unsigned c) { return !predicate(c); });
    };
    for (Value root : roots) {
      SmallVector<unsigned> own = classesOf(root);
      keep([&](unsigned c) { return llvm::count(own, c) == 1 && !classes.isReduced(c); });
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (linalg::LinalgOp op : classes.operations()) {
        SmallVector<unsigned> own = classes.ofLoops(op);
        size_t shared = llvm::count_if(rowClasses, [&](unsigned c) { return llvm::is_contained(own, c); });
        if (op.getNumReductionLoops() == 0 || shared == 0 || shared == rowClasses.size())
          continue;
        keep([&](unsigned c) { return llvm::is_contained(own, c); });
        changed = true;
      }
    }
  }

  /// The operation with most elements: its memory determines which dimension is contiguous.
  linalg::LinalgOp mainOperation() const {
    linalg::LinalgOp main;
    double most = -1;
    for (linalg::LinalgOp op : classes.operations()) {
      double elements = proa::loopElements(op, assumedSize) + (op.getNumReductionLoops() ? 0.5 : 0);
      if (elements > most) {
        most = elements;
        main = op;
      }
    }
    return main;
  }

  /// The class of the dimension that is contiguous in the largest operand of `op`; its result when nothing is
  /// reduced.
  static std::optional<unsigned> contiguousLoop(linalg::LinalgOp op) {
    AffineMap best;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      bool asLarge = !best || map.getNumResults() > best.getNumResults() ||
                     (map.getNumResults() == best.getNumResults() && op.isDpsInit(&operand));
      if (map.getNumResults() > 0 && asLarge)
        best = map;
    }
    if (!best)
      return std::nullopt;
    auto loop = dyn_cast<AffineDimExpr>(best.getResults().back());
    return loop ? std::optional<unsigned>(loop.getPosition()) : std::nullopt;
  }

  /// The class along which an operand of an elementwise op is contiguous, if that is another one than the
  /// result's.
  std::optional<unsigned> transposedClass(linalg::LinalgOp op, unsigned contiguous) const {
    if (op.getNumReductionLoops() != 0)
      return std::nullopt;
    SmallVector<unsigned> loops = classes.ofLoops(op);
    auto has = [&](AffineMap map, unsigned c) {
      return llvm::any_of(map.getResults(), [&](AffineExpr result) {
        auto loop = dyn_cast<AffineDimExpr>(result);
        return loop && loops[loop.getPosition()] == c;
      });
    };
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      auto last =
          map.getNumResults() ? dyn_cast<AffineDimExpr>(map.getResults().back()) : AffineDimExpr(nullptr);
      if (last && loops[last.getPosition()] != contiguous && has(map, contiguous))
        return loops[last.getPosition()];
    }
    return std::nullopt;
  }

  /// Tiles of the loops of a contraction. Rows of other dimensions have one element.
  bool takeLoopTiles() {
    for (linalg::LinalgOp op : classes.operations()) {
      auto contraction = op->getAttrOfType<proa::ContractionAttr>(proa::contractionAttribute);
      if (!contraction || contraction.getTile().size() != op.getNumLoops())
        continue;
      ArrayRef<int64_t> loopTiles = contraction.getTile();
      SmallVector<unsigned> loops = classes.ofLoops(op);
      for (unsigned c : rowClasses) {
        const auto *loop = llvm::find(loops, c);
        int64_t tile = loop == loops.end() ? 1 : loopTiles[loop - loops.begin()];
        int64_t size = loop == loops.end() ? tile : op.getStaticLoopRanges()[loop - loops.begin()];
        tiles.push_back(ShapedType::isDynamic(size) ? tile : std::clamp<int64_t>(size, 1, tile));
      }
      return true;
    }
    return false;
  }

  void chooseTiles() {
    if (takeLoopTiles())
      return;
    llvm::DenseMap<unsigned, int64_t> tileOfClass;
    std::optional<unsigned> contiguous, transposed;
    double elements = 1;
    if (linalg::LinalgOp main = mainOperation()) {
      SmallVector<unsigned> loops = classes.ofLoops(main);
      for (auto [loopClass, size] : llvm::zip(loops, main.getStaticLoopRanges()))
        if (!llvm::is_contained(rowClasses, loopClass))
          elements *= ShapedType::isDynamic(size) ? assumedSize : std::max<int64_t>(size, 1);
      if (std::optional<unsigned> loop = contiguousLoop(main))
        contiguous = loops[*loop];
      if (contiguous && (limits.transposedElements > 1 || limits.squareTransposes > 0))
        transposed = transposedClass(main, *contiguous);
    } else if (!rowClasses.empty()) {
      contiguous = classes.of(mainRoot()).back();
    }
    SmallVector<unsigned> all = classes.of(mainRoot());
    auto sizeOf = [&](unsigned c) {
      return cast<ShapedType>(mainRoot().getType()).getDimSize(llvm::find(all, c) - all.begin());
    };
    auto choose = [&](unsigned c, double limit, int64_t multiple) {
      int64_t tile = tileOf(sizeOf(c), static_cast<int64_t>(limit), multiple);
      tileOfClass[c] = tile;
      elements *= tile;
    };
    auto isRow = [&](std::optional<unsigned> c) { return c && llvm::is_contained(rowClasses, *c); };
    if (limits.squareTransposes > 0 && isRow(contiguous) && isRow(transposed)) {
      auto side = static_cast<double>(limits.squareTransposes);
      int64_t size = sizeOf(*transposed);
      double other = ShapedType::isDynamic(size) ? side : std::min(static_cast<double>(size), side);
      choose(*contiguous, std::max(side, side * side / (elements * other)), 1);
      choose(*transposed, std::max(side, side * side / elements), 1);
    } else if (isRow(contiguous)) {
      choose(*contiguous, std::max<double>(limits.leastInnerElements, limits.innerElements / elements),
             limits.innerMultiple);
    }
    if (limits.transposedElements > 1 && isRow(transposed))
      choose(*transposed,
             std::max<double>(static_cast<double>(limits.transposedElements), limits.rowElements / elements),
             limits.transposedElements);
    if (transposed && !tileOfClass.contains(*transposed))
      transposed.reset();
    // Rows of a dynamic dimension are not gathered: the size of the last tile would be another.
    for (unsigned c : llvm::reverse(rowClasses))
      if (c != contiguous && c != transposed)
        choose(c, ShapedType::isDynamic(sizeOf(c)) ? 1 : limits.rowElements / elements, 1);
    for (unsigned c : rowClasses)
      tiles.push_back(tileOfClass[c]);
  }

  double work() const {
    double bytes = 0, nanoseconds = 0;
    for (linalg::LinalgOp op : classes.operations())
      nanoseconds += proa::loopElements(op, assumedSize) * proa::elementNanoseconds(op, target.cpu);
    for (Value root : roots) {
      auto type = cast<ShapedType>(root.getType());
      double elements = 1;
      for (int64_t size : type.getShape())
        elements *= ShapedType::isDynamic(size) ? assumedSize : size;
      bytes += elements * 4;
    }
    return nanoseconds + bytes * 1000 / static_cast<double>(target.cpu.memoryBandwidth);
  }

  void write() {
    Builder builder(function.getContext());
    SmallVector<Attribute> dims;
    for (Value root : roots) {
      SmallVector<int64_t> rows;
      for (unsigned c : classesOf(root)) {
        auto *position = llvm::find(rowClasses, c);
        rows.push_back(position == rowClasses.end() ? -1 : position - rowClasses.begin());
      }
      dims.push_back(builder.getDenseI64ArrayAttr(rows));
    }
    proa::RowsAttr::orEmpty(function)
        .withTiles(tiles, builder.getArrayAttr(dims))
        .withNanoseconds(work())
        .setOn(function);
  }
};

struct ChooseRows : proa::impl::ChooseRowsBase<ChooseRows> {
  using ChooseRowsBase::ChooseRowsBase;

  /// The option, or floats that take half of the first cache.
  int64_t mostInnerElements() {
    int64_t ofCache = proa::targetOf(getOperation()).cpu.l1Bytes / 2 / static_cast<int64_t>(sizeof(float));
    return innerElements > 0 ? innerElements.getValue() : ofCache;
  }

  void report(func::FuncOp function) {
    if (!proa::PassRemarks::areEnabled(&getContext()))
      return;
    proa::PassRemarks remarks(getArgumentName());
    ArrayRef<int64_t> tiles = proa::RowsAttr::orEmpty(function).getTiles();
    double work = *proa::RowsAttr::nanosecondsOf(function);
    std::string sizes;
    llvm::raw_string_ostream stream(sizes);
    llvm::interleave(tiles, stream, "x");
    std::string time = std::to_string(static_cast<int64_t>(work)) + " ns on one thread (estimate)";
    if (tiles.empty())
      remarks.missed(function) << "the kernel is one row, its results share no dimension that can be split; "
                               << time;
    else
      remarks.analysis(function) << "a row is a tile of " << sizes << " elements; " << time;
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function->hasAttr(proa::kernelAttribute) || function.isDeclaration())
      return;
    if (failed(proa::verifyTensorKernel(function)))
      return signalPassFailure();
    RowChooser(function, {mostInnerElements(), leastInnerElements, std::max<int64_t>(innerMultiple, 1),
                          rowElements, std::max<int64_t>(transposedElements, 1), squareTransposes})
        .run();
    report(function);
  }
};

} // namespace
