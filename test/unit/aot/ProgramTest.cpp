#include "lib/compiler/aot/Description.h"
#include "lib/runtime/host/CpuFeatures.h"
#include "lib/runtime/host/ThreadPool.h"
#include "proa-c/runtime.h"
#include "translator/params/Safetensors.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <span>

namespace proa::aot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// total' = total + x * scale, for three numbers.
void accumulate(void *const *buffers, const int64_t *, int64_t begin, int64_t end) {
  auto in = [&](int i) { return static_cast<const float *>(buffers[i]); };
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(buffers[3])[i] = in(0)[i] + in(1)[i] * in(2)[i];
}

/// A program with a state variable and a parameter: `total` is both its result and its state.
Description accumulator() {
  Description description;
  description.name = "accumulator";
  runtime::Plan &plan = description.plan;
  plan.values = {
      {DType::Float32, {3}, runtime::Storage::Feed, 0, runtime::none, "total"},
      {DType::Float32, {3}, runtime::Storage::Feed, 0, runtime::none, "x"},
      {DType::Float32, {3}, runtime::Storage::Parameter, 0, runtime::none, "scale"},
      {DType::Float32, {3}, runtime::Storage::Arena, 0, runtime::none, ""},
  };
  runtime::Step step;
  step.symbol = "accumulate";
  step.inputs = {0, 1, 2};
  step.outputs = {3};
  step.rows = 3;
  plan.steps = {step};
  plan.feeds = {0, 1};
  plan.parameters = {2};
  plan.fetches = {3, 3};
  plan.fetchNames = {"result", "total"};
  plan.arenaBytes = 64;
  description.resultCount = 1;
  description.kernels = {"accumulate"};
  description.savedVariables = {"scale", "total"};
  return description;
}

class ProgramTest : public ::testing::Test {
protected:
  void SetUp() override { embed(); }
  void TearDown() override { proa_program_destroy(program); }

  void embed() {
    description.embedded = {{{"scale", DType::Float32, {3}}, 0}, {{"total", DType::Float32, {3}}, 64}};
    float scale[] = {1, 10, 100}, total[] = {0.5, 0, 0};
    std::memcpy(weights, scale, sizeof scale);
    std::memcpy(weights + 64, total, sizeof total);
  }

  proa_program *create(const char *path = nullptr) {
    bytes = serialize(description);
    static void (*const kernels[])(void) = {reinterpret_cast<void (*)()>(accumulate)};
    data.description = bytes.data();
    data.description_size = bytes.size();
    if (!description.embedded.empty()) {
      data.weights = weights;
      data.weights_size = sizeof weights;
    }
    data.kernels = kernels;
    proa_program_destroy(program);
    return program = proa_program_create(&data, path);
  }

  /// The result of one run with x = 1, 2, 3.
  std::vector<float> run() {
    float x[] = {1, 2, 3};
    int64_t dims[] = {3};
    proa_tensor input = {PROA_FLOAT32, 1, dims, x}, output;
    if (proa_program_run(program, &input, &output) != 0) {
      ADD_FAILURE() << proa_error();
      return {};
    }
    auto *values = static_cast<const float *>(output.data);
    return {values, values + output.dims[0]};
  }

  Description description = accumulator();
  alignas(64) std::byte weights[128] = {};
  std::vector<uint8_t> bytes;
  proa_program_data data = {PROA_PROGRAM_FORMAT, nullptr, 0, nullptr, 0, nullptr, 1};
  proa_program *program = nullptr;
};

TEST_F(ProgramTest, KeepsStateFromRunToRun) {
  ASSERT_TRUE(create()) << proa_error();
  EXPECT_THAT(run(), ::testing::ElementsAre(1.5, 20, 300));
  EXPECT_THAT(run(), ::testing::ElementsAre(2.5, 40, 600));
  ASSERT_TRUE(create()); // another program of the same library has its own state
  EXPECT_THAT(run(), ::testing::ElementsAre(1.5, 20, 300));
}

TEST_F(ProgramTest, PreparingChangesNoState) {
  ASSERT_TRUE(create()) << proa_error();
  int64_t dims[] = {3}, wrong[] = {4};
  proa_tensor shape = {PROA_FLOAT32, 1, dims, nullptr}, other = {PROA_FLOAT32, 1, wrong, nullptr};
  ASSERT_EQ(proa_program_prepare(program, &shape), 0) << proa_error();
  EXPECT_THAT(run(), ::testing::ElementsAre(1.5, 20, 300));
  EXPECT_NE(proa_program_prepare(program, &other), 0);
  EXPECT_NE(proa_program_prepare(program, nullptr), 0);
  EXPECT_NE(proa_program_prepare(nullptr, &shape), 0);
}

TEST_F(ProgramTest, RefusesCodeForAnotherCpu) {
  description.cpuFeatures = runtime::cpuFeatures();
  ASSERT_TRUE(create()) << proa_error();
  description.cpuFeatures.push_back("hyperdrive");
  EXPECT_FALSE(create());
  EXPECT_THAT(
      proa_error(),
      HasSubstr("accumulator: the library was compiled for a CPU with hyperdrive, which this CPU lacks"));
}

TEST_F(ProgramTest, InterfaceDoesNotContainState) {
  ASSERT_TRUE(create()) << proa_error();
  ASSERT_EQ(proa_program_input_count(program), 1u);
  ASSERT_EQ(proa_program_output_count(program), 1u);
  proa_tensor_info info;
  ASSERT_EQ(proa_program_input(program, 0, &info), 0);
  EXPECT_STREQ(info.name, "x");
  EXPECT_EQ(info.dtype, PROA_FLOAT32);
  ASSERT_EQ(info.rank, 1u);
  EXPECT_EQ(info.dims[0], 3);
  ASSERT_EQ(proa_program_output(program, 0, &info), 0);
  EXPECT_STREQ(info.name, "result");
  EXPECT_NE(proa_program_output(program, 1, &info), 0);
  EXPECT_THAT(proa_error(), HasSubstr("no output 1"));
}

TEST_F(ProgramTest, KeepsNamesOfDims) {
  description.dimNames = {{"x", {"N"}}};
  auto read = deserializeDescription(serialize(description), sizeof weights, "library");
  ASSERT_TRUE(read) << read.diagnostics().text();
  EXPECT_EQ(read->inputs()[0].dimNames, std::vector<std::string>{"N"});
}

TEST_F(ProgramTest, ReadsWeightsFromAFile) {
  description.embedded.clear();
  EXPECT_FALSE(create());
  EXPECT_THAT(proa_error(), AllOf(HasSubstr("weights file"), HasSubstr("scale")));
  std::string path = (std::filesystem::path(::testing::TempDir()) / "aot-program-test.safetensors").string();
  float scale[] = {2, 2, 2}, total[] = {0, 0, 1};
  Tensor first(DType::Float32, {3}, scale, nullptr), second(DType::Float32, {3}, total, nullptr);
  ASSERT_TRUE(params::writeSafetensors(path, {{"scale", first}, {"total", second}}));
  ASSERT_TRUE(create(path.c_str())) << proa_error();
  EXPECT_THAT(run(), ::testing::ElementsAre(2, 4, 7));

  ASSERT_TRUE(params::writeSafetensors(path, {{"scale", first.reshaped({1, 3})}}));
  EXPECT_FALSE(create(path.c_str()));
  EXPECT_THAT(proa_error(), AllOf(HasSubstr("scale"), HasSubstr("[1, 3]")));
  ASSERT_TRUE(params::writeSafetensors(path, {{"scale", first}}));
  EXPECT_FALSE(create(path.c_str()));
  EXPECT_THAT(proa_error(), HasSubstr("'total'"));
  EXPECT_FALSE(create("/nowhere.safetensors"));
  EXPECT_THAT(proa_error(), HasSubstr("/nowhere.safetensors"));
  std::filesystem::remove(path);
}

TEST_F(ProgramTest, GetsAndSetsStates) {
  ASSERT_TRUE(create()) << proa_error();
  ASSERT_EQ(proa_program_state_count(program), 1u);
  proa_tensor_info info;
  ASSERT_EQ(proa_program_state(program, 0, &info), 0);
  EXPECT_STREQ(info.name, "total");
  EXPECT_THAT(run(), ::testing::ElementsAre(1.5, 20, 300));
  proa_tensor value;
  ASSERT_EQ(proa_program_get_state(program, 0, &value), 0) << proa_error();
  EXPECT_THAT(std::span(static_cast<const float *>(value.data), 3), ::testing::ElementsAre(1.5, 20, 300));
  float total[] = {5, 6, 7};
  value.data = total;
  ASSERT_EQ(proa_program_set_state(program, 0, &value), 0) << proa_error();
  total[0] = 100; // the program has a copy
  EXPECT_THAT(run(), ::testing::ElementsAre(6, 26, 307));

  int64_t dims[] = {2};
  proa_tensor other = {PROA_FLOAT32, 1, dims, total};
  EXPECT_NE(proa_program_set_state(program, 0, &other), 0);
  EXPECT_THAT(proa_error(), HasSubstr("state variable 'total': found float32[2], expected float32[3]"));
  EXPECT_NE(proa_program_get_state(program, 1, &value), 0);
  EXPECT_THAT(proa_error(), HasSubstr("no state variable 1"));
  EXPECT_NE(proa_program_set_state(program, 0, nullptr), 0);
  EXPECT_NE(proa_program_get_state(nullptr, 0, &value), 0);
  EXPECT_EQ(proa_program_state_count(nullptr), 0u);
}

TEST_F(ProgramTest, ContinuesFromASavedFile) {
  ASSERT_TRUE(create()) << proa_error();
  EXPECT_THAT(run(), ::testing::ElementsAre(1.5, 20, 300));
  std::string path = (std::filesystem::path(::testing::TempDir()) / "aot-saved-test.safetensors").string();
  ASSERT_EQ(proa_program_save(program, path.c_str()), 0) << proa_error();
  description.embedded.clear();
  ASSERT_TRUE(create(path.c_str())) << proa_error();
  EXPECT_THAT(run(), ::testing::ElementsAre(2.5, 40, 600));
  EXPECT_NE(proa_program_save(program, "/nowhere/x.safetensors"), 0);
  EXPECT_NE(proa_program_save(program, "x.pdiparams"), 0);
  EXPECT_THAT(proa_error(), HasSubstr("x.pdiparams: expected the suffix .safetensors"));
  std::filesystem::remove(path);
}

TEST_F(ProgramTest, RefusesWrongInputs) {
  ASSERT_TRUE(create()) << proa_error();
  float x[4] = {};
  int64_t dims[] = {4};
  proa_tensor input = {PROA_FLOAT32, 1, dims, x}, output = {PROA_BOOL, 7, nullptr, nullptr};
  EXPECT_NE(proa_program_run(program, &input, &output), 0);
  EXPECT_THAT(proa_error(), AllOf(HasSubstr("float32[4]"), HasSubstr("float32[3]")));
  EXPECT_EQ(output.rank, 7u);
  dims[0] = 3;
  input.dtype = PROA_INT64;
  EXPECT_NE(proa_program_run(program, &input, &output), 0);
  EXPECT_THAT(proa_error(), HasSubstr("int64[3]"));
  input.dtype = static_cast<proa_dtype>(99);
  EXPECT_NE(proa_program_run(program, &input, &output), 0);
  EXPECT_THAT(proa_error(), HasSubstr("99"));
  input = {PROA_FLOAT32, 1, dims, nullptr};
  EXPECT_NE(proa_program_run(program, &input, &output), 0);
  EXPECT_THAT(proa_error(), HasSubstr("data is NULL"));
  input = {PROA_FLOAT32, 1, nullptr, x};
  EXPECT_NE(proa_program_run(program, &input, &output), 0);
  EXPECT_THAT(proa_error(), HasSubstr("dims are NULL"));
  dims[0] = -1;
  input = {PROA_FLOAT32, 1, dims, x};
  EXPECT_NE(proa_program_run(program, &input, &output), 0);
  EXPECT_THAT(proa_error(), HasSubstr("negative"));
  EXPECT_NE(proa_program_run(program, nullptr, &output), 0);
  EXPECT_NE(proa_program_run(program, &input, nullptr), 0);
  EXPECT_NE(proa_program_run(nullptr, &input, &output), 0);
}

TEST_F(ProgramTest, MeasuresSteps) {
  ASSERT_TRUE(create()) << proa_error();
  run();
  EXPECT_EQ(proa_program_step_count(program), 0u);
  ASSERT_EQ(proa_program_set_profile(program, 1), 0);
  EXPECT_EQ(proa_program_step_count(program), 0u);
  run();
  run();
  ASSERT_EQ(proa_program_step_count(program), 1u);
  proa_step_time time;
  ASSERT_EQ(proa_program_step(program, 0, &time), 0) << proa_error();
  EXPECT_STREQ(time.kernel, "(compiled)");
  EXPECT_THAT(time.types, HasSubstr("float32["));
  EXPECT_GT(time.bytes, 0);
  EXPECT_EQ(time.calls, 1);
  EXPECT_GT(time.milliseconds, 0);
  EXPECT_NE(proa_program_step(program, 1, &time), 0);
  EXPECT_THAT(proa_error(), HasSubstr("found step 1, but 1 steps were measured"));
  EXPECT_NE(proa_program_step(program, 0, nullptr), 0);
  ASSERT_EQ(proa_program_set_profile(program, 0), 0);
  run();
  EXPECT_EQ(proa_program_step_count(program), 1u); // the times stay
  EXPECT_NE(proa_program_set_profile(nullptr, 1), 0);
  EXPECT_EQ(proa_program_step_count(nullptr), 0u);
}

TEST_F(ProgramTest, RefusesDamagedLibraries) {
  data.format = 99;
  EXPECT_FALSE(create());
  EXPECT_THAT(proa_error(), HasSubstr("format is 99"));
  data.format = PROA_PROGRAM_FORMAT;
  data.kernel_count = 2;
  EXPECT_FALSE(create());
  EXPECT_THAT(proa_error(), HasSubstr("2 kernels"));
  data.kernel_count = 1;
  description.embedded[1].offset = 128;
  EXPECT_FALSE(create());
  EXPECT_THAT(proa_error(), AllOf(HasSubstr("'total'"), HasSubstr("128 bytes")));
  description.embedded[1].offset = 65; // not aligned
  EXPECT_FALSE(create());
  description.embedded[1].offset = 64;
  description.resultCount = 3;
  EXPECT_FALSE(create());
  EXPECT_THAT(proa_error(), HasSubstr("3 results"));
  EXPECT_FALSE(proa_program_create(nullptr, nullptr));
}

TEST_F(ProgramTest, RefusesEveryShortenedDescription) {
  std::vector<uint8_t> whole = serialize(description);
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(deserializeDescription(std::span(whole).first(size), sizeof weights, "test")) << size;
  EXPECT_TRUE(deserializeDescription(whole, sizeof weights, "test"));
}

TEST(RuntimeInterface, NamesAndSizesOfDtypes) {
  EXPECT_STREQ(proa_dtype_name(PROA_BFLOAT16), "bfloat16");
  EXPECT_EQ(proa_dtype_size(PROA_COMPLEX128), 16u);
  EXPECT_EQ(proa_dtype_name(static_cast<proa_dtype>(17)), nullptr);
  EXPECT_EQ(proa_dtype_size(static_cast<proa_dtype>(17)), 0u);
}

TEST(RuntimeInterface, SetsThreads) {
  int before = runtime::threads();
  EXPECT_EQ(proa_set_threads(3), 0);
  EXPECT_EQ(runtime::threads(), 3);
  EXPECT_NE(proa_set_threads(-1), 0);
  EXPECT_NE(proa_set_threads(100000), 0);
  EXPECT_EQ(runtime::threads(), 3);
  runtime::setThreads(before);
}

} // namespace
} // namespace proa::aot
