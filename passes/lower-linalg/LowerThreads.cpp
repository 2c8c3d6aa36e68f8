#include "passes/lower-linalg/LowerThreads.h"

#include "dialects/pd/builders/ThreadBuilder.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/proa/Proa.h"
#include "passes/analysis/IndexChecks.h"
#include "passes/kernels/KernelSignature.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {
namespace {

/// How an element is stored: integers without signs, bools as bytes.
RankedTensorType storedType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  auto integer = dyn_cast<IntegerType>(tensor.getElementType());
  if (!integer)
    return tensor;
  return tensor.clone(IntegerType::get(type.getContext(), std::max(integer.getWidth(), 8u)));
}

pd::ThreadOpInterface threadOpOf(func::FuncOp kernel) {
  if (kernel.isDeclaration() || !kernel.getBody().hasOneBlock())
    return {};
  auto ops = kernel.getBody().front().getOps<pd::ThreadOpInterface>();
  return ops.empty() ? pd::ThreadOpInterface() : *ops.begin();
}

class ThreadLowering {
public:
  ThreadLowering(func::FuncOp kernel, pd::ThreadOpInterface op)
      : kernel(kernel), op(op), b(kernel.getContext()), loc(op.getLoc()) {}

  LogicalResult run(PassRemarks remarks) {
    if (const char *why = op.whyNoThreads())
      return op.emitOpError() << "has no code for threads: " << why;
    pd::ThreadChoice choice = op.chooseStrategy();
    StringRef name = stringifyThreadStrategy(choice.strategy);
    if (std::optional<ThreadStrategy> requested = ThreadStrategyAttr::of(op);
        requested && *requested != choice.strategy)
      return op.emitOpError() << "cannot be computed with the strategy '"
                              << stringifyThreadStrategy(*requested) << "', expected '" << name << "'";
    if (failed(readOperands()))
      return failure();
    remarks.analysis(op) << op->getName().getStringRef() << " is computed by blocks of "
                         << std::to_string(op.getThreads()) << " threads, strategy '" << name
                         << "': " << choice.reason;
    createFunction();
    b.setInsertionPointToStart(&function.getBody().front());
    shapeMemory();
    emitRows();
    createShapes();
    describe();
    kernel.erase();
    return success();
  }

private:
  func::FuncOp kernel;
  pd::ThreadOpInterface op;
  OpBuilder b;
  Location loc;
  SmallVector<unsigned> argumentOf;              ///< by operand: the kernel's argument
  SmallVector<std::optional<unsigned>> resultOf; ///< by result of the op: the result of the kernel
  func::FuncOp function;
  SmallVector<RankedTensorType> types;    ///< of arguments, then of results
  SmallVector<Value> bases, dims, memory; ///< of arguments, then of results
  Value begin, end, scratchBase, scratch, wordsBase;
  pd::KernelChecks checks;
  int64_t rows = ShapedType::kDynamic, scratchBytes = 0;

  LogicalResult readOperands() {
    Block &body = kernel.getBody().front();
    for (Value operand : op->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (!argument)
        return op.emitOpError("is in a kernel with other ops, expected it alone");
      argumentOf.push_back(argument.getArgNumber());
    }
    resultOf.resize(op->getNumResults());
    for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
      if (value.getDefiningOp() != op.getOperation())
        return op.emitOpError("is in a kernel that returns other values, expected only its results");
      resultOf[cast<OpResult>(value).getResultNumber()] = i;
    }
    return success();
  }

  /// The function of memory; arguments for scratch memory and checks follow when they are known.
  void createFunction() {
    for (Type type : kernel.getArgumentTypes())
      types.push_back(storedType(type));
    for (Type type : kernel.getResultTypes())
      types.push_back(storedType(type));
    b.setInsertionPoint(kernel);
    function = func::FuncOp::create(b, kernel.getLoc(), kernel.getName(), b.getFunctionType({}, {}));
    function.setVisibility(kernel.getVisibility());
    Block &body = *function.addEntryBlock();
    auto add = [&](Type type) { return body.addArgument(type, loc); };
    for (RankedTensorType type : types)
      bases.push_back(add(boundaryType(type)));
    for (RankedTensorType type : types)
      for (size_t i = 0; i < type.getNumDynamicDims(); ++i)
        dims.push_back(add(b.getIndexType()));
    begin = add(b.getIndexType());
    end = add(b.getIndexType());
    b.setInsertionPointToStart(&body);
    func::ReturnOp::create(b, loc);
  }

  void shapeMemory() {
    ArrayRef<Value> left = dims;
    for (auto [base, type] : llvm::zip(bases, types))
      memory.push_back(withShape(b, loc, base, type, left));
  }

  /// An argument before the range of rows.
  Value insertArgument(Type type) {
    unsigned position = function.getBody().front().getNumArguments() - 2;
    return function.getBody().front().insertArgument(position, type, loc);
  }

  SmallVector<Value> operandMemory() {
    SmallVector<Value> operands;
    for (unsigned argument : argumentOf)
      operands.push_back(memory[argument]);
    return operands;
  }

  /// The rows of the block, one after the other.
  void emitRows() {
    SmallVector<Value> operands = operandMemory(), results;
    for (auto [i, own] : llvm::enumerate(resultOf))
      results.push_back(own ? memory[kernel.getNumArguments() + *own] : Value());
    pd::ElementBuilder sizes(b, op, operands, nullptr);
    if (std::optional<int64_t> known = getConstantIntValue(op.buildRowCount(sizes)))
      rows = *known;
    if (Value bytes = op.buildScratchBytes(sizes))
      addScratch(bytes);
    checks.words = UnrealizedConversionCastOp::create(
                       b, loc, MemRefType::get({ShapedType::kDynamic}, b.getI64Type()), ValueRange())
                       .getResult(0);
    Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
    Value block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
    Value blocks = gpu::GridDimOp::create(b, loc, gpu::Dimension::x);
    Value first = arith::AddIOp::create(b, loc, begin, block);
    auto loop = scf::ForOp::create(b, loc, first, end, blocks);
    OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
    pd::ThreadBuilder::Kernel code{operands, results,         loop.getInductionVar(),
                                   thread,   op.getThreads(), scratch};
    pd::ThreadBuilder builder(inner, op, code, &checks);
    op.buildThreads(builder);
    // The next row uses the same shared memory.
    builder.barrier();
    addChecks();
  }

  void addScratch(Value bytes) {
    scratchBytes = getConstantIntValue(bytes).value_or(ShapedType::kDynamic);
    scratchBase = insertArgument(MemRefType::get({}, b.getI8Type()));
    if (ShapedType::isDynamic(scratchBytes))
      insertArgument(b.getIndexType());
    scratch = memref::ReinterpretCastOp::create(
        b, loc, MemRefType::get({ShapedType::kDynamic}, b.getI8Type()), scratchBase,
        OpFoldResult(b.getIndexAttr(0)), ArrayRef<OpFoldResult>{bytes},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  }

  void addChecks() {
    Operation *placeholder = checks.words.getDefiningOp();
    if (!checks.list.empty()) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(placeholder);
      wordsBase = insertArgument(MemRefType::get({}, b.getI64Type()));
      placeholder->getResult(0).replaceAllUsesWith(viewOfWords(b, loc, wordsBase, checks.list.size()));
    }
    placeholder->erase();
  }

  /// The function of shapes, if a dim of a result, the size of the scratch memory or the number of rows is
  /// dynamic.
  void createShapes() {
    bool isStatic = llvm::all_of(kernel.getResultTypes(),
                                 [](Type type) { return cast<ShapedType>(type).hasStaticShape(); });
    if (isStatic && !ShapedType::isDynamic(rows) && !ShapedType::isDynamic(scratchBytes))
      return;
    SmallVector<Type> inputs;
    for (Type type : kernel.getArgumentTypes())
      inputs.append(cast<ShapedType>(type).getNumDynamicDims(), b.getIndexType());
    OpBuilder outside(function);
    outside.setInsertionPointAfter(function);
    auto shapes = func::FuncOp::create(outside, kernel.getLoc(), (kernel.getName() + "_shape").str(),
                                       outside.getFunctionType(inputs, {}));
    shapes.setPrivate();
    OpBuilder inner = OpBuilder::atBlockBegin(shapes.addEntryBlock());
    SmallVector<Value> inputDims = dimsOfOperands(shapes);
    pd::ElementBuilder builder(inner, op, pd::ElementBuilder::DynamicDims{inputDims});
    SmallVector<Value> values(kernel.getNumResults());
    SmallVector<Value> returned;
    for (Value value : kernel.getBody().front().getTerminator()->getOperands()) {
      unsigned result = cast<OpResult>(value).getResultNumber();
      for (auto [dim, size] : llvm::enumerate(cast<ShapedType>(value.getType()).getShape()))
        if (ShapedType::isDynamic(size))
          returned.push_back(op.buildResultDim(builder, result, dim));
    }
    if (ShapedType::isDynamic(scratchBytes))
      returned.push_back(op.buildScratchBytes(builder));
    returned.push_back(op.buildRowCount(builder));
    func::ReturnOp::create(inner, loc, returned);
    shapes.setType(outside.getFunctionType(inputs, ValueRange(returned).getTypes()));
  }

  /// The dynamic dims of the op's operands, from the dims of the kernel's arguments.
  SmallVector<Value> dimsOfOperands(func::FuncOp shapes) {
    SmallVector<SmallVector<Value>> ofArgument(kernel.getNumArguments());
    unsigned next = 0;
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
      for (size_t d = 0; d < cast<ShapedType>(type).getNumDynamicDims(); ++d)
        ofArgument[i].push_back(shapes.getArgument(next++));
    SmallVector<Value> all;
    for (unsigned argument : argumentOf)
      all.append(ofArgument[argument]);
    return all;
  }

  void describe() {
    Block &body = function.getBody().front();
    function.setType(b.getFunctionType(body.getArgumentTypes(), {}));
    for (BlockArgument argument : body.getArguments())
      if (isa<MemRefType>(argument.getType()))
        function.setArgAttr(argument.getArgNumber(), LLVM::LLVMDialect::getNoAliasAttrName(),
                            b.getUnitAttr());
    function->setAttr(deviceKernelAttribute, DeviceKernelAttr::get(b.getContext(), DeviceKernel::Threads));
    LaunchAttr::orEmpty(function).withThreads(op.getThreads()).setOn(function);
    ThreadStrategyAttr::setOn(function, op.chooseStrategy().strategy);
    double elements = 0;
    const TargetFacts &target = targetOf(function);
    for (RankedTensorType type : types) {
      double own = 1;
      for (int64_t size : type.getShape())
        own *= static_cast<double>(ShapedType::isDynamic(size) ? gpuOf(function).assumedDim : size);
      elements = std::max(elements, own);
    }
    RowsAttr::orEmpty(function)
        .withCount(rows)
        .withNanoseconds(elements * static_cast<double>(target.cpu.sortCost) / 1000)
        .setOn(function);
    if (scratchBase)
      ScratchAttr::orEmpty(function).withBuffer({scratchBytes}).setOn(function);
    if (!checks.list.empty())
      describeChecks(function, checks);
  }
};

} // namespace

bool isThreadKernel(func::FuncOp kernel) { return static_cast<bool>(threadOpOf(kernel)); }

LogicalResult lowerToThreads(func::FuncOp kernel, PassRemarks remarks) {
  return ThreadLowering(kernel, threadOpOf(kernel)).run(remarks);
}

} // namespace proa
