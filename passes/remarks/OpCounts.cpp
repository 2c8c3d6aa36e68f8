#include "passes/remarks/OpCounts.h"

#include "mlir/IR/Operation.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace proa {
namespace {

OpCountTable::ByName countOps(Operation *root) {
  OpCountTable::ByName counts;
  root->walk([&](Operation *op) { ++counts[op->getName().getStringRef().str()]; });
  return counts;
}

int64_t sumOf(const OpCountTable::ByName &counts) {
  int64_t sum = 0;
  for (const auto &[name, count] : counts)
    sum += count;
  return sum;
}

} // namespace

void OpCountTable::add(const std::string &pass, const ByName &before, const ByName &after) {
  std::lock_guard lock(mutex);
  auto row = llvm::find_if(rows, [&](const Row &other) { return other.pass == pass; });
  if (row == rows.end())
    row = rows.insert(rows.end(), Row{pass, 0, 0, {}});
  row->before += sumOf(before);
  row->after += sumOf(after);
  for (const auto &[name, count] : before)
    row->differences[name] -= count;
  for (const auto &[name, count] : after)
    row->differences[name] += count;
}

std::string OpCountTable::text() const {
  std::lock_guard lock(mutex);
  std::string text = "pass                           ops before   after  differences\n";
  for (const Row &row : rows) {
    std::vector<std::pair<std::string, int64_t>> sorted;
    llvm::copy_if(row.differences, std::back_inserter(sorted),
                  [](const auto &entry) { return entry.second != 0; });
    llvm::stable_sort(sorted,
                      [](const auto &a, const auto &b) { return std::abs(a.second) > std::abs(b.second); });
    std::string differences;
    for (const auto &[name, difference] : sorted)
      differences += llvm::formatv("{0}{1} {2}{3}", differences.empty() ? "" : ", ", name,
                                   difference > 0 ? "+" : "", difference);
    text += llvm::formatv("{0,-30} {1,10} {2,7}  {3}\n", row.pass, row.before, row.after, differences);
  }
  return text;
}

void OpCounts::runBeforePass(Pass *pass, Operation *op) {
  if (pass->getArgument().empty())
    return; // the pass that runs a nested pipeline
  OpCountTable::ByName counts = countOps(op);
  std::lock_guard lock(mutex);
  running[{pass, op}] = std::move(counts);
}

void OpCounts::runAfterPass(Pass *pass, Operation *op) {
  if (pass->getArgument().empty())
    return;
  OpCountTable::ByName after = countOps(op);
  std::lock_guard lock(mutex);
  auto before = running.extract({pass, op});
  if (before)
    table.add(pass->getArgument().str(), before.mapped(), after);
}

void OpCounts::runAfterPassFailed(Pass *pass, Operation *op) {
  std::lock_guard lock(mutex);
  running.erase({pass, op});
}

} // namespace proa
