#include "lib/checkpoint/OtherFormats.h"

#include "lib/checkpoint/DistributedFormats.h"
#include "lib/checkpoint/StateDict.h"
#include "translator/params/ModelFolder.h"

#include <algorithm>
#include <filesystem>

namespace proa::checkpoints {

namespace fs = std::filesystem;

namespace {

/// Whole tensors in one file.
OtherCheckpoint wholeFile(const std::string &file, params::Tensors tensors, StateKind kind) {
  OtherCheckpoint checkpoint;
  checkpoint.catalog.files = {{file, std::nullopt}};
  for (const auto &[name, value] : tensors) {
    checkpoint.catalog.tensors[name] = {value.dtype(), value.dims(), kind};
    checkpoint.catalog.shards[name] = {{wholeBox(value.dims()), file, name, std::nullopt}};
  }
  checkpoint.files[file] = std::move(tensors);
  return checkpoint;
}

/// The weights of a program.
Result<OtherCheckpoint> readModel(const std::string &path, const std::string &weights) {
  Result<params::ModelFolder> model = params::readModelFolder(path, weights);
  if (!model)
    return model.diagnostics();
  return wholeFile(fs::path(model->files.weights).filename().string(), std::move(model->parameters),
                   StateKind::Parameter);
}

Result<OtherCheckpoint> readStateDict(const fs::path &path, const std::string &suffix, bool isTorch) {
  Result<params::Tensors> tensors =
      isTorch ? readTorchStateDict(path.string()) : readPaddleStateDict(path.string());
  if (!tensors)
    return tensors.diagnostics();
  StateKind kind = suffix == ".pdopt" ? StateKind::State : StateKind::Parameter;
  return wholeFile(path.filename().string(), std::move(*tensors), kind);
}

/// Files of a folder whose names end with ".metadata".
std::vector<std::string> metadataFiles(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().ends_with(".metadata"))
      files.push_back(entry.path().filename().string());
  std::ranges::sort(files);
  return files;
}

} // namespace

std::optional<Result<OtherCheckpoint>> readOtherFormat(const std::string &path) {
  if (fs::is_directory(path)) {
    if (std::vector<std::string> files = metadataFiles(path); !files.empty())
      return files.front() == ".metadata" ? readTorchDistributed(path) : readPaddleDistributed(path, files);
    if (params::findModel(path))
      return readModel(path, "");
    return std::nullopt;
  }
  fs::path file(path);
  std::string suffix = file.extension().string();
  if (suffix == ".pdparams" || suffix == ".pdopt" || suffix == ".distcp")
    return readStateDict(file, suffix, false);
  if (suffix == ".bin" || suffix == ".pt" || suffix == ".pth")
    return readStateDict(file, suffix, true);
  if (suffix == ".pdiparams") {
    fs::path program = file;
    program.replace_extension();
    std::string folder = file.parent_path().empty() ? "." : file.parent_path().string();
    return readModel(params::findModel(program.string()) ? program.string() : folder, path);
  }
  return std::nullopt;
}

} // namespace proa::checkpoints
