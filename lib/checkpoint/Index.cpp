#include "lib/checkpoint/Index.h"

#include "lib/base/support/Json.h"
#include "lib/checkpoint/Checksum.h"
#include "lib/checkpoint/Plan.h"

#include <fmt/format.h>

namespace proa::checkpoints {
namespace {

using nlohmann::json;

constexpr int version = 1;
constexpr const char *checksumKey = "checksum";

json jsonOf(const ShardEntry &shard) {
  json box = json::array();
  for (const spmd::Range &range : shard.box)
    box.push_back({range.begin, range.end});
  json out = {{"file", shard.file}, {"box", std::move(box)}};
  if (shard.checksum)
    out[checksumKey] = checksumText(*shard.checksum);
  return out;
}

json jsonOf(const TrainingState &training) {
  json out = {{"step", training.step}};
  if (training.random)
    out["random"] = {{"seed", training.random->seed}, {"calls", training.random->calls}};
  return out;
}

/// All of the catalog; its checksum is computed from the rest of the text.
json jsonOf(const Catalog &catalog) {
  json tensors = json::object(), shards = json::object(), files = json::object();
  for (const auto &[name, tensor] : catalog.tensors)
    tensors[name] = {
        {"dtype", nameOf(tensor.dtype)}, {"shape", tensor.dims}, {"kind", keywordOf(tensor.kind)}};
  for (const auto &[name, list] : catalog.shards)
    for (json &entries = shards[name] = json::array(); const ShardEntry &shard : list)
      entries.push_back(jsonOf(shard));
  for (const auto &[name, bytes] : catalog.files)
    files[name] = bytes ? json(*bytes) : json();
  json out = {{"version", version},
              {"save", catalog.save},
              {"tensors", std::move(tensors)},
              {"shards", std::move(shards)},
              {"files", std::move(files)}};
  if (catalog.training)
    out["training"] = jsonOf(*catalog.training);
  out[checksumKey] = checksumText(checksumOf(out.dump()));
  return out;
}

class CatalogReader {
public:
  CatalogReader(const std::string &where, bool isIncomplete) : where(where), isIncomplete(isIncomplete) {}

  Result<Catalog> read(json object) {
    try {
      if (checkFrame(object))
        readAll(object);
    } catch (const json::exception &error) {
      diagnostics.add(where, std::string("the catalog is damaged: ") + error.what());
    }
    if (!diagnostics.empty())
      return diagnostics;
    return std::move(catalog);
  }

private:
  bool checkFrame(json &object) {
    auto found = object.find("version");
    if (found == object.end() || *found != version) {
      std::string text = found == object.end() ? "no version" : "version " + found->dump();
      diagnostics.add(where, fmt::format("the catalog has {}, expected version {}", text, version));
      return false;
    }
    std::string expected = object.at(checksumKey).get<std::string>();
    object.erase(checksumKey);
    std::string actual = checksumText(checksumOf(object.dump()));
    if (actual != expected)
      diagnostics.add(where,
                      fmt::format("the catalog has the checksum {}, expected {}: it was changed after it was "
                                  "written",
                                  actual, expected));
    return actual == expected;
  }

  void readAll(const json &object) {
    catalog.save = object.at("save").get<int64_t>();
    for (const auto &[name, bytes] : object.at("files").items())
      readFile(name, bytes);
    for (const auto &[name, entry] : object.at("tensors").items())
      readTensor(name, entry);
    for (const auto &[name, entries] : object.at("shards").items())
      readShards(name, entries);
    if (auto training = object.find("training"); training != object.end())
      readTraining(*training);
    for (const auto &[name, tensor] : catalog.tensors)
      if (diagnostics.empty() && !isIncomplete)
        checkShards(name, tensor);
  }

  void readFile(const std::string &name, const json &bytes) {
    if (name.empty() || name.find('/') != std::string::npos || name == "..")
      diagnostics.add(where, "found the file '" + name + "', expected a name in the same folder");
    catalog.files[name] = bytes.is_null() ? std::nullopt : std::optional(bytes.get<uint64_t>());
  }

  void readTensor(const std::string &name, const json &entry) {
    std::string dtypeName = entry.at("dtype").get<std::string>(),
                kindName = entry.at("kind").get<std::string>();
    std::optional<DType> dtype = dtypeFromName(dtypeName);
    std::optional<StateKind> kind = stateKindOf(kindName);
    auto dims = entry.at("shape").get<std::vector<int64_t>>();
    if (!dtype)
      return wrong(name, "found the dtype '" + dtypeName + "', expected a name such as float32");
    if (!kind)
      return wrong(name, "found the kind '" + kindName + "', expected parameter or state");
    if (!elementCount(dims))
      return wrong(name, "found dims without an element count");
    catalog.tensors[name] = {*dtype, std::move(dims), *kind};
  }

  void readShards(const std::string &name, const json &entries) {
    auto tensor = catalog.tensors.find(name);
    if (tensor == catalog.tensors.end())
      return wrong(name, "has shards, but no dtype and dims");
    std::vector<ShardEntry> &list = catalog.shards[name];
    for (const json &entry : entries) {
      ShardEntry shard;
      for (const json &range : entry.at("box"))
        shard.box.push_back({range.at(0).get<int64_t>(), range.at(1).get<int64_t>()});
      shard.file = entry.at("file").get<std::string>();
      if (!catalog.files.contains(shard.file))
        wrong(name, "is in the file '" + shard.file + "', which is not in the list of files");
      if (auto text = entry.find(checksumKey); text != entry.end())
        shard.checksum = checksumFromText(text->get<std::string>());
      shard.key = keyOf(name, tensor->second, shard.box);
      list.push_back(std::move(shard));
    }
  }

  void readTraining(const json &object) {
    TrainingState &training = catalog.training.emplace();
    training.step = object.at("step").get<int64_t>();
    if (auto random = object.find("random"); random != object.end())
      training.random = {random->at("seed").get<uint64_t>(), random->at("calls").get<uint64_t>()};
  }

  void checkShards(const std::string &name, const TensorEntry &tensor) {
    std::vector<Box> boxes;
    for (const ShardEntry &shard : catalog.shards[name])
      boxes.push_back(shard.box);
    diagnostics.append(checkCover(where, name, tensor.dims, boxes).diagnostics());
  }

  void wrong(const std::string &name, const std::string &message) {
    diagnostics.add(where, "tensor '" + name + "': " + message);
  }

  const std::string &where;
  bool isIncomplete;
  Catalog catalog;
  Diagnostics diagnostics;
};

} // namespace

std::string catalogText(const Catalog &catalog) { return jsonOf(catalog).dump(); }

Result<Catalog> readCatalogText(const std::string &text, const std::string &where, bool isIncomplete) {
  Result<json> parsed = parseJson(text, where);
  if (!parsed)
    return parsed.diagnostics();
  return CatalogReader(where, isIncomplete).read(std::move(*parsed));
}

std::string indexText(const Catalog &catalog) {
  json map = json::object();
  size_t total = 0;
  for (const auto &[name, shards] : catalog.shards)
    for (const ShardEntry &shard : shards) {
      map[shard.key] = shard.file;
      total += static_cast<size_t>(volumeOf(shard.box)) * sizeOf(catalog.tensors.at(name).dtype);
    }
  json index = {{"metadata", {{"total_size", total}, {"proa", jsonOf(catalog)}}},
                {"weight_map", std::move(map)}};
  return index.dump(1) + "\n";
}

Result<IndexFile> readIndexFile(const std::string &path) {
  Result<json> parsed = readJsonFile(path);
  if (!parsed)
    return parsed.diagnostics();
  json &index = *parsed;
  auto metadata = index.is_object() ? index.find("metadata") : index.end();
  if (index.is_object() && metadata != index.end() && metadata->is_object() && metadata->contains("proa")) {
    Result<Catalog> catalog = CatalogReader(path, false).read(std::move((*metadata)["proa"]));
    return catalog ? Result<IndexFile>(IndexFile{std::move(*catalog), false}) : catalog.diagnostics();
  }
  auto map = index.is_object() ? index.find("weight_map") : index.end();
  if (!index.is_object() || map == index.end() || !map->is_object())
    return errorAt(path, "has no object 'weight_map', expected the index of sharded safetensors files");
  IndexFile file{{}, true};
  for (const auto &[name, value] : map->items()) {
    if (!value.is_string() || value.get<std::string>().find('/') != std::string::npos)
      return errorAt(path, "weight_map: expected the name of a file in the same folder for '" + name + "'");
    file.catalog.shards[name].push_back({{}, value.get<std::string>(), name, std::nullopt});
    file.catalog.files.emplace(value.get<std::string>(), std::nullopt);
  }
  return file;
}

void merge(Catalog &catalog, const Catalog &added) {
  catalog.tensors.insert(added.tensors.begin(), added.tensors.end());
  for (const auto &[name, shards] : added.shards) {
    std::vector<ShardEntry> &list = catalog.shards[name];
    list.insert(list.end(), shards.begin(), shards.end());
  }
  catalog.files.insert(added.files.begin(), added.files.end());
}

} // namespace proa::checkpoints
