/// Files with weights beside a model.
#pragma once

#include "lib/base/support/Files.h"

#include <map>
#include <memory>
#include <string>

namespace proa::onnx {

/// Maps each file once.
class ExternalFiles {
public:
  /// The folder of the model; empty: it has none, and external data is an error.
  explicit ExternalFiles(std::string folder) : folder(std::move(folder)) {}

  /// Maps the file `location`, a path relative to the folder. Errors: an absolute path, a path with "..", one
  /// that leaves the folder by a link, a file that cannot be mapped.
  Result<std::shared_ptr<const MappedFile>> open(const std::string &location);

private:
  Result<std::shared_ptr<const MappedFile>> map(const std::string &location) const;

  std::string folder;
  std::map<std::string, Result<std::shared_ptr<const MappedFile>>> files;
};

} // namespace proa::onnx
