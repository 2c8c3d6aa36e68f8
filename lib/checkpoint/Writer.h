/// Writing of checkpoints, so that a process that is killed at any moment leaves the previous one whole.
///
/// A save writes files with new names, flushes them to the disk, and then replaces the index by an atomic
/// rename. Files of the replaced checkpoint are removed last. Processes that save together share the folder;
/// each writes its files, and one of them the index.
#pragma once

#include "lib/checkpoint/Catalog.h"

#include "proa/Result.h"

#include <span>
#include <string>

namespace proa::checkpoints {

/// The elements of a box of a tensor.
struct ShardData {
  std::string tensor;
  TensorEntry entry;
  Box box;
  Tensor elements;
};

/// Creates the folder if it is missing. Returns the number of the next save: no file there has it. Error: a
/// folder that cannot be created or read.
Result<int64_t> beginSave(const std::string &folder);
/// The name of file `index` of `count` of a save: "model-00003-00001-of-00004.safetensors".
std::string shardFileName(int64_t save, int64_t index, int64_t count);
/// Writes a file of shards and flushes it to the disk. Returns its entries of the catalog. Error: the file
/// cannot be written, for example because the disk is full; names that are not UTF-8.
Result<Catalog> writeShards(const std::string &folder, const std::string &file,
                            std::span<const ShardData> shards);
/// Writes the index, which makes the checkpoint valid, and removes files of other saves. Error: the index
/// cannot be written.
Result<void> commitSave(const std::string &folder, const Catalog &catalog);

/// Writes one file with whole tensors and, in its metadata, the catalog. Error: as writeShards.
Result<void> writeSingleFile(const std::string &path, const Catalog &catalog,
                             const std::map<std::string, Tensor> &tensors);

} // namespace proa::checkpoints
