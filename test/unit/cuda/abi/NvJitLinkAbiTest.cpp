// nvJitLink (nvJitLink.h).
#if __has_include(<nvJitLink.h>)
#include "lib/compiler/codegen/cuda/Assembler.cpp"
#include "test/unit/cuda/abi/Abi.h"

#include <nvJitLink.h>

namespace proa::cuda {
namespace {

TEST(NvJitLinkAbi, Functions) {
  NvJitLinkApi api{};
  EXPECT_FUNCTION(api.create, nvJitLinkCreate);
  EXPECT_FUNCTION(api.destroy, nvJitLinkDestroy);
  EXPECT_FUNCTION(api.addData, nvJitLinkAddData);
  EXPECT_FUNCTION(api.complete, nvJitLinkComplete);
  EXPECT_FUNCTION(api.cubinBytes, nvJitLinkGetLinkedCubinSize);
  EXPECT_FUNCTION(api.cubin, nvJitLinkGetLinkedCubin);
  EXPECT_FUNCTION(api.errorLogBytes, nvJitLinkGetErrorLogSize);
  EXPECT_FUNCTION(api.errorLog, nvJitLinkGetErrorLog);
  EXPECT_FUNCTION(api.infoLogBytes, nvJitLinkGetInfoLogSize);
  EXPECT_FUNCTION(api.infoLog, nvJitLinkGetInfoLog);
  EXPECT_FUNCTION(api.version, nvJitLinkVersion);
}

TEST(NvJitLinkAbi, Constants) { EXPECT_VALUE(ptxInput, NVJITLINK_INPUT_PTX); }

} // namespace
} // namespace proa::cuda
#else
#include <gtest/gtest.h>

TEST(NvJitLinkAbi, Functions) {
  GTEST_SKIP() << "nvJitLink.h was not found: run ./bootstrap.sh cuda-headers";
}
#endif
