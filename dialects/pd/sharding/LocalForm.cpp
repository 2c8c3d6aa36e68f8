#include "dialects/pd/sharding/LocalForm.h"

#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/math/BinaryOps.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace proa::pd {

std::optional<unsigned> LocalFormBuilder::splitFactor(unsigned operand, int64_t dim) const {
  for (unsigned factor : rule.operands[operand][static_cast<size_t>(dim)])
    if (partsOf(factor) > 1)
      return factor;
  return std::nullopt;
}

std::optional<unsigned> LocalFormBuilder::splitResultFactor(unsigned result, int64_t dim) const {
  for (unsigned factor : rule.results[result][static_cast<size_t>(dim)])
    if (partsOf(factor) > 1)
      return factor;
  return std::nullopt;
}

std::optional<int64_t> LocalFormBuilder::countBefore(unsigned factor, int64_t index) const {
  int64_t parts = partsOf(factor), begin = 0, count = 0;
  for (int64_t block : blocksOf(factor)) {
    if (begin >= index)
      break;
    std::optional<int64_t> part = block % parts == 0 ? 0 : ownPart(factor);
    if (!part)
      return std::nullopt;
    count += beginOfPart(block, parts, *part + 1) - beginOfPart(block, parts, *part);
    begin += block;
  }
  return begin == index ? std::optional(count) : std::nullopt;
}

Operation *LocalFormBuilder::cloneOn(ValueRange localOperands) {
  IRMapping mapping;
  Operation *clone = builder.clone(*global, mapping);
  clone->setOperands(localOperands);
  setLocalShape(clone, localResultType(0).getShape());
  if (succeeded(inferAgain(clone)))
    return clone;
  clone->erase();
  return nullptr;
}

Value LocalFormBuilder::next(Value local, unsigned factor) {
  int64_t parts = partsOf(factor);
  return permute(local, factor, llvm::map_to_vector(llvm::seq<int64_t>(parts), [parts](int64_t part) {
                   return (part + 1) % parts;
                 }));
}

Value LocalFormBuilder::indexOf(unsigned factor) {
  llvm::SmallVector<int64_t> indices;
  for (int64_t part = 0; part < partsOf(factor); ++part)
    indices.push_back(part);
  return byPart(factor, indices);
}

Value LocalFormBuilder::beginOf(unsigned factor, int64_t size) {
  llvm::SmallVector<int64_t> begins;
  for (int64_t part = 0; part < partsOf(factor); ++part)
    begins.push_back(beginOfPart(size, partsOf(factor), part));
  return byPart(factor, begins);
}

Value LocalFormBuilder::endOf(unsigned factor, int64_t size) {
  llvm::SmallVector<int64_t> ends;
  for (int64_t part = 0; part < partsOf(factor); ++part)
    ends.push_back(beginOfPart(size, partsOf(factor), part + 1));
  return byPart(factor, ends);
}

int64_t beginOfPart(int64_t size, int64_t parts, int64_t part) { return (part * size + parts - 1) / parts; }

PartIndices indicesInPart(LocalFormBuilder &form, TensorBuilder &e, Value index, unsigned factor,
                          int64_t size) {
  Type int64 = e.getBuilder().getI64Type();
  Expression given = e.cast(e.wrap(index), int64);
  Expression global = e.select(given < 0.0, given + static_cast<double>(size), given);
  Expression begin = e.wrap(form.beginOf(factor, size)), end = e.wrap(form.endOf(factor, size));
  Expression isHeld = e.wrap(e.create<LogicalAndOp>(global >= begin, global < end));
  return {e.select(isHeld, global - begin, 0.0), isHeld};
}

Value termOf(TensorBuilder &e, Expression isHeld, Expression x) {
  if (x.type().getElementType().isInteger(1))
    return e.create<LogicalAndOp>(isHeld, x);
  return e.select(isHeld, x, 0.0);
}

} // namespace proa::pd
