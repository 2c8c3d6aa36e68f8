#include "lib/compiler/compile/RemarkReporter.h"

#include "lib/compiler/planner/BuildPlan.h"
#include "passes/remarks/Remarks.h"

using namespace mlir;

namespace proa {

WarningReporter::WarningReporter(MLIRContext *context, const CompileOptions &options)
    : handler(context, [report = options.onRemark](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Warning)
          return failure();
        proa::Diagnostic warning;
        warning.severity = proa::Diagnostic::Severity::Warning;
        warning.message = diagnostic.str();
        warning.code = "strategy";
        if (report)
          report(warning);
        return success();
      }) {}

RemarkReporter::RemarkReporter(MLIRContext *context, const CompileOptions &options) : context(context) {
  std::string ignored; // Model::open and compileLibrary call checkRemarks
  if (options.remarks.empty() || !options.onRemark ||
      failed(enableRemarks(*context, options.remarks, ignored)))
    return;
  handler.emplace(context, [report = options.onRemark](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Remark)
      return failure();
    proa::Diagnostic remark;
    remark.severity = proa::Diagnostic::Severity::Remark;
    remark.message = diagnostic.str();
    remark.code = remark.message.substr(0, remark.message.find(": "));
    remark.file = planner::lineOf(diagnostic.getLocation());
    remark.locate();
    report(remark);
    return success();
  });
}

RemarkReporter::~RemarkReporter() {
  if (handler)
    context->setRemarkEngine(nullptr);
}

} // namespace proa
