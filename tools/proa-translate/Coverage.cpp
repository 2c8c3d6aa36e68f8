#include "tools/proa-translate/Coverage.h"

#include "dialects/pd/ir/ArrayReference.h"
#include "dialects/pd/ir/ArrayVjp.h"
#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/ElementInterface.h"
#include "dialects/pd/ir/LibraryTransforms.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/sharding/ShardingRule.h"
#include "lib/base/support/Files.h"
#include "lib/runtime/cuda/Libraries.h"
#include "lib/runtime/plan/Library.h"
#include "translator/import/legacy/LegacyTable.h"
#include "translator/import/onnx/OnnxTable.h"

#include "mlir/IR/MLIRContext.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace proa::tools {
namespace {

/// An op without operands, for queries by op class.
class Specimen {
public:
  explicit Specimen(mlir::RegisteredOperationName name) {
    op = mlir::Operation::create(mlir::OperationState(mlir::UnknownLoc::get(name.getContext()), name));
  }
  Specimen(const Specimen &) = delete;
  ~Specimen() { op->destroy(); }

  bool isOnArrays() const { return llvm::isa<pd::ArrayVjpOpInterface>(op); }
  /// Some ops are linear under one value of an attribute only; they count as linear.
  bool isLinear() const { return llvm::isa<pd::LinearOpInterface>(op); }
  bool hasReferenceKernel() const {
    return llvm::isa<pd::ReferenceOpInterface, pd::ArrayReferenceOpInterface>(op);
  }
  llvm::StringRef shardingSource() const { return pd::shardingSource(op); }
  /// Whether kernels for the GPU multiply matrices of the op.
  bool isProduct() const {
    return llvm::isa<pd::ContractionOpInterface>(op) && cudaLibrary() == cuda::cublasLt;
  }
  /// The library of CUDA that the op's record names; may be empty.
  std::string cudaLibrary() const {
    auto library = llvm::dyn_cast<pd::LibraryOpInterface>(op);
    auto *entry = library ? runtime::findLibraryKernel(library.getLibraryKernel().str()) : nullptr;
    return entry ? entry->cudaLibrary : "";
  }
  bool hasBatchingRule() const { return llvm::isa<pd::BatchableOpInterface>(op); }

private:
  mlir::Operation *op;
};

void describeDerivatives(mlir::RegisteredOperationName name, OpCoverage &row) {
  bool decomposes = name.hasInterface<pd::DecomposableOpInterface>(),
       hasRule = name.hasInterface<pd::VjpOpInterface>();
  bool isElementwise = name.hasInterface<pd::ScalarOpInterface>() || name.hasTrait<pd::ElementwiseTrait>();
  Specimen specimen(name);
  bool isDifferentiated = hasRule || specimen.isOnArrays();
  row.gradient = isDifferentiated ? "rule" : decomposes ? "decomposition" : "none";
  if (specimen.isLinear())
    row.forward = "linear";
  else if (hasRule)
    row.forward = isElementwise ? "diagonal" : "reverse";
  else if (decomposes)
    row.forward = "decomposition";
  row.isTransposed = specimen.isLinear() && hasRule;
  row.isOverridden = hasRule && decomposes;
  row.sharding = specimen.shardingSource();
  row.batching = specimen.hasBatchingRule() ? "rule"
                 : isElementwise            ? "elementwise"
                 : decomposes               ? "decomposition"
                                            : "unbatched";
  if (const pd::LibraryTransforms *stated = pd::libraryTransformsOf(name.getStringRef())) {
    if (!isDifferentiated)
      row.gradient = row.forward = stated->derivative;
    row.batching = stated->batching;
    row.sharding = stated->sharding == llvm::StringRef("replicated") ? "replicated" : row.sharding;
  }
}

/// Where an op runs on a CUDA device. `cpu` is its column of the CPU.
std::string placeOnCuda(mlir::RegisteredOperationName name, const std::string &cpu) {
  Specimen specimen(name);
  bool isGenerated = cpu == "compiled" || specimen.isProduct() || name.hasInterface<pd::ElementOpInterface>();
  std::string library = specimen.cudaLibrary();
  if (!library.empty())
    return (isGenerated ? "generated, library (" : "library (") + library + ")";
  return isGenerated ? "generated" : cpu == "library" ? "host" : cpu;
}

/// How an op is written as ONNX.
std::string onnxOf(mlir::RegisteredOperationName name) {
  llvm::ArrayRef<const import::OnnxOp *> entries = import::onnxOpsOf(name.getStringRef());
  if (!entries.empty())
    return entries.front()->type.empty() ? "several" : entries.front()->type.str();
  return name.hasInterface<pd::DecomposableOpInterface>() ? "decomposition" : "none";
}

void describe(mlir::RegisteredOperationName name, OpCoverage &row) {
  row.onnx = onnxOf(name);
  bool decomposes = name.hasInterface<pd::DecomposableOpInterface>();
  bool isCompiled = name.hasInterface<pd::ScalarOpInterface>() ||
                    name.hasInterface<pd::ReductionOpInterface>() ||
                    name.hasInterface<pd::IndexingMapOpInterface>();
  if (isCompiled)
    row.cpu = "compiled";
  else if (name.hasInterface<pd::LibraryOpInterface>())
    row.cpu = "library";
  else if (decomposes || name.hasTrait<mlir::OpTrait::ConstantLike>())
    row.cpu = decomposes ? "decomposition" : "compiled";
  row.cuda = placeOnCuda(name, row.cpu);
  describeDerivatives(name, row);
  row.isDecomposed = decomposes;
  if (isCompiled || Specimen(name).hasReferenceKernel() || name.hasInterface<pd::EvaluatableOpInterface>() ||
      name.hasTrait<mlir::OpTrait::ConstantLike>())
    row.evaluator = "yes";
  else if (decomposes)
    row.evaluator = "decomposition";
}

/// A legacy op that becomes several ops at import: the transforms see those.
void describeFormula(OpCoverage &row) {
  row.isDecomposed = true;
  row.cpu = row.cuda = row.gradient = row.forward = row.batching = row.sharding = row.evaluator = row.onnx =
      "formula";
}

struct Total {
  const char *what;
  int64_t count;
};

std::vector<Total> totalsOf(const std::vector<OpCoverage> &rows) {
  auto count = [&](auto holds) {
    return static_cast<int64_t>(std::count_if(rows.begin(), rows.end(), holds));
  };
  return {
      {"imported", count([](const OpCoverage &row) { return !row.op.empty(); })},
      {"run on the CPU", count([](const OpCoverage &row) { return row.cpu != "none"; })},
      {"run on a CUDA device by a generated kernel or a library", count([](const OpCoverage &row) {
         return row.cuda.find("generated") != std::string::npos ||
                row.cuda.find("library") != std::string::npos;
       })},
      {"run on a CUDA device by a decomposition or a formula",
       count([](const OpCoverage &row) { return row.cuda == "decomposition" || row.cuda == "formula"; })},
      {"run on the host beside a CUDA device",
       count([](const OpCoverage &row) { return row.cuda == "host"; })},
      {"with a decomposition", count([](const OpCoverage &row) { return row.isDecomposed; })},
      {"with reverse mode",
       count([](const OpCoverage &row) { return row.gradient != "none" && row.gradient != "zero"; })},
      {"of these by a rule", count([](const OpCoverage &row) { return row.gradient == "rule"; })},
      {"composites with a rule (override)", count([](const OpCoverage &row) { return row.isOverridden; })},
      {"with forward mode (jvp)",
       count([](const OpCoverage &row) { return row.forward != "none" && row.forward != "zero"; })},
      {"linear, with a transposition", count([](const OpCoverage &row) { return row.isTransposed; })},
      {"batched", count([](const OpCoverage &row) {
         return row.batching == "rule" || row.batching == "elementwise" || row.batching == "decomposition" ||
                row.batching == "formula";
       })},
      {"with a sharding rule, or a decomposition that it follows from",
       count([](const OpCoverage &row) { return row.sharding != "none" && row.sharding != "replicated"; })},
      {"run by the reference evaluator",
       count([](const OpCoverage &row) { return row.evaluator != "none"; })},
      {"written as ONNX", count([](const OpCoverage &row) { return row.onnx != "none"; })},
      {"in a program of the corpus", count([](const OpCoverage &row) { return row.cases > 0; })}};
}

const char *yesNo(bool value) { return value ? "yes" : ""; }

} // namespace

Result<std::map<std::string, int64_t>> countCases(const std::string &directory) {
  std::map<std::string, int64_t> cases;
  std::error_code error;
  std::filesystem::recursive_directory_iterator walk(directory, error), end;
  if (error)
    return errorAt(directory, "cannot be read: " + error.message());
  for (; walk != end; walk.increment(error)) {
    if (walk->path().filename() != "meta.json")
      continue;
    Result<std::string> text = readFile(walk->path().string());
    if (!text)
      return text.diagnostics();
    auto meta = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
    if (!meta.is_object() || !meta.contains("op_histogram"))
      continue;
    // Ops of the new IR are listed as "1.abs"; they are not legacy ops.
    for (auto &[type, count] : meta["op_histogram"].items())
      if (type.find('.') == std::string::npos)
        ++cases[type];
  }
  return cases;
}

std::vector<OpCoverage> coverageOfOps(const std::map<std::string, int64_t> &cases) {
  mlir::MLIRContext context;
  context.loadDialect<pd::PdDialect>();
  std::map<std::string, OpCoverage> rows;
  for (const import::LegacyOp &entry : import::legacyOps()) {
    OpCoverage row;
    row.legacy = entry.type;
    row.op = entry.isFormula() ? "formula" : entry.target;
    row.elements = entry.elements;
    if (entry.isFormula())
      describeFormula(row);
    else if (auto name = mlir::RegisteredOperationName::lookup(entry.target, &context))
      describe(*name, row);
    rows.try_emplace(entry.type.str(), row); // the first of a type's entries
  }
  for (const auto &entry : import::structuralOps()) {
    std::string type = entry.getKey().str();
    OpCoverage &row = rows[type];
    row.legacy = type;
    row.op = entry.getValue();
    row.cpu = "compiled";
    row.cuda = "host";
    row.evaluator = "yes";
    row.onnx = "several";
    row.elements = "any";
    // Ops of control flow: each transform has a rule for them, or none.
    if (import::isImported(type + "_grad"))
      row.gradient = row.forward = row.batching = "rule";
  }
  for (auto &[type, count] : cases) {
    if (!import::isImported(type))
      rows[type].legacy = type;
    if (auto row = rows.find(type); row != rows.end())
      row->second.cases = count;
  }
  std::vector<OpCoverage> list;
  for (auto &[type, row] : rows)
    list.push_back(row);
  return list;
}

std::string coverageMarkdown(const std::vector<OpCoverage> &rows) {
  std::string table, totals;
  for (const Total &total : totalsOf(rows))
    totals += fmt::format("| {} | {} |\n", total.what, total.count);
  for (const OpCoverage &row : rows)
    table +=
        fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                    row.legacy, row.op.empty() || row.op == "formula" ? row.op : "`" + row.op + "`",
                    row.op.empty() ? "no" : "yes", row.cpu, row.cuda, yesNo(row.isDecomposed), row.gradient,
                    yesNo(row.isOverridden), row.forward, yesNo(row.isTransposed), row.batching, row.sharding,
                    row.evaluator, row.onnx, row.elements, row.cases);
  return fmt::format(
      "# Legacy ops\n\n"
      "Generated by `proa-translate --coverage --format=markdown`. Gradient ops (`_grad`) are not "
      "counted.\n\n"
      "| legacy op types | |\n|---|---|\n{}\n"
      "- `formula`: the legacy op becomes several pd ops, on which all transforms work\n"
      "- CPU: `compiled` to a kernel, a `library` kernel of the runtime, or by its `decomposition`\n"
      "- CUDA: a `generated` kernel, a `library` of CUDA, by its `decomposition`, or on the `host`, with "
      "copies that the "
      "plan shows. Control flow decides on the host. What a library lacks (types, attributes) runs on the "
      "host\n"
      "- gradient (reverse mode): a `rule` on the record, or through the `decomposition`; `zero`, because no "
      "operand or no result holds floats; `none`: an error; override: a composite with a rule\n"
      "- jvp (forward mode): the op is `linear`, or has a `diagonal` Jacobian; `reverse` mode through its "
      "rule; or the `decomposition`\n"
      "- transpose: linear, at least for some attributes, so that its reverse-mode rule is its "
      "transposition\n"
      "- batching: a `rule`, as an `elementwise` op, through the `decomposition`, `unbatched` (one example "
      "at "
      "a time), or `refused` (an error)\n"
      "- sharding: the sharding rule is on the `record` or in `code` of its family, or follows from an "
      "`interface` "
      "(elementwise, reduction, data movement) or from the `decomposition`; `replicated`: each device "
      "computes the whole op\n"
      "- evaluator: whether the reference evaluator runs the op itself or its decomposition\n"
      "- ONNX: the op that an export writes; `several` nodes; the `decomposition`; `none`: an error\n"
      "- dtypes: the element types of the first operand\n"
      "- cases: programs of the test corpus that use the op\n\n"
      "| legacy op | pd op | import | CPU | CUDA | decomposition | gradient | override | jvp | transpose | "
      "batching "
      "| sharding | evaluator | ONNX | dtypes | cases |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n{}",
      totals, table);
}

std::string coverageTable(const std::vector<OpCoverage> &rows) {
  std::string text;
  for (const Total &total : totalsOf(rows))
    text += fmt::format("{:>5}  {}\n", total.count, total.what);
  text += fmt::format("\n{:<40} {:<36} {:<14} {:<14} {:<14} {:<14} {:<14} {:>5}  {}\n", "legacy op", "pd op",
                      "CPU", "gradient", "jvp", "batching", "evaluator", "cases", "dtypes");
  for (const OpCoverage &row : rows)
    text += fmt::format("{:<40} {:<36} {:<14} {:<14} {:<14} {:<14} {:<14} {:>5}  {}\n", row.legacy,
                        row.op.empty() ? "not imported" : row.op, row.cpu, row.gradient, row.forward,
                        row.batching, row.evaluator, row.cases, row.elements);
  return text;
}

std::string coverageJson(const std::vector<OpCoverage> &rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const OpCoverage &row : rows)
    list.push_back({{"legacy", row.legacy},
                    {"op", row.op},
                    {"import", !row.op.empty()},
                    {"cpu", row.cpu},
                    {"cuda", row.cuda},
                    {"decomposition", row.isDecomposed},
                    {"gradient", row.gradient},
                    {"override", row.isOverridden},
                    {"jvp", row.forward},
                    {"transpose", row.isTransposed},
                    {"batching", row.batching},
                    {"sharding", row.sharding},
                    {"evaluator", row.evaluator},
                    {"onnx", row.onnx},
                    {"dtypes", row.elements},
                    {"cases", row.cases}});
  return list.dump(1) + "\n";
}

} // namespace proa::tools
