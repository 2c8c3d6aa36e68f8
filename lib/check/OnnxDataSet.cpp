#include "lib/check/OnnxDataSet.h"

#include "lib/base/support/Sequences.h"
#include "translator/onnx/ReadModel.h"
#include "translator/onnx/ReadValue.h"
#include "translator/onnx/Strings.h"
#include "translator/params/MetaFields.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace proa::check {
namespace {

namespace fs = std::filesystem;

constexpr const char *folderPrefix = "test_data_set_";

/// ONNX's tests allow two units in the last place of bfloat16.
constexpr double bfloat16Rtol = 1.0 / 64;

fs::path modelFolderOf(const std::string &folder) {
  return fs::absolute(folder).lexically_normal().parent_path();
}

std::vector<std::string> modelsBeside(const std::string &folder) {
  fs::path parent = modelFolderOf(folder);
  std::error_code error;
  if (fs::path usual = parent / "model.onnx"; fs::is_regular_file(usual, error))
    return {usual.string()};
  std::vector<std::string> models;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".onnx")
      models.push_back(entry->path().string());
  std::sort(models.begin(), models.end());
  return models;
}

Result<onnx::Model> readModelOf(const std::string &folder) {
  Result<std::string> path = modelOfDataSet(folder);
  if (!path)
    return path.diagnostics();
  return onnx::readModel(*path);
}

void countOps(const onnx::Graph &graph, std::map<std::string, int64_t> &histogram) {
  for (const onnx::Node &node : graph.nodes) {
    std::string_view domain = onnx::canonicalDomain(node.domain);
    ++histogram[domain.empty() ? node.type : fmt::format("{}.{}", domain, node.type)];
    for (const onnx::Attribute &attribute : node.attributes)
      for (const onnx::Graph &inner : attribute.graphs())
        countOps(inner, histogram);
  }
}

/// The inputs that a run feeds.
std::vector<onnx::ValueInfo> feedsOf(const onnx::Graph &graph) {
  std::set<std::string> initializers;
  for (const onnx::TensorValue &tensor : graph.initializers)
    initializers.insert(tensor.name);
  for (const onnx::SparseTensorValue &tensor : graph.sparseInitializers)
    initializers.insert(tensor.values.name);
  std::vector<onnx::ValueInfo> feeds;
  std::ranges::copy_if(graph.inputs, std::back_inserter(feeds),
                       [&](const onnx::ValueInfo &input) { return !initializers.contains(input.name); });
  return feeds;
}

/// Adds the tensor of a value, or the elements of a sequence. `isExpected`: with the number of elements,
/// which a run returns.
void addValue(const std::string &name, onnx::Value &value, bool isExpected, params::Tensors &out) {
  if (value.kind == onnx::Type::Kind::Tensor) {
    out[name] = value.tensor.type == onnx::DataType::String
                    ? onnx::bytesOf(value.tensor.strings, value.tensor.dims)
                    : std::move(value.tensor.elements);
    return;
  }
  // An optional sequence is the sequence.
  if (value.kind == onnx::Type::Kind::Optional && value.elements.size() == 1 &&
      value.elements[0].kind != onnx::Type::Kind::Tensor)
    return addValue(name, value.elements[0], isExpected, out);
  if (isExpected) {
    Tensor count(DType::Int64, {1});
    *count.as<int64_t>() = static_cast<int64_t>(value.elements.size());
    out[name] = count;
  }
  for (size_t i = 0; i < value.elements.size(); ++i)
    addValue(elementName(name, i), value.elements[i], isExpected, out);
}

/// Reads the files "input_0.pb", ... of `values`.
Result<params::Tensors> readFiles(const std::string &folder, const char *prefix,
                                  const std::vector<onnx::ValueInfo> &values) {
  params::Tensors tensors;
  Diagnostics diagnostics;
  std::error_code ignored;
  for (size_t i = 0;; ++i) {
    std::string file = fmt::format("{}/{}_{}.pb", folder, prefix, i);
    if (!fs::exists(file, ignored))
      break;
    if (i >= values.size() || !values[i].type) {
      diagnostics.add(file, fmt::format("found a value of {} {}, expected at most {}, as in the model",
                                        prefix, i, values.size()));
      break;
    }
    if (Result<onnx::Value> value = onnx::readValue(file, *values[i].type); !value)
      diagnostics.append(value.diagnostics());
    else
      addValue(values[i].name, *value, std::string_view(prefix) == "output", tensors);
  }
  if (!diagnostics.empty())
    return diagnostics;
  return tensors;
}

} // namespace

bool isOnnxDataSet(const std::string &folder) {
  std::error_code ignored;
  return fs::path(folder).lexically_normal().filename().string().starts_with(folderPrefix) &&
         fs::is_directory(folder, ignored) && !modelsBeside(folder).empty();
}

Result<std::string> modelOfDataSet(const std::string &folder) {
  std::vector<std::string> models = modelsBeside(folder);
  if (models.size() != 1)
    return errorAt(modelFolderOf(folder).string(),
                   fmt::format("found {} models [{}], expected model.onnx or one *.onnx", models.size(),
                               fmt::join(models, ", ")));
  return models.front();
}

Result<CaseMeta> readOnnxMeta(const std::string &folder) {
  Result<onnx::Model> model = readModelOf(folder);
  if (!model)
    return model.diagnostics();
  CaseMeta meta;
  fs::path parent = modelFolderOf(folder);
  meta.name =
      (parent.parent_path().filename() / parent.filename() / fs::path(folder).lexically_normal().filename())
          .string();
  meta.kind = "onnx";
  meta.rtol = 1e-3;
  meta.atol = 1e-7;
  std::error_code ignored;
  if (std::string file = (parent / "data.json").string(); fs::exists(file, ignored)) {
    Result<nlohmann::json> object = params::readJsonObject(file);
    Diagnostics diagnostics;
    if (!object)
      return object.diagnostics();
    params::MetaFields fields(*object, file, diagnostics);
    fields.read("rtol", meta.rtol);
    fields.read("atol", meta.atol);
    if (!diagnostics.empty())
      return diagnostics;
  }
  for (const onnx::ValueInfo &output : model->graph.outputs)
    if (output.type && output.type->elementType == onnx::DataType::BFloat16)
      meta.minimumRtol[output.name] = bfloat16Rtol;
  countOps(model->graph, meta.opHistogram);
  return meta;
}

Result<params::Tensors> readOnnxInputs(const std::string &folder) {
  Result<onnx::Model> model = readModelOf(folder);
  if (!model)
    return model.diagnostics();
  return readFiles(folder, "input", feedsOf(model->graph));
}

Result<params::Tensors> readOnnxOutputs(const std::string &folder) {
  Result<onnx::Model> model = readModelOf(folder);
  if (!model)
    return model.diagnostics();
  Result<params::Tensors> tensors = readFiles(folder, "output", model->graph.outputs);
  if (tensors && tensors->empty())
    return errorAt(folder, "found no output, expected output_0.pb, ...");
  return tensors;
}

} // namespace proa::check
