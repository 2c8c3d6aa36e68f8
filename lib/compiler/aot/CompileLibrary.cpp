#include "lib/compiler/aot/CompileLibrary.h"

#include "dialects/pd/ir/FunctionAttributes.h"

#include "lib/base/support/Cores.h"
#include "lib/base/support/Files.h"
#include "lib/base/support/Sequences.h"
#include "lib/base/support/UniqueDiagnostics.h"
#include "lib/compiler/codegen/TargetCode.h"
#include "lib/compiler/codegen/cuda/CudaToolkit.h"
#include "lib/compiler/compile/Compile.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/compiler/compile/UserPasses.h"
#include "lib/compiler/program/FeedDims.h"
#include "lib/compiler/program/ProgramSource.h"
#include "lib/compiler/program/SpecializeFeeds.h"
#include "passes/patterns/PatternFile.h"
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

/// An MLIR context for one compilation.
struct Context : mlir::MLIRContext {
  Context() : MLIRContext(registry(), Threading::DISABLED) {
    printOpOnDiagnostic(false); // no function's text after an error
  }

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    registerAllDialects(all);
    return all;
  }
};

Result<CompiledProgram> compile(const LibraryRequest &request, const std::string &chip, ProgramSource &source,
                                Description &description, const FeedFacts &facts) {
  Context context;
  auto module = source.import(context, facts);
  if (!module)
    return module.diagnostics();
  auto main = (*module)->lookupSymbol<mlir::func::FuncOp>("main");
  description.resultCount = 0;
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    description.resultCount += main.getResultAttr(i, pd::fetchAttribute) != nullptr;
  description.dimNames = dimNamesOf(**module);
  if (hasFormedKernels(**module) && !request.dims.empty())
    return errorAt(request.model, "the dims of its feeds cannot be changed, because its kernels are formed");
  if (!request.dims.empty())
    if (auto done = specializeFeeds(**module, request.dims); !done)
      return done.diagnostics();
  CompileOptions options;
  options.threads = availableCores();
  options.cpu = request.cpu;
  options.allowsTf32 = request.allowsTf32;
  options.allowsAtomicSums = request.allowsAtomicSums;
  options.targetFacts = request.targetFacts;
  if (!chip.empty()) {
    options.target = TargetKind::Cuda;
    options.chip = chip;
    options.cudaLibraries = request.cudaLibraries;
    options.symbolPrefix = chip + "_";
    options.tuningFile = request.tuningFile;
    options.onDeviceKernels = request.onDeviceKernels;
  }
  if (!request.dumpDirectory.empty())
    options.dumpDirectory = request.dumpDirectory + (chip.empty() ? "" : "/" + chip);
  options.amp = request.amp;
  options.progress = request.progress;
  options.remarks = request.remarks;
  options.passes = request.passes;
  options.patterns = request.patterns;
  options.onRemark = request.onDiagnostic;
  return compileProgram(std::move(*module), options);
}

/// Compiles by the declared dims; if that fails, by the requested dims; if that fails too, with errors of
/// branches deferred to the run.
Result<CompiledProgram> compileFirst(const LibraryRequest &request, const std::string &chip,
                                     ProgramSource &source, Description &description) {
  FeedFacts facts;
  facts.sequences = elementDims(request.dims);
  auto compiled = compile(request, chip, source, description, facts);
  facts.dims = request.dims;
  if (!compiled && !request.dims.empty())
    if (auto recompiled = compile(request, chip, source, description, facts))
      return recompiled;
  facts.deferAll = true;
  if (!compiled)
    if (auto recompiled = compile(request, chip, source, description, facts))
      return recompiled;
  return compiled;
}

/// The kernels that the plans call on the host, and the shape functions.
Result<std::vector<std::string>> kernelsOf(const std::vector<const runtime::Plan *> &plans,
                                           const std::string &archiveBytes) {
  auto archive =
      llvm::object::Archive::create(llvm::MemoryBufferRef(llvm::StringRef(archiveBytes), "kernels"));
  if (!archive)
    return errorAt("compiled kernels", llvm::toString(archive.takeError()));
  llvm::StringSet<> defined;
  for (const llvm::object::Archive::Symbol &symbol : (*archive)->symbols())
    defined.insert(symbol.getName());
  std::set<std::string> names;
  auto visit = [&](const runtime::Step &step) {
    if (step.kind != runtime::StepKind::Kernel)
      return;
    if (!step.isOnDevice())
      names.insert(step.symbol);
    if (std::string shape = step.symbol + "_shape"; defined.contains(shape))
      names.insert(shape);
  };
  for (const runtime::Plan *plan : plans) {
    runtime::forEachStep(plan->prepare, visit);
    runtime::forEachStep(plan->steps, visit);
  }
  return std::vector<std::string>(names.begin(), names.end());
}

/// Selects the weights that the plan reads and assigns their offsets.
Result<void> embed(const params::Tensors &tensors, CompiledLibrary &library) {
  Description &description = library.description;
  Diagnostics diagnostics;
  uint64_t end = 0;
  for (const TensorInfo &info : description.weights()) {
    std::string where = "weight '" + info.name + "'";
    auto found = tensors.find(info.name);
    if (found == tensors.end())
      diagnostics.add(where, "is missing; expected " + describe(info.dtype, info.dims));
    else if (found->second.dtype() != info.dtype || found->second.dims() != info.dims)
      diagnostics.add(where, fmt::format("is {}; expected {}", found->second.describe(),
                                         describe(info.dtype, info.dims)));
    if (!diagnostics.empty())
      continue;
    description.embedded.push_back({info, end});
    library.weights.push_back(found->second);
    constexpr uint64_t alignment = runtime::addressAlignment;
    end = (end + found->second.bytes() + alignment - 1) / alignment * alignment;
  }
  return diagnostics;
}

} // namespace

Result<std::string> joinArchives(const std::vector<std::string> &archives) {
  std::vector<std::string> members;
  for (const std::string &bytes : archives) {
    if (bytes.empty())
      continue;
    auto archive = llvm::object::Archive::create(llvm::MemoryBufferRef(bytes, "kernels"));
    if (!archive)
      return errorAt("compiled kernels", llvm::toString(archive.takeError()));
    llvm::Error error = llvm::Error::success();
    for (const llvm::object::Archive::Child &child : (*archive)->children(error)) {
      auto buffer = child.getBuffer();
      if (!buffer)
        return errorAt("compiled kernels", llvm::toString(buffer.takeError()));
      members.emplace_back(buffer->begin(), buffer->end());
    }
    if (error)
      return errorAt("compiled kernels", llvm::toString(std::move(error)));
  }
  return makeArchive(members);
}

/// The program for the CPU, or one for each chip.
static Result<void> compilePrograms(const LibraryRequest &request, ProgramSource &source,
                                    CompiledLibrary &library) {
  Description &description = library.description;
  if (request.chips.empty()) {
    auto compiled = compileFirst(request, "", source, description);
    if (!compiled)
      return compiled.diagnostics();
    description.plan = std::move(compiled->plan);
    library.archive = std::move(compiled->archive);
    return {};
  }
  if (cuda::CudaToolkit toolkit = cuda::CudaToolkit::find(); !toolkit.canAssemble() && request.onDiagnostic)
    request.onDiagnostic(
        Diagnostic{.severity = Diagnostic::Severity::Warning,
                   .location = request.model,
                   .message = "the library has no machine code for its chips, only PTX, which the "
                              "driver compiles when the library is loaded: no assembler was found; " +
                              cuda::toolkitHint(),
                   .code = "no-assembler"});
  std::vector<std::string> archives;
  for (const std::string &chip : request.chips) {
    auto compiled = compileFirst(request, chip, source, description);
    if (!compiled)
      return compiled.diagnostics();
    description.devicePrograms.push_back({std::move(compiled->plan), std::move(compiled->deviceCode)});
    archives.push_back(std::move(compiled->archive));
    for (std::string &shapes : compiled->shapeArchives)
      archives.push_back(std::move(shapes));
  }
  description.plan = description.devicePrograms.front().plan;
  auto joined = joinArchives(archives);
  if (!joined)
    return joined.diagnostics();
  library.archive = std::move(*joined);
  return {};
}

Result<CompiledLibrary> compileLibrary(const LibraryRequest &request) {
  if (!request.passes.empty())
    if (Result<void> checked = checkUserPasses(request.passes); !checked)
      return checked.diagnostics();
  for (const std::string &file : request.patterns)
    if (Result<std::string> text = readPatternFile(file); !text)
      return text.diagnostics();
  if (!request.remarks.empty())
    if (Result<void> checked = checkRemarks(request.remarks, request.passes); !checked)
      return checked.diagnostics();
  auto files = params::findModel(request.model, request.parameters);
  if (!files)
    return files.diagnostics();
  auto text = readFile(files->program);
  if (!text)
    return text.diagnostics();
  Context reading;
  auto source = ProgramSource::open(reading, {*files,
                                              std::move(*text),
                                              request.function,
                                              request.feeds,
                                              request.fetches,
                                              {},
                                              onceEach(request.onDiagnostic),
                                              request.dims});
  if (!source)
    return source.diagnostics();
  reportIgnoredMesh(**source, request.model, request.onDiagnostic);
  CompiledLibrary library;
  Description &description = library.description;
  description.name = request.name;
  auto features = cpuFeaturesOf(request.cpu);
  if (!features)
    return features.diagnostics();
  description.cpuFeatures = std::move(*features);
  description.savedVariables = (*source)->savedVariables();
  params::Tensors tensors;
  // Weights that are bound later must have the types for which the program is compiled.
  if (request.embedWeights || files->weightsForm != params::WeightsForm::None) {
    auto read = (*source)->readWeights();
    if (!read)
      return read.diagnostics();
    if (request.embedWeights)
      tensors = std::move(*read);
  }
  if (Result<void> compiled = compilePrograms(request, **source, library); !compiled)
    return compiled.diagnostics();
  std::vector<const runtime::Plan *> plans{&description.plan};
  for (const DeviceProgram &program : description.devicePrograms)
    plans.push_back(&program.plan);
  auto kernels = kernelsOf(plans, library.archive);
  if (!kernels)
    return kernels.diagnostics();
  description.kernels = std::move(*kernels);
  if (request.embedWeights)
    if (auto done = embed(tensors, library); !done)
      return done.diagnostics();
  return library;
}

} // namespace proa::aot
