/// Clusters: devices with a memory, and levels of links between them.
#pragma once

#include "lib/base/spmd/Step.h"
#include "lib/base/target/TargetFacts.h"
#include "proa/Result.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proa::plan {

/// The links that join groups of the level before it: level 0 joins devices.
struct LinkLevel {
  std::string name;
  int64_t devices = 1;  ///< the number of groups that are joined
  double latency = 0;   ///< seconds of a message besides its bytes
  double bandwidth = 1; ///< bytes per second that each device sends, and receives
};

enum class Collective : uint8_t { AllReduce, AllGather, ReduceScatter, AllToAll, Permute };

/// "all_reduce", "all_gather", ...
const char *nameOf(Collective collective);
/// The collective of a step between placements; nothing: it moves no elements.
std::optional<Collective> collectiveOf(spmd::StepKind kind);

/// Devices 0, stride, 2 stride, ... of a cluster, whose devices are numbered by level from the innermost.
struct DeviceGroup {
  int64_t stride = 1, size = 1;
};

/// Equal devices. Rates are what kernels reach.
struct Cluster {
  std::string device;
  double memory = 0;          ///< bytes of a device
  double flops32 = 1;         ///< FLOP/s of contractions of float32
  double flops16 = 1;         ///< of 16-bit floats
  double memoryBandwidth = 1; ///< bytes per second, read and written
  double stepSeconds = 0;     ///< start of a kernel
  double hostBandwidth = 1;   ///< bytes per second between a device and the memory of its host
  /// Each device sends to all others at once, as lib/runtime/ranks does between CPUs, instead of
  /// passing shards around rings.
  bool sendsDirectly = false;
  std::vector<LinkLevel> levels;
  static constexpr size_t mostLevels = 16;

  int64_t size() const;
  /// Seconds of a collective by the alpha-beta model. `bytes`: of the whole tensor (all_gather: the result;
  /// reduce_scatter and all_reduce: the operand of a device; all_to_all, permute: what a device sends).
  /// The best of a ring over all devices, a tree (all_reduce) and one step for each level; or direct
  /// messages.
  double seconds(Collective collective, const DeviceGroup &group, double bytes) const;
  /// Bytes of a bucket, which small collectives of a group are merged into (lib/base/spmd/Bucket.h).
  double bucketBytes(const DeviceGroup &group, bool overlaps) const;

private:
  struct Span {
    double ways, latency, bandwidth;
  };
  /// Spans without memory of their own: the search for plans needs millions.
  class Spans {
  public:
    void add(const Span &span) { list[count++] = span; }
    bool empty() const { return count == 0; }
    const Span *begin() const { return list.data(); }
    const Span *end() const { return list.data() + count; }

  private:
    std::array<Span, mostLevels> list;
    size_t count = 0;
  };
  /// The levels that a group spans, innermost first, and the number of its subgroups that each of them joins.
  Spans spansOf(const DeviceGroup &group) const;
  static double directSeconds(Collective collective, const Spans &spans, double bytes);
};

/// Reads a cluster:
///
///   {"device": "sm_90a", "memory": "80GB", "levels": [
///     {"name": "nvlink", "devices": 8, "latency_us": 3, "bandwidth_GBps": 450},
///     {"name": "ib", "devices": 8, "latency_us": 8, "bandwidth_GBps": 50}]}
///
/// "device" is a known processor (docs/target.md) or a file of facts, whose section names one. Optional:
/// "efficiency" (0 to 1, default 0.5: the fraction of the peak rates that kernels reach; of a file of facts,
/// whose rates are measured, 1), "host_bandwidth_GBps" (default 25); with a file of facts also the latencies
/// and bandwidths. `memory` replaces the member of the file. A file of facts with a section "cluster", which
/// has these members but "device", is a cluster too. Errors, all of them, with the JSON path.
Result<Cluster> readCluster(const std::string &path, const std::string &memory = "");
/// The same of JSON; `where` begins the locations of errors, and relative paths of facts are relative to
/// `folder`.
Result<Cluster> clusterOf(const nlohmann::json &root, const std::string &where,
                          const std::string &folder = "", const std::string &memory = "");

/// A file of facts with a section "cluster": one level of `ranks` devices of `memory` bytes each.
nlohmann::ordered_json calibrationJson(const TargetFacts &facts, double memory, int64_t ranks);

} // namespace proa::plan
