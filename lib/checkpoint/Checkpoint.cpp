#include "lib/checkpoint/Checkpoint.h"

#include "lib/base/support/Suggest.h"
#include "lib/checkpoint/Checksum.h"
#include "lib/checkpoint/Index.h"
#include "lib/checkpoint/OtherFormats.h"
#include "lib/checkpoint/Plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace proa::checkpoints {

namespace fs = std::filesystem;

Result<Checkpoint> Checkpoint::open(const std::string &path) {
  if (fs::is_directory(path))
    return openFolder(path);
  if (path.ends_with(".index.json"))
    return openIndex(path);
  if (path.ends_with(".safetensors"))
    return openFile(path);
  return openOther(path);
}

Result<Checkpoint> Checkpoint::openFolder(const std::string &folder) {
  fs::path index = fs::path(folder) / indexName, single = fs::path(folder) / "model.safetensors";
  if (fs::exists(index))
    return openIndex(index.string());
  if (fs::exists(single))
    return openFile(single.string());
  return openOther(folder);
}

Result<Checkpoint> Checkpoint::openOther(const std::string &path) {
  bool isFolder = fs::is_directory(path);
  if (std::optional<Result<OtherCheckpoint>> other = readOtherFormat(path)) {
    if (!*other)
      return other->diagnostics();
    std::string folder = isFolder ? path : fs::path(path).parent_path().string();
    Checkpoint checkpoint(path, folder, std::move((*other)->catalog));
    checkpoint.opened = std::move((*other)->files);
    return checkpoint;
  }
  if (isFolder)
    return errorAt(path,
                   fmt::format("has no checkpoint, expected {}, model.safetensors or .metadata", indexName));
  return errorAt(path, fs::exists(path)
                           ? "found a file of another kind, expected a folder with a checkpoint, "
                             "*.index.json, *.safetensors, *.pdparams, *.pdopt, *.pdiparams, *.bin "
                             "or *.pt"
                           : "no such file or folder");
}

Result<Checkpoint> Checkpoint::openIndex(const std::string &index) {
  Result<IndexFile> read = readIndexFile(index);
  if (!read)
    return read.diagnostics();
  Checkpoint checkpoint(index, fs::path(index).parent_path().string(), std::move(read->catalog));
  if (Result<void> checked = checkpoint.checkFiles(); !checked)
    return checked.diagnostics();
  if (read->isForeign)
    if (Result<void> described = checkpoint.describeTensors(); !described)
      return described.diagnostics();
  return checkpoint;
}

Result<Checkpoint> Checkpoint::openFile(const std::string &file) {
  Result<params::TensorsAndMetadata> read = params::readSafetensorsFile(file);
  if (!read)
    return read.diagnostics();
  fs::path path(file);
  std::string name = path.filename().string();
  Catalog catalog;
  if (auto text = read->metadata.find("proa"); text != read->metadata.end()) {
    Result<Catalog> parsed = readCatalogText(text->second, file + ": __metadata__.proa");
    if (!parsed)
      return parsed.diagnostics();
    catalog = std::move(*parsed);
    catalog.files = {{name, std::nullopt}};
    for (auto &[tensor, shards] : catalog.shards) // the file may have another name now
      for (ShardEntry &shard : shards)
        shard.file = name;
  } else {
    catalog.files = {{name, std::nullopt}};
    for (const auto &[tensor, value] : read->tensors) {
      catalog.tensors[tensor] = {value.dtype(), value.dims(), StateKind::Parameter};
      catalog.shards[tensor] = {{wholeBox(value.dims()), name, tensor, std::nullopt}};
    }
  }
  Checkpoint checkpoint(file, path.parent_path().string(), std::move(catalog));
  checkpoint.opened[name] = std::move(read->tensors);
  return checkpoint;
}

std::string Checkpoint::pathOf(const std::string &file) const { return (fs::path(folder) / file).string(); }

Result<void> Checkpoint::checkFiles() const {
  Diagnostics diagnostics;
  for (const auto &[name, expected] : contents.files) {
    std::error_code error;
    uint64_t bytes = fs::file_size(pathOf(name), error);
    if (error)
      diagnostics.add(pathOf(name), "is missing or cannot be read (" + error.message() + "); the index " +
                                        location + " names it");
    else if (expected && bytes != *expected)
      diagnostics.add(pathOf(name),
                      fmt::format("has {} bytes, expected {}: the file was {} after it was saved", bytes,
                                  *expected, bytes < *expected ? "truncated" : "changed"));
  }
  return diagnostics;
}

Result<void> Checkpoint::describeTensors() {
  Diagnostics diagnostics;
  for (auto &[name, shards] : contents.shards) {
    auto content = contentOf(shards[0].file);
    if (!content) {
      diagnostics.append(content.diagnostics());
      contents.files.erase(shards[0].file); // one error for each file
      return diagnostics;
    }
    auto found = (*content)->find(name);
    if (found == (*content)->end()) {
      diagnostics.add(pathOf(shards[0].file), "has no tensor '" + name + "', which the index names");
      continue;
    }
    contents.tensors[name] = {found->second.dtype(), found->second.dims(), StateKind::Parameter};
    shards[0].box = wholeBox(found->second.dims());
  }
  return diagnostics;
}

Result<const params::Tensors *> Checkpoint::contentOf(const std::string &file) {
  auto found = opened.find(file);
  if (found == opened.end()) {
    Result<params::Tensors> read = params::readSafetensors(pathOf(file));
    if (!read)
      return read.diagnostics();
    found = opened.emplace(file, std::move(*read)).first;
  }
  return &found->second;
}

Result<Tensor> Checkpoint::shard(const std::string &tensor, size_t index) {
  const TensorEntry &entry = contents.tensors.at(tensor);
  const ShardEntry &shard = contents.shards.at(tensor)[index];
  auto content = contentOf(shard.file);
  if (!content)
    return content.diagnostics();
  std::string where = pathOf(shard.file);
  auto found = (*content)->find(shard.key);
  if (found == (*content)->end())
    return errorAt(where, "has no tensor '" + shard.key + "', which the index names");
  const Tensor &value = found->second;
  if (value.dtype() != entry.dtype || value.dims() != dimsOf(shard.box))
    return errorAt(where, fmt::format("tensor '{}': found {}, expected {} as the index says", shard.key,
                                      value.describe(), describe(entry.dtype, dimsOf(shard.box))));
  if (shard.checksum && !verified.contains({tensor, index})) {
    uint64_t actual = checksumOf({static_cast<const std::byte *>(value.data()), value.bytes()});
    if (actual != *shard.checksum)
      return errorAt(where,
                     fmt::format("tensor '{}': the data has the checksum {}, expected {}: the file was "
                                 "changed or exchanged after it was saved",
                                 shard.key, checksumText(actual), checksumText(*shard.checksum)));
    verified.emplace(tensor, index);
  }
  return value;
}

Result<Tensor> Checkpoint::read(const std::string &tensor, const Box &box) {
  auto found = contents.tensors.find(tensor);
  if (found == contents.tensors.end()) {
    std::vector<std::string> names;
    for (const auto &[name, entry] : contents.tensors)
      names.push_back(name);
    return errorAt(location, "has no tensor '" + tensor + "'" + didYouMean(tensor, names));
  }
  const std::vector<ShardEntry> &shards = contents.shards.at(tensor);
  std::vector<Box> boxes;
  for (size_t i = 0; i < shards.size(); ++i) {
    if (shards[i].box == box)
      return shard(tensor, i);
    boxes.push_back(shards[i].box);
  }
  auto pieces = planPieces(tensor, boxes, std::span(&box, 1));
  if (!pieces)
    return pieces.diagnostics();
  Tensor result(found->second.dtype, dimsOf(box));
  for (const Piece &piece : *pieces) {
    Result<Tensor> source = shard(tensor, piece.source);
    if (!source)
      return source;
    copyElements({static_cast<const std::byte *>(source->data()), boxes[piece.source]},
                 {static_cast<std::byte *>(result.data()), box}, piece.box, sizeOf(result.dtype()));
  }
  return result;
}

Result<Tensor> Checkpoint::read(const std::string &tensor) {
  auto found = contents.tensors.find(tensor);
  return read(tensor, found == contents.tensors.end() ? Box() : wholeBox(found->second.dims));
}

Result<void> Checkpoint::verify() {
  Diagnostics diagnostics;
  for (const auto &[name, shards] : contents.shards)
    for (size_t i = 0; i < shards.size(); ++i)
      if (Result<Tensor> read = shard(name, i); !read)
        for (const Diagnostic &diagnostic : read.diagnostics())
          if (std::ranges::none_of(diagnostics, [&](const Diagnostic &other) {
                return other.location == diagnostic.location && other.message == diagnostic.message;
              }))
            diagnostics.add(diagnostic);
  return diagnostics;
}

} // namespace proa::checkpoints
