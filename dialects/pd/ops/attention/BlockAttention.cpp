#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/attention/BlockAttentionOps.h"
#include "dialects/pd/ops/attention/FusedAttention.h"
#include "dialects/pd/ops/attention/PagedAttention.h"
#include "dialects/pd/ops/control/CheckOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/nn/EmbeddingOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/Support/DebugStringHelper.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

/// The name of an element type in the attribute compute_dtype.
StringRef computeDtypeOf(Type element) {
  return element.isF16() ? "fp16" : element.isBF16() ? "bf16" : element.isF32() ? "fp32" : "fp64";
}

using NamedOperand = std::pair<StringRef, Value>;

/// Refuses operands that quantize, out_scale and compute_dtype of an op on tokens `x`. Errors cite
/// `constraint`.
template <class Adaptor>
LogicalResult refuseQuantization(std::optional<Location> location, Adaptor adaptor, Value x,
                                 StringRef constraint, ArrayRef<NamedOperand> scales) {
  SmallVector<NamedOperand> quantized(scales);
  quantized.append({{"qkv_out_scale", adaptor.getQkvOutScale()},
                    {"out_shift", adaptor.getOutShift()},
                    {"out_smooth", adaptor.getOutSmooth()}});
  for (auto [name, operand] : quantized)
    if (operand)
      return inferenceError(location,
                            constraint + ": '" + name + "' is given: quantization is not supported");
  if (double scale = adaptor.getOutScale().convertToDouble(); scale > 0)
    return inferenceError(location, constraint + ": out_scale is " + llvm::Twine(std::to_string(scale)) +
                                        ", which quantizes the result, expected at most 0");
  StringRef expected = computeDtypeOf(tensorType(x).getElementType());
  if (StringRef dtype = adaptor.getComputeDtype(); dtype != "default" && dtype != expected)
    return inferenceError(location, constraint + ": compute_dtype is '" + dtype +
                                        "', expected 'default' or '" + expected + "'");
  return success();
}

LogicalResult refuseOperands(std::optional<Location> location, StringRef constraint,
                             ArrayRef<NamedOperand> operands) {
  for (auto [name, operand] : operands)
    if (operand)
      return inferenceError(location, constraint + ": '" + name + "' is given, which is not supported");
  return success();
}

/// The sizes of a decoding step.
struct DecodingDims {
  int64_t queryHeads, keyHeads, elements;

  static DecodingDims of(Value x, int64_t keyHeads, int64_t elements) {
    return {tensorType(x).getDimSize(1) / elements - 2 * keyHeads, keyHeads, elements};
  }
  int64_t heads() const { return queryHeads + 2 * keyHeads; }
  /// Whether a row of tokens has these heads.
  bool fit(Value x) const {
    return heads() * elements == tensorType(x).getDimSize(1) && queryHeads > 0 && queryHeads % keyHeads == 0;
  }
  double scale() const { return 1 / std::sqrt(static_cast<double>(elements)); }
};

/// The queries [B, H, D], keys and values [B, G, D] of new tokens, in the type of computations.
struct NewTokens {
  Expression x, q, k, v;

  /// `bias` may be null.
  static NewTokens of(Expression x, Value bias, const DecodingDims &dims) {
    TensorBuilder &e = x.owner();
    if (bias)
      x = x + e.reshape(e.computed(bias), {-1});
    Expression heads = reshapeTo(x, {DimSize(x, 0), dims.heads(), dims.elements});
    int64_t endOfKeys = dims.queryHeads + dims.keyHeads;
    return {x, slice(heads, 1, 0, dims.queryHeads), slice(heads, 1, dims.queryHeads, endOfKeys),
            slice(heads, 1, endOfKeys, toTheEnd)};
  }
};

/// Any shape of lengths as a vector of int64.
Expression lengthsOf(TensorBuilder &e, Value lengths) {
  return e.cast(e.reshape(e.wrap(lengths), {-1}), e.getBuilder().getI64Type());
}

/// Ends the run unless each sequence decodes one token.
void checkDecodes(TensorBuilder &e, BlockMultiheadAttentionOp op) {
  Type index = e.getBuilder().getI64Type();
  Expression encoded = lengthsOf(e, op.getSeqLensEncoder()), decoded = lengthsOf(e, op.getSeqLensDecoder()),
             tokens = lengthsOf(e, op.getSeqLensThisTime());
  auto one = [&](Expression condition) { return e.cast(condition, index); };
  Expression faults = one(encoded > 0.0) + one(decoded < 1.0) + one(tokens < 1.0) + one(tokens > 1.0);
  Expression areNone = e.sum(faults, {0}) < 1.0;
  AssertOp::create(e.getBuilder(), op.getLoc(), areNone,
                   ValueRange{op.getSeqLensEncoder(), op.getSeqLensDecoder(), op.getSeqLensThisTime()},
                   uint64_t(-1),
                   "block_multihead_attention: prompts are not supported, expected seq_lens_encoder 0, "
                   "seq_lens_decoder above 0 and seq_lens_this_time 1");
}

/// x [B, heads, D] rotated by cosines and sines [B, 1, D]: elements i and i + D / 2 together.
Expression rotateHalves(Expression x, Expression cosines, Expression sines) {
  int64_t half = x.type().getDimSize(2) / 2;
  Expression left = slice(x, 2, 0, half), right = slice(x, 2, half, toTheEnd);
  return x * cosines + concat({-right, left}, 2) * sines;
}

/// Elements 2 i and 2 i + 1 together.
Expression rotateAdjacent(Expression x, Expression cosines, Expression sines) {
  SmallVector<DimSize> dims = dimSizesOf(x);
  Expression pairs = reshapeTo(x, {dims[0], dims[1], dims[2].getNumber() / 2, 2});
  Expression exchanged = concat({-slice(pairs, 3, 1, 2), slice(pairs, 3, 0, 1)}, 3);
  return x * cosines + reshapeTo(exchanged, dims) * sines;
}

/// Rotary embeddings of the tokens at `positions` [B].
Expression rotate(Expression x, Expression positions, BlockMultiheadAttentionOp op) {
  TensorBuilder &e = x.owner();
  int64_t elements = x.type().getDimSize(2);
  Type sums = x.type().getElementType();
  if (op.getUseNeoxStyle()) {
    Expression table = e.reshape(e.wrap(op.getRopeEmb()), {2, -1, elements});
    auto half = [&](int64_t position) {
      Expression ofPositions = dropDim(slice(table, 0, position, position + 1), 0);
      return insertDim(e.cast(e.wrap(e.create<EmbeddingOp>(positions, ofPositions)), sums), 1);
    };
    return rotateHalves(x, half(0), half(1));
  }
  Type index = e.getBuilder().getI64Type();
  Expression pair = e.wrap(e.create<FloorDivideOp>(iota(e, elements, index), e.constant(2, index)));
  double step = -2 * std::log(op.getRopeTheta().convertToDouble()) / static_cast<double>(elements);
  Expression frequencies = e.exp(e.cast(pair, sums) * step);
  Expression angles = insertDim(insertDim(e.cast(positions, sums), 1) * insertDim(frequencies, 0), 1);
  return rotateAdjacent(x, e.cos(angles), e.sin(angles));
}

/// Where a new token is in a cache [blocks, heads, rows, elements]: two vectors [B].
struct CachePosition {
  Expression block, row;
};

/// The cache with `tokens`, [B, heads, elements], at these places.
Expression written(Expression cache, const CachePosition &entry, Expression tokens) {
  TensorBuilder &e = cache.owner();
  int64_t heads = tokens.type().getDimSize(1);
  SmallVector<DimSize> dims{DimSize(tokens, 0), heads, 1};
  auto ofHeads = [&](Expression index) { return expandTo(insertDim(insertDim(index, 1), 2), dims); };
  Expression head = insertDim(insertDim(iota(e, heads, e.getBuilder().getI64Type()), 0), 2);
  Expression index = concat({ofHeads(entry.block), expandTo(head, dims), ofHeads(entry.row)}, 2);
  return e.wrap(e.create<ScatterNdOp>(cache, index, e.cast(tokens, cache.type().getElementType()),
                                      ScatterReduce::Assign, false));
}

} // namespace

LogicalResult BlockMultiheadAttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                          Adaptor adaptor, SmallVectorImpl<Type> &results) {
  auto qkv = tensorType(adaptor.getQkv()), keys = tensorType(adaptor.getKeyCache()),
       values = tensorType(adaptor.getValueCache()), table = tensorType(adaptor.getBlockTables());
  NamedOperand scales[] = {{"cache_k_quant_scales", adaptor.getCacheKQuantScales()},
                           {"cache_v_quant_scales", adaptor.getCacheVQuantScales()},
                           {"cache_k_dequant_scales", adaptor.getCacheKDequantScales()},
                           {"cache_v_dequant_scales", adaptor.getCacheVDequantScales()}};
  NamedOperand others[] = {{"pre_key_cache", adaptor.getPreKeyCache()},
                           {"pre_value_cache", adaptor.getPreValueCache()},
                           {"tgt_mask", adaptor.getTgtMask()}};
  if (failed(refuseQuantization(location, adaptor, adaptor.getQkv(), "C6", scales)) ||
      failed(refuseOperands(location, "C7", others)))
    return failure();
  if (qkv.getRank() != 2 || keys.getRank() != 4 || values != keys || table.getRank() != 2 ||
      qkv.getElementType() != keys.getElementType())
    return inferenceError(location, "C1: qkv is " + debugString(qkv) + ", key_cache " + debugString(keys) +
                                        ", value_cache " + debugString(values) + ", block_tables " +
                                        debugString(table) +
                                        ", expected ranks 2, 4, 4 and 2, equal caches and one element type");
  bool isStatic = !ShapedType::isDynamicShape(keys.getShape().drop_front()) && !qkv.isDynamicDim(1) &&
                  !llvm::is_contained(keys.getShape().drop_front(), 0);
  int64_t columns = qkv.getDimSize(1);
  DecodingDims dims =
      isStatic ? DecodingDims::of(adaptor.getQkv(), keys.getDimSize(1), keys.getDimSize(3)) : DecodingDims();
  if (!isStatic || !dims.fit(adaptor.getQkv()) || !mayHaveElements(adaptor.getQkvBias(), columns))
    return inferenceError(location, "C2: qkv is " + debugString(qkv) + ", key_cache " + debugString(keys) +
                                        ", expected (H + 2 G) D columns and a bias of as many elements");
  int64_t batch = table.getDimSize(0);
  bool haveLengths = llvm::all_of(
      ArrayRef<Value>{adaptor.getSeqLensEncoder(), adaptor.getSeqLensDecoder(), adaptor.getSeqLensThisTime()},
      [&](Value lengths) { return mayHaveElements(lengths, batch); });
  if (!mayBeEqual(qkv.getDimSize(0), batch) || !haveLengths)
    return inferenceError(location, "C3: qkv is " + debugString(qkv) + ", block_tables " +
                                        debugString(table) +
                                        ", expected one token and one of each length for each sequence");
  if (static_cast<int64_t>(adaptor.getBlockSize()) != keys.getDimSize(2))
    return inferenceError(location, "C4: block_size is " + llvm::Twine(adaptor.getBlockSize()) +
                                        ", expected the " + llvm::Twine(keys.getDimSize(2)) +
                                        " rows of a block of the cache");
  if (Value rope = adaptor.getRopeEmb()) {
    auto type = tensorType(rope);
    bool isTable = !type.hasStaticShape() || type.getNumElements() % (2 * dims.elements) == 0;
    if (dims.elements % 2 != 0 || !isTable)
      return inferenceError(location, "C5: rope_emb is " + debugString(type) + " for heads of " +
                                          std::to_string(dims.elements) +
                                          " elements, expected 2 P D elements and an even D");
  }
  results.append({qkv.clone({qkv.getDimSize(0), dims.queryHeads * dims.elements}), qkv, keys, values});
  return success();
}

FailureOr<SmallVector<Value>> BlockMultiheadAttentionOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  checkDecodes(e, *this);
  auto cache = tensorType(getKeyCache());
  DecodingDims dims = DecodingDims::of(getQkv(), cache.getDimSize(1), cache.getDimSize(3));
  NewTokens tokens = NewTokens::of(e.computed(getQkv()), getQkvBias(), dims);
  Expression positions = lengthsOf(e, getSeqLensDecoder());
  if (getRopeEmb())
    for (Expression *rotated : {&tokens.q, &tokens.k})
      *rotated = rotate(*rotated, positions, *this);
  Type index = builder.getI64Type();
  Expression rowsOfBlock = e.constant(static_cast<double>(cache.getDimSize(2)), index);
  Expression value = e.wrap(e.create<FloorDivideOp>(positions, rowsOfBlock)),
             row = e.wrap(e.create<RemainderOp>(positions, rowsOfBlock));
  Expression table = e.cast(e.wrap(getBlockTables()), index);
  Expression block = dropDim(e.wrap(e.create<TakeAlongAxisOp>(table, insertDim(value, 1), 1)), 1);
  Expression keys = written(e.wrap(getKeyCache()), {block, row}, tokens.k),
             values = written(e.wrap(getValueCache()), {block, row}, tokens.v);
  Value out = e.create<PagedAttentionOp>(e.cast(tokens.q, cache.getElementType()), keys, values,
                                         getBlockTables(), positions + 1.0, APFloat(dims.scale()));
  Expression flat = reshapeTo(e.wrap(out), {DimSize(tokens.x, 0), dims.queryHeads * dims.elements});
  return e.results({flat, tokens.x, keys, values});
}

//===-- masked_multihead_attention ----------------------------------------------------------------------===//

/// The elements of 16 bytes.
static int64_t adjacentKeys(Type element) { return 128 / element.getIntOrFloatBitWidth(); }

/// The constraints C3 and C4.
template <class Adaptor>
static LogicalResult checkTokens(std::optional<Location> location, Adaptor adaptor,
                                 const DecodingDims &dims) {
  auto x = tensorType(adaptor.getX()), cache = tensorType(adaptor.getCacheKv());
  Value mask = adaptor.getSrcMask(), lengths = adaptor.getSequenceLengths();
  int64_t batch = x.getDimSize(0);
  bool agrees =
      mayBeEqual(batch, cache.getDimSize(1)) && (mask || lengths) && mayHaveElements(lengths, batch);
  if (mask) {
    auto type = tensorType(mask);
    agrees &= type.getRank() == 4 && mayBeEqual(type.getDimSize(0), batch) &&
              (type.getDimSize(1) == 1 || type.getDimSize(1) == dims.queryHeads) && type.getDimSize(2) == 1 &&
              !type.isDynamicDim(3) && type.getDimSize(3) > 0 && type.getDimSize(3) <= cache.getDimSize(3);
  }
  auto typeOf = [](Value value) { return value ? debugString(value.getType()) : std::string("absent"); };
  if (!agrees)
    return inferenceError(location, "C3: x is " + debugString(x) + ", cache_kv " + debugString(cache) +
                                        ", src_mask " + typeOf(mask) + ", sequence_lengths " +
                                        typeOf(lengths));
  auto rotated = static_cast<int64_t>(adaptor.getRotaryEmbDims());
  Value angles = adaptor.getRotaryTensor();
  bool haveAngles =
      rotated == 0 || (rotated == 1 && angles && dims.elements % 2 == 0 &&
                       (ShapedType::isDynamic(batch) || mayHaveElements(angles, 2 * batch * dims.elements)));
  if (!haveAngles)
    return inferenceError(location, "C4: rotary_emb_dims is " + std::to_string(rotated) + ", rotary_tensor " +
                                        typeOf(angles) + ", expected 0, or 1 and 2 B D elements");
  return success();
}

LogicalResult MaskedMultiheadAttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                           Adaptor adaptor, SmallVectorImpl<Type> &results) {
  auto x = tensorType(adaptor.getX()), cache = tensorType(adaptor.getCacheKv());
  NamedOperand others[] = {{"cum_offsets", adaptor.getCumOffsets()},
                           {"beam_cache_offset", adaptor.getBeamCacheOffset()}};
  if (failed(refuseQuantization(location, adaptor, adaptor.getX(), "C5", {})) ||
      failed(refuseOperands(location, "C6", others)))
    return failure();
  Type element = x.getElementType();
  auto hasElement = [&](Value value) { return !value || tensorType(value).getElementType() == element; };
  if (x.getRank() != 2 || cache.getRank() != 5 || cache.getDimSize(0) != 2 ||
      cache.getElementType() != element || !hasElement(adaptor.getBias()) ||
      !hasElement(adaptor.getSrcMask()))
    return inferenceError(location, "C1: x is " + debugString(x) + ", cache_kv " + debugString(cache) +
                                        ", expected ranks 2 and 5, a first dim of 2 and one element type");
  ArrayRef<int64_t> ofHeads = cache.getShape().drop_front(2);
  bool isStatic = !ShapedType::isDynamicShape(ofHeads) && !llvm::is_contained(ofHeads, 0) &&
                  !x.isDynamicDim(1) && ofHeads[2] % adjacentKeys(element) == 0;
  DecodingDims dims = isStatic ? DecodingDims::of(adaptor.getX(), ofHeads[0], ofHeads[2]) : DecodingDims();
  if (!isStatic || !dims.fit(adaptor.getX()) || !mayHaveElements(adaptor.getBias(), x.getDimSize(1)))
    return inferenceError(location,
                          "C2: x is " + debugString(x) + ", cache_kv " + debugString(cache) +
                              ", expected (H + 2 G) D columns, rows of a multiple of 16 bytes, and a "
                              "bias of as many elements");
  if (failed(checkTokens(location, adaptor, dims)))
    return failure();
  results.append({x.clone({x.getDimSize(0), dims.queryHeads * dims.elements}), cache});
  return success();
}

FailureOr<SmallVector<Value>> MaskedMultiheadAttentionOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  auto cache = tensorType(getCacheKv());
  DecodingDims dims = DecodingDims::of(getX(), cache.getDimSize(2), cache.getDimSize(4));
  NewTokens tokens = NewTokens::of(e.computed(getX()), getBias(), dims);
  DimSize batch(tokens.x, 0);
  Type index = builder.getI64Type(), element = cache.getElementType();
  if (getRotaryEmbDims() == 1) {
    Expression angles = e.cast(reshapeTo(e.wrap(getRotaryTensor()), {2, batch, 1, dims.elements}),
                               tokens.x.type().getElementType());
    Expression cosines = dropDim(slice(angles, 0, 0, 1), 0), sines = dropDim(slice(angles, 0, 1, 2), 0);
    for (Expression *rotated : {&tokens.q, &tokens.k})
      *rotated = getUseNeoxRotaryStyle() ? rotateHalves(*rotated, cosines, sines)
                                         : rotateAdjacent(*rotated, cosines, sines);
  }
  int64_t rows = cache.getDimSize(3), used = getSrcMask() ? tensorType(getSrcMask()).getDimSize(3) : rows;
  Expression positions = e.constant(static_cast<double>(used - 1), index);
  if (Value lengths = getSequenceLengths()) {
    positions = lengthsOf(e, lengths);
    Expression areNegative = e.sum(e.cast(positions < 0.0, index), {0});
    AssertOp::create(builder, getLoc(), areNegative < 1.0, lengths, uint64_t(-1),
                     "masked_multihead_attention: expected no negative number in sequence_lengths");
  }
  positions = expandTo(positions, {batch});

  // Adjacent elements of keys are stored together.
  int64_t adjacent = adjacentKeys(element), chunks = dims.elements / adjacent;
  Expression both = e.wrap(getCacheKv()), sequence = iota(e, batch, index);
  Expression keys = reshapeTo(slice(both, 0, 0, 1), {batch, dims.keyHeads * chunks, rows, adjacent}),
             values = dropDim(slice(both, 0, 1, 2), 0);
  keys = written(keys, {sequence, positions}, reshapeTo(tokens.k, {batch, dims.keyHeads * chunks, adjacent}));
  values = written(values, {sequence, positions}, tokens.v);
  Expression inRows =
      e.transpose(reshapeTo(keys, {batch, dims.keyHeads, chunks, rows, adjacent}), {0, 1, 3, 2, 4});
  inRows = reshapeTo(inRows, {batch, dims.keyHeads, rows, dims.elements});
  Expression q = e.cast(tokens.q, element), lengths = positions + 1.0;
  Value out;
  if (Value mask = getSrcMask()) {
    auto none = builder.getDenseI64ArrayAttr({});
    out = FusedAttentionOp::create(
              builder, getLoc(), insertDim(q, 2), slice(inRows, 2, 0, used), slice(values, 2, 0, used), mask,
              lengths, Value(), Value(), Value(), builder.getF64FloatAttr(dims.scale()),
              builder.getBoolAttr(false), none, none, none, none, builder.getF64FloatAttr(0),
              DropoutModeAttr::get(getContext(), DropoutMode::UpscaleInTrain), none,
              /*mask_fill=*/builder.getF64FloatAttr(0), /*soft_cap=*/builder.getF64FloatAttr(0),
              /*left_window=*/builder.getI64IntegerAttr(-1), /*right_window=*/builder.getI64IntegerAttr(-1),
              /*ring=*/builder.getBoolAttr(false))
              .getOut();
  } else { // each sequence is a block
    out =
        e.create<PagedAttentionOp>(q, inRows, values, insertDim(sequence, 1), lengths, APFloat(dims.scale()));
  }
  Expression flat = reshapeTo(e.wrap(out), {batch, dims.queryHeads * dims.elements});
  Expression stored = reshapeTo(keys, {1, batch, dims.keyHeads, rows, dims.elements});
  return e.results({flat, concat({stored, insertDim(values, 0)}, 0)});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/attention/BlockAttention.cpp.inc"
#include "dialects/pd/ops/attention/BlockAttention.methods.inc"
