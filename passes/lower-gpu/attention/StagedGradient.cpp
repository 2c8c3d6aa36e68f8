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
        own(site, {site, outGradient, /*isOwn=*/true}, scoreElements, valueElements),
        other(site, {site, outGradient, /*isOwn=*/false}, scoreElements, valueElements) {}

  void prepare() override {
    for (Memory *memory : {&own, &other}) {
      memory->scores = allocateShared(site, {memory->side.rows, scoreElements + products->pad}, site.element);
      memory->values = allocateShared(site, {memory->side.rows, valueElements + products->pad}, site.element);
    }
    products->prepare();
  }

  void tile(function_ref<void()> compute, function_ref<void()>) override { compute(); }
  void begin(const Place &place) override { copy(own, place, place.first); }

  Numbers multiply(const Place &place, Value firstColumn) override {
    copy(other, place, firstColumn);
    Numbers numbers;
    numbers.scores = products->multiply(own.scores, other.scores, scoreElements);
    numbers.values = products->multiply(own.values, other.values, valueElements);
    return numbers;
  }

  Numbers accumulate(const Numbers &weights, const Numbers &sums) override {
    Numbers next;
    if (!weights.values.empty())
      next.values = products->addWeighted(weights.values, other.values, valueElements, sums.values);
    next.scores = products->addWeighted(weights.scores, other.scores, scoreElements, sums.scores);
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
