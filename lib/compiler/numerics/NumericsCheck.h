/// Numerical check of passes: runs a program before and after each pass, and names the first pass that
/// changed its results.
#pragma once

#include "lib/base/tensors/Compare.h"
#include "lib/compiler/numerics/RewriteBisect.h"
#include "lib/compiler/numerics/Samples.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace proa::numerics {

struct NumericsCheckOptions {
  SampleOptions samples;
  /// Tolerance, relative to the expected element and absolute. Default: 1e-9 if all floats of the function
  /// are float64, 1e-4 if the narrowest are float32, else 2e-2.
  std::optional<double> tolerance;
  /// Searches a pass that changed results for the first rewrite that did (findFirstRewrite). Takes a copy of
  /// the module before each pass.
  bool bisects = false;
  /// Called before each run, which may take long.
  std::function<void(const std::string &what)> progress;
};

/// A pass that changed a result.
struct NumericsFinding {
  std::string pass, function, result; ///< result: the name of the fetch or state, else its index
  std::string reason;                 ///< how the result differs
  Rewrite rewrite;                    ///< with NumericsCheckOptions::bisects
};

/// Results of the checks of one or more pass managers.
struct NumericsReport {
  int64_t changed = 0;     ///< passes that changed the IR
  int64_t unchanged = 0;   ///< passes after which no run was needed
  int64_t comparisons = 0; ///< runs compared with initial results
  bool differs = false;
  std::vector<NumericsFinding> findings;
  std::string text() const;
};

/// Checks the public functions of the module (all functions, if none is public) that have one block and only
/// tensors as arguments and results. Each is run on samples of inputs (samplesOf) by the reference evaluator,
/// or compiled if the evaluator cannot run it (fused library calls). A difference is an error that names the
/// pass, the result and the first element; the function is not checked further. A function that is new, has
/// another signature or cannot be run is named in a remark, and compared from the first run on.
///
/// The context of the pass manager must run one thread.
class NumericsCheck : public mlir::PassInstrumentation {
public:
  NumericsCheck(NumericsCheckOptions options, NumericsReport &report)
      : options(std::move(options)), report(report) {}
  ~NumericsCheck() override;

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;

private:
  /// A sample, and the initial results for it; nullopt until the function can be run.
  struct Run {
    Sample sample;
    std::optional<std::vector<Tensor>> results;
  };
  /// Initial results of a function.
  struct Expected {
    std::vector<Run> runs;
    bool isChecked = true;
    double tolerance = 0;
    std::string whyNot; ///< text of the last remark
  };

  static bool hasSignatureOf(const Expected &expected, mlir::func::FuncOp function);
  void checkAll(mlir::ModuleOp module, llvm::StringRef pass);
  void record(mlir::func::FuncOp function, llvm::StringRef pass);
  void compareWith(mlir::func::FuncOp function, Expected &expected, llvm::StringRef pass);
  Comparison compareResult(const Expected &expected, const Run &run, const Tensor &got, size_t result) const;
  /// Whether a function of this name computes other results than at first.
  bool isWrong(mlir::ModuleOp module, const std::string &function);
  /// Adds the rewrite that changed the results to a finding, and reports it.
  void bisect(NumericsFinding &finding);
  /// Reports differences; false if there are any.
  bool compareRun(mlir::func::FuncOp function, Expected &expected, const Run &run,
                  const std::vector<Tensor> &results, llvm::StringRef pass);
  void remark(mlir::func::FuncOp function, Expected &expected, const std::string &why);
  Result<std::vector<Tensor>> run(mlir::func::FuncOp function, const std::vector<Tensor> &arguments);

  NumericsCheckOptions options;
  NumericsReport &report;
  std::map<std::string, Expected> functions;
  std::optional<PassRun> current;                 ///< the pass that runs, with NumericsCheckOptions::bisects
  std::optional<mlir::OperationFingerPrint> seen; ///< state of the module after the last check
};

} // namespace proa::numerics
