#include "lib/checkpoint/Layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace proa::checkpoints {

std::vector<LocalBox> localBoxes(const spmd::Mesh &mesh, const spmd::Placement &placement, spmd::Dims dims,
                                 int64_t position) {
  std::vector<LocalBox> boxes{{}};
  for (size_t d = 0; d < dims.size(); ++d) {
    std::vector<LocalBox> longer;
    std::vector<spmd::Range> ranges = spmd::localRanges(mesh, placement.dims[d], dims[d], position);
    for (const LocalBox &box : boxes) {
      int64_t offset = 0;
      for (const spmd::Range &range : ranges) {
        longer.push_back(box);
        longer.back().box.push_back(range);
        longer.back().local.push_back({offset, offset + range.size()});
        offset += range.size();
      }
    }
    boxes = std::move(longer);
  }
  return boxes;
}

std::vector<HeldBox> heldBoxes(const spmd::Mesh &mesh, const spmd::Placement &placement, spmd::Dims dims) {
  auto isBefore = [](const Box &a, const Box &b) {
    return std::ranges::lexicographical_compare(a, b, [](const spmd::Range &x, const spmd::Range &y) {
      return std::pair(x.begin, x.end) < std::pair(y.begin, y.end);
    });
  };
  std::map<Box, std::vector<int64_t>, decltype(isBefore)> holders(isBefore);
  for (int64_t position = 0; position < mesh.size(); ++position)
    for (const LocalBox &local : localBoxes(mesh, placement, dims, position))
      holders[local.box].push_back(mesh.deviceAt(position));
  if (holders.empty())
    for (int64_t position = 0; position < mesh.size(); ++position)
      holders[wholeBox(dims)].push_back(mesh.deviceAt(position));
  std::vector<HeldBox> boxes;
  for (auto &[box, devices] : holders) {
    std::ranges::sort(devices);
    boxes.push_back({box, std::move(devices)});
  }
  return boxes;
}

std::vector<int64_t> chooseHolders(std::span<const StoredSize> boxes) {
  std::vector<size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return boxes[a].bytes > boxes[b].bytes; });
  std::map<int64_t, int64_t> load;
  std::vector<int64_t> chosen(boxes.size());
  for (size_t i : order) {
    chosen[i] = *std::ranges::min_element(boxes[i].holders, {}, [&](int64_t device) { return load[device]; });
    load[chosen[i]] += boxes[i].bytes;
  }
  return chosen;
}

static int64_t bytesOf(const Box &box, DType dtype) {
  return volumeOf(box) * static_cast<int64_t>(sizeOf(dtype));
}

StoredBoxes storeOnHolders(const std::map<std::string, TensorEntry> &tensors, const HeldBoxes &boxes) {
  std::vector<StoredSize> sizes;
  for (const auto &[name, list] : boxes)
    for (const HeldBox &held : list)
      sizes.push_back({held.holders, bytesOf(held.box, tensors.at(name).dtype)});
  std::vector<int64_t> chosen = chooseHolders(sizes);
  StoredBoxes stored;
  size_t i = 0;
  for (const auto &[name, list] : boxes)
    for (const HeldBox &held : list)
      stored[name].push_back({held.box, chosen[i++]});
  return stored;
}

namespace {

using TensorEntries = std::map<std::string, TensorEntry>;

class WholeLayout : public Layout {
public:
  explicit WholeLayout(int64_t bytesOfFile) : bytesOfFile(bytesOfFile) {}
  Result<StoredBoxes> place(const TensorEntries &tensors) const override {
    StoredBoxes boxes;
    int64_t file = 0, filled = 0;
    for (const auto &[name, tensor] : tensors) {
      int64_t bytes = bytesOf(wholeBox(tensor.dims), tensor.dtype);
      if (bytesOfFile > 0 && filled > 0 && filled + bytes > bytesOfFile) {
        ++file;
        filled = 0;
      }
      filled += bytes;
      boxes[name].push_back({wholeBox(tensor.dims), file});
    }
    return boxes;
  }

private:
  int64_t bytesOfFile;
};

class FlattenedLayout : public Layout {
public:
  explicit FlattenedLayout(int64_t count) : count(count) {}
  Result<StoredBoxes> place(const TensorEntries &tensors) const override {
    StoredBoxes boxes;
    for (const auto &[name, tensor] : tensors) {
      int64_t size = volumeOf(wholeBox(tensor.dims));
      for (int64_t shard = 0; shard < count; ++shard) {
        spmd::Range range = spmd::shardRange(size, count, shard);
        for (Box &box : boxesOfFlatRange(tensor.dims, range.begin, range.end))
          boxes[name].push_back({std::move(box), shard});
      }
      if (size == 0)
        boxes[name].push_back({wholeBox(tensor.dims), 0});
    }
    return boxes;
  }

private:
  int64_t count;
};

class LikeLayout : public Layout {
public:
  explicit LikeLayout(const Catalog &catalog) : tensors(catalog.tensors) {
    std::map<std::string, int64_t> indexOfFile;
    for (const auto &[file, bytes] : catalog.files)
      indexOfFile.emplace(file, static_cast<int64_t>(indexOfFile.size()));
    for (const auto &[name, shards] : catalog.shards)
      for (const ShardEntry &shard : shards)
        boxes[name].push_back({shard.box, indexOfFile.at(shard.file)});
  }
  Result<StoredBoxes> place(const TensorEntries &others) const override {
    Diagnostics diagnostics;
    for (const auto &[name, tensor] : others) {
      auto found = tensors.find(name);
      if (found == tensors.end())
        diagnostics.add("tensor '" + name + "'", "is not in the checkpoint whose layout is used");
      else if (found->second.dims != tensor.dims)
        diagnostics.add("tensor '" + name + "'",
                        fmt::format("is {}, but {} in the checkpoint whose layout is used",
                                    describe(tensor.dtype, tensor.dims),
                                    describe(found->second.dtype, found->second.dims)));
    }
    if (!diagnostics.empty())
      return diagnostics;
    StoredBoxes chosen;
    for (const auto &[name, tensor] : others)
      chosen[name] = boxes.at(name);
    return chosen;
  }

private:
  TensorEntries tensors;
  StoredBoxes boxes;
};

} // namespace

std::unique_ptr<Layout> wholeTensors(int64_t bytesOfFile) {
  return std::make_unique<WholeLayout>(bytesOfFile);
}
std::unique_ptr<Layout> flattenedTensors(int64_t count) { return std::make_unique<FlattenedLayout>(count); }
std::unique_ptr<Layout> layoutLike(const Catalog &catalog) { return std::make_unique<LikeLayout>(catalog); }

} // namespace proa::checkpoints
