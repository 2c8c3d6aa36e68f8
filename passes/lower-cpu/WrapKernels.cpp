// Entry points with the interface of the runtime: see Passes.td.
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-cpu/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace proa {
#define GEN_PASS_DEF_WRAPKERNELS
#include "passes/lower-cpu/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

struct WrapKernels : proa::impl::WrapKernelsBase<WrapKernels> {
  using WrapKernelsBase::WrapKernelsBase;

  /// Creates `@name` with `arguments`; the builder is left in its body.
  static LLVM::LLVMFuncOp createEntry(OpBuilder &builder, LLVM::LLVMFuncOp inner, StringRef name,
                                      ArrayRef<Type> arguments) {
    builder.setInsertionPointAfter(inner);
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), arguments);
    auto entry = LLVM::LLVMFuncOp::create(builder, inner.getLoc(), name, type);
    builder.setInsertionPointToStart(entry.addEntryBlock(builder));
    return entry;
  }

  /// The `index`-th element of type `type` of the array at `array`.
  static Value loadElement(OpBuilder &builder, Location loc, Value array, int32_t index, Type type) {
    Value address =
        LLVM::GEPOp::create(builder, loc, array.getType(), type, array, ArrayRef<LLVM::GEPArg>{index});
    return LLVM::LoadOp::create(builder, loc, type, address);
  }

  void hide(LLVM::LLVMFuncOp inner, StringRef suffix) {
    inner.setName((inner.getName() + suffix).str());
    inner.setLinkage(LLVM::Linkage::Internal);
  }

  void wrapKernel(LLVM::LLVMFuncOp inner) {
    OpBuilder builder(&getContext());
    Location loc = inner.getLoc();
    std::string name = inner.getName().str();
    hide(inner, "_rows");
    // Inlining would turn `noalias` of the arguments into something weaker.
    inner.setNoInline(true);
    Type pointer = LLVM::LLVMPointerType::get(&getContext()), i64 = builder.getI64Type();
    LLVM::LLVMFuncOp entry = createEntry(builder, inner, name, {pointer, pointer, i64, i64});
    for (StringRef attribute : {proa::kernelAttribute, proa::rowsAttribute, proa::workAttribute})
      if (Attribute value = inner->removeAttr(attribute))
        entry->setAttr(attribute, value);
    SmallVector<Value> arguments;
    int32_t numBuffers = 0, numDims = 0;
    ArrayRef<Type> types = inner.getFunctionType().getParams();
    for (Type type : types.drop_back(2)) {
      bool isBuffer = type == pointer;
      arguments.push_back(loadElement(builder, loc, entry.getArgument(isBuffer ? 0 : 1),
                                      isBuffer ? numBuffers++ : numDims++, type));
    }
    arguments.push_back(entry.getArgument(2));
    arguments.push_back(entry.getArgument(3));
    LLVM::CallOp::create(builder, loc, inner, arguments);
    LLVM::ReturnOp::create(builder, loc, ValueRange{});
  }

  void wrapShape(LLVM::LLVMFuncOp inner) {
    OpBuilder builder(&getContext());
    Location loc = inner.getLoc();
    std::string name = inner.getName().str();
    hide(inner, "_dims");
    Type pointer = LLVM::LLVMPointerType::get(&getContext()), i64 = builder.getI64Type();
    LLVM::LLVMFuncOp entry = createEntry(builder, inner, name, {pointer, pointer});
    SmallVector<Value> arguments, results;
    for (unsigned i = 0; i < inner.getNumArguments(); ++i)
      arguments.push_back(loadElement(builder, loc, entry.getArgument(0), i, i64));
    auto call = LLVM::CallOp::create(builder, loc, inner, arguments);
    if (auto structure = dyn_cast<LLVM::LLVMStructType>(call.getResult().getType())) {
      for (int64_t i = 0; i < int64_t(structure.getBody().size()); ++i)
        results.push_back(LLVM::ExtractValueOp::create(builder, loc, call.getResult(), i));
    } else {
      results.push_back(call.getResult());
    }
    for (auto [i, result] : llvm::enumerate(results)) {
      Value address = LLVM::GEPOp::create(builder, loc, pointer, i64, entry.getArgument(1),
                                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(builder, loc, result, address);
    }
    LLVM::ReturnOp::create(builder, loc, ValueRange{});
  }

  void runOnOperation() override {
    SmallVector<LLVM::LLVMFuncOp> kernels;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(proa::kernelAttribute) && !function.isExternal())
        kernels.push_back(function);
    // The output of this pass holds kernels too.
    bool hasFailed = false;
    for (LLVM::LLVMFuncOp kernel : kernels)
      if (std::string rows = (kernel.getName() + "_rows").str(); getOperation().lookupSymbol(rows)) {
        hasFailed = true;
        kernel.emitError() << "the kernel is wrapped already: the module has '" << rows << "'";
      }
    if (hasFailed)
      return signalPassFailure();
    for (LLVM::LLVMFuncOp kernel : kernels) {
      if (auto shape = getOperation().lookupSymbol<LLVM::LLVMFuncOp>((kernel.getName() + "_shape").str()))
        wrapShape(shape);
      wrapKernel(kernel);
    }
  }
};

} // namespace
