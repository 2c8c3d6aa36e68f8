//! Programs in local form are compiled and run on simulated ranks.
#include "lib/compiler/compile/Compile.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/runtime/ranks/Communicator.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace proa {
namespace {

using runtime::Communicator;
using runtime::NamedTensors;
using testing::HasSubstr;

std::shared_ptr<runtime::Executable> compile(const std::string &text) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "the program does not parse";
    return nullptr;
  }
  Result<CompiledProgram> program = compileProgram(std::move(module), {});
  if (!program) {
    ADD_FAILURE() << program.diagnostics().text();
    return nullptr;
  }
  auto executable = loadProgram(std::move(*program), "program");
  EXPECT_TRUE(executable) << executable.diagnostics().text();
  return executable ? *executable : nullptr;
}

Tensor tensor(std::vector<int64_t> dims, const std::vector<float> &values) {
  Tensor result(DType::Float32, std::move(dims));
  std::ranges::copy(values, result.as<float>());
  return result;
}

std::vector<float> valuesOf(const Tensor &x) { return {x.as<float>(), x.as<float>() + x.size()}; }

/// Runs each rank `runs` times; the results of the last run by rank, or the errors.
std::vector<std::string> runRanks(const std::vector<std::shared_ptr<runtime::Executable>> &programs,
                                  const std::function<NamedTensors(int64_t rank)> &feeds,
                                  std::vector<std::vector<Tensor>> &results, int runs = 2) {
  auto size = static_cast<int64_t>(programs.size());
  results.resize(programs.size());
  std::vector<std::string> texts;
  for (const Diagnostics &diagnostics :
       runtime::runSimulated(size, [&](const std::shared_ptr<Communicator> &c) -> Result<void> {
         auto rank = static_cast<size_t>(c->rank());
         auto session = runtime::Session::create(programs[rank]);
         if (!session)
           return session.diagnostics();
         (*session)->setCommunicator(c);
         for (int i = 0; i < runs; ++i) {
           auto fetched = (*session)->run(feeds(c->rank()));
           if (!fetched)
             return fetched.diagnostics();
           results[rank] = *fetched;
         }
         return {};
       }))
    texts.push_back(diagnostics.text());
  return texts;
}

/// x . w with split rows of w: a sum over ranks.
const char *const splitProduct = R"(
dist.mesh @m = <["x"=2]>
func.func @main(%x: tensor<2x2xf32> {pd.feed = "x"}, %w: tensor<2x2xf32> {pd.feed = "w"})
    -> (tensor<2x2xf32> {pd.fetch = "y"}) {
  %0 = pd.matmul %x, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = dist.all_reduce %0 of tensor<2x2xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]>
    : tensor<2x2xf32> -> tensor<2x2xf32>
  %2 = pd.relu %1 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}
)";

TEST(DistributedTest, ASplitProductIsTheWholeOne) {
  auto program = compile(splitProduct);
  ASSERT_TRUE(program);
  // [1 2 3 4; 5 6 7 8] . [1 0; 0 1; 1 1; 2 -9]
  std::vector<std::vector<Tensor>> results;
  auto texts = runRanks(
      {program, program},
      [](int64_t rank) -> NamedTensors {
        return rank == 0
                   ? NamedTensors{{"x", tensor({2, 2}, {1, 2, 5, 6})}, {"w", tensor({2, 2}, {1, 0, 0, 1})}}
                   : NamedTensors{{"x", tensor({2, 2}, {3, 4, 7, 8})}, {"w", tensor({2, 2}, {1, 1, 2, -9})}};
      },
      results);
  EXPECT_EQ(texts, std::vector<std::string>(2));
  for (const auto &fetched : results) {
    ASSERT_EQ(fetched.size(), 1U);
    EXPECT_EQ(valuesOf(fetched[0]), (std::vector<float>{12, 0, 28, 0}));
  }
}

/// Local dims differ: 3 rows on 2 ranks.
TEST(DistributedTest, UnevenShardsHaveDynamicDims) {
  auto program = compile(R"(
dist.mesh @m = <["x"=2]>
func.func @main(%x: tensor<?x2xf32> {pd.feed = "x"}) -> (tensor<3x2xf32> {pd.fetch = "y"}) {
  %0 = pd.square %x : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %1 = dist.all_gather %0 of tensor<3x2xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]>
    : tensor<?x2xf32> -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
})");
  ASSERT_TRUE(program);
  std::vector<std::vector<Tensor>> results;
  auto texts = runRanks(
      {program, program},
      [](int64_t rank) -> NamedTensors {
        return {{"x", rank == 0 ? tensor({2, 2}, {1, 2, 3, 4}) : tensor({1, 2}, {5, 6})}};
      },
      results);
  EXPECT_EQ(texts, std::vector<std::string>(2));
  for (const auto &fetched : results)
    EXPECT_EQ(valuesOf(fetched[0]), (std::vector<float>{1, 4, 9, 16, 25, 36}));
}

TEST(DistributedTest, RootsBroadcastAndLocalStepsDependOnTheRank) {
  auto program = compile(R"(
dist.mesh @m = <["x"=2, "y"=2]>
func.func @main(%x: tensor<2xf32> {pd.feed = "x"})
    -> (tensor<2xf32> {pd.fetch = "b"}, tensor<1xf32> {pd.fetch = "s"}, tensor<2xf32> {pd.fetch = "p"}) {
  %0 = dist.broadcast %x over <@m, {"y"}> root [1] : tensor<2xf32> -> tensor<2xf32>
  %1 = dist.slice %x of tensor<2xf32> from <@m, [{}]> to <@m, [{"x"}]> : tensor<2xf32> -> tensor<1xf32>
  %2 = dist.to_partial %1 of tensor<2xf32> from <@m, [{"x"}]> to <@m, [{}], partial = [sum {"x"}]>
    : tensor<1xf32> -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<1xf32>, tensor<2xf32>
})");
  ASSERT_TRUE(program);
  std::vector<std::vector<Tensor>> results;
  auto texts = runRanks(
      {program, program, program, program},
      [](int64_t rank) -> NamedTensors {
        auto value = static_cast<float>(rank);
        return {{"x", tensor({2}, {value, value + 10})}};
      },
      results);
  ASSERT_EQ(texts, std::vector<std::string>(4));
  for (size_t rank = 0; rank < 4; ++rank) {
    auto root = static_cast<float>(rank / 2 * 2 + 1), own = static_cast<float>(rank);
    EXPECT_EQ(valuesOf(results[rank][0]), (std::vector<float>{root, root + 10}));
    float shard = rank < 2 ? own : own + 10;
    EXPECT_EQ(valuesOf(results[rank][1]), (std::vector<float>{shard}));
    EXPECT_EQ(valuesOf(results[rank][2]),
              (rank < 2 ? std::vector<float>{shard, 0} : std::vector<float>{0, shard}));
  }
}

TEST(DistributedTest, StagesSendToEachOther) {
  std::string meshes = R"(
dist.mesh @first = <["x"=2]>
dist.mesh @second = <["x"=1], devices = [2]>
)";
  auto first = compile(meshes + R"(
func.func @main(%x: tensor<1x2xf32> {pd.feed = "x"}) -> (tensor<1x2xf32> {pd.fetch = "y"}) {
  dist.send %x of tensor<2x2xf32> from <@first, [{"x"}, {}]> to <@second, [{}, {}]> channel 0 : tensor<1x2xf32>
  %1 = dist.recv of tensor<2x2xf32> from <@second, [{}, {}]> to <@first, [{"x"}, {}]> channel 1 : tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
})");
  auto second = compile(meshes + R"(
func.func @main(%x: tensor<2x2xf32> {pd.feed = "x"}) -> (tensor<2x2xf32> {pd.fetch = "y"}) {
  dist.send %x of tensor<2x2xf32> from <@second, [{}, {}]> to <@first, [{"x"}, {}]> channel 1 : tensor<2x2xf32>
  %1 = dist.recv of tensor<2x2xf32> from <@first, [{"x"}, {}]> to <@second, [{}, {}]> channel 0 : tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
})");
  ASSERT_TRUE(first && second);
  std::vector<std::vector<Tensor>> results;
  auto texts = runRanks(
      {first, first, second},
      [](int64_t rank) -> NamedTensors {
        if (rank == 2)
          return {{"x", tensor({2, 2}, {10, 20, 30, 40})}};
        auto value = static_cast<float>(rank);
        return {{"x", tensor({1, 2}, {value, value})}};
      },
      results);
  ASSERT_EQ(texts, std::vector<std::string>(3));
  EXPECT_EQ(valuesOf(results[0][0]), (std::vector<float>{10, 20}));
  EXPECT_EQ(valuesOf(results[1][0]), (std::vector<float>{30, 40}));
  EXPECT_EQ(valuesOf(results[2][0]), (std::vector<float>{0, 0, 1, 1}));
}

TEST(DistributedTest, DifferentProgramsAreFoundBeforeTheyRun) {
  auto sum = compile(splitProduct);
  std::string other = splitProduct;
  other.replace(other.find("[sum"), 4, "[max");
  auto maximum = compile(other);
  ASSERT_TRUE(sum && maximum);
  std::vector<std::vector<Tensor>> results;
  auto texts = runRanks(
      {sum, maximum},
      [](int64_t) -> NamedTensors {
        return {{"x", tensor({2, 2}, {1, 2, 3, 4})}, {"w", tensor({2, 2}, {1, 2, 3, 4})}};
      },
      results);
  for (const std::string &text : texts) {
    EXPECT_THAT(text, HasSubstr("the ranks run different programs: rank"));
    EXPECT_THAT(text, HasSubstr("partial=sum{x}"));
    EXPECT_THAT(text, HasSubstr("partial=max{x}"));
  }
}

TEST(DistributedTest, AFailingRankEndsTheOthers) {
  auto program = compile(splitProduct);
  ASSERT_TRUE(program);
  std::vector<std::vector<Tensor>> results;
  auto texts = runRanks(
      {program, program},
      [](int64_t rank) -> NamedTensors {
        Tensor x = tensor({2, 2}, {1, 2, 3, 4});
        return rank == 1 ? NamedTensors{{"x", x}} : NamedTensors{{"x", x}, {"w", x}};
      },
      results);
  EXPECT_THAT(texts[0], HasSubstr("rank 1 has failed: program: feed 'w': is missing"));
  EXPECT_THAT(texts[1], HasSubstr("feed 'w': is missing"));
}

TEST(DistributedTest, ACollectiveNeedsRanks) {
  auto program = compile(splitProduct);
  ASSERT_TRUE(program);
  auto session = runtime::Session::create(program);
  ASSERT_TRUE(session);
  Tensor x = tensor({2, 2}, {1, 2, 3, 4});
  auto fetched = (*session)->run({{"x", x}, {"w", x}});
  ASSERT_FALSE(fetched);
  EXPECT_THAT(fetched.diagnostics().text(),
              HasSubstr("all_reduce: the mesh has a device 1, but this run has 1 rank"));
}

} // namespace
} // namespace proa
