#include "lib/base/plan/Cluster.h"

#include "lib/base/spmd/Bucket.h"
#include "lib/base/spmd/Exchange.h"
#include "lib/base/support/Bytes.h"
#include "lib/base/support/Json.h"
#include "lib/base/support/Suggest.h"
#include "lib/base/target/FactsFile.h"
#include "lib/base/target/MatmulRate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace proa::plan {
namespace {

constexpr double usualEfficiency = 0.5;
constexpr double usualHostBandwidth = 25e9;
constexpr double mostDevices = 1 << 16;

class ClusterReader {
public:
  ClusterReader(std::string where, std::string folder) : where(std::move(where)), folder(std::move(folder)) {}

  Result<Cluster> read(const nlohmann::json &file, const std::string &memory) {
    bool hasFacts = file.is_object() && file.contains("cluster");
    const nlohmann::json &root = hasFacts ? file["cluster"] : file;
    if (hasFacts)
      where += ": /cluster";
    if (!root.is_object()) {
      fail("", fmt::format("found {}, expected an object with the members device, memory and levels",
                           root.type_name()));
      return diagnostics;
    }
    std::vector<std::string> members{"memory", "levels", "efficiency", "host_bandwidth_GBps"};
    if (!hasFacts)
      members.insert(members.begin(), "device");
    checkMembers("", root, members);
    readMemory(root, memory);
    if (std::optional<TargetFacts> facts = hasFacts ? factsOf(file, fileName) : factsOfDevice(root))
      setDevice(root, *facts, hasFacts || isMeasured);
    cluster.hostBandwidth =
        number(root, "", "host_bandwidth_GBps", 1e-3, 1e6).value_or(usualHostBandwidth / 1e9) * 1e9;
    readLevels(root);
    if (!diagnostics.empty())
      return diagnostics;
    return cluster;
  }

private:
  void fail(const std::string &path, const std::string &message) {
    diagnostics.add(where + (path.empty() ? "" : ": " + path), message);
  }

  void checkMembers(const std::string &path, const nlohmann::json &object,
                    const std::vector<std::string> &names) {
    for (const auto &[name, value] : object.items())
      if (std::ranges::find(names, name) == names.end())
        fail(path + "/" + name, "unknown member" + didYouMean(name, names));
  }

  /// A number in a range; nothing if it is not there, or after an error.
  std::optional<double> number(const nlohmann::json &object, const std::string &path, const char *name,
                               double least, double most) {
    auto found = object.find(name);
    if (found == object.end())
      return std::nullopt;
    if (found->is_number() && found->get<double>() >= least && found->get<double>() <= most)
      return found->get<double>();
    fail(path + "/" + name,
         fmt::format("found {}, expected a number from {:g} to {:g}", found->dump(), least, most));
    return std::nullopt;
  }
  double required(const nlohmann::json &object, const std::string &path, const char *name, double least,
                  double most) {
    if (!object.contains(name))
      fail(path + "/" + name, fmt::format("missing, expected a number from {:g} to {:g}", least, most));
    return number(object, path, name, least, most).value_or(1);
  }

  void readMemory(const nlohmann::json &root, const std::string &memory) {
    auto found = root.find("memory");
    if (!memory.empty())
      cluster.memory = parseBytes(memory).value_or(0);
    else if (found == root.end())
      return fail("/memory", "missing, expected a size such as \"80GB\"");
    else
      cluster.memory = parseBytes(found->is_string() ? found->get<std::string>() : found->dump()).value_or(0);
    if (cluster.memory <= 0)
      fail(memory.empty() ? "/memory" : "--memory",
           fmt::format("found {}, expected a size such as 80GB", memory.empty() ? found->dump() : memory));
  }

  std::optional<TargetFacts> factsOfDevice(const nlohmann::json &root) {
    auto found = root.find("device");
    if (found == root.end() || !found->is_string()) {
      fail("/device", fmt::format("{}, expected one of {}, {}, or a file of facts",
                                  found == root.end() ? "missing" : "found " + found->dump(),
                                  knownNames<GpuFacts>(), knownNames<CpuFacts>()));
      return std::nullopt;
    }
    auto name = found->get<std::string>();
    return name.ends_with(".json") ? factsOfFile(name) : factsOfName(name);
  }

  /// Rates that are measured are those that kernels reach, and links have the measured figures by default.
  void setDevice(const nlohmann::json &root, const TargetFacts &facts, bool isMeasured) {
    double efficiency = number(root, "", "efficiency", 1e-3, 1).value_or(isMeasured ? 1 : usualEfficiency);
    const DeviceFacts &device = facts.device();
    cluster.device = device.name;
    cluster.flops32 = efficiency * device.flopsPerSecond();
    cluster.flops16 = efficiency * matmulFlopsPerSecond(facts, {.bits = 16});
    cluster.memoryBandwidth = efficiency * 2 * device.copiedBytesPerSecond();
    cluster.stepSeconds = device.stepSeconds();
    cluster.sendsDirectly = !facts.gpu;
    if (isMeasured)
      links = device;
  }

  std::optional<TargetFacts> factsOfName(const std::string &name) {
    if (const GpuFacts *gpu = knownFacts<GpuFacts>(name))
      return TargetFacts{defaultTarget().cpu, *gpu};
    if (const CpuFacts *cpu = knownFacts<CpuFacts>(name))
      return TargetFacts{*cpu, std::nullopt};
    fail("/device", fmt::format("unknown device \"{}\", expected one of {}, {}, or a file of facts (.json)",
                                name, knownNames<GpuFacts>(), knownNames<CpuFacts>()));
    return std::nullopt;
  }

  std::optional<TargetFacts> factsOfFile(const std::string &name) {
    std::string path = (std::filesystem::path(folder) / name).string();
    auto root = readJsonFile(path);
    if (!root) {
      diagnostics.append(root.diagnostics());
      return std::nullopt;
    }
    isMeasured = true;
    return factsOf(*root, path);
  }

  /// The facts of the processor that the content of a file names, with the facts of the file.
  std::optional<TargetFacts> factsOf(const nlohmann::json &root, const std::string &path) {
    TargetFacts facts = defaultTarget();
    auto nameIn = [&](const char *section) {
      auto found = root.is_object() ? root.find(section) : root.end();
      bool isNamed = found != root.end() && found->is_object() && found->contains("name");
      return isNamed && (*found)["name"].is_string() ? (*found)["name"].get<std::string>() : std::string();
    };
    if (const CpuFacts *cpu = knownFacts<CpuFacts>(nameIn("cpu")))
      facts.cpu = *cpu;
    if (const GpuFacts *gpu = knownFacts<GpuFacts>(nameIn("gpu")))
      facts.gpu = *gpu;
    if (Result<void> applied = applyFacts(root, path, facts); !applied) {
      diagnostics.append(applied.diagnostics());
      return std::nullopt;
    }
    return facts;
  }

  void readLevels(const nlohmann::json &root) {
    auto found = root.find("levels");
    if (found == root.end() || !found->is_array() || found->empty())
      return fail("/levels", "expected a list of levels of links, the innermost first");
    if (found->size() > Cluster::mostLevels)
      return fail("/levels",
                  fmt::format("found {} levels, expected at most {}", found->size(), Cluster::mostLevels));
    double devices = 1;
    for (size_t i = 0; i < found->size(); ++i) {
      readLevel((*found)[i], fmt::format("/levels/{}", i));
      devices *= static_cast<double>(cluster.levels.back().devices);
    }
    if (devices > mostDevices)
      fail("/levels", fmt::format("they have {:g} devices, expected at most {:g}", devices, mostDevices));
  }

  void readLevel(const nlohmann::json &level, const std::string &path) {
    LinkLevel &read = cluster.levels.emplace_back();
    if (!level.is_object())
      return fail(path, fmt::format("found {}, expected an object with the members devices, latency_us and "
                                    "bandwidth_GBps",
                                    level.type_name()));
    checkMembers(path, level, {"name", "devices", "latency_us", "bandwidth_GBps"});
    read.name = fmt::format("level {}", cluster.levels.size() - 1);
    if (auto name = level.find("name"); name != level.end()) {
      if (name->is_string())
        read.name = name->get<std::string>();
      else
        fail(path + "/name", fmt::format("found {}, expected a text", name->dump()));
    }
    double devices = required(level, path, "devices", 1, mostDevices);
    if (devices != std::floor(devices))
      fail(path + "/devices", fmt::format("found {}, expected an integer", devices));
    read.devices = static_cast<int64_t>(devices);
    auto figure = [&](const char *name, double least, std::optional<double> measured) {
      return measured && !level.contains(name) ? *measured : required(level, path, name, least, 1e9);
    };
    std::optional<double> latency, bandwidth;
    if (links)
      latency = links->linkLatency() * 1e6, bandwidth = links->linkBytesPerSecond() / 1e9;
    read.latency = figure("latency_us", 0, latency) * 1e-6;
    read.bandwidth = figure("bandwidth_GBps", 1e-6, bandwidth) * 1e9;
  }

  std::string where, folder;
  const std::string fileName = where; ///< before the path of a section is added
  bool isMeasured = false;            ///< the device is a file of facts
  std::optional<DeviceFacts> links;   ///< measured
  Cluster cluster;
  Diagnostics diagnostics;
};

/// A ring: each of n - 1 steps sends one shard.
double ring(double ways, double latency, double bandwidth, double bytes) {
  return (ways - 1) * latency + (ways - 1) / ways * bytes / bandwidth;
}

} // namespace

const char *nameOf(Collective collective) {
  constexpr const char *names[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "permute"};
  return names[static_cast<size_t>(collective)];
}

std::optional<Collective> collectiveOf(spmd::StepKind kind) {
  switch (kind) {
  case spmd::StepKind::Slice:
  case spmd::StepKind::ToPartial:
    return std::nullopt;
  case spmd::StepKind::AllGather:
    return Collective::AllGather;
  case spmd::StepKind::AllToAll:
    return Collective::AllToAll;
  case spmd::StepKind::Permute:
    return Collective::Permute;
  case spmd::StepKind::AllReduce:
    return Collective::AllReduce;
  case spmd::StepKind::ReduceScatter:
    return Collective::ReduceScatter;
  }
  return std::nullopt;
}

int64_t Cluster::size() const {
  int64_t size = 1;
  for (const LinkLevel &level : levels)
    size *= level.devices;
  return size;
}

Cluster::Spans Cluster::spansOf(const DeviceGroup &group) const {
  Spans spans;
  int64_t capacity = 1, inside = 1; // members of the group within a block of the level before
  for (const LinkLevel &level : levels) {
    capacity *= level.devices;
    int64_t members = std::clamp<int64_t>(capacity / group.stride, 1, group.size);
    if (members > inside)
      spans.add({static_cast<double>(members) / static_cast<double>(inside), level.latency, level.bandwidth});
    inside = std::max(inside, members);
  }
  return spans;
}

double Cluster::bucketBytes(const DeviceGroup &group, bool overlaps) const {
  double bytes = spmd::mostBucketBytes;
  if (overlaps)
    for (const Span &span : spansOf(group))
      bytes = std::min(bytes, spmd::bucketBytes(span.latency, span.bandwidth));
  return bytes;
}

/// Messages are on their way at once, and arrive one after the other.
double Cluster::directSeconds(Collective collective, const Spans &spans, double bytes) {
  double latency = 0, perByte = 0, inner = 1, slowest = 0; // perByte: of equal messages from all others
  for (const Span &span : spans) {
    latency = std::max(latency, span.latency);
    slowest = std::max(slowest, 1 / span.bandwidth);
    perByte += inner * (span.ways - 1) / span.bandwidth;
    inner *= span.ways;
  }
  if (collective == Collective::Permute)
    return latency + bytes * slowest;
  if (collective != Collective::AllReduce)
    return latency + bytes / inner * perByte;
  return spmd::sumsInOneRound(std::llround(inner), std::llround(bytes))
             ? latency + bytes * perByte
             : 2 * (latency + bytes / inner * perByte);
}

double Cluster::seconds(Collective collective, const DeviceGroup &group, double bytes) const {
  Spans spans = spansOf(group);
  if (spans.empty())
    return 0;
  if (sendsDirectly)
    return directSeconds(collective, spans, bytes);
  double ways = static_cast<double>(group.size), latency = 0, bandwidth = INFINITY;
  for (const Span &span : spans) {
    latency = std::max(latency, span.latency);
    bandwidth = std::min(bandwidth, span.bandwidth);
  }
  if (collective == Collective::Permute)
    return latency + bytes / bandwidth;
  double levelled = 0, inner = 1;
  if (collective == Collective::AllToAll) {
    for (const Span &span : spans) { // peers that are reached by the links of the level
      double peers = inner * (span.ways - 1);
      levelled += peers * span.latency + peers / ways * bytes / span.bandwidth;
      inner *= span.ways;
    }
    return levelled;
  }
  for (const Span &span : spans) {
    levelled += ring(span.ways, span.latency, span.bandwidth, bytes / inner);
    inner *= span.ways;
  }
  double once = std::min(levelled, ring(ways, latency, bandwidth, bytes));
  if (collective != Collective::AllReduce)
    return once;
  return std::min(2 * once, 2 * std::log2(ways) * latency + 2 * bytes / bandwidth);
}

Result<Cluster> clusterOf(const nlohmann::json &root, const std::string &where, const std::string &folder,
                          const std::string &memory) {
  return ClusterReader(where, folder).read(root, memory);
}

nlohmann::ordered_json calibrationJson(const TargetFacts &facts, double memory, int64_t ranks) {
  nlohmann::ordered_json json = factsJson(facts);
  json["cluster"] = {{"memory", static_cast<int64_t>(memory)},
                     {"levels", {{{"name", "ranks"}, {"devices", ranks}}}}};
  return json;
}

Result<Cluster> readCluster(const std::string &path, const std::string &memory) {
  auto root = readJsonFile(path);
  if (!root)
    return root.diagnostics();
  return clusterOf(*root, path, std::filesystem::path(path).parent_path().string(), memory);
}

} // namespace proa::plan
