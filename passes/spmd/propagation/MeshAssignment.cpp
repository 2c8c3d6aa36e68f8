//! The choice of a mesh for each op of a program on several meshes.
#include "passes/spmd/propagation/Meshes.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/proa/Proa.h"
#include "passes/spmd/ReshardExpander.h"
#include "passes/spmd/propagation/Regions.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace proa::sharding {

namespace {

constexpr unsigned unknown = ~0u;

/// An op, or values that are forwarded into one (block arguments of a loop): all have one mesh.
struct Item {
  SmallVector<OpOperand *, 3> uses;
  SmallVector<Value, 1> results;
  unsigned mesh = unknown;
  bool isFixed = false;
  /// Meshes to choose from; empty: all.
  SmallVector<unsigned, 1> candidates;
};

struct ValueInfo {
  double bytes = 0;
  unsigned mesh = unknown;
  /// Whether it follows from parameters and constants only.
  bool isWeight = false;
  /// The number of items on each mesh that use it.
  SmallVector<unsigned, 4> uses;
};

} // namespace

class MeshAssignment {
public:
  MeshAssignment(ModuleOp module, const Meshes &meshes) : module(module), meshes(meshes) {}

  ValueMeshes run() {
    for (auto function : module.getOps<func::FuncOp>())
      addArguments(function);
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration())
        addBlock(function.getBody().front());
    for (Item &item : items)
      if (!item.isFixed)
        choose(item);
    constexpr int mostSweeps = 8;
    bool hasChanged = true;
    for (int sweep = 0; sweep < mostSweeps && hasChanged; ++sweep) {
      hasChanged = false;
      for (size_t i = 0; i < items.size(); ++i)
        if (Item &item = items[sweep % 2 ? i : items.size() - 1 - i]; !item.isFixed)
          hasChanged |= choose(item);
    }
    for (Item &item : items)
      if (item.mesh == unknown)
        setMesh(item, 0);
    for (Item &item : items)
      connect(item);
    finish();
    return std::move(result);
  }

private:
  double bytesOf(Type type) const {
    auto tensor = dyn_cast<RankedTensorType>(type);
    double bytes = tensor ? static_cast<double>(elementBytes(tensor.getElementType())) : 0;
    auto dynamicDim = static_cast<double>(proa::targetOf(module).device().assumedDim);
    if (tensor)
      for (int64_t dim : tensor.getShape())
        bytes *= ShapedType::isDynamic(dim) ? dynamicDim : static_cast<double>(dim);
    return bytes;
  }

  ValueInfo &infoOf(Value value) {
    auto [entry, isNew] = values.try_emplace(value);
    if (isNew) {
      entry->second.bytes = bytesOf(value.getType());
      entry->second.uses.resize(meshes.list.size());
    }
    return entry->second;
  }

  unsigned meshOf(Attribute sharding) const {
    auto known = dyn_cast_or_null<dist::ShardingAttr>(sharding);
    return known ? meshes.indexOf(known.getMesh()) : unknown;
  }

  Item &addItem(unsigned mesh) {
    Item &item = items.emplace_back();
    item.mesh = mesh;
    item.isFixed = mesh != unknown;
    return item;
  }

  void addUse(Item &item, OpOperand &use) {
    if (!isa<RankedTensorType>(use.get().getType()))
      return;
    bool isNew = llvm::none_of(item.uses, [&](OpOperand *other) { return other->get() == use.get(); });
    item.uses.push_back(&use);
    ValueInfo &info = infoOf(use.get());
    if (isNew && item.mesh != unknown)
      ++info.uses[item.mesh];
  }
  void addResult(Item &item, Value value) {
    if (!isa<RankedTensorType>(value.getType()))
      return;
    item.results.push_back(value);
    infoOf(value).mesh = item.mesh;
  }

  void addArguments(func::FuncOp function) {
    SmallVector<unsigned> &results = meshesOfResults[function];
    llvm::StringMap<unsigned> parameters;
    for (unsigned i = 0; i < function.getNumArguments() && !function.isDeclaration(); ++i) {
      Value argument = function.getArgument(i);
      unsigned mesh = meshOf(function.getArgAttr(i, dist::shardingAttribute));
      addResult(addItem(mesh), argument);
      bool isFeed = function.getArgAttr(i, pd::feedAttribute) != nullptr;
      infoOf(argument).isWeight = !isFeed && mesh != unknown;
      if (auto name = function.getArgAttrOfType<StringAttr>(i, pd::parameterAttribute))
        parameters[name] = mesh;
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      unsigned mesh = meshOf(function.getResultAttr(i, dist::shardingAttribute));
      auto state = function.getResultAttrOfType<StringAttr>(i, pd::stateAttribute);
      if (mesh == unknown && state && parameters.contains(state))
        mesh = parameters[state];
      results.push_back(mesh);
    }
  }

  void addBlock(Block &block) {
    for (Operation &op : block)
      addOp(&op);
  }

  void addOp(Operation *op) {
    if (auto end = dyn_cast<func::ReturnOp>(op)) {
      for (auto [use, mesh] : llvm::zip_equal(op->getOpOperands(), meshesOfResults[op->getParentOp()]))
        if (mesh != unknown)
          addUse(addItem(mesh), use);
      return;
    }
    if (auto call = dyn_cast<func::CallOp>(op))
      return addCall(call);
    if (auto constrain = dyn_cast<dist::ConstrainOp>(op))
      return addResult(addItem(meshOf(constrain.getSharding())), constrain.getResult());
    if (auto reshard = dyn_cast<dist::ReshardOp>(op)) {
      addUse(addItem(meshOf(reshard.getFrom())), reshard->getOpOperand(0));
      return addResult(addItem(meshOf(reshard.getTo())), reshard.getResult());
    }
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
      return addRegions(branch);
    if (op->hasTrait<OpTrait::IsTerminator>() || isa<dist::DistDialect>(op->getDialect()))
      return;
    if (isCreatedAnywhere(op)) {
      for (Value value : op->getResults())
        infoOf(value).isWeight = true;
      return;
    }
    addPlainOp(op);
  }

  /// Whether each mesh may have an op of its own: a constant.
  static bool isCreatedAnywhere(Operation *op) {
    return op->getNumOperands() == 0 && op->getNumRegions() == 0 && isMemoryEffectFree(op);
  }

  /// An op, with the ops of its regions.
  void addPlainOp(Operation *op) {
    unsigned mesh = unknown;
    if (auto all = op->getAttrOfType<ArrayAttr>(dist::shardingsAttribute))
      for (Attribute entry : all)
        mesh = mesh == unknown ? meshOf(entry) : mesh;
    Item &item = addItem(mesh);
    op->walk([&](Operation *inner) {
      for (OpOperand &use : inner->getOpOperands())
        if (inner == op || !op->isAncestor(use.get().getParentRegion()->getParentOp()))
          addUse(item, use);
      for (Value value : inner->getResults())
        addResult(item, value);
      for (Region &region : inner->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            addResult(item, argument);
    });
    bool isWeight = !item.uses.empty();
    for (OpOperand *use : item.uses) {
      const ValueInfo &info = values.find(use->get())->second;
      isWeight &= info.isWeight;
      if (info.isWeight && info.mesh != unknown && !llvm::is_contained(item.candidates, info.mesh))
        item.candidates.push_back(info.mesh);
    }
    for (Value value : item.results)
      infoOf(value).isWeight = isWeight;
    if (item.candidates.size() == 1 && !item.isFixed) {
      setMesh(item, item.candidates.front());
      item.isFixed = true;
    }
  }

  void addCall(func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    if (!callee || callee.isDeclaration())
      return addPlainOp(call);
    // Arguments of the callee are items; the first call decides for those without an annotation.
    for (auto [use, argument] : llvm::zip_equal(call->getOpOperands(), callee.getArguments()))
      if (isa<RankedTensorType>(argument.getType()))
        addUse(addItem(infoOf(argument).mesh), use);
    for (auto [value, mesh] : llvm::zip_equal(call.getResults(), meshesOfResults[callee]))
      addResult(addItem(mesh), value);
  }

  void addRegions(RegionBranchOpInterface op) {
    ForwardedValues forwarded(op);
    llvm::MapVector<Value, size_t> itemOfLeader;
    for (Value target : forwarded.targets()) {
      auto [entry, isNew] = itemOfLeader.try_emplace(forwarded.leaderOf(target), items.size());
      if (isNew)
        addItem(unknown);
      addResult(items[entry->second], target);
    }
    for (auto [operand, target] : forwarded.uses())
      addUse(items[itemOfLeader[forwarded.leaderOf(target)]], *operand);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        addBlock(block);
  }

  /// Distinct operands.
  template <class Visit> void forEachOperand(const Item &item, Visit visit) {
    for (auto [i, use] : llvm::enumerate(item.uses))
      if (llvm::none_of(ArrayRef(item.uses).take_front(i),
                        [&](OpOperand *other) { return other->get() == use->get(); }))
        visit(values.find(use->get())->second);
  }

  /// The bytes that move if the item is on a mesh.
  double cost(const Item &item, unsigned mesh) {
    double bytes = 0;
    forEachOperand(item, [&](const ValueInfo &info) {
      unsigned others = info.uses[mesh] - (item.mesh == mesh ? 1 : 0);
      if (info.mesh != unknown && info.mesh != mesh && others == 0)
        bytes += info.bytes;
    });
    for (Value value : item.results) {
      const ValueInfo &info = values.find(value)->second;
      for (unsigned other = 0; other < info.uses.size(); ++other)
        if (other != mesh && info.uses[other] > 0)
          bytes += info.bytes;
    }
    return bytes;
  }

  /// Whether a neighbour of the item is on some mesh.
  bool isConnected(const Item &item) {
    bool isFound = false;
    forEachOperand(item, [&](const ValueInfo &info) { isFound |= info.mesh != unknown; });
    return isFound || llvm::any_of(item.results, [&](Value value) {
             return llvm::any_of(values.find(value)->second.uses, [](unsigned count) { return count > 0; });
           });
  }

  /// Moves the item to the mesh of least cost, and of equal ones keeps its mesh or takes the mesh of a later
  /// operand.
  bool choose(Item &item) {
    if (!isConnected(item))
      return false;
    unsigned best = item.mesh;
    double least = best == unknown ? 0 : cost(item, best);
    auto consider = [&](unsigned mesh) {
      double own = cost(item, mesh);
      if (best == unknown || own < least)
        best = mesh, least = own;
    };
    if (!item.candidates.empty()) {
      llvm::for_each(item.candidates, consider);
    } else {
      for (OpOperand *use : llvm::reverse(item.uses))
        if (unsigned mesh = values.find(use->get())->second.mesh; mesh != unknown)
          consider(mesh);
      for (unsigned mesh = 0; mesh < meshes.list.size(); ++mesh)
        consider(mesh);
    }
    if (best == item.mesh)
      return false;
    setMesh(item, best);
    return true;
  }

  void setMesh(Item &item, unsigned mesh) {
    forEachOperand(item, [&](ValueInfo &info) {
      if (item.mesh != unknown)
        --info.uses[item.mesh];
      ++info.uses[mesh];
    });
    item.mesh = mesh;
    for (Value value : item.results)
      infoOf(value).mesh = mesh;
  }

  /// Gives the uses of an item their values on its mesh.
  void connect(Item &item) {
    for (OpOperand *use : item.uses) {
      Value value = use->get();
      ValueInfo &info = infoOf(value);
      if (info.mesh == unknown) // a constant: the first mesh has the op itself
        info.mesh = item.mesh;
      if (info.mesh == item.mesh)
        continue;
      Value &moved = movedValues[{value, item.mesh}];
      if (!moved) {
        bool isConstant = value.getDefiningOp() && isCreatedAnywhere(value.getDefiningOp());
        moved = isConstant ? cloneOf(cast<OpResult>(value)) : constrained(value, item.mesh);
        result.meshOfValue[moved] = item.mesh;
      }
      use->set(moved);
    }
  }

  static Value cloneOf(OpResult value) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    return builder.clone(*value.getOwner())->getResult(value.getResultNumber());
  }

  Value constrained(Value value, unsigned mesh) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    auto open = dist::DimShardingAttr::get(value.getContext(), {}, /*isClosed=*/false, /*priority=*/0, {});
    SmallVector<dist::DimShardingAttr> dims(cast<RankedTensorType>(value.getType()).getRank(), open);
    auto sharding = dist::ShardingAttr::get(value.getContext(), meshes.symbol(mesh), dims, {}, {});
    return dist::ConstrainOp::create(builder, value.getLoc(), value, sharding);
  }

  void finish() {
    for (auto &[value, info] : values)
      result.meshOfValue.try_emplace(value, info.mesh == unknown ? 0 : info.mesh);
    for (auto function : module.getOps<func::FuncOp>()) {
      SmallVector<unsigned> &own = meshesOfResults[function];
      if (!function.isDeclaration())
        for (auto [mesh, value] :
             llvm::zip_equal(own, function.getBody().front().getTerminator()->getOperands()))
          mesh = result.of(value);
      llvm::replace(own, unknown, 0u);
      result.meshesOfResults[function] = own;
    }
  }

  ModuleOp module;
  const Meshes &meshes;
  std::vector<Item> items;
  llvm::DenseMap<Value, ValueInfo> values;
  llvm::DenseMap<Operation *, SmallVector<unsigned>> meshesOfResults;
  llvm::DenseMap<std::pair<Value, unsigned>, Value> movedValues;
  ValueMeshes result;
};

ValueMeshes ValueMeshes::assign(ModuleOp module, const Meshes &meshes) {
  return MeshAssignment(module, meshes).run();
}

unsigned ValueMeshes::ofResult(func::FuncOp function, unsigned index) const {
  auto found = meshesOfResults.find(function);
  return found == meshesOfResults.end() ? 0 : found->second[index];
}

} // namespace proa::sharding
