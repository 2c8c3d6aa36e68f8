/// Reading of checkpoints.
#pragma once

#include "lib/checkpoint/TensorSource.h"
#include "translator/params/Safetensors.h"

#include "proa/Result.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace proa::checkpoints {

/// An open checkpoint. Tensors share the memory of mapped files; a box of a tensor is a copy. Checksums are
/// verified when a shard is read for the first time. One thread at a time may use it.
class Checkpoint : public TensorSource {
public:
  /// Opens a folder with an index or with one `model.safetensors`, an index, a `.safetensors` file, or what
  /// readOtherFormat() reads. Errors: nothing of these; a damaged index; files that are missing or have
  /// another size than the index says (all at once).
  static Result<Checkpoint> open(const std::string &path);

  const std::string &path() const { return location; }
  const Catalog &catalog() const override { return contents; }

  /// The elements of a shard. Errors: the file cannot be read, lacks the shard or has it with another type;
  /// the checksum differs.
  Result<Tensor> shard(const std::string &tensor, size_t index);
  /// The elements of a box, from the shards that have them. Error: as shard().
  Result<Tensor> read(const std::string &tensor, const Box &box) override;
  /// All elements.
  Result<Tensor> read(const std::string &tensor);
  /// Reads everything. Errors, all at once: as shard().
  Result<void> verify();

private:
  Checkpoint(std::string location, std::string folder, Catalog contents)
      : location(std::move(location)), folder(std::move(folder)), contents(std::move(contents)) {}
  static Result<Checkpoint> openFolder(const std::string &folder);
  static Result<Checkpoint> openIndex(const std::string &index);
  static Result<Checkpoint> openFile(const std::string &file);
  /// `path` has none of the forms before.
  static Result<Checkpoint> openOther(const std::string &path);

  Result<void> checkFiles() const;
  /// Describes tensors of files without a catalog by the headers.
  Result<void> describeTensors();
  std::string pathOf(const std::string &file) const;
  Result<const params::Tensors *> contentOf(const std::string &file);

  std::string location, folder;
  Catalog contents;
  std::map<std::string, params::Tensors> opened; ///< by file
  std::set<std::pair<std::string, size_t>> verified;
};

} // namespace proa::checkpoints
