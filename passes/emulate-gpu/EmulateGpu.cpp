// GPU kernels to host code: see Passes.td.
#include "passes/emulate-gpu/Passes.h"

#include "passes/analysis/KernelAttributes.h"
#include "passes/emulate-gpu/ThreadCode.h"
#include "passes/kernel-entry/KernelEntry.h"

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace proa {
#define GEN_PASS_DEF_EMULATEGPU
#include "passes/emulate-gpu/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

/// Shared memory that a block may use on devices of compute capability 9.0, in bytes.
constexpr int64_t maximalSharedBytes = 227 << 10;
constexpr int64_t maximalThreads = 1024;
/// On a kernel, the number of threads of a block. The lowering sets it.
constexpr StringLiteral threadsAttribute = "proa.threads";

struct EmulateGpu : proa::impl::EmulateGpuBase<EmulateGpu> {
  using EmulateGpuBase::EmulateGpuBase;

  void runOnOperation() override {
    SmallVector<LLVM::LLVMFuncOp> kernels;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(proa::kernelAttribute) && !function.isExternal())
        kernels.push_back(function);
    bool hasFailed = failed(proa::verifyNotWrapped(kernels));
    for (LLVM::LLVMFuncOp kernel : kernels)
      if (hasFailed || failed(emulateKernel(kernel)))
        hasFailed = true;
    if (hasFailed)
      return signalPassFailure();
    eraseSharedVariables();
    dropAddressSpaces();
  }

private:
  /// The size of a block in x, y and z.
  static FailureOr<SmallVector<int32_t, 3>> blockDims(LLVM::LLVMFuncOp kernel) {
    SmallVector<int32_t, 3> dims;
    for (StringRef name : {NVVM::NVVMDialect::getReqntidAttrName(), NVVM::NVVMDialect::getMaxntidAttrName()})
      if (auto found = kernel->getAttrOfType<DenseI32ArrayAttr>(name); found && dims.empty())
        dims.assign(found.asArrayRef().begin(), found.asArrayRef().end());
    if (auto threads = kernel->getAttrOfType<IntegerAttr>(threadsAttribute); threads && dims.empty())
      dims.push_back(static_cast<int32_t>(threads.getInt()));
    if (dims.empty())
      return kernel.emitError() << "the kernel has no size of a block, expected the attribute '"
                                << threadsAttribute << "'";
    int64_t product = 1;
    for (int32_t dim : dims)
      product *= dim;
    if (product < 1 || product > maximalThreads || dims.size() > 3)
      return kernel.emitError() << "the kernel has blocks of " << product << " threads, expected 1 to "
                                << maximalThreads;
    dims.resize(3, 1);
    return dims;
  }

  LogicalResult verifySignature(LLVM::LLVMFuncOp kernel) {
    ArrayRef<Type> types = kernel.getFunctionType().getParams();
    Type i64 = IntegerType::get(&getContext(), 64);
    bool endsWithRows = types.size() >= 2 && types.take_back(2) == ArrayRef<Type>{i64, i64};
    bool isKnown =
        llvm::all_of(types, [&](Type type) { return type == i64 || isa<LLVM::LLVMPointerType>(type); });
    if (!endsWithRows || !isKnown)
      return kernel.emitError(
          "the kernel has other parameters than pointers and i64, with the first and the last "
          "row at the end");
    return success();
  }

  /// Gives the code the parameters of a thread. Returns the pointers of the buffers.
  SmallVector<Value> changeSignature(LLVM::LLVMFuncOp kernel) {
    Type pointer = LLVM::LLVMPointerType::get(&getContext()), i64 = IntegerType::get(&getContext(), 64);
    SmallVector<Type> types{pointer, pointer, pointer, pointer, i64, i64};
    Block &block = kernel.getBody().front();
    unsigned count = block.getNumArguments();
    SmallVector<Value> added;
    for (Type type : types)
      added.push_back(block.addArgument(type, kernel.getLoc()));
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    SmallVector<Value> loaded = proa::loadKernelArguments(
        builder, kernel.getLoc(), TypeRange(block.getArgumentTypes()).take_front(count - 2), added[2],
        added[3]);
    SmallVector<Value> buffers = llvm::filter_to_vector(
        loaded, [](Value value) { return isa<LLVM::LLVMPointerType>(value.getType()); });
    loaded.append({added[4], added[5]});
    for (auto [argument, value] : llvm::zip(block.getArguments().take_front(count), loaded))
      argument.replaceAllUsesWith(value);
    block.eraseArguments(0, count);
    kernel.removeArgAttrsAttr();
    kernel.setFunctionType(LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()), types));
    return buffers;
  }

  /// Replaces the ops that are not host code.
  static LogicalResult replaceOps(proa::ThreadCode &code) {
    LogicalResult result = success();
    code.function().walk([&](Operation *op) {
      LogicalResult done = success();
      if (op->getName().getDialectNamespace() == NVVM::NVVMDialect::getDialectNamespace())
        done = proa::emulateOp(op, code);
      else if (auto call = dyn_cast<LLVM::CallOp>(op))
        done = proa::emulateCall(call, code);
      else if (isa<LLVM::InlineAsmOp>(op))
        done = op->emitOpError("is assembly of the device, which the emulator does not support");
      else if (auto intrinsic = dyn_cast<LLVM::CallIntrinsicOp>(op);
               intrinsic && intrinsic.getIntrin().starts_with("llvm.nvvm."))
        done = op->emitOpError() << "calls '" << intrinsic.getIntrin()
                                 << "', expected an op of the nvvm dialect";
      else if (!isa<LLVM::LLVMDialect>(op->getDialect()))
        done = op->emitOpError("is not an op of the LLVM dialect");
      if (failed(done))
        result = failure();
    });
    return result;
  }

  static bool isShared(LLVM::GlobalOp global) {
    return global.getAddrSpace() == static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
  }

  LogicalResult placeSharedVariables(proa::ThreadCode &code) {
    LogicalResult result = success();
    code.function().walk([&](LLVM::AddressOfOp op) {
      auto global = getOperation().lookupSymbol<LLVM::GlobalOp>(op.getGlobalName());
      if (!global || !isShared(global))
        return;
      proa::SharedVariable place = code.placeShared(global);
      if (place.size == 0)
        result = op.emitOpError() << "is the address of '" << op.getGlobalName()
                                  << "', a shared variable without a static size";
      OpBuilder builder(op);
      Value address = LLVM::GEPOp::create(builder, op.getLoc(), code.sharedMemory().getType(),
                                          builder.getI8Type(), code.sharedMemory(),
                                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(place.offset)});
      op.replaceAllUsesWith(address);
      op.erase();
    });
    if (code.sharedBytes() > maximalSharedBytes)
      return code.function().emitError()
             << "the kernel has " << code.sharedBytes() << " bytes of shared memory, expected at most "
             << maximalSharedBytes;
    return result;
  }

  /// The entry point that the runtime calls.
  void createLaunch(proa::ThreadCode &code, StringRef name, ArrayRef<int32_t> dims) {
    OpBuilder builder(&getContext());
    LLVM::LLVMFuncOp inner = code.function();
    Location loc = inner.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(&getContext()), i64 = builder.getI64Type();
    LLVM::LLVMFuncOp entry = proa::createEntry(builder, inner, name, {pointer, pointer, i64, i64});
    proa::moveKernelAttributes(inner, entry);
    for (StringRef attribute : llvm::to_vector(llvm::map_range(
             inner->getDiscardableAttrs(), [](NamedAttribute found) { return found.getName().strref(); })))
      inner->removeDiscardableAttr(attribute);
    Value nameAddress = LLVM::createGlobalString(loc, builder, (name + "_name").str(),
                                                 (name + Twine('\0')).str(), LLVM::Linkage::Internal);
    SmallVector<Value> arguments{nameAddress, LLVM::AddressOfOp::create(builder, loc, inner)};
    for (int32_t dim : dims)
      arguments.push_back(proa::i32Constant(builder, loc, dim));
    arguments.push_back(proa::i64Constant(builder, loc, code.sharedBytes()));
    arguments.push_back(proa::i32Constant(builder, loc, code.synchronizes));
    llvm::append_range(arguments, entry.getArguments());
    auto launch = LLVM::lookupOrCreateFn(builder, getOperation(), "proa_emulate_launch",
                                         llvm::to_vector(ValueRange(arguments).getTypes()),
                                         LLVM::LLVMVoidType::get(&getContext()));
    LLVM::CallOp::create(builder, loc, *launch, arguments);
    LLVM::ReturnOp::create(builder, loc, ValueRange{});
  }

  LogicalResult emulateKernel(LLVM::LLVMFuncOp kernel) {
    auto dims = blockDims(kernel);
    if (failed(dims) || failed(verifySignature(kernel)))
      return failure();
    std::string name = kernel.getName().str();
    if (auto shape = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(name + "_shape");
        shape && !getOperation().lookupSymbol(name + "_shape_dims"))
      proa::wrapShapeFunction(shape);
    SmallVector<Value> buffers = changeSignature(kernel);
    proa::hideFunction(kernel, proa::rowsSuffix);
    proa::ThreadCode code(kernel);
    if (checkAccesses)
      proa::checkAccesses(code, buffers);
    if (failed(replaceOps(code)) || failed(placeSharedVariables(code)))
      return failure();
    createLaunch(code, name, *dims);
    return success();
  }

  void eraseSharedVariables() {
    for (auto global : llvm::make_early_inc_range(getOperation().getOps<LLVM::GlobalOp>()))
      if (isShared(global))
        global.erase();
  }

  /// The host has one address space.
  void dropAddressSpaces() {
    getOperation().walk([](LLVM::GlobalOp global) {
      if (global.getAddrSpace() != 0)
        global.setAddrSpace(0);
    });
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [](LLVM::LLVMPointerType type) -> Type { return LLVM::LLVMPointerType::get(type.getContext()); });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    getOperation().walk([](LLVM::AddrSpaceCastOp cast) {
      cast.replaceAllUsesWith(cast.getArg());
      cast.erase();
    });
    // Attributes of the device that its parts had.
    getOperation().walk([](LLVM::LLVMFuncOp function) {
      if (function.getCConv() == LLVM::CConv::PTX_Kernel)
        function.setCConv(LLVM::CConv::C);
    });
  }
};

} // namespace
