#include "lib/compiler/compare/ProgramValues.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/SamplingInterface.h"
#include "lib/base/support/Files.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/compiler/planner/BuildPlan.h"

#include <algorithm>

using namespace mlir;

namespace proa::comparison {
namespace {

/// Collects the nearest values with a name before `value`.
class NamedOperands {
public:
  explicit NamedOperands(const llvm::DenseMap<Value, std::string> &names) : names(names) {}

  std::vector<std::string> of(Operation *op) {
    visit(op);
    return found;
  }

private:
  void visit(Operation *op) {
    if (!visited.insert(op).second)
      return;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (auto name = names.find(operand); name != names.end())
          std::ranges::find(found, name->second) == found.end() ? found.push_back(name->second) : void();
        else if (Operation *before = operand.getDefiningOp())
          visit(before);
    });
  }

  const llvm::DenseMap<Value, std::string> &names;
  llvm::SmallPtrSet<Operation *, 8> visited;
  std::vector<std::string> found;
};

StringAttr nameOfArgument(func::FuncOp main, unsigned argument) {
  auto feed = main.getArgAttrOfType<StringAttr>(argument, pd::feedAttribute);
  return feed ? feed : main.getArgAttrOfType<StringAttr>(argument, pd::parameterAttribute);
}

/// The name of a result that is a tensor of its own: not a level of a LoD, a sequence or a state.
StringAttr nameOfResult(func::FuncOp main, unsigned result) {
  if (main.getResultAttr(result, pd::lodOwnerAttribute) || main.getResultAttr(result, pd::sequenceAttribute))
    return {};
  return main.getResultAttrOfType<StringAttr>(result, pd::fetchAttribute);
}

} // namespace

Result<ValueProgram> ValueProgram::open(const std::string &path, const ModelOptions &options,
                                        const std::map<std::string, Tensor> &feeds, bool allValues) {
  auto files = params::findModel(path, options.parameters);
  if (!files)
    return files.diagnostics();
  auto text = readFile(files->program);
  if (!text)
    return text.diagnostics();
  DialectRegistry registry;
  registerAllDialects(registry);
  ValueProgram program;
  program.context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  program.context->printOpOnDiagnostic(false);
  ProgramRequest request{*files, std::move(*text), options.function, options.feeds, options.fetches, {}, {}};
  request.derivedGradients = options.derivedGradients;
  request.feedDims = options.feedDims;
  request.fetchesAll = allValues;
  auto source = ProgramSource::open(*program.context, std::move(request));
  if (!source)
    return source.diagnostics();
  auto weights = (*source)->readWeights();
  if (!weights)
    return weights.diagnostics();
  program.stored = std::move(*weights);
  auto imported = numerics::importReference(**source, *program.context, feeds, program.stored);
  if (!imported)
    return imported.diagnostics();
  program.imported = std::move(*imported);
  program.describeValues();
  return program;
}

void ValueProgram::describeValues() {
  auto function = imported.specialized->lookupSymbol<func::FuncOp>("main");
  Block &body = function.getBody().front();
  llvm::DenseMap<Value, std::string> names;
  llvm::DenseMap<Operation *, size_t> positions;
  for (BlockArgument argument : body.getArguments())
    if (StringAttr name = nameOfArgument(function, argument.getArgNumber()))
      names[argument] = name.str();
  for (Operation &op : body.without_terminator())
    positions[&op] = positions.size();
  OperandRange results = body.getTerminator()->getOperands();
  for (auto [i, value] : llvm::enumerate(results))
    if (StringAttr name = nameOfResult(function, static_cast<unsigned>(i)); name && value.getDefiningOp())
      names.try_emplace(value, name.str());
  std::multimap<size_t, ProgramValue> byPosition; // equal keys keep their order
  for (auto [i, value] : llvm::enumerate(results)) {
    StringAttr name = nameOfResult(function, static_cast<unsigned>(i));
    Operation *op = value.getDefiningOp();
    if (!name || !op || !isa<RankedTensorType>(value.getType()))
      continue;
    bool isSampled = false;
    op->walk([&](pd::SamplingOpInterface) { isSampled = true; });
    size_t position = positions[op];
    byPosition.emplace(position, ProgramValue{name.str(), op->getName().getStringRef().str(),
                                              planner::lineOf(op->getLoc()), position,
                                              NamedOperands(names).of(op), isSampled});
  }
  list.clear();
  for (auto &[position, value] : byPosition)
    list.push_back(std::move(value));
  ops = positions.size();
}

} // namespace proa::comparison
