#include "tools/proa-translate/Coverage.h"

#include "dialects/pd/autodiff/ArrayGradient.h"
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/autodiff/LinearOps.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/reference/Arrays.h"
#include "dialects/pd/reference/Reference.h"
#include "dialects/pd/sharding/ShardingRule.h"
#include "lib/support/Files.h"
#include "translator/import/LegacyTable.h"

#include "mlir/IR/MLIRContext.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace proa::tools {
namespace {

/// An op without operands, to ask the tables of transforms about its kind.
class Specimen {
public:
  explicit Specimen(mlir::RegisteredOperationName name) {
    mlir::MLIRContext *context = name.getContext();
    mlir::Builder builder(context);
    mlir::OperationState state(mlir::UnknownLoc::get(context), name);
    // Some ops are linear under one value of an attribute only; they count as linear.
    auto set = [&](llvm::StringRef attribute, mlir::Attribute value) {
      if (llvm::is_contained(name.getAttributeNames(), attribute))
        state.addAttribute(attribute, value);
    };
    set("pooling_type", builder.getStringAttr("avg"));
    set("reduce", builder.getStringAttr("add"));
    set("pad_value", builder.getF64FloatAttr(0));
    op = mlir::Operation::create(state);
  }
  Specimen(const Specimen &) = delete;
  ~Specimen() { op->destroy(); }

  bool isOnArrays() const { return pd::isOnArrays(op); }
  bool isLinear() const { return pd::linearGroups(op).has_value(); }
  bool hasReferenceKernel() const {
    return pd::ReferenceKernels::get().find(op) != nullptr ||
           pd::ReferenceKernels::get().findRandom(op) != nullptr ||
           pd::ArrayComputations::get().find(op->getName()) != nullptr;
  }
  llvm::StringRef shardingSource() const { return pd::shardingSource(op); }
  bool hasBatchingRule() const { return pd::BatchingRules::get().find(op) != nullptr; }

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
                                            : "one by one";
}

void describe(mlir::RegisteredOperationName name, OpCoverage &row) {
  bool decomposes = name.hasInterface<pd::DecomposableOpInterface>();
  bool isPrimitive = name.hasInterface<pd::ScalarOpInterface>() ||
                     name.hasInterface<pd::ReductionOpInterface>() ||
                     name.hasInterface<pd::MovementOpInterface>();
  if (isPrimitive)
    row.cpu = "compiled";
  else if (name.hasInterface<pd::LibraryOpInterface>())
    row.cpu = "library";
  else if (decomposes || name.hasTrait<mlir::OpTrait::ConstantLike>())
    row.cpu = decomposes ? "decomposition" : "compiled";
  describeDerivatives(name, row);
  row.isDecomposed = decomposes;
  if (isPrimitive || Specimen(name).hasReferenceKernel() || name.hasInterface<pd::EvaluatableOpInterface>() ||
      name.hasTrait<mlir::OpTrait::ConstantLike>())
    row.evaluator = "yes";
  else if (decomposes)
    row.evaluator = "decomposition";
}

/// A legacy op that becomes several ops at import: the transforms see those.
void describeFormula(OpCoverage &row) {
  row.isDecomposed = true;
  row.cpu = row.gradient = row.forward = row.batching = row.sharding = row.evaluator = "formula";
}

struct Total {
  const char *what;
  int64_t count;
};

std::vector<Total> totalsOf(const std::vector<OpCoverage> &rows) {
  auto count = [&](auto holds) {
    return static_cast<int64_t>(std::count_if(rows.begin(), rows.end(), holds));
  };
  return {{"imported", count([](const OpCoverage &row) { return !row.op.empty(); })},
          {"run on the CPU", count([](const OpCoverage &row) { return row.cpu != "none"; })},
          {"with a decomposition", count([](const OpCoverage &row) { return row.isDecomposed; })},
          {"with reverse mode", count([](const OpCoverage &row) { return row.gradient != "none"; })},
          {"of these by a rule", count([](const OpCoverage &row) { return row.gradient == "rule"; })},
          {"composites with a rule of their own (override)",
           count([](const OpCoverage &row) { return row.isOverridden; })},
          {"with forward mode (jvp)", count([](const OpCoverage &row) { return row.forward != "none"; })},
          {"linear, with a transposition", count([](const OpCoverage &row) { return row.isTransposed; })},
          {"batched other than one by one", count([](const OpCoverage &row) {
             return row.batching != "none" && row.batching != "one by one";
           })},
          {"with a sharding rule, or a decomposition that it follows from",
           count([](const OpCoverage &row) { return row.sharding != "none"; })},
          {"run by the reference evaluator",
           count([](const OpCoverage &row) { return row.evaluator != "none"; })},
          {"in a program of the corpus", count([](const OpCoverage &row) { return row.cases > 0; })}};
}

const char *yesNo(bool value) { return value ? "yes" : ""; }

} // namespace

Result<std::map<std::string, int64_t>> countCases(const std::string &directory) {
  std::map<std::string, int64_t> cases;
  std::error_code error;
  std::filesystem::recursive_directory_iterator walk(directory, error), end;
  if (error)
    return problem(directory, "cannot be read: " + error.message());
  for (; walk != end; walk.increment(error)) {
    if (walk->path().filename() != "meta.json")
      continue;
    Result<std::string> text = readFile(walk->path().string());
    if (!text)
      return text.problems();
    auto meta = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
    if (!meta.is_object() || !meta.contains("op_histogram"))
      continue;
    // Ops of the new IR are spelled "1.abs"; they are no legacy ops.
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
    row.evaluator = "yes";
    row.elements = "any";
    // Of the ops of control flow: they have rules in each transform, or none.
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
    table += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                         row.legacy, row.op.empty() || row.op == "formula" ? row.op : "`" + row.op + "`",
                         row.op.empty() ? "no" : "yes", row.cpu, yesNo(row.isDecomposed), row.gradient,
                         yesNo(row.isOverridden), row.forward, yesNo(row.isTransposed), row.batching,
                         row.sharding, row.evaluator, row.elements, row.cases);
  return fmt::format(
      "# Legacy ops\n\n"
      "Made by `proa-translate --coverage --format=markdown`. Gradient ops (`_grad`) are not counted.\n\n"
      "| legacy op types | |\n|---|---|\n{}\n"
      "- `formula`: the legacy op becomes several pd ops, on which all transforms work\n"
      "- CPU: `compiled` to a kernel of its own, a `library` kernel of the runtime, or by its "
      "`decomposition`\n"
      "- gradient (reverse mode): a `rule` on the record, or through the `decomposition`; override: a "
      "composite that has a rule all the same\n"
      "- jvp (forward mode): the op is `linear`, or has a `diagonal` Jacobian; `reverse` mode through its "
      "rule; or the `decomposition`\n"
      "- transpose: linear, at least under some attributes, and its reverse-mode rule is the transposed op\n"
      "- batching: a `rule`, as an `elementwise` op, through the `decomposition`, or `one by one`\n"
      "- sharding: the rule by which it is split over devices is on the `record`, in a `table`, follows from "
      "an "
      "`interface` (elementwise, reduction, movement) or from the `decomposition`\n"
      "- evaluator: whether the reference evaluator runs the op itself or its decomposition\n"
      "- dtypes: the element types of the first operand\n"
      "- cases: programs of the test corpus that hold the op\n\n"
      "| legacy op | pd op | import | CPU | decomposition | gradient | override | jvp | transpose | batching "
      "| sharding | evaluator | dtypes | cases |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n{}",
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
                    {"decomposition", row.isDecomposed},
                    {"gradient", row.gradient},
                    {"override", row.isOverridden},
                    {"jvp", row.forward},
                    {"transpose", row.isTransposed},
                    {"batching", row.batching},
                    {"sharding", row.sharding},
                    {"evaluator", row.evaluator},
                    {"dtypes", row.elements},
                    {"cases", row.cases}});
  return list.dump(1) + "\n";
}

} // namespace proa::tools
