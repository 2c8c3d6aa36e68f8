#include "lib/compiler/compile/UserPasses.h"

#include "lib/base/support/Files.h"
#include "lib/compiler/compile/Registration.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/xxhash.h"

#include <mutex>

using namespace mlir;

namespace proa {
namespace {

/// Plugins of this process, as MLIR's registry of passes.
struct Plugins {
  std::mutex mutex;
  std::vector<DialectPlugin> dialects;
  std::string description;
};

Plugins &plugins() {
  static Plugins all;
  return all;
}

/// Adds the file to describePlugins().
void describe(const std::string &path) {
  Result<std::string> bytes = readFile(path);
  plugins().description += path + ":" + std::to_string(bytes ? llvm::xxh3_64bits(*bytes) : 0) + ";";
}

/// The passes inside of "builtin.module(...)", or the text if it has no such op.
StringRef withoutModule(StringRef passes) {
  StringRef text = passes.trim();
  return text.consume_front("builtin.module(") && text.consume_back(")") ? text : passes;
}

/// Checks that a file is a plugin: it can be loaded, and its function `entry` returns the version that this
/// MLIR has. The messages of MLIR for these errors have released memory.
template <class Info> Result<void> checkPlugin(const std::string &path, const char *entry) {
  std::string error;
  llvm::sys::DynamicLibrary library = llvm::sys::DynamicLibrary::getPermanentLibrary(path.c_str(), &error);
  if (!library.isValid())
    return errorAt(path, "cannot be loaded: " + error);
  auto *function = reinterpret_cast<Info (*)()>(library.getAddressOfSymbol(entry));
  if (!function)
    return errorAt(path, "is not a plugin: it has no function '" + std::string(entry) + "'");
  if (uint32_t version = function().apiVersion; version != MLIR_PLUGIN_API_VERSION)
    return errorAt(path, "is a plugin of version " + std::to_string(version) + ", expected version " +
                             std::to_string(MLIR_PLUGIN_API_VERSION) + " (LLVM " + LLVM_VERSION_STRING + ")");
  return {};
}

LogicalResult parse(const std::string &passes, OpPassManager &pm, std::string &error) {
  static std::once_flag isRegistered;
  std::call_once(isRegistered, registerAllPasses);
  llvm::raw_string_ostream stream(error);
  return parsePassPipeline(withoutModule(passes), pm, stream);
}

} // namespace

Result<void> checkUserPasses(const std::string &passes) {
  OpPassManager pm(ModuleOp::getOperationName());
  std::string error;
  if (succeeded(parse(passes, pm, error)))
    return {};
  return errorAt("passes", "'" + passes + "' is not a pipeline of passes: " + StringRef(error).trim().str());
}

void addUserPasses(OpPassManager &pm, const std::string &passes) {
  std::string ignored; // checkUserPasses reports errors
  if (!passes.empty())
    (void)parse(passes, pm, ignored);
}

Result<void> loadPassPlugin(const std::string &path) {
  std::lock_guard lock(plugins().mutex);
  if (Result<void> checked = checkPlugin<PassPluginLibraryInfo>(path, "mlirGetPassPluginInfo"); !checked)
    return checked;
  auto plugin = PassPlugin::load(path);
  if (!plugin)
    return errorAt(path, llvm::toString(plugin.takeError()));
  plugin->registerPassRegistryCallbacks();
  describe(path);
  return {};
}

Result<void> loadDialectPlugin(const std::string &path) {
  std::lock_guard lock(plugins().mutex);
  if (Result<void> checked = checkPlugin<DialectPluginLibraryInfo>(path, "mlirGetDialectPluginInfo");
      !checked)
    return checked;
  auto plugin = DialectPlugin::load(path);
  if (!plugin)
    return errorAt(path, llvm::toString(plugin.takeError()));
  plugins().dialects.push_back(*plugin);
  describe(path);
  return {};
}

void registerPluginDialects(DialectRegistry &registry) {
  std::lock_guard lock(plugins().mutex);
  for (const DialectPlugin &plugin : plugins().dialects)
    plugin.registerDialectRegistryCallbacks(registry);
}

std::string describePlugins() {
  std::lock_guard lock(plugins().mutex);
  return plugins().description;
}

} // namespace proa
