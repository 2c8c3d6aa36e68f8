#include "test/unit/checkpoint/CheckpointTesting.h"

using namespace proa;
using namespace proa::checkpoints;
using testing::ElementsAre;
using testing::HasSubstr;

static const spmd::Mesh mesh = {{{"dp", 2}, {"mp", 2}}};

static spmd::Placement placement(const std::string &text) {
  Result<spmd::Placement> parsed = parsePlacement(mesh, text, "test");
  EXPECT_TRUE(parsed) << errorOf(parsed);
  return *parsed;
}

TEST(LayoutTest, ReplicasAreOneBoxWithSeveralHolders) {
  std::vector<int64_t> dims = {4, 6};
  std::vector<HeldBox> boxes = heldBoxes(mesh, placement("[{}, {mp}]"), dims);
  ASSERT_EQ(boxes.size(), 2u);
  EXPECT_EQ(boxes[0].box, (Box{{0, 4}, {0, 3}}));
  EXPECT_THAT(boxes[0].holders, ElementsAre(0, 2));
  EXPECT_THAT(boxes[1].holders, ElementsAre(1, 3));
}

TEST(LayoutTest, BlocksGiveSeveralBoxes) {
  std::vector<int64_t> dims = {12};
  std::vector<LocalBox> boxes = localBoxes(mesh, placement("[{mp} blocks(8, 4)]"), dims, 1);
  ASSERT_EQ(boxes.size(), 2u);
  EXPECT_EQ(boxes[0].box, (Box{{4, 8}}));
  EXPECT_EQ(boxes[1].box, (Box{{10, 12}}));
  EXPECT_EQ(boxes[1].local, (Box{{4, 6}}));
}

TEST(LayoutTest, HoldersStoreEquallyMuch) {
  std::vector<StoredSize> sizes = {{{0, 1}, 4}, {{0, 1}, 10}, {{0, 1}, 6}, {{1}, 3}};
  EXPECT_THAT(chooseHolders(sizes), ElementsAre(1, 0, 1, 1));
}

TEST(LayoutTest, ParsesPlacements) {
  EXPECT_EQ(spmd::toText(mesh, placement("[{dp, mp}, {}]")), "[{dp, mp}, {}]");
  EXPECT_EQ(placement("[{mp} blocks(3 * 4)]").dims[0].blocks, (std::vector<int64_t>{4, 4, 4}));
  EXPECT_EQ(placement("[]").dims.size(), 0u);
  for (const char *text :
       {"", "[", "[{mp]", "[{mp}", "[{mp}}", "[{mp} {}]", "[{mp} blocks(]", "[{mp} blocks(0)]", "[{mp}] x"})
    EXPECT_THAT(errorOf(parsePlacement(mesh, text, "test")), HasSubstr("expected a sharding such as"))
        << text;
  EXPECT_THAT(errorOf(parsePlacement(mesh, "[{x}]", "test")), HasSubstr("the mesh has no axis 'x'"));
}

TEST(LayoutTest, FileOfShardingsNamesItsFaults) {
  params::TemporaryFolder folder;
  auto error = [&](const std::string &text) { return errorOf(readLayout(folder.file("plan.json", text))); };
  EXPECT_THAT(error("{}"), HasSubstr("expected a member 'mesh'"));
  EXPECT_THAT(error(R"({"mesh": {"dp": 0}})"), HasSubstr("mesh: "));
  EXPECT_THAT(error(R"({"mesh": {"dp": 2}, "shardings": [{"name": "w"}]})"), HasSubstr("shardings[0]"));
  EXPECT_THAT(error(R"({"mesh": {"dp": 2}, "shardings": [{"name": "w", "sharding": "[{mp}]"}]})"),
              HasSubstr("shardings[0]: expected a sharding"));
  Result<std::unique_ptr<Layout>> layout = readLayout(folder.file(
      "plan.json", R"({"mesh": {"dp": 2}, "shardings": [{"name": "w*", "sharding": "[{dp}]"}]})"));
  ASSERT_TRUE(layout);
  EXPECT_THAT(errorOf((*layout)->place({{"w_0", {DType::Float32, {2, 2}}}})),
              HasSubstr("shardings[0]: does not fit 'w_0', float32[2, 2]: the placement has 1 dimensions"));
  auto placed = (*layout)->place({{"w_0", {DType::Float32, {3}}}, {"b", {DType::Float32, {2}}}});
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->at("w_0").size(), 2u);
  EXPECT_EQ(placed->at("b").size(), 1u);
}
