/// Remarks: what a pass did with an op, or why it left the op unchanged.
///
/// Remarks are MLIR's (mlir/IR/Remarks.h). Their category is the pass's argument, as in "pd-form-kernels".
/// Nothing is computed or printed unless the context has a remark engine (enableRemarks, or proa-opt
/// --remarks).
#pragma once

#include "proa/Result.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace proa {

using InFlightRemark = mlir::remark::detail::InFlightRemark;

/// Numbers of remarks: statistics of passes that do not need a build of LLVM with statistics.
class RemarkCounts {
public:
  void add(const mlir::remark::detail::Remark &remark);
  /// A table with one row for each pass with remarks, by name.
  std::string table() const;

private:
  struct Counts {
    size_t changed = 0, unchanged = 0, notes = 0;
  };
  mutable std::mutex mutex; ///< passes run on several functions at once
  std::map<std::string, Counts> byPass;
};

/// Prints the remarks of the passes whose argument matches `passes`, a regular expression for the whole
/// argument, as diagnostics of severity "remark" at the ops' locations. With `counts`, which must outlive the
/// context, counts the remarks of all passes too. Failure, with the reason in `error`, for a malformed
/// regular expression.
llvm::LogicalResult enableRemarks(mlir::MLIRContext &context, llvm::StringRef passes, std::string &error,
                                  RemarkCounts *counts = nullptr);

/// The names of the passes in a textual pipeline, each once.
std::vector<std::string> passNamesOf(llvm::StringRef pipeline);

/// Checks a regular expression for enableRemarks. Error, at `where`: it is malformed, or it matches none of
/// `names`.
Result<void> checkRemarkedPasses(const std::string &passes, const std::vector<std::string> &names,
                                 const std::string &where);

/// A remark that is being written. A build with debug output (docs/build.md) prints it for
/// `--debug-only=PASS` too.
class PassRemark {
public:
  /// `remark` may be empty.
  PassRemark(InFlightRemark remark, llvm::StringRef pass, mlir::Operation *op);
  PassRemark(const PassRemark &) = delete;
  ~PassRemark();

  template <class T> PassRemark &operator<<(const T &value) {
    remark << value;
    if (debugged)
      llvm::raw_string_ostream(text) << value;
    return *this;
  }

private:
  InFlightRemark remark;
  llvm::StringRef pass;
  mlir::Operation *debugged = nullptr; ///< the op, if debug output is on
  std::string text;
};

/// The remarks of one pass. A remark is one sentence, written with <<:
///
///     remarks.missed(op) << "pd.exp is not part of a kernel: " << reason;
class PassRemarks {
public:
  /// `pass` is the pass's argument; it must outlive the context.
  explicit PassRemarks(llvm::StringRef pass) : pass(pass) {}

  /// Whether remarks of any pass are printed. Compute reasons only then if they cost time.
  static bool areEnabled(mlir::MLIRContext *context) {
    return context->getRemarkEngine() != nullptr || isDebugging();
  }

  /// The pass changed the op.
  PassRemark done(mlir::Operation *op) const;
  /// The pass could have changed the op but did not.
  PassRemark missed(mlir::Operation *op) const;
  /// A figure or a choice.
  PassRemark analysis(mlir::Operation *op) const;

  llvm::StringRef passArgument() const { return pass; }

private:
  using Create = InFlightRemark (*)(mlir::Location, mlir::remark::RemarkOpts);
  PassRemark start(mlir::Operation *op, Create create) const;
  /// Whether the debug output of some pass is on.
  static bool isDebugging();

  llvm::StringRef pass;
};

/// Applies the patterns greedily in program order, without folding, and erases dead ops. Reports as remarks
/// why a pattern did not match.
llvm::LogicalResult applyPatternsInOrder(mlir::Operation *root, mlir::RewritePatternSet &&patterns,
                                         PassRemarks remarks);

/// Applies the patterns to each op inside of `root` once, in program order, without folding. A pattern
/// may erase only the op that it matches. Ops that patterns create are not visited. Reports as remarks why a
/// pattern did not match.
void applyPatternsOnce(mlir::Operation *root, mlir::RewritePatternSet &&patterns, PassRemarks remarks);

/// Listener that turns `notifyMatchFailure` of patterns into remarks. A pattern may fail on an op several
/// times; the last reason of each op that still exists at the end is reported.
class MatchFailureRemarks : public mlir::RewriterBase::Listener {
public:
  explicit MatchFailureRemarks(PassRemarks remarks) : remarks(remarks) {}

  /// Reports the collected reasons. Call it when the pattern driver is done.
  void report();

  void notifyPatternBegin(const mlir::Pattern &pattern, mlir::Operation *op) override;
  void notifyMatchFailure(mlir::Location location,
                          llvm::function_ref<void(mlir::Diagnostic &)> reason) override;
  void notifyOperationErased(mlir::Operation *op) override;

private:
  PassRemarks remarks;
  mlir::Operation *current = nullptr;
  llvm::MapVector<mlir::Operation *, std::string> reasons;
};

} // namespace proa
