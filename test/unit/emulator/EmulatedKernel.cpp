#include "test/unit/emulator/EmulatedKernel.h"

#include "lib/compiler/codegen/TargetCode.h"
#include "lib/compiler/compile/Registration.h"
#include "passes/emulate-gpu/Passes.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"

#include <gtest/gtest.h>

namespace proa::testing {

EmulatedKernel::EmulatedKernel(const std::string &module, const Prepare &prepare) { build(module, prepare); }

void EmulatedKernel::build(const std::string &text, const Prepare &prepare) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module) << text;
  if (prepare)
    prepare(*module);
  mlir::PassManager passes(&context);
  passes.addPass(createEmulateGpu());
  ASSERT_TRUE(mlir::succeeded(passes.run(*module))) << text;
  llvm::LLVMContext llvmContext;
  auto code = mlir::translateModuleToLLVMIR(*module, llvmContext);
  ASSERT_TRUE(code);
  // Like the target cuda-emulated, whose kernels LLVM does not optimize.
  auto machine = createTargetMachine(chooseTarget({.optimizes = false}));
  ASSERT_TRUE(bool(machine));
  optimize(*code, **machine);
  auto object = emitObject(*code, **machine);
  ASSERT_TRUE(bool(object)) << object.diagnostics().text();
  auto archive = makeArchive({*object});
  ASSERT_TRUE(bool(archive));
  auto found = LoadedObject::load(*archive);
  ASSERT_TRUE(bool(found)) << found.diagnostics().text();
  loaded = std::move(*found);
  auto function = loaded.find("k");
  ASSERT_TRUE(bool(function)) << function.diagnostics().text();
  entry = reinterpret_cast<runtime::KernelFunction>(*function);
}

std::string EmulatedKernel::run(const std::vector<Buffer> &buffers, const std::vector<int64_t> &dims,
                                int64_t rows) const {
  if (!entry)
    return "the kernel was not compiled";
  std::vector<void *> pointers;
  std::vector<size_t> bytes;
  for (const Buffer &buffer : buffers) {
    pointers.push_back(buffer.data);
    bytes.push_back(buffer.bytes);
  }
  auto done = emulator::invoke({.name = "k",
                                .function = entry,
                                .buffers = pointers,
                                .bytes = bytes,
                                .dims = dims.data(),
                                .begin = 0,
                                .end = rows});
  return done ? "" : done.diagnostics()[0].message;
}

std::string EmulatedKernel::run(emulator::Schedule schedule, const std::vector<Buffer> &buffers,
                                const std::vector<int64_t> &dims, int64_t rows) const {
  emulator::setScheduling({.fixed = schedule, .seed = 7});
  std::string error = run(buffers, dims, rows);
  emulator::setScheduling({});
  return error;
}

std::string warpKernel(int buffers, const std::string &body, int threads, const std::string &globals) {
  std::string arguments;
  for (int i = 0; i < buffers; ++i)
    arguments += "%b" + std::to_string(i) + ": !llvm.ptr, ";
  return "module {\n" + globals + "llvm.func @k(" + arguments +
         "%begin: i64, %end: i64) attributes {proa.kernel, gpu.kernel, nvvm.kernel, "
         "proa.launch = #proa.launch<threads = " +
         std::to_string(threads) + R"(>, proa.rows = #proa.rows<count = 1>} {
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %lane64 = llvm.zext %tid : i32 to i64
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %c31 = llvm.mlir.constant(31 : i32) : i32
  %full = llvm.mlir.constant(-1 : i32) : i32
)" + body +
         "\nllvm.return\n}\n}\n";
}

static std::string addressOf(const std::string &name, const std::string &buffer, const std::string &type,
                             const std::string &index) {
  return name + " = llvm.getelementptr " + buffer + "[" + index + "] : (!llvm.ptr, i64) -> !llvm.ptr, " +
         type + "\n";
}

std::string loadAt(const std::string &name, const std::string &buffer, const std::string &type,
                   const std::string &index) {
  return addressOf(name + "_address", buffer, type, index) + name + " = llvm.load " + name +
         "_address : !llvm.ptr -> " + type + "\n";
}

std::string storeAt(const std::string &value, const std::string &buffer, const std::string &type,
                    const std::string &index) {
  std::string address = value + "_to_" + buffer.substr(1);
  return addressOf(address, buffer, type, index) + "llvm.store " + value + ", " + address + " : " + type +
         ", !llvm.ptr\n";
}

std::string constant(const std::string &name, int64_t value, const std::string &type) {
  return name + " = llvm.mlir.constant(" + std::to_string(value) + " : " + type + ") : " + type + "\n";
}

} // namespace proa::testing
