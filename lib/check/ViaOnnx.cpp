#include "lib/check/ViaOnnx.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/compiler/program/OnnxForm.h"
#include "translator/export/onnx/ComplexPairs.h"
#include "translator/export/onnx/OnnxExport.h"
#include "translator/import/Import.h"
#include "translator/onnx/WriteModel.h"
#include "translator/params/ModelFolder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdlib>
#include <filesystem>
#include <set>

namespace proa::check {
namespace {

namespace fs = std::filesystem;

/// A folder in another one that is removed with its files.
class RequestFolder {
public:
  explicit RequestFolder(const std::string &parent) {
    std::string pattern = parent + "/case-XXXXXX";
    if (::mkdtemp(pattern.data()))
      path = pattern;
  }
  ~RequestFolder() {
    std::error_code ignored;
    if (!path.empty())
      fs::remove_all(path, ignored);
  }
  std::string path; ///< empty: it cannot be created
};

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

Result<Module> importFor(mlir::MLIRContext &context, const translator::SourceProgram &program,
                         import::ImportOptions options, const Tensors &feeds) {
  bool feedsMayHelp = false;
  options.feedsMayHelp = &feedsMayHelp;
  Result<Module> module = import::importProgram(context, program, options);
  if (module || !feedsMayHelp)
    return module;
  for (const auto &[name, tensor] : import::withLods(feeds))
    options.feedDims[name] = tensor.dims();
  options.feedValues = import::specializingFeeds(feeds);
  return import::importProgram(context, program, options);
}

/// Sets the LoDs from outputs that are their levels: "x@LOD0", "x@LOD1". An output that would have the name
/// of an input ends with "@OUT".
std::vector<NamedTensor> takeLods(const Tensors &outputs) {
  static const std::string changed = "@OUT";
  auto levelOf = [&](const std::string &name) {
    auto found = outputs.find(name + changed);
    return found == outputs.end() ? outputs.find(name) : found;
  };
  std::vector<NamedTensor> taken;
  for (const auto &[output, tensor] : outputs) {
    if (output.find("@LOD") != std::string::npos)
      continue;
    std::string name = output.ends_with(changed) ? output.substr(0, output.size() - changed.size()) : output;
    Lod lod;
    for (size_t level = 0;; ++level) {
      auto offsets = levelOf(import::lodName(name, level));
      if (offsets == outputs.end() || offsets->second.dtype() != DType::Int64)
        break;
      const auto *begin = offsets->second.as<int64_t>();
      lod.emplace_back(begin, begin + offsets->second.size());
    }
    taken.push_back({name, tensor});
    taken.back().tensor.setLod(std::move(lod));
  }
  return taken;
}

/// The fetches of complex numbers, which are pairs of real ones in ONNX.
std::set<std::string> complexFetches(mlir::ModuleOp module) {
  std::set<std::string> names;
  module.walk([&](mlir::func::FuncOp function) {
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      auto name = function.getResultAttrOfType<mlir::StringAttr>(i, pd::fetchAttribute);
      auto type = mlir::dyn_cast<mlir::RankedTensorType>(function.getResultTypes()[i]);
      if (name && type && mlir::isa<mlir::ComplexType>(type.getElementType()))
        names.insert(name.str());
    }
  });
  return names;
}

/// Complex numbers from pairs of real ones along the last dimension.
Tensor fromPairs(const Tensor &pairs) {
  std::vector<int64_t> dims = pairs.dims();
  dims.pop_back();
  auto owner = std::make_shared<Tensor>(pairs);
  return {pairs.dtype() == DType::Float32 ? DType::Complex64 : DType::Complex128, std::move(dims),
          owner->data(), owner};
}

/// Writes the program as ONNX to `path`; the stage that failed with its errors, if any. `inPairs` gets the
/// fetches of complex numbers.
std::optional<ViaOnnxRun> writeModel(const std::string &model, const CaseMeta &meta, const Tensors &feeds,
                                     const ViaOnnxOptions &options, const std::string &path,
                                     std::set<std::string> &inPairs) {
  Result<params::ModelFolder> source = params::readModelFolder(model);
  if (!source)
    return ViaOnnxRun{Stage::Read, source.diagnostics()};
  options.onStage(Stage::Import);
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  import::ImportOptions importOptions;
  importOptions.source = source->files.program;
  importOptions.feeds = meta.feeds;
  importOptions.fetches = meta.fetches;
  importOptions.onDiagnostic = options.onDiagnostic;
  for (const auto &[name, tensor] : feeds)
    importOptions.lodLevels[name] = static_cast<int>(tensor.lod().size());
  Result<Module> module = importFor(context, source->program, importOptions, feeds);
  if (!module)
    return ViaOnnxRun{Stage::Import, module.diagnostics()};
  options.onStage(Stage::Export);
  inPairs = complexFetches(**module);
  if (mlir::failed(formForOnnx(**module, options.opset)))
    return ViaOnnxRun{Stage::Export, errorAt(model, "cannot be canonicalized")};
  exporter::OnnxExportOptions exportOptions;
  exportOptions.opset = options.opset;
  exportOptions.parameter = [&](const std::string &name) {
    auto found = source->parameters.find(name);
    return found == source->parameters.end() ? nullptr : &found->second;
  };
  Result<onnx::Model> exported = exporter::exportOnnx(**module, exportOptions);
  if (!exported)
    return ViaOnnxRun{Stage::Export, exported.diagnostics()};
  if (Result<void> written = onnx::writeModel(*exported, path); !written)
    return ViaOnnxRun{Stage::Export, written.diagnostics()};
  return std::nullopt;
}

} // namespace

ViaOnnxRun runViaOnnx(const std::string &model, const CaseMeta &meta, const Tensors &feeds,
                      const OnnxRunner &runner, const ViaOnnxOptions &options) {
  RequestFolder folder(runner.getFolder());
  if (folder.path.empty())
    return {Stage::Export, errorAt(runner.getFolder(), "cannot create a folder")};
  std::string path = folder.path + "/model.onnx";
  std::set<std::string> inPairs;
  if (std::optional<ViaOnnxRun> failed = writeModel(model, meta, feeds, options, path, inPairs))
    return *failed;
  options.onStage(Stage::Run);
  Tensors inputs = import::withLods(feeds);
  for (auto &[name, tensor] : inputs)
    tensor = exporter::asPairs(tensor);
  OnnxRunner::Answer answer = runner.run(path, inputs);
  if (!answer.outputs)
    return {answer.stage, answer.outputs.diagnostics()};
  for (auto &[name, tensor] : *answer.outputs)
    if (inPairs.contains(name))
      tensor = fromPairs(tensor);
  return {Stage::Run, takeLods(*answer.outputs)};
}

} // namespace proa::check
