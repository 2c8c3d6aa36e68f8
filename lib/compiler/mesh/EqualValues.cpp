#include "lib/compiler/mesh/EqualValues.h"

#include "lib/base/spmd/Exchange.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace proa {
namespace {

/// Larger tensors are sampled: reading all of a file of weights on each rank would take longer than its
/// shard.
constexpr size_t wholeBytes = size_t(1) << 20, sampleBytes = 4096;

std::string_view bytesOf(const Tensor &tensor, size_t begin, size_t count) {
  return {static_cast<const char *>(tensor.data()) + begin, count};
}

uint64_t hashOfSamples(const Tensor &tensor) {
  size_t bytes = tensor.bytes();
  if (bytes <= wholeBytes)
    return runtime::hashOf(bytesOf(tensor, 0, bytes));
  constexpr size_t samples = wholeBytes / sampleBytes;
  std::string hashes;
  for (size_t i = 0; i < samples; ++i) {
    size_t begin = static_cast<size_t>(static_cast<__int128>(bytes - sampleBytes) * i / (samples - 1));
    uint64_t hash = runtime::hashOf(bytesOf(tensor, begin, sampleBytes));
    hashes.append(reinterpret_cast<const char *>(&hash), sizeof hash);
  }
  return runtime::hashOf(hashes);
}

/// A hash of the type and of the elements.
uint64_t withType(const Tensor &tensor, uint64_t hash) {
  return runtime::hashOf(fmt::format("{} {}", tensor.describe(), hash));
}

/// The index of the shard that a rank holds.
int64_t shardOf(const spmd::Mesh &mesh, const spmd::Placement &placement, int64_t position) {
  int64_t shard = 0;
  for (const spmd::DimPlacement &dim : placement.dims)
    for (const spmd::AxisRef &axis : dim.axes)
      shard = shard * axis.size + mesh.coordinate(axis, position);
  return shard;
}

} // namespace

void ValueHashes::addWhole(const std::string &name, const Tensor &whole) {
  add(name, withType(whole, hashOfSamples(whole)));
}

void ValueHashes::addShard(const std::string &name, const ShardedTensor &tensor, int64_t rank) {
  auto position = spmd::positionOf(*tensor.mesh, rank);
  if (!position)
    return;
  const Tensor &local = tensor.locals.front();
  std::string shard =
      fmt::format("shard {} of {}", shardOf(*tensor.mesh, tensor.type->placement, *position), name);
  add(shard, withType(local, runtime::hashOf(bytesOf(local, 0, local.bytes()))));
}

Result<void> ValueHashes::compare(RankGroup &ranks, const std::string &where) const {
  std::string text;
  for (const auto &[name, hash] : hashes) {
    text += name + '\0';
    text.append(reinterpret_cast<const char *>(&hash), sizeof hash);
  }
  auto gathered = ranks.gather({"comparison of weights, feeds and seeds", 0, true}, text);
  if (!gathered)
    return gathered.diagnostics();
  struct First {
    int64_t rank;
    uint64_t hash;
    std::vector<int64_t> others; ///< ranks with another hash
  };
  std::map<std::string, First> byName;
  for (size_t rank = 0; rank < gathered->size(); ++rank) {
    std::string_view rest = (*gathered)[rank];
    while (!rest.empty()) {
      std::string name(rest.substr(0, rest.find('\0')));
      uint64_t hash = 0;
      std::memcpy(&hash, rest.data() + name.size() + 1, sizeof hash);
      rest.remove_prefix(name.size() + 1 + sizeof hash);
      auto [entry, isFirst] = byName.try_emplace(name, First{static_cast<int64_t>(rank), hash, {}});
      if (!isFirst && entry->second.hash != hash)
        entry->second.others.push_back(static_cast<int64_t>(rank));
    }
  }
  Diagnostics diagnostics;
  constexpr size_t most = 8;
  size_t count = 0;
  for (const auto &[name, first] : byName)
    if (!first.others.empty() && ++count <= most)
      diagnostics.add(where,
                      fmt::format("{}: rank {} has another value than rank {}; expected equal weights, "
                                  "feeds and seeds on all ranks",
                                  name, fmt::join(first.others, ", "), first.rank));
  if (count > most)
    diagnostics.add(where, fmt::format("{} other values differ too", count - most));
  return diagnostics;
}

} // namespace proa
