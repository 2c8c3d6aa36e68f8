#include "lib/base/support/Cores.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <thread>
#include <vector>

namespace proa {
namespace {

namespace fs = std::filesystem;

/// Cores of the affinity mask. A machine may have more cores than a cpu_set_t has bits.
int coresOfAffinity() {
  for (int bits = CPU_SETSIZE; bits <= (1 << 20); bits *= 2) {
    size_t bytes = CPU_ALLOC_SIZE(bits);
    std::vector<std::byte> memory(bytes);
    auto *set = reinterpret_cast<cpu_set_t *>(memory.data());
    if (::sched_getaffinity(0, bytes, set) == 0)
      return std::max(1, CPU_COUNT_S(bytes, set));
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Quota of one group in cores: "200000 100000" or "max 100000" of version 2, two files of version 1.
std::optional<double> quotaOf(const fs::path &group, bool isVersion2) {
  double quota = 0, period = 0;
  if (isVersion2) {
    std::ifstream file(group / "cpu.max");
    if (!(file >> quota >> period))
      return std::nullopt;
  } else {
    std::ifstream quotaFile(group / "cpu.cfs_quota_us"), periodFile(group / "cpu.cfs_period_us");
    if (!(quotaFile >> quota) || !(periodFile >> period))
      return std::nullopt;
  }
  return quota > 0 && period > 0 ? std::optional(quota / period) : std::nullopt;
}

/// The smallest quota of a group and its parents. In a container the group may be mounted as the root itself.
std::optional<double> smallestQuota(const fs::path &root, const fs::path &group, bool isVersion2) {
  std::optional<double> smallest;
  for (fs::path at = group.relative_path().lexically_normal();; at = at.parent_path()) {
    if (auto quota = quotaOf(root / at, isVersion2); quota && (!smallest || *quota < *smallest))
      smallest = quota;
    if (at.empty())
      return smallest;
  }
}

bool hasController(const std::string &controllers, const std::string &name) {
  std::istringstream list(controllers);
  for (std::string entry; std::getline(list, entry, ',');)
    if (entry == name)
      return true;
  return false;
}

} // namespace

std::optional<double> cpuQuota(const std::string &membership, const std::string &root) {
  std::optional<double> smallest;
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) { // "0::/group", "4:cpu,cpuacct:/group"
    size_t first = line.find(':'), second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    bool isVersion2 = controllers.empty();
    if (!isVersion2 && !hasController(controllers, "cpu"))
      continue;
    fs::path mount = isVersion2 ? fs::path(root) : fs::path(root) / controllers;
    if (auto quota = smallestQuota(mount, group, isVersion2); quota && (!smallest || *quota < *smallest))
      smallest = quota;
  }
  return smallest;
}

int availableCores() {
  // The quota is read once, because loops over all cores ask often.
  static const std::optional<double> quota = [] {
    std::ifstream file("/proc/self/cgroup");
    std::stringstream text;
    text << file.rdbuf();
    return cpuQuota(text.str(), "/sys/fs/cgroup");
  }();
  int cores = coresOfAffinity();
  return quota ? std::clamp(static_cast<int>(std::ceil(*quota)), 1, cores) : cores;
}

} // namespace proa
