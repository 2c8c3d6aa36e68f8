/// The function of an imported program: its arguments (feeds, parameters, levels of LoDs) and its results
/// (fetches, new values of parameters).
#pragma once

#include "translator/import/Import.h"
#include "translator/import/common/Arguments.h"
#include "translator/import/legacy/interface/Subgraph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <string>
#include <vector>

namespace proa::import {

class ProgramImporter;

class FunctionInterface {
public:
  explicit FunctionInterface(ProgramImporter &program) : program(program) {}

  /// Finds the variables that enter and leave the function.
  void find();
  /// The interface by the declarations of the program. Error: variables that are not tensors.
  Result<Interface> declared();
  /// Warns if only a subgraph of the program is imported and persistable variables keep their values.
  void warnOfDroppedStates();
  /// Creates the function, moves the insertion point into it and defines the variables of its arguments.
  void createFunction();
  /// To be called after an op of block 0: fed variables that the op writes keep the fed values.
  void restoreCutFeeds(const legacy::Operation &op);
  /// Ends the function with its results.
  void finish();
  /// The names of the values that ImportOptions::fetchesAll adds.
  std::vector<std::string> computedVariables();

  /// The tensor type that the program declares for a variable; null, and a report, if it declares none.
  mlir::RankedTensorType typeOf(const std::string &name, const std::string &where);
  /// The parameter that a value is before any op changes it; null for other values.
  const legacy::Variable *parameterOf(mlir::Value value) const;

  /// The subgraph of the program that is imported.
  Subgraph subgraph;
  std::vector<std::string> feeds, fetches;
  /// Persistable variables that the program writes.
  std::vector<std::string> states;
  /// Attributes of the function's arguments, which are set at the end.
  std::vector<Argument> arguments;
  mlir::func::FuncOp function;
  /// Types of feeds instead of the declared ones. The import adds feeds whose declaration is wrong; then the
  /// program must be imported again.
  std::map<std::string, mlir::RankedTensorType> feedTypes;

private:
  void findFeedsAndFetches();
  void keepComputedFetches();
  std::vector<Argument> declareArguments();
  mlir::RankedTensorType typeOf(const legacy::Variable &variable, const std::string &where);
  mlir::RankedTensorType typeOf(const Argument &argument);
  /// The value that the program is imported for; null if it is not known.
  const Tensor *knownValue(const Argument &argument) const;
  void keepStoredShape(const std::string &name, mlir::Value value);

  ProgramImporter &program;
  /// Whether `fetches` are unreadValues(), because the program has no fetch op and none is requested.
  bool fetchesUnread = false;
  /// Persistable variables that the program reads before it writes them.
  std::vector<const legacy::Variable *> parameters;
};

} // namespace proa::import
