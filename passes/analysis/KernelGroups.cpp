#include "passes/analysis/KernelGroups.h"

#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/DeviceKernel.h"
#include "dialects/pd/ir/ElementInterface.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/ThreadInterface.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/proa/Proa.h"

#include "llvm/ADT/SetVector.h"

#include <limits>

using namespace mlir;

namespace proa {
namespace {

SmallVector<int64_t> shapeOf(Value value) { return SmallVector<int64_t>(pd::tensorType(value).getShape()); }

/// Whether the op is a kernel of its own.
bool isOpaqueKernel(Operation *op) { return isa<pd::DeviceKernelOpInterface>(op); }

/// The shape that an op iterates over: of a reduction's operand, of any other op's result.
SmallVector<int64_t> domainOf(Operation *op) {
  bool reduces = isa<pd::ReductionOpInterface, pd::ArgExtremeOpInterface>(op);
  return shapeOf(reduces ? op->getOperand(0) : op->getResult(0));
}

/// The reduced dimensions, ascending; empty for an op that is not a reduction.
SmallVector<int64_t> reducedDimsOf(Operation *op) {
  if (auto extreme = dyn_cast<pd::ArgExtremeOpInterface>(op))
    return extreme.getSearchedDims();
  auto reduction = dyn_cast<pd::ReductionOpInterface>(op);
  return reduction ? reduction.getReducedDims() : SmallVector<int64_t>();
}

/// Whether an operand or result has a static dim of 0.
bool hasEmptyTensor(Operation *op) {
  // MLIR passes no memrefs of static dims that are 0 as bare pointers.
  auto isEmpty = [](Type type) { return llvm::is_contained(cast<RankedTensorType>(type).getShape(), 0); };
  return llvm::any_of(op->getOperandTypes(), isEmpty) || llvm::any_of(op->getResultTypes(), isEmpty);
}

bool areTrailing(ArrayRef<int64_t> dims, int64_t rank) {
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim != rank - static_cast<int64_t>(dims.size() - i))
      return false;
  return true;
}

/// Whether `shape` is the group's domain with its reduced dimensions removed or of size 1.
bool isReducedDomain(const KernelGroup &group, ArrayRef<int64_t> shape) {
  if (group.reducedDims.empty())
    return false;
  SmallVector<int64_t> removed, kept;
  for (auto [dim, size] : llvm::enumerate(group.domain)) {
    bool isReduced = llvm::is_contained(group.reducedDims, static_cast<int64_t>(dim));
    kept.push_back(isReduced ? 1 : size);
    if (!isReduced)
      removed.push_back(size);
  }
  return shape == ArrayRef<int64_t>(removed) || shape == ArrayRef<int64_t>(kept);
}

/// Whether a kernel for the GPU that reduces these dims of a domain also computes ops that read the whole
/// domain again after it. One block then computes all terms of a row; otherwise several blocks can share
/// them.
bool readsDomainAfterReduction(ArrayRef<int64_t> domain, ArrayRef<int64_t> reduced, const GpuFacts &gpu) {
  // Terms of float32 that a block reads while a second kernel would start.
  double manyTerms = static_cast<double>(gpu.stepNanoseconds) * gpu.l2BytesPerNanosecond() / sizeof(float);
  // Terms of columns: a tile of 128 columns is in shared memory.
  constexpr int64_t manyRows = 64;
  if (areTrailing(reduced, static_cast<int64_t>(domain.size())) &&
      llvm::any_of(domain, ShapedType::isDynamic))
    return true;
  double rows = 1, terms = 1;
  for (auto [dim, size] : llvm::enumerate(domain))
    (llvm::is_contained(reduced, static_cast<int64_t>(dim)) ? terms : rows) *=
        ShapedType::isDynamic(size) ? manyTerms : static_cast<double>(size);
  if (!areTrailing(reduced, static_cast<int64_t>(domain.size())))
    return terms <= manyRows;
  return rows >= static_cast<double>(gpu.busyBlocks()) || terms <= manyTerms;
}

/// Whether a matmul reads the op's operand in its place: the op moves elements, or extends their type. A
/// narrower type would be rounded once for each use.
bool canBeReadThrough(Operation *op) {
  if (!op->hasOneUse() || op->getNumOperands() != 1)
    return false;
  if (isa<pd::IndexingMapOpInterface>(op))
    return true;
  Type from = pd::tensorType(op->getOperand(0)).getElementType();
  Type to = pd::tensorType(op->getResult(0)).getElementType();
  bool isOfOneKind = (isa<FloatType>(from) && isa<FloatType>(to)) ||
                     (isa<IntegerType>(from) && isa<IntegerType>(to) && !from.isInteger(1));
  return isa<pd::CastOp>(op) && isOfOneKind && from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
}

/// The bytes of a tensor of static shape.
int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getElementType().isIntOrFloat()
             ? type.getNumElements() *
                   static_cast<int64_t>(llvm::divideCeil(type.getElementTypeBitWidth(), 8))
             : std::numeric_limits<int32_t>::max();
}

/// The ops that a kernel of a matmul computes while it copies tiles of the operand: elementwise ops that
/// nothing else reads and that read fewer bytes than they write, such as casts and scales of quantized
/// weights. Others are cheaper if they are computed once, and not again for each tile: then none is returned.
llvm::SmallSetVector<Operation *, 4> prologueOf(Value operand) {
  llvm::SmallSetVector<Operation *, 4> ops;
  llvm::SmallSetVector<Value, 4> inputs;
  auto visit = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (isa_and_present<pd::ScalarOpInterface>(op) && op->getNumResults() == 1 && op->hasOneUse() &&
        shapeOf(value) == shapeOf(operand))
      ops.insert(op);
    else
      inputs.insert(value);
  };
  visit(operand);
  for (size_t i = 0; i < ops.size(); ++i)
    llvm::for_each(ops[i]->getOperands(), visit);
  int64_t read = 0;
  for (Value input : inputs) {
    if (!pd::tensorType(input).hasStaticShape() || pd::tensorType(input).getElementType().isInteger(1))
      return {};
    read += bytesOf(input);
  }
  bool isSmaller = isa<FloatType>(pd::tensorType(operand).getElementType()) &&
                   pd::tensorType(operand).hasStaticShape() && read < bytesOf(operand);
  return isSmaller ? ops : llvm::SmallSetVector<Operation *, 4>();
}

/// Whether the group computes an operand of a matmul, and nothing else, and can be part of its kernel.
bool isPrologue(const KernelGroup &group, Value operand) {
  llvm::SmallSetVector<Operation *, 4> ops = prologueOf(operand);
  return !group.closed && !ops.empty() && ops.size() == group.members.size() &&
         llvm::all_of(group.members, [&](Operation *member) { return ops.contains(member); });
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
    if (isa<pd::ThreadOpInterface>(op)) {
      KernelGroup *group = start(op);
      group->hasThreadCode = group->closed = true;
      closeProducers(op, group);
      groupOf[op] = group;
      return;
    }
    KernelGroup *group = nullptr;
    if (isContractionOfKernels(op, target))
      group = startContraction(op, reason);
    else if (!isOpaqueKernel(op))
      group = join(op, reason);
    if (!group)
      group = start(op);
    group->closed |= isOpaqueKernel(op);
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

  /// Whether the op reads a reduction of the group, directly or through members of its domain.
  bool dependsOnReduction(Operation *op, const KernelGroup &group) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || groupOf.lookup(producer) != &group)
        return false;
      return group.afterReduction.contains(producer) || isReducedDomain(group, shapeOf(operand));
    });
  }

  /// Why the op cannot join the group; null if it can.
  const char *obstacle(Operation *op, const KernelGroup &group) const {
    if (group.closed)
      return "an op outside of that kernel uses its results before";
    if (group.members.size() >= maxGroupMembers)
      return "that kernel has the largest number of ops";
    // A transposed or expanded view of a value inside the group would need all of that value first.
    if (isa<pd::IndexingMapOpInterface>(op))
      return "it permutes or repeats elements, which only the inputs of a kernel can be read by";
    // Nor are its elements read at computed indices.
    if (isComputedByElement(op))
      return "it reads elements at other indices, which only the inputs of a kernel can be read by";
    SmallVector<int64_t> reduced = reducedDimsOf(op), domain = domainOf(op);
    if (target == KernelTarget::Cpu && !areTrailing(reduced, static_cast<int64_t>(domain.size())))
      return "it reduces dimensions that are not the last ones";
    bool isDomain = domain == group.domain;
    if (!reduced.empty() && group.hasContraction)
      return "it reduces a dimension of the matmul that that kernel computes tile by tile";
    if (!reduced.empty() && !group.reducedDims.empty() && group.reducedDims != reduced)
      return "it reduces other dimensions than that kernel";
    if (!isDomain && (!reduced.empty() || !isReducedDomain(group, domain)))
      return "its shape is not the one that that kernel iterates over";
    if (target != KernelTarget::Cpu && isDomain && !isReducedDomain(group, domain) &&
        dependsOnReduction(op, group) && !readsDomainAfterReduction(domain, group.reducedDims, gpuOf(op)))
      return "it reads elements again after a reduction that several blocks compute";
    return nullptr;
  }

  static bool canMerge(const KernelGroup &a, const KernelGroup &b) {
    bool reduces = !a.reducedDims.empty() || !b.reducedDims.empty();
    if ((a.hasContraction && b.hasContraction) || ((a.hasContraction || b.hasContraction) && reduces))
      return false;
    return a.domain == b.domain &&
           (a.reducedDims.empty() || b.reducedDims.empty() || a.reducedDims == b.reducedDims) &&
           a.members.size() + b.members.size() < maxGroupMembers;
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
    if (domainOf(op) == target->domain && dependsOnReduction(op, *target))
      target->afterReduction.insert(op);
    target->members.push_back(op);
    if (SmallVector<int64_t> reduced = reducedDimsOf(op); !reduced.empty())
      target->reducedDims = reduced;
    return target;
  }

  void merge(KernelGroup &into, KernelGroup &from) {
    for (Operation *member : from.members)
      groupOf[member] = &into;
    into.members.append(from.members);
    into.afterReduction.insert_range(from.afterReduction);
    if (into.reducedDims.empty())
      into.reducedDims = from.reducedDims;
    into.hasContraction |= from.hasContraction;
    from.members.clear();
    llvm::sort(into.members, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  }

  KernelGroup *start(Operation *op) {
    auto group = std::make_unique<KernelGroup>();
    group->members.push_back(op);
    group->domain = domainOf(op);
    group->reducedDims = reducedDimsOf(op);
    // On the CPU a reduction of leading dimensions has a loop order of its own.
    group->closed = target == KernelTarget::Cpu &&
                    !areTrailing(group->reducedDims, static_cast<int64_t>(group->domain.size()));
    groups.push_back(std::move(group));
    return groups.back().get();
  }

  /// A matmul starts a group, with the transposes and casts through which it reads its operands, and
  /// prologues.
  KernelGroup *startContraction(Operation *op, const char *&reason) {
    KernelGroup *matmul = start(op);
    matmul->hasContraction = true;
    for (Value operand : op->getOperands()) {
      KernelGroup *group = producerGroup(operand);
      if (!group || group == matmul)
        continue;
      bool isRead = !group->closed && llvm::all_of(group->members, canBeReadThrough);
      if (!isRead && !isPrologue(*group, operand))
        reason = "a tile of the matmul needs all of its rows or columns";
      else
        merge(*matmul, *group);
    }
    return matmul;
  }

  KernelTarget target;
  SmallVector<std::unique_ptr<KernelGroup>> groups;
  llvm::DenseMap<Operation *, KernelGroup *> groupOf;
};

} // namespace

/// Number of multiply-adds of a matmul, 0 if a dim is dynamic.
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

/// Whether both operands of a matmul are stored in 8 bits. Libraries would read wider copies of them.
static bool multipliesBytes(Operation *op) {
  return llvm::all_of(op->getOperands().take_front(2), [](Value operand) {
    while (Operation *producer = operand.getDefiningOp()) {
      if (!canBeReadThrough(producer))
        break;
      operand = producer->getOperand(0);
    }
    Type element = pd::tensorType(operand).getElementType();
    return element.isIntOrFloat() && element.getIntOrFloatBitWidth() == 8;
  });
}

std::optional<LibraryEstimate> estimateLibrary(Operation *op, KernelTarget target) {
  auto contraction = dyn_cast<pd::ContractionOpInterface>(op);
  if (target != KernelTarget::GpuWithBlas || !contraction || contraction.getContractionMaps().empty() ||
      isa<ComplexType>(pd::tensorType(op->getResult(0)).getElementType()) || multipliesBytes(op))
    return std::nullopt;
  int64_t kernels = 0, bytes = 0;
  for (Value operand : op->getOperands().take_front(2))
    if (!prologueOf(operand).empty()) {
      ++kernels;
      bytes += bytesOf(operand);
    }
  const GpuFacts &gpu = gpuOf(op);
  // With a prologue, 16 bits are multiplied by mma.sync. Without, only small matmuls are worth a kernel.
  bool usesMma = kernels > 0 && pd::tensorType(op->getOperand(0)).getElementTypeBitWidth() <= 16;
  return LibraryEstimate{
      .kernel = gpu.nanosecondsOf(multiplicationsOf(contraction), usesMma ? gpu.mmaRate : gpu.fma32Rate),
      .library = gpu.libraryNanosecondsWith(kernels, bytes)};
}

bool isContractionOfKernels(Operation *op, KernelTarget target) {
  auto contraction = dyn_cast<pd::ContractionOpInterface>(op);
  if (target == KernelTarget::Cpu || !contraction || contraction.getContractionMaps().empty() ||
      isa<ComplexType>(pd::tensorType(op->getResult(0)).getElementType()))
    return false;
  std::optional<LibraryEstimate> estimate = estimateLibrary(op, target);
  return !estimate || estimate->kernel < estimate->library;
}

/// Why no kernel for the GPU consists of the op.
static const char *whyNoThreads(pd::ThreadOpInterface op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (!llvm::all_of(op->getOperandTypes(), isTensor) || !llvm::all_of(op->getResultTypes(), isTensor))
    return "an operand or a result is not a ranked tensor";
  return hasEmptyTensor(op) ? "an operand or a result has no elements" : op.whyNoThreads();
}

const char *whyNoKernelOp(Operation *op, KernelTarget target) {
  if (auto kernel = dyn_cast<pd::DeviceKernelOpInterface>(op); kernel && target != KernelTarget::Cpu)
    return kernel.whyNoDeviceKernel();
  if (auto threads = dyn_cast<pd::ThreadOpInterface>(op); threads && target != KernelTarget::Cpu)
    return whyNoThreads(threads);
  if (op->getNumResults() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return "it does not have one ranked tensor as its result";
  if (auto movement = dyn_cast<pd::IndexingMapOpInterface>(op)) {
    bool isKnown = op->getNumOperands() == 1 && succeeded(movement.getIndexingMap());
    return isKnown ? nullptr : "which element it reads is known only at run time";
  }
  if (target != KernelTarget::Cpu && isComputedByElement(op))
    return hasEmptyTensor(op) ? "an operand or the result has no elements"
                              : cast<pd::ElementOpInterface>(op).whyNoElement();
  if (auto extreme = dyn_cast<pd::ArgExtremeOpInterface>(op); extreme && target != KernelTarget::Cpu)
    return extreme.whyNoArgExtreme();
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
