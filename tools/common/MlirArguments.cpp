#include "tools/common/MlirArguments.h"

#include "lib/base/support/Suggest.h"
#include "lib/compiler/compile/UserPasses.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace cl = llvm::cl;

namespace {

/// Access to the options of a registered pass or pipeline. MLIR only prints them, so the names are read from
/// a private member: access is not checked in an explicit instantiation
/// (docs/decisions/0009-option-names.md).
using OptionHandler = std::function<void(llvm::function_ref<void(const mlir::detail::PassOptions &)>)>;
template <OptionHandler mlir::PassRegistryEntry::*member> struct Reveal {
  friend const OptionHandler &handlerOf(const mlir::PassRegistryEntry &entry) { return entry.*member; }
};
const OptionHandler &handlerOf(const mlir::PassRegistryEntry &entry);
template struct Reveal<&mlir::PassRegistryEntry::optHandler>;

} // namespace

namespace proa::tools {
namespace {

std::vector<std::string> optionsOf(const mlir::PassRegistryEntry &entry) {
  std::vector<std::string> names;
  handlerOf(entry)([&](const mlir::detail::PassOptions &options) {
    // Only a C-style cast converts to a protected base.
    for (const auto &option : ((const cl::SubCommand &)options).OptionsMap) // NOLINT
      names.push_back(option.first.str());
  });
  std::sort(names.begin(), names.end());
  return names;
}

const mlir::PassRegistryEntry *findPass(llvm::StringRef name) {
  if (const mlir::PassPipelineInfo *pipeline = mlir::PassPipelineInfo::lookup(name))
    return pipeline;
  return mlir::PassInfo::lookup(name);
}

/// The names of all options, with passes and pipelines, or of passes and pipelines only.
std::vector<std::string> registeredNames(bool onlyPasses) {
  std::vector<std::string> names;
  for (const auto &option : cl::getRegisteredOptions())
    if (!onlyPasses || findPass(option.first))
      names.push_back(option.first.str());
  std::sort(names.begin(), names.end());
  return names;
}

void addUnknownPass(const std::string &where, llvm::StringRef name, Diagnostics &diagnostics) {
  diagnostics.add(where, "unknown pass or pipeline '" + name.str() + "'" +
                             didYouMean(name.str(), registeredNames(true)));
}

/// The index after the bracket that closes the one at `begin`, or npos.
size_t closing(llvm::StringRef text, size_t begin) {
  int depth = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (depth == 0)
      return i + 1;
  }
  return llvm::StringRef::npos;
}

/// Checks the values of options with valid names. LLVM prints the error of a value.
void checkValues(const mlir::PassRegistryEntry &entry, llvm::StringRef text, const std::string &where,
                 Diagnostics &diagnostics) {
  if (text.empty())
    return;
  mlir::OpPassManager passes("builtin.module", mlir::OpPassManager::Nesting::Implicit);
  std::string message;
  auto onError = [&](const llvm::Twine &error) {
    message = error.str();
    return llvm::failure();
  };
  if (failed(entry.addToPipeline(passes, text, onError)))
    diagnostics.add(where, "'" + entry.getPassArgument().str() + "' refuses the options '" + text.str() +
                               "'" + (message.empty() ? "" : ": " + llvm::StringRef(message).trim().str()));
}

/// Checks names and values in "a=1 b={x=2 y} c='z w'".
void checkOptions(const mlir::PassRegistryEntry &entry, llvm::StringRef text, const std::string &where,
                  Diagnostics &diagnostics) {
  std::vector<std::string> names = optionsOf(entry);
  llvm::StringRef whole = text;
  size_t diagnosticsBefore = diagnostics.size();
  for (text = text.ltrim(); !text.empty(); text = text.ltrim()) {
    size_t end = text.find_first_of(" =");
    std::string name = text.substr(0, end).str();
    if (std::find(names.begin(), names.end(), name) == names.end())
      diagnostics.add(where, "'" + entry.getPassArgument().str() + "' has no option '" + name + "'" +
                                 (names.empty() ? "; it has none" : didYouMean(name, names)));
    text = end == llvm::StringRef::npos ? "" : text.substr(end);
    if (!text.consume_front("="))
      continue;
    size_t at = 0;
    while (at < text.size() && text[at] != ' ') {
      size_t next = text[at] == '{'                       ? closing(text, at)
                    : text[at] == '\'' || text[at] == '"' ? text.find(text[at], at + 1)
                                                          : at;
      if (next == llvm::StringRef::npos)
        return; // MLIR reports the missing bracket
      at = text[at] == '{' ? next : next + 1;
    }
    text = text.substr(at);
  }
  if (diagnostics.size() == diagnosticsBefore)
    checkValues(entry, whole, where, diagnostics);
}

/// The passes that run on modules.
void checkAnchor(llvm::StringRef text, const std::string &where, Diagnostics &diagnostics) {
  llvm::StringRef anchor = text.trim().split('(').first.trim();
  if (text.contains('(') && anchor != "builtin.module" && anchor != "any")
    diagnostics.add(where, "the pipeline begins with '" + anchor.str() +
                               "', expected 'builtin.module(...)'; function passes are nested: "
                               "builtin.module(func.func(pd-form-attention))");
}

/// Checks the names in "builtin.module(func.func(pd-decompose{only=x},cse),canonicalize)".
void checkPipeline(llvm::StringRef text, const std::string &where, Diagnostics &diagnostics) {
  while (!text.empty()) {
    size_t end = text.find_first_of(",(){}");
    llvm::StringRef name = text.substr(0, end).trim();
    char next = end == llvm::StringRef::npos ? '\0' : text[end];
    const mlir::PassRegistryEntry *entry = name.empty() || next == '(' ? nullptr : findPass(name);
    if (!name.empty() && next != '(' && !entry)
      addUnknownPass(where, name, diagnostics);
    if (next == '{') {
      size_t close = closing(text, end);
      if (close == llvm::StringRef::npos)
        return; // MLIR reports it
      if (entry)
        checkOptions(*entry, text.slice(end + 1, close - 1), where, diagnostics);
      end = close - 1;
    }
    text = end == llvm::StringRef::npos ? "" : text.substr(end + 1);
  }
}

/// Whether the argument is an option followed directly by its value: -Ifolder.
bool beginsWithPrefixOption(llvm::StringRef name) {
  return llvm::any_of(cl::getRegisteredOptions(), [&](const auto &option) {
    auto kind = option.second->getFormattingFlag();
    return !option.first.empty() && name.starts_with(option.first) &&
           (kind == cl::Prefix || kind == cl::AlwaysPrefix);
  });
}

/// Calls `visit` with the name and the value of each option.
void forEachOption(int argc, char **argv,
                   llvm::function_ref<void(llvm::StringRef name, llvm::StringRef value)> visit) {
  const auto &registered = cl::getRegisteredOptions();
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument == "--")
      return;
    if (argument.size() < 2 || !argument.consume_front("-"))
      continue;
    argument.consume_front("-");
    auto [name, value] = argument.split('=');
    auto option = registered.find(name);
    bool hasValue = name.size() != argument.size();
    if (!hasValue && option != registered.end() &&
        option->second->getValueExpectedFlag() == cl::ValueRequired && i + 1 < argc)
      value = argv[++i];
    visit(name, value);
  }
}

} // namespace

Result<std::vector<char *>> loadPassPlugins(int argc, char **argv) {
  std::vector<char *> others{argv[0]};
  Diagnostics diagnostics;
  for (int i = 1; i < argc; ++i) {
    auto [name, path] = llvm::StringRef(argv[i]).split('=');
    if (llvm::StringRef option = name;
        !option.consume_front("-") || option.ltrim('-') != "load-pass-plugin") {
      others.push_back(argv[i]);
      continue;
    }
    if (path.empty() && i + 1 < argc && !name.contains('='))
      path = argv[++i];
    Result<void> loaded = loadPassPlugin(path.str());
    for (const Diagnostic &diagnostic : loaded.diagnostics())
      diagnostics.add("--load-pass-plugin", diagnostic.location + ": " + diagnostic.message);
  }
  if (!diagnostics.empty())
    return diagnostics;
  return others;
}

Diagnostics checkArguments(int argc, char **argv) {
  Diagnostics diagnostics;
  const auto &registered = cl::getRegisteredOptions();
  forEachOption(argc, argv, [&](llvm::StringRef name, llvm::StringRef value) {
    std::string where = "--" + name.str();
    if (!registered.contains(name) && !beginsWithPrefixOption(name))
      diagnostics.add("", "unknown option '" + where + "'" +
                              didYouMean(name.str(), registeredNames(false), "--"));
    if (name == "mlir-print-ir-after" || name == "mlir-print-ir-before")
      for (llvm::StringRef pass : llvm::split(value, ','))
        if (!findPass(pass))
          addUnknownPass(where, pass, diagnostics);
  });
  return diagnostics;
}

Diagnostics checkPasses(int argc, char **argv) {
  Diagnostics diagnostics;
  forEachOption(argc, argv, [&](llvm::StringRef name, llvm::StringRef value) {
    std::string where = "--" + name.str();
    if (const mlir::PassRegistryEntry *entry = findPass(name))
      checkOptions(*entry, value, where, diagnostics);
    if (name != "pass-pipeline" && name != "p") // its alias
      return;
    checkAnchor(value, where, diagnostics);
    checkPipeline(value, where, diagnostics);
    std::string syntax;
    llvm::raw_string_ostream os(syntax);
    if (diagnostics.empty() && failed(mlir::parsePassPipeline(value, os)))
      diagnostics.add(where, llvm::StringRef(syntax).trim().str());
  });
  return diagnostics;
}

Diagnostics checkRemarks(const std::string &passes) {
  return checkRemarkedPasses(passes, registeredNames(/*onlyPasses=*/true), "--remarks").diagnostics();
}

std::vector<char *> completeArguments(int argc, char **argv) {
  std::vector<char *> arguments(argv, argv + argc);
  bool onlyChanges = false, saysWhere = false;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef name = llvm::StringRef(argv[i]).ltrim('-').split('=').first;
    onlyChanges |= name == "mlir-print-ir-after-change";
    saysWhere |= name == "mlir-print-ir-after-all" || name == "mlir-print-ir-after" ||
                 name == "mlir-print-ir-after-failure" || name == "mlir-print-ir-before" ||
                 name == "mlir-print-ir-before-all";
  }
  static char all[] = "--mlir-print-ir-after-all";
  if (onlyChanges && !saysWhere)
    arguments.insert(arguments.begin() + 1, all);
  return arguments;
}

void printNoOpsWithErrors() {
  auto &registered = cl::getRegisteredOptions();
  auto option = registered.find("mlir-print-op-on-diagnostic");
  if (option != registered.end() && option->second->getNumOccurrences() == 0)
    static_cast<cl::opt<bool> *>(option->second)->setValue(false);
}

} // namespace proa::tools
