#include "test/unit/checkpoint/CheckpointTesting.h"

#include <csignal>
#include <sys/resource.h>

using namespace proa;
using namespace proa::checkpoints;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

/// A folder with a checkpoint of two files: w is split in rows, b is whole.
class CheckpointTest : public testing::Test {
protected:
  CheckpointTest() { save(0); }

  void save(float first, int64_t step = 3) {
    w = numbered({4, 6}, first);
    b = numbered({6}, first + 100);
    Result<int64_t> scalar = beginSave(path());
    ASSERT_TRUE(scalar);
    Catalog catalog;
    catalog.save = *scalar;
    catalog.training = TrainingState{step, RandomState{7, 12}};
    for (int64_t file = 0; file < 2; ++file) {
      Box rows = {{2 * file, 2 * file + 2}, {0, 6}};
      std::vector<ShardData> shards = {{"w", entryOf(w), rows, sliceOf(w, rows)}};
      if (file == 1)
        shards.push_back({"b", entryOf(b, StateKind::State), wholeBox(b.dims()), b});
      Result<Catalog> slice = writeShards(path(), shardFileName(*scalar, file, 2), shards);
      ASSERT_TRUE(slice) << slice.diagnostics().text();
      merge(catalog, *slice);
    }
    ASSERT_TRUE(commitSave(path(), catalog));
  }

  std::string path(const std::string &file = "") const {
    return folder.path("run" + (file.empty() ? "" : "/" + file));
  }
  static std::string first() { return "model-00001-00001-of-00002.safetensors"; }
  static std::string second() { return "model-00001-00002-of-00002.safetensors"; }
  std::string verifyError() {
    Result<Checkpoint> opened = Checkpoint::open(path());
    return opened ? errorOf(opened->verify()) : errorOf(opened);
  }
  /// Changes one byte from the end of a file.
  void alter(const std::string &file, size_t fromEnd) {
    std::string content = *readFile(path(file));
    content[content.size() - fromEnd] ^= 1;
    ASSERT_TRUE(writeFile(path(file), content));
  }

  params::TemporaryFolder folder;
  Tensor w, b;
};

} // namespace

TEST_F(CheckpointTest, ReadsWhatWasSaved) {
  Result<Checkpoint> checkpoint = Checkpoint::open(path());
  ASSERT_TRUE(checkpoint) << errorOf(checkpoint);
  EXPECT_EQ(checkpoint->catalog().training, (TrainingState{3, RandomState{7, 12}}));
  EXPECT_EQ(checkpoint->catalog().tensors.at("b").kind, StateKind::State);
  params::expectSame(*checkpoint->read("w"), w);
  params::expectSame(*checkpoint->read("b"), b);
  params::expectSame(*checkpoint->read("w", {{1, 3}, {2, 4}}), sliceOf(w, {{1, 3}, {2, 4}}));
  EXPECT_EQ(verifyError(), "no error");
  EXPECT_THAT(errorOf(checkpoint->read("v")), HasSubstr("has no tensor 'v'"));
}

TEST_F(CheckpointTest, NextSaveReplacesFiles) {
  save(1000, 4);
  Result<Checkpoint> checkpoint = Checkpoint::open(path());
  ASSERT_TRUE(checkpoint);
  EXPECT_EQ(checkpoint->catalog().training->step, 4);
  params::expectSame(*checkpoint->read("w"), w);
  EXPECT_FALSE(fs::exists(path(first())));
}

TEST_F(CheckpointTest, UnfinishedSaveLeavesThePreviousOne) {
  Tensor saved = w;
  std::vector<ShardData> shards = {{"w", entryOf(w), wholeBox(w.dims()), numbered({4, 6}, 500)}};
  ASSERT_TRUE(writeShards(path(), shardFileName(*beginSave(path()), 0, 1), shards));
  Result<Checkpoint> checkpoint = Checkpoint::open(path());
  ASSERT_TRUE(checkpoint);
  params::expectSame(*checkpoint->read("w"), saved);
  EXPECT_EQ(*beginSave(path()), 3);
}

TEST_F(CheckpointTest, MissingFileIsNamed) {
  fs::remove(path(second()));
  EXPECT_THAT(verifyError(), HasSubstr(second() + ": is missing"));
}

TEST_F(CheckpointTest, TruncatedFileIsNamed) {
  fs::resize_file(path(first()), fs::file_size(path(first())) - 5);
  EXPECT_THAT(verifyError(), testing::AllOf(HasSubstr(first() + ": has "), HasSubstr("was truncated")));
}

TEST_F(CheckpointTest, AlteredDataIsNamed) {
  alter(first(), 3);
  EXPECT_THAT(verifyError(),
              testing::AllOf(HasSubstr(first() + ": tensor 'w[0:2][0:6]': the data has the checksum")));
}

TEST_F(CheckpointTest, ExchangedFilesAreNamed) {
  std::string other = folder.path("other");
  fs::copy(path(), other);
  save(50, 3);
  // The file of the first save has the same tensors and the same size.
  fs::copy_file(other + "/" + first(), path("model-00002-00001-of-00002.safetensors"),
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(verifyError(), HasSubstr("changed or exchanged"));
  // Two files of one checkpoint.
  fs::copy_file(path("model-00002-00002-of-00002.safetensors"),
                path("model-00002-00001-of-00002.safetensors"), fs::copy_options::overwrite_existing);
  EXPECT_THAT(verifyError(), HasSubstr("model-00002-00001-of-00002.safetensors: has "));
}

TEST_F(CheckpointTest, AlteredIndexIsNamed) {
  std::string text = *readFile(path(indexName));
  size_t at = text.find("\"step\": 3");
  ASSERT_NE(at, std::string::npos);
  text[at + 8] = '5';
  ASSERT_TRUE(writeFile(path(indexName), text));
  EXPECT_THAT(verifyError(), HasSubstr("it was changed after it was written"));
  ASSERT_TRUE(writeFile(path(indexName), text.substr(0, text.size() / 2)));
  EXPECT_THAT(verifyError(), HasSubstr(indexName));
}

TEST_F(CheckpointTest, UnknownVersionIsNamed) {
  std::string text = *readFile(path(indexName)), version = "\"version\": 1";
  size_t at = text.find(version);
  ASSERT_NE(at, std::string::npos);
  auto errorWith = [&](const std::string &replacement) {
    std::string changed = text;
    EXPECT_TRUE(writeFile(path(indexName), changed.replace(at, version.size(), replacement)));
    return verifyError();
  };
  for (const char *other : {"2", "0", "1.5", "\"1\"", "null"})
    EXPECT_THAT(errorWith(std::string("\"version\": ") + other),
                testing::EndsWith(std::string(indexName) + ": the catalog has version " + other +
                                  ", expected version 1\n"));
  EXPECT_THAT(errorWith("\"variant\": 1"), HasSubstr("the catalog has no version, expected version 1"));
}

TEST_F(CheckpointTest, MissingIndexIsNamed) {
  fs::remove(path(indexName));
  EXPECT_THAT(verifyError(), HasSubstr(std::string("has no checkpoint, expected ") + indexName));
  EXPECT_THAT(errorOf(Checkpoint::open(path("absent"))), HasSubstr("no such file or folder"));
}

TEST_F(CheckpointTest, FullDiskIsAnError) {
  // A limit of the size of files gives the same error path as a full disk.
  struct sigaction ignore{}, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGXFSZ, &ignore, &before);
  rlimit limit{}, small{1000, RLIM_INFINITY};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  small.rlim_max = limit.rlim_max;
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::vector<ShardData> shards = {{"x", entryOf(numbered({1000})), {{0, 1000}}, numbered({1000})}};
  Result<Catalog> written = writeShards(path(), shardFileName(2, 0, 1), shards);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::sigaction(SIGXFSZ, &before, nullptr);
  EXPECT_THAT(errorOf(written),
              HasSubstr(shardFileName(2, 0, 1) + ": cannot write the file: File too large"));
  EXPECT_EQ(verifyError(), "no error");
}

TEST_F(CheckpointTest, ReadsIndexOfOtherTools) {
  std::string text = *readFile(path(indexName));
  std::string other = folder.path("hf");
  fs::create_directory(other);
  ASSERT_TRUE(params::writeSafetensors(other + "/a.safetensors", {{"w", w}}));
  ASSERT_TRUE(params::writeSafetensors(other + "/b.safetensors", {{"b", b}}));
  auto write = [&](const std::string &map) {
    ASSERT_TRUE(
        writeFile(other + "/" + indexName, R"({"metadata": {"total_size": 1}, "weight_map": )" + map + "}"));
  };
  write(R"({"w": "a.safetensors", "b": "b.safetensors"})");
  Result<Checkpoint> checkpoint = Checkpoint::open(other);
  ASSERT_TRUE(checkpoint) << errorOf(checkpoint);
  params::expectSame(*checkpoint->read("w"), w);
  EXPECT_FALSE(checkpoint->catalog().training);
  write(R"({"w": "a.safetensors", "v": "b.safetensors"})");
  EXPECT_THAT(errorOf(Checkpoint::open(other)), HasSubstr("b.safetensors: has no tensor 'v'"));
  write(R"({"w": "../run/a.safetensors"})");
  EXPECT_THAT(errorOf(Checkpoint::open(other)), HasSubstr("expected the name of a file in the same folder"));
}
