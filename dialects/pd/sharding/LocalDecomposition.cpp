//! The local form of composites: their decomposition on shards.
#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/sharding/Formula.h"
#include "dialects/pd/sharding/LocalForm.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The local form of an op of a decomposition. Its factors are factors of the composite.
class InnerForm : public LocalFormBuilder {
public:
  InnerForm(LocalFormBuilder &outer, Operation *op, const ShardingRule &rule, ValueRange operands,
            llvm::ArrayRef<std::optional<unsigned>> outerFactors,
            llvm::ArrayRef<RankedTensorType> resultTypes)
      : LocalFormBuilder(outer.getBuilder(), op, rule, operands), outer(outer), outerFactors(outerFactors),
        resultTypes(resultTypes) {}

  RankedTensorType localResultType(unsigned result) const override { return resultTypes[result]; }
  int64_t shardCount(unsigned factor) const override {
    return outerFactors[factor] ? outer.shardCount(*outerFactors[factor]) : 1;
  }
  llvm::ArrayRef<int64_t> blocksOf(unsigned factor) const override {
    return outerFactors[factor] ? outer.blocksOf(*outerFactors[factor]) : llvm::ArrayRef<int64_t>();
  }
  std::optional<int64_t> ownShard(unsigned factor) const override {
    return outerFactors[factor] ? outer.ownShard(*outerFactors[factor]) : std::optional<int64_t>(0);
  }
  Value byShard(unsigned factor, llvm::ArrayRef<int64_t> values) override {
    return outer.byShard(*outerFactors[factor], values);
  }
  Value gather(Value local, int64_t dim, unsigned factor, int64_t size) override {
    return outer.gather(local, dim, *outerFactors[factor], size);
  }
  Value reduce(Value local, ReductionKind kind, unsigned factor) override {
    return outer.reduce(local, kind, *outerFactors[factor]);
  }
  Value reduceScatter(Value local, int64_t dim, unsigned factor, int64_t size) override {
    return outer.reduceScatter(local, dim, *outerFactors[factor], size);
  }
  Value permute(Value local, unsigned factor, llvm::ArrayRef<int64_t> sources) override {
    return outer.permute(local, *outerFactors[factor], sources);
  }
  Value window(Value local, int64_t dim, unsigned factor, int64_t size,
               llvm::ArrayRef<std::pair<int64_t, int64_t>> ranges, double fill) override {
    return outer.window(local, dim, *outerFactors[factor], size, ranges, fill);
  }

private:
  LocalFormBuilder &outer;
  llvm::ArrayRef<std::optional<unsigned>> outerFactors;
  llvm::ArrayRef<RankedTensorType> resultTypes;
};

/// Runs the ops of a decomposition on shards.
class LocalOps {
public:
  LocalOps(LocalFormBuilder &form, Formula &formula, Classes &classes)
      : form(form), formula(formula), classes(classes) {}

  FailureOr<SmallVector<Value>> run() {
    bindOperands();
    for (Operation *op : formula.ops())
      if (!isMapped(op) && failed(create(op)))
        return failure();
    return llvm::map_to_vector(*formula.results(), [&](Value value) { return mapping.lookup(value); });
  }

private:
  /// A split of the dimensions of a class.
  struct Split {
    unsigned factor;
    int64_t size, local;
  };

  bool isMapped(Operation *op) { return op->getNumResults() > 0 && mapping.contains(op->getResult(0)); }

  void bindOperands() {
    for (auto [i, value] : llvm::enumerate(formula.clone()->getOperands())) {
      auto operand = static_cast<unsigned>(i);
      mapping.map(value, form.operand(operand));
      auto local = cast<RankedTensorType>(form.operand(operand).getType());
      for (int64_t dim = 0; dim < local.getRank(); ++dim)
        if (auto factor = form.splitFactor(operand, dim))
          splits.try_emplace(classes.of({value, dim}),
                             Split{*factor, form.globalDim(operand, dim), local.getDimSize(dim)});
    }
  }

  const Split *splitOf(Value value, int64_t dim) {
    auto found = splits.find(classes.of({value, dim}));
    return found == splits.end() ? nullptr : &found->second;
  }

  /// The type of the shard of a value; null if the size of the shard is not known.
  RankedTensorType localType(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    llvm::SmallVector<int64_t> dims(type.getShape());
    for (auto [dim, size] : llvm::enumerate(dims))
      if (const Split *split = size == 1 ? nullptr : splitOf(value, static_cast<int64_t>(dim))) {
        // A merged dimension has the shards of its outermost one, if they are equal.
        bool isEven = split->size % form.shardCount(split->factor) == 0;
        if (ShapedType::isDynamic(split->local) || ShapedType::isDynamic(size) || size % split->size != 0 ||
            (size != split->size && !isEven))
          return nullptr;
        size = size / split->size * split->local;
      }
    return type.clone(dims);
  }

  LogicalResult create(Operation *op) {
    llvm::SmallVector<RankedTensorType> types;
    for (Value result : op->getResults()) {
      types.push_back(isa<RankedTensorType>(result.getType()) ? localType(result) : nullptr);
      if (!types.back())
        return failure();
    }
    if (auto constant = dyn_cast<ConstantOp>(op))
      return createConstant(constant, types[0]);
    auto rule = shardingRuleOf(op);
    if (!rule && isIndependentOfInputs(op))
      return createShards(op, types);
    llvm::SmallVector<std::optional<unsigned>> factors;
    if (rule)
      factors = outerFactorsOf(op, *rule);
    SmallVector<Value> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value operand) { return mapping.lookup(operand); });
    FailureOr<SmallVector<Value>> results = failure();
    if (rule && usesLocalForm(*rule, factors)) {
      InnerForm inner(form, op, *rule, operands, factors, types);
      results = rule->localForm(inner);
      *rule = withLocalForm(std::move(*rule));
    } else {
      results = cloneOn(op, operands, types);
    }
    if (failed(results))
      return failure();
    for (auto [i, value] : llvm::enumerate(*results)) {
      value = combined(value, rule ? &*rule : nullptr, factors, i);
      if (value.getType() != types[i])
        return failure();
      mapping.map(op->getResult(static_cast<unsigned>(i)), value);
    }
    return success();
  }

  LogicalResult createConstant(ConstantOp op, RankedTensorType type) {
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    if (type == op.getType())
      mapping.map(op.getResult(), form.getBuilder().clone(*op)->getResult(0));
    else if (elements && elements.isSplat())
      mapping.map(op.getResult(),
                  ConstantOp::create(form.getBuilder(), op.getLoc(), type,
                                     DenseElementsAttr::get(type, elements.getSplatValue<Attribute>()))
                      ->getResult(0));
    else
      return createShards(op, type);
    return success();
  }

  /// An op that computes the same on all devices, and the shards of its results.
  LogicalResult createShards(Operation *op, llvm::ArrayRef<RankedTensorType> types) {
    Operation *whole = form.getBuilder().clone(*op, mapping);
    for (auto [old, result, type] : llvm::zip_equal(op->getResults(), whole->getResults(), types)) {
      Value shard = result;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (const Split *split =
                cast<RankedTensorType>(result.getType()).getDimSize(dim) == 1 ? nullptr : splitOf(old, dim))
          shard = shardAlong(shard, dim, *split, type.getDimSize(dim));
      if (shard.getType() != type)
        return failure();
      mapping.map(old, shard);
    }
    return success();
  }

  /// The elements of a replicated value that the device's shard of a dimension has.
  Value shardAlong(Value whole, int64_t dim, const Split &split, int64_t local) {
    OpBuilder &builder = form.getBuilder();
    TensorBuilder e(builder, form.op());
    int64_t size = cast<RankedTensorType>(whole.getType()).getDimSize(dim);
    Expression index = iota(e, local, builder.getI64Type()) + e.wrap(form.beginOf(split.factor, size));
    return e.create<GatherOp>(whole, index, Value(), dim);
  }

  /// The factor of the composite that splits each factor of the rule of an op.
  llvm::SmallVector<std::optional<unsigned>> outerFactorsOf(Operation *op, const ShardingRule &rule) {
    llvm::SmallVector<std::optional<unsigned>> factors(rule.factors.size());
    auto add = [&](ValueRange values, llvm::ArrayRef<TensorFactors> tensors) {
      for (auto [value, tensor] : llvm::zip_equal(values, tensors))
        for (auto [dim, own] : llvm::enumerate(tensor))
          if (!own.empty())
            if (const Split *split = splitOf(value, static_cast<int64_t>(dim)))
              factors[own.front()] = split->factor;
    };
    add(op->getOperands(), rule.operands);
    add(op->getResults(), rule.results);
    return factors;
  }

  static bool usesLocalForm(const ShardingRule &rule, llvm::ArrayRef<std::optional<unsigned>> factors) {
    return llvm::any_of(llvm::zip_equal(rule.factors, factors),
                        [](auto each) { return std::get<0>(each).localKind && std::get<1>(each); });
  }

  FailureOr<SmallVector<Value>> cloneOn(Operation *op, ValueRange operands,
                                        llvm::ArrayRef<RankedTensorType> types) {
    Operation *clone = form.getBuilder().clone(*op);
    clone->setOperands(operands);
    if (!types.empty())
      setLocalShape(clone, types[0].getShape());
    if (isa<InferTypeOpInterface>(clone) && failed(inferAgain(clone)))
      return failure();
    return SmallVector<Value>(clone->getResults());
  }

  /// A result whose terms the devices have, combined.
  Value combined(Value value, const ShardingRule *rule, llvm::ArrayRef<std::optional<unsigned>> factors,
                 size_t result) {
    for (auto [index, factor] : llvm::enumerate(factors)) {
      bool hasFactor = llvm::any_of(rule->results[result], [index](const DimFactors &dim) {
        return llvm::is_contained(dim, static_cast<unsigned>(index));
      });
      if (factor && !hasFactor && rule->factors[index].kind == FactorKind::Reduction)
        value = form.reduce(value, rule->factors[index].reduction, *factor);
    }
    return value;
  }

  LocalFormBuilder &form;
  Formula &formula;
  Classes &classes;
  IRMapping mapping;
  llvm::DenseMap<unsigned, Split> splits;
};

} // namespace

FailureOr<SmallVector<Value>> localDecomposition(LocalFormBuilder &form) {
  Operation *op = form.op();
  Formula formula(op, op->getOperandTypes(), {});
  Classes classes;
  if (failed(formula.results()) || !formula.addConstraints(classes))
    return failure();
  return LocalOps(form, formula, classes).run();
}

} // namespace proa::pd
