#include "test/unit/checkpoint/CheckpointTesting.h"

#include <fmt/format.h>

#include <cstring>

using namespace proa;
using namespace proa::checkpoints;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Splits each dimension at random, with random axes and blocks.
class RandomLayout : public Layout {
public:
  explicit RandomLayout(uint32_t seed) : seed(seed) {}

  Result<StoredBoxes> place(const std::map<std::string, TensorEntry> &tensors) const override {
    std::mt19937 random(seed);
    spmd::Mesh mesh;
    for (size_t axis = 0; axis < 1 + seed % 3; ++axis)
      mesh.axes.push_back({fmt::format("a{}", axis), 1 + static_cast<int64_t>(random() % 4)});
    std::map<std::string, std::vector<StoredBox>> boxes;
    for (const auto &[name, tensor] : tensors) {
      spmd::Placement placement{std::vector<spmd::DimPlacement>(tensor.dims.size())};
      for (unsigned axis = 0; axis < mesh.axes.size() && !tensor.dims.empty(); ++axis)
        if (random() % 3 != 0)
          placement.dims[random() % tensor.dims.size()].axes.push_back(mesh.full(axis));
      for (size_t d = 0; d < tensor.dims.size(); ++d)
        if (tensor.dims[d] > 2 && !placement.dims[d].axes.empty() && random() % 2 == 0)
          placement.dims[d].blocks = {tensor.dims[d] - 2, 2};
      for (HeldBox &held : heldBoxes(mesh, placement, tensor.dims)) {
        int64_t holder = held.holders[random() % held.holders.size()];
        boxes[name].push_back({std::move(held.box), holder});
      }
    }
    return boxes;
  }

private:
  uint32_t seed;
};

std::unique_ptr<Layout> randomLayout(std::mt19937 &random) {
  if (random() % 4 == 0)
    return flattenedTensors(1 + static_cast<int64_t>(random() % 7));
  return std::make_unique<RandomLayout>(static_cast<uint32_t>(random()));
}

constexpr DType dtypes[] = {DType::Float32, DType::BFloat16, DType::Int64, DType::UInt8, DType::Complex128};

/// A checkpoint in one file.
std::map<std::string, Tensor> writeRandom(std::mt19937 &random, const std::string &path) {
  std::map<std::string, Tensor> tensors;
  Catalog catalog;
  catalog.training = TrainingState{static_cast<int64_t>(random() % 100), RandomState{random(), random()}};
  for (int i = 0; i < 6; ++i) {
    Tensor tensor(dtypes[random() % std::size(dtypes)],
                  i == 5 ? std::vector<int64_t>{3, 0} : randomDims(random));
    for (size_t byte = 0; byte < tensor.bytes(); ++byte)
      tensor.as<uint8_t>()[byte] = static_cast<uint8_t>(random());
    std::string name = fmt::format("t{}", i);
    catalog.tensors[name] = entryOf(tensor, i % 2 ? StateKind::State : StateKind::Parameter);
    tensors.emplace(name, tensor);
  }
  EXPECT_TRUE(writeSingleFile(path, catalog, tensors));
  return tensors;
}

} // namespace

TEST(ConvertTest, RandomPairsOfLayoutsKeepEachBit) {
  std::mt19937 random(3);
  for (int pair = 0; pair < 100; ++pair) {
    params::TemporaryFolder folder;
    std::map<std::string, Tensor> tensors = writeRandom(random, folder.path("whole.safetensors"));
    Result<Checkpoint> whole = Checkpoint::open(folder.path("whole.safetensors"));
    ASSERT_TRUE(whole) << errorOf(whole);
    Result<void> done = convert(*whole, folder.path("a"), *randomLayout(random));
    ASSERT_TRUE(done) << errorOf(done);
    Result<Checkpoint> a = Checkpoint::open(folder.path("a"));
    ASSERT_TRUE(a) << errorOf(a);
    done = convert(*a, folder.path("b"), *randomLayout(random));
    ASSERT_TRUE(done) << errorOf(done);
    Result<Checkpoint> b = Checkpoint::open(folder.path("b"));
    ASSERT_TRUE(b) << errorOf(b);
    EXPECT_TRUE(b->verify());
    EXPECT_EQ(b->catalog().training, whole->catalog().training);
    for (const auto &[name, tensor] : tensors)
      params::expectSame(*b->read(name), tensor);
    ASSERT_TRUE(convertToFile(*b, folder.path("again.safetensors")));
    EXPECT_EQ(*readFile(folder.path("again.safetensors")), *readFile(folder.path("whole.safetensors")))
        << "pair " << pair;
  }
}

TEST(ConvertTest, LayoutOfAnotherCheckpointIsUsed) {
  std::mt19937 random(4);
  params::TemporaryFolder folder;
  writeRandom(random, folder.path("whole.safetensors"));
  Result<Checkpoint> whole = Checkpoint::open(folder.path("whole.safetensors"));
  ASSERT_TRUE(whole && convert(*whole, folder.path("a"), *flattenedTensors(3)));
  Result<Checkpoint> a = Checkpoint::open(folder.path("a"));
  ASSERT_TRUE(a && convert(*whole, folder.path("b"), *layoutLike(a->catalog())));
  EXPECT_EQ(*readFile(folder.path("a/") + indexName), *readFile(folder.path("b/") + indexName));
  Catalog other;
  other.tensors["t0"] = {DType::Float32, {77}};
  EXPECT_THAT(errorOf(convert(*whole, folder.path("c"), *layoutLike(other))),
              HasSubstr("in the checkpoint whose layout is used"));
}

TEST(ConvertTest, DifferencesNameTensors) {
  params::TemporaryFolder folder;
  Tensor w = numbered({2, 3}), changed = numbered({2, 3});
  changed.as<float>()[4] = -1;
  Catalog catalog;
  catalog.tensors = {{"w", entryOf(w)}, {"v", entryOf(w)}};
  ASSERT_TRUE(writeSingleFile(folder.path("a.safetensors"), catalog, {{"w", w}, {"v", w}}));
  catalog.tensors.erase("v");
  catalog.training = TrainingState{2, std::nullopt};
  ASSERT_TRUE(writeSingleFile(folder.path("b.safetensors"), catalog, {{"w", changed}}));
  Result<Checkpoint> a = Checkpoint::open(folder.path("a.safetensors")),
                     b = Checkpoint::open(folder.path("b.safetensors"));
  ASSERT_TRUE(a && b);
  EXPECT_THAT(*differences(*a, *b),
              ElementsAre(HasSubstr("v: only in "), "w: 1 of 6 elements differ, the first at [1, 1]",
                          "training state: none and step 2"));
  EXPECT_TRUE(differences(*a, *a)->empty());
}
