// Gradients of attention whose threads copy tiles to shared memory, and multiply them as the choice says.
#include "passes/lower-gpu/attention/BlockProducts.h"
#include "passes/lower-gpu/attention/GradientTile.h"
#include "passes/lower-gpu/attention/RowCopy.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace proa {
namespace {

class StagedGradient : public GradientTile {
public:
  StagedGradient(const AttentionSite &site, const AttentionTensor &outGradient)
      : GradientTile(site), products(makeProducts(site)),
        scoreRow(paddedElements(site.choice.kind, site.q.elements())),
        valueRow(paddedElements(site.choice.kind, site.v.elements())),
        own(site, {site, outGradient, /*isOwn=*/true}, scoreRow, valueRow),
        other(site, {site, outGradient, /*isOwn=*/false}, scoreRow, valueRow) {
    rows = products->rows;
    columnsOfRow = products->scoresOfRow;
    adjacentColumns = products->adjacentScores;
    lanesOfBlock = products->lanesOfBlock;
    scoreElements = scoreRow;
    valueElements = valueRow;
  }

  Value rowOf(int64_t row) override { return products->rowOf(row); }
  Value columnOf(int64_t column) override { return products->columnOf(column); }
  int64_t outputsOfRow(int64_t elements) const override { return products->outputsOfRow(elements); }
  int64_t adjacentOutputs(int64_t elements) const override { return products->adjacentOutputs(elements); }
  Value outputOf(int64_t output, int64_t elements) override { return products->outputOf(output, elements); }

  void prepare() override {
    for (Memory *memory : {&own, &other}) {
      memory->scores = allocateShared(site, {memory->side.rows, scoreRow + products->pad}, site.element);
      memory->values = allocateShared(site, {memory->side.rows, valueRow + products->pad}, site.element);
    }
    products->prepare();
  }

  void tile(function_ref<void()> compute, function_ref<void()>) override { compute(); }
  void begin(const Place &place) override { copy(own, place, place.first); }

  Numbers multiply(const Place &place, Value firstColumn) override {
    copy(other, place, firstColumn);
    Numbers numbers;
    numbers.scores = products->multiply(own.scores, other.scores, scoreRow);
    numbers.values = products->multiply(own.values, other.values, valueRow);
    return numbers;
  }

  Numbers accumulate(const Numbers &weights, const Numbers &sums) override {
    Numbers next;
    if (!weights.values.empty())
      next.values = products->addWeighted(weights.values, other.values, valueRow, sums.values);
    next.scores = products->addWeighted(weights.scores, other.scores, scoreRow, sums.scores);
    return next;
  }

private:
  struct Memory {
    Memory(const AttentionSite &site, GradientSide own, int64_t scoreElements, int64_t valueElements)
        : side(own), scoreCopy(site, side.scores, side.rows, scoreElements),
          valueCopy(site, side.values, side.rows, valueElements) {}

    GradientSide side;
    RowCopy scoreCopy, valueCopy;
    Value scores, values;
  };

  std::unique_ptr<BlockProducts> products;
  int64_t scoreRow, valueRow; ///< elements of a row in shared memory
  Memory own, other;

  void copy(Memory &memory, const Place &place, Value first) {
    gpu::BarrierOp::create(b, loc); // all threads have read the last tile
    Value end = place.limit;
    if (!memory.side.areKeys)
      end = getValueOrCreateConstantIndexOp(b, loc, site.q.sizes[2]);
    Value head = memory.side.headOf(place);
    memory.scoreCopy.copy(place.batch, head, first, end, memory.scores);
    memory.valueCopy.copy(place.batch, head, first, end, memory.values);
    commitCopies(site);
    awaitCopies(site, 0);
  }
};

} // namespace

std::unique_ptr<GradientTile> makeStagedGradient(const AttentionSite &site,
                                                 const AttentionTensor &outGradient) {
  return std::make_unique<StagedGradient>(site, outGradient);
}

} // namespace proa
