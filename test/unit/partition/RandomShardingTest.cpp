// Random programs (test/unit/gradient/RandomProgram.h) with random shardings (RandomShardings.h) on random
// meshes: the programs of all positions, with every optimization of collectives, against the single-device
// program. Some run by the runtime too, on a thread for each rank. Each seed is a program, so that a failure
// can be repeated.
//   PROA_RANDOM_CONTINUE: continues after a failure; PROA_RANDOM_PASSES: the passes after dist-partition
//   PROA_RANDOM_SECONDS: how long (25); PROA_RANDOM_SEED: the first seed (1); PROA_RANDOM_PROGRAMS: how many
//   at most
#include "test/unit/gradient/RandomProgram.h"
#include "test/unit/partition/Harness.h"
#include "test/unit/partition/RandomShardings.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "proa/Model.h"
#include "test/common/OpenSession.h"

#include "mlir/Parser/Parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace mlir;

namespace proa::test {
namespace {

size_t numberFrom(const char *variable, size_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::strtoul(text, nullptr, 10) : otherwise;
}

const spmd::Mesh meshes[] = {{{{"x", 2}, {"y", 2}}}, {{{"x", 2}, {"y", 3}}},          {{{"x", 4}}},
                             {{{"x", 3}}},           {{{"x", 4}, {"y", 2}}},          {{{"x", 6}}},
                             {{{"x", 8}}},           {{{"x", 2}, {"y", 2}, {"z", 2}}}};

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

/// The program of one seed.
class Subject {
public:
  explicit Subject(unsigned seed) : random(seed), mesh(meshes[below(std::size(meshes))]) {
    // A few sizes for each program, so that shapes match; most do not divide the mesh.
    std::vector<int64_t> sizes{1};
    for (int i = 0; i < 3; ++i)
      sizes.push_back(static_cast<int64_t>(1 + below(9)));
    std::string axes;
    for (const spmd::MeshAxis &axis : mesh.axes)
      axes += fmt::format("{}\"{}\"={}", axes.empty() ? "" : ", ", axis.name, axis.size);
    std::string program = RandomProgram(random, sizes, /*hasCountedLoops=*/false).draw();
    module = parseSourceString<ModuleOp>("dist.mesh @m = <[" + axes + "]>\n" + program, &context());
    if (!module)
      ADD_FAILURE() << "the program does not parse:\n" << program;
    else
      RandomShardings(random, mesh, FlatSymbolRefAttr::get(&context(), "m")).annotate(function());
  }

  std::string text() const { return module ? textOf(module.get()) : ""; }

  /// Evaluates the programs of all positions.
  void check() {
    if (!module)
      return;
    OwningOpRef<ModuleOp> sharded = run(*module, "dist-propagate{check}");
    ASSERT_TRUE(sharded) << "propagation failed";
    auto global = sharded->lookupSymbol<func::FuncOp>("f");
    bool isForAll = below(4) == 0; // one program for all devices
    std::string after = passes(isForAll);
    if (const char *text = std::getenv("PROA_RANDOM_PASSES"))
      after = text;
    SCOPED_TRACE(after);
    std::vector<OwningOpRef<ModuleOp>> modules;
    std::vector<func::FuncOp> programs;
    for (int64_t position = 0; position < mesh.size(); ++position) {
      modules.push_back(
          run(*sharded,
              (isForAll ? "dist-partition" : fmt::format("dist-partition{{rank={}}}", position)) + after));
      ASSERT_TRUE(modules.back()) << "partitioning failed";
      programs.push_back(modules.back()->lookupSymbol<func::FuncOp>("f"));
    }
    Arguments arguments = randomArguments(global, mesh, [&](Type type) { return numbers(type); });
    EXPECT_EQ(differenceOf(global, programs, mesh, arguments, tolerance), "");
  }

  /// Runs the program on the threads of a simulated mesh and on one device.
  void checkRuntime(const std::string &path) {
    if (!module || hasPartialArguments())
      return;
    std::ofstream(path) << textOf(*module);
    std::map<std::string, Tensor> feeds;
    std::vector<std::vector<NamedTensor>> outputs;
    for (bool isOnMesh : {false, true}) {
      ModelOptions options;
      options.threads = 1;
      options.codeOptimization = CodeOptimization::Never;
      options.cacheDirectory = "off";
      if (isOnMesh) {
        options.mesh.emplace();
        options.mesh->simulate = true;
        options.mesh->overlap = below(2) != 0;
      }
      Result<Session> session = openSession(path, options);
      ASSERT_TRUE(session) << session.diagnostics().text();
      for (const TensorInfo &feed : session->model().feeds())
        if (!feeds.contains(feed.name))
          feeds[feed.name] = numbers(RankedTensorType::get(feed.dims, Float64Type::get(&context())));
      auto ran = session->run(feeds);
      ASSERT_TRUE(ran) << ran.diagnostics().text();
      outputs.push_back(std::move(*ran));
    }
    for (size_t i = 0; i < outputs[0].size(); ++i)
      EXPECT_EQ(differenceOf(outputs[1][i].tensor, outputs[0][i].tensor, tolerance), "")
          << outputs[0][i].name;
  }

private:
  /// Sums are done in another order.
  static constexpr double tolerance = 1e-7;

  func::FuncOp function() const { return module.get().lookupSymbol<func::FuncOp>("f"); }
  size_t below(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random); }

  bool hasPartialArguments() {
    for (unsigned i = 0; i < function().getNumArguments(); ++i)
      if (auto sharding = function().getArgAttrOfType<dist::ShardingAttr>(i, dist::shardingAttribute))
        if (!sharding.getPartial().empty())
          return true;
    return false;
  }

  /// Passes after partitioning: the passes of proa-run, with limits for small tensors, and others at random.
  /// The programs of different ranks must keep the same ops (dist-overlap-collectives).
  std::string passes(bool isForAll) {
    std::string text;
    if (isForAll && below(2))
      text += ",canonicalize,cse";
    if (below(3) == 0)
      text += ",dist-decompose-rings{min-bytes=0}";
    if (below(3) == 0)
      text += ",dist-split-all-reduce{min-bytes=0}";
    if (below(3) == 0)
      text += ",dist-hoist-collectives";
    if (below(3) != 0)
      text += fmt::format(",dist-merge-collectives{{bucket-bytes={}}}", 64 << below(8));
    if (below(3) != 0)
      text +=
          fmt::format(",dist-overlap-collectives{{min-bytes={} window={}}}", 16 << below(5), 1 + below(8));
    return text;
  }

  Tensor numbers(Type type) {
    Tensor tensor(DType::Float64, cast<RankedTensorType>(type).getShape().vec());
    std::uniform_real_distribution<double> reals(-1, 1);
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.as<double>()[i] = reals(random);
    return tensor;
  }

  std::mt19937 random;
  const spmd::Mesh &mesh;
  OwningOpRef<ModuleOp> module;
};

int failureCount() {
  return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
}

TEST(RandomShardingTest, RanksGiveTheResultsOfOneDevice) {
  using Clock = std::chrono::steady_clock;
  constexpr size_t programsPerRun = 40;
  bool continues = std::getenv("PROA_RANDOM_CONTINUE") != nullptr;
  size_t seed = numberFrom("PROA_RANDOM_SEED", 1), last = seed + numberFrom("PROA_RANDOM_PROGRAMS", 1 << 30),
         count = 0;
  auto end = Clock::now() + std::chrono::seconds(numberFrom("PROA_RANDOM_SECONDS", 25));
  std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("random-sharding-{}.mlir", ::getpid())).string();
  for (; seed < last && (Clock::now() < end || count == 0); ++seed, ++count) {
    int before = failureCount();
    Subject subject(static_cast<unsigned>(seed));
    std::string text = subject.text();
    {
      SCOPED_TRACE(fmt::format("seed {}", seed));
      subject.check();
      if (count % programsPerRun == 0)
        subject.checkRuntime(path);
    }
    if (failureCount() == before)
      continue;
    std::cout << "The program of seed " << seed << ":\n" << text << std::endl;
    if (!continues)
      break;
  }
  std::filesystem::remove(path);
  std::cout << count << " programs\n";
}

} // namespace
} // namespace proa::test
