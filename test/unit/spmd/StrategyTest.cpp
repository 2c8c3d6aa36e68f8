//! Strategies: each component, and the errors.
#include "lib/base/spmd/Strategy.h"

#include <gtest/gtest.h>

namespace proa::spmd {
namespace {

TEST(Strategy, ReadsEachComponent) {
  auto strategy = parseStrategy("dp2,tp4,cp3,ep5,sp,zero2,amp2,recompute,acc8");
  ASSERT_TRUE(strategy) << strategy.diagnostics().text();
  EXPECT_EQ(strategy->data, 2);
  EXPECT_EQ(strategy->model, 4);
  EXPECT_EQ(strategy->context, 3);
  EXPECT_EQ(strategy->expert, 5);
  EXPECT_TRUE(strategy->sequence);
  EXPECT_EQ(strategy->zero, ZeroStage::Gradients);
  EXPECT_EQ(strategy->ampLevel, 2);
  EXPECT_TRUE(strategy->recompute);
  EXPECT_EQ(strategy->microBatches, 8);
  Mesh mesh = strategy->mesh();
  ASSERT_EQ(mesh.axes.size(), 4U);
  EXPECT_EQ(mesh.size(), 120);
  EXPECT_EQ(mesh.axes[0].name, "dp");
  EXPECT_EQ(mesh.axes[3].name, "mp");
}

TEST(Strategy, ReadsStagesAndSchedules) {
  auto strategy = parseStrategy("pp4,interleaved2,dp2");
  ASSERT_TRUE(strategy) << strategy.diagnostics().text();
  EXPECT_EQ(strategy->pipeline, 4);
  EXPECT_EQ(strategy->schedule, pipeline::ScheduleKind::Interleaved);
  EXPECT_EQ(strategy->chunks, 2);
  EXPECT_FALSE(strategy->microBatches.has_value());
  ASSERT_EQ(strategy->mesh().axes.size(), 2U);
  EXPECT_EQ(strategy->mesh().axes[0].name, "pp");
  for (pipeline::ScheduleKind kind : pipeline::allScheduleKinds())
    EXPECT_EQ(parseStrategy("pp2," + std::string(pipeline::nameOf(kind)))->schedule, kind);
  EXPECT_EQ(parseStrategy("pp2,1f1b,acc1")->microBatches, 1);
  EXPECT_EQ(parseStrategy("pp2,1f1b,zbh1").diagnostics()[0].message,
            "'1f1b' and 'zbh1' are two schedules; expected one");
  EXPECT_EQ(parseStrategy("pp2,interleaved1").diagnostics()[0].message,
            "expected a number of chunks from 2 to 1024 after 'interleaved', found 'interleaved1'");
  EXPECT_EQ(strategyOnMesh(*parseStrategy("dp2,zbv"), nullptr).diagnostics()[0].message,
            "'zbv' is a schedule of a pipeline: expected a component ppN of at least 2");
  Mesh mesh{{{"pp", 2}, {"dp", 2}}};
  EXPECT_EQ(strategyOnMesh(*parseStrategy("pp,dp,1f1b"), &mesh)->pipeline, 2);
}

TEST(Strategy, ReadsTheMemoryOfASearch) {
  auto text = [](std::string_view strategy) {
    auto parsed = parseStrategy(strategy);
    auto complete = parsed ? strategyOnMesh(*parsed, nullptr) : parsed;
    return complete ? std::string() : complete.diagnostics()[0].message;
  };
  EXPECT_EQ(parseStrategy("pp4,auto,mem80GB")->memory, 80e9);
  EXPECT_EQ(parseStrategy("pp4,auto,mem1.5MiB,dp2")->memory, 1.5 * 0x1p20);
  EXPECT_FALSE(parseStrategy("pp4,auto")->memory);
  EXPECT_EQ(parseStrategy("pp4,auto")->chunks, 0);
  EXPECT_EQ(parseStrategy("pp4,auto1")->chunks, 1);
  EXPECT_EQ(parseStrategy("pp4,auto2")->chunks, 2);
  EXPECT_EQ(text("pp4,auto0"), "expected a number of chunks from 1 to 1024 after 'auto', found 'auto0'");
  EXPECT_EQ(text("pp4,auto,mem"), "expected the bytes of a device after 'mem', such as mem80GB, found 'mem'");
  EXPECT_EQ(text("pp4,auto,mem1XB"),
            "expected the bytes of a device after 'mem', such as mem80GB, found 'mem1XB'");
  EXPECT_EQ(text("pp4,auto,mem1MB,mem2MB"), "'mem' is given twice");
  EXPECT_EQ(text("pp4,zbv,mem1MB"), "mem limits the search for a schedule: expected a component auto");
  // The number of cuts says how many chunks the stages have.
  EXPECT_EQ(text("pp2,auto,cut3"), "");
  EXPECT_EQ(text("pp2,auto,cut3,cut5,cut7"), "");
  EXPECT_EQ(text("pp2,auto,cut3,cut5"), "found 2 cuts, expected 3: one for each stage after the first");
  EXPECT_EQ(text("pp2,auto1,cut3,cut5,cut7"), "found 3 cuts, expected 1: one for each stage after the first");
}

TEST(Strategy, ReadsTheCutsOfStages) {
  auto strategy = strategyOnMesh(*parseStrategy("pp2,interleaved2,cut3,cut7,cut12"), nullptr);
  ASSERT_TRUE(strategy) << strategy.diagnostics().text();
  EXPECT_EQ(strategy->cuts, (std::vector<int64_t>{3, 7, 12}));
  auto text = [](std::string_view strategy) {
    auto parsed = parseStrategy(strategy);
    auto complete = parsed ? strategyOnMesh(*parsed, nullptr) : parsed;
    return complete ? std::string() : complete.diagnostics().text();
  };
  EXPECT_EQ(text("pp4,zbh1,cut1,cut2,cut3"), "");
  EXPECT_NE(text("pp4,cut1").find("found 1 cuts, expected 3: one for each stage after the first"),
            std::string::npos);
  EXPECT_NE(text("pp2,zbv,cut4,cut4,cut5").find("do not ascend"), std::string::npos);
  EXPECT_NE(text("dp2,cut4").find("cuts divide a program into stages: expected a component ppN"),
            std::string::npos);
  EXPECT_NE(text("pp2,cut0").find("expected the number of an op from 1 after 'cut', found 'cut0'"),
            std::string::npos);
}

TEST(Strategy, RingsAreChosenByCostAlwaysOrNever) {
  EXPECT_EQ(parseStrategy("cp2")->rings, RingUse::ByCost);
  EXPECT_EQ(parseStrategy("cp2,ring")->rings, RingUse::Always);
  EXPECT_EQ(parseStrategy("noring,cp2")->rings, RingUse::Never);
  EXPECT_EQ(parseStrategy("cp2,ring,noring").diagnostics()[0].message,
            "'ring' and 'noring' contradict each other");
  EXPECT_FALSE(parseStrategy("cp2,ring4"));
}

TEST(Strategy, AxesOfSizeOneAreLeftOut) {
  auto strategy = parseStrategy("dp1,mp2,amp");
  ASSERT_TRUE(strategy) << strategy.diagnostics().text();
  EXPECT_EQ(strategy->mesh().axes.size(), 1U);
  EXPECT_EQ(strategy->ampLevel, 1);
  EXPECT_FALSE(strategy->recompute);
}

TEST(Strategy, ReportsAllErrors) {
  auto text = [](std::string_view strategy) {
    auto parsed = parseStrategy(strategy);
    return parsed ? std::string() : parsed.diagnostics().text();
  };
  EXPECT_NE(text("").find("unknown component ''"), std::string::npos);
  EXPECT_NE(text("dp2x").find("unknown component 'dp2x'"), std::string::npos);
  EXPECT_NE(text("dp0").find("expected a number from 1"), std::string::npos);
  EXPECT_NE(text("dp99999999999999999999").find("unknown component"), std::string::npos);
  EXPECT_NE(text("mp2,tp2").find("'mp' is given twice"), std::string::npos);
  std::string several = text("sp,zero9,acc");
  EXPECT_NE(several.find("unknown component 'zero9'"), std::string::npos);
  EXPECT_NE(several.find("after 'acc'"), std::string::npos);
}

TEST(Strategy, ComponentsWithoutASizeHaveTheSizesOfTheMesh) {
  auto strategy = parseStrategy("dp,mp2,zero1,sp");
  ASSERT_TRUE(strategy) << strategy.diagnostics().text();
  EXPECT_EQ(strategy->data, 0);
  Mesh mesh{{{"mp", 2}, {"other", 3}, {"dp", 4}}};
  auto complete = strategyOnMesh(*strategy, &mesh);
  ASSERT_TRUE(complete) << complete.diagnostics().text();
  EXPECT_EQ(complete->data, 4);
  EXPECT_EQ(complete->model, 2);
  EXPECT_EQ(complete->context, 1);
  EXPECT_EQ(complete->sizeOf("other"), 1);
}

TEST(Strategy, ZeroAndSequenceImplyTheirAxes) {
  Mesh mesh{{{"dp", 2}, {"mp", 4}}}, data{{{"dp", 2}}};
  auto complete = strategyOnMesh(*parseStrategy("zero1,sp"), &mesh);
  ASSERT_TRUE(complete) << complete.diagnostics().text();
  EXPECT_EQ(complete->data, 2);
  EXPECT_EQ(complete->model, 4);
  EXPECT_EQ(strategyOnMesh(*parseStrategy("zero1,sp"), &data).diagnostics()[0].message,
            "sp splits over the axis mp: expected a component mpN of at least 2");
  EXPECT_EQ(strategyOnMesh(*parseStrategy("zero3"), nullptr).diagnostics()[0].message,
            "zero splits over the axis dp: expected a component dpN of at least 2");
}

TEST(Strategy, ReportsAllDisagreementsWithAMesh) {
  Mesh mesh{{{"dp", 2}, {"mp", 4}}};
  auto text = [&](std::string_view strategy, const Mesh *mesh) {
    auto complete = strategyOnMesh(*parseStrategy(strategy), mesh);
    return complete ? std::string() : complete.diagnostics().text();
  };
  std::string several = text("dp3,cp2,ep", &mesh);
  EXPECT_NE(several.find("'dp3' and the mesh 'dp=2,mp=4' disagree: expected dp2, or a mesh with dp=3"),
            std::string::npos);
  EXPECT_NE(several.find("'cp2' splits over the axis 'cp', which the mesh 'dp=2,mp=4' lacks"),
            std::string::npos);
  EXPECT_NE(several.find("'ep' splits over the axis 'ep', which the mesh"), std::string::npos);
  EXPECT_NE(text("dp,mp2", nullptr).find("'dp' has no size and there is no mesh"), std::string::npos);
  EXPECT_EQ(text("dp1", &mesh), "");
  Mesh one{{{"dp", 1}}};
  EXPECT_NE(text("dp,zero1", &one).find("zero splits over the axis dp"), std::string::npos);
}

} // namespace
} // namespace proa::spmd
