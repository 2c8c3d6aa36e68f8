#include "lib/compiler/program/ProgramSource.h"

#include "lib/compiler/cache/CompiledCache.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/compiler/mesh/MeshInterface.h"
#include "lib/compiler/program/FeedDims.h"
#include "lib/compiler/program/IrProgram.h"
#include "translator/onnx/Parameters.h"

#include <fmt/format.h>

namespace proa {
namespace {

using Module = Result<mlir::OwningOpRef<mlir::ModuleOp>>;

/// A ProgramDesc, or a program of Paddle's new IR.
class PaddleSource : public ProgramSource {
public:
  static Result<std::unique_ptr<ProgramSource>> open(ProgramRequest request) {
    auto program = translator::readProgramText(request.text, request.files.program);
    return program ? of(std::move(*program), std::move(request)) : program.diagnostics();
  }

  static Result<std::unique_ptr<ProgramSource>> of(translator::SourceProgram program,
                                                   ProgramRequest request) {
    auto changed = changeFeedDims(program, request.feedDims);
    if (!changed)
      return changed.diagnostics();
    auto source = std::make_unique<PaddleSource>(std::move(request), std::move(program));
    source->useChangedDims(std::move(*changed));
    if (!source->request.files.startup.empty()) {
      auto startup = translator::readProgram(source->request.files.startup);
      if (!startup)
        return startup.diagnostics();
      if (startup->legacy())
        source->options.sharedParameters = legacy::sharedStorageOf(*startup->legacy());
    }
    return std::unique_ptr<ProgramSource>(std::move(source));
  }

  PaddleSource(ProgramRequest requested, translator::SourceProgram source)
      : request(std::move(requested)), program(std::move(source)) {
    options.source = request.files.program;
    options.feeds = request.feeds;
    options.fetches = request.fetches;
    options.fetchesAll = request.fetchesAll;
    options.derivedGradients = request.derivedGradients;
    options.onDiagnostic = request.onDiagnostic;
  }

  Module import(mlir::MLIRContext &context, const FeedFacts &facts, bool *feedsMayHelp) override {
    import::ImportOptions chosen = options;
    chosen.feedsMayHelp = feedsMayHelp;
    chosen.lodLevels = facts.lodLevels;
    chosen.feedDims = facts.dims;
    chosen.sequences = facts.sequences;
    chosen.feedValues = facts.values;
    chosen.parameterValues = facts.parameters;
    chosen.deferAll = facts.deferAll;
    Module module = import::importProgram(context, program, chosen);
    if (module && !changedFeeds.empty())
      if (Result<void> checked = checkOldDims(**module, changedFeeds); !checked)
        return checked.diagnostics();
    return module;
  }

  /// All declared types depend on the declared dims, so the inferred ones differ as they should.
  void useChangedDims(std::vector<ChangedFeed> changed) {
    changedFeeds = std::move(changed);
    if (!changedFeeds.empty() && options.onDiagnostic)
      options.onDiagnostic = [handler = std::move(options.onDiagnostic)](const Diagnostic &diagnostic) {
        if (diagnostic.code != "declared-type")
          handler(diagnostic);
      };
  }

  bool dependsOnFeeds() const override { return true; }
  int64_t deviceCount() const override { return 0; }
  std::vector<std::string> savedVariables() const override { return params::savedVariables(program); }
  Result<params::Tensors> readWeights() override { return params::readParameters(request.files, program); }

  Result<import::Interface> declaredInterface(mlir::MLIRContext &context) override {
    return import::declaredInterface(context, program, options);
  }

  std::optional<int> lodLevelOf(const std::string &feed) const override {
    if (const legacy::Program *legacy = program.legacy(); legacy && !legacy->blocks.empty())
      for (const legacy::Variable &variable : legacy->blocks.front().variables)
        if (variable.name == feed)
          return variable.lodLevel;
    return 0;
  }

  const std::vector<legacy::SharedStorage> &sharedParameters() const override {
    return options.sharedParameters;
  }
  std::string outsideValues() const override {
    return program.onnx() ? describeValues(onnx::knownTensors(*program.onnx())) : std::string();
  }
  const legacy::Program *legacyProgram() const override { return program.legacy(); }

private:
  ProgramRequest request;
  translator::SourceProgram program;
  import::ImportOptions options;
  std::vector<ChangedFeed> changedFeeds;
};

/// A function of an IR file.
class IrSource : public ProgramSource {
public:
  static Result<std::unique_ptr<ProgramSource>> open(mlir::MLIRContext &context, ProgramRequest request) {
    auto source = std::make_unique<IrSource>(std::move(request));
    Module module = source->read(context);
    if (!module)
      return module.diagnostics();
    source->saved = proa::savedVariables(**module);
    source->devices = proa::deviceCount(**module);
    source->parsed = std::move(*module);
    return std::unique_ptr<ProgramSource>(std::move(source));
  }

  explicit IrSource(ProgramRequest request) : request(std::move(request)) {}

  Module import(mlir::MLIRContext &context, const FeedFacts &facts, bool *) override {
    if (!facts.lodLevels.empty()) {
      const auto &[name, count] = *facts.lodLevels.begin();
      return errorAt(request.files.program,
                     fmt::format("feed '{}' has {} LoD levels, the function has arguments for another number",
                                 name, count));
    }
    if (parsed && parsed->getContext() == &context)
      return std::move(parsed);
    return read(context);
  }

  bool dependsOnFeeds() const override { return false; }
  int64_t deviceCount() const override { return devices; }
  std::vector<std::string> savedVariables() const override { return saved; }
  Result<params::Tensors> readWeights() override { return params::readTensors(request.files, saved); }
  Result<import::Interface> declaredInterface(mlir::MLIRContext &) override {
    return errorAt(request.files.program, "an IR file has no declarations apart from its function");
  }
  std::optional<int> lodLevelOf(const std::string &) const override { return std::nullopt; }
  const std::vector<legacy::SharedStorage> &sharedParameters() const override { return none; }
  const legacy::Program *legacyProgram() const override { return nullptr; }

private:
  Module read(mlir::MLIRContext &context) const {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    Module module = readIr(context, request.text,
                           {request.files.program, request.function, request.feeds, request.fetches});
    if (module && request.fetchesAll)
      fetchAllValues(**module);
    return module;
  }

  ProgramRequest request;
  /// Taken by the first import into its context.
  mlir::OwningOpRef<mlir::ModuleOp> parsed;
  std::vector<std::string> saved;
  int64_t devices = 0;
  std::vector<legacy::SharedStorage> none;
};

} // namespace

std::string FeedFacts::key() const {
  std::string key;
  for (const auto &[name, count] : lodLevels)
    key += fmt::format("{}={};", name, count);
  for (const auto &[name, shape] : dims)
    key += describe(DType::Float32, shape) + name + ";";
  for (const auto &[name, elements] : sequences)
    for (const std::vector<int64_t> &shape : elements)
      key += describe(DType::Float32, shape) + "in" + name + ";";
  return key + describeValues(values) + describeValues(parameters) + (deferAll ? "deferred" : "");
}

bool replaceKnown(std::map<std::string, Tensor> &known, const std::string &name, const Tensor &value) {
  auto current = known.find(name);
  if (current == known.end() || describeValues({{name, value}}) == describeValues({*current}))
    return false;
  current->second = import::specializingParameters({{name, value}}).at(name);
  return true;
}

Result<std::unique_ptr<ProgramSource>> ProgramSource::open(mlir::MLIRContext &context,
                                                           ProgramRequest request) {
  const std::string &path = request.files.program;
  if (isIr(path, request.text))
    return IrSource::open(context, std::move(request));
  if (!request.function.empty())
    return errorAt(path,
                   "function '" + request.function + "' is requested, but the program is not an IR file");
  return PaddleSource::open(std::move(request));
}

Result<std::unique_ptr<ProgramSource>> ProgramSource::of(translator::SourceProgram program,
                                                         ProgramRequest request) {
  return PaddleSource::of(std::move(program), std::move(request));
}

void reportIgnoredMesh(const ProgramSource &source, const std::string &path,
                       const std::function<void(const Diagnostic &)> &onDiagnostic) {
  int64_t devices = source.deviceCount();
  if (devices <= 1 || !onDiagnostic)
    return;
  Diagnostic warning;
  warning.severity = Diagnostic::Severity::Warning;
  warning.location = path;
  warning.message =
      fmt::format("its meshes of {0} devices and its shardings are ignored: one device runs the whole "
                  "program; expected mpirun -n {0}, or simulated ranks (--simulate-mesh)",
                  devices);
  warning.code = "ignored-mesh";
  onDiagnostic(warning);
}

} // namespace proa
