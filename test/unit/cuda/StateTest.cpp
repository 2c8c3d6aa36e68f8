// States of a plan that stay on the device between runs.
#include "test/unit/cuda/PlanHarness.h"

namespace proa::runtime {

using ::testing::HasSubstr;

namespace {

/// The state w is doubled in each run; y is twice the new one.
PlanMaker doubling() {
  PlanMaker maker;
  ValueId w = maker.rows(Storage::Feed, "w"), next = maker.rows(Storage::Arena, "next"),
          y = maker.rows(Storage::Arena, "y");
  maker.plan.steps = {kernelStep("twice", {w}, {next}, 2), kernelStep("twice", {next}, {y}, 2)};
  maker.fetch(y);
  maker.fetch(next);
  maker.plan.states = {{.feed = w, .fetch = 1}};
  return maker;
}

std::vector<float> scaled(float factor) {
  std::vector<float> values(eight);
  for (float &value : values)
    value *= factor;
  return values;
}

class StateTest : public DevicePlanTest {
protected:
  std::shared_ptr<Executable> executable;

  std::unique_ptr<Session> start(const Plan &plan, bool keeps = true) {
    executable = load(plan);
    auto session = Session::create(executable);
    EXPECT_TRUE(bool(session)) << session.diagnostics().text();
    (*session)->keepStates(keeps);
    driver->clearLog();
    return std::move(*session);
  }
  static Tensor initial() { return tensor({2, 4}, eight); }
};

} // namespace

TEST_F(StateTest, IsCopiedToTheDeviceOnce) {
  Plan plan = placed(doubling().plan, {"twice"});
  ASSERT_EQ(plan.states.size(), 1U);
  auto session = start(plan);
  for (int run = 0; run < 4; ++run) {
    driver->clearLog();
    auto results = session->run(run == 0 ? NamedTensors{{"w", initial()}} : NamedTensors());
    ASSERT_TRUE(bool(results)) << results.diagnostics().text();
    EXPECT_EQ(floats((*results)[0]), scaled(4.0F * static_cast<float>(1 << run)));
    EXPECT_TRUE(session->stayed(1));
    EXPECT_FALSE(session->stayed(0));
    EXPECT_EQ(count("copy to device 32"), run == 0 ? 1U : 0U);
    EXPECT_EQ(count("copy to host 32"), 1U);
    EXPECT_EQ(count("copy on device 32"), 1U);
    EXPECT_EQ(count("launch graph"), run == 0 ? 0U : 1U);
  }
  auto value = session->residentState("w");
  ASSERT_TRUE(bool(value)) << value.diagnostics().text();
  EXPECT_EQ(floats(*value), scaled(16));
  EXPECT_THAT(session->residentState("v").diagnostics().text(), HasSubstr("'v' is not on the device"));
}

TEST_F(StateTest, AFeedReplacesIt) {
  auto session = start(placed(doubling().plan, {"twice"}));
  EXPECT_THAT(session->run(NamedTensors()).diagnostics().text(), HasSubstr("feed 'w': is missing"));
  for (int run = 0; run < 3; ++run)
    ASSERT_TRUE(bool(session->run({{"w", initial()}})));
  auto value = session->residentState("w");
  ASSERT_TRUE(bool(value));
  EXPECT_EQ(floats(*value), scaled(2));
}

TEST_F(StateTest, IsAResultUnlessItIsKept) {
  auto session = start(placed(doubling().plan, {"twice"}), /*keeps=*/false);
  for (int run = 0; run < 2; ++run) {
    auto results = session->run({{"w", initial()}});
    ASSERT_TRUE(bool(results)) << results.diagnostics().text();
    EXPECT_EQ(floats((*results)[1]), scaled(2));
    EXPECT_FALSE(session->stayed(1));
  }
  EXPECT_EQ(count("copy on device 32"), 0U);
  EXPECT_EQ(session->residentValue("w"), nullptr);
}

TEST_F(StateTest, SilentAndFailedRunsLeaveIt) {
  auto session = start(placed(doubling().plan, {"twice"}));
  ASSERT_TRUE(bool(session->run({{"w", initial()}})));
  ASSERT_TRUE(bool(session->runSilently(NamedTensors())));
  driver->failCalls("cuStreamSynchronize", "CUDA_ERROR_UNKNOWN");
  EXPECT_FALSE(session->run(NamedTensors()));
  driver->failCalls("cuStreamSynchronize", "", /*passed=*/1000);
  auto value = session->residentState("w");
  ASSERT_TRUE(bool(value)) << value.diagnostics().text();
  EXPECT_EQ(floats(*value), scaled(2));
}

// Another value that is written later does not get the memory of a state or of its new value.
TEST_F(StateTest, HasMemoryOfItsOwn) {
  PlanMaker maker = doubling();
  ValueId last = maker.plan.fetches[0];
  for (int i = 0; i < 6; ++i) {
    ValueId more = maker.rows(Storage::Arena, "more");
    maker.plan.steps.push_back(kernelStep("twice", {last}, {more}, 2));
    last = more;
  }
  maker.fetch(last);
  Plan plan = placed(maker.plan, {"twice"});
  auto session = start(plan);
  for (int run = 0; run < 3; ++run) {
    auto results = session->run(run == 0 ? NamedTensors{{"w", initial()}} : NamedTensors());
    ASSERT_TRUE(bool(results)) << results.diagnostics().text();
    EXPECT_EQ(floats((*results)[2]), scaled(256.0F * static_cast<float>(1 << run)));
  }
}

// The host reads the state or its new value, or the new value is the state of another name.
TEST_F(StateTest, StaysOnTheHostWhereThatReadsIt) {
  auto statesOf = [](const Plan &plan, std::vector<std::string> onDevice) {
    return placed(plan, std::move(onDevice)).states.size();
  };
  EXPECT_EQ(statesOf(doubling().plan, {}), 0U);
  PlanMaker read = doubling();
  ValueId seen = read.rows(Storage::Arena, "seen");
  read.plan.steps.push_back(kernelStep("log", {read.plan.feeds[0]}, {seen}, 2));
  read.fetch(seen);
  EXPECT_EQ(statesOf(read.plan, {"twice"}), 0U);
  PlanMaker after = doubling();
  seen = after.rows(Storage::Arena, "seen");
  after.plan.steps.push_back(kernelStep("log", {after.plan.fetches[1]}, {seen}, 2));
  after.fetch(seen);
  EXPECT_EQ(statesOf(after.plan, {"twice"}), 0U);
  PlanMaker twice = doubling();
  twice.fetch(twice.plan.fetches[1]);
  EXPECT_EQ(statesOf(twice.plan, {"twice"}), 0U);
  PlanMaker moved = doubling();
  moved.plan.fetches[1] = moved.plan.feeds[0];
  EXPECT_EQ(statesOf(moved.plan, {"twice"}), 0U);
}

TEST_F(StateTest, PlanIsStoredAndVerified) {
  const Plan valid = placed(doubling().plan, {"twice"});
  auto read = deserialize(serialize(valid), "net");
  ASSERT_TRUE(bool(read)) << read.diagnostics().text();
  ASSERT_EQ(read->states.size(), 1U);
  EXPECT_EQ(read->states[0].next, valid.states[0].next);
  auto textOf = [&](auto change) {
    Plan plan = valid;
    change(plan.states[0], plan);
    return verify(plan, "net").diagnostics().text();
  };
  EXPECT_THAT(textOf([](ResidentState &s, Plan &) { s.next = 99; }), HasSubstr("states[0]: has an index"));
  EXPECT_THAT(textOf([](ResidentState &s, Plan &) { s.fetch = 0; }), HasSubstr("is not copied between"));
  EXPECT_THAT(textOf([](ResidentState &s, Plan &) { std::swap(s.current, s.next); }),
              HasSubstr("is not copied between"));
  EXPECT_THAT(textOf([](ResidentState &s, Plan &p) {
                p.values[static_cast<size_t>(s.next)].offset =
                    p.values[static_cast<size_t>(s.current)].offset;
              }),
              HasSubstr("shares its memory with value"));
}

} // namespace proa::runtime
