#include "lib/compiler/compare/ExpectedValues.h"

#include "lib/base/support/Suggest.h"
#include "lib/compiler/compare/EvaluateValues.h"
#include "lib/compiler/compile/Target.h"
#include "translator/params/Npy.h"
#include "translator/params/Safetensors.h"

#include <algorithm>
#include <filesystem>

namespace proa::comparison {
namespace {

namespace fs = std::filesystem;

Result<ExpectedValues> evaluated(const CompareRequest &request, ValueProgram &program,
                                 const params::Tensors &tested, bool isDouble) {
  auto values = evaluateValues(
      program, {request.feeds, request.parameters, isDouble, tested, request.options.progress});
  if (!values)
    return values.diagnostics();
  return ExpectedValues{isDouble ? "the reference evaluator in double precision" : "the reference evaluator",
                        std::move(values->tensors), std::move(values->missing)};
}

/// The same program with other options, or another one.
Result<ExpectedValues> ofModel(const CompareRequest &request, const std::string &path, ModelOptions options,
                               const std::string &description) {
  options.fetchesAll = true;
  options.onDiagnostic = {};
  bool isOther = path != request.path;
  auto values =
      runModel(path, options, request.feeds, isOther ? std::map<std::string, Tensor>() : request.parameters);
  if (!values)
    return values.diagnostics();
  return ExpectedValues{description, std::move(*values), {}};
}

Result<void> addFile(const fs::path &file, const std::string &name, params::Tensors &tensors) {
  if (file.extension() == ".npy") {
    Result<Tensor> tensor = params::readNpy(file.string());
    if (!tensor)
      return tensor.diagnostics();
    tensors.insert_or_assign(name, std::move(*tensor));
    return {};
  }
  Result<params::Tensors> read = params::readSafetensors(file.string());
  if (!read)
    return read.diagnostics();
  for (auto &[entry, tensor] : *read)
    tensors.insert_or_assign(entry, std::move(tensor));
  return {};
}

/// All .npy and .safetensors files of a folder. A tensor of x/y.npy has the name "x/y".
Result<params::Tensors> readFolder(const std::string &folder) {
  fs::path single = fs::path(folder) / "expected.safetensors";
  if (fs::exists(single))
    return params::readSafetensors(single.string());
  params::Tensors tensors;
  Diagnostics diagnostics;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder)) {
    fs::path suffix = entry.path().extension();
    if (!entry.is_regular_file() || (suffix != ".npy" && suffix != ".safetensors"))
      continue;
    std::string name = fs::relative(entry.path(), folder).replace_extension().string();
    if (Result<void> added = addFile(entry.path(), name, tensors); !added)
      diagnostics.append(added.diagnostics());
  }
  if (!diagnostics.empty())
    return diagnostics;
  if (tensors.empty())
    return errorAt(folder, "the folder has neither a model nor expected values (*.npy, *.safetensors)");
  return tensors;
}

std::vector<std::string> namesOf(const ValueProgram &program) {
  std::vector<std::string> names;
  for (const ProgramValue &value : program.values())
    names.push_back(value.name);
  return names;
}

Result<ExpectedValues> ofFiles(const CompareRequest &request, const ValueProgram &program,
                               Result<params::Tensors> tensors) {
  if (!tensors)
    return tensors.diagnostics();
  std::vector<std::string> names = namesOf(program);
  bool anyMatches =
      std::ranges::any_of(names, [&](const std::string &name) { return tensors->contains(name); });
  if (!anyMatches && tensors->empty())
    return errorAt(request.source, "it holds no tensors");
  if (!anyMatches)
    return errorAt(request.source, "it holds " + std::to_string(tensors->size()) +
                                       " tensors, and none has the name of a value of the program: '" +
                                       tensors->begin()->first + "'" +
                                       didYouMean(tensors->begin()->first, names));
  return ExpectedValues{request.source, std::move(*tensors), {}, true};
}

bool isFolderOfValues(const std::string &path) {
  return fs::is_directory(path) &&
         (fs::exists(fs::path(path) / "expected.safetensors") || !params::findModel(path));
}

} // namespace

Result<ExpectedValues> expectedValues(const CompareRequest &request, ValueProgram &program,
                                      const params::Tensors &tested) {
  const std::string &source = request.source;
  ModelOptions options = request.options;
  if (source == "reference" || source == "f64")
    return evaluated(request, program, tested, source == "f64");
  if (source == "decomposed") {
    options.decompose = true;
    return ofModel(request, request.path, options, "the decomposed program");
  }
  if (!fs::exists(source) && chooseTarget(source)) {
    options.target = source;
    return ofModel(request, request.path, options, source);
  }
  if (!fs::exists(source) && !params::findModel(source))
    return errorAt("--compare", "'" + source +
                                    "' is neither a file or folder nor a target of this machine, expected "
                                    "reference, f64, decomposed, "
                                    "cuda-emulated, a file or folder of tensors, or a model");
  if (source.ends_with(".safetensors") || source.ends_with(".npy")) {
    params::Tensors tensors;
    Result<void> added = addFile(source, fs::path(source).stem().string(), tensors);
    return ofFiles(request, program,
                   added ? Result<params::Tensors>(std::move(tensors)) : added.diagnostics());
  }
  if (isFolderOfValues(source))
    return ofFiles(request, program, readFolder(source));
  options.parameters.clear();
  options.function.clear();
  options.fetches.clear();
  options.feeds.clear();
  return ofModel(request, source, options, source);
}

} // namespace proa::comparison
