#include "lib/base/support/Files.h"

#include "lib/base/support/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace proa {
namespace {

std::string freshPath(const std::string &name) {
  std::string path = ::testing::TempDir() + name;
  std::filesystem::remove_all(path);
  return path;
}

TEST(Files, WriteThenReadAndMap) {
  std::string path = freshPath("proa-files-test");
  std::string content("a\0b\n", 4);
  ASSERT_TRUE(writeFile(path, std::string("something longer that must vanish")));
  ASSERT_TRUE(writeFile(path, content));
  Result<std::string> read = readFile(path);
  ASSERT_TRUE(read) << read.diagnostics().text();
  EXPECT_EQ(*read, content);
  auto mapped = mapFile(path);
  ASSERT_TRUE(mapped);
  ASSERT_EQ((*mapped)->bytes().size(), 4u);
  EXPECT_EQ((*mapped)->bytes()[2], std::byte('b'));
}

TEST(Files, EmptyFile) {
  std::string path = freshPath("proa-files-empty");
  ASSERT_TRUE(writeFile(path, std::string()));
  auto mapped = mapFile(path);
  ASSERT_TRUE(mapped);
  EXPECT_TRUE((*mapped)->bytes().empty());
}

TEST(Files, ErrorsNameTheFileAndTheReason) {
  std::string path = freshPath("proa-files-absent");
  Result<std::string> read = readFile(path);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.diagnostics().text(), ::testing::HasSubstr(path + ": cannot open the file: No such file"));
  EXPECT_FALSE(mapFile(path));
  EXPECT_THAT(mapFile(::testing::TempDir()).diagnostics().text(),
              ::testing::HasSubstr("found a folder, expected a regular file or a pipe"));
  EXPECT_THAT(readFile("/dev/null").diagnostics().text(), ::testing::HasSubstr("found a device"));
  EXPECT_THAT(writeFile(::testing::TempDir(), std::string("x")).diagnostics().text(),
              ::testing::HasSubstr("found a folder, expected a file name"));
  EXPECT_THAT(writeFile(path + "/inside", std::string("x")).diagnostics().text(),
              ::testing::HasSubstr("cannot create"));
}

TEST(Files, DevicesAreWrittenInPlace) {
  EXPECT_TRUE(writeFile("/dev/null", std::string("x")));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THAT(writeFile("/dev/full", std::string("x")).diagnostics().text(),
              ::testing::HasSubstr("/dev/full: cannot write the file: No space left on device"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(Files, LinksAreKept) {
  std::string path = freshPath("proa-files-target"), link = freshPath("proa-files-link");
  ASSERT_TRUE(writeFile(path, std::string("old")));
  std::filesystem::create_symlink(path, link);
  ASSERT_TRUE(writeFile(link, std::string("new")));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(*readFile(path), "new");
}

TEST(Files, PipesAreReadToTheirEnd) {
  for (const std::string &content : {std::string(), std::string(100000, 'a')}) {
    std::string path = freshPath("proa-files-pipe");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    for (bool isMapped : {false, true}) {
      std::thread writer([&] { EXPECT_TRUE(writeFile(path, content)); });
      if (isMapped) {
        auto mapped = mapFile(path);
        EXPECT_TRUE(mapped && (*mapped)->bytes().size() == content.size());
      } else {
        Result<std::string> read = readFile(path);
        EXPECT_TRUE(read && *read == content);
      }
      writer.join();
    }
  }
}

/// The names in a folder.
std::vector<std::string> namesIn(const std::string &folder) {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename());
  return names;
}

std::string freshFolder(const std::string &name) {
  std::string folder = ::testing::TempDir() + name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  return folder;
}

TEST(Files, FileHasNoNameBeforeItIsComplete) {
  std::string folder = freshFolder("proa-files-unnamed");
  FileWriter writer(folder + "/file");
  std::string content = "content";
  writer.append(std::as_bytes(std::span(content)));
  EXPECT_THAT(namesIn(folder), ::testing::IsEmpty()); // a killed process leaves nothing
  ASSERT_TRUE(writer.finish());
  EXPECT_THAT(namesIn(folder), ::testing::ElementsAre("file"));
  EXPECT_EQ(*readFile(folder + "/file"), content);
  FileWriter(folder + "/file").append(std::as_bytes(std::span(content)));
  EXPECT_THAT(namesIn(folder), ::testing::ElementsAre("file"));
}

/// A child process that holds a temporary folder; returns when the folder exists.
pid_t startHolder() {
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  pid_t child = ::fork();
  if (child == 0) {
    Result<TemporaryFolder> folder = TemporaryFolder::create();
    (void)writeFile(folder->file("content"), std::string("x"));
    (void)::write(ready[1], "x", 1);
    ::pause();
  }
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  ::close(ready[1]);
  return child;
}

void killProcess(pid_t process) {
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
}

TEST(TemporaryFolder, FoldersOfKilledProcessesAreRemoved) {
  std::string parent = freshFolder("proa-files-folders");
  ::setenv("TMPDIR", parent.c_str(), 1);
  // Folders that are not of proa, or have no lock, stay.
  std::filesystem::create_directory(parent + "/proa-temporary-mine");
  std::filesystem::create_directory(parent + "/other");
  killProcess(startHolder());
  EXPECT_EQ(namesIn(parent).size(), 3u);
  std::filesystem::path abandoned;
  for (const auto &entry : std::filesystem::directory_iterator(parent))
    if (std::filesystem::exists(entry.path() / "content"))
      abandoned = entry.path();
  pid_t holder = startHolder(); // removes the abandoned one
  EXPECT_FALSE(std::filesystem::exists(abandoned));
  EXPECT_EQ(namesIn(parent).size(), 3u);
  {
    Result<TemporaryFolder> folder = TemporaryFolder::create();
    ASSERT_TRUE(folder);
    EXPECT_EQ(namesIn(parent).size(), 4u); // the holder's folder stays
  }
  EXPECT_EQ(namesIn(parent).size(), 3u);
  killProcess(holder);
  ::unsetenv("TMPDIR");
}

} // namespace
} // namespace proa
