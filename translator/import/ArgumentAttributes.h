/// The attributes that say what the arguments of a function are.
#pragma once

#include "translator/import/ThreadedContext.h"
#include "translator/legacy/Program.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <atomic>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace proa::import {

/// What a run is fed or a parameter ("pd.feed", "pd.param"), or a level of the LoD of what it is fed.
struct Argument {
  std::string name;
  const char *role;
  std::string lodOwner;
  const legacy::Variable *parameter = nullptr;
};

/// Makes the attributes of a function's arguments. Attributes of names are slow to make, and nothing of most
/// ops depends on them: a second thread makes those of many arguments, while the first one makes the ops.
class ArgumentAttributes {
public:
  /// `mayShare`: whether the importer itself makes few attributes. Two threads that make many of them wait
  /// for each other longer than one of them takes for all.
  ArgumentAttributes(mlir::MLIRContext &context, std::vector<Argument> arguments, bool mayShare);
  ~ArgumentAttributes();

  const std::vector<Argument> &arguments() const { return list; }
  /// All of them.
  const std::vector<mlir::DictionaryAttr> &finish();

private:
  void makeSome();

  mlir::MLIRContext &context;
  std::vector<Argument> list;
  std::vector<mlir::DictionaryAttr> made;
  std::atomic<size_t> next = 0;
  std::optional<ThreadedContext> threaded;
  std::future<void> other;
};

} // namespace proa::import
