#include "test/fuzz/ir/Pipelines.h"

#include "lib/compiler/compile/Registration.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <unistd.h>

using namespace mlir;

namespace proa::fuzz {

/// The output of `write` on stdout.
static std::string stdoutOf(llvm::function_ref<void()> write) {
  std::FILE *file = std::tmpfile();
  llvm::outs().flush();
  int saved = dup(STDOUT_FILENO);
  dup2(fileno(file), STDOUT_FILENO);
  write();
  llvm::outs().flush();
  dup2(saved, STDOUT_FILENO);
  close(saved);
  std::string text(static_cast<size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

std::vector<PassEntry> registeredPasses() {
  // The registry can be printed and searched, but not listed.
  std::string text = stdoutOf([] { printRegisteredPasses(); });
  std::vector<PassEntry> passes;
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    size_t indent = line.find("--");
    if (indent == llvm::StringRef::npos || !line.take_front(indent).trim().empty())
      continue;
    auto [name, type] = line.drop_front(indent + 2).split(' ').first.split('=');
    bool isOption = indent > 2;
    if (!isOption)
      passes.push_back({name.str(), {}});
    else if (!passes.empty() && name != "report") // the name of an output file
      passes.back().options.push_back({name.str(), type.str()});
  }
  // MLIR does not print pipelines.
  passes.push_back({cpuPipelineName, {}});
  passes.push_back({lowerKernelsPipelineName, {{"expand-bfloat16", "<bool>"}}});
  passes.push_back({lowerGpuKernelsPipelineName, {{"max-threads", "<long>"}, {"shared-bytes", "<long>"}}});
  return passes;
}

static std::string randomValue(const PassOption &option, ModuleOp module, Random &random) {
  static const char *const numbers[] = {"0", "1", "2", "-1", "3", "7", "64", "4096", "9223372036854775807"};
  static const char *const words[] = {"main", "none",      "O1",         "O2", "f16", "bf16",
                                      "cpu",  "pd.matmul", "pd.softmax", "x",  "0,1"};
  if (option.type.find("string") == std::string::npos)
    return option.type.empty() || option.type == "<bool>" ? (pick(random, 2) ? "true" : "false")
                                                          : pickFrom(random, numbers);
  std::vector<std::string> names(std::begin(words), std::end(words));
  for (auto function : module.getOps<func::FuncOp>())
    names.insert(names.end(), 4, function.getName().str());
  return pickFrom(random, names);
}

std::string withOptions(const PassEntry &pass, ModuleOp module, Random &random) {
  std::string text;
  for (const PassOption &option : pass.options)
    if (pick(random, 4) == 0)
      text += (text.empty() ? "" : " ") + option.name + "=" + randomValue(option, module, random);
  return text.empty() ? pass.name : pass.name + "{" + text + "}";
}

} // namespace proa::fuzz
