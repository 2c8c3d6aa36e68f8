#include "passes/autodiff/BatchSharded.h"

#include "dialects/dist/Placements.h"
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/ir/InferredTypes.h"

using namespace mlir;

namespace proa::autodiff {
namespace {

/// On a function that is being batched: propagation may split the examples of its constraints.
constexpr llvm::StringLiteral openExamplesAttribute = "open_examples";

dist::ShardingAttr withDim(dist::ShardingAttr sharding, int64_t position, bool isOpen) {
  MLIRContext *context = sharding.getContext();
  SmallVector<dist::DimShardingAttr> dims(sharding.getDims());
  dims.insert(dims.begin() + position, dist::DimShardingAttr::get(context, {}, !isOpen, /*priority=*/0, {}));
  return dist::ShardingAttr::get(context, sharding.getMesh(), dims, sharding.getReplicated(),
                                 sharding.getPartial());
}

RankedTensorType withDim(RankedTensorType type, int64_t position, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + position, size);
  return type.clone(shape);
}

DictionaryAttr withDim(DictionaryAttr attributes, int64_t position, int64_t size, bool isOpen) {
  NamedAttrList list(attributes);
  if (auto sharding = dyn_cast_or_null<dist::ShardingAttr>(list.get(dist::shardingAttribute)))
    list.set(dist::shardingAttribute, withDim(sharding, position, isOpen));
  if (auto global = dyn_cast_or_null<TypeAttr>(list.get(dist::globalAttribute)))
    list.set(dist::globalAttribute,
             TypeAttr::get(withDim(cast<RankedTensorType>(global.getValue()), position, size)));
  return list.getDictionary(attributes.getContext());
}

/// The attributes of an op of dist, which are shardings and global types, with a first dimension for the
/// examples. A constraint may leave it open; ops that change a sharding need final ones.
void addExamples(Operation *op, int64_t size) {
  auto function = op->getParentOfType<func::FuncOp>();
  bool isOpen = isa<dist::ConstrainOp>(op) && function->hasAttr(openExamplesAttribute);
  for (NamedAttribute attribute : llvm::to_vector(op->getAttrDictionary())) {
    if (auto sharding = dyn_cast<dist::ShardingAttr>(attribute.getValue()))
      op->setAttr(attribute.getName(), withDim(sharding, 0, isOpen));
    if (auto global = dyn_cast<TypeAttr>(attribute.getValue()))
      op->setAttr(attribute.getName(),
                  TypeAttr::get(withDim(cast<RankedTensorType>(global.getValue()), 0, size)));
  }
}

/// Each device has its local tensors of all examples, so one collective serves all examples. Started
/// collectives are not covered.
template <class Op> struct BatchDist : pd::BatchableOpInterface::ExternalModel<BatchDist<Op>, Op> {
  pd::BatchedResults batch(Operation *op, pd::Batcher &batcher) const {
    if (!isa<RankedTensorType>(op->getResult(0).getType()))
      return failure();
    pd::BatchedResults results = pd::batchFirstOperand(batcher, op);
    if (succeeded(results)) {
      Value result = results->front().value;
      Operation *all = result.getDefiningOp();
      addExamples(all, cast<RankedTensorType>(result.getType()).getDimSize(0));
      // The new operand may have more static dims than the old one.
      if (isa<InferTypeOpInterface>(all) && failed(pd::inferAgain(all)))
        return failure();
    }
    return results;
  }
};

template <class... Ops> void attach(MLIRContext &context) {
  (Ops::template attachInterface<BatchDist<Ops>>(context), ...);
}

} // namespace

void registerDistBatching(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, dist::DistDialect *) {
    attach<dist::ConstrainOp, dist::ReshardOp, dist::ToLocalOp, dist::ToGlobalOp, dist::SliceOp,
           dist::ToPartialOp, dist::AllGatherOp, dist::AllToAllOp, dist::PermuteOp, dist::ReduceScatterOp,
           dist::AllReduceOp, dist::BroadcastOp>(*context);
  });
}

/// Checks that a result may be constrained to a sharding.
static LogicalResult checkAnnotated(OpResult result, dist::ShardingAttr sharding) {
  Operation *op = result.getOwner();
  auto mesh = SymbolTable::lookupNearestSymbolFrom<dist::MeshOp>(op, sharding.getMesh());
  if (!mesh)
    return op->emitError() << "'" << dist::shardingsAttribute << "' names " << sharding.getMesh()
                           << ", expected the symbol of a dist.mesh";
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type)
    return op->emitError() << "'" << dist::shardingsAttribute << "' has a sharding of a value of type "
                           << result.getType() << ", expected a ranked tensor";
  auto emit = [&] { return op->emitError() << "'" << dist::shardingsAttribute << "': "; };
  return dist::verifySharding(emit, sharding, mesh.getMesh().toMesh(), type);
}

LogicalResult checkAnnotated(func::FuncOp function) {
  bool isCorrect = true;
  function.walk([&](Operation *op) {
    auto shardings = op->getAttrOfType<ArrayAttr>(dist::shardingsAttribute);
    if (!shardings)
      return;
    for (auto [result, entry] : llvm::zip(op->getResults(), shardings))
      if (auto sharding = dyn_cast<dist::ShardingAttr>(entry))
        isCorrect &= succeeded(checkAnnotated(result, sharding));
  });
  return success(isCorrect);
}

void constrainAnnotated(Region &region) {
  region.walk([](Operation *op) {
    auto shardings = op->getAttrOfType<ArrayAttr>(dist::shardingsAttribute);
    if (!shardings)
      return;
    op->removeAttr(dist::shardingsAttribute);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (auto [entry, result] : llvm::zip(shardings, op->getResults()))
      if (auto sharding = dyn_cast<dist::ShardingAttr>(entry)) {
        auto constrained = dist::ConstrainOp::create(builder, op->getLoc(), result, sharding);
        result.replaceAllUsesExcept(constrained, constrained);
      }
  });
}

void addExamplesToArgument(func::FuncOp function, unsigned index, int64_t position, int64_t size,
                           bool isOpen) {
  if (DictionaryAttr attributes = function.getArgAttrDict(index))
    function.setArgAttrs(index, withDim(attributes, position, size, isOpen));
}

DictionaryAttr withExamples(DictionaryAttr attributes, int64_t size, bool isOpen) {
  return withDim(attributes, 0, size, isOpen);
}

OpenExamples::OpenExamples(func::FuncOp function, bool isOpen) : function(function) {
  if (isOpen)
    function->setAttr(openExamplesAttribute, UnitAttr::get(function.getContext()));
}

OpenExamples::~OpenExamples() { function->removeAttr(openExamplesAttribute); }

} // namespace proa::autodiff
