#include "lib/runtime/plan/Plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace proa::runtime {
namespace {

using ::testing::HasSubstr;

/// feed, parameter, constant -> arena -> dynamic -> fetched alias.
Plan samplePlan() {
  Plan plan;
  plan.values = {
      {DType::Float32, {dynamicDim, 4}, Storage::Feed, 0, none, "x"},
      {DType::Float32, {4, 4}, Storage::Parameter, 0, none, "w"},
      {DType::Int64, {2}, Storage::Constant, 64, none, "c"},
      {DType::Float32, {4, 4}, Storage::Prepared, 0, none, "p"},
      {DType::Float32, {16}, Storage::Arena, 128, none, "a"},
      {DType::Float32, {dynamicDim, 4}, Storage::Dynamic, 0, none, "d"},
      {DType::Float32, {dynamicDim}, Storage::Alias, 0, 5, "r"},
  };
  plan.feeds = {0};
  plan.parameters = {1};
  plan.prepare = {
      {StepKind::Library, "expand", {1, none}, {3}, {{"shape", {4, 4}}}, 1, 0, 0, "t", "net.py:1", {}, {}}};
  plan.steps = {{StepKind::Kernel, "k0", {2, 3}, {4}, {}, 16, 12.5, 0, "add", "net.py:2", {}, {}},
                {StepKind::Kernel, "k1", {0, 4}, {5}, {}, dynamicDim, 0, 0, "mul", "", {}, {}}};
  plan.steps[1].dimChecks = {{.input = 0, .axis = 0, .other = 1, .otherAxis = 0},
                             {.input = 0, .axis = 0, .size = 16, .mayBeOne = true}};
  for (Step &step : plan.steps)
    step.attributes = nlohmann::json::object();
  plan.fetches = {6, 0};
  plan.fetchNames = {"y", "x"};
  plan.arenaBytes = 192;
  plan.constants.resize(80, std::byte(7));
  return plan;
}

TEST(Plan, RoundTrip) {
  Plan plan = samplePlan();
  ASSERT_TRUE(verify(plan, "sample")) << verify(plan, "sample").diagnostics().text();
  std::vector<uint8_t> bytes = serialize(plan);
  Result<Plan> again = deserialize(bytes, "sample");
  ASSERT_TRUE(again) << again.diagnostics().text();
  EXPECT_EQ(serialize(*again), bytes);
  EXPECT_EQ(again->values[6].base, 5);
  EXPECT_EQ(again->values[2].offset, 64);
  EXPECT_EQ(again->steps[0].work, 12.5);
  EXPECT_EQ(again->steps[0].location, "net.py:2");
  EXPECT_EQ(again->prepare[0].attributes["shape"], (std::vector<int>{4, 4}));
  EXPECT_EQ(again->prepare[0].inputs[1], none);
  EXPECT_EQ(again->constants, plan.constants);
  ASSERT_EQ(again->steps[1].dimChecks.size(), 2u);
  EXPECT_EQ(again->steps[1].dimChecks[0].other, 1);
  EXPECT_EQ(again->steps[1].dimChecks[1].size, 16);
  EXPECT_TRUE(again->steps[1].dimChecks[1].mayBeOne);
  EXPECT_FALSE(again->steps[1].dimChecks[0].mayBeOne);
  EXPECT_FALSE(again->cpu);
}

TEST(Plan, KeepsFactsOfItsCpu) {
  Plan plan = samplePlan();
  plan.cpu = *knownFacts<CpuFacts>("avx2");
  plan.cpu->memoryBandwidth = 41000;
  Result<Plan> again = deserialize(serialize(plan), "sample");
  ASSERT_TRUE(again) << again.diagnostics().text();
  EXPECT_EQ(again->cpu, plan.cpu);
  plan.cpu->name = "z80";
  Result<Plan> unknown = deserialize(serialize(plan), "sample");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.diagnostics().text(),
              HasSubstr("sample: field 'cpu': expected facts of a known CPU: avx2"));
  plan.cpu->name = "avx2";
  plan.cpu->memoryBandwidth = 0;
  EXPECT_THAT(deserialize(serialize(plan), "sample").diagnostics().text(),
              HasSubstr("sample: /cpu/memory_bandwidth"));
}

TEST(Plan, DamagedPlansDoNotCrash) {
  std::vector<uint8_t> bytes = serialize(samplePlan());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(deserialize(std::span(bytes).first(size), "cut"));
  for (size_t i = 0; i < bytes.size(); ++i)
    for (uint8_t flip : {uint8_t(0x01), uint8_t(0x20), uint8_t(0xff)}) {
      std::vector<uint8_t> changed = bytes;
      changed[i] ^= flip;
      (void)deserialize(changed, "changed"); // it may be valid; it must not crash
    }
}

/// The message of verify after `change`.
std::string messageAfter(const std::function<void(Plan &)> &change) {
  Plan plan = samplePlan();
  change(plan);
  return verify(plan, "sample").diagnostics().text();
}

TEST(Plan, VerifyReportsErrors) {
  EXPECT_THAT(messageAfter([](Plan &p) { p.values[4].offset = 192; }),
              HasSubstr("lie outside of the arena, which has 192"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.values[4].offset = 4; }),
              HasSubstr("offset 4 is not a multiple of 64"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.values[2].offset = 128; }),
              HasSubstr("lie outside of the constants, which has 80"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.values[4].dims = {dynamicDim}; }), HasSubstr("needs static dims"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.values[4].dims = {int64_t(1) << 40, int64_t(1) << 40}; }),
              HasSubstr("does not fit in 63 bits"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.values[6].base = 6; }),
              HasSubstr("base 6 is not an earlier value"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.values[6].dims = {dynamicDim, dynamicDim}; }),
              HasSubstr("several dynamic dims"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.feeds = {}; }),
              HasSubstr("values[0] 'x': is not in the list of its storage"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.feeds = {77}; }),
              HasSubstr("feeds[0]: 77 is not a value of that storage"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.steps[1].inputs[1] = 70; }),
              HasSubstr("steps[1] 'k1': input 70 is not a value"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.steps[1].inputs[1] = none; }),
              HasSubstr("input -1 is not a value"));
  EXPECT_THAT(messageAfter([](Plan &p) { std::swap(p.steps[0], p.steps[1]); }),
              HasSubstr("reads value 4 'a' before it is written"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.steps[0].outputs = {1}; }),
              HasSubstr("writes value 1 'w', which is not its own"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.steps[1].release = {5}; }),
              HasSubstr("fetches[0]: value 6 is not there at the end"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.steps[1].release = {4}; }),
              HasSubstr("releases 4, which is not a live dynamic value"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.fetches[0] = 99; }),
              HasSubstr("fetches[0]: value 99 is not there"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.fetchNames.pop_back(); }), HasSubstr("1 names for 2 fetches"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.values[4].storage = Storage::Result; }),
              HasSubstr("values[4] 'a': is a result that is not fetched"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.arenaBytes = -5; }), HasSubstr("-5 is not a size"));
}

TEST(Plan, VerifyReportsDimsThatStepsDoNotHave) {
  auto messageWith = [](DimCheck check) {
    return messageAfter([&](Plan &p) { p.steps[1].dimChecks[0] = check; });
  };
  EXPECT_EQ(messageWith({.input = 0, .axis = 1, .other = 1, .otherAxis = 0}), "");
  const char *const message = "steps[1] 'k1': compares dim ";
  for (DimCheck wrong :
       {DimCheck{.input = 2, .axis = 0, .size = 4}, DimCheck{.input = -1, .axis = 0, .size = 4},
        DimCheck{.input = 0, .axis = 2, .size = 4}, DimCheck{.input = 0, .axis = -1, .size = 4},
        DimCheck{.input = 0, .axis = 0, .other = 2}, DimCheck{.input = 0, .axis = 0, .other = -2},
        DimCheck{.input = 0, .axis = 0, .other = 1, .otherAxis = 1}, DimCheck{.input = 0, .axis = 0}})
    EXPECT_THAT(messageWith(wrong), HasSubstr(message));
  EXPECT_THAT(messageAfter([](Plan &p) { p.prepare[0].dimChecks = {{.input = 0, .axis = 0, .size = 4}}; }),
              HasSubstr("compares dim 0 of input 0"))
      << "only kernels have such checks";
}

TEST(Plan, VerifyReportsChecksOfUnknownKinds) {
  auto messageWith = [](CheckedNumber kind) {
    return messageAfter(
        [&](Plan &p) { p.steps[1].checks = {{.indices = 0, .bound = 0, .axis = 0, .kind = kind}}; });
  };
  EXPECT_EQ(messageWith(CheckedNumber::GroupSize), "");
  EXPECT_THAT(messageWith(static_cast<CheckedNumber>(3)),
              HasSubstr("steps[1] 'k1': checks the indices of input 0"));
}

/// a is sent while another kernel runs; then it is received as f.
Plan planWithStart() {
  Plan plan = samplePlan();
  plan.values.push_back({DType::Float32, {16}, Storage::Arena, 192, none, "f"});
  plan.values.push_back({DType::Float32, {16}, Storage::Arena, 256, none, "g"});
  plan.values.push_back({DType::Float32, {16}, Storage::Alias, 0, 7, "result"});
  plan.arenaBytes = 320;
  Step start{StepKind::Library, "send", {4}, {7}, {}, 1, 0, 0, "", "", {}, {}},
      kernel = plan.steps[0], wait{StepKind::Library, "dist_wait", {7, 4}, {9}};
  start.isStart = true;
  start.attributes = nlohmann::json::object();
  kernel.outputs = {8};
  plan.steps.insert(plan.steps.begin() + 1, {start, kernel, wait});
  plan.fetches[1] = 9;
  plan.values[7].storage = Storage::Result;
  plan.values[7].offset = 0;
  return plan;
}

TEST(Plan, StartedStepsRoundTrip) {
  Plan plan = planWithStart();
  ASSERT_TRUE(verify(plan, "sample")) << verify(plan, "sample").diagnostics().text();
  Result<Plan> again = deserialize(serialize(plan), "sample");
  ASSERT_TRUE(again) << again.diagnostics().text();
  EXPECT_FALSE(again->steps[0].isStart);
  EXPECT_TRUE(again->steps[1].isStart);
  EXPECT_TRUE(again->steps[3].isWait());
}

TEST(Plan, BuffersOfStartedStepsStayUntilTheWait) {
  auto messageAfter = [](const std::function<void(Plan &)> &change) {
    Plan plan = planWithStart();
    change(plan);
    return verify(plan, "sample").diagnostics().text();
  };
  EXPECT_EQ(messageAfter([](Plan &) {}), "");
  EXPECT_THAT(messageAfter([](Plan &p) {
                std::swap(p.steps[2], p.steps[3]);
                p.steps[2].inputs = {7};
              }),
              HasSubstr("does not keep value 4 'a'"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.steps[2].inputs = {7}; }),
              HasSubstr("reads value 7 'f' before the wait for it"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.values[8].offset = 128; }),
              HasSubstr("changes the bytes of value 8 before the wait for value 7"));
  EXPECT_THAT(messageAfter([](Plan &p) {
                p.values[7].storage = Storage::Arena;
                p.values[7].offset = 256;
              }),
              HasSubstr("changes the bytes of value 8 before the wait for value 7"));
  EXPECT_THAT(messageAfter([](Plan &p) {
                p.steps.erase(p.steps.begin() + 3);
                p.fetches[1] = 0;
                p.values[7].storage = Storage::Arena;
                p.values[7].offset = 192;
              }),
              HasSubstr("steps: ends before the wait for value 7"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.steps[1].isStart = false; }),
              HasSubstr("waits for a value that no earlier step of this list has started"));
  EXPECT_THAT(messageAfter([](Plan &p) { p.steps[1].kind = StepKind::Kernel; }),
              HasSubstr("only a library step with one output"));
}

TEST(Plan, AllErrorsAtOnce) {
  Plan plan = samplePlan();
  plan.values[4].offset = 4;
  plan.values[6].base = 9;
  plan.fetchNames.clear();
  EXPECT_EQ(verify(plan, "sample").diagnostics().size(), 3u);
}

} // namespace
} // namespace proa::runtime
