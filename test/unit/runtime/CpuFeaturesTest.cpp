#include "lib/runtime/host/CpuFeatures.h"

#include "lib/runtime/kernels/common/OneDnn.h"
#include "lib/runtime/kernels/common/Vectors.h"

#include <gtest/gtest.h>

namespace proa::runtime {
namespace {

TEST(CpuFeatures, NamesOfIsas) {
  EXPECT_STREQ(nameOf(VectorIsa::Generic), "generic");
  EXPECT_STREQ(nameOf(VectorIsa::Avx2), "avx2");
  EXPECT_STREQ(nameOf(VectorIsa::Avx512), "avx512");
}

/// The tests of names with "without-avx512" set PROA_MAX_CPU_ISA.
TEST(CpuFeatures, LimitBindsKernelsAndOneDnn) {
  if (vectorLimit() != VectorIsa::Avx2)
    GTEST_SKIP() << "PROA_MAX_CPU_ISA is not avx2";
  EXPECT_TRUE(checkVectorLimit());
  EXPECT_LE(vectorIsa(), VectorIsa::Avx2);
  EXPECT_FALSE(hasWideVectors());
  for (const std::string &feature : cpuFeatures())
    EXPECT_FALSE(feature.starts_with("avx512")) << feature;
  dnnlEngine();
  auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  auto avx512 = static_cast<unsigned>(dnnl::cpu_isa::avx512_core);
  EXPECT_NE(isa & avx512, avx512);
}

} // namespace
} // namespace proa::runtime
