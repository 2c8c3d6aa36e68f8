// GPU kernels to host code: see Passes.td.
#include "passes/emulate-gpu/Passes.h"

#include "dialects/proa/Proa.h"
#include "dialects/rt/Wgmma.h"
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

constexpr int64_t maximalThreads = 1024;

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
    if (auto launch = proa::LaunchAttr::of(kernel); launch && launch.getThreads() && dims.empty())
      dims.push_back(static_cast<int32_t>(*launch.getThreads()));
    if (dims.empty())
      return kernel.emitError() << "the kernel has no size of a block, expected the attribute '"
                                << proa::launchAttribute << "' with threads";
    int64_t product = 1;
    for (int32_t dim : dims)
      product *= dim;
    if (product < 1 || product > maximalThreads || dims.size() > 3)
      return kernel.emitError() << "the kernel has blocks of " << product << " threads, expected 1 to "
                                << maximalThreads;
    dims.resize(3, 1);
    return dims;
  }

  /// The number of parameters before the tensor maps.
  static unsigned ordinaryParameters(LLVM::LLVMFuncOp kernel) {
    unsigned count = kernel.getNumArguments();
    while (count > 0 && kernel.getArgAttr(count - 1, proa::tensorMapAttribute))
      --count;
    return count;
  }

  LogicalResult verifySignature(LLVM::LLVMFuncOp kernel) {
    ArrayRef<Type> types = kernel.getFunctionType().getParams().take_front(ordinaryParameters(kernel));
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

  /// An array of i64 on the stack.
  static Value storeNumbers(OpBuilder &builder, Location loc, ValueRange values) {
    Type i64 = builder.getI64Type(), pointer = LLVM::LLVMPointerType::get(builder.getContext());
    Value count = proa::i64Constant(builder, loc, static_cast<int64_t>(values.size()));
    Value array = LLVM::AllocaOp::create(builder, loc, pointer, i64, count);
    for (auto [i, index] : llvm::enumerate(values)) {
      Value address = LLVM::GEPOp::create(builder, loc, pointer, i64, array,
                                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(builder, loc, index, address);
    }
    return array;
  }

  /// Fills the memory of a tensor map, which the thread has on its stack. `arguments` are the arguments of
  /// the kernel.
  static void fillTensorMap(OpBuilder &builder, Location loc, Value map, proa::TensorMapAttr form,
                            ArrayRef<Value> arguments, proa::ThreadCode &code) {
    SmallVector<Value> buffers, dims, sizes, box;
    for (Value argument : arguments)
      (isa<LLVM::LLVMPointerType>(argument.getType()) ? buffers : dims).push_back(argument);
    for (AffineExpr result : form.getSizes().getValue().getResults()) {
      proa::SizeFactors factors = *proa::SizeFactors::of(result);
      Value size = proa::i64Constant(builder, loc, factors.constant);
      for (unsigned dim : factors.dims)
        size = LLVM::MulOp::create(builder, loc, size, dims[dim]);
      sizes.push_back(size);
    }
    for (int64_t size : form.getBox())
      box.push_back(proa::i64Constant(builder, loc, size));
    code.call(builder, loc, "proa_emulate_tensor_map", {},
              {map, buffers[static_cast<size_t>(form.getBuffer())],
               proa::i32Constant(builder, loc, form.getBuffer()),
               proa::i32Constant(builder, loc, form.getElementBytes()),
               proa::i32Constant(builder, loc, static_cast<int64_t>(sizes.size())),
               storeNumbers(builder, loc, sizes), storeNumbers(builder, loc, box),
               proa::i32Constant(builder, loc, form.getSwizzle())});
  }

  /// The descriptions of the tensor maps among the parameters. Error: one that does not fit the kernel.
  static FailureOr<SmallVector<proa::TensorMapAttr>> tensorMapsOf(LLVM::LLVMFuncOp kernel) {
    SmallVector<proa::TensorMapAttr> forms;
    unsigned ordinary = ordinaryParameters(kernel);
    ArrayRef<Type> types = kernel.getFunctionType().getParams();
    auto buffers = llvm::count_if(types.take_front(ordinary), llvm::IsaPred<LLVM::LLVMPointerType>);
    for (unsigned i = ordinary; i < types.size(); ++i) {
      auto form = cast<proa::TensorMapAttr>(kernel.getArgAttr(i, proa::tensorMapAttribute));
      unsigned symbols = form.getSizes().getValue().getNumSymbols();
      if (!isa<LLVM::LLVMPointerType>(types[i]) || form.getBuffer() >= buffers ||
          symbols > ordinary - buffers - 2)
        return kernel.emitError() << "parameter " << i << " is a tensor map of buffer " << form.getBuffer()
                                  << " and " << symbols << " dims, which the kernel does not have";
      forms.push_back(form);
    }
    return forms;
  }

  /// Gives the code the parameters of a thread. Returns the pointers of the buffers.
  SmallVector<Value> changeSignature(LLVM::LLVMFuncOp kernel, ArrayRef<proa::TensorMapAttr> tensorMaps) {
    Type pointer = LLVM::LLVMPointerType::get(&getContext()), i64 = IntegerType::get(&getContext(), 64);
    SmallVector<Type> types{pointer, pointer, pointer, pointer, i64, i64};
    Block &block = kernel.getBody().front();
    unsigned all = block.getNumArguments(), count = all - static_cast<unsigned>(tensorMaps.size());
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
    Type map = LLVM::LLVMArrayType::get(builder.getI8Type(), proa::tensorMapBytes);
    Value one = proa::i64Constant(builder, kernel.getLoc(), 1);
    for (unsigned i = count; i < all; ++i)
      loaded.push_back(LLVM::AllocaOp::create(builder, kernel.getLoc(), pointer, map, one,
                                              static_cast<unsigned>(proa::tensorMapAlignment)));
    for (auto [argument, value] : llvm::zip(block.getArguments().take_front(all), loaded))
      argument.replaceAllUsesWith(value);
    block.eraseArguments(0, all);
    kernel.removeArgAttrsAttr();
    kernel.setFunctionType(LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()), types));
    proa::ThreadCode code(kernel);
    for (auto [map, form] : llvm::zip(ArrayRef(loaded).drop_front(count), tensorMaps))
      fillTensorMap(builder, kernel.getLoc(), map, form, ArrayRef(loaded).take_front(count), code);
    return buffers;
  }

  /// Replaces the ops that are not host code.
  static LogicalResult replaceOps(proa::ThreadCode &code) {
    LogicalResult result = success();
    code.function().walk([&](Operation *op) {
      LogicalResult done = success();
      if (op->getName().getDialectNamespace() == NVVM::NVVMDialect::getDialectNamespace() ||
          isa<LLVM::FenceOp, proa::rt::WgmmaOp, proa::rt::Exp2FtzOp>(op))
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
      proa::SharedVariable position = code.placeShared(global);
      if (position.size == 0)
        result = op.emitOpError() << "is the address of '" << op.getGlobalName()
                                  << "', a shared variable without a static size";
      OpBuilder builder(op);
      Value address = LLVM::GEPOp::create(builder, op.getLoc(), code.sharedMemory().getType(),
                                          builder.getI8Type(), code.sharedMemory(),
                                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(position.offset)});
      op.replaceAllUsesWith(address);
      op.erase();
    });
    if (int64_t most = proa::gpuOf(code.function()).sharedBytes; code.sharedBytes() > most)
      return code.function().emitError() << "the kernel has " << code.sharedBytes()
                                         << " bytes of shared memory, expected at most " << most;
    return result;
  }

  /// Bits of emulator::KernelTrait.
  static int64_t traitsOf(const proa::ThreadCode &code) {
    return (code.synchronizes ? proa::emulator::synchronizesThreads : 0) |
           (code.usesAsyncProxy ? proa::emulator::usesAsyncProxy : 0) |
           (code.exchangesValues ? proa::emulator::exchangesValues : 0);
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
    arguments.push_back(proa::i32Constant(builder, loc, traitsOf(code)));
    llvm::append_range(arguments, entry.getArguments());
    auto launch = LLVM::lookupOrCreateFn(builder, getOperation(), "proa_emulate_launch",
                                         llvm::to_vector(ValueRange(arguments).getTypes()),
                                         LLVM::LLVMVoidType::get(&getContext()));
    LLVM::CallOp::create(builder, loc, *launch, arguments);
    LLVM::ReturnOp::create(builder, loc, ValueRange{});
  }

  LogicalResult emulateKernel(LLVM::LLVMFuncOp kernel) {
    auto dims = blockDims(kernel);
    auto tensorMaps = tensorMapsOf(kernel);
    if (failed(dims) || failed(tensorMaps) || failed(verifySignature(kernel)))
      return failure();
    std::string name = kernel.getName().str();
    if (auto shape = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(name + "_shape");
        shape && !getOperation().lookupSymbol(name + "_shape_dims"))
      proa::wrapShapeFunction(shape);
    SmallVector<Value> buffers = changeSignature(kernel, *tensorMaps);
    proa::hideFunction(kernel, proa::rowsSuffix);
    proa::ThreadCode code(kernel);
    if (checkAccesses) {
      proa::checkAccesses(code, buffers);
      proa::checkWgmmaResults(code);
    }
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
    // Attributes of the device that its ops had.
    getOperation().walk([](LLVM::LLVMFuncOp function) {
      if (function.getCConv() == LLVM::CConv::PTX_Kernel)
        function.setCConv(LLVM::CConv::C);
    });
  }
};

} // namespace
