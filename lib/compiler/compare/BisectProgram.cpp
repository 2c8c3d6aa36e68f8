#include "lib/compiler/compare/BisectProgram.h"

#include "lib/base/support/DiagnosticCollector.h"
#include "lib/compiler/compare/ProgramValues.h"
#include "lib/compiler/compile/Compile.h"

#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>

using namespace mlir;

namespace proa::comparison {
namespace {

PipelineOptions pipelineOf(const ModelOptions &options, const ProgramTarget &target) {
  PipelineOptions pipeline;
  pipeline.decompose = options.decompose;
  pipeline.memoryBudget = options.memoryBudget;
  pipeline.amp = options.amp;
  pipeline.offload = options.offload;
  pipeline.allowsAtomicSums = options.allowsAtomicSums;
  pipeline.passes = options.passes;
  pipeline.patterns = options.patterns;
  pipeline.target = target.kind;
  pipeline.device = target.device;
  return pipeline;
}

Result<void> runPasses(ModuleOp module, const CompareRequest &request, BisectReport &report) {
  ProgramTarget target;
  if (!request.options.target.empty()) {
    auto chosen = chooseTarget(request.options.target);
    if (!chosen)
      return chosen.diagnostics();
    target = *chosen;
  }
  numerics::NumericsCheckOptions checks;
  checks.samples.isSingle = true;
  checks.samples.inputs = import::withLods(request.feeds);
  checks.samples.inputs.insert(request.parameters.begin(), request.parameters.end());
  checks.tolerance = request.rtol;
  checks.bisects = true;
  if (request.options.progress)
    checks.progress = [&](const std::string &what) { request.options.progress(what, 0); };
  Diagnostics failures;
  ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      failures.add("", diagnostic.str());
    else if (diagnostic.str().find("is not compared") != std::string::npos)
      report.remarks.push_back(diagnostic.str());
    return success();
  });
  PassManager pm(module.getContext());
  buildCompilePipeline(pm, pipelineOf(request.options, target));
  pm.addInstrumentation(std::make_unique<numerics::NumericsCheck>(checks, report.checks));
  if (failed(pm.run(module)))
    return failures.empty() ? errorAt(request.path, "a pass failed") : failures;
  return {};
}

} // namespace

std::string BisectReport::text() const {
  const numerics::NumericsFinding *found = finding();
  std::string passes = checks.text();
  for (const std::string &remark : remarks)
    passes += "\nnote: " + remark;
  if (!found)
    return passes +
           "\nno pass up to the formation of kernels changes a result: a difference comes from the code of a "
           "kernel, or from a kernel of the runtime\n";
  return fmt::format("{}\nfirst pass that changes a result: {}{}\n  {}: {}\n  {}\n", passes, found->pass,
                     allValues ? " (with all values fetched)" : "", found->result, found->reason,
                     found->rewrite.text());
}

Result<BisectReport> bisectProgram(const CompareRequest &request) {
  BisectReport report;
  for (bool allValues : {false, true}) {
    auto program = ValueProgram::open(request.path, request.options, request.feeds, allValues);
    if (!program)
      return program.diagnostics();
    report = {};
    report.allValues = allValues;
    auto module = program->takeSpecialized();
    if (Result<void> ran = runPasses(*module, request, report); !ran)
      return ran.diagnostics();
    if (report.finding())
      break;
  }
  return report;
}

} // namespace proa::comparison
