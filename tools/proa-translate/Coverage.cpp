#include "tools/proa-translate/Coverage.h"

#include "dialects/pd/Pd.h"
#include "lib/support/Files.h"
#include "translator/import/LegacyTable.h"

#include "mlir/IR/MLIRContext.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace proa::tools {
namespace {

void describe(mlir::RegisteredOperationName name, OpCoverage &row) {
  bool decomposes = name.hasInterface<pd::DecomposableOpInterface>();
  if (name.hasInterface<pd::ScalarOpInterface>() || name.hasInterface<pd::ReductionOpInterface>() ||
      name.hasInterface<pd::MovementOpInterface>())
    row.cpu = "compiled";
  else if (name.hasInterface<pd::LibraryOpInterface>())
    row.cpu = "library";
  else if (decomposes || name.hasTrait<mlir::OpTrait::ConstantLike>())
    row.cpu = decomposes ? "decomposition" : "compiled";
  if (name.hasInterface<pd::VjpOpInterface>())
    row.gradient = "rule";
  else if (decomposes)
    row.gradient = "decomposition";
}

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
    OpCoverage row{entry.type, entry.target, "none", "none", entry.elements, 0};
    if (auto name = mlir::RegisteredOperationName::lookup(entry.target, &context))
      describe(*name, row);
    rows[entry.type] = row;
  }
  for (const auto &entry : import::structuralOps()) {
    std::string type = entry.getKey().str();
    rows[type] = {type, entry.getValue(), "compiled", import::isImported(type + "_grad") ? "rule" : "none", "any", 0};
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
  int64_t imported = 0, executed = 0, differentiated = 0;
  std::string table;
  for (const OpCoverage &row : rows) {
    imported += !row.op.empty();
    executed += row.cpu != "none";
    differentiated += row.gradient != "none";
    table += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", row.legacy,
                         row.op.empty() ? "" : "`" + row.op + "`", row.op.empty() ? "no" : "yes", row.cpu, row.gradient,
                         row.elements, row.cases);
  }
  return fmt::format("# Legacy ops\n\n"
                     "Made by `proa-translate --coverage --format=markdown`.\n"
                     "{} legacy op types are imported (their `_grad` ops not counted), {} run on the CPU, {} have a gradient.\n\n"
                     "- CPU: `compiled` to a kernel of its own, a `library` kernel of the runtime, or by its `decomposition`\n"
                     "- gradient: a `rule` on the record, or through the `decomposition`\n"
                     "- dtypes: the element types of the first operand\n"
                     "- cases: programs of the test corpus that hold the op\n\n"
                     "| legacy op | pd op | import | CPU | gradient | dtypes | cases |\n"
                     "|---|---|---|---|---|---|---|\n{}",
                     imported, executed, differentiated, table);
}

std::string coverageTable(const std::vector<OpCoverage> &rows) {
  std::string text = fmt::format("{:<40} {:<36} {:<14} {:<14} {:>5}  {}\n", "legacy op", "pd op", "CPU", "gradient", "cases",
                                 "dtypes");
  for (const OpCoverage &row : rows)
    text += fmt::format("{:<40} {:<36} {:<14} {:<14} {:>5}  {}\n", row.legacy, row.op.empty() ? "not imported" : row.op,
                        row.cpu, row.gradient, row.cases, row.elements);
  return text;
}

std::string coverageJson(const std::vector<OpCoverage> &rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const OpCoverage &row : rows)
    list.push_back({{"legacy", row.legacy},
                    {"op", row.op},
                    {"import", !row.op.empty()},
                    {"cpu", row.cpu},
                    {"gradient", row.gradient},
                    {"dtypes", row.elements},
                    {"cases", row.cases}});
  return list.dump(1) + "\n";
}

} // namespace proa::tools
