// Generated kernels with one planted fault each. A fault is found if the emulator reports it, or if results
// are wrong, in at least one schedule.
#include "dialects/proa/Proa.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-linalg/Passes.h"
#include "proa/Half.h"
#include "test/unit/emulator/EmulatedKernel.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace proa::testing;
using proa::BFloat16;
using ::testing::AnyOf;
using ::testing::HasSubstr;
namespace LLVM = mlir::LLVM;
namespace NVVM = mlir::NVVM;

namespace {

using Plant = EmulatedKernel::Prepare;

/// Finding of a launch whose results are wrong.
constexpr const char *wrongResults = "wrong results";

/// A product of bfloat16 matrices: x [m, k], y [k, n].
class Product {
public:
  Product(int64_t m, int64_t n, int64_t k, std::string strategy)
      : m(m), n(n), k(k), strategy(std::move(strategy)) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> number(-1, 1);
    auto fill = [&](std::vector<BFloat16> &matrix, int64_t size) {
      for (int64_t i = 0; i < size; ++i)
        matrix.emplace_back(number(random));
    };
    fill(x, m * k);
    fill(y, k * n);
    for (int64_t row = 0; row < m; ++row)
      for (int64_t column = 0; column < n; ++column) {
        double sum = 0;
        for (int64_t i = 0; i < k; ++i)
          sum += static_cast<double>(static_cast<float>(x[static_cast<size_t>(row * k + i)])) *
                 static_cast<double>(static_cast<float>(y[static_cast<size_t>(i * n + column)]));
        expected.push_back(sum);
      }
  }

  /// The findings in all schedules, a line each; empty: none. `plant` changes the generated kernel.
  std::string findings(const Plant &plant = {}) {
    EmulatedKernel kernel(text(), [&](mlir::ModuleOp module) {
      lower(module);
      if (plant)
        plant(module);
    });
    std::string found;
    for (proa::emulator::Schedule schedule : allSchedules)
      found += run(kernel, schedule);
    return found;
  }

private:
  int64_t m, n, k, rows = 0;
  std::string strategy;
  std::vector<BFloat16> x, y;
  std::vector<double> expected;
  std::vector<int64_t> scratchBytes;
  bool hasCounters = false;

  std::string text() const {
    auto type = [](int64_t rows, int64_t columns) {
      return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xbf16>";
    };
    std::string types = "(" + type(m, k) + ", " + type(k, n) + ") -> " + type(m, n);
    return "func.func private @k(%x: " + type(m, k) + ", %y: " + type(k, n) + ") -> " + type(m, n) +
           " attributes {proa.kernel} {\n%0 = pd.matmul %x, %y : " + types + "\nreturn %0 : " + type(m, n) +
           "\n}\n";
  }

  /// To the LLVM and nvvm dialects.
  void lower(mlir::ModuleOp module) {
    mlir::PassManager passes(module.getContext());
    passes.addPass(proa::createLowerToLinalg());
    proa::LowerGpuKernelsOptions options;
    options.contraction = proa::symbolizeMatmulStrategy(strategy).value();
    proa::buildLowerGpuKernelsPipeline(passes, options);
    ASSERT_TRUE(mlir::succeeded(passes.run(module)));
    auto kernel = module.lookupSymbol<LLVM::LLVMFuncOp>("k");
    ASSERT_TRUE(kernel);
    rows = proa::RowsAttr::countOf(kernel);
    hasCounters = proa::ScratchAttr::hasCounters(kernel);
    scratchBytes.clear();
    for (mlir::DenseI64ArrayAttr dims : proa::ScratchAttr::buffersOf(kernel))
      scratchBytes.push_back(llvm::product_of(dims.asArrayRef()));
  }

  std::string run(const EmulatedKernel &kernel, proa::emulator::Schedule schedule) {
    std::vector<BFloat16> out(expected.size(), BFloat16(NAN));
    std::vector<std::vector<std::byte>> services;
    for (int64_t bytes : scratchBytes)
      services.emplace_back(bytes, std::byte(0x5a));
    if (hasCounters)
      services.emplace_back(static_cast<size_t>(rows) * sizeof(uint32_t), std::byte(0));
    std::vector<Buffer> buffers{x, y, out};
    buffers.insert(buffers.end(), services.begin(), services.end());
    std::string error = kernel.run(schedule, buffers, {}, rows);
    if (!error.empty())
      return error + "\n";
    for (size_t i = 0; i < out.size(); ++i)
      if (!(std::abs(static_cast<double>(static_cast<float>(out[i])) - expected[i]) <=
            0x1p-7 * (1 + std::abs(expected[i]))))
        return std::string(wrongResults) + "\n";
    return "";
  }
};

/// Blocks copy by the tensor memory accelerator, multiply by wgmma, and divide k among them.
Product &ofWarpgroups() {
  static Product product(256, 256, 320, "wgmma");
  return product;
}

/// Slices of k of more tiles than there are stages.
Product &ofLongSlices() {
  static Product product(64, 64, 8192, "wgmma");
  return product;
}

/// One block computes a tile, and blocks compute several.
Product &ofWholeTiles() {
  static Product product(256, 256, 64, "wgmma");
  return product;
}

/// Copies by cp.async, mma.sync.
Product &ofWarps() {
  static Product product(128, 128, 160, "mma");
  return product;
}

template <class Op> mlir::SmallVector<Op> all(mlir::ModuleOp module) {
  mlir::SmallVector<Op> ops;
  module.walk([&](Op op) { ops.push_back(op); });
  EXPECT_FALSE(ops.empty()) << Op::getOperationName().str();
  return ops;
}

template <class... Ops> void erase(mlir::ModuleOp module) {
  auto eraseOps = [](auto ops) {
    for (mlir::Operation *op : ops)
      op->erase();
  };
  (eraseOps(all<Ops>(module)), ...);
}

mlir::Value constantBefore(mlir::Operation *op, mlir::Type type, int64_t value) {
  mlir::OpBuilder builder(op);
  return LLVM::ConstantOp::create(builder, op->getLoc(), type, value);
}

int64_t constantOf(mlir::Value value) {
  return llvm::cast<mlir::IntegerAttr>(value.getDefiningOp<LLVM::ConstantOp>().getValue()).getInt();
}

/// Changes the number of bytes that barriers of stages wait for.
Plant changeBytes(const std::function<int64_t(int64_t)> &change) {
  return [change](mlir::ModuleOp module) {
    for (auto op : all<NVVM::MBarrierArriveExpectTxOp>(module)) {
      mlir::Value bytes = op.getTxcount();
      op.getTxcountMutable().assign(constantBefore(op, bytes.getType(), change(constantOf(bytes))));
    }
  };
}

/// Changes the fields of matrix descriptors: those with a swizzle.
Plant changeDescriptors(const std::function<uint64_t(uint64_t)> &change) {
  return [change](mlir::ModuleOp module) {
    for (auto op : all<LLVM::OrOp>(module)) {
      auto fields = op.getRhs().getDefiningOp<LLVM::ConstantOp>();
      if (!fields || !fields.getType().isInteger(64))
        continue;
      auto value = static_cast<uint64_t>(constantOf(op.getRhs()));
      if (value >> 62 != 0)
        op->setOperand(1, constantBefore(op, fields.getType(), static_cast<int64_t>(change(value))));
    }
  };
}

/// Frees a stage before wgmma reads it: the products move after the branch that frees it.
void freeStageEarly(mlir::ModuleOp module) {
  NVVM::WgmmaFenceAlignedOp fence = all<NVVM::WgmmaFenceAlignedOp>(module).front();
  auto wait = all<NVVM::WgmmaWaitGroupSyncOp>(module).front();
  auto branch = llvm::cast<LLVM::CondBrOp>(fence->getBlock()->getTerminator());
  mlir::Operation *before = &branch.getFalseDest()->front();
  for (mlir::Operation *op = fence, *next = nullptr; op; op = next) {
    next = op == wait ? nullptr : op->getNextNode();
    op->moveBefore(before);
  }
}

} // namespace

TEST(PlantedFaults, GeneratedKernelsHaveNone) {
  EXPECT_EQ(ofWarpgroups().findings(), "");
  EXPECT_EQ(ofLongSlices().findings(), "");
  EXPECT_EQ(ofWholeTiles().findings(), "");
  EXPECT_EQ(ofWarps().findings(), "");
}

TEST(PlantedFaults, StagesOfMoreBytesThanCopied) {
  EXPECT_THAT(ofWarpgroups().findings(changeBytes([](int64_t bytes) { return bytes + 1024; })),
              HasSubstr("wait at an mbarrier"));
}

TEST(PlantedFaults, StagesOfFewerBytesThanCopied) {
  EXPECT_THAT(ofWarpgroups().findings(changeBytes([](int64_t bytes) { return bytes / 2; })),
              AnyOf(HasSubstr("wait at an mbarrier"), HasSubstr(wrongResults)));
}

TEST(PlantedFaults, WaitForOneCopyTooFew) {
  EXPECT_THAT(ofWarps().findings([](mlir::ModuleOp module) {
    for (auto op : all<NVVM::CpAsyncWaitGroupOp>(module))
      op.setN(op.getN() + 1);
  }),
              HasSubstr(wrongResults));
}

TEST(PlantedFaults, NoBarrierAfterTheWaitForCopies) {
  EXPECT_THAT(ofWarps().findings([](mlir::ModuleOp module) {
    for (auto op : all<NVVM::CpAsyncWaitGroupOp>(module))
      if (llvm::isa<NVVM::BarrierOp, NVVM::Barrier0Op>(op->getNextNode()))
        op->getNextNode()->erase();
  }),
              HasSubstr(wrongResults));
}

TEST(PlantedFaults, OtherSwizzleInDescriptors) {
  EXPECT_THAT(ofWarpgroups().findings(changeDescriptors(
                  [](uint64_t fields) { return (fields & ~(uint64_t(3) << 62)) | uint64_t(2) << 62; })),
              HasSubstr(wrongResults));
}

TEST(PlantedFaults, ExchangedOffsetsInDescriptors) {
  EXPECT_THAT(ofWarpgroups().findings(changeDescriptors([](uint64_t fields) {
    uint64_t leading = fields >> 16 & 0x3fff, stride = fields >> 32 & 0x3fff;
    return (fields & uint64_t(3) << 62) | leading << 32 | stride << 16;
  })),
              HasSubstr(wrongResults));
}

TEST(PlantedFaults, BarrierOfFewerThreads) {
  EXPECT_THAT(ofWarpgroups().findings([](mlir::ModuleOp module) {
    for (auto op : all<NVVM::BarrierOp>(module))
      if (mlir::Value threads = op.getNumberOfThreads())
        op.getNumberOfThreadsMutable().assign(
            constantBefore(op, threads.getType(), constantOf(threads) - 32));
  }),
              HasSubstr("threads wait for each other forever"));
}

TEST(PlantedFaults, NoBarrierBetweenTheEpiloguesOfTwoTiles) {
  EXPECT_THAT(ofWholeTiles().findings([](mlir::ModuleOp module) {
    for (auto op : all<NVVM::BarrierOp>(module))
      if (op.getNumberOfThreads())
        return op.erase();
  }),
              HasSubstr(wrongResults));
}

TEST(PlantedFaults, OtherParityOfTheReader) {
  EXPECT_THAT(ofWarpgroups().findings([](mlir::ModuleOp module) {
    auto wait = all<NVVM::MBarrierTryWaitParityOp>(module).front();
    wait.getPhaseMutable().assign(constantBefore(wait, wait.getPhase().getType(), 1));
  }),
              AnyOf(HasSubstr("wait at an mbarrier"), HasSubstr(wrongResults)));
}

TEST(PlantedFaults, StagesThatOneWarpTooFewFrees) {
  EXPECT_THAT(ofWarpgroups().findings([](mlir::ModuleOp module) {
    for (auto op : all<NVVM::MBarrierInitOp>(module))
      if (int64_t count = constantOf(op.getCount()); count > 1)
        op.getCountMutable().assign(constantBefore(op, op.getCount().getType(), count - 1));
  }),
              AnyOf(HasSubstr("wait at an mbarrier"), HasSubstr("arrives 1 times at an mbarrier")));
}

TEST(PlantedFaults, NoCommitAndNoWaitOfWgmma) {
  EXPECT_THAT(ofWarpgroups().findings(erase<NVVM::WgmmaGroupSyncAlignedOp, NVVM::WgmmaWaitGroupSyncOp>),
              HasSubstr("reads the result of a wgmma that no wgmma.commit_group follows"));
}

TEST(PlantedFaults, NoCommitOfWgmma) {
  EXPECT_THAT(ofWarpgroups().findings(erase<NVVM::WgmmaGroupSyncAlignedOp>),
              HasSubstr("reads the result of a wgmma that no wgmma.commit_group follows"));
}

TEST(PlantedFaults, NoWaitForWgmma) {
  EXPECT_THAT(ofWarpgroups().findings(erase<NVVM::WgmmaWaitGroupSyncOp>),
              HasSubstr("reads the result of a wgmma before wgmma.wait_group completes its group"));
}

TEST(PlantedFaults, NoFenceBeforeWgmma) {
  EXPECT_THAT(ofWarpgroups().findings(erase<NVVM::WgmmaFenceAlignedOp>),
              HasSubstr("executes wgmma with no wgmma.fence before the first one of the group"));
}

TEST(PlantedFaults, StagesFreedBeforeWgmmaReadsThem) {
  EXPECT_THAT(ofLongSlices().findings(freeStageEarly), HasSubstr("reads until its wgmma.wait_group"));
}

TEST(PlantedFaults, NoFenceAroundTheCounterOfBlocks) {
  EXPECT_THAT(ofWarpgroups().findings(erase<NVVM::MembarOp>),
              HasSubstr("reads global memory that another block wrote, with no membar after the write"));
}

TEST(PlantedFaults, NoFenceBeforeTheCounterOfBlocks) {
  EXPECT_THAT(
      ofWarpgroups().findings([](mlir::ModuleOp module) { all<NVVM::MembarOp>(module).front().erase(); }),
      HasSubstr("reads global memory that another block wrote, with no membar after the write"));
}

TEST(PlantedFaults, NoFenceAfterTheCounterOfBlocks) {
  EXPECT_THAT(
      ofWarpgroups().findings([](mlir::ModuleOp module) { all<NVVM::MembarOp>(module).back().erase(); }),
      HasSubstr("with no membar between its own atomic access and the read"));
}

TEST(PlantedFaults, NoFenceAfterTheInitializationOfMbarriers) {
  EXPECT_THAT(ofWarpgroups().findings(erase<NVVM::FenceMbarrierInitOp>),
              HasSubstr("passes an mbarrier to the async proxy that thread 0 initialized"));
}
