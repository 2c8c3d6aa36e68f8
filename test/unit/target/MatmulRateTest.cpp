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
  EXPECT_NEAR(matmulFlopsPerSecond(a100, {.bits = 32}), 19.5e12, 0.05e12);
  EXPECT_NEAR(matmulFlopsPerSecond(a100, {.bits = 16}), 312e12, 0.5e12);
  EXPECT_NEAR(matmulFlopsPerSecond(a40, {.bits = 16}), 149.7e12, 0.1e12);
  EXPECT_NEAR(matmulFlopsPerSecond(h100, {.bits = 16}), 989e12 * 1755 / 1830, 1e12);
}

TEST(MatmulRate, IntegersOf8BitsHaveTwiceTheRateOf16) {
  // A100: 624 TOPS of INT8. A40: 299.3. L40S: 733. H100 with SXM: 1979 at 1830 MHz, here at 1755 MHz.
  constexpr MatmulElement bytes{.bits = 8, .isFloat = false};
  EXPECT_NEAR(matmulFlopsPerSecond(targetOf("sm_80"), bytes), 624e12, 1e12);
  EXPECT_NEAR(matmulFlopsPerSecond(targetOf("sm_86"), bytes), 299.3e12, 0.2e12);
  EXPECT_NEAR(matmulFlopsPerSecond(targetOf("sm_89"), bytes), 733e12, 1e12);
  EXPECT_NEAR(matmulFlopsPerSecond(targetOf("sm_90a"), bytes), 1979e12 * 1755 / 1830, 2e12);
}

TEST(MatmulRate, FloatsOf8BitsOnlyByWgmma) { // FP8: H100 with SXM 1979 TFLOP/s at 1830 MHz
  constexpr MatmulElement bytes{.bits = 8}, halves{.bits = 16};
  EXPECT_NEAR(matmulFlopsPerSecond(targetOf("sm_90a"), bytes), 1979e12 * 1755 / 1830, 2e12);
  EXPECT_EQ(matmulFlopsPerSecond(targetOf("sm_89"), bytes), matmulFlopsPerSecond(targetOf("sm_89"), halves));
}

TEST(MatmulRate, Float64HasARateOfItsOwn) { // A100: 9.7 TFLOP/s; A40: 0.585 TFLOP/s
  EXPECT_NEAR(matmulFlopsPerSecond(targetOf("sm_80"), {.bits = 64}), 9.7e12, 0.05e12);
  EXPECT_NEAR(matmulFlopsPerSecond(targetOf("sm_86"), {.bits = 64}), 0.585e12, 0.001e12);
}

TEST(MatmulRate, CpusHaveHalfTheRateForFloat64) { // a vector has half of the elements
  const TargetFacts &facts = defaultTarget();
  for (int64_t bits : {8, 16, 32})
    EXPECT_EQ(matmulFlopsPerSecond(facts, {.bits = bits}), facts.cpu.flopsPerSecond());
  EXPECT_EQ(matmulFlopsPerSecond(facts, {.bits = 64}), facts.cpu.flopsPerSecond() / 2);
}

} // namespace
