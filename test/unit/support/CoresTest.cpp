#include "lib/base/support/Cores.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sched.h>
#include <thread>

namespace proa {
namespace {

namespace fs = std::filesystem;

/// A folder with files of control groups.
class CpuQuotaTest : public testing::Test {
protected:
  CpuQuotaTest() {
    root = fs::path(testing::TempDir()) /
           (std::string("cgroup-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root);
  }
  ~CpuQuotaTest() override { fs::remove_all(root); }

  void write(const std::string &file, const std::string &text) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  }
  std::optional<double> quota(const std::string &membership) { return cpuQuota(membership, root.string()); }

  fs::path root;
};

TEST_F(CpuQuotaTest, Version2HasQuotaAndPeriod) {
  write("a/b/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota("0::/a/b\n"), 1.5);
}

TEST_F(CpuQuotaTest, MaxIsNoLimit) {
  write("a/cpu.max", "max 100000\n");
  EXPECT_EQ(quota("0::/a\n"), std::nullopt);
}

TEST_F(CpuQuotaTest, SmallestQuotaOfParentsHolds) {
  write("cpu.max", "max 100000\n");
  write("a/cpu.max", "200000 100000\n");
  write("a/b/cpu.max", "400000 100000\n");
  EXPECT_EQ(quota("0::/a/b\n"), 2);
}

TEST_F(CpuQuotaTest, ContainerMountsItsGroupAsTheRoot) {
  write("cpu.max", "50000 100000\n");
  EXPECT_EQ(quota("0::/system.slice/container\n"), 0.5);
}

TEST_F(CpuQuotaTest, Version1HasTwoFiles) {
  write("cpu,cpuacct/a/cpu.cfs_quota_us", "300000\n");
  write("cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("5:memory:/a\n4:cpu,cpuacct:/a\n0::/\n"), 3);
  write("cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(quota("4:cpu,cpuacct:/a\n"), std::nullopt);
}

TEST_F(CpuQuotaTest, CpusetIsNotTheCpuController) {
  write("cpuset/cpu.cfs_quota_us", "100000\n");
  write("cpuset/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("3:cpuset:/\n"), std::nullopt);
}

TEST_F(CpuQuotaTest, MalformedFilesAreNoLimit) {
  write("cpu.max", "many\n");
  EXPECT_EQ(quota("0::/\n"), std::nullopt);
  EXPECT_EQ(quota(""), std::nullopt);
  EXPECT_EQ(quota("no colons\n0:\n"), std::nullopt);
}

TEST(AvailableCores, FollowsTheAffinityOfTheThread) {
  std::thread([] {
    cpu_set_t all, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    int first = 0;
    while (!CPU_ISSET(first, &all))
      ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(availableCores(), 1);
  }).join();
  EXPECT_GE(availableCores(), 1);
}

} // namespace
} // namespace proa
