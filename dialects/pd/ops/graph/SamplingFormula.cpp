//! Sampling of graphs and trees as formulas: all candidates get a random number, and those with the largest
//! ones are chosen. The kernels choose others.
#include "dialects/pd/ops/graph/Sampling.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/random/Random.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/search/Order.h"
#include "dialects/pd/ops/sequence/Rows.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Values = FailureOr<SmallVector<Value>>;

/// A place after all elements.
constexpr double never = 1e9;

/// Uniform numbers in (0, 1) of the dims of `like`, as float32.
Expression uniformAs(Expression like, uint64_t seed) {
  TensorBuilder &e = like.owner();
  Expression floats = e.cast(like, e.getBuilder().getF32Type());
  return e.wrap(e.create<UniformInplaceOp>(floats, seed, llvm::APFloat(1e-7), llvm::APFloat(1.0), uint64_t(0),
                                           uint64_t(0), llvm::APFloat(1.0)));
}

Expression trueIndices(Expression condition) {
  return asVector(asInts(condition.owner().wrap(condition.owner().create<NonzeroOp>(condition))));
}

/// Edges that were chosen of each of several nodes, one node after the other.
struct Edges {
  Expression rows;     ///< indices of edges
  Expression position; ///< of the node of each edge in the list of nodes
  Expression counts;   ///< of each node
};

/// At most `most` edges of each node (below 0: all), those with the largest score. A node that has no more
/// keeps the order of its edges; others have them in ascending order of the score.
Edges chosenEdges(Expression begins, Expression nodes, int64_t most,
                  llvm::function_ref<Expression(Expression)> score) {
  TensorBuilder &e = begins.owner();
  Expression starts = gatherRows(begins, nodes), lengths = gatherRows(begins, nodes + 1.0) - starts;
  RangeRows edges = rangeRows(starts, lengths);
  RowPositions positions = rowPositions(edges.rows, edges.offsets);
  if (most < 0)
    return {edges.rows, positions.sequence, lengths};
  Expression length = gatherRows(lengths, positions.sequence);
  Type f32 = e.getBuilder().getF32Type();
  Expression key =
      e.select(length > static_cast<double>(most), score(edges.rows), e.cast(positions.position, f32));
  Expression byScore = descending(-key).indices;
  Expression order = gatherRows(byScore, descending(-gatherRows(positions.sequence, byScore)).indices);
  // The places of nodes are ascending, so each node has its old range of places.
  Expression isKept = positions.position >= length - static_cast<double>(most);
  order = gatherRows(order, trueIndices(isKept));
  return {gatherRows(edges.rows, order), gatherRows(positions.sequence, order),
          e.minimum(lengths, static_cast<double>(most))};
}

/// The elements of `numbers` at the rows; none without them.
Expression orNone(TensorBuilder &e, Value values, bool isAsked, Expression rows) {
  if (isAsked && values)
    return gatherRows(asVector(asInts(e.wrap(values))), rows);
  return expandTo(e.constant(0, e.getBuilder().getI64Type()), {DimSize(int64_t(0))});
}

Expression vectorIn(TensorBuilder &e, Value x) { return e.reshape(asInts(e.wrap(x)), {-1}); }

} // namespace

Values GraphSampleNeighborsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Edges edges =
      chosenEdges(vectorIn(e, getColptr()), vectorIn(e, getX()), static_cast<int64_t>(getSampleSize()),
                  [](Expression rows) { return uniformAs(rows, 0); });
  return e.results({gatherRows(vectorIn(e, getRow()), edges.rows), edges.counts,
                    orNone(e, getEids(), getReturnEids(), edges.rows)});
}

Values WeightedSampleNeighborsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  auto score = [&](Expression rows) {
    Expression weights = e.cast(e.reshape(e.wrap(getEdgeWeight()), {-1}), builder.getF32Type());
    return e.log(uniformAs(rows, 0)) / gatherRows(weights, rows);
  };
  Edges edges = chosenEdges(vectorIn(e, getColptr()), vectorIn(e, getInputNodes()),
                            static_cast<int64_t>(getSampleSize()), score);
  return e.results({gatherRows(vectorIn(e, getRow()), edges.rows), edges.counts,
                    orNone(e, getEids(), getReturnEids(), edges.rows)});
}

namespace {

/// The subgraph of several steps, and the numbers of its nodes.
class SubgraphFormula {
public:
  SubgraphFormula(OpBuilder &builder, GraphKhopSamplerOp op)
      : op(op), e(builder, op), row(vectorIn(e, op.getRow())), begins(vectorIn(e, op.getColptr())) {}

  Values build() {
    Expression x = vectorIn(e, op.getX());
    sampleSteps(withoutRepetitions(x));
    Expression from = gatherRows(row, concat(edges, 0)), to = concat(ends, 0);
    Expression listed = concat(nodes, 0), position = positionsOf(listed);
    Expression known = reduceRows(position, listed, nodeCount(), ScatterReduce::Amax, -1);
    // Other nodes follow in the order of their first edges.
    Expression edge = positionsOf(from),
               first = reduceRows(edge, from, nodeCount(), ScatterReduce::Amin, never);
    Expression isNew = both(gatherRows(known, from) < 0.0, gatherRows(first, from) == edge);
    Expression rank = e.wrap(e.create<CumsumOp>(asInts(isNew), Value(), int64_t(0))) - 1.0;
    Expression value = rank + e.wrap(DimSize(listed, 0).getValue(e));
    Expression added = reduceRows(e.select(isNew, value, -1.0), from, nodeCount(), ScatterReduce::Amax, -1);
    Expression values = e.maximum(known, added);
    auto numbersOf = [&](Expression of) { return gatherRows(values, of); };
    return e.results({insertDim(numbersOf(from), 1), insertDim(numbersOf(to), 1),
                      concat({listed, gatherRows(from, trueIndices(isNew))}, 0), numbersOf(x),
                      orNone(e, op.getEids(), op.getReturnEids(), concat(edges, 0))});
  }

private:
  void sampleSteps(Expression here) {
    for (int64_t most : op.getSampleSizes()) {
      Edges found = chosenEdges(begins, here, most, [](Expression rows) { return uniformAs(rows, 0); });
      nodes.push_back(here);
      edges.push_back(found.rows);
      ends.push_back(gatherRows(here, found.position));
      Expression isFound = marked(gatherRows(row, found.rows)), isHere = marked(here);
      here = trueIndices(both(isFound > 0.0, isHere < 1.0));
    }
  }

  Expression withoutRepetitions(Expression x) {
    Expression before = concat({slice(x, 0, 0, 1) - 1.0, slice(x, 0, 0, -1)}, 0);
    return gatherRows(x, trueIndices(negation(x == before)));
  }

  Expression positionsOf(Expression x) { return iota(e, DimSize(x, 0), e.getBuilder().getI64Type()); }
  DimSize nodeCount() { return DimSize(slice(begins, 0, 1, toTheEnd), 0); }
  /// 1 for each node that is in the list, else 0.
  Expression marked(Expression list) {
    return reduceRows(list * 0.0 + 1.0, list, nodeCount(), ScatterReduce::Amax, 0);
  }

  GraphKhopSamplerOp op;
  TensorBuilder e;
  Expression row, begins;
  SmallVector<Expression> nodes, edges, ends;
};

} // namespace

Values GraphKhopSamplerOp::decompose(OpBuilder &builder) { return SubgraphFormula(builder, *this).build(); }

Values TdmSamplerOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression path = gatherRows(asInts(e.wrap(getTravel())), vectorIn(e, getX())); // [items, layers]
  Expression all = vectorIn(e, getLayer());
  SmallVector<Expression> nodes, labels, masks;
  auto add = [&](Expression node, Expression isThere, bool isPositive) {
    nodes.push_back(e.select(isThere, node, 0.0));
    masks.push_back(expandTo(asInts(isThere), dimSizesOf(node)));
    labels.push_back(isPositive ? masks.back() : masks.back() * 0.0);
  };
  for (auto [i, count] : llvm::enumerate(getNegSamplesNumList())) {
    auto layer = static_cast<int64_t>(i);
    Expression own = slice(path, 1, layer, layer + 1), isThere = negation(e.equal(own, 0.0)); // [items, 1]
    if (getOutputPositive())
      add(own, isThere, true);
    Expression others = insertDim(slice(all, 0, getLayerOffsetLod()[i], getLayerOffsetLod()[i + 1]), 0);
    Expression isOwn = others == own; // [items, nodes]
    auto seed = static_cast<uint64_t>(getSeed());
    Expression key = e.select(isOwn, -1.0, uniformAs(asInts(isOwn), seed == 0 ? 0 : seed + i));
    Expression chosen = slice(descending(key).indices, 1, 0, count);
    if (count > 0)
      add(gatherRows(dropDim(others, 0), chosen), isThere, false);
  }
  return e.results({concat(nodes, 1), concat(labels, 1), concat(masks, 1)});
}

} // namespace proa::pd
