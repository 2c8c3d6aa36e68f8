#include "test/unit/cuda/PlanHarness.h"

namespace proa::runtime {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(DevicePlanTest, StaticProgramStaysOnTheDevice) {
  Plan plan = placed(straightPlan(), {"add_rows", "twice"});
  auto executable = load(plan);
  ASSERT_TRUE(bool(executable->bindParameters({{"w", tensor({4}, {10, 20, 30, 40})}})));
  auto session = Session::create(executable);
  ASSERT_TRUE(bool(session));
  EXPECT_THAT(driver->log(), ElementsAre("copy to device 16", "wait"));
  for (int run = 0; run < 3; ++run) {
    driver->clearLog();
    auto results = (*session)->run({{"x", tensor({2, 4}, eight)}});
    ASSERT_TRUE(bool(results)) << results.diagnostics().text();
    EXPECT_THAT(floats((*results)[0]), ElementsAre(22, 44, 66, 88, 30, 52, 74, 96));
    if (run == 0)
      EXPECT_THAT(driver->log(), ElementsAre("copy to device 32", "launch add_rows 2x128+0",
                                             "launch twice 2x128+0", "copy to host 32", "wait"));
    else
      EXPECT_THAT(driver->log(), ElementsAre("copy to device 32", "launch graph", "copy to host 32", "wait"));
  }
}

TEST_F(DevicePlanTest, LeavesNoMemoryBehind) {
  {
    Plan plan = placed(straightPlan(), {"add_rows", "twice"});
    auto executable = load(plan);
    ASSERT_TRUE(bool(executable->bindParameters({{"w", tensor({4}, {1, 1, 1, 1})}})));
    auto session = Session::create(executable);
    ASSERT_TRUE(bool(session) && bool((*session)->run({{"x", tensor({2, 4}, eight)}})));
    EXPECT_GT(driver->allocatedBytes(), 0);
  }
  EXPECT_EQ(driver->allocatedBytes(), 0);
}

TEST_F(DevicePlanTest, StepsWithoutLaunchRunOnTheHost) {
  for (const char *onDevice : {"add_rows", "twice"}) {
    driver->clearLog();
    Plan plan = placed(straightPlan(), {onDevice});
    auto executable = load(plan);
    ASSERT_TRUE(bool(executable->bindParameters({{"w", tensor({4}, {10, 20, 30, 40})}})));
    auto session = Session::create(executable);
    ASSERT_TRUE(bool(session));
    auto results = (*session)->run({{"x", tensor({2, 4}, eight)}});
    ASSERT_TRUE(bool(results)) << results.diagnostics().text();
    EXPECT_THAT(floats((*results)[0]), ElementsAre(22, 44, 66, 88, 30, 52, 74, 96));
    EXPECT_EQ(count("copy to host 32"), 1U);
    EXPECT_EQ(count("copy to device 32"), 1U);
  }
}

TEST_F(DevicePlanTest, PlanWithoutDeviceStepsIsUnchanged) {
  Plan before = straightPlan(), after = placed(straightPlan(), {});
  EXPECT_EQ(after.values.size(), before.values.size());
  EXPECT_FALSE(usesDevice(after));
}

TEST_F(DevicePlanTest, LargeCopiesAreLeftToTheDriver) {
  Plan plan = placed(straightPlan(), {"add_rows", "twice"});
  auto executable = load(plan, {.waitsAfterLaunch = false, .stagingBytes = 0});
  ASSERT_TRUE(bool(executable->bindParameters({{"w", tensor({4}, {0, 0, 0, 0})}})));
  auto session = Session::create(executable);
  auto results = (*session)->run({{"x", tensor({2, 4}, eight)}});
  ASSERT_TRUE(bool(results));
  EXPECT_THAT(floats((*results)[0]), ElementsAre(2, 4, 6, 8, 10, 12, 14, 16));
}

TEST_F(DevicePlanTest, PlanSurvivesSerialization) {
  Plan plan = placed(straightPlan(), {"add_rows", "twice"});
  auto read = deserialize(serialize(plan), "net");
  ASSERT_TRUE(bool(read)) << read.diagnostics().text();
  EXPECT_EQ(read->deviceArenaBytes, plan.deviceArenaBytes);
  EXPECT_EQ(serialize(*read), serialize(plan));
  auto executable = load(*read);
  ASSERT_TRUE(bool(executable->bindParameters({{"w", tensor({4}, {0, 0, 0, 0})}})));
  auto results = (*Session::create(executable))->run({{"x", tensor({2, 4}, eight)}});
  ASSERT_TRUE(bool(results));
  EXPECT_THAT(floats((*results)[0]), ElementsAre(2, 4, 6, 8, 10, 12, 14, 16));
}

/// y = flatten(x + w) * length, also fetched as [?, 2].
TEST_F(DevicePlanTest, DynamicDims) {
  PlanMaker maker;
  ValueId x = maker.value(DType::Float32, {dynamicDim, 4}, Storage::Feed, "x"),
          w = maker.value(DType::Float32, {4}, Storage::Parameter, "w"),
          sum = maker.value(DType::Float32, {dynamicDim, 4}, Storage::Dynamic, "sum"),
          flat = maker.value(DType::Float32, {dynamicDim}, Storage::Alias, "flat"),
          y = maker.value(DType::Float32, {dynamicDim}, Storage::Dynamic, "y"),
          pairs = maker.value(DType::Float32, {dynamicDim, 2}, Storage::Alias, "pairs");
  maker.plan.values[static_cast<size_t>(flat)].base = sum;
  maker.plan.values[static_cast<size_t>(pairs)].base = y;
  maker.plan.steps = {kernelStep("add_rows", {x, w}, {sum}, dynamicDim),
                      kernelStep("times_length", {flat}, {y}, dynamicDim)};
  maker.fetch(y);
  maker.fetch(pairs);
  Plan plan = placed(maker.plan, {"add_rows", "times_length"});
  auto executable = load(plan);
  ASSERT_TRUE(bool(executable->bindParameters({{"w", tensor({4}, {10, 20, 30, 40})}})));
  auto session = Session::create(executable);
  ASSERT_TRUE(bool(session));
  for (int64_t n : {1, 3, 0, 2}) {
    std::vector<float> values(static_cast<size_t>(n) * 4, 1);
    auto results = (*session)->run({{"x", tensor({n, 4}, values)}});
    ASSERT_TRUE(bool(results)) << results.diagnostics().text();
    EXPECT_THAT((*results)[0].dims(), ElementsAre(4 * n));
    EXPECT_THAT((*results)[1].dims(), ElementsAre(2 * n, 2));
    for (int64_t i = 0; i < 4 * n; ++i) {
      float expected = static_cast<float>((1 + 10 * (i % 4 + 1)) * 4 * n);
      EXPECT_EQ(floats((*results)[0])[static_cast<size_t>(i)], expected);
      EXPECT_EQ(floats((*results)[1])[static_cast<size_t>(i)], expected);
    }
  }
}

namespace {

/// i = 0; while (i < n) { i = i + 1; (x, y) = (y, 2 * x); } with n, x, y fed.
Plan loopPlan() {
  PlanMaker maker;
  auto scalar = [&](DType dtype, Storage storage, const std::string &name) {
    return maker.value(dtype, {}, storage, name);
  };
  ValueId n = scalar(DType::Int64, Storage::Feed, "n"), x = scalar(DType::Float32, Storage::Feed, "x"),
          y = scalar(DType::Float32, Storage::Feed, "y"),
          zero = scalar(DType::Int64, Storage::Constant, "zero");
  ValueId i = scalar(DType::Int64, Storage::Dynamic, "i"), a = scalar(DType::Float32, Storage::Dynamic, "a"),
          b = scalar(DType::Float32, Storage::Dynamic, "b"),
          continues = scalar(DType::Bool, Storage::Arena, "continues");
  ValueId next = scalar(DType::Int64, Storage::Dynamic, "next"),
          doubled = scalar(DType::Float32, Storage::Dynamic, "doubled");
  ValueId lastI = scalar(DType::Int64, Storage::Dynamic, "lastI"),
          lastA = scalar(DType::Float32, Storage::Dynamic, "lastA"),
          lastB = scalar(DType::Float32, Storage::Dynamic, "lastB");
  maker.plan.constants.resize(8);
  Step loop;
  loop.kind = StepKind::While;
  loop.symbol = "while";
  loop.location = "net.py:100";
  loop.inputs = {zero, x, y};
  loop.bodies.resize(2);
  loop.bodies[0].arguments = loop.bodies[1].arguments = {i, a, b};
  loop.bodies[0].steps = {kernelStep("less", {i, n}, {continues})};
  loop.bodies[0].results = {continues, i, a, b};
  loop.bodies[1].steps = {kernelStep("inc", {i}, {next}), kernelStep("twice_number", {a}, {doubled})};
  loop.bodies[1].results = {next, b, doubled};
  loop.outputs = {lastI, lastA, lastB};
  maker.plan.steps = {loop};
  for (ValueId id : loop.outputs)
    maker.fetch(id);
  return maker.plan;
}

} // namespace

TEST_F(DevicePlanTest, LoopOnEachSideAndOnBoth) {
  const std::vector<std::vector<std::string>> splits = {
      {"less", "inc", "twice_number"}, {"twice_number"}, {"inc"}, {"less"}, {"inc", "less"}, {}};
  for (const auto &onDevice : splits) {
    Plan plan = placed(loopPlan(), onDevice);
    auto executable = load(plan);
    ASSERT_NE(executable, nullptr);
    auto session = Session::create(executable);
    ASSERT_TRUE(bool(session)) << session.diagnostics().text();
    for (int64_t n : {0, 1, 5}) {
      auto results = (*session)->run({{"n", number<int64_t>(DType::Int64, n)},
                                      {"x", number<float>(DType::Float32, 3)},
                                      {"y", number<float>(DType::Float32, 5)}});
      ASSERT_TRUE(bool(results)) << results.diagnostics().text();
      float x = 3, y = 5;
      for (int64_t i = 0; i < n; ++i) {
        float doubled = 2 * x;
        x = y;
        y = doubled;
      }
      EXPECT_EQ(*static_cast<const int64_t *>((*results)[0].data()), n);
      EXPECT_EQ(floats((*results)[1])[0], x);
      EXPECT_EQ(floats((*results)[2])[0], y);
    }
  }
}

TEST_F(DevicePlanTest, ValuesFromOutsideAreCopiedBeforeTheLoop) {
  Plan plan = placed(loopPlan(), {"less", "inc", "twice_number"});
  auto executable = load(plan);
  auto session = Session::create(executable);
  driver->clearLog();
  auto results = (*session)->run({{"n", number<int64_t>(DType::Int64, 5)},
                                  {"x", number<float>(DType::Float32, 3)},
                                  {"y", number<float>(DType::Float32, 5)}});
  ASSERT_TRUE(bool(results));
  EXPECT_EQ(count("copy to device 8"), 1U); // n
  EXPECT_EQ(count("copy to device 4"), 2U); // x and y
  EXPECT_EQ(count("copy to host 1"), 6U);   // the condition
}

TEST_F(DevicePlanTest, BranchOnEachSide) {
  for (const auto &onDevice :
       std::vector<std::vector<std::string>>{{"twice"}, {"log"}, {"twice", "log"}, {"add_rows", "log"}}) {
    PlanMaker maker;
    ValueId condition = maker.value(DType::Bool, {}, Storage::Feed, "condition"),
            x = maker.rows(Storage::Feed, "x"), w = maker.value(DType::Float32, {4}, Storage::Parameter, "w"),
            sum = maker.rows(Storage::Arena, "sum"), first = maker.rows(Storage::Dynamic, "first"),
            second = maker.rows(Storage::Dynamic, "second"), out = maker.rows(Storage::Dynamic, "out");
    Step branch;
    branch.kind = StepKind::If;
    branch.symbol = "if";
    branch.inputs = {condition};
    branch.outputs = {out};
    branch.bodies.resize(2);
    branch.bodies[0].steps = {kernelStep("twice", {sum}, {first}, 2)};
    branch.bodies[0].results = {first};
    branch.bodies[1].steps = {kernelStep("log", {sum}, {second}, 2)};
    branch.bodies[1].results = {second};
    maker.plan.steps = {kernelStep("add_rows", {x, w}, {sum}, 2), branch};
    maker.fetch(out);
    Plan plan = placed(maker.plan, onDevice);
    auto executable = load(plan);
    ASSERT_NE(executable, nullptr);
    ASSERT_TRUE(bool(executable->bindParameters({{"w", tensor({4}, {0, 0, 0, 0})}})));
    auto session = Session::create(executable);
    for (bool holds : {true, false}) {
      auto results =
          (*session)->run({{"condition", number<bool>(DType::Bool, holds)}, {"x", tensor({2, 4}, eight)}});
      ASSERT_TRUE(bool(results)) << results.diagnostics().text();
      EXPECT_FLOAT_EQ(floats((*results)[0])[7], holds ? 16.0F : std::log(8.0F));
    }
  }
}

/// A reshape hands on the bytes of a device value; only the shape is read on the host.
TEST_F(DevicePlanTest, ReshapeStaysOnTheDevice) {
  PlanMaker maker;
  ValueId x = maker.value(DType::Float32, {dynamicDim, 4}, Storage::Feed, "x"),
          w = maker.value(DType::Float32, {4}, Storage::Parameter, "w"),
          shape = maker.value(DType::Int64, {1}, Storage::Feed, "shape"),
          sum = maker.value(DType::Float32, {dynamicDim, 4}, Storage::Dynamic, "sum"),
          flat = maker.value(DType::Float32, {dynamicDim}, Storage::Alias, "flat"),
          y = maker.value(DType::Float32, {dynamicDim}, Storage::Dynamic, "y");
  maker.plan.values[static_cast<size_t>(flat)].base = sum;
  Step reshape = kernelStep("reshape", {sum, shape}, {flat});
  reshape.kind = StepKind::Library;
  maker.plan.steps = {kernelStep("add_rows", {x, w}, {sum}, dynamicDim), reshape,
                      kernelStep("times_length", {flat}, {y}, dynamicDim)};
  maker.fetch(y);
  Plan plan = placed(maker.plan, {"add_rows", "times_length"});
  auto executable = load(plan);
  ASSERT_NE(executable, nullptr);
  ASSERT_TRUE(bool(executable->bindParameters({{"w", tensor({4}, {0, 0, 0, 0})}})));
  auto session = Session::create(executable);
  Tensor dims(DType::Int64, {1});
  *static_cast<int64_t *>(dims.data()) = -1;
  driver->clearLog();
  auto results = (*session)->run({{"x", tensor({2, 4}, eight)}, {"shape", dims}});
  ASSERT_TRUE(bool(results)) << results.diagnostics().text();
  EXPECT_THAT(floats((*results)[0]), ElementsAre(8, 16, 24, 32, 40, 48, 56, 64));
  EXPECT_EQ(count("copy to host 32"), 1U);
}

TEST_F(DevicePlanTest, PreparedValuesStayOnTheDevice) {
  PlanMaker maker;
  ValueId x = maker.rows(Storage::Feed, "x"), p = maker.rows(Storage::Parameter, "p"),
          w = maker.value(DType::Float32, {4}, Storage::Alias, "w"),
          prepared = maker.rows(Storage::Prepared, "prepared"), y = maker.rows(Storage::Arena, "y");
  maker.plan.values[static_cast<size_t>(w)].base = p;
  maker.plan.prepare = {kernelStep("twice", {p}, {prepared}, 2)};
  maker.plan.steps = {kernelStep("add_rows", {x, w}, {y}, 2)};
  maker.fetch(y);
  maker.fetch(prepared);
  Plan plan = placed(maker.plan, {"add_rows", "twice"});
  auto executable = load(plan);
  ASSERT_NE(executable, nullptr);
  ASSERT_TRUE(bool(executable->bindParameters({{"p", tensor({2, 4}, eight)}})));
  EXPECT_EQ(count("copy to device 32"), 1U); // the alias needs no copy of its own
  auto results = (*Session::create(executable))->run({{"x", tensor({2, 4}, eight)}});
  ASSERT_TRUE(bool(results)) << results.diagnostics().text();
  EXPECT_THAT(floats((*results)[0]), ElementsAre(2, 4, 6, 8, 6, 8, 10, 12));
  EXPECT_THAT(floats((*results)[1]), ElementsAre(2, 4, 6, 8, 10, 12, 14, 16));
}

TEST_F(DevicePlanTest, ProfileShowsDeviceStepsAndCopies) {
  Plan plan = placed(straightPlan(), {"add_rows", "twice"});
  auto executable = load(plan);
  ASSERT_TRUE(bool(executable->bindParameters({{"w", tensor({4}, {0, 0, 0, 0})}})));
  auto session = Session::create(executable);
  Profile profile(executable->plan());
  (*session)->setProfile(&profile);
  ASSERT_TRUE(bool((*session)->run({{"x", tensor({2, 4}, eight)}})));
  std::string table = profile.table();
  EXPECT_THAT(table, AllOf(HasSubstr("(device)       add_rows"), HasSubstr("copy_to_device x"),
                           HasSubstr("copy_to_host   y"), HasSubstr("wait")));
  EXPECT_THAT(table, Not(HasSubstr("(compiled)")));
}

TEST_F(DevicePlanTest, FiniteCheckReadsDeviceValues) {
  PlanMaker maker;
  ValueId x = maker.rows(Storage::Feed, "x"), y = maker.rows(Storage::Arena, "y"),
          z = maker.rows(Storage::Arena, "z");
  maker.plan.steps = {kernelStep("log", {x}, {y}, 2), kernelStep("twice", {y}, {z}, 2)};
  maker.fetch(z);
  Plan plan = placed(maker.plan, {"log", "twice"});
  auto executable = load(plan);
  ASSERT_TRUE(bool(executable->checkFinite()));
  auto session = Session::create(executable);
  EXPECT_TRUE(bool((*session)->run({{"x", tensor({2, 4}, eight)}})));
  auto results = (*session)->run({{"x", tensor({2, 4}, {1, 2, 3, -4, 5, 6, 7, 8})}});
  ASSERT_FALSE(results);
  EXPECT_THAT(results.diagnostics().text(), AllOf(HasSubstr("net.py:7: log"), HasSubstr("output 'y'"),
                                                  HasSubstr("NaN"), HasSubstr("[0, 3]")));
}

TEST_F(DevicePlanTest, OutOfMemoryNamesWhatUsesTheMemory) {
  driver = std::make_shared<RecordingDriver>(64);
  Plan plan = placed(straightPlan(), {"add_rows", "twice"});
  auto executable = load(plan);
  ASSERT_TRUE(bool(executable->bindParameters({{"w", tensor({4}, {0, 0, 0, 0})}})));
  auto session = Session::create(executable);
  ASSERT_FALSE(session);
  EXPECT_THAT(session.diagnostics().text(),
              AllOf(HasSubstr("no memory on recording driver for 128 bytes (48 of 64 bytes free)"),
                    HasSubstr("16 bytes for parameters and constants"),
                    HasSubstr("128 bytes for values of static dims"), HasSubstr("of which the largest are"),
                    HasSubstr("sum float32[2, 4] (32 bytes)"), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY")));
}

TEST_F(DevicePlanTest, ErrorOfAsynchronousWorkNamesKernels) {
  Plan plan = placed(straightPlan(), {"add_rows", "twice"});
  for (bool waits : {false, true}) {
    driver = std::make_shared<RecordingDriver>();
    auto executable = load(plan, {.waitsAfterLaunch = waits});
    ASSERT_TRUE(bool(executable->bindParameters({{"w", tensor({4}, {0, 0, 0, 0})}})));
    auto session = Session::create(executable);
    driver->failCalls("cuStreamSynchronize", "CUDA_ERROR_ILLEGAL_ADDRESS");
    auto results = (*session)->run({{"x", tensor({2, 4}, eight)}});
    ASSERT_FALSE(results);
    EXPECT_THAT(
        results.diagnostics().text(),
        HasSubstr(waits ? "net: net.py:7: add_rows -> sum: recording driver, in net.py:7: add_rows: "
                          "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS"
                        : "recording driver, in one of the steps 'net.py:7: add_rows', 'net.py:7: twice': "
                          "cuStreamSynchronize"));
  }
}

TEST_F(DevicePlanTest, LoadingReportsWhatIsMissing) {
  Plan plan = placed(straightPlan(), {"add_rows", "twice"});
  auto without = Executable::create(plan, "net", resolve);
  ASSERT_FALSE(without);
  EXPECT_THAT(without.diagnostics().text(),
              HasSubstr("net: the plan has steps on a device, but no device is given"));
  DeviceCode code{"sm_80", {{"add_rows", "cubin", ""}}};
  auto other = Executable::create(plan, "net", resolve, nullptr, std::make_shared<CudaDevice>(driver, code));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.diagnostics().text(),
              AllOf(HasSubstr("kernel 'add_rows' is compiled for sm_80, but recording driver has compute "
                              "capability 9.0"),
                    HasSubstr("the device code has no kernel 'twice'")));
}

/// The CUDA driver may be older than the assembler.
TEST_F(DevicePlanTest, PtxIsLoadedWhereMachineCodeIsRefused) {
  auto load = [&](const char *ptx) {
    cuda::CudaDevice device(driver, DeviceCode{"sm_90", {{"twice", "cubin", ptx}}}, {});
    DeviceLaunch launch;
    launch.threads = 128;
    driver->failCalls("cuModuleLoadDataEx", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", 0, /*times=*/1);
    auto bound = device.bind("twice", launch);
    return bound ? std::string() : bound.diagnostics().text();
  };
  EXPECT_EQ(load(".version 8.4"), "");
  EXPECT_THAT(load(""), HasSubstr("CUDA_ERROR_UNSUPPORTED_PTX_VERSION"));
}

TEST_F(DevicePlanTest, VerifierFindsWrongMemory) {
  auto textOf = [](const Plan &plan) { return verify(plan, "net").diagnostics().text(); };
  const Plan valid = placed(straightPlan(), {"add_rows", "twice"});
  EXPECT_EQ(textOf(valid), "");
  Plan plan = valid;
  std::erase_if(plan.steps, [](const Step &step) { return step.kind == StepKind::Wait; });
  EXPECT_THAT(textOf(plan), HasSubstr("steps: ends before the wait for the copy to value"));
  plan = valid;
  plan.steps[1].launch = {};
  EXPECT_THAT(textOf(plan), HasSubstr("is in the memory of the other side"));
  plan = valid;
  plan.steps[1].launch.parameters = "pp";
  EXPECT_THAT(textOf(plan), HasSubstr("expected 3 buffers and 0 dynamic dims"));
  plan = valid;
  plan.deviceArenaBytes = 64;
  EXPECT_THAT(textOf(plan), HasSubstr("lie outside of the arena"));
  plan = valid;
  plan.values[0].memory = Memory::Device;
  EXPECT_THAT(textOf(plan), HasSubstr("a value of its storage cannot be in device memory"));
}

TEST(DeviceCodeTest, ChipsRunOnTheirDevices) {
  EXPECT_TRUE(cuda::runsOn("sm_80", 8, 6));
  EXPECT_FALSE(cuda::runsOn("sm_86", 8, 0));
  EXPECT_FALSE(cuda::runsOn("sm_80", 9, 0));
  EXPECT_TRUE(cuda::runsOn("sm_90a", 9, 0));
  EXPECT_FALSE(cuda::runsOn("sm_100a", 10, 3));
  EXPECT_TRUE(cuda::runsOn("sm_100", 10, 3));
  EXPECT_FALSE(cuda::runsOn("gfx90a", 9, 0));
}

TEST(DeviceCodeTest, SurvivesSerialization) {
  DeviceCode code{"sm_90a",
                  {{"k",
                    std::string("\x7f"
                                "ELF\0",
                                5),
                    ".version 8.4"}}};
  auto read = cuda::deserializeDeviceCode(cuda::serialize(code), "cache");
  ASSERT_TRUE(bool(read));
  EXPECT_EQ(read->chip, "sm_90a");
  EXPECT_EQ(read->kernels[0].cubin, code.kernels[0].cubin);
  std::vector<uint8_t> damaged = {1, 2, 3};
  EXPECT_FALSE(cuda::deserializeDeviceCode(damaged, "cache"));
}

} // namespace proa::runtime
