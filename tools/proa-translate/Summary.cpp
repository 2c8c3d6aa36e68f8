#include "tools/proa-translate/Summary.h"

#include "translator/import/legacy/LegacyTable.h"
#include "translator/import/newir/NewIrImporter.h"
#include "translator/import/onnx/OnnxImporter.h"
#include "translator/onnx/Parameters.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace proa::tools {
namespace {

/// Feed and fetch ops are the interface of the program.
bool isInterface(const legacy::Operation &op) {
  return op.type == "feed" || op.type == "fetch" || op.type == "fetch_v2";
}

/// "1.matmul" is `matmul` of the dialect pd_op.
std::string typeOf(const newir::Operation &op) {
  constexpr std::string_view dialect = "1.";
  return op.name.starts_with(dialect) ? op.name.substr(dialect.size()) : op.name;
}

/// The ops of a program in the new IR.
void countNewIr(const std::vector<newir::Operation> &operations, ProgramSummary &summary,
                std::map<std::string, int64_t> &counts) {
  for (const newir::Operation &op : operations) {
    std::string type = typeOf(op);
    if (type != "data" && type != "fetch") {
      ++summary.operations;
      ++counts[type];
    }
    for (const std::vector<newir::Block> &region : op.regions)
      for (const newir::Block &block : region) {
        ++summary.blocks;
        countNewIr(block.operations, summary, counts);
      }
  }
}

/// Number of elements of a dense tensor with static dims.
std::optional<int64_t> elementsOf(const legacy::Variable &variable) {
  if (variable.kind != legacy::VariableKind::DenseTensor || !variable.dtype)
    return std::nullopt;
  return elementCount(variable.dims);
}

void countTensor(bool isPersistable, std::optional<DType> dtype, const std::vector<int64_t> &dims,
                 ProgramSummary &summary) {
  std::optional<int64_t> elements = dtype ? elementCount(dims) : std::nullopt;
  int64_t bytes = elements ? *elements * static_cast<int64_t>(sizeOf(*dtype)) : 0;
  if (isPersistable) {
    ++summary.parameters;
    summary.parameterElements += elements.value_or(0);
    summary.parameterBytes += bytes;
  } else if (elements) {
    ++summary.activations;
    summary.activationBytes += bytes;
  }
}

std::string bytesText(int64_t bytes) {
  const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, unit == 0 ? 0 : 1, units[unit]);
}

/// "1.8 G".
std::string amountText(int64_t amount) {
  const char *units[] = {"", " k", " M", " G", " T", " P"};
  double value = static_cast<double>(amount);
  size_t unit = 0;
  while (value >= 1000 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f}{}", value, unit == 0 ? 0 : 1, units[unit]);
}

} // namespace

/// The ops and variables of a legacy program.
static void countLegacy(const legacy::Program &program, ProgramSummary &summary,
                        std::map<std::string, int64_t> &counts) {
  for (const legacy::Block &block : program.blocks) {
    ++summary.blocks;
    for (const legacy::Operation &op : block.operations) {
      if (isInterface(op))
        continue;
      ++summary.operations;
      ++counts[op.type];
    }
    for (const legacy::Variable &variable : block.variables)
      if (variable.kind == legacy::VariableKind::DenseTensor)
        countTensor(variable.persistable, variable.dtype, variable.dims, summary);
  }
}

/// The graph and those in it.
static void countOnnx(const onnx::Graph &graph, ProgramSummary &summary,
                      std::map<std::string, int64_t> &counts) {
  ++summary.blocks;
  for (const onnx::Node &node : graph.nodes) {
    ++summary.operations;
    std::string domain(onnx::canonicalDomain(node.domain));
    ++counts[domain.empty() ? node.type : domain + "." + node.type];
    for (const onnx::Attribute &attribute : node.attributes)
      for (const onnx::Graph &inner : attribute.graphs())
        countOnnx(inner, summary, counts);
  }
}

static void countOnnx(const onnx::Model &model, ProgramSummary &summary,
                      std::map<std::string, int64_t> &counts) {
  countOnnx(model.graph, summary, counts);
  onnx::Parameters parameters(model);
  for (const onnx::Parameter &parameter : parameters.all())
    countTensor(true, onnx::storageOf(parameter.value->type), parameter.value->dims, summary);
}

static bool isKnown(const translator::SourceProgram &program, const std::string &type) {
  if (const onnx::Model *model = program.onnx()) {
    auto [domain, name] = llvm::StringRef(type).rsplit('.');
    if (name.empty())
      std::swap(domain, name);
    return import::isKnownInOnnx(domain, name,
                                 onnx::opsetOf(model->opsetImports, std::string_view(domain)).value_or(1));
  }
  if (program.newIr())
    return import::isKnownInNewIr(type.find('.') == std::string::npos ? "1." + type : type);
  return import::isImported(type);
}

ProgramSummary summarize(const translator::SourceProgram &program) {
  ProgramSummary summary;
  std::map<std::string, int64_t> counts;
  if (const onnx::Model *model = program.onnx()) {
    countOnnx(*model, summary, counts);
  } else if (const newir::Model *model = program.newIr()) {
    summary.blocks = 1;
    for (const newir::Parameter &parameter : model->parameters)
      countTensor(parameter.isPersistable, parameter.value.type.dtype, parameter.value.type.dims, summary);
    countNewIr(model->operations, summary, counts);
  } else {
    countLegacy(*program.legacy(), summary, counts);
  }
  for (auto &[type, count] : counts)
    summary.types.push_back({type, count, isKnown(program, type), 0});
  std::sort(summary.types.begin(), summary.types.end(), [](const OpSummary &a, const OpSummary &b) {
    return a.count != b.count ? a.count > b.count : a.type < b.type;
  });
  return summary;
}

namespace {

using OpCounts = std::map<std::string, int64_t>;

void addTo(OpCounts &sums, const std::string &type, const OpCounts &byName, const std::string &name) {
  if (auto found = byName.find(name); found != byName.end())
    sums[type] += found->second;
}

/// Imported ops have the path of their legacy op as their name.
void addNewIrFlops(const std::vector<newir::Operation> &operations, const FlopCount &count, OpCounts &byType,
                   OpCounts &uncountedByType) {
  for (const newir::Operation &op : operations) {
    addTo(byType, typeOf(op), count.byOutput, op.path);
    addTo(uncountedByType, typeOf(op), count.unknownByOutput, op.path);
    for (const std::vector<newir::Block> &region : op.regions)
      for (const newir::Block &block : region)
        addNewIrFlops(block.operations, count, byType, uncountedByType);
  }
}

/// Imported ops have the name of the first output of their node.
void addOnnxFlops(const onnx::Graph &graph, const FlopCount &count, OpCounts &byType,
                  OpCounts &uncountedByType) {
  for (const onnx::Node &node : graph.nodes) {
    if (node.outputs.empty())
      continue;
    addTo(byType, node.type, count.byOutput, node.outputs.front());
    addTo(uncountedByType, node.type, count.unknownByOutput, node.outputs.front());
    for (const onnx::Attribute &attribute : node.attributes)
      for (const onnx::Graph &inner : attribute.graphs())
        addOnnxFlops(inner, count, byType, uncountedByType);
  }
}

} // namespace

/// Adds the counts of each op by its first output, and the bytes of variables whose dims the import inferred.
static void addLegacyFlops(const legacy::Program &program, const FlopCount &count, ProgramSummary &summary,
                           OpCounts &byType, OpCounts &uncountedByType) {
  for (const legacy::Block &block : program.blocks) {
    for (const legacy::Operation &op : block.operations)
      for (const legacy::Slot &slot : op.outputs)
        if (!slot.arguments.empty()) {
          addTo(byType, op.type, count.byOutput, slot.arguments.front());
          addTo(uncountedByType, op.type, count.unknownByOutput, slot.arguments.front());
          break;
        }
    for (const legacy::Variable &variable : block.variables)
      if (auto known = count.bytes.find(variable.name);
          known != count.bytes.end() && !variable.persistable && !elementsOf(variable)) {
        ++summary.activations;
        summary.activationBytes += known->second;
      }
  }
}

void addFlops(ProgramSummary &summary, const translator::SourceProgram &program, const FlopCount &count) {
  OpCounts byType, uncountedByType;
  if (const newir::Model *model = program.newIr())
    addNewIrFlops(model->operations, count, byType, uncountedByType);
  else if (const onnx::Model *model = program.onnx())
    addOnnxFlops(model->graph, count, byType, uncountedByType);
  else
    addLegacyFlops(*program.legacy(), count, summary, byType, uncountedByType);
  for (OpSummary &op : summary.types) {
    op.flops = byType[op.type];
    op.uncounted = uncountedByType[op.type];
  }
  summary.flops = count.total;
  summary.uncounted = count.unknown;
}

/// "561.2 k  92.1 %"; without a share if the total is unknown.
static std::string flopsText(const OpSummary &op, const ProgramSummary &summary) {
  if (op.uncounted > 0)
    return fmt::format(" {:>12}", "?");
  std::string text = fmt::format(" {:>12}", amountText(op.flops));
  if (summary.uncounted > 0)
    return text;
  return text + fmt::format(" {:>5.1f} %",
                            100.0 * static_cast<double>(op.flops) / static_cast<double>(*summary.flops));
}

std::string summaryText(const ProgramSummary &summary) {
  std::string text = fmt::format("{:<32} {:>8} {:>12} {:>7}\n", "op", "count", "flops", "share");
  int64_t unsupported = 0;
  // An op that is not counted makes the total unknown.
  bool isShared = std::any_of(summary.types.begin(), summary.types.end(),
                              [](const OpSummary &op) { return op.flops > 0; });
  for (const OpSummary &op : summary.types) {
    text += fmt::format("{:<32} {:>8}", op.type, op.count);
    if (isShared)
      text += flopsText(op, summary);
    text += op.supported ? "\n" : "  not supported\n";
    unsupported += !op.supported;
  }
  text += fmt::format("\n{} ops of {} types in {} blocks, {} types not supported\n", summary.operations,
                      summary.types.size(), summary.blocks, unsupported);
  text += fmt::format("{} parameters with {} elements, {}\n", summary.parameters, summary.parameterElements,
                      bytesText(summary.parameterBytes));
  text += fmt::format("{} activations of known size, {} together\n", summary.activations,
                      bytesText(summary.activationBytes));
  if (summary.flops && (*summary.flops > 0 || summary.uncounted == 0))
    text += fmt::format("{}{} operations in one run\n", summary.uncounted > 0 ? "at least " : "",
                        amountText(*summary.flops));
  if (summary.uncounted > 0)
    text += fmt::format("not counted: {} ops of the imported program with dynamic dims; set them by --dims\n",
                        summary.uncounted);
  return text;
}

std::string summaryJson(const ProgramSummary &summary) {
  nlohmann::json types = nlohmann::json::array();
  for (const OpSummary &op : summary.types)
    types.push_back({{"type", op.type},
                     {"count", op.count},
                     {"supported", op.supported},
                     {"flops", op.flops},
                     {"uncounted_ops", op.uncounted}});
  nlohmann::json value{{"blocks", summary.blocks},
                       {"ops", summary.operations},
                       {"types", types},
                       {"parameters", summary.parameters},
                       {"parameter_elements", summary.parameterElements},
                       {"parameter_bytes", summary.parameterBytes},
                       {"activations", summary.activations},
                       {"activation_bytes", summary.activationBytes},
                       {"uncounted_ops", summary.uncounted}};
  if (summary.flops)
    value["flops"] = *summary.flops;
  return value.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace proa::tools
