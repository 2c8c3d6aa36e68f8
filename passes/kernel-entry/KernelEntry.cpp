#include "passes/kernel-entry/KernelEntry.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace proa {

LLVM::LLVMFuncOp createEntry(OpBuilder &builder, LLVM::LLVMFuncOp inner, StringRef name,
                             ArrayRef<Type> arguments) {
  builder.setInsertionPointAfter(inner);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), arguments);
  auto entry = LLVM::LLVMFuncOp::create(builder, inner.getLoc(), name, type);
  builder.setInsertionPointToStart(entry.addEntryBlock(builder));
  return entry;
}

void hideFunction(LLVM::LLVMFuncOp inner, StringRef suffix) {
  inner.setName((inner.getName() + suffix).str());
  inner.setLinkage(LLVM::Linkage::Internal);
}

void moveKernelAttributes(LLVM::LLVMFuncOp inner, LLVM::LLVMFuncOp entry) {
  for (StringRef attribute :
       {kernelAttribute, rowsAttribute, scratchAttribute, indexChecksAttribute, dimChecksAttribute})
    if (Attribute value = inner->removeAttr(attribute))
      entry->setAttr(attribute, value);
}

/// The `index`-th element of type `type` of the array at `array`.
static Value loadElement(OpBuilder &builder, Location loc, Value array, int32_t index, Type type) {
  Value address =
      LLVM::GEPOp::create(builder, loc, array.getType(), type, array, ArrayRef<LLVM::GEPArg>{index});
  return LLVM::LoadOp::create(builder, loc, type, address);
}

SmallVector<Value> loadKernelArguments(OpBuilder &builder, Location loc, TypeRange types, Value buffers,
                                       Value dims) {
  SmallVector<Value> arguments;
  int32_t numBuffers = 0, numDims = 0;
  for (Type type : types) {
    bool isBuffer = isa<LLVM::LLVMPointerType>(type);
    arguments.push_back(
        loadElement(builder, loc, isBuffer ? buffers : dims, isBuffer ? numBuffers++ : numDims++, type));
  }
  return arguments;
}

void wrapShapeFunction(LLVM::LLVMFuncOp inner) {
  OpBuilder builder(inner.getContext());
  Location loc = inner.getLoc();
  std::string name = inner.getName().str();
  hideFunction(inner, "_dims");
  Type pointer = LLVM::LLVMPointerType::get(inner.getContext()), i64 = builder.getI64Type();
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

LogicalResult verifyNotWrapped(ArrayRef<LLVM::LLVMFuncOp> kernels) {
  LogicalResult result = success();
  for (LLVM::LLVMFuncOp kernel : kernels)
    if (std::string rows = (kernel.getName() + rowsSuffix).str();
        kernel->getParentOfType<ModuleOp>().lookupSymbol(rows))
      result = kernel.emitError() << "the kernel is wrapped already: the module has '" << rows << "'";
  return result;
}

} // namespace proa
