//! Region proposals and pyramids of features, and suppression by decay.
#include "translator/export/onnx/NodeExporter.h"
#include "translator/export/onnx/hooks/Conditions.h"

#include "dialects/pd/ops/detection/Nms.h"
#include "dialects/pd/ops/detection/NmsFormula.h"
#include "dialects/pd/ops/detection/ProposalFormula.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include <cmath>

using namespace mlir;

namespace proa::exporter::onnxhooks {

using pd::Expression;
using pd::TensorBuilder;
using Values = llvm::SmallVector<Value>;

namespace {

using pd::noScore;

Expression bothHold(TensorBuilder &e, Expression x, Expression y) {
  return e.wrap(e.create<pd::LogicalAndOp>(x, y));
}

/// The indices of the true elements of a vector.
Expression indicesWhere(TensorBuilder &e, Expression mask) {
  return pd::dropDim(e.wrap(e.create<pd::NonzeroOp>(mask)), 1);
}

Expression rowsAt(TensorBuilder &e, Expression x, Expression index) {
  return e.wrap(e.create<pd::GatherOp>(x, index, Value(), uint64_t(0)));
}

/// The image of each of `rows` elements, of which image i has counts[i].
Expression imagesOf(TensorBuilder &e, Expression like, Value counts) {
  Type wide = e.getBuilder().getI64Type();
  Expression indices = pd::iota(e, pd::DimSize(like, 0), wide);
  Expression ends =
      e.wrap(e.create<pd::CumsumOp>(e.cast(e.wrap(counts), wide), Value(), uint64_t(0), false, false, false));
  Value isPast = e.create<pd::LessEqualOp>(pd::insertDim(ends, 0), pd::insertDim(indices, 1));
  return e.sum(e.cast(e.wrap(isPast), wide), {1}, /*keepdim=*/false);
}

/// How many of `images` are each of 0 to count - 1.
Expression countsOf(TensorBuilder &e, Expression images, const pd::DimSize &count, Type element) {
  Expression indices = pd::iota(e, count, images.type().getElementType());
  Value isEqual = e.create<pd::EqualOp>(pd::insertDim(indices, 1), pd::insertDim(images, 0));
  return e.cast(e.sum(e.cast(e.wrap(isEqual), e.getBuilder().getI64Type()), {1}, false), element);
}

/// The `k` largest elements along the last dimension: values and indices. All of them if there are fewer.
std::pair<Expression, Expression> largest(TensorBuilder &e, Expression x, int64_t k) {
  pd::DimSize count(x, x.rank() - 1);
  Value most;
  if (!count.isKnown()) {
    Type wide = e.getBuilder().getI64Type();
    Expression size = e.wrap(count.getValue(e));
    most = e.reshape(k < 0 ? size : e.minimum(size, e.constant(static_cast<double>(k), wide)), {1});
  } else if (k < 0 || k > count.getNumber()) {
    k = count.getNumber();
  }
  auto op =
      pd::TopkOp::create(e.getBuilder(), Value(x).getLoc(), x, most,
                         static_cast<uint64_t>(std::max<int64_t>(k, 1)), uint64_t(-1), true, true, false);
  return {e.wrap(op.getOut()), e.wrap(op.getIndices())};
}

//===-- Proposals ---------------------------------------------------------------------------------------===//

} // namespace

bool isProposalsInOnnx(pd::GenerateProposalsOp op) {
  return op.getEta().convertToDouble() >= 1 && op.getNmsThresh().convertToDouble() > 0 &&
         !pd::tensorType(op.getScores()).isDynamicDim(1);
}

void exportGenerateProposals(NodeExporter &node) {
  auto op = node.get<pd::GenerateProposalsOp>();
  Type real = Float32Type::get(op.getContext());
  auto candidates = node.compute([&](TensorBuilder &e) {
    pd::ProposalCandidates all = pd::proposalCandidates(e, op);
    return Values{all.boxes, all.scores};
  });
  std::string boxes = candidates[0], scores = candidates[1], measured = boxes;
  if (op.getPixelOffset())
    measured = node.node("Add", {boxes, node.numbers({0, 0, 1, 1}, real)});
  auto most = static_cast<int64_t>(op.getPostNmsTopN());
  std::string chosen =
      node.node("NonMaxSuppression",
                {measured, node.unsqueeze(scores, {1}),
                 node.ints({most > 0 ? most : std::numeric_limits<int32_t>::max()}),
                 node.numbers({op.getNmsThresh().convertToDouble()}, real), node.numbers({noScore}, real)});
  std::string position = node.node("Gather", {chosen, node.ints({0, 2})}, {{"axis", int64_t(1)}});
  node.setResult(0, node.node("GatherND", {boxes, position}));
  node.setResult(1, node.unsqueeze(node.node("GatherND", {scores, position}), {1}));
  std::string images = node.node("Gather", {chosen, node.ints({0})}, {{"axis", int64_t(1)}});
  std::string count =
      node.node("Gather", {node.shapeOf(scores), node.scalar(0, IntegerType::get(op.getContext(), 64))});
  Type wide = IntegerType::get(op.getContext(), 64);
  std::string values = node.node("Range", {node.scalar(0, wide), count, node.scalar(1, wide)});
  std::string isOfImage = node.cast(node.node("Equal", {images, node.unsqueeze(values, {0})}), wide);
  std::string counts =
      node.node("ReduceSum", {isOfImage}, {{"axes", std::vector<int64_t>{0}}, {"keepdims", int64_t(0)}});
  node.setResult(2, node.cast(counts, pd::tensorType(op.getRpnRoisNum()).getElementType()));
}

void exportDistributeFpnProposalsToOnnx(NodeExporter &node) {
  auto op = node.get<pd::DistributeFpnProposalsOp>();
  node.exportAs([&](TensorBuilder &e) {
    auto first = static_cast<int64_t>(op.getMinLevel()), last = static_cast<int64_t>(op.getMaxLevel());
    double pixel = op.getPixelOffset() ? 1 : 0;
    Expression boxes = e.wrap(op.getFpnRois());
    Expression width = pd::coordinateOf(boxes, 2) - pd::coordinateOf(boxes, 0),
               height = pd::coordinateOf(boxes, 3) - pd::coordinateOf(boxes, 1);
    Expression isBox = bothHold(e, width >= 0.0, height >= 0.0);
    Expression size = e.sqrt(e.select(isBox, (width + pixel) * (height + pixel), 0.0));
    Expression ratio = size / static_cast<double>(op.getReferScale()) + 1e-6;
    Expression level = e.floor(e.log(ratio) * (1 / std::log(2.0)) + static_cast<double>(op.getReferLevel()));
    level = e.minimum(static_cast<double>(last), e.maximum(static_cast<double>(first), level));
    Values results, counts;
    llvm::SmallVector<Expression> order;
    for (int64_t i = first; i <= last; ++i) {
      Expression rows = indicesWhere(e, e.equal(level, static_cast<double>(i)));
      results.push_back(rowsAt(e, boxes, rows));
      order.push_back(rows);
      Type element = pd::tensorType(op->getResult(last - first + 2 + i - first)).getElementType();
      counts.push_back(op.getRoisNum()
                           ? countsOf(e, rowsAt(e, imagesOf(e, boxes, op.getRoisNum()), rows),
                                      pd::DimSize(e.wrap(op.getRoisNum()), 0), element)
                           : e.cast(e.reshape(e.wrap(pd::DimSize(rows, 0).getValue(e)), {1}), element));
    }
    auto sorted =
        pd::ArgsortOp::create(e.getBuilder(), op.getLoc(), pd::concat(order, 0), uint64_t(0), false, true);
    Type index = pd::tensorType(op->getResult(last - first + 1)).getElementType();
    results.push_back(e.cast(pd::insertDim(e.wrap(sorted.getIndices()), 1), index));
    llvm::append_range(results, counts);
    return results;
  });
}

/// The best boxes of all levels, then by images.
void exportCollectFpnProposalsToOnnx(NodeExporter &node) {
  auto op = node.get<pd::CollectFpnProposalsOp>();
  node.exportAs([&](TensorBuilder &e) {
    auto levels = static_cast<int64_t>(op.getLevels());
    Type wide = e.getBuilder().getI64Type();
    llvm::SmallVector<Expression> boxes, scores, images;
    pd::DimSize count(1);
    for (int64_t i = 0; i < levels; ++i) {
      boxes.push_back(e.wrap(op.getInputs()[i]));
      scores.push_back(e.reshape(e.wrap(op.getInputs()[levels + i]), {-1}));
      if (static_cast<int64_t>(op.getInputs().size()) > 2 * levels) {
        Value counts = op.getInputs()[2 * levels + i];
        images.push_back(imagesOf(e, boxes.back(), counts));
        count = pd::DimSize(e.wrap(counts), 0);
      } else {
        images.push_back(pd::iota(e, pd::DimSize(boxes.back(), 0), wide) * 0.0);
      }
    }
    auto [best, index] = largest(e, pd::concat(scores, 0), static_cast<int64_t>(op.getPostNmsTopn()));
    Expression ofBest = rowsAt(e, pd::concat(images, 0), index);
    auto sorted = pd::ArgsortOp::create(e.getBuilder(), op.getLoc(), ofBest, uint64_t(0), false, true);
    Expression order = rowsAt(e, index, e.wrap(sorted.getIndices()));
    return Values{rowsAt(e, pd::concat(boxes, 0), order),
                  countsOf(e, ofBest, count, pd::tensorType(op.getRoisNum()).getElementType())};
  });
}

//===-- Suppression by decay ----------------------------------------------------------------------------===//

namespace {

/// matrix_nms: the candidates of all classes [N, C, k], and their decayed scores.
struct MatrixNmsFormula {
  pd::MatrixNmsOp op;
  TensorBuilder &e;
  Expression boxes = e.wrap(op.getBboxes()), scores = e.wrap(op.getScores());
  Type element = scores.type().getElementType();

  Expression known() {
    Expression known = e.select(scores > op.getScoreThreshold().convertToDouble(), scores, noScore);
    auto background = static_cast<int64_t>(op.getBackgroundLabel());
    if (background < 0)
      return known;
    Expression classes = pd::iota(e, pd::DimSize(scores, 1), e.getBuilder().getI64Type());
    Expression isBackground = e.equal(pd::insertDim(classes, 1), static_cast<double>(background));
    return e.select(isBackground, noScore, known);
  }

  /// Intersections over unions of all pairs, [N, C, k, k].
  Expression overlaps(Expression candidates) {
    double pixel = op.getNormalized() ? 0 : 1;
    int64_t rank = candidates.rank() - 1;
    auto sides = [&](int64_t k) {
      Expression corner = pd::coordinateOf(candidates, k);
      return std::pair(pd::insertDim(corner, rank), pd::insertDim(corner, rank - 1));
    };
    auto [left, left2] = sides(0);
    auto [top, top2] = sides(1);
    auto [right, right2] = sides(2);
    auto [bottom, bottom2] = sides(3);
    auto length = [&](Expression low, Expression high) { return e.maximum(high - low + pixel, 0.0); };
    Expression width = length(e.maximum(left, left2), e.minimum(right, right2));
    Expression height = length(e.maximum(top, top2), e.minimum(bottom, bottom2));
    Expression area = (right - left + pixel) * (bottom - top + pixel);
    Expression area2 = (right2 - left2 + pixel) * (bottom2 - top2 + pixel);
    Expression common = width * height, all = area + area2 - common;
    return e.select(all > 0.0, common / e.select(all > 0.0, all, 1.0), 0.0);
  }

  /// The smallest factor that better boxes give each box.
  Expression decay(Expression overlap) {
    pd::DimSize count(overlap, overlap.rank() - 1);
    Expression indices = pd::iota(e, count, e.getBuilder().getI64Type());
    Expression isBetter = pd::insertDim(indices, 0) < pd::insertDim(indices, 1);
    Expression own = e.select(isBetter, overlap, 0.0);
    int64_t last = overlap.rank() - 1;
    Expression worst = pd::insertDim(e.max(own, {last}, false), last - 1);
    double sigma = op.getGaussianSigma().convertToDouble();
    Expression factor = op.getUseGaussian() ? e.exp((worst * worst - own * own) * sigma)
                                            : (1.0 - own) / e.select(worst < 1.0, 1.0 - worst, 1e-30);
    factor = e.select(isBetter, factor, 1.0);
    return -e.max(-factor, {last}, false);
  }

  Values run() {
    llvm::SmallVector<pd::DimSize> dims = pd::dimSizesOf(scores);
    auto [best, index] = largest(e, known(), static_cast<int64_t>(op.getNmsTopK()));
    pd::DimSize kept(best, 2);
    Type wide = e.getBuilder().getI64Type();
    Expression images = e.reshape(pd::iota(e, dims[0], wide), {-1, 1, 1});
    Expression count = e.cast(e.wrap(dims[2].getValue(e)), wide);
    Expression position = index + images * count;
    Expression rows = rowsAt(e, pd::reshapeTo(boxes, {-1, 4}), pd::reshapeTo(position, {-1}));
    Expression candidates = pd::reshapeTo(rows, {dims[0], dims[1], kept, 4});
    Expression isValid = best > noScore;
    Expression decayed = decay(overlaps(candidates)) * e.select(isValid, best, 0.0);
    Expression isKept = bothHold(e, isValid, decayed > op.getPostThreshold().convertToDouble());
    decayed = e.select(isKept, decayed, noScore);
    auto [final, order] =
        largest(e, pd::reshapeTo(decayed, {dims[0], -1}), static_cast<int64_t>(op.getKeepTopK()));
    return selected(final, order, candidates, position, dims, kept);
  }

  /// The rows of the result: of the best elements of all classes [N, r], those that are kept.
  Values selected(Expression final, Expression order, Expression candidates, Expression position,
                  llvm::ArrayRef<pd::DimSize> dims, const pd::DimSize &kept) {
    Type wide = e.getBuilder().getI64Type();
    Expression perClass = e.cast(e.wrap(kept.getValue(e)), wide);
    Expression perImage = e.cast(e.wrap(dims[1].getValue(e)), wide) * perClass;
    Expression indices = pd::iota(e, dims[0], wide);
    Expression ofImage = pd::reshapeTo(order + pd::insertDim(indices * perImage, 1), {-1});
    Expression labels = pd::reshapeTo(e.wrap(e.create<pd::FloorDivideOp>(order, perClass)), {-1});
    Expression images = pd::reshapeTo(pd::expandTo(pd::insertDim(indices, 1), pd::dimSizesOf(order)), {-1});
    Expression flat = pd::reshapeTo(final, {-1});
    Expression rows = indicesWhere(e, flat > noScore);
    Expression chosen = rowsAt(e, ofImage, rows);
    Expression box = rowsAt(e, pd::reshapeTo(candidates, {-1, 4}), chosen);
    Expression label = pd::insertDim(e.cast(rowsAt(e, labels, rows), element), 1);
    Expression score = pd::insertDim(rowsAt(e, flat, rows), 1);
    auto elementOf = [&](unsigned i) { return pd::tensorType(op->getResult(i)).getElementType(); };
    Expression index =
        e.cast(pd::insertDim(rowsAt(e, pd::reshapeTo(position, {-1}), chosen), 1), elementOf(1));
    return {pd::concat({label, score, box}, 1), index,
            countsOf(e, rowsAt(e, images, rows), dims[0], elementOf(2))};
  }
};

} // namespace

bool isMatrixNmsInOnnx(pd::MatrixNmsOp op) {
  auto boxes = pd::tensorType(op.getBboxes());
  return boxes.getRank() == 3 && boxes.getDimSize(2) == 4;
}

void exportMatrixNms(NodeExporter &node) {
  auto op = node.get<pd::MatrixNmsOp>();
  node.exportAs([&](TensorBuilder &e) { return MatrixNmsFormula{op, e}.run(); });
}

} // namespace proa::exporter::onnxhooks
