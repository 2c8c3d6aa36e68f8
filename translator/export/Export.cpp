#include "translator/export/Export.h"

#include "dialects/pd/Infer.h"
#include "translator/export/ExportOp.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace proa::exporter {
namespace {

/// Paddle 2.6.2 writes this number.
constexpr int64_t programVersion = 2006002;

class ProgramExporter : Names {
public:
  explicit ProgramExporter(func::FuncOp main) : main(main) {}

  Result<legacy::Program> run() {
    program.version = programVersion;
    block().parent = -1;
    addHolder("feed", legacy::VariableKind::FeedMinibatch);
    addHolder("fetch", legacy::VariableKind::FetchList);
    nameResults();
    for (BlockArgument argument : main.getArguments())
      addArgument(argument);
    for (Operation &op : main.getBody().front())
      if (!op.hasTrait<OpTrait::IsTerminator>())
        addOp(op);
    addFetches();
    if (!problems.empty())
      return problems;
    return program;
  }

private:
  legacy::Block &block() {
    if (program.blocks.empty())
      program.blocks.emplace_back();
    return program.blocks.front();
  }

  void addHolder(const char *name, legacy::VariableKind kind) {
    legacy::Variable variable;
    variable.name = name;
    variable.kind = kind;
    variable.persistable = true;
    taken.insert(name);
    block().variables.push_back(variable);
  }

  StringAttr roleOf(BlockArgument argument, const char *role) {
    return main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), role);
  }

  /// Fetched values are called what they are fetched as, where an op makes them and nothing else has the name.
  void nameResults() {
    for (BlockArgument argument : main.getArguments())
      for (const char *role : {"pd.feed", "pd.param"})
        if (StringAttr name = roleOf(argument, role))
          taken.insert(name.getValue());
    Operation *terminator = main.getBody().front().getTerminator();
    for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
      if (auto name = main.getResultAttrOfType<StringAttr>(i, "pd.fetch");
          name && isa<OpResult>(value) && !names.count(value) && taken.insert(name.getValue()).second)
        names[value] = name.str();
  }

  void bind(Value value, const std::string &name) override { names[value] = name; }

  std::string of(Value value) override {
    std::string &name = names[value];
    if (!name.empty())
      return name;
    // The variable that the program was imported from, if it is still free.
    if (auto location = value.getLoc()->findInstanceOf<NameLoc>(); location && taken.insert(location.getName()).second)
      name = location.getName().str();
    while (name.empty())
      if (std::string next = "tmp_" + std::to_string(counter++); taken.insert(next).second)
        name = next;
    return name;
  }

  void declare(Value value, const std::string &name, bool persistable, bool fed) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    auto dtype = type ? pd::dtypeOf(type.getElementType()) : std::nullopt;
    if (!dtype)
      return problems.add("variable '" + name + "'", "is no tensor of an element type that legacy programs have");
    if (!declared.insert(name).second)
      return;
    legacy::Variable variable;
    variable.name = name;
    variable.dtype = dtype;
    for (int64_t dim : type.getShape())
      variable.dims.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
    variable.persistable = persistable;
    variable.isParameter = persistable;
    variable.needCheckFeed = fed;
    block().variables.push_back(std::move(variable));
  }

  void addArgument(BlockArgument argument) {
    StringAttr feed = roleOf(argument, "pd.feed"), parameter = roleOf(argument, "pd.param");
    if (!feed && !parameter)
      return problems.add("argument " + std::to_string(argument.getArgNumber()) + " of main",
                          "expected the attribute pd.feed or pd.param");
    std::string name = (feed ? feed : parameter).str();
    names[argument] = name;
    declare(argument, name, /*persistable=*/!feed, /*fed=*/static_cast<bool>(feed));
    if (!feed)
      return;
    legacy::Operation op;
    op.type = "feed";
    op.inputs.push_back({"X", {"feed"}});
    op.outputs.push_back({"Out", {name}});
    op.attributes.push_back({"col", static_cast<int32_t>(feeds++)});
    block().operations.push_back(std::move(op));
  }

  void addOp(Operation &op) {
    // A cast only says more or less of the type of the same value.
    if (auto cast = dyn_cast<tensor::CastOp>(op)) {
      names[cast.getResult()] = of(cast.getSource());
      return;
    }
    Result<legacy::Operation> exported = exportOp(&op, *this);
    if (!exported) {
      for (const Problem &found : exported.problems())
        problems.add(op.getName().getStringRef().str() + (op.getNumResults() ? " -> " + of(op.getResult(0)) : ""),
                     found.message);
      return;
    }
    for (Value result : op.getResults())
      declare(result, of(result), false, false);
    for (const legacy::Slot &slot : exported->outputs)
      if (slot.name == "XShape")
        declare(op.getOperand(0), slot.arguments.front(), false, false);
    block().operations.push_back(std::move(*exported));
  }

  legacy::Operation assign(const std::string &from, const std::string &to) {
    legacy::Operation op;
    op.type = "assign";
    op.inputs.push_back({"X", {from}});
    op.outputs.push_back({"Out", {to}});
    return op;
  }

  void addFetches() {
    Operation *terminator = main.getBody().front().getTerminator();
    int32_t column = 0;
    for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
      auto fetch = main.getResultAttrOfType<StringAttr>(i, "pd.fetch");
      auto state = main.getResultAttrOfType<StringAttr>(i, "pd.state");
      std::string name = of(value);
      if (state && name != state.getValue())
        block().operations.push_back(assign(name, state.str()));
      if (!fetch)
        continue;
      if (name != fetch.getValue() && taken.insert(fetch.getValue()).second) {
        declare(value, fetch.str(), false, false);
        block().operations.push_back(assign(name, fetch.str()));
        name = fetch.str();
      }
      legacy::Operation op;
      op.type = "fetch";
      op.inputs.push_back({"X", {name}});
      op.outputs.push_back({"Out", {"fetch"}});
      op.attributes.push_back({"col", column++});
      block().operations.push_back(std::move(op));
    }
  }

  func::FuncOp main;
  legacy::Program program;
  Problems problems;
  llvm::DenseMap<Value, std::string> names;
  /// Names in use, and those of them that a variable is declared for.
  llvm::StringSet<> taken, declared;
  int64_t counter = 0;
  int32_t feeds = 0;
};

} // namespace

Result<legacy::Program> exportProgram(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal() || !main.getBody().hasOneBlock())
    return problem("", "the module has no function 'main' of one block");
  return ProgramExporter(main).run();
}

} // namespace proa::exporter
