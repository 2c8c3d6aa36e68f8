#include "lib/compiler/cuda/Tuning.h"

#include "lib/base/support/Files.h"
#include "lib/compiler/codegen/ObjectCache.h"

#include "llvm/Support/xxhash.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>

using namespace mlir;

namespace proa {

using nlohmann::json;

// Changes when strategies get another meaning.
static constexpr int formatVersion = 1;

/// The name of a strategy in the database; empty for the fastest.
static std::string nameOf(MatmulStrategy strategy) {
  return requestedKind(strategy) ? stringifyMatmulStrategy(strategy).str() : "";
}

static std::optional<MatmulStrategy> strategyNamed(const std::string &name) {
  return name.empty() ? MatmulStrategy::Fastest : symbolizeMatmulStrategy(name);
}

std::string KernelStrategy::text() const {
  return fmt::format("{} threads{}{}", maxThreads, requestedKind(contraction) ? ", " : "",
                     nameOf(contraction));
}

Result<TuningDatabase> TuningDatabase::read(const std::string &path) {
  TuningDatabase database;
  if (std::error_code error; !std::filesystem::exists(path, error))
    return database;
  Result<std::string> text = readFile(path);
  if (!text)
    return text.diagnostics();
  try {
    json whole = json::parse(*text);
    if (whole.at("version") != formatVersion)
      return errorAt(path, fmt::format("found version {} of a tuning database, expected {}; remove the file",
                                       whole.at("version").dump(), formatVersion));
    for (const auto &[key, entry] : whole.at("kernels").items()) {
      std::string contraction = entry.at("contraction").get<std::string>();
      std::optional<MatmulStrategy> strategy = strategyNamed(contraction);
      if (!strategy)
        return errorAt(path,
                       fmt::format("kernel '{}' has contraction '{}', expected fma, mma, wgmma or nothing",
                                   key, contraction));
      database.entries[key] = {{entry.at("maxThreads").get<int64_t>(), *strategy},
                               entry.at("label").get<std::string>(),
                               entry.at("microseconds").get<double>(),
                               entry.at("defaultMicroseconds").get<double>()};
    }
  } catch (const json::exception &error) {
    return errorAt(path, fmt::format("expected a tuning database of proa-tune: {}", error.what()));
  }
  for (const auto &[key, entry] : database.entries)
    if (int64_t threads = entry.strategy.maxThreads;
        threads < 32 || threads > 1024 || (threads & (threads - 1)) != 0)
      return errorAt(path, fmt::format("kernel '{}' has {} threads, expected a power of two from 32 to 1024",
                                       key, threads));
  return database;
}

Result<void> TuningDatabase::write(const std::string &path) const {
  json kernels = json::object();
  for (const auto &[key, entry] : entries)
    kernels[key] = {{"maxThreads", entry.strategy.maxThreads},
                    {"contraction", nameOf(entry.strategy.contraction)},
                    {"label", entry.label},
                    {"microseconds", entry.microseconds},
                    {"defaultMicroseconds", entry.defaultMicroseconds}};
  std::error_code error;
  if (std::filesystem::path folder = std::filesystem::path(path).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder, error);
  return writeFile(path, json{{"version", formatVersion}, {"kernels", std::move(kernels)}}.dump(1) + "\n");
}

const TuningEntry *TuningDatabase::find(const std::string &key) const {
  auto found = entries.find(key);
  return found == entries.end() ? nullptr : &found->second;
}

std::string tuningKey(func::FuncOp kernel, const std::string &chip) {
  OwningOpRef<Operation *> copy = kernel->clone();
  cast<func::FuncOp>(*copy).setName("kernel");
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream, OpPrintingFlags().useLocalScope());
  return fmt::format("{}:{:016x}", chip, llvm::xxh3_64bits(text));
}

std::string fileOfMachine(const char *variable, const std::string &name) {
  if (const char *file = std::getenv(variable))
    return file;
  auto cache = ObjectCache::open({});
  return cache ? cache->directory() + "/" + name : "";
}

std::string defaultTuningFile() { return fileOfMachine("PROA_TUNING", "tuning.json"); }

} // namespace proa
