#include "lib/compiler/codegen/LoadedObject.h"
#include "lib/compiler/codegen/cuda/CompileDevice.h"
#include "lib/compiler/codegen/cuda/HostCode.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <unistd.h>

using namespace proa;
using namespace proa::cuda;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

constexpr const char *twoKernels = R"mlir(
llvm.func @store(%x: !llvm.ptr, %begin: i64, %end: i64)
    attributes {gpu.kernel, nvvm.kernel, proa.launch = #proa.launch<threads = 64>,
                proa.rows = #proa.rows<count = 8, nanoseconds = 5.0 : f64>} {
  llvm.store %begin, %x : i64, !llvm.ptr
  llvm.return
}
llvm.func @grow(%x: !llvm.ptr, %n: i64, %begin: i64, %end: i64)
    attributes {gpu.kernel, nvvm.kernel, proa.launch = #proa.launch<threads = 32, shared_bytes = 4096>,
                proa.rows = #proa.rows<count = ?>} {
  llvm.store %n, %x : i64, !llvm.ptr
  llvm.return
}
llvm.func @grow_shape(%dims: !llvm.ptr, %result: !llvm.ptr) {
  %n = llvm.load %dims : !llvm.ptr -> i64
  %twice = llvm.add %n, %n : i64
  llvm.store %twice, %result : i64, !llvm.ptr
  llvm.return
}
)mlir";

class DeviceCodeTest : public ::testing::Test {
protected:
  DeviceCodeTest() {
    mlir::DialectRegistry registry;
    registerDeviceDialects(registry);
    context.appendDialectRegistry(registry);
    directory = fs::path(::testing::TempDir()) / ("proa-cubins-" + std::to_string(::getpid()));
  }
  ~DeviceCodeTest() override { fs::remove_all(directory); }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const char *text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  size_t cachedFiles() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
  }

  mlir::MLIRContext context;
  CudaToolkit toolkit = CudaToolkit::find();
  fs::path directory;
};

} // namespace

TEST_F(DeviceCodeTest, DescribesKernelsAndKeepsShapeFunctions) {
  auto module = parse(twoKernels);
  auto compiled = compileDeviceKernels(*module, toolkit, {.chip = "sm_80", .assembles = false});
  ASSERT_TRUE(bool(compiled)) << compiled.diagnostics().text();
  ASSERT_EQ(compiled->kernels.size(), 2U);
  const cuda::DeviceKernel &store = compiled->kernels[0], &grow = compiled->kernels[1];
  EXPECT_EQ(store.rows, 8);
  EXPECT_EQ(store.work, 5);
  EXPECT_EQ(store.threads, 64);
  EXPECT_FALSE(store.hasShapeFunction);
  EXPECT_EQ(store.parameters, "p");
  EXPECT_EQ(grow.parameters, "pd");
  EXPECT_EQ(grow.rows, -1);
  EXPECT_EQ(grow.sharedBytes, 4096);
  EXPECT_TRUE(grow.hasShapeFunction);
  EXPECT_THAT(store.ptx, HasSubstr(".entry store("));
  EXPECT_THAT(store.ptx, ::testing::Not(HasSubstr("grow")));
}

TEST_F(DeviceCodeTest, ShapeFunctionsRunOnTheHost) {
  auto module = parse(twoKernels);
  auto compiled = compileDeviceKernels(*module, toolkit, {.assembles = false});
  ASSERT_TRUE(bool(compiled)) << compiled.diagnostics().text();
  auto archive = compileHostCode(*compiled->host);
  ASSERT_TRUE(bool(archive)) << archive.diagnostics().text();
  auto object = LoadedObject::load(*archive);
  ASSERT_TRUE(bool(object));
  auto shape = object->function<void(const int64_t *, int64_t *)>("grow_shape");
  ASSERT_TRUE(bool(shape));
  int64_t dim = 21, result = 0;
  (*shape)(&dim, &result);
  EXPECT_EQ(result, 42);
}

TEST_F(DeviceCodeTest, AssemblesOncePerChip) {
  if (!toolkit.canAssemble())
    GTEST_SKIP() << toolkit.text();
  auto cache = ObjectCache::open({directory.string()});
  ASSERT_TRUE(bool(cache));
  auto module = parse(twoKernels);
  DeviceCompileOptions options{.cache = &*cache, .budget = ResourceBudget()};
  auto first = compileDeviceKernels(*module, toolkit, options);
  ASSERT_TRUE(bool(first)) << first.diagnostics().text();
  EXPECT_EQ(cachedFiles(), 2U);
  auto second = compileDeviceKernels(*module, toolkit, options);
  ASSERT_TRUE(bool(second));
  EXPECT_EQ(cachedFiles(), 2U);
  EXPECT_EQ(first->kernels[0].cubin, second->kernels[0].cubin);
  EXPECT_EQ(second->kernels[0].resources.registers, first->kernels[0].resources.registers);
  EXPECT_GT(second->kernels[0].resources.registers, 0);
  options.chip = "sm_80";
  ASSERT_TRUE(bool(compileDeviceKernels(*module, toolkit, options)));
  EXPECT_EQ(cachedFiles(), 4U);
}

TEST_F(DeviceCodeTest, AssemblersAgree) {
  if (toolkit.nvJitLink.empty() || toolkit.ptxas.empty())
    GTEST_SKIP() << toolkit.text();
  auto module = parse(twoKernels);
  auto compiled = compileDeviceKernels(*module, toolkit, {.assembles = false});
  ASSERT_TRUE(bool(compiled));
  for (Assembler::Kind kind : {Assembler::Kind::NvJitLink, Assembler::Kind::Ptxas}) {
    auto assembler = Assembler::create(toolkit, kind);
    ASSERT_TRUE(bool(assembler)) << assembler.diagnostics().text();
    auto cubin = (*assembler)->assemble(compiled->kernels[0].ptx, "sm_90a");
    ASSERT_TRUE(bool(cubin)) << cubin.diagnostics().text();
    EXPECT_EQ(cubin->bytes.substr(1, 3), "ELF");
    auto wrong = (*assembler)->assemble(".version 8.4\n.target sm_90a\n.address_size 64\nnonsense", "sm_90a");
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.diagnostics().text(), HasSubstr("nonsense"));
  }
}

TEST_F(DeviceCodeTest, ReportsMissingThreads) {
  auto module = parse("llvm.func @k(%b: i64, %e: i64) attributes {gpu.kernel, nvvm.kernel} { llvm.return }");
  auto compiled = compileDeviceKernels(*module, toolkit, {.assembles = false});
  ASSERT_FALSE(compiled);
  EXPECT_THAT(compiled.diagnostics().text(), HasSubstr("kernel 'k': expected the attribute `proa.launch`"));
}

TEST_F(DeviceCodeTest, UnknownChipIsAnError) {
  auto module = parse(twoKernels);
  auto compiled = compileDeviceKernels(*module, toolkit, {.chip = "sm_1"});
  ASSERT_FALSE(compiled);
  EXPECT_THAT(compiled.diagnostics().text(), HasSubstr("unknown chip 'sm_1', expected one of sm_80"));
}
