#include "translator/params/GeneratedParams.h"

#include "lib/base/support/Json.h"
#include "translator/params/Generate.h"
#include "translator/params/MappedTensor.h"

#include <fmt/format.h>

#include <unistd.h>

namespace proa::params {
namespace {

using nlohmann::json;

size_t machineMemory() {
  return static_cast<size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
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
  std::optional<size_t> bytes = byteCount(DType::Float32, out.dims);
  if (bytes > machineMemory())
    return fmt::format("'{}': {} needs {} bytes, more than the machine's {}", out.name,
                       describe(DType::Float32, out.dims), *bytes, machineMemory());
  if (!bytes)
    return fmt::format("'{}': the shape [{}] has no size", out.name, fmt::join(out.dims, ", "));
  return {};
}

} // namespace

bool hasGeneratedParams(const std::string &metaPath) {
  Result<json> meta = readJsonFile(metaPath);
  return meta && meta->is_object() && meta->contains("generated_params");
}

Result<std::map<std::string, Tensor>> readGeneratedParams(const std::string &metaPath) {
  Result<json> meta = readJsonFile(metaPath);
  if (!meta)
    return meta.diagnostics();
  const json *list = nullptr;
  uint64_t seed = 0;
  try {
    const json &generated = meta->at("generated_params");
    generated.at("seed").get_to(seed);
    list = &generated.at("params");
  } catch (const json::exception &) {
    return errorAt(metaPath, "generated_params: expected an object with seed and params");
  }
  std::map<std::string, Tensor> tensors;
  Diagnostics diagnostics;
  for (size_t i = 0; i < list->size() && list->is_array(); ++i) {
    Recipe recipe;
    if (std::string wrong = parseRecipe((*list)[i], recipe); !wrong.empty()) {
      diagnostics.add(metaPath, fmt::format("generated_params.params[{}]: {}", i, wrong));
      continue;
    }
    tensors.insert_or_assign(recipe.name,
                             generateParameter(recipe.name, recipe.dims, seed, recipe.lo, recipe.hi));
  }
  if (!diagnostics.empty())
    return diagnostics;
  return tensors;
}

} // namespace proa::params
