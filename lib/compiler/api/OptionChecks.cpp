#include "lib/compiler/api/OptionChecks.h"

#include "lib/base/support/ThreadLimit.h"
#include "lib/compiler/compile/Compile.h"
#include "lib/compiler/compile/UserPasses.h"
#include "passes/patterns/PatternFile.h"
#include "translator/params/ModelFolder.h"

#include <fmt/format.h>

#include <vector>

namespace proa {

Result<void> checkIrOptions(const ModelOptions &options, const std::string &path) {
  for (auto [isGiven, what] : {std::pair(options.amp.has_value(), "mixed precision"),
                               std::pair(options.microBatches != 1, "micro-batches"),
                               std::pair(!options.derivedGradients.empty(), "derived gradients")})
    if (isGiven)
      return errorAt(path, std::string(what) + " of an IR file is done by passes (proa-opt), not by options");
  return {};
}

Result<void> checkOptions(const ModelOptions &options, const std::string &path) {
  Diagnostics diagnostics;
  if (options.threads < 0 || options.threads > maxThreads)
    diagnostics.add(path, fmt::format("the number of threads must be 0 (one for each core) to {}, found {}",
                                      maxThreads, options.threads));
  if (!options.passes.empty())
    diagnostics.append(checkUserPasses(options.passes).diagnostics());
  for (const std::string &file : options.patterns)
    if (Result<std::string> text = readPatternFile(file); !text)
      diagnostics.append(text.diagnostics());
  if (!options.remarks.empty())
    diagnostics.append(checkRemarks(options.remarks, options.passes).diagnostics());
  if (options.amp && options.amp->dtype != DType::Float16 && options.amp->dtype != DType::BFloat16)
    diagnostics.add(path, "mixed precision needs float16 or bfloat16, found " +
                              std::string(nameOf(options.amp->dtype)));
  if (options.memoryBudget && *options.memoryBudget < -1)
    diagnostics.add(path, "the memory budget must be a number of bytes, or -1 for none, found " +
                              std::to_string(*options.memoryBudget));
  return diagnostics;
}

Result<void> checkParameterValues(const std::string &path, const std::string &program,
                                  const runtime::Plan &plan, const std::map<std::string, Tensor> &values) {
  std::vector<std::string> missing;
  for (runtime::ValueId id : plan.parameters)
    if (const std::string &name = plan.values[static_cast<size_t>(id)].name; !values.contains(name))
      missing.push_back(name);
  if (missing.empty())
    return {};
  return errorAt(
      path, fmt::format("no weights were found, and {} parameters have no value, '{}' first; expected {}, "
                        "or the path of a weights file (--params)",
                        missing.size(), missing.front(), params::weightsNames(program)));
}

std::string textOf(const Diagnostic &diagnostic) {
  return diagnostic.location + (diagnostic.location.empty() ? "" : ": ") + diagnostic.message;
}

} // namespace proa
