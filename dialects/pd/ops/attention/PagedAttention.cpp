#include "dialects/pd/ops/attention/PagedAttention.h"

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/nn/EmbeddingOps.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/sharding/ShardingRule.h"

#include "mlir/Support/DebugStringHelper.h"

#include <limits>

using namespace mlir;

namespace proa::pd {
namespace {

/// The dims of the caches, and of q and the result.
enum CacheDim : unsigned { blockOfCache, headOfCache, rowOfCache, elementOfCache };
enum QueryDim : unsigned { batchOfQuery, headOfQuery, elementOfQuery };

/// The blocks of each sequence, one after the other, in the type of computations: [B, G, T S, elements].
/// `entries` [B, T] are blocks of the cache.
Expression rowsOfSequences(Expression cache, Expression entries) {
  TensorBuilder &e = cache.owner();
  SmallVector<DimSize> dims = dimSizesOf(cache), ofTable = dimSizesOf(entries);
  int64_t heads = dims[headOfCache].getNumber(), rows = dims[rowOfCache].getNumber(),
          elements = dims[elementOfCache].getNumber();
  Expression flat = reshapeTo(cache, {dims[blockOfCache], heads * rows * elements});
  Expression blocks = e.computed(e.create<EmbeddingOp>(entries, flat));
  blocks = reshapeTo(blocks, {ofTable[0], ofTable[1], heads, rows, elements});
  blocks = e.transpose(blocks, {0, 2, 1, 3, 4});
  return reshapeTo(blocks, {ofTable[0], heads, multiply(e, ofTable[1], rows), elements});
}

} // namespace

LogicalResult PagedAttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                 Adaptor adaptor, SmallVectorImpl<Type> &results) {
  auto q = tensorType(adaptor.getQ()), k = tensorType(adaptor.getKeyCache()),
       v = tensorType(adaptor.getValueCache()), table = tensorType(adaptor.getBlockTable()),
       lengths = tensorType(adaptor.getLengths());
  auto types = [&] {
    return "q is " + debugString(q) + ", key_cache " + debugString(k) + ", value_cache " + debugString(v);
  };
  Type own = q.getElementType();
  if (q.getRank() != 3 || k.getRank() != 4 || v.getRank() != 4 || table.getRank() != 2 ||
      lengths.getRank() != 1 || k.getElementType() != own || v.getElementType() != own)
    return inferenceError(location, "C1: " + types() + ", block_table " + debugString(table) + ", lengths " +
                                        debugString(lengths) +
                                        ", expected ranks 3, 4, 4, 2 and 1, and one element type");
  int64_t heads = q.getDimSize(headOfQuery), keyHeads = k.getDimSize(headOfCache);
  bool isStatic = !ShapedType::isDynamicShape(q.getShape().drop_front()) &&
                  !ShapedType::isDynamicShape(k.getShape().drop_front()) && !v.isDynamicDim(elementOfCache);
  bool agrees = mayBeEqual(k.getDimSize(blockOfCache), v.getDimSize(blockOfCache)) &&
                keyHeads == v.getDimSize(headOfCache) &&
                k.getDimSize(rowOfCache) == v.getDimSize(rowOfCache) &&
                q.getDimSize(elementOfQuery) == k.getDimSize(elementOfCache);
  auto isEmpty = [](ArrayRef<int64_t> dims) { return llvm::is_contained(dims, 0); };
  if (!isStatic || !agrees || isEmpty(q.getShape().drop_front()) || isEmpty(k.getShape().drop_front()) ||
      isEmpty(v.getShape().drop_front()) || heads % keyHeads != 0)
    return inferenceError(location, "C2: " + types() +
                                        ", expected [B, H, D], [C, G, S, D] and [C, G, S, E], static and "
                                        "positive except B and C, with H a multiple of G");
  int64_t batch = q.getDimSize(batchOfQuery);
  if (!mayBeEqual(batch, table.getDimSize(0)) || !mayBeEqual(batch, lengths.getDimSize(0)) ||
      !mayBeEqual(table.getDimSize(0), lengths.getDimSize(0)))
    return inferenceError(location, "C3: q is " + debugString(q) + ", block_table " + debugString(table) +
                                        ", lengths " + debugString(lengths) +
                                        ", expected one sequence in each for each of q");
  results.push_back(q.clone({batch, heads, v.getDimSize(elementOfCache)}));
  return success();
}

FailureOr<SmallVector<Value>> PagedAttentionOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Type index = builder.getI64Type();
  Expression q = e.computed(getQ()), table = e.cast(e.wrap(getBlockTable()), index);
  Expression ends = insertDim(e.cast(e.wrap(getLengths()), index), 1);
  auto cache = tensorType(getKeyCache());
  int64_t rows = cache.getDimSize(rowOfCache), keyHeads = cache.getDimSize(headOfCache);
  Expression firstKeys = insertDim(iota(e, DimSize(table, 1), index), 0) * static_cast<double>(rows);
  Expression entries = e.select(firstKeys < ends, table, 0.0);
  Expression k = rowsOfSequences(e.wrap(getKeyCache()), entries),
             v = rowsOfSequences(e.wrap(getValueCache()), entries);

  Expression key = insertDim(iota(e, DimSize(k, 2), index), 0);
  Expression isKey = insertDim(key < ends, 1); // [B, 1, T S]
  // Rows that are not used may hold anything, NaN too.
  Expression isRow = insertDim(isKey, 3);
  k = e.select(isRow, k, 0.0);
  v = e.select(isRow, v, 0.0);
  SmallVector<DimSize> dims = dimSizesOf(q);
  int64_t heads = dims[headOfQuery].getNumber();
  Expression queries =
      reshapeTo(q, {dims[batchOfQuery], keyHeads, heads / keyHeads, dims[elementOfQuery].getNumber()});
  Expression scores = e.matmul(queries, k, false, true) * getScale().convertToDouble();
  Expression isUsed = insertDim(isKey, 2);
  // A finite number, so that a sequence without keys has no NaN.
  scores = e.select(isUsed, scores, static_cast<double>(std::numeric_limits<float>::lowest()));
  Expression weights = e.wrap(e.create<SoftmaxOp>(scores, static_cast<uint64_t>(3)));
  Expression out = e.matmul(e.select(isUsed, weights, 0.0), v);
  return e.results({reshapeTo(out, {dims[batchOfQuery], heads, tensorType(getValueCache()).getDimSize(3)})});
}

std::optional<int64_t> PagedAttentionOp::getDeviceOperations() {
  auto q = tensorType(getQ()), k = tensorType(getKeyCache()), table = tensorType(getBlockTable());
  if (!q.hasStaticShape() || !table.hasStaticShape())
    return std::nullopt;
  int64_t keys = table.getDimSize(1) * k.getDimSize(rowOfCache);
  int64_t elements = q.getDimSize(elementOfQuery) + tensorType(getValueCache()).getDimSize(elementOfCache);
  return 2 * q.getDimSize(batchOfQuery) * q.getDimSize(headOfQuery) * keys * elements;
}

const char *PagedAttentionOp::whyNoDeviceKernel() {
  Type own = tensorType(getQ()).getElementType();
  if (!own.isF16() && !own.isBF16() && !own.isF32())
    return "its elements are other than float16, bfloat16 and float32";
  for (Value operand : getOperands()) {
    if (!tensorType(operand).hasStaticShape())
      return "a dim is dynamic";
    if (tensorType(operand).getNumElements() == 0)
      return "an operand has no elements";
  }
  constexpr int64_t mostElements = 256;
  for (Value cache : {getKeyCache(), getValueCache()})
    if (tensorType(cache).getDimSize(elementOfCache) > mostElements)
      return "a head has more than 256 elements";
  return nullptr;
}

/// Sequences, heads of keys with their query heads, and the elements of values.
bool PagedAttentionOp::describeSharding(ShardingRuleBuilder &rule) {
  enum Operand : unsigned { query, keys, values, table, length };
  RankedTensorType q = rule.operandType(query), v = rule.operandType(values);
  int64_t heads = v.getDimSize(headOfCache);
  unsigned batch = rule.addFactor(q.getDimSize(batchOfQuery)), keyHead = rule.addFactor(heads),
           queryHead = rule.addFactor(q.getDimSize(headOfQuery) / heads),
           element = rule.addFactor(v.getDimSize(elementOfCache));
  for (unsigned operand : {query, table, length})
    rule.setOperand(operand, 0, batch);
  rule.setResult(0, batchOfQuery, batch);
  for (unsigned cache : {keys, values})
    rule.setOperand(cache, headOfCache, keyHead);
  for (unsigned factor : {keyHead, queryHead}) {
    rule.setOperand(query, headOfQuery, factor);
    rule.setResult(0, headOfQuery, factor);
  }
  rule.setOperand(values, elementOfCache, element);
  rule.setResult(0, elementOfQuery, element);
  return true;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/attention/PagedAttention.cpp.inc"
#include "dialects/pd/ops/attention/PagedAttention.methods.inc"
