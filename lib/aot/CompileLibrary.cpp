#include "lib/aot/CompileLibrary.h"

#include "lib/driver/Compile.h"
#include "lib/driver/Registration.h"
#include "lib/driver/SpecializeFeeds.h"
#include "translator/import/Import.h"
#include "translator/legacy/ReadProgram.h"
#include "translator/params/ModelFolder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Object/Archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

namespace proa::aot {
namespace {

/// Imports with the dims of the request, or with the declared ones alone and refines those.
Result<CompiledProgram> compile(const LibraryRequest &request, const params::ModelFiles &files,
                                const legacy::Program &program, size_t &resultCount, bool importWithDims) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  import::ImportOptions importOptions;
  importOptions.source = files.program;
  importOptions.feeds = request.feeds;
  importOptions.fetches = request.fetches;
  if (importWithDims)
    importOptions.feedDims = request.dims;
  auto module = import::importProgram(context, program, importOptions);
  if (!module)
    return module.problems();
  auto main = (*module)->lookupSymbol<mlir::func::FuncOp>("main");
  resultCount = 0;
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    resultCount += main.getResultAttr(i, "pd.fetch") != nullptr;
  if (auto done = specializeFeeds(**module, request.dims); !done)
    return done.problems();
  CompileOptions options;
  options.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.cpu = request.cpu;
  options.amp = request.amp;
  options.progress = request.progress;
  return compileForCpu(std::move(*module), options);
}

/// The kernels that the plan calls, with their shape functions.
Result<std::vector<std::string>> kernelsOf(const runtime::Plan &plan, const std::string &archiveBytes) {
  auto archive =
      llvm::object::Archive::create(llvm::MemoryBufferRef(llvm::StringRef(archiveBytes), "kernels"));
  if (!archive)
    return problem("compiled kernels", llvm::toString(archive.takeError()));
  llvm::StringSet<> defined;
  for (const llvm::object::Archive::Symbol &symbol : (*archive)->symbols())
    defined.insert(symbol.getName());
  std::set<std::string> names;
  for (const auto *steps : {&plan.prepare, &plan.steps})
    runtime::forEachStep(*steps, [&](const runtime::Step &step) {
      if (step.kind != runtime::StepKind::Kernel)
        return;
      names.insert(step.symbol);
      if (std::string shape = step.symbol + "_shape"; defined.contains(shape))
        names.insert(shape);
    });
  return std::vector<std::string>(names.begin(), names.end());
}

/// Picks the weights that the plan reads and says where each will lie.
Result<void> embed(const params::Tensors &tensors, CompiledLibrary &library) {
  Description &description = library.description;
  Problems problems;
  uint64_t end = 0;
  for (const TensorInfo &info : description.weights()) {
    std::string where = "weight '" + info.name + "'";
    auto found = tensors.find(info.name);
    if (found == tensors.end())
      problems.add(where, "is missing; expected " + describe(info.dtype, info.dims));
    else if (found->second.dtype() != info.dtype || found->second.dims() != info.dims)
      problems.add(where, fmt::format("is {}; expected {}", found->second.describe(),
                                      describe(info.dtype, info.dims)));
    if (!problems.empty())
      continue;
    description.embedded.push_back({info, end});
    library.weights.push_back(found->second);
    constexpr uint64_t alignment = runtime::addressAlignment;
    end = (end + found->second.bytes() + alignment - 1) / alignment * alignment;
  }
  return problems;
}

} // namespace

Result<CompiledLibrary> compileLibrary(const LibraryRequest &request) {
  auto files = params::findModel(request.model, request.parameters);
  if (!files)
    return files.problems();
  auto program = legacy::readProgram(files->program);
  if (!program)
    return program.problems();
  CompiledLibrary library;
  Description &description = library.description;
  description.name = request.name;
  auto features = cpuFeaturesOf(request.cpu);
  if (!features)
    return features.problems();
  description.cpuFeatures = std::move(*features);
  description.savedVariables = params::savedVariables(*program);
  params::Tensors tensors;
  if (request.embedWeights) {
    auto read = params::readParameters(*files, *program);
    if (!read)
      return read.problems();
    tensors = std::move(*read);
  }
  auto compiled = compile(request, *files, *program, description.resultCount, /*importWithDims=*/false);
  if (!compiled && !request.dims.empty())
    if (auto again = compile(request, *files, *program, description.resultCount, /*importWithDims=*/true))
      compiled = std::move(again);
  if (!compiled)
    return compiled.problems();
  description.plan = std::move(compiled->plan);
  library.archive = std::move(compiled->archive);
  auto kernels = kernelsOf(description.plan, library.archive);
  if (!kernels)
    return kernels.problems();
  description.kernels = std::move(*kernels);
  if (request.embedWeights)
    if (auto done = embed(tensors, library); !done)
      return done.problems();
  return library;
}

} // namespace proa::aot
