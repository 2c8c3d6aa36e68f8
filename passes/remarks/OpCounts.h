/// Numbers of ops that each pass adds and removes: statistics of all passes, without code in them.
#pragma once

#include "mlir/Pass/PassInstrumentation.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace proa {

/// Sums over the runs of each pass.
class OpCountTable {
public:
  using ByName = std::map<std::string, int64_t>;

  void add(const std::string &pass, const ByName &before, const ByName &after);
  /// A row for each pass in the order of their first runs: the number of ops before and after, and the ops of
  /// which there are more or fewer, the largest differences first.
  std::string text() const;

private:
  struct Row {
    std::string pass;
    int64_t before = 0, after = 0;
    ByName differences;
  };
  mutable std::mutex mutex; ///< passes run on several functions at once
  std::vector<Row> rows;
};

/// Counts ops before and after each pass. Nested pipelines count as their passes.
class OpCounts : public mlir::PassInstrumentation {
public:
  /// `table` must outlive the pass manager.
  explicit OpCounts(OpCountTable &table) : table(table) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override;

private:
  OpCountTable &table;
  std::mutex mutex;
  std::map<std::pair<mlir::Pass *, mlir::Operation *>, OpCountTable::ByName> running;
};

} // namespace proa
