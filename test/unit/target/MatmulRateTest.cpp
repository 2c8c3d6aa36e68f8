// Rates of known GPUs against the peaks of NVIDIA's data sheets.
#include "lib/base/target/MatmulRate.h"

#include <gtest/gtest.h>

using namespace proa;

namespace {

TargetFacts targetOf(const char *gpu) {
  TargetFacts facts = defaultTarget();
  facts.gpu = *knownFacts<GpuFacts>(gpu);
  return facts;
}

TEST(MatmulRate, MatmulsOf16BitsUseTensorCores) {
  // A100: 19.5 TFLOP/s of float32, 312 TFLOP/s of float16. A40: 149.7 TFLOP/s of float16. H100 with SXM: 989
  // TFLOP/s at 1830 MHz, here at 1755 MHz.
  TargetFacts a100 = targetOf("sm_80"), a40 = targetOf("sm_86"), h100 = targetOf("sm_90a");
  EXPECT_NEAR(matmulFlopsPerSecond(a100, 32), 19.5e12, 0.05e12);
  EXPECT_NEAR(matmulFlopsPerSecond(a100, 16), 312e12, 0.5e12);
  EXPECT_NEAR(matmulFlopsPerSecond(a40, 16), 149.7e12, 0.1e12);
  EXPECT_NEAR(matmulFlopsPerSecond(h100, 16), 989e12 * 1755 / 1830, 1e12);
  EXPECT_EQ(matmulFlopsPerSecond(h100, 8), matmulFlopsPerSecond(h100, 16));
}

TEST(MatmulRate, Float64HasARateOfItsOwn) { // A100: 9.7 TFLOP/s; A40: 0.585 TFLOP/s
  EXPECT_NEAR(matmulFlopsPerSecond(targetOf("sm_80"), 64), 9.7e12, 0.05e12);
  EXPECT_NEAR(matmulFlopsPerSecond(targetOf("sm_86"), 64), 0.585e12, 0.001e12);
}

TEST(MatmulRate, CpusHaveOneRate) {
  const TargetFacts &facts = defaultTarget();
  for (int64_t bits : {8, 16, 32, 64})
    EXPECT_EQ(matmulFlopsPerSecond(facts, bits), facts.cpu.flopsPerSecond());
}

} // namespace
