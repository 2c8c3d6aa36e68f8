#include "translator/onnx/ExternalFiles.h"

#include <algorithm>
#include <filesystem>

namespace proa::onnx {

namespace fs = std::filesystem;

Result<std::shared_ptr<const MappedFile>> ExternalFiles::open(const std::string &location) {
  auto found = files.find(location);
  if (found == files.end())
    found = files.emplace(location, map(location)).first;
  return found->second;
}

Result<std::shared_ptr<const MappedFile>> ExternalFiles::map(const std::string &location) const {
  auto refuse = [&](const std::string &reason) {
    return errorAt("", "the external file '" + location + "' " + reason +
                           ", expected the path of a file in the model's folder");
  };
  if (folder.empty())
    return errorAt("", "the tensor is in the file '" + location + "', but the model is not in a folder");
  fs::path relative(location);
  if (location.empty() || location.find('\0') != std::string::npos)
    return refuse("has no valid name");
  if (relative.is_absolute())
    return refuse("is an absolute path");
  if (std::find(relative.begin(), relative.end(), "..") != relative.end())
    return refuse("contains '..'");
  std::error_code error;
  fs::path root = fs::canonical(folder, error);
  fs::path target = error ? fs::path() : fs::canonical(root / relative, error);
  if (error)
    return refuse("cannot be found (" + error.message() + ")");
  auto [endOfRoot, inTarget] = std::mismatch(root.begin(), root.end(), target.begin(), target.end());
  if (endOfRoot != root.end())
    return refuse("is a link to outside of the model's folder");
  auto file = mapFile(target.string());
  return file ? file : refuse("cannot be read (" + file.diagnostics()[0].message + ")");
}

} // namespace proa::onnx
