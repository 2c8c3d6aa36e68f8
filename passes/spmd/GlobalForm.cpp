#include "passes/spmd/GlobalForm.h"

#include "dialects/dist/InterfaceAttributes.h"

#include <set>

using namespace mlir;

namespace proa {

bool GlobalForm::isSharded(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (dist::argumentSharding(function, i))
      return true;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (dist::resultSharding(function, i))
      return true;
  return function
      .walk([](Operation *op) {
        return op->hasAttr(dist::shardingsAttribute) || isa<dist::ReshardOp>(op) ? WalkResult::interrupt()
                                                                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

const GlobalTensor *GlobalForm::find(Value value) const {
  auto found = tensors.find(value);
  return found == tensors.end() ? nullptr : &found->second;
}

void GlobalForm::replace(Value value, Value local) {
  auto found = tensors.find(value);
  if (found == tensors.end() || value == local)
    return;
  GlobalTensor tensor = found->second;
  tensors.erase(found); // a new op may have the address of an erased one
  tensors.try_emplace(local, tensor);
}

dist::ShardingAttr GlobalForm::replicated(dist::ShardingAttr sharding) {
  auto whole = dist::DimShardingAttr::get(sharding.getContext(), {}, /*isClosed=*/true, /*priority=*/0, {});
  SmallVector<dist::DimShardingAttr> dims(sharding.getDims().size(), whole);
  return dist::ShardingAttr::get(sharding.getContext(), sharding.getMesh(), dims, {}, {});
}

/// Checks the sharding of a tensor.
static LogicalResult verify(const MeshPlacements &meshes, Operation *op, RankedTensorType type,
                            dist::ShardingAttr sharding) {
  const spmd::Mesh *mesh = meshes.meshOf(sharding.getMesh());
  if (!mesh)
    return op->emitOpError() << "expected the symbol of a dist.mesh in a sharding, found "
                             << sharding.getMesh();
  if (failed(dist::verifySharding([&] { return op->emitOpError(); }, sharding, *mesh, type)))
    return failure();
  if (!sharding.isFinal())
    return op->emitOpError() << "expected a final sharding (closed dimensions, no priorities, no replicated "
                                "axes), found "
                             << sharding << "; run dist-propagate first";
  return success();
}

/// Adds a tensor, after a check of its sharding. Values that are not tensors have none.
LogicalResult GlobalForm::addValue(Operation *op, Value value, dist::ShardingAttr sharding) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return success();
  if (failed(verify(meshes, op, type, sharding)))
    return failure();
  tensors[value] = {type, sharding};
  return success();
}

LogicalResult GlobalForm::addArguments(func::FuncOp function) {
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    dist::ShardingAttr sharding = dist::argumentSharding(function, i);
    if (!sharding && isa<RankedTensorType>(type))
      return function.emitOpError() << "argument " << i << " has no sharding; run dist-propagate first";
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && failed(verify(meshes, function, tensor, sharding)))
      return failure();
    if (sharding && !function.isExternal() && failed(addValue(function, function.getArgument(i), sharding)))
      return failure();
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    dist::ShardingAttr sharding = dist::resultSharding(function, i);
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && !sharding)
      return function.emitOpError() << "result " << i << " has no sharding; run dist-propagate first";
    if (tensor && failed(verify(meshes, function, tensor, sharding)))
      return failure();
  }
  return success();
}

LogicalResult GlobalForm::read(func::FuncOp function) {
  if (failed(addArguments(function)))
    return failure();
  if (!function.isExternal() && !function.getBody().hasOneBlock())
    return function.emitOpError() << "expected a body of one block";
  return function.isExternal() ? success() : readBlock(function.getBody().front());
}

LogicalResult GlobalForm::readBlock(Block &block) {
  LogicalResult result = success();
  for (Operation &op : block)
    if (failed(readOp(&op)))
      result = failure();
  return result;
}

/// Adds the results with the shardings of the attribute. An op without the attribute has local results; then
/// it must have no operands in global form.
LogicalResult GlobalForm::addResults(Operation *op) {
  auto list = op->getAttrOfType<ArrayAttr>(dist::shardingsAttribute);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    auto sharding = list ? dyn_cast<dist::ShardingAttr>(list[i]) : dist::ShardingAttr();
    if (sharding && failed(addValue(op, result, sharding)))
      return failure();
    if (!sharding && (list || llvm::any_of(op->getOperands(), [&](Value v) { return find(v); })))
      return op->emitOpError() << "result " << i << " has no sharding; run dist-propagate first";
  }
  return success();
}

LogicalResult GlobalForm::readOp(Operation *op) {
  if (auto end = dyn_cast<func::ReturnOp>(op))
    return readReturn(end);
  if (auto call = dyn_cast<func::CallOp>(op))
    return readCall(call);
  if (isa<dist::ReshardOp, dist::ConstrainOp, dist::ToLocalOp, dist::ToGlobalOp>(op))
    return readDistOp(op);
  if (isa<RegionBranchTerminatorOpInterface>(op))
    return readTerminator(op);
  if (failed(addResults(op)))
    return failure();
  return op->getNumRegions() > 0 ? readRegions(op) : match(op);
}

LogicalResult GlobalForm::readDistOp(Operation *op) {
  if (auto reshard = dyn_cast<dist::ReshardOp>(op)) {
    return failed(expectSharding(op, 0, reshard.getFrom()))
               ? failure()
               : addValue(op, reshard.getResult(), reshard.getTo());
  }
  if (auto constrain = dyn_cast<dist::ConstrainOp>(op)) {
    // Propagation may have extended open dimensions.
    const GlobalTensor *x = find(constrain.getX());
    if (!x)
      return op->emitOpError() << "operand 0 has no sharding; run dist-propagate first";
    return addValue(op, constrain.getResult(), x->sharding);
  }
  if (auto local = dyn_cast<dist::ToLocalOp>(op))
    return expectSharding(op, 0, local.getSharding());
  return addValue(op, op->getResult(0), cast<dist::ToGlobalOp>(op).getSharding());
}

LogicalResult GlobalForm::expectSharding(Operation *op, unsigned operand, dist::ShardingAttr expected) {
  const GlobalTensor *tensor = find(op->getOperand(operand));
  if (tensor && tensor->sharding == expected)
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "operand " << operand << ": expected the sharding " << expected << ", found ";
  if (tensor)
    return error << tensor->sharding;
  return error << "none";
}

LogicalResult GlobalForm::readReturn(func::ReturnOp op) {
  auto function = op->getParentOfType<func::FuncOp>();
  for (auto [i, value] : llvm::enumerate(op.getOperands()))
    if (isa<RankedTensorType>(value.getType()) &&
        failed(expectSharding(op, i, dist::resultSharding(function, i))))
      return failure();
  return success();
}

LogicalResult GlobalForm::readCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  bool isGlobal = llvm::any_of(op.getOperands(), [&](Value v) { return find(v) != nullptr; });
  if (!callee || !isSharded(callee)) {
    if (isGlobal)
      return op.emitOpError() << "expected a function with shardings, found " << op.getCalleeAttr();
    return success();
  }
  for (auto [i, value] : llvm::enumerate(op.getOperands()))
    if (auto expected = dist::argumentSharding(callee, i);
        isa<RankedTensorType>(value.getType()) && failed(expectSharding(op, i, expected)))
      return failure();
  for (auto [i, value] : llvm::enumerate(op.getResults()))
    if (auto sharding = dist::resultSharding(callee, i); sharding && failed(addValue(op, value, sharding)))
      return failure();
  return success();
}

/// Block arguments get the shardings of the values that enter; those that have one must have the same.
LogicalResult GlobalForm::connect(Operation *op, ValueRange from, ValueRange to) {
  for (auto [i, source, target] : llvm::enumerate(from, to)) {
    const GlobalTensor *entering = find(source), *known = find(target);
    if (entering && !known && isa<BlockArgument>(target)) {
      dist::ShardingAttr sharding = entering->sharding;
      if (failed(addValue(op, target, sharding)))
        return failure();
    } else if ((entering || known) && (!entering || !known || entering->sharding != known->sharding)) {
      InFlightDiagnostic error = op->emitOpError() << "value " << i << " of a region: expected the sharding ";
      known ? error << known->sharding : error << "none";
      error << ", found ";
      entering ? error << entering->sharding : error << "none";
      return error;
    }
  }
  return success();
}

LogicalResult GlobalForm::readRegions(Operation *op) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return op->emitOpError() << "has a region that the partitioner cannot read; decompose the op first";
  SmallVector<RegionSuccessor> successors;
  branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (const RegionSuccessor &successor : successors)
    if (failed(connect(op, branch.getEntrySuccessorOperands(successor), successor.getSuccessorInputs())))
      return failure();
  for (Region &region : op->getRegions()) {
    if (!region.empty() && !region.hasOneBlock())
      return op->emitOpError() << "expected regions of one block";
    if (!region.empty() && failed(readBlock(region.front())))
      return failure();
  }
  return success();
}

LogicalResult GlobalForm::readTerminator(Operation *op) {
  auto end = cast<RegionBranchTerminatorOpInterface>(op);
  auto parent = dyn_cast<RegionBranchOpInterface>(op->getParentOp());
  if (!parent)
    return success();
  SmallVector<RegionSuccessor> successors;
  parent.getSuccessorRegions(RegionBranchPoint(end), successors);
  for (const RegionSuccessor &successor : successors)
    if (failed(connect(op, end.getSuccessorOperands(successor), successor.getSuccessorInputs())))
      return failure();
  return success();
}

bool GlobalForm::isReplicated(ValueRange values) {
  return llvm::all_of(values, [&](Value value) {
    const GlobalTensor *tensor = find(value);
    return !tensor || tensor->sharding == replicated(tensor->sharding);
  });
}

OpPlacements GlobalForm::placementsOf(Operation *op) {
  auto placements = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) {
      const GlobalTensor *tensor = find(value);
      return tensor ? meshes.placementOf(tensor->sharding) : spmd::Placement();
    });
  };
  return {llvm::SmallVector<spmd::Placement>(placements(op->getOperands())),
          llvm::SmallVector<spmd::Placement>(placements(op->getResults()))};
}

/// All values must be on one mesh, and all tensors must have shardings if one has. An op on local tensors is
/// not global.
LogicalResult GlobalForm::verifyOneMesh(Operation *op, bool &isGlobal) {
  FlatSymbolRefAttr mesh;
  for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values) {
      const GlobalTensor *tensor = find(value);
      if (tensor && mesh && tensor->sharding.getMesh() != mesh)
        return op->emitOpError() << "expected values on one mesh, found " << mesh << " and "
                                 << tensor->sharding.getMesh();
      if (tensor)
        mesh = tensor->sharding.getMesh();
    }
  isGlobal = mesh != nullptr;
  for (auto [i, value] : llvm::enumerate(op->getOperands()))
    if (isGlobal && isa<RankedTensorType>(value.getType()) && !find(value))
      return op->emitOpError() << "operand " << i << " has no sharding; run dist-propagate first";
  return success();
}

LogicalResult GlobalForm::emitMismatch(Operation *op, const pd::ShardingRule *rule) {
  InFlightDiagnostic error =
      op->emitOpError() << "cannot run on shards: its shardings do not follow from its rule ("
                        << (rule ? rule->text() : "none") << "), and it is not linear in partial operands";
  for (auto [i, value] : llvm::enumerate(op->getOperands()))
    if (const GlobalTensor *tensor = find(value))
      error.attachNote() << "operand " << i << ": " << tensor->type << ", " << tensor->sharding;
  for (auto [i, value] : llvm::enumerate(op->getResults()))
    if (const GlobalTensor *tensor = find(value))
      error.attachNote() << "result " << i << ": " << tensor->type << ", " << tensor->sharding;
  return error;
}

GlobalForm::Match GlobalForm::matchOf(Operation *op, const sharding::CachedRule *cached) {
  const pd::ShardingRule *rule = cached ? &cached->rule : nullptr;
  OpPlacements placements = placementsOf(op);
  if (matchesRule(op, rule, placements))
    return {infersShards(op) ? Form::Shards : Form::Whole};
  bool hasPartial =
      llvm::any_of(placements.operands, [](const spmd::Placement &p) { return !p.partial.empty(); });
  if (rule && rule->localForm && !hasPartial)
    if (auto axes = factorAxesOf(cached->local, placements))
      return {Form::LocalForm, *axes};
  return {};
}

const GlobalForm::Match &GlobalForm::cachedMatchOf(Operation *op, const sharding::CachedRule *rule) {
  std::vector<const void *> key{rule};
  for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values) {
      const GlobalTensor *tensor = find(value);
      key.push_back(tensor ? tensor->sharding.getAsOpaquePointer() : nullptr);
    }
  auto [entry, isNew] = matches.try_emplace(std::move(key));
  if (isNew)
    entry->second = matchOf(op, rule);
  return entry->second;
}

/// Decides how an op without regions runs on local tensors.
LogicalResult GlobalForm::match(Operation *op) {
  bool isGlobal = false;
  if (failed(verifyOneMesh(op, isGlobal)))
    return failure();
  bool hasReplicatedOperands = isReplicated(op->getOperands());
  if (!isGlobal || (hasReplicatedOperands && isReplicated(op->getResults())))
    return success();
  const sharding::CachedRule *rule = rules.of(op);
  Match match = rule ? cachedMatchOf(op, rule) : matchOf(op, nullptr);
  switch (match.form) {
  case Form::Shards:
    return success();
  case Form::LocalForm:
    localForms[op] = {rule->local, match.axes};
    return success();
  case Form::Whole:
    whole[op] = "type inference does not accept its local types";
    return success();
  case Form::None:
    break;
  }
  if (!hasReplicatedOperands)
    return emitMismatch(op, rule ? &rule->rule : nullptr);
  whole[op] = op->getNumOperands() == 0 ? "" : "its rule does not split the results over these axes";
  return success();
}

/// The same answer for all devices, so that all run the same ops: in the program of one device, the local
/// types of all devices of the mesh are tried.
bool GlobalForm::infersShards(Operation *op) {
  if (!types.device)
    return infersShardsOn(op, std::nullopt);
  SmallVector<GlobalTensor> all;
  for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values)
      if (const GlobalTensor *tensor = find(value))
        all.push_back(*tensor);
  if (all.empty())
    return true;
  const spmd::Mesh &mesh = *meshes.meshOf(all.front().sharding.getMesh());
  std::set<std::vector<void *>> seen;
  for (int64_t position = 0; position < mesh.size(); ++position) {
    int64_t device = mesh.deviceAt(position);
    std::vector<void *> key;
    for (const GlobalTensor &tensor : all)
      key.push_back(const_cast<void *>(
          LocalTypes{meshes, device}.of(tensor.type, tensor.sharding).getAsOpaquePointer()));
    if (seen.insert(std::move(key)).second && !infersShardsOn(op, device))
      return false;
    bool isEven = llvm::all_of(all, [&](const GlobalTensor &tensor) {
      return LocalTypes{meshes}.of(tensor.type, tensor.sharding).getNumDynamicDims() ==
             tensor.type.getNumDynamicDims();
    });
    if (isEven)
      return true;
  }
  return true;
}

bool GlobalForm::infersShardsOn(Operation *op, std::optional<int64_t> device) {
  LocalTypes local{meshes, device};
  auto localTypes = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) -> Type {
      const GlobalTensor *tensor = find(value);
      return tensor ? Type(local.of(tensor->type, tensor->sharding)) : value.getType();
    });
  };
  ScopedDiagnosticHandler silent(op->getContext(), [](mlir::Diagnostic &) { return success(); });
  return pd::infersLocalTypes(op, localTypes(op->getOperands()), localTypes(op->getResults()));
}

} // namespace proa
