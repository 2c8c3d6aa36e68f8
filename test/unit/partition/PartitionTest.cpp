//! Programs in sharded form, partitioned and run on all positions of simulated meshes, against the
//! single-device program.
#include "test/unit/partition/Harness.h"

#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/reference/HostScalar.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

using namespace mlir;

namespace proa::test {
namespace {

std::string textOf(const std::string &name) {
  std::ifstream file(PROA_SOURCE_DIR "/test/unit/partition/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string withMesh(std::string text, const spmd::Mesh &mesh) {
  std::string axes;
  for (const spmd::MeshAxis &axis : mesh.axes)
    axes += (axes.empty() ? "\"" : ", \"") + axis.name + "\"=" + std::to_string(axis.size);
  const std::string declaration = "dist.mesh @m = <[";
  size_t begin = text.find(declaration) + declaration.size();
  return text.replace(begin, text.find("]>", begin) - begin, axes);
}

/// The programs of programs.mlir and annotated.mlir, in sharded form.
std::vector<OwningOpRef<ModuleOp>> programsOn(const spmd::Mesh &mesh) {
  std::vector<OwningOpRef<ModuleOp>> modules;
  for (const char *name : {"programs.mlir", "annotated.mlir"}) {
    modules.push_back(parseSourceString<ModuleOp>(withMesh(textOf(name), mesh), &context()));
    EXPECT_TRUE(modules.back()) << name;
  }
  if (modules[1])
    modules[1] = run(*modules[1], "dist-propagate{check}");
  EXPECT_TRUE(modules[1]) << "propagation failed";
  llvm::erase_if(modules, [](const OwningOpRef<ModuleOp> &module) { return !module; });
  return modules;
}

/// The module that has a function.
ModuleOp moduleOf(llvm::ArrayRef<OwningOpRef<ModuleOp>> modules, StringRef function) {
  for (const OwningOpRef<ModuleOp> &module : modules)
    if (module.get().lookupSymbol(function))
      return module.get();
  return {};
}

/// Small integers and halves, so that sums are exact.
Tensor smallNumbers(Type type, std::mt19937 &random) {
  auto tensor = cast<RankedTensorType>(type);
  Tensor result(*pd::dtypeOf(tensor.getElementType()), tensor.getShape().vec());
  bool isBool = result.dtype() == DType::Bool, isInteger = isa<IntegerType>(tensor.getElementType());
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t value = static_cast<int64_t>(random() % 7) - 2;
    pd::storeScalar(result, i,
                    isBool      ? pd::HostScalar::of(value > 0)
                    : isInteger ? pd::HostScalar::of(std::abs(value))
                                : pd::HostScalar::of(static_cast<double>(value) / 2));
  }
  return result;
}

/// Compares the local results of `programs` with the results of the single-device program.
void expectEqual(func::FuncOp global, const std::vector<func::FuncOp> &programs, const spmd::Mesh &mesh) {
  std::mt19937 random(1);
  Arguments arguments = randomArguments(global, mesh, [&](Type type) { return smallNumbers(type, random); });
  EXPECT_EQ(differenceOf(global, programs, mesh, arguments, 1e-5), "");
}

std::vector<std::string> functionNames() {
  std::vector<std::string> names;
  for (const OwningOpRef<ModuleOp> &module : programsOn({{{"x", 2}, {"y", 2}}}))
    for (auto function : module.get().getOps<func::FuncOp>())
      if (!function.isPrivate())
        names.push_back(function.getName().str());
  return names;
}

const spmd::Mesh meshes[] = {{{{"x", 2}, {"y", 2}}}, {{{"x", 2}, {"y", 3}}}};

class PartitionTest : public testing::TestWithParam<std::string> {
protected:
  /// Runs the program, partitioned by `passes`, on the meshes.
  static void check(const std::string &passes) {
    for (const spmd::Mesh &mesh : meshes) {
      SCOPED_TRACE("mesh of " + std::to_string(mesh.size()) + " devices, " + passes);
      auto all = programsOn(mesh);
      ModuleOp module = moduleOf(all, GetParam());
      ASSERT_TRUE(module);
      auto global = module.lookupSymbol<func::FuncOp>(GetParam());
      std::vector<OwningOpRef<ModuleOp>> modules;
      std::vector<func::FuncOp> programs;
      bool isForRank = passes.find("RANK") != std::string::npos;
      for (int64_t position = 0; position < mesh.size(); ++position) {
        std::string pipeline = passes;
        if (isForRank)
          pipeline.replace(pipeline.find("RANK"), 4, std::to_string(position));
        modules.push_back(run(module, pipeline));
        ASSERT_TRUE(modules.back());
        programs.push_back(modules.back()->lookupSymbol<func::FuncOp>(GetParam()));
      }
      expectEqual(global, programs, mesh);
    }
  }
};

TEST_P(PartitionTest, OneProgramForAllDevicesGivesTheGlobalResults) { check("dist-partition"); }

TEST_P(PartitionTest, ProgramsOfPositionsGiveTheGlobalResults) {
  check("dist-partition{rank=RANK},canonicalize,cse");
}

TEST_P(PartitionTest, MergedCollectivesGiveTheGlobalResults) {
  check("dist-partition,dist-merge-collectives");
  check("dist-partition{rank=RANK},dist-merge-collectives{bucket-bytes=200}");
}

TEST_P(PartitionTest, AllOptimizationsGiveTheGlobalResults) {
  check("dist-partition,canonicalize,cse,dist-split-all-reduce{min-bytes=0},dist-hoist-collectives,"
        "dist-merge-collectives,canonicalize,dist-overlap-collectives");
}

TEST_P(PartitionTest, RingsGiveTheGlobalResults) {
  check("dist-partition,canonicalize,cse,dist-decompose-rings{min-bytes=0}");
  check("dist-partition{rank=RANK},canonicalize,cse,dist-decompose-rings{min-bytes=0},canonicalize");
}

INSTANTIATE_TEST_SUITE_P(Programs, PartitionTest, testing::ValuesIn(functionNames()),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace proa::test
