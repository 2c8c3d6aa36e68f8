#include "lib/base/plan/Cluster.h"

#include "lib/base/support/Bytes.h"

#include "test/unit/plan/Workloads.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace proa::plan {
namespace {

std::string errorsOf(const char *text, const std::string &memory = "") {
  auto cluster = clusterOf(nlohmann::json::parse(text), "c.json", "", memory);
  return cluster ? "" : cluster.diagnostics().text();
}

TEST(ClusterTest, ReadsLevelsAndDevice) {
  auto cluster = clusterOf(nlohmann::json::parse(R"({"device": "sm_90a", "memory": "80GB", "efficiency": 1,
    "levels": [{"name": "nvlink", "devices": 8, "latency_us": 3, "bandwidth_GBps": 450},
               {"devices": 4, "latency_us": 8, "bandwidth_GBps": 50}]})"),
                           "c.json");
  ASSERT_TRUE(cluster) << cluster.diagnostics().text();
  EXPECT_EQ(cluster->size(), 32);
  EXPECT_EQ(cluster->memory, 80e9);
  EXPECT_EQ(cluster->levels[1].name, "level 1");
  EXPECT_DOUBLE_EQ(cluster->levels[0].latency, 3e-6);
  // 132 multiprocessors, 2048 multiplications of a clock of 1755 MHz.
  EXPECT_NEAR(cluster->flops16, 2.0 * 132 * 2048 * 1755e6, 1e6);
}

TEST(ClusterTest, ReportsAllErrorsWithTheirPaths) {
  EXPECT_EQ(
      errorsOf(R"({"device": "sm_9", "memory": "80XB", "level": 1, "levels": [
    {"devices": 0, "latency_us": 3, "bandwidth_GBps": 450}, {"devices": 1.5, "bandwidth_GBps": "fast"}, 3]})"),
      "error: c.json: /level: unknown member; did you mean 'levels'?\n"
      "error: c.json: /memory: found \"80XB\", expected a size such as 80GB\n"
      "error: c.json: /device: unknown device \"sm_9\", expected one of sm_80, sm_86, sm_89, sm_90, sm_90a, "
      "sm_100, sm_100a, avx2, avx512, generic, or a file of facts (.json)\n"
      "error: c.json: /levels/0/devices: found 0, expected a number from 1 to 65536\n"
      "error: c.json: /levels/1/devices: found 1.5, expected an integer\n"
      "error: c.json: /levels/1/latency_us: missing, expected a number from 0 to 1e+09\n"
      "error: c.json: /levels/1/bandwidth_GBps: found \"fast\", expected a number from 1e-06 to 1e+09\n"
      "error: c.json: /levels/2: found number, expected an object with the members devices, latency_us and "
      "bandwidth_GBps\n");
  EXPECT_EQ(errorsOf("[]"),
            "error: c.json: found array, expected an object with the members device, memory and levels\n");
  EXPECT_NE(errorsOf("{}", "many").find("--memory: found many, expected a size"), std::string::npos);
}

TEST(ClusterTest, ParsesBytes) {
  EXPECT_EQ(parseBytes("80GB"), 80e9);
  EXPECT_EQ(parseBytes("1.5GiB"), 1.5 * 0x1p30);
  EXPECT_EQ(parseBytes("512"), 512);
  for (const char *text : {"", "GB", "-1GB", "1 GB", "nan", "1e999"})
    EXPECT_FALSE(parseBytes(text)) << text;
}

// Formulas of Thakur et al. 2005, "Optimization of Collective Communication Operations in MPICH".
TEST(ClusterTest, CollectivesOfOneLevelTakeTheTimeOfARing) {
  Cluster cluster = hopperCluster(8);
  double alpha = 3e-6, beta = 1 / 450e9, bytes = 1e9;
  DeviceGroup all{1, 8};
  EXPECT_DOUBLE_EQ(cluster.seconds(Collective::AllGather, all, bytes), 7 * alpha + 7.0 / 8 * bytes * beta);
  EXPECT_DOUBLE_EQ(cluster.seconds(Collective::AllReduce, all, bytes),
                   2 * (7 * alpha + 7.0 / 8 * bytes * beta));
  EXPECT_DOUBLE_EQ(cluster.seconds(Collective::AllToAll, all, bytes), 7 * alpha + 7.0 / 8 * bytes * beta);
  EXPECT_DOUBLE_EQ(cluster.seconds(Collective::Permute, all, bytes), alpha + bytes * beta);
  // A tree takes fewer messages.
  EXPECT_DOUBLE_EQ(cluster.seconds(Collective::AllReduce, all, 8), 2 * 3 * alpha + 2 * 8 * beta);
  EXPECT_EQ(cluster.seconds(Collective::AllReduce, {1, 1}, bytes), 0);
}

TEST(ClusterTest, CollectivesOfTwoLevelsSendShardsOverTheSlowOne) {
  Cluster cluster = hopperCluster(64);
  double inner = 7 * 3e-6 + 7.0 / 8 * 1e9 / 450e9, outer = 7 * 8e-6 + 7.0 / 8 * (1e9 / 8) / 50e9;
  EXPECT_DOUBLE_EQ(cluster.seconds(Collective::AllGather, {1, 64}, 1e9), inner + outer);
  // Devices 0, 8, 16, ...: each is in a group of its own.
  EXPECT_DOUBLE_EQ(cluster.seconds(Collective::AllGather, {8, 8}, 1e9), 7 * 8e-6 + 7.0 / 8 * 1e9 / 50e9);
}

} // namespace
} // namespace proa::plan
