#include "lib/compiler/cuda/Tuning.h"

#include "dialects/proa/Strategies.h"
#include "lib/base/support/DiagnosticCollector.h"
#include "lib/base/support/Files.h"
#include "lib/compiler/codegen/ObjectCache.h"

#include "mlir/AsmParser/AsmParser.h"

#include "llvm/Support/xxhash.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>

using namespace mlir;

namespace proa {

using nlohmann::json;

// Changes when strategies get another meaning.
static constexpr int formatVersion = 2;

std::string KernelStrategy::text() const {
  std::string text = fmt::format("{} threads", maxThreads);
  for (const std::string &attribute : attributes)
    text += ", " + attribute;
  return text;
}

Result<SmallVector<Attribute>> attributesOf(const KernelStrategy &strategy, MLIRContext *context) {
  context->loadDialect<ProaDialect>();
  DiagnosticCollector diagnostics(context);
  SmallVector<Attribute> attributes;
  for (const std::string &text : strategy.attributes) {
    Attribute attribute = parseAttribute(text, context);
    if (!attribute)
      return diagnostics.take("'" + text + "' is not an attribute");
    if (!isa<StrategyAttrInterface>(attribute))
      return errorAt("", fmt::format("'{}' is not a strategy, as #proa.contraction is", text));
    attributes.push_back(attribute);
  }
  return attributes;
}

/// Error: the entry lacks a field (json::exception), or has a wrong number of threads.
static Result<TuningEntry> readEntry(const json &entry) {
  TuningEntry read;
  read.strategy = {entry.at("maxThreads").get<int64_t>(),
                   entry.at("attributes").get<std::vector<std::string>>()};
  read.label = entry.at("label").get<std::string>();
  read.microseconds = entry.at("microseconds").get<double>();
  read.defaultMicroseconds = entry.at("defaultMicroseconds").get<double>();
  read.isComplete = entry.at("complete").get<bool>();
  if (int64_t threads = read.strategy.maxThreads;
      threads < 32 || threads > 1024 || (threads & (threads - 1)) != 0)
    return errorAt("", fmt::format("{} threads, expected a power of two from 32 to 1024", threads));
  return read;
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
      Result<TuningEntry> read = readEntry(entry);
      if (!read)
        return errorAt(path, fmt::format("kernel '{}' has {}", key, read.diagnostics()[0].message));
      database.entries[key] = std::move(*read);
    }
  } catch (const json::exception &error) {
    return errorAt(path, fmt::format("expected a tuning database of proa-tune: {}", error.what()));
  }
  return database;
}

Result<void> TuningDatabase::write(const std::string &path) const {
  json kernels = json::object();
  for (const auto &[key, entry] : entries)
    kernels[key] = {{"maxThreads", entry.strategy.maxThreads},
                    {"attributes", entry.strategy.attributes},
                    {"label", entry.label},
                    {"microseconds", entry.microseconds},
                    {"defaultMicroseconds", entry.defaultMicroseconds},
                    {"complete", entry.isComplete}};
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
