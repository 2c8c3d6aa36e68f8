// pd-form-kernels: replaces groups of primitives by calls of kernel functions.
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/ResultNames.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/analysis/KernelGroups.h"
#include "passes/fuse/CloneProducers.h"
#include "passes/fuse/MergeGroups.h"
#include "passes/fuse/Passes.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_FORMKERNELS
#include "passes/fuse/Passes.h.inc"

namespace {

/// The inputs, constants and outputs of a group.
struct Interface {
  llvm::SetVector<Value> inputs;
  llvm::SetVector<Value> constants;
  SmallVector<Value> outputs;
};

Interface interfaceOf(const KernelGroup &group) {
  Interface interface;
  llvm::SmallPtrSet<Operation *, 16> members(group.members.begin(), group.members.end());
  for (Operation *member : group.members) {
    for (Value operand : member->getOperands()) {
      if (Operation *producer = operand.getDefiningOp(); producer && members.contains(producer))
        continue;
      bool isInline = isInlineConstant(operand) && !group.hasThreadCode; // its code reads memory
      (isInline ? interface.constants : interface.inputs).insert(operand);
    }
    for (Value result : member->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !members.contains(user); }))
        interface.outputs.push_back(result);
  }
  return interface;
}

/// Whether the op moves dims of size 1 only, so that its result is its operand with another shape.
bool isView(Operation *op) {
  auto movement = dyn_cast<pd::IndexingMapOpInterface>(op);
  if (!movement || op->getNumOperands() != 1)
    return false;
  RankedTensorType from = pd::tensorType(op->getOperand(0)), to = pd::tensorType(op->getResult(0));
  FailureOr<AffineMap> map = movement.getIndexingMap();
  if (failed(map) || !from.hasStaticShape() || !to.hasStaticShape() || from.getNumElements() == 0 ||
      from.getNumElements() != to.getNumElements() || from.getElementType() != to.getElementType())
    return false;
  std::optional<unsigned> last;
  for (auto [index, size] : llvm::zip_equal(map->getResults(), from.getShape())) {
    auto dim = dyn_cast<AffineDimExpr>(index);
    if (size == 1)
      continue;
    if (!dim || (last && dim.getPosition() <= *last))
      return false;
    last = dim.getPosition();
  }
  return true;
}

class FormKernelsPass : public impl::FormKernelsBase<FormKernelsPass> {
public:
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    symbols.emplace(getOperation());
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr(kernelAttribute) && !function.isExternal())
        functions.push_back(function);
    SmallVector<Block *> blocks; // also of control flow
    for (func::FuncOp function : functions)
      function.walk([&](Block *block) {
        if (!isInModelOp(block))
          blocks.push_back(block);
      });
    for (Block *block : blocks) {
      reportOthers(*block);
      auto groups = findKernelGroups(*block, target);
      if (target != KernelTarget::Cpu) {
        cloneProducers(groups, remarks);
        mergeSmallGroups(groups, remarks);
      }
      for (auto &group : groups)
        if (group->members.size() == 1 && isView(group->members.front()))
          replaceByView(group->members.front());
        else
          outline(*group);
    }
  }

private:
  /// Says why an op of pd or rt is not part of a kernel.
  void reportOthers(Block &block) {
    if (!PassRemarks::areEnabled(&getContext()))
      return;
    for (Operation &op : block) {
      const char *reason = whyNoKernelOp(&op, target);
      StringRef dialect = op.getName().getDialectNamespace();
      if (!reason || (dialect != "pd" && dialect != "rt") || op.hasTrait<OpTrait::ConstantLike>())
        continue;
      StringRef name = op.getName().getStringRef();
      if (auto library = dyn_cast<pd::LibraryOpInterface>(op))
        remarks.missed(&op) << name << " is not part of a kernel: the library kernel '"
                            << library.getLibraryKernel() << "' computes it" << estimateOf(&op);
      else
        remarks.missed(&op) << name << " is not part of a kernel: " << reason;
    }
  }

  /// "; estimates: a kernel adds 13.8 us, the library 43.9 us" of a matmul that both can compute.
  std::string estimateOf(Operation *op) const {
    std::optional<LibraryEstimate> estimate = estimateLibrary(op, target);
    return estimate ? llvm::formatv("; estimates: a kernel adds {0:f1} us, the library {1:f1} us",
                                    estimate->kernel / 1000, estimate->library / 1000)
                          .str()
                    : "";
  }

  void report(const KernelGroup &group, StringRef label, func::FuncOp kernel) {
    Operation *first = group.members.front();
    std::string why = group.startReason ? (Twine("; ") + first->getName().getStringRef() +
                                           " did not join the kernel of an operand: " + group.startReason)
                                              .str()
                                        : std::string();
    for (Operation *member : group.members)
      why += estimateOf(member);
    remarks.done(first) << label << " is the kernel '" << kernel.getName() << "'" << why;
  }

  /// Whether the block is in a region of an op of pd (checkpoint, vjp). Such ops are decomposed later and
  /// contain no calls.
  static bool isInModelOp(Block *block) {
    for (Operation *op = block->getParentOp(); op; op = op->getParentOp())
      if (isa_and_present<pd::PdDialect>(op->getDialect()))
        return true;
    return false;
  }

  void replaceByView(Operation *op) {
    remarks.done(op) << op->getName().getStringRef() << " moves dims of size 1 only: its result is a view";
    OpBuilder builder(op);
    Value view = pd::ReshapeOp::create(builder, op->getLoc(), op->getOperand(0), Value(),
                                       pd::tensorType(op->getResult(0)).getShape());
    op->getResult(0).replaceAllUsesWith(view);
    op->erase();
  }

  void outline(const KernelGroup &group) {
    Interface interface = interfaceOf(group);
    if (interface.outputs.empty())
      return;
    func::FuncOp kernel = kernelFor(group, interface);
    OpBuilder builder(group.members.back());
    auto call =
        func::CallOp::create(builder, locationOf(group, interface), kernel, interface.inputs.getArrayRef());
    std::string label = labelOf(group);
    ArrayAttr locations;
    if (opLocations)
      locations = builder.getArrayAttr(llvm::map_to_vector(
          group.members, [](Operation *member) -> Attribute { return member->getLoc(); }));
    KernelCallAttr::get(&getContext(), label, locations).setOn(call);
    if (PassRemarks::areEnabled(&getContext()))
      report(group, label, kernel);
    for (auto [output, result] : llvm::zip(interface.outputs, call.getResults()))
      output.replaceAllUsesWith(result);
    for (Operation *member : llvm::reverse(group.members))
      member->erase();
    for (Value constant : interface.constants)
      if (constant.use_empty())
        constant.getDefiningOp()->erase();
  }

  /// The locations of all ops of the group, fused; the metadata are the names of its outputs, in order.
  static Location locationOf(const KernelGroup &group, const Interface &interface) {
    SmallVector<Location> locations;
    for (Operation *member : group.members)
      locations.push_back(member->getLoc());
    if (llvm::all_equal(locations))
      return locations.front();
    Builder builder(group.members.front()->getContext());
    SmallVector<Attribute> names;
    for (Value output : interface.outputs)
      names.push_back(builder.getStringAttr(pd::resultName(output)));
    return FusedLoc::get(builder.getContext(), locations, builder.getArrayAttr(names));
  }

  /// "add+exp"; "8x(add+exp)" of equal series; the first names of a long series.
  static std::string labelOf(const KernelGroup &group) {
    constexpr size_t mostNames = 24, leastRepetitions = 3;
    SmallVector<StringRef> names;
    for (Operation *member : group.members)
      names.push_back(member->getName().stripDialect());
    ArrayRef<StringRef> all = names;
    for (size_t period = 1; period * leastRepetitions <= all.size(); ++period)
      if (all.size() % period == 0 && all.drop_front(period) == all.drop_back(period))
        return std::to_string(all.size() / period) + "x(" + llvm::join(all.take_front(period), "+") + ")";
    if (all.size() <= mostNames)
      return llvm::join(all, "+");
    return llvm::join(all.take_front(mostNames), "+") + "+" + std::to_string(all.size() - mostNames) +
           " more";
  }

  /// A function with the group's body: an existing one with an equal body, or a new one.
  func::FuncOp kernelFor(const KernelGroup &group, const Interface &interface) {
    MLIRContext *context = &getContext();
    OpBuilder builder(context);
    SmallVector<Type> inputTypes, outputTypes;
    for (Value input : interface.inputs)
      inputTypes.push_back(input.getType());
    for (Value output : interface.outputs)
      outputTypes.push_back(output.getType());
    auto kernel = func::FuncOp::create(group.members.back()->getLoc(), "kernel",
                                       FunctionType::get(context, inputTypes, outputTypes));
    kernel.setPrivate();
    kernel->setAttr(kernelAttribute, builder.getUnitAttr());
    Block *body = kernel.addEntryBlock();
    builder.setInsertionPointToStart(body);
    IRMapping mapping;
    for (auto [input, argument] : llvm::zip(interface.inputs, body->getArguments()))
      mapping.map(input, argument);
    for (Value constant : interface.constants)
      builder.clone(*constant.getDefiningOp(), mapping);
    for (Operation *member : group.members)
      builder.clone(*member, mapping);
    SmallVector<Value> results;
    for (Value output : interface.outputs)
      results.push_back(mapping.lookup(output));
    func::ReturnOp::create(builder, kernel.getLoc(), results);
    return deduplicated(kernel);
  }

  func::FuncOp deduplicated(func::FuncOp kernel) {
    std::string text;
    llvm::raw_string_ostream(text) << kernel;
    auto [entry, isNew] = kernels.try_emplace(text, kernel);
    if (!isNew) {
      kernel.erase();
      return entry->second;
    }
    do
      kernel.setName("kernel_" + std::to_string(nextName++));
    while (symbols->lookup(kernel.getName()));
    symbols->insert(kernel);
    return kernel;
  }

  PassRemarks remarks{getArgumentName()};
  llvm::StringMap<func::FuncOp> kernels; ///< by text
  std::optional<SymbolTable>
      symbols; ///< of the module; kernels get names that its other functions do not have
  size_t nextName = 0;
};

} // namespace
} // namespace proa
