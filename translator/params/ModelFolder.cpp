#include "translator/params/ModelFolder.h"

#include "translator/onnx/Parameters.h"
#include "translator/params/GeneratedParams.h"
#include "translator/params/PaddleParams.h"
#include "translator/params/Safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

namespace proa::params {
namespace {

namespace fs = std::filesystem;

bool isFile(const fs::path &path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// Whether a .json file looks like a program of either form.
bool isJsonProgram(const std::string &path) {
  std::string head(4096, '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(stream.gcount()));
  return newir::isNewIr(head) || head.find("\"blocks\"") != std::string::npos;
}

/// The only program among files that have none of the preferred names.
Result<std::string> programAmong(const fs::path &folder, std::vector<std::string> found) {
  // A .pdmodel or .onnx is a program; a .json beside it may be anything.
  auto isBinary = [](const std::string &path) {
    return path.ends_with(".pdmodel") || path.ends_with(".onnx");
  };
  auto binaries = std::count_if(found.begin(), found.end(), isBinary);
  if (binaries == 1)
    return *std::find_if(found.begin(), found.end(), isBinary);
  if (binaries == 0)
    std::erase_if(found, [](const std::string &path) { return path.ends_with("meta.json"); });
  std::vector<std::string> programs;
  std::ranges::copy_if(found, std::back_inserter(programs),
                       [&](const std::string &path) { return isBinary(path) || isJsonProgram(path); });
  // The reader says what is wrong with the only file that may be meant.
  if (programs.empty() && found.size() == 1)
    programs = found;
  if (programs.size() == 1)
    return programs.front();
  if (programs.empty() && isFile(folder / "model"))
    return (folder / "model").string();
  if (programs.empty())
    return errorAt(folder.string(), "found no program, expected program.json, *.pdmodel, *.onnx, __model__, "
                                    "model, or a *.json that is one");
  for (const char *name : {"inference.json", "model.json", "model.onnx"})
    if (std::find(programs.begin(), programs.end(), (folder / name).string()) != programs.end())
      return (folder / name).string();
  return errorAt(folder.string(),
                 fmt::format("found several programs, give the path of one: {}", fmt::join(programs, ", ")));
}

/// The program that a path without its extension means, as in Paddle's API: "dir/inference".
std::optional<std::string> programWithPrefix(const std::string &path) {
  for (const char *extension : {".pdmodel", ".json", ".onnx"})
    if (isFile(path + extension))
      return path + extension;
  return std::nullopt;
}

/// The only program in a folder, by its usual names first. `unused` gets other files that are programs.
Result<std::string> programIn(const fs::path &folder, std::vector<std::string> &unused) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (fs::path path = entry->path();
        isFile(path) &&
        (path.extension() == ".pdmodel" || path.extension() == ".json" || path.extension() == ".onnx"))
      found.push_back(path.string());
  if (error)
    return errorAt(folder.string(), "cannot list the folder: " + error.message());
  std::sort(found.begin(), found.end());
  for (const char *name : {"program.json", "program.pdmodel", "__model__"}) {
    std::string usual = (folder / name).string();
    if (!isFile(usual))
      continue;
    if (std::string other = (folder / "__model__").string(); isFile(other))
      found.push_back(other);
    // program.json and program.pdmodel are two forms of one program.
    std::ranges::copy_if(found, std::back_inserter(unused), [&](const std::string &other) {
      return isProgram(other) && fs::path(other).stem() != fs::path(usual).stem();
    });
    return usual;
  }
  return programAmong(folder, std::move(found));
}

WeightsForm formOf(const fs::path &weights) {
  std::error_code ignored;
  if (fs::is_directory(weights, ignored))
    return WeightsForm::Separate;
  if (weights.extension() == ".safetensors")
    return WeightsForm::Safetensors;
  if (weights.extension() == ".pdiparams" || weights.filename() == "__params__" ||
      weights.filename() == "params")
    return WeightsForm::Combined;
  return WeightsForm::None;
}

/// Where the weights of a program may be, in the order in which they are looked for.
std::vector<fs::path> weightsBeside(const fs::path &program) {
  fs::path folder = program.parent_path();
  std::vector<fs::path> candidates{
      fs::path(program).replace_extension(".safetensors"), fs::path(program).replace_extension(".pdiparams"),
      folder / "params.safetensors", folder / "params.pdiparams", folder / "__params__"};
  if (program.filename() == "model")
    candidates.push_back(folder / "params");
  return candidates;
}

/// Whether weights are a second form of another file's weights, written at the same time: params.pdiparams
/// beside params.safetensors.
bool isSecondForm(const fs::path &candidate, const fs::path &used) {
  std::error_code ignored;
  return candidate.stem() == used.stem() && fs::last_write_time(candidate, ignored) <=
                                                fs::last_write_time(used, ignored) + std::chrono::minutes(1);
}

void findWeights(ModelFiles &files) {
  fs::path program(files.program), folder = program.parent_path();
  if (program.extension() == ".onnx") // has its weights
    return;
  for (const fs::path &candidate : weightsBeside(program))
    if (isFile(candidate) && files.weightsForm == WeightsForm::None) {
      files.weights = candidate.string();
      files.weightsForm = formOf(candidate);
    } else if (isFile(candidate) && candidate != files.weights && !isSecondForm(candidate, files.weights)) {
      files.unused.push_back(candidate.string());
    }
  if (files.weightsForm != WeightsForm::None)
    return;
  if (!files.meta.empty() && hasGeneratedParams(files.meta)) {
    files.weights = files.meta;
    files.weightsForm = WeightsForm::Generated;
  } else if (!program.has_extension()) {
    files.weights = folder.empty() ? "." : folder.string();
    files.weightsForm = WeightsForm::Separate;
  }
}

/// The weights that a caller has in memory.
Result<Tensors> readMemory(const ModelFiles &files, const std::vector<std::string> &names) {
  Result<Tensors> read = Tensors();
  constexpr size_t lengthBytes = 8; // before the header of safetensors, a JSON object
  if (files.content) {
    std::span<const std::byte> bytes = files.content->bytes();
    bool isSafetensors = bytes.size() > lengthBytes && bytes[lengthBytes] == std::byte{'{'};
    read = isSafetensors ? readSafetensors(files.weights, files.content)
                         : readCombinedParams(files.weights, files.content, names);
  }
  if (read)
    for (const auto &[name, tensor] : files.tensors)
      read->insert_or_assign(name, tensor);
  return read;
}

Result<Tensors> readAll(const ModelFiles &files, const std::vector<std::string> &names) {
  switch (files.weightsForm) {
  case WeightsForm::None:
    return Tensors();
  case WeightsForm::Safetensors:
    return readSafetensors(files.weights);
  case WeightsForm::Combined:
    return readCombinedParams(files.weights, names);
  case WeightsForm::Separate:
    return readSeparateParams(files.weights, names);
  case WeightsForm::Memory:
    return readMemory(files, names);
  case WeightsForm::Generated:
    return readGeneratedParams(files.weights);
  }
  return Tensors();
}

/// The stored weights, and those that meta.json generates.
Result<Tensors> readStoredAndGenerated(const ModelFiles &files, const std::vector<std::string> &names) {
  Result<Tensors> stored = readAll(files, names);
  bool isPartial =
      files.weightsForm != WeightsForm::Generated && !files.meta.empty() && hasGeneratedParams(files.meta);
  if (!stored || !isPartial)
    return stored;
  Result<Tensors> generated = readGeneratedParams(files.meta);
  if (generated)
    stored->merge(*generated);
  return generated ? stored : generated;
}

bool dimsAgree(const std::vector<int64_t> &declared, const std::vector<int64_t> &found) {
  return std::equal(declared.begin(), declared.end(), found.begin(), found.end(),
                    [](int64_t a, int64_t b) { return a == -1 || a == b; });
}

/// Whether a tensor has the declared dtype, if any, and the declared dims.
bool agrees(std::optional<DType> dtype, const std::vector<int64_t> &dims, const Tensor &tensor) {
  return (!dtype || *dtype == tensor.dtype()) && dimsAgree(dims, tensor.dims());
}

std::string typeError(const std::string &name, std::optional<DType> dtype, const std::vector<int64_t> &dims,
                      const Tensor &tensor) {
  return fmt::format("tensor '{}': found {}, the program declares {}", name, tensor.describe(),
                     describe(dtype.value_or(tensor.dtype()), dims));
}

/// Paddle runs with the type that it loads, whatever the program declares.
void adoptType(legacy::Variable &variable, const Tensor &tensor) {
  variable.declaredAs = describe(variable.dtype.value_or(tensor.dtype()), variable.dims);
  variable.dtype = tensor.dtype();
  variable.dims = tensor.dims();
}

} // namespace

bool isProgram(const std::string &file) {
  return file.ends_with(".pdmodel") || file.ends_with(".onnx") || fs::path(file).filename() == "__model__" ||
         fs::path(file).filename() == "program.json";
}

std::string weightsNames(const std::string &program) {
  std::string names;
  std::vector<fs::path> candidates = weightsBeside(program);
  for (const fs::path &candidate : candidates)
    names += (names.empty()                    ? ""
              : candidate == candidates.back() ? " or "
                                               : ", ") +
             candidate.filename().string();
  return names + " in its folder";
}

std::vector<std::string> savedVariables(const legacy::Program &program) {
  std::set<std::string> names;
  for (const legacy::Block &block : program.blocks)
    for (const legacy::Variable &variable : block.variables)
      if (variable.persistable && variable.kind == legacy::VariableKind::DenseTensor)
        names.insert(variable.name);
  return {names.begin(), names.end()};
}

static std::vector<std::string> savedVariables(const newir::Model &model) {
  std::set<std::string> names;
  for (const newir::Parameter &parameter : model.parameters)
    if (parameter.isPersistable)
      names.insert(parameter.name);
  return {names.begin(), names.end()};
}

static std::vector<std::string> savedVariables(const onnx::Model &model) {
  std::set<std::string> names;
  onnx::Parameters parameters(model);
  for (const onnx::Parameter &parameter : parameters.all())
    names.insert(parameter.name);
  return {names.begin(), names.end()};
}

std::vector<std::string> savedVariables(const translator::SourceProgram &program) {
  if (const onnx::Model *model = program.onnx())
    return savedVariables(*model);
  return program.legacy() ? savedVariables(*program.legacy()) : savedVariables(*program.newIr());
}

Result<ModelFiles> findModel(const std::string &path, const std::string &weights) {
  ModelFiles files;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    Result<std::string> program = programIn(path, files.unused);
    if (!program)
      return program.diagnostics();
    files.program = *program;
  } else if (fs::exists(path, ignored)) {
    files.program = path;
  } else if (auto program = programWithPrefix(path)) {
    files.program = *program;
  } else {
    return errorAt(path,
                   "found no such file or folder, expected a program, the folder of one, or its path without "
                   ".pdmodel or .json");
  }
  fs::path folder = fs::path(files.program).parent_path();
  if (isFile(folder / "meta.json"))
    files.meta = (folder / "meta.json").string();
  if (isFile(folder / "startup.json"))
    files.startup = (folder / "startup.json").string();
  if (weights.empty()) {
    findWeights(files);
    return files;
  }
  if (!fs::exists(weights, ignored))
    return errorAt(weights, "found no such file or folder, expected weights");
  files.weights = weights;
  files.weightsForm = formOf(weights);
  if (files.weightsForm == WeightsForm::None) {
    bool isPickle = fs::path(weights).extension() == ".pdparams"; // of paddle.save and paddle.static.save
    return errorAt(weights, std::string(isPickle ? "holds Python objects, which proa does not read; " : "") +
                                "expected weights as *.safetensors, *.pdiparams, __params__ or a folder with "
                                "a file for each");
  }
  return files;
}

Result<Tensors> readTensors(const ModelFiles &files, const std::vector<std::string> &names) {
  Result<Tensors> all = readStoredAndGenerated(files, names);
  if (!all)
    return all.diagnostics();
  std::erase_if(*all, [&](const auto &entry) {
    return std::find(names.begin(), names.end(), entry.first) == names.end();
  });
  return all;
}

Result<Tensors> readParameters(const ModelFiles &files, legacy::Program &program) {
  Result<Tensors> all = readStoredAndGenerated(files, savedVariables(program));
  if (!all)
    return all.diagnostics();
  Tensors used;
  Diagnostics diagnostics;
  for (legacy::Block &block : program.blocks)
    for (legacy::Variable &variable : block.variables) {
      auto tensor = variable.persistable ? all->find(variable.name) : all->end();
      if (tensor == all->end())
        continue;
      if (!agrees(variable.dtype, variable.dims, tensor->second)) {
        if (variable.kind == legacy::VariableKind::DenseTensor)
          adoptType(variable, tensor->second);
        else
          diagnostics.add(files.weights,
                          typeError(variable.name, variable.dtype, variable.dims, tensor->second));
      }
      used.insert(all->extract(tensor));
    }
  if (!diagnostics.empty())
    return diagnostics;
  return used;
}

/// Each op of the new IR declares its types, so weights of other types are errors.
static Result<Tensors> readParameters(const ModelFiles &files, const newir::Model &model) {
  Result<Tensors> all = readStoredAndGenerated(files, savedVariables(model));
  if (!all)
    return all.diagnostics();
  Tensors used;
  Diagnostics diagnostics;
  for (const newir::Parameter &parameter : model.parameters) {
    auto tensor = parameter.isPersistable ? all->find(parameter.name) : all->end();
    if (tensor == all->end())
      continue;
    const newir::Type &type = parameter.value.type;
    if (!agrees(type.dtype, type.dims, tensor->second))
      diagnostics.add(files.weights, typeError(parameter.name, type.dtype, type.dims, tensor->second));
    used.insert(all->extract(tensor));
  }
  if (!diagnostics.empty())
    return diagnostics;
  return used;
}

/// The model's own tensors, replaced by the tensors of a weights file.
static Result<Tensors> readParameters(const ModelFiles &files, const onnx::Model &model) {
  Result<Tensors> given = readStoredAndGenerated(files, savedVariables(model));
  if (!given)
    return given.diagnostics();
  Tensors used;
  Diagnostics diagnostics;
  onnx::Parameters parameters(model);
  for (const onnx::Parameter &parameter : parameters.all()) {
    const Tensor &own = parameter.value->elements;
    auto tensor = given->find(parameter.name);
    if (tensor != given->end() && !agrees(own.dtype(), own.dims(), tensor->second))
      diagnostics.add(files.weights, typeError(parameter.name, own.dtype(), own.dims(), tensor->second));
    used.emplace(parameter.name, tensor == given->end() ? own : tensor->second);
  }
  if (!diagnostics.empty())
    return diagnostics;
  return used;
}

Result<Tensors> readParameters(const ModelFiles &files, translator::SourceProgram &program) {
  if (const onnx::Model *model = program.onnx())
    return readParameters(files, *model);
  if (legacy::Program *legacy = program.legacy())
    return readParameters(files, *legacy);
  return readParameters(files, *program.newIr());
}

Result<ModelFolder> readModelFolder(const std::string &path, const std::string &weights) {
  Result<ModelFiles> files = findModel(path, weights);
  if (!files)
    return files.diagnostics();
  Result<translator::SourceProgram> program = translator::readProgram(files->program);
  if (!program)
    return program.diagnostics();
  Result<Tensors> parameters = readParameters(*files, *program);
  if (!parameters)
    return parameters.diagnostics();
  return ModelFolder{std::move(*files), std::move(*program), std::move(*parameters)};
}

} // namespace proa::params
