#include "test/unit/checkpoint/CheckpointTesting.h"

#include "lib/checkpoint/TransformedCheckpoint.h"

using namespace proa;
using namespace proa::checkpoints;
using testing::HasSubstr;

namespace {

class TransformedCheckpointTest : public testing::Test {
protected:
  Checkpoint write(const std::string &name, const params::Tensors &tensors) {
    std::string path = folder.path(name + ".safetensors");
    EXPECT_TRUE(params::writeSafetensors(path, tensors));
    return *Checkpoint::open(path);
  }

  /// The checkpoint in three files, each with an equal slice of each tensor.
  Checkpoint flattened(Checkpoint &checkpoint) {
    std::string path = folder.path("flat");
    EXPECT_TRUE(convert(checkpoint, path, *flattenedTensors(3)));
    return *Checkpoint::open(path);
  }

  static std::vector<transform::Statement> parse(std::string_view text) {
    return *transform::parseStatements(text, "t.aoa");
  }

  params::TemporaryFolder folder;
};

TEST_F(TransformedCheckpointTest, ReadsBoxesFromShards) {
  Checkpoint whole = write("whole", {{"a", numbered({5, 4})}, {"b", numbered({3, 4}, 100)}});
  Checkpoint shards = flattened(whole);
  std::vector<transform::Statement> statements = parse("a, b -> c, axis=0\nc^T -> c");
  std::vector<TransformInput> inputs;
  inputs.push_back({"", std::move(whole)});
  Result<TransformedCheckpoint> direct = TransformedCheckpoint::create(std::move(inputs), statements);
  inputs.clear();
  inputs.push_back({"", std::move(shards)});
  Result<TransformedCheckpoint> sharded = TransformedCheckpoint::create(std::move(inputs), statements);
  ASSERT_TRUE(direct && sharded);
  EXPECT_EQ(direct->catalog().tensors.at("c").dims, (std::vector<int64_t>{4, 8}));
  Tensor expected = *direct->read("c", wholeBox(std::vector<int64_t>{4, 8}));
  for (int64_t begin = 0; begin < 8; ++begin) {
    Box box{{1, 4}, {begin, 8}};
    params::expectSame(*sharded->read("c", box), sliceOf(expected, box));
    params::expectSame(*direct->read("c", box), sliceOf(expected, box));
  }
}

TEST_F(TransformedCheckpointTest, InputsHavePrefixes) {
  std::vector<TransformInput> inputs;
  inputs.push_back({"x", write("x", {{"w", numbered({2})}})});
  inputs.push_back({"y", write("y", {{"w", numbered({2}, 2)}})});
  Result<TransformedCheckpoint> average =
      TransformedCheckpoint::create(std::move(inputs), parse("x.$NAME, y.$NAME -> $NAME, average"));
  ASSERT_TRUE(average) << average.diagnostics().text();
  EXPECT_EQ(params::valuesOf<float>(*average->read("w", Box{{0, 2}})), (std::vector<float>{1, 2}));
}

TEST_F(TransformedCheckpointTest, RefusesTensorsOfOneName) {
  std::vector<TransformInput> inputs;
  inputs.push_back({"", write("x", {{"w", numbered({2})}})});
  inputs.push_back({"", write("y", {{"w", numbered({2})}})});
  EXPECT_THAT(errorOf(TransformedCheckpoint::create(std::move(inputs), {})),
              HasSubstr("has the tensor 'w' as another input has, expected different prefixes"));
}

TEST_F(TransformedCheckpointTest, KeepsKinds) {
  Tensor a = numbered({2}), counter = numbered({1});
  ShardData shards[] = {{"a", entryOf(a), {{0, 2}}, a},
                        {"n", entryOf(counter, StateKind::State), {{0, 1}}, counter}};
  std::string path = folder.path("saved");
  int64_t save = *beginSave(path);
  Catalog catalog = *writeShards(path, shardFileName(save, 0, 1), shards);
  catalog.save = save;
  catalog.training = TrainingState{7, {}};
  ASSERT_TRUE(commitSave(path, catalog));
  std::vector<TransformInput> inputs;
  inputs.push_back({"", *Checkpoint::open(path)});
  Result<TransformedCheckpoint> renamed =
      TransformedCheckpoint::create(std::move(inputs), parse("a -> b\nn -> m"));
  ASSERT_TRUE(renamed);
  EXPECT_EQ(renamed->catalog().tensors.at("b").kind, StateKind::Parameter);
  EXPECT_EQ(renamed->catalog().tensors.at("m").kind, StateKind::State);
  EXPECT_EQ(renamed->catalog().training->step, 7);
}

} // namespace
