#include "lib/checkpoint/DistributedFormats.h"

#include "lib/checkpoint/Pickle.h"
#include "lib/checkpoint/Plan.h"
#include "lib/checkpoint/StateDict.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace proa::checkpoints {

namespace fs = std::filesystem;

namespace {

using Kind = PickleValue::Kind;

/// The box at an offset.
Box boxAt(const std::vector<int64_t> &offset, const std::vector<int64_t> &sizes) {
  Box box;
  for (size_t d = 0; d < sizes.size(); ++d)
    box.push_back({offset[d], offset[d] + sizes[d]});
  return box;
}

/// Integers of an attribute; false if it is missing, of another form, or of another length than `length` (if
/// that is given).
bool integersOf(const PickleValue &object, std::string_view name, std::vector<int64_t> &values,
                std::optional<size_t> length = std::nullopt) {
  const PickleValue *member = object.member(name);
  return member && member->integers(values) && (!length || values.size() == *length);
}

bool textOf(const PickleValue &object, std::string_view name, std::string &text) {
  const PickleValue *member = object.member(name);
  if (!member || !member->is(Kind::Text))
    return false;
  text = member->text;
  return true;
}

/// The common base of both formats.
class DistributedReader {
public:
  explicit DistributedReader(std::string folder) : folder(std::move(folder)) {}

  Result<OtherCheckpoint> finish() {
    for (const auto &[name, tensor] : checkpoint.catalog.tensors) {
      std::vector<Box> boxes;
      for (const ShardEntry &shard : checkpoint.catalog.shards[name])
        boxes.push_back(shard.box);
      if (diagnostics.empty())
        diagnostics.append(checkCover(folder, name, tensor.dims, boxes).diagnostics());
    }
    if (!diagnostics.empty())
      return diagnostics;
    return std::move(checkpoint);
  }

protected:
  void wrong(const std::string &where, const std::string &message) { diagnostics.add(where, message); }
  std::string pathOf(const std::string &file) const { return (fs::path(folder) / file).string(); }

  bool checkName(const std::string &file, const std::string &where) {
    bool isName = !file.empty() && file.find('/') == std::string::npos && file != "..";
    if (!isName)
      wrong(where, "found the file '" + file + "', expected a name in the same folder");
    return isName;
  }

  /// Adds a shard of a tensor with these dims, unless another file has the same box.
  void addShard(const std::string &name, const std::vector<int64_t> &dims, const Box &box,
                const std::string &file, Tensor elements) {
    if (elements.dims() != dimsOf(box))
      return wrong(pathOf(file), fmt::format("the shard {} of '{}' is {}, expected the dims of the box",
                                             toText(box), name, elements.describe()));
    TensorEntry entry{elements.dtype(), dims, StateKind::Parameter};
    auto [known, isNew] = checkpoint.catalog.tensors.emplace(name, entry);
    if (known->second != entry)
      return wrong(pathOf(file),
                   fmt::format("'{}' is {}, but {} elsewhere", name, describe(entry.dtype, entry.dims),
                               describe(known->second.dtype, known->second.dims)));
    std::vector<ShardEntry> &shards = checkpoint.catalog.shards[name];
    if (std::ranges::any_of(shards, [&](const ShardEntry &other) { return other.box == box; }))
      return;
    std::string key = keyOf(name, entry, box);
    checkpoint.catalog.files.emplace(file, std::nullopt);
    checkpoint.files[file].insert_or_assign(key, std::move(elements));
    shards.push_back({box, file, std::move(key), std::nullopt});
  }

  std::string folder;
  OtherCheckpoint checkpoint;
  Diagnostics diagnostics;
};

class TorchDistributedReader : public DistributedReader {
public:
  using DistributedReader::DistributedReader;

  void read(const PickleValue &metadata, const std::string &where) {
    const PickleValue *types = metadata.member("state_dict_metadata"),
                      *storage = metadata.member("storage_data");
    if (!types || !types->is(Kind::Dict) || !storage || !storage->is(Kind::Dict))
      return wrong(where, "expected an object with the dicts state_dict_metadata and storage_data");
    for (size_t i = 0; i + 1 < storage->items.size(); i += 2)
      readEntry(*types, *storage->items[i], *storage->items[i + 1], where);
  }

private:
  void readEntry(const PickleValue &types, const PickleValue &index, const PickleValue &info,
                 const std::string &where) {
    std::string name, file;
    const PickleValue *begin = info.member("offset"), *length = info.member("length");
    if (!textOf(index, "fqn", name) || !textOf(info, "relative_path", file) || !begin ||
        !begin->is(Kind::Integer) || !length || !length->is(Kind::Integer))
      return wrong(where, "storage_data: expected fqn, relative_path, offset and length of each entry");
    if (!checkName(file, where))
      return;
    const std::shared_ptr<const MappedFile> *content = contentOf(file);
    if (!content)
      return;
    uint64_t available = (*content)->bytes().size(), at = static_cast<uint64_t>(begin->integer),
             size = static_cast<uint64_t>(length->integer);
    if (at > available || size > available - at)
      return wrong(pathOf(file),
                   fmt::format("has {} bytes, but '{}' is at bytes {} to {}: the file was truncated",
                               available, name, at, at + size));
    Result<params::Tensors> tensors =
        readTorchBytes(*content, (*content)->bytes().subspan(at, size), name, pathOf(file));
    if (!tensors)
      diagnostics.append(tensors.diagnostics());
    else
      addShards(types, index, name, file, *tensors, where);
  }

  void addShards(const PickleValue &types, const PickleValue &index, const std::string &name,
                 const std::string &file, params::Tensors &tensors, const std::string &where) {
    const PickleValue *type = types.member(name);
    std::vector<int64_t> dims, offset;
    bool isSharded = type && integersOf(*type, "size", dims);
    for (auto &[tensor, value] : tensors) {
      if (!isSharded || !integersOf(index, "offset", offset)) {
        addShard(tensor, value.dims(), wholeBox(value.dims()), file, value);
        continue;
      }
      if (offset.size() != dims.size() || value.dims().size() != dims.size())
        return wrong(where, "'" + name + "': the offset has another number of dims than the tensor");
      addShard(tensor, dims, boxAt(offset, value.dims()), file, value);
    }
  }

  /// Null after an error, which is reported once.
  const std::shared_ptr<const MappedFile> *contentOf(const std::string &file) {
    auto [entry, isNew] = contents.emplace(file, nullptr);
    if (isNew) {
      auto mapped = mapFile(pathOf(file));
      if (mapped)
        entry->second = *mapped;
      else
        diagnostics.append(mapped.diagnostics());
    }
    return entry->second ? &entry->second : nullptr;
  }

  std::map<std::string, std::shared_ptr<const MappedFile>> contents;
};

class PaddleDistributedReader : public DistributedReader {
public:
  using DistributedReader::DistributedReader;

  void read(const PickleValue &metadata, const std::string &where) {
    const PickleValue *types = metadata.member("state_dict_metadata"),
                      *storage = metadata.member("storage_metadata");
    if (!types || !types->is(Kind::Dict) || !storage || !storage->is(Kind::Dict))
      return wrong(where, "expected an object with the dicts state_dict_metadata and storage_metadata");
    for (size_t i = 0; i + 1 < storage->items.size(); i += 2)
      readEntry(*types, *storage->items[i], *storage->items[i + 1], where);
  }

private:
  /// The flattened range of an object; none if it is not flattened.
  static std::optional<spmd::Range> rangeOf(const PickleValue &object) {
    std::vector<int64_t> range;
    const PickleValue *isFlattened = object.member("is_flattened");
    if (!isFlattened || isFlattened->integer == 0 || !integersOf(object, "flattened_range", range, 2))
      return std::nullopt;
    return spmd::Range{range[0], range[1]};
  }

  /// The metadata of the shard that an index names.
  static const PickleValue *shardOf(const PickleValue *list, const PickleValue &index) {
    std::vector<int64_t> offset, other;
    if (!list || !list->is(Kind::List) || !integersOf(index, "global_offset", offset))
      return nullptr;
    for (const PickleValue *shard : list->items)
      if (integersOf(*shard, "global_offset", other) && other == offset && rangeOf(*shard) == rangeOf(index))
        return shard;
    return nullptr;
  }

  void readEntry(const PickleValue &types, const PickleValue &index, const PickleValue &fileName,
                 const std::string &where) {
    std::string name;
    std::vector<int64_t> offset, sizes, dims;
    if (!textOf(index, "tensor_key", name) || !fileName.is(Kind::Text))
      return wrong(where, "storage_metadata: expected tensor_key and a file of each entry");
    const PickleValue *list = types.member(name), *shard = shardOf(list, index);
    if (!shard || !integersOf(*shard, "global_offset", offset) ||
        !integersOf(*shard, "local_shape", sizes, offset.size()))
      return wrong(where, "'" + name + "': expected global_offset and local_shape of each shard");
    if (!integersOf(*shard, "global_shape", dims, offset.size()))
      dims = dimsOfAll(*list, offset.size());
    std::string file(fileName.text);
    const params::Tensors *content = checkName(file, where) ? contentOf(file) : nullptr;
    if (!content)
      return;
    auto value = content->find(name);
    if (value == content->end())
      return wrong(pathOf(file), "has no tensor '" + name + "', which " + where + " names");
    addRange(name, dims, boxAt(offset, sizes), rangeOf(*shard), file, value->second);
  }

  /// Adds the boxes of a flattened range of a box, or the box.
  void addRange(const std::string &name, const std::vector<int64_t> &dims, const Box &box,
                const std::optional<spmd::Range> &range, const std::string &file, const Tensor &value) {
    if (!range)
      return addShard(name, dims, box, file, value);
    bool isValid = range->begin >= 0 && range->begin <= range->end && range->end <= volumeOf(box);
    if (!isValid || value.size() != range->size())
      return wrong(pathOf(file), fmt::format("'{}' has {} elements, expected the range {} to {} of {}", name,
                                             value.size(), range->begin, range->end, toText(box)));
    size_t at = 0;
    auto keeper = std::make_shared<Tensor>(value);
    for (Box &region : boxesOfFlatRange(dimsOf(box), range->begin, range->end)) {
      auto *bytes = keeper->as<std::byte>() + at;
      at += static_cast<size_t>(volumeOf(region)) * sizeOf(value.dtype());
      for (size_t d = 0; d < region.size(); ++d)
        region[d] = {region[d].begin + box[d].begin, region[d].end + box[d].begin};
      addShard(name, dims, region, file, Tensor(value.dtype(), dimsOf(region), bytes, keeper));
    }
  }

  /// Of older versions, which do not write the dims of the whole tensor.
  static std::vector<int64_t> dimsOfAll(const PickleValue &list, size_t rank) {
    std::vector<int64_t> dims(rank, 0), offset, sizes;
    for (const PickleValue *shard : list.items)
      if (integersOf(*shard, "global_offset", offset, rank) && integersOf(*shard, "local_shape", sizes, rank))
        for (size_t d = 0; d < rank; ++d)
          dims[d] = std::max(dims[d], offset[d] + sizes[d]);
    return dims;
  }

  /// Null after an error, which is reported once.
  const params::Tensors *contentOf(const std::string &file) {
    auto [entry, isNew] = contents.emplace(file, std::nullopt);
    if (isNew) {
      Result<params::Tensors> read = readPaddleStateDict(pathOf(file));
      if (read)
        entry->second = std::move(*read);
      else
        diagnostics.append(read.diagnostics());
    }
    return entry->second ? &*entry->second : nullptr;
  }

  std::map<std::string, std::optional<params::Tensors>> contents;
};

/// Reads the pickle of a metadata file.
template <class Reader> Result<void> readMetadata(Reader &reader, const std::string &path) {
  Result<PickleFile> opened = PickleFile::open(path);
  if (!opened)
    return opened.diagnostics();
  reader.read(opened->pickle.root(), path);
  return {};
}

} // namespace

Result<OtherCheckpoint> readTorchDistributed(const std::string &folder) {
  TorchDistributedReader reader(folder);
  if (Result<void> read = readMetadata(reader, (fs::path(folder) / ".metadata").string()); !read)
    return read.diagnostics();
  return reader.finish();
}

Result<OtherCheckpoint> readPaddleDistributed(const std::string &folder,
                                              std::span<const std::string> metadataFiles) {
  PaddleDistributedReader reader(folder);
  for (const std::string &file : metadataFiles)
    if (Result<void> read = readMetadata(reader, (fs::path(folder) / file).string()); !read)
      return read.diagnostics();
  return reader.finish();
}

} // namespace proa::checkpoints
