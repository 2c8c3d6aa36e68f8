/// The index of a checkpoint as JSON.
#pragma once

#include "lib/checkpoint/Catalog.h"

#include "proa/Result.h"

#include <string>

namespace proa::checkpoints {

/// The name of the index in a checkpoint's folder, which tools of Hugging Face read too.
inline constexpr const char *indexName = "model.safetensors.index.json";

/// The catalog as JSON in one line. docs/checkpoints.md lists the members.
std::string catalogText(const Catalog &catalog);
/// Reads it. `where` begins messages. Errors: invalid JSON, members that are missing or of another type, a
/// checksum that differs, names of files that are paths, shards that do not have each element of a tensor
/// once (not checked if `isIncomplete`).
Result<Catalog> readCatalogText(const std::string &text, const std::string &where, bool isIncomplete = false);

/// The index file: `weight_map` and `metadata.total_size` for Hugging Face, `metadata.proa` has the catalog.
std::string indexText(const Catalog &catalog);

/// An index file. Without `metadata.proa` the catalog has the files and, as shards without a box, what
/// `weight_map` says; `isForeign` is true.
struct IndexFile {
  Catalog catalog;
  bool isForeign = false;
};
/// Errors: the file cannot be read, has no `weight_map`, or as readCatalogText.
Result<IndexFile> readIndexFile(const std::string &path);

/// Adds the tensors, shards and files of some files of a checkpoint.
void merge(Catalog &catalog, const Catalog &added);

} // namespace proa::checkpoints
