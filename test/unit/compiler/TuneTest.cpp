// Tuning of kernels on the recording driver, whose times follow a formula.
#include "lib/base/support/Files.h"
#include "lib/compiler/compile/Compile.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/compiler/cuda/TuneKernels.h"
#include "lib/runtime/cuda/RecordingDriver.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <regex>
#include <set>
#include <unistd.h>

using namespace proa;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

namespace {

constexpr const char *softmaxProgram = R"(
func.func @main(%x: tensor<64x2048xf32> {pd.feed = "x"}) -> (tensor<64x2048xf32> {pd.fetch = "y"}) {
  %y = pd.softmax %x : (tensor<64x2048xf32>) -> tensor<64x2048xf32>
  return %y : tensor<64x2048xf32>
})";

class TuneTest : public ::testing::Test {
protected:
  TuneTest() : context(registry()), driver(std::make_shared<cuda::RecordingDriver>()) {
    context.loadAllAvailableDialects();
    device = {driver, cuda::Libraries::none("not recorded")};
    cuda::setCudaContext(device);
    file = ::testing::TempDir() + "/tuning-" + std::to_string(::getpid()) + ".json";
    std::filesystem::remove(file);
  }
  ~TuneTest() override {
    cuda::setCudaContext({});
    std::filesystem::remove(file);
  }

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    registerAllDialects(all);
    return all;
  }

  Result<CompiledProgram> compile(const std::function<Result<void>(mlir::ModuleOp)> &onKernels = nullptr,
                                  const std::string &program = softmaxProgram, const std::string &chip = "") {
    CompileOptions options;
    options.target = TargetKind::Cuda;
    options.chip = chip;
    options.cacheDirectory = "off";
    options.tuningFile = onKernels ? "off" : file;
    options.onDeviceKernels = onKernels;
    options.allowsTf32 = true;
    return compileProgram(mlir::parseSourceString<mlir::ModuleOp>(program, &context), options);
  }

  TuneOptions deviceOptions() {
    timer = createDeviceTimer(device, 4);
    TuneOptions options;
    options.search.timer = timer.get();
    options.search.chip = "sm_90a";
    options.search.trials = 16;
    return options;
  }

  /// Tunes the program's kernels; the lines of the report.
  std::vector<std::string> tune(TuningDatabase &database, size_t expected) {
    std::vector<std::string> lines;
    TuneOptions options = deviceOptions();
    options.report = [&](const std::string &text) { lines.push_back(text); };
    auto compiled = compile([&](mlir::ModuleOp kernels) -> Result<void> {
      auto measured = tuneKernels(kernels, database, options);
      EXPECT_TRUE(measured) << measured.diagnostics().text();
      EXPECT_EQ(measured ? measured->size() : 0, expected);
      return {};
    });
    EXPECT_TRUE(compiled) << compiled.diagnostics().text();
    return lines;
  }

  /// Tunes the only kernel of a program for a chip by `cost` of its trials, with at most `trials` of them.
  TunedKernel tuneBy(const std::string &program, const std::string &chip, TuningDatabase &database,
                     const std::function<double(const DeviceKernelSet &)> &cost, size_t trials = 64) {
    struct Costs final : KernelTimer {
      std::function<double(const DeviceKernelSet &)> cost;
      Result<double> microseconds(mlir::func::FuncOp, const DeviceKernelSet &compiled) override {
        return cost(compiled);
      }
    } costs;
    costs.cost = cost;
    TuneOptions options;
    options.search.timer = &costs;
    options.search.chip = chip;
    options.search.trials = trials;
    TunedKernel found;
    auto compiled = compile(
        [&](mlir::ModuleOp kernels) -> Result<void> {
          auto tuned = tuneKernels(kernels, database, options);
          EXPECT_TRUE(tuned) << tuned.diagnostics().text();
          if (tuned && !tuned->empty())
            found = tuned->front();
          return {};
        },
        program, chip);
    EXPECT_TRUE(compiled) << compiled.diagnostics().text();
    return found;
  }

  static int threadsOf(const CompiledProgram &compiled) {
    for (const runtime::Step &step : compiled.plan.steps)
      if (step.isOnDevice())
        return step.launch.threads;
    return 0;
  }

  mlir::MLIRContext context;
  std::shared_ptr<cuda::RecordingDriver> driver;
  cuda::CudaContext device;
  std::unique_ptr<KernelTimer> timer;
  std::string file;
};

/// "launch NAME 64x128+0": blocks of 128 threads are the fastest.
double costOf(const std::string &line) {
  size_t at = line.rfind('x');
  if (!line.starts_with("launch") || at == std::string::npos)
    return 0;
  int threads = std::atoi(line.c_str() + at + 1);
  return 0.01 + 0.001 * std::abs(threads - 128);
}

TEST_F(TuneTest, StoresTheFastestAndCompileReadsIt) {
  driver->setCost(costOf);
  auto before = compile();
  ASSERT_TRUE(before) << before.diagnostics().text();
  EXPECT_EQ(threadsOf(*before), 256);
  TuningDatabase database;
  EXPECT_THAT(tune(database, 1),
              Contains(AllOf(HasSubstr("10.00 us with 128 threads"), HasSubstr("138.00 us by default"))));
  ASSERT_TRUE(database.write(file));
  auto after = compile();
  ASSERT_TRUE(after) << after.diagnostics().text();
  EXPECT_EQ(threadsOf(*after), 128);
  // Kernels that were measured are not measured again.
  auto read = TuningDatabase::read(file);
  ASSERT_TRUE(read) << read.diagnostics().text();
  tune(*read, 0);
}

TEST_F(TuneTest, ErrorsOfTheDeviceEndTheTuning) {
  driver->failCalls("cuLaunchKernel", "CUDA_ERROR_UNKNOWN", 3);
  TuningDatabase database;
  auto compiled = compile([&](mlir::ModuleOp kernels) -> Result<void> {
    auto measured = tuneKernels(kernels, database, deviceOptions());
    return measured ? Result<void>() : Result<void>(measured.diagnostics());
  });
  ASSERT_FALSE(compiled);
  EXPECT_THAT(compiled.diagnostics().text(), HasSubstr("cuLaunchKernel: CUDA_ERROR_UNKNOWN"));
  EXPECT_EQ(database.size(), 0U);
}

TEST_F(TuneTest, StrategiesThatTheDeviceRefusesAreLeftOut) {
  driver->setCost(costOf);
  // The default has five launches, and the next strategy, of 64 threads, none.
  driver->failCalls("cuLaunchKernel", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", /*passed=*/5, /*times=*/1);
  TuningDatabase database;
  EXPECT_THAT(tune(database, 1), Contains(HasSubstr("10.00 us with 128 threads")));
}

/// The caches hold nothing of a kernel's operands: before each launch that is measured, other memory is
/// copied.
TEST_F(TuneTest, LaunchesHaveColdCaches) {
  TuningDatabase database;
  driver->clearLog();
  tune(database, 1);
  std::string last;
  int launches = 0, cold = 0;
  for (const std::string &line : driver->log()) {
    if (line.starts_with("launch")) {
      ++launches;
      cold += last.starts_with("copy on device");
    }
    if (line.starts_with("launch") || line.starts_with("copy"))
      last = line;
  }
  EXPECT_GT(launches, 10);
  EXPECT_EQ(cold * 5, launches * 4); // the first one of five is not measured
}

constexpr const char *matmulProgram = R"(
func.func @main(%x: tensor<256x512xf16> {pd.feed = "x"}, %y: tensor<512x256xf16> {pd.feed = "y"})
    -> (tensor<256x256xf16> {pd.fetch = "z"}) {
  %z = pd.matmul %x, %y : (tensor<256x512xf16>, tensor<512x256xf16>) -> tensor<256x256xf16>
  return %z : tensor<256x256xf16>
})";

constexpr const char *groupedProgram = R"(
func.func @main(%x: tensor<256x64xf16> {pd.feed = "x"}, %y: tensor<4x64x128xf16> {pd.feed = "y"},
                %n: tensor<4xi64> {pd.feed = "n"}) -> (tensor<256x128xf16> {pd.fetch = "z"}) {
  %z = pd.grouped_matmul %x, %y, %n : (tensor<256x64xf16>, tensor<4x64x128xf16>, tensor<4xi64>) -> tensor<256x128xf16>
  return %z : tensor<256x128xf16>
})";

constexpr const char *attentionProgram = R"(
func.func @main(%q: tensor<1x2x256x64xf16> {pd.feed = "q"}, %k: tensor<1x2x256x64xf16> {pd.feed = "k"},
                %v: tensor<1x2x256x64xf16> {pd.feed = "v"}) -> (tensor<1x2x256x64xf16> {pd.fetch = "z"}) {
  %z:3 = pd.fused_attention %q, %k, %v : (tensor<1x2x256x64xf16>, tensor<1x2x256x64xf16>, tensor<1x2x256x64xf16>)
      -> (tensor<1x2x256x64xf16>, tensor<1x2x256xf32>, tensor<1x2x256xf32>)
  return %z#0 : tensor<1x2x256x64xf16>
})";

/// The texts of the strategies that were measured, one a line.
std::string triedBy(const TunedKernel &kernel) {
  std::string text;
  for (const Trial &trial : kernel.trials)
    text += trial.refusal.empty() ? trial.strategy.text() + "\n" : "";
  return text;
}

/// As if small blocks were the fastest.
double threadsOfBlock(const DeviceKernelSet &compiled) {
  const auto &image = compiled.code.kernels.front();
  return static_cast<double>(compiled.facts.lookup(image.symbol).launch.threads);
}

TEST_F(TuneTest, VariesEveryChoiceOfContractions) {
  TuningDatabase database;
  // With constant costs only neighbours of the default are tried.
  TunedKernel kernel =
      tuneBy(matmulProgram, "sm_90a", database, [](const DeviceKernelSet &) { return 1.0; }, 1000);
  EXPECT_EQ(kernel.best.strategy, KernelStrategy());
  std::string tried = triedBy(kernel);
  for (const char *choice : {"kind = fma", "kind = mma", "kind = wgmma", "stages = 2", "stages = 3",
                             "split_k = 2", "resident_blocks = 2"})
    EXPECT_THAT(tried, HasSubstr(choice));
  std::set<std::string> tiles, warps;
  std::smatch match;
  for (const Trial &trial : kernel.trials) {
    std::string text = trial.strategy.text();
    if (std::regex_search(text, match, std::regex("tile = (\\[[0-9, ]+\\]), warp = (\\[[0-9, ]+\\])"))) {
      tiles.insert(match[1]);
      warps.insert(match[2]);
    }
  }
  EXPECT_GE(tiles.size(), 4U);
  EXPECT_GE(warps.size(), 4U);
  EXPECT_THAT(kernel.trials,
              Contains(::testing::Field(&Trial::refusal, HasSubstr("expected multiples of `warp`"))));
}

TEST_F(TuneTest, StrategiesOfContractionsAreReadBack) {
  TuningDatabase database;
  TunedKernel kernel = tuneBy(matmulProgram, "sm_90a", database, threadsOfBlock, 24);
  ASSERT_TRUE(database.write(file));
  EXPECT_LT(kernel.best.microseconds, kernel.best.defaultMicroseconds);
  auto compiled = compile(nullptr, matmulProgram, "sm_90a");
  ASSERT_TRUE(compiled) << compiled.diagnostics().text();
  EXPECT_EQ(threadsOf(*compiled), kernel.best.microseconds);
  // Databases are of a chip.
  auto other = compile(nullptr, matmulProgram, "sm_80");
  ASSERT_TRUE(other) << other.diagnostics().text();
}

TEST_F(TuneTest, VariesAttentionAndGroupedMatmuls) {
  for (const char *program : {attentionProgram, groupedProgram}) {
    TuningDatabase database;
    TunedKernel kernel = tuneBy(program, "sm_90a", database, threadsOfBlock, 24);
    EXPECT_LT(kernel.best.microseconds, kernel.best.defaultMicroseconds) << kernel.label;
    std::string attribute = program == attentionProgram ? "#proa.attention<" : "#proa.contraction<";
    EXPECT_THAT(kernel.best.strategy.attributes, Contains(HasSubstr(attribute))) << kernel.label;
    ASSERT_TRUE(database.write(file));
    auto compiled = compile(nullptr, program, "sm_90a");
    ASSERT_TRUE(compiled) << compiled.diagnostics().text();
  }
}

constexpr const char *elementwiseProgram = R"(
func.func @main(%x: tensor<64x4096xf32> {pd.feed = "x"}) -> (tensor<64x4096xf32> {pd.fetch = "y"}) {
  %y = pd.abs %x : (tensor<64x4096xf32>) -> tensor<64x4096xf32>
  return %y : tensor<64x4096xf32>
})";

constexpr const char *sumProgram = R"(
func.func @main(%x: tensor<4096x64xf32> {pd.feed = "x"}) -> (tensor<4096xf32> {pd.fetch = "y"}) {
  %y = pd.sum %x {axis = array<i64: 1>} : (tensor<4096x64xf32>) -> tensor<4096xf32>
  return %y : tensor<4096xf32>
})";

TEST_F(TuneTest, VariesTheLoopsOfOps) {
  TuningDatabase database;
  // As if threads that access one element at once were the fastest.
  TunedKernel kernel = tuneBy(elementwiseProgram, "sm_90a", database, [](const DeviceKernelSet &compiled) {
    const std::string &ptx = compiled.code.kernels.front().ptx;
    return ptx.find(".v4.") != std::string::npos ? 3.0 : ptx.find(".v2.") != std::string::npos ? 2.0 : 1.0;
  });
  EXPECT_EQ(kernel.best.microseconds, 1.0);
  EXPECT_THAT(kernel.best.strategy.attributes, Contains("#proa.loops<vector = 1>"));
  ASSERT_TRUE(database.write(file));
  auto compiled = compile(nullptr, elementwiseProgram, "sm_90a");
  ASSERT_TRUE(compiled) << compiled.diagnostics().text();
}

TEST_F(TuneTest, VariesTheLanesOfReductions) {
  TuningDatabase database;
  TunedKernel kernel =
      tuneBy(sumProgram, "sm_90a", database, [](const DeviceKernelSet &) { return 1.0; }, 1000);
  std::string tried = triedBy(kernel);
  EXPECT_THAT(tried, HasSubstr("group = 16"));
  EXPECT_THAT(tried, HasSubstr("vector = 2"));
  // The strategies of other threads have the groups that passes choose for these.
  EXPECT_THAT(tried, HasSubstr("64 threads"));
}

TEST_F(TuneTest, InterruptedSearchesContinue) {
  TuningDatabase database;
  size_t stopsAfter = 5, trials = 0;
  std::vector<size_t> stored;
  TuneOptions options = deviceOptions();
  driver->setCost(costOf);
  options.search.isStopped = [&] { return trials >= stopsAfter; };
  options.search.onTrial = nullptr;
  options.report = [&](const std::string &line) {
    trials += line.starts_with("  ") && line.ends_with(" us");
  };
  options.store = [&](const std::vector<TunedKernel> &kernels) {
    stored.push_back(kernels.back().trials.size());
    return database.write(file);
  };
  auto tuneAll = [&] {
    auto compiled = compile([&](mlir::ModuleOp kernels) -> Result<void> {
      auto tuned = tuneKernels(kernels, database, options);
      return tuned ? Result<void>() : Result<void>(tuned.diagnostics());
    });
    EXPECT_TRUE(compiled) << compiled.diagnostics().text();
  };
  tuneAll();
  EXPECT_EQ(stored.front(), 1U); // the default, before the search ended
  auto read = TuningDatabase::read(file);
  ASSERT_TRUE(read) << read.diagnostics().text();
  ASSERT_EQ(read->size(), 1U);
  stopsAfter = 1000;
  tuneAll(); // the entry is not complete
  size_t complete = stored.size();
  tuneAll();
  EXPECT_EQ(stored.size(), complete);
}

TEST_F(TuneTest, TablesAndJsonHaveAllTrials) {
  TunedKernel kernel{.name = "kernel0", .label = "matmul"};
  kernel.trials = {
      {{}, 20, {}}, {{128, {"#proa.contraction<kind = mma>"}}, 10, {}}, {{64, {}}, 0, "it spills"}};
  kernel.best = {{128, {"#proa.contraction<kind = mma>"}}, "matmul", 10, 20};
  std::vector<TunedKernel> kernels{kernel,
                                   {.name = "kernel1", .label = "exp", .refusal = "its dims are dynamic"}};
  std::string table = tableOf(kernels);
  EXPECT_THAT(table, HasSubstr("kernel0 (matmul)"));
  EXPECT_THAT(table,
              HasSubstr("20.00         10.00      3        1  128 threads, #proa.contraction<kind = mma>"));
  EXPECT_THAT(table, HasSubstr("not measured: its dims are dynamic"));
  auto json = nlohmann::json::parse(jsonOf(kernels, "sm_90a"));
  EXPECT_EQ(json["chip"], "sm_90a");
  EXPECT_EQ(json["kernels"][0]["trials"][2]["refusal"], "it spills");
  EXPECT_EQ(json["kernels"][0]["best"]["attributes"][0], "#proa.contraction<kind = mma>");
  EXPECT_EQ(json["kernels"][1]["refusal"], "its dims are dynamic");
}

TEST_F(TuneTest, DamagedDatabasesAreErrors) {
  auto textOf = [&](const std::string &content) {
    EXPECT_TRUE(writeFile(file, content));
    auto read = TuningDatabase::read(file);
    return read ? std::string() : read.diagnostics().text();
  };
  EXPECT_THAT(textOf("{"), HasSubstr("expected a tuning database of proa-tune"));
  EXPECT_THAT(textOf(R"({"version": 99, "kernels": {}})"),
              HasSubstr("found version 99 of a tuning database, expected 2"));
  EXPECT_THAT(textOf(R"({"version": 2, "kernels": {"k": {"maxThreads": 100, "attributes": [], "label": "",
                         "microseconds": 1, "defaultMicroseconds": 1, "complete": true}}})"),
              HasSubstr("kernel 'k' has 100 threads, expected a power of two from 32 to 1024"));
  auto compiled = compile();
  ASSERT_FALSE(compiled);
  EXPECT_THAT(compiled.diagnostics().text(), HasSubstr(file));
}

/// Strategies are read where a kernel has them.
TEST_F(TuneTest, WrongStrategiesOfADatabaseAreErrors) {
  auto compiledWith = [&](const std::string &attribute) {
    TuningDatabase database;
    EXPECT_TRUE(compile([&](mlir::ModuleOp kernels) -> Result<void> {
      for (auto kernel : kernels.getOps<mlir::func::FuncOp>())
        database.set(tuningKey(kernel, "sm_90a"), {.strategy = {128, {attribute}}, .label = "softmax"});
      return {};
    }));
    EXPECT_TRUE(database.write(file));
    auto compiled = compile();
    return compiled ? std::string() : compiled.diagnostics().text();
  };
  EXPECT_THAT(compiledWith("#proa.contraction<kind = simd>"),
              AllOf(HasSubstr("the tuning database has a wrong strategy for "),
                    HasSubstr("expected fma, mma or wgmma")));
  EXPECT_THAT(compiledWith("unit"), HasSubstr("'unit' is not a strategy, as #proa.contraction is"));
  EXPECT_THAT(compiledWith("#proa.contraction<kind = mma>"), HasSubstr("1 more than the kernel has ops for"));
}

} // namespace
