//! Random ops that ONNX lacks, as formulas of uniform and normal numbers.
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/math/SpecialOps.h"
#include "dialects/pd/ops/random/Random.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/search/Order.h"
#include "dialects/pd/ops/sequence/Recurrence.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

#include <cmath>

using namespace mlir;

namespace proa::exporter::onnxhooks {
namespace {

using pd::DimSize;
using pd::Expression;
using pd::TensorBuilder;
using Values = llvm::SmallVector<Value>;

/// Uniform numbers in [low, high), of the dims and element type of `like`.
Expression uniformLike(Expression like, double low, double high, uint64_t seed) {
  TensorBuilder &e = like.owner();
  return e.wrap(e.create<pd::UniformInplaceOp>(like, seed, llvm::APFloat(low), llvm::APFloat(high),
                                               uint64_t(0), uint64_t(0), llvm::APFloat(1.0)));
}

Expression normalLike(Expression like, uint64_t seed) {
  TensorBuilder &e = like.owner();
  return e.wrap(e.create<pd::GaussianInplaceOp>(like, seed, llvm::APFloat(0.0), llvm::APFloat(1.0)));
}

Expression zeros(TensorBuilder &e, const DimSize &count) {
  return expandTo(e.constant(0, e.getBuilder().getF32Type()), {count});
}

/// 0 to count - 1 in random order.
Expression permutation(TensorBuilder &e, const DimSize &count, uint64_t seed) {
  return pd::descending(uniformLike(zeros(e, count), 0, 1, seed)).indices;
}

Type resultType(NodeExporter &node, unsigned index) {
  return pd::tensorType(node.getOp()->getResult(index)).getElementType();
}

Expression largest(Expression x) {
  llvm::SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  return axes.empty() ? x : x.owner().max(x, axes, /*keepdim=*/false);
}

/// Counts by the inversion of their distribution: the number of probabilities whose sum is at most a uniform
/// number. `first` is the logarithm of the probability of 0, `ratio` the logarithm of the probability of a
/// count by the probability of the count before.
Expression countsByInversion(Expression first, Expression most, uint64_t seed,
                             llvm::function_ref<Expression(Expression value)> ratio) {
  TensorBuilder &e = first.owner();
  Expression u = uniformLike(first, 0, 1, seed);
  pd::Recurrence loop =
      pd::runSteps(pd::dimSizeOf(pd::asInts(most)), {}, {first, first * 0.0, first * 0.0}, /*recorded=*/0,
                   [&](Expression value, llvm::ArrayRef<Expression>,
                       llvm::ArrayRef<Expression> before) -> llvm::SmallVector<Expression> {
                     Expression sum = before[1] + e.exp(before[0]);
                     Expression index = e.reshape(e.cast(value, first.type().getElementType()), {}) + 1.0;
                     return {before[0] + ratio(index), sum, before[2] + e.indicator(u >= sum, before[2])};
                   });
  return loop.last[2];
}

} // namespace

void exportTruncatedGaussian(NodeExporter &node) {
  auto op = node.get<pd::TruncatedGaussianRandomOp>();
  node.exportAs([&](TensorBuilder &e) {
    auto share = [](llvm::APFloat bound) { return std::erf(bound.convertToDouble() / std::sqrt(2.0)); };
    Type f64 = e.getBuilder().getF64Type();
    Value uniform = e.create<pd::UniformOp>(op.getShapeTensor(), Value(), Value(), op.getShape(), f64,
                                            op.getSeed(), llvm::ArrayRef<int64_t>(),
                                            llvm::APFloat(share(op.getA())), llvm::APFloat(share(op.getB())),
                                            uint64_t(0), uint64_t(0), llvm::APFloat(1.0));
    Expression normal = e.wrap(e.create<pd::ErfinvOp>(uniform)) * std::sqrt(2.0);
    Expression out = normal * op.getStd().convertToDouble() + op.getMean().convertToDouble();
    return Values{e.cast(out, resultType(node, 0))};
  });
}

void exportRandperm(NodeExporter &node) {
  auto op = node.get<pd::RandpermOp>();
  node.exportAs([&](TensorBuilder &e) {
    DimSize count = static_cast<int64_t>(op.getN());
    return Values{e.cast(permutation(e, count, op.getSeed()), resultType(node, 0))};
  });
}

void exportSamplingId(NodeExporter &node) {
  auto op = node.get<pd::SamplingIdOp>();
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.computed(op.getX()), sums = e.wrap(e.create<pd::CumsumOp>(x, Value(), int64_t(1)));
    Expression u = uniformLike(pd::slice(x, 1, 0, 1), op.getMin().convertToDouble(),
                               op.getMax().convertToDouble(), op.getSeed());
    Type i64 = e.getBuilder().getI64Type();
    Expression count = e.sum(e.cast(sums <= u, i64), {1}, /*keepdim=*/false);
    Expression last = e.wrap(DimSize(x, 1).getValue(e)) - 1.0;
    return Values{e.cast(e.minimum(count, last), resultType(node, 0))};
  });
}

void exportShuffleBatch(NodeExporter &node) {
  auto op = node.get<pd::ShuffleBatchOp>();
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.wrap(op.getX());
    llvm::SmallVector<DimSize> dims = dimSizesOf(x), flat{DimSize(1), dims.back()};
    for (const DimSize &size : llvm::ArrayRef(dims).drop_back())
      flat[0] = multiply(e, flat[0], size);
    Expression order = permutation(e, flat[0], op.getStartupSeed());
    Expression out = reshapeTo(pd::gatherRows(reshapeTo(x, flat), order), dims);
    return Values{out, e.cast(order, resultType(node, 1)),
                  e.cast(e.wrap(op.getSeed()) + 1.0, resultType(node, 2))};
  });
}

void exportPoisson(NodeExporter &node) {
  auto op = node.get<pd::PoissonOp>();
  node.exportAs([&](TensorBuilder &e) {
    Expression mean = e.cast(e.computed(op.getX()), e.getBuilder().getF64Type());
    Expression top = e.maximum(largest(mean), 0.0), logarithm = e.log(e.maximum(mean, 1e-300));
    Expression counts = countsByInversion(-mean, top + e.sqrt(top) * 12.0 + 30.0, op.getSeed(),
                                          [&](Expression index) { return logarithm - e.log(index); });
    return Values{e.cast(counts, resultType(node, 0))};
  });
}

void exportBinomial(NodeExporter &node) {
  auto op = node.get<pd::BinomialOp>();
  node.exportAs([&](TensorBuilder &e) {
    Type f64 = e.getBuilder().getF64Type();
    Expression count = e.cast(e.wrap(op.getCount()), f64), chance = e.cast(e.wrap(op.getProb()), f64);
    Expression inner = e.minimum(e.maximum(chance, 1e-300), 1.0 - 1e-16);
    Expression odds = e.log(inner) - e.log1p(-inner);
    Expression counts = countsByInversion(
        count * e.log1p(-inner), e.maximum(largest(count), 0.0), op.getSeed(), [&](Expression index) {
          return odds + e.log(e.maximum(count - index + 1.0, 1e-300)) - e.log(index);
        });
    counts = e.minimum(counts, count);
    return Values{e.cast(e.select(chance >= 1.0, count, counts), resultType(node, 0))};
  });
}

/// Marsaglia and Tsang, "A simple method for generating gamma variables", 2000. Each of 24 candidates is
/// accepted with a probability above 0.95; the first one counts.
void exportStandardGamma(NodeExporter &node) {
  auto op = node.get<pd::StandardGammaOp>();
  node.exportAs([&](TensorBuilder &e) {
    constexpr int64_t candidates = 24;
    Expression x = e.cast(e.computed(op.getX()), e.getBuilder().getF64Type());
    Expression isSmall = x < 1.0, shape = e.select(isSmall, x + 1.0, x);
    Expression d = shape - 1.0 / 3, c = 1.0 / e.sqrt(d * 9.0);
    int64_t axis = x.rank();
    llvm::SmallVector<DimSize> dims = dimSizesOf(x);
    dims.push_back(DimSize(candidates));
    Expression like = expandTo(insertDim(c, axis), dims), wideD = insertDim(d, axis);
    uint64_t seed = op.getSeed();
    Expression normal = normalLike(like, seed), u = uniformLike(like, 0, 1, seed == 0 ? 0 : seed + 1);
    Expression root = like * normal + 1.0, cube = root * root * root, positive = e.maximum(cube, 1e-300);
    Expression bound = normal * normal * 0.5 + wideD - wideD * cube + wideD * e.log(positive);
    Expression isAccepted = pd::both(root > 0.0, e.log(u) < bound);
    Expression order = insertDim(
        e.wrap(e.create<pd::ArgmaxOp>(e.cast(isAccepted, e.getBuilder().getI32Type()), Value(), axis,
                                      /*keepdims=*/false, /*flatten=*/false, TypeAttr())),
        axis);
    Expression chosen = dropDim(
        e.wrap(e.create<pd::TakeAlongAxisOp>(wideD * cube, order, e.getBuilder().getI64IntegerAttr(axis))),
        axis);
    Expression power = e.exp(e.log(uniformLike(x, 0, 1, seed == 0 ? 0 : seed + 2)) / x);
    return Values{e.cast(e.select(isSmall, chosen * power, chosen), resultType(node, 0))};
  });
}

void exportClassCenterSample(NodeExporter &node) {
  auto op = node.get<pd::ClassCenterSampleOp>();
  node.exportAs([&](TensorBuilder &e) {
    Type i64 = e.getBuilder().getI64Type(), f32 = e.getBuilder().getF32Type();
    auto classes = static_cast<int64_t>(op.getNumClasses());
    auto samples = static_cast<double>(static_cast<int64_t>(op.getNumSamples()));
    Expression label = e.reshape(pd::asInts(e.wrap(op.getLabel())), {-1});
    Expression position = iota(e, classes, i64);
    Expression isLabel = e.max(e.cast(insertDim(label, 1) == insertDim(position, 0), f32), {0}, false);
    // Classes of labels come first, others follow in random order.
    Expression score = isLabel + uniformLike(isLabel, 0, 0.5, op.getFixSeed() ? op.getSeed() : 0);
    Expression isChosen = pd::either(isLabel > 0.5, pd::descendingRank(score) < samples);
    Expression centers = dropDim(e.wrap(e.create<pd::NonzeroOp>(isChosen)), 1);
    Expression index = e.wrap(e.create<pd::CumsumOp>(pd::asInts(isChosen), Value(), int64_t(0))) - 1.0;
    Expression remapped = reshapeTo(pd::gatherRows(index, label), dimSizesOf(e.wrap(op.getLabel())));
    return Values{e.cast(remapped, resultType(node, 0)), e.cast(centers, resultType(node, 1))};
  });
}

} // namespace proa::exporter::onnxhooks
