#include "translator/params/GeneratedParams.h"

#include "lib/support/Files.h"
#include "translator/params/Generate.h"
#include "translator/params/MappedTensor.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace proa::params {
namespace {

using nlohmann::json;

Result<json> parse(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.problems();
  try {
    return json::parse(*text);
  } catch (const json::parse_error &error) {
    return problem(path, fmt::format("no valid JSON at byte {}", error.byte));
  }
}

struct Recipe {
  std::string name, dtype;
  std::vector<int64_t> dims;
  double lo = 0, hi = 0;
};

/// Empty, or what is wrong.
std::string parseRecipe(const json &entry, Recipe &out) {
  try {
    entry.at("name").get_to(out.name);
    entry.at("dtype").get_to(out.dtype);
    entry.at("shape").get_to(out.dims);
    entry.at("lo").get_to(out.lo);
    entry.at("hi").get_to(out.hi);
  } catch (const json::exception &) {
    return "expected an object with name, dtype, shape, lo and hi";
  }
  if (out.dtype != nameOf(DType::Float32))
    return fmt::format("'{}': found dtype {}, expected float32", out.name, out.dtype);
  if (!byteCount(DType::Float32, out.dims))
    return fmt::format("'{}': the shape [{}] has no size", out.name, fmt::join(out.dims, ", "));
  return {};
}

} // namespace

bool hasGeneratedParams(const std::string &metaPath) {
  Result<json> meta = parse(metaPath);
  return meta && meta->is_object() && meta->contains("generated_params");
}

Result<std::map<std::string, Tensor>> readGeneratedParams(const std::string &metaPath) {
  Result<json> meta = parse(metaPath);
  if (!meta)
    return meta.problems();
  const json *list = nullptr;
  uint64_t seed = 0;
  try {
    const json &generated = meta->at("generated_params");
    generated.at("seed").get_to(seed);
    list = &generated.at("params");
  } catch (const json::exception &) {
    return problem(metaPath, "generated_params: expected an object with seed and params");
  }
  std::map<std::string, Tensor> tensors;
  Problems problems;
  for (size_t i = 0; i < list->size() && list->is_array(); ++i) {
    Recipe recipe;
    if (std::string wrong = parseRecipe((*list)[i], recipe); !wrong.empty()) {
      problems.add(metaPath, fmt::format("generated_params.params[{}]: {}", i, wrong));
      continue;
    }
    tensors.insert_or_assign(recipe.name,
                             generateParameter(recipe.name, recipe.dims, seed, recipe.lo, recipe.hi));
  }
  if (!problems.empty())
    return problems;
  return tensors;
}

} // namespace proa::params
