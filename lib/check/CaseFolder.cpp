#include "lib/check/CaseFolder.h"

#include "lib/check/OnnxDataSet.h"
#include "translator/params/Safetensors.h"

#include <algorithm>
#include <filesystem>

namespace proa::check {
namespace {

namespace fs = std::filesystem;

bool isCaseFolder(const std::string &folder) {
  std::error_code ignored;
  return fs::exists(fs::path(folder) / "meta.json", ignored) || isOnnxDataSet(folder);
}

} // namespace

std::vector<std::string> caseFoldersIn(const std::string &directory) {
  std::vector<std::string> folders;
  auto add = [&](const fs::path &folder) {
    if (isCaseFolder(folder.string()))
      folders.push_back(folder.lexically_normal().string());
    return !folders.empty();
  };
  if (add(directory))
    return folders;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(directory, error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored))
      add(entry->path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

Result<std::string> modelOfCase(const std::string &folder) {
  return isOnnxDataSet(folder) ? modelOfDataSet(folder) : Result<std::string>(folder);
}

Result<CaseMeta> readCase(const std::string &folder) {
  return isOnnxDataSet(folder) ? readOnnxMeta(folder) : readCaseMeta(folder + "/meta.json");
}

Result<CaseTensors> readCaseTensors(const std::string &folder) {
  bool isDataSet = isOnnxDataSet(folder);
  Result<params::Tensors> inputs =
      isDataSet ? readOnnxInputs(folder) : params::readSafetensors(folder + "/inputs.safetensors");
  Result<params::Tensors> expected =
      isDataSet ? readOnnxOutputs(folder) : params::readSafetensors(folder + "/expected.safetensors");
  Diagnostics diagnostics;
  for (const Result<params::Tensors> *read : {&inputs, &expected})
    if (!*read)
      diagnostics.append(read->diagnostics());
  if (!diagnostics.empty())
    return diagnostics;
  return CaseTensors{std::move(*inputs), std::move(*expected)};
}

} // namespace proa::check
