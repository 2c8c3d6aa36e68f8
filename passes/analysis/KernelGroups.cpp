#include "passes/analysis/KernelGroups.h"

#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/ElementInterface.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"

using namespace mlir;

namespace proa {
namespace {

/// Largest group: code size grows with the members, and registers are few.
constexpr size_t maxMembers = 64;

SmallVector<int64_t> shapeOf(Value value) { return SmallVector<int64_t>(pd::tensorType(value).getShape()); }

/// The shape that an op iterates over: that of a reduction's operand, of any other op's result.
SmallVector<int64_t> domainOf(Operation *op) {
  return shapeOf(isa<pd::ReductionOpInterface>(op) ? op->getOperand(0) : op->getResult(0));
}

/// The number of reduced dimensions if they are the trailing ones, else -1; 0 for an op that is not a
/// reduction.
int64_t reducedTrailingDims(Operation *op) {
  auto reduction = dyn_cast<pd::ReductionOpInterface>(op);
  if (!reduction)
    return 0;
  SmallVector<int64_t> dims = reduction.getReducedDims();
  int64_t rank = pd::tensorType(op->getOperand(0)).getRank();
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim != rank - static_cast<int64_t>(dims.size() - i))
      return -1;
  return dims.empty() ? 0 : static_cast<int64_t>(dims.size());
}

/// Whether `shape` is the group's domain with its reduced dimensions removed or of size 1.
bool isReducedDomain(const KernelGroup &group, ArrayRef<int64_t> shape) {
  if (group.reducedDims == 0)
    return false;
  ArrayRef<int64_t> kept = ArrayRef<int64_t>(group.domain).drop_back(group.reducedDims);
  if (shape == kept)
    return true;
  return shape.size() == group.domain.size() && shape.take_front(kept.size()) == kept &&
         llvm::all_of(shape.drop_front(kept.size()), [](int64_t dim) { return dim == 1; });
}

/// Whether a product reads the op's operand in its place: the op moves elements, or extends their type. A
/// narrower type would be rounded once for each use.
bool canBeReadThrough(Operation *op) {
  if (!op->hasOneUse() || op->getNumOperands() != 1)
    return false;
  if (isa<pd::IndexingMapOpInterface>(op))
    return true;
  Type from = pd::tensorType(op->getOperand(0)).getElementType();
  Type to = pd::tensorType(op->getResult(0)).getElementType();
  return isa<pd::CastOp>(op) && isa<FloatType>(from) && isa<FloatType>(to) &&
         from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
}

/// Whether kernels compute the op by its elements (ElementOpInterface).
bool isComputedByElement(Operation *op) {
  return isa<pd::ElementOpInterface>(op) && !isa<pd::ScalarOpInterface, pd::ReductionOpInterface>(op);
}

class Grouping {
public:
  explicit Grouping(KernelTarget target) : target(target) {}

  void visit(Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      return;
    if (whyNoKernelOp(op, target)) {
      closeProducers(op, nullptr);
      return;
    }
    const char *reason = nullptr;
    KernelGroup *group = isContractionOfKernels(op, target) ? startContraction(op, reason) : join(op, reason);
    if (!group)
      group = start(op);
    if (group->members.front() == op)
      group->startReason = reason;
    closeProducers(op, group);
    groupOf[op] = group;
  }

  SmallVector<std::unique_ptr<KernelGroup>> take() {
    SmallVector<std::unique_ptr<KernelGroup>> out;
    for (auto &group : groups)
      if (!group->members.empty())
        out.push_back(std::move(group));
    llvm::sort(out, [](const auto &a, const auto &b) {
      return a->members.back()->isBeforeInBlock(b->members.back());
    });
    return out;
  }

private:
  KernelGroup *producerGroup(Value operand) const {
    Operation *producer = operand.getDefiningOp();
    return producer ? groupOf.lookup(producer) : nullptr;
  }

  void closeProducers(Operation *op, KernelGroup *own) {
    op->walk([&](Operation *user) { // bodies of control flow read values too
      for (Value operand : user->getOperands())
        if (KernelGroup *group = producerGroup(operand); group && group != own)
          group->closed = true;
    });
  }

  /// Why the op cannot join the group; null if it can.
  static const char *obstacle(Operation *op, const KernelGroup &group) {
    if (group.closed)
      return "an op outside of that kernel uses its results before";
    if (group.members.size() >= maxMembers)
      return "that kernel has the largest number of ops";
    // A transposed or expanded view of a value inside the group would need all of that value first.
    if (isa<pd::IndexingMapOpInterface>(op))
      return "it permutes or repeats elements, which only the inputs of a kernel can be read by";
    // Nor are its elements read at computed indices.
    if (isComputedByElement(op))
      return "it reads elements at other indices, which only the inputs of a kernel can be read by";
    int64_t reduced = reducedTrailingDims(op);
    if (reduced < 0)
      return "it reduces dimensions that are not the last ones";
    SmallVector<int64_t> domain = domainOf(op);
    bool isDomain = domain == group.domain;
    if (reduced > 0 && group.hasContraction)
      return "it reduces a dimension of the product of matrices that that kernel computes tile by tile";
    if (reduced > 0 && group.reducedDims != 0 && group.reducedDims != reduced)
      return "it reduces another number of dimensions than that kernel";
    return isDomain || (reduced == 0 && isReducedDomain(group, domain))
               ? nullptr
               : "its shape is not the one that that kernel iterates over";
  }

  static bool canMerge(const KernelGroup &a, const KernelGroup &b) {
    bool reduces = a.reducedDims > 0 || b.reducedDims > 0;
    if ((a.hasContraction && b.hasContraction) || ((a.hasContraction || b.hasContraction) && reduces))
      return false;
    return a.domain == b.domain &&
           (a.reducedDims == 0 || b.reducedDims == 0 || a.reducedDims == b.reducedDims) &&
           a.members.size() + b.members.size() < maxMembers;
  }

  /// Adds the op to the group of an operand and merges the groups of several operands. Null, with the reason
  /// why the last group of an operand does not fit, if no group fits.
  KernelGroup *join(Operation *op, const char *&reason) {
    KernelGroup *target = nullptr;
    for (Value operand : op->getOperands()) {
      KernelGroup *group = producerGroup(operand);
      if (!group || group == target)
        continue;
      if (const char *why = obstacle(op, *group)) {
        reason = why;
        continue;
      }
      if (!target)
        target = group;
      else if (canMerge(*target, *group))
        merge(*target, *group);
    }
    if (!target)
      return nullptr;
    target->members.push_back(op);
    target->reducedDims = std::max(target->reducedDims, reducedTrailingDims(op));
    return target;
  }

  void merge(KernelGroup &into, KernelGroup &from) {
    for (Operation *member : from.members)
      groupOf[member] = &into;
    into.members.append(from.members);
    into.reducedDims = std::max(into.reducedDims, from.reducedDims);
    into.hasContraction |= from.hasContraction;
    from.members.clear();
    llvm::sort(into.members, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  }

  KernelGroup *start(Operation *op) {
    auto group = std::make_unique<KernelGroup>();
    group->members.push_back(op);
    group->domain = domainOf(op);
    int64_t reduced = reducedTrailingDims(op);
    group->reducedDims = std::max<int64_t>(reduced, 0);
    // A reduction of leading dimensions has a loop order of its own.
    group->closed = reduced < 0;
    groups.push_back(std::move(group));
    return groups.back().get();
  }

  /// A product starts a group, with the transposes and casts through which it reads its operands.
  KernelGroup *startContraction(Operation *op, const char *&reason) {
    KernelGroup *product = start(op);
    product->hasContraction = true;
    for (Value operand : op->getOperands()) {
      KernelGroup *group = producerGroup(operand);
      if (!group || group == product)
        continue;
      if (group->closed || !llvm::all_of(group->members, canBeReadThrough))
        reason = "a tile of the product needs all of its rows or columns";
      else
        merge(*product, *group);
    }
    return product;
  }

  KernelTarget target;
  SmallVector<std::unique_ptr<KernelGroup>> groups;
  llvm::DenseMap<Operation *, KernelGroup *> groupOf;
};

} // namespace

std::optional<KernelTarget> kernelTargetNamed(llvm::StringRef name) {
  if (name == "cpu")
    return KernelTarget::Cpu;
  if (name == "gpu-blas")
    return KernelTarget::GpuWithBlas;
  return name == "gpu" ? std::optional(KernelTarget::Gpu) : std::nullopt;
}

/// Number of multiplications of a product, 0 if a dim is dynamic.
static double multiplicationsOf(pd::ContractionOpInterface op) {
  SmallVector<AffineMap> maps = op.getContractionMaps();
  SmallVector<double> sizes(maps.front().getNumDims(), 0);
  for (auto [operand, map] : llvm::zip_first(op->getOperands().take_front(2), maps))
    for (auto [expression, size] : llvm::zip(map.getResults(), pd::tensorType(operand).getShape()))
      if (auto loop = dyn_cast<AffineDimExpr>(expression); loop && !ShapedType::isDynamic(size))
        sizes[loop.getPosition()] = static_cast<double>(size);
  double product = 1;
  for (double size : sizes)
    product *= size;
  return product;
}

bool isContractionOfKernels(Operation *op, KernelTarget target) {
  auto contraction = dyn_cast<pd::ContractionOpInterface>(op);
  if (target == KernelTarget::Cpu || !contraction || contraction.getContractionMaps().empty() ||
      isa<ComplexType>(pd::tensorType(op->getResult(0)).getElementType()))
    return false;
  // A guess: about 10 microseconds of a large GPU. No device has measured it yet.
  constexpr double libraryMultiplications = double(1 << 28);
  return target == KernelTarget::Gpu || multiplicationsOf(contraction) < libraryMultiplications;
}

const char *whyNoKernelOp(Operation *op, KernelTarget target) {
  if (op->getNumResults() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return "it does not have one ranked tensor as its result";
  if (auto movement = dyn_cast<pd::IndexingMapOpInterface>(op)) {
    bool isKnown = op->getNumOperands() == 1 && succeeded(movement.getIndexingMap());
    return isKnown ? nullptr : "which element it reads is known only at run time";
  }
  if (target != KernelTarget::Cpu && isComputedByElement(op)) {
    // MLIR passes no memrefs of static dims that are 0 as bare pointers.
    auto isEmpty = [](Type type) { return llvm::is_contained(cast<RankedTensorType>(type).getShape(), 0); };
    return llvm::any_of(op->getOperandTypes(), isEmpty) ? "an operand has no elements"
                                                        : cast<pd::ElementOpInterface>(op).whyNoElement();
  }
  bool isComputable =
      isa<pd::ScalarOpInterface, pd::ReductionOpInterface>(op) || isContractionOfKernels(op, target);
  return isComputable ? nullptr : "it is not an elementwise op, a reduction or a permutation";
}

bool isInlineConstant(Value value) {
  auto constant = value.getDefiningOp<pd::ConstantOp>();
  return constant && pd::tensorType(value).hasStaticShape() && pd::tensorType(value).getNumElements() == 1;
}

SmallVector<std::unique_ptr<KernelGroup>> findKernelGroups(Block &block, KernelTarget target) {
  Grouping grouping(target);
  for (Operation &op : block)
    grouping.visit(&op);
  return grouping.take();
}

} // namespace proa
