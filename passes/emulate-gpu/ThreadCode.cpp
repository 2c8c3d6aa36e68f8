#include "passes/emulate-gpu/ThreadCode.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

namespace proa {

ThreadCode::ThreadCode(LLVM::LLVMFuncOp function) : code(function) {}

Value ThreadCode::sharedMemory() const { return const_cast<LLVM::LLVMFuncOp &>(code).getArgument(1); }

Value ThreadCode::call(OpBuilder &builder, Location loc, StringRef name, Type result, ValueRange arguments,
                       bool isPure) {
  SmallVector<Value> all{code.getArgument(0)};
  llvm::append_range(all, arguments);
  Type type = result ? result : LLVM::LLVMVoidType::get(builder.getContext());
  auto module = code->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
    callee = LLVM::LLVMFuncOp::create(
        atStart, module.getLoc(), name,
        LLVM::LLVMFunctionType::get(type, llvm::to_vector(ValueRange(all).getTypes())));
    if (isPure) {
      constexpr auto none = LLVM::ModRefInfo::NoModRef;
      callee.setMemoryEffectsAttr(
          LLVM::MemoryEffectsAttr::get(builder.getContext(), {none, none, none, none, none, none}));
      callee.setWillReturn(true);
      callee.setNoUnwind(true);
    }
  }
  auto created = LLVM::CallOp::create(builder, loc, callee, all);
  return result ? created.getResult() : Value();
}

Value ThreadCode::synchronize(OpBuilder &builder, Location loc, StringRef name, Type result,
                              ValueRange arguments) {
  synchronizes = true;
  return call(builder, loc, name, result, arguments);
}

Value ThreadCode::slot(Type type) {
  OpBuilder builder = OpBuilder::atBlockBegin(&code.getBody().front());
  Location loc = code.getLoc();
  return LLVM::AllocaOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), type,
                                i64Constant(builder, loc, 1), /*alignment=*/16);
}

SharedVariable ThreadCode::placeShared(LLVM::GlobalOp global) {
  auto [entry, isNew] = shared.try_emplace(global);
  if (isNew) {
    DataLayout layout(global->getParentOfType<ModuleOp>());
    constexpr int64_t minimalAlignment = 16;
    int64_t alignment = std::max<int64_t>(global.getAlignment().value_or(1), minimalAlignment);
    entry->second.offset = llvm::alignTo(usedBytes, alignment);
    entry->second.size = layout.getTypeSize(global.getGlobalType());
    // Dynamic shared memory has no size of its own.
    if (LaunchAttr launch = LaunchAttr::of(code); launch && entry->second.size == 0)
      entry->second.size = launch.getSharedBytes().value_or(0);
    usedBytes = entry->second.offset + entry->second.size;
  }
  return entry->second;
}

Value i32Constant(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
}

Value i64Constant(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), value);
}

} // namespace proa
