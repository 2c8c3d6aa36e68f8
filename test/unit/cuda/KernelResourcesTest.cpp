#include "lib/compiler/codegen/cuda/KernelResources.h"

#include <gmock/gmock.h>

using namespace proa;
using namespace proa::cuda;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

// Output of ptxas 13.0, shortened.
constexpr const char *report = R"(ptxas info    : 0 bytes gmem
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async is serialized due to wait in the function 'gemm'
ptxas info    : Compiling entry function 'gemm' for 'sm_90a'
ptxas info    : Function properties for gemm
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 154 registers, used 2 barriers, 2048 bytes smem, 400 bytes cmem[0]
ptxas info    : (C7519) Potential Performance Loss: warpgroup.arrive is injected in the function 'clean'
ptxas info    : Compiling entry function 'clean' for 'sm_90a'
ptxas info    : Function properties for clean
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 18 registers, used 0 barriers
ptxas info    : Compiling entry function 'bad' for 'sm_80'
ptxas info    : Function properties for bad
    24 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 255 registers
)";

} // namespace

TEST(KernelResourcesTest, ReadsReportOfEachKernel) {
  std::vector<KernelResources> kernels = parseResources(report);
  ASSERT_EQ(kernels.size(), 3U);
  EXPECT_EQ(kernels[0].symbol, "gemm");
  EXPECT_EQ(kernels[0].chip, "sm_90a");
  EXPECT_EQ(kernels[0].registers, 154);
  EXPECT_EQ(kernels[0].barriers, 2);
  EXPECT_EQ(kernels[0].sharedBytes, 2048);
  EXPECT_EQ(kernels[0].constantBytes, 400);
  EXPECT_EQ(kernels[0].stackBytes, 0);
  ASSERT_EQ(kernels[0].notes.size(), 1U);
  EXPECT_THAT(kernels[0].notes[0], HasSubstr("(C7510)"));
  EXPECT_EQ(kernels[2].symbol, "bad");
  EXPECT_EQ(kernels[2].stackBytes, 24);
  EXPECT_EQ(kernels[2].spillStoreBytes, 8);
  EXPECT_EQ(kernels[2].spillLoadBytes, 16);
}

TEST(KernelResourcesTest, NoteWithoutAKernelIsAboutAll) {
  std::vector<KernelResources> kernels =
      parseResources("ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to "
                     "determine register count "
                     "at entry.\n"
                     "ptxas info    : 0 bytes gmem\n"
                     "ptxas info    : Compiling entry function 'attention' for 'sm_90a'\n"
                     "ptxas info    : Used 143 registers, used 1 barriers\n");
  ASSERT_EQ(kernels.size(), 1U);
  ASSERT_EQ(kernels[0].notes.size(), 1U);
  EXPECT_THAT(kernels[0].notes[0], HasSubstr("(C7508)"));
}

TEST(KernelResourcesTest, CheckNamesEachFault) {
  std::vector<KernelResources> kernels = parseResources(report);
  Result<void> checked = checkResources(kernels, {.registers = 160, .sharedBytes = 1024});
  ASSERT_FALSE(checked);
  std::string text = checked.diagnostics().text();
  EXPECT_EQ(checked.diagnostics().size(), 5U) << text;
  EXPECT_THAT(text, HasSubstr("kernel 'gemm' for sm_90a: note of the assembler: (C7510)"));
  EXPECT_THAT(text,
              HasSubstr("kernel 'gemm' for sm_90a: uses 2048 bytes of shared memory, expected at most 1024"));
  EXPECT_THAT(text, HasSubstr("kernel 'bad' for sm_80: spills registers (8 bytes stored, 16 bytes loaded)"));
  EXPECT_THAT(text, HasSubstr("kernel 'bad' for sm_80: has a stack frame of 24 bytes, expected none"));
  EXPECT_THAT(text, HasSubstr("kernel 'bad' for sm_80: uses 255 registers, expected at most 160"));
}

TEST(KernelResourcesTest, CheckAcceptsC7519) {
  std::vector<KernelResources> kernels = parseResources(report);
  EXPECT_TRUE(bool(checkResources(std::span(kernels).subspan(1, 1))));
}

TEST(KernelResourcesTest, BlockMustFitTheChip) {
  KernelResources kernel{.symbol = "gemm", .chip = "sm_86", .registers = 65, .sharedBytes = 2048};
  const GpuFacts &gpu = *knownFacts<GpuFacts>("sm_86");
  // 65 registers of 32 threads are 2304 after rounding: 28 warps have 64512, 29 warps 66816.
  EXPECT_TRUE(bool(checkBlock(kernel, {.threads = 28 * 32, .sharedBytes = 99 * 1024 - 2048}, gpu)));
  Result<void> checked = checkBlock(kernel, {.threads = 28 * 32 + 1, .sharedBytes = 99 * 1024}, gpu);
  ASSERT_FALSE(checked);
  std::string text = checked.diagnostics().text();
  EXPECT_THAT(
      text,
      HasSubstr("kernel 'gemm' for sm_86: needs 103424 bytes of shared memory, expected at most 101376"));
  EXPECT_THAT(text,
              HasSubstr("needs 65 registers in each of 897 threads, expected at most 65536 in a block"));
}

/// The rules of NVIDIA's occupancy calculator for compute capability 9.0.
TEST(KernelResourcesTest, ResidentBlocks) {
  const GpuFacts &gpu = *knownFacts<GpuFacts>("sm_90a");
  KernelResources kernel{.symbol = "gemm", .chip = "sm_90a", .registers = 114};
  // 120 registers after rounding: 17 warps, of which four schedulers execute 16.
  EXPECT_EQ(residentBlocksOf(kernel, {.threads = 288, .sharedBytes = 0}, gpu), 1);
  EXPECT_EQ(residentBlocksOf(kernel, {.threads = 256, .sharedBytes = 0}, gpu), 2);
  EXPECT_EQ(residentBlocksOf(kernel, {.threads = 160, .sharedBytes = 0}, gpu), 3);
  EXPECT_EQ(residentBlocksOf(kernel, {.threads = 160, .sharedBytes = 113 * 1024}, gpu), 2);
  EXPECT_EQ(residentBlocksOf(kernel, {.threads = 160, .sharedBytes = 114 * 1024}, gpu), 1);
  kernel.registers = 32;
  EXPECT_EQ(residentBlocksOf(kernel, {.threads = 256, .sharedBytes = 0}, gpu), 8);
}

TEST(KernelResourcesTest, EmptyReportHasNoKernels) { EXPECT_THAT(parseResources(""), IsEmpty()); }
