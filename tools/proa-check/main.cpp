// proa-check: runs the programs of case folders and compares their outputs with the expected ones.
#include "lib/base/spmd/Strategy.h"
#include "lib/base/support/Cores.h"
#include "lib/base/support/Files.h"
#include "lib/base/support/ThreadLimit.h"
#include "lib/check/CheckCase.h"
#include "tools/common/CommandLine.h"
#include "tools/common/Interrupt.h"
#include "tools/common/ProgressBar.h"
#include "tools/common/Target.h"
#include "tools/common/Training.h"
#include "tools/proa-check/KnownFailures.h"
#include "tools/proa-check/Pool.h"
#include "tools/proa-check/Ranks.h"
#include "tools/proa-check/Report.h"
#include "translator/export/onnx/OnnxExport.h"
#include "translator/onnx/Schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

using namespace proa;
using namespace proa::tools;

namespace {

/// Python and the script for --via=onnx, in the source tree.
const check::OnnxRunnerCommand onnxRunner{PROA_ONNX_PYTHON, PROA_ONNX_PACKAGES, PROA_ONNX_RUNNER};

struct Options {
  std::vector<std::string> directories;
  Selection selection;
  PoolOptions pool;
  check::CheckOptions check;
  double timeoutSeconds = 60;
  size_t reasons = 30;
  std::string json, junit;
  std::string recompute; ///< empty: no recomputation
  AmpChoice amp;
  MeshChoice mesh;
  OffloadChoice offload;
  std::string known, updateKnown;
  std::string via; ///< "onnx" or empty
  bool verbose = false;
  bool list = false;
  bool isMain = true; ///< one process of a mesh prints and writes files
};

/// Options that select cases and their number of processes.
void declareSelection(CommandLine &line, Options &options) {
  line.add_option("directories", options.directories,
                  "Case folders, or directories that contain case folders")
      ->required()
      ->type_name("DIR");
  line.add_option("--filter", options.selection.filter, "Only cases whose path matches")->type_name("REGEX");
  line.add_option("--ops-only", options.selection.onlyOps, "Only cases that use no other ops than these")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("OP,...");
  line.add_option("--with-op", options.selection.withOps, "Only cases that use one of these ops")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("OP,...");
  line.add_option("-j,--jobs", options.pool.jobs,
                  "Number of cases checked in parallel, each in its own process; 0: in this process, for "
                  "debuggers, and "
                  "always under mpirun with a mesh")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  line.add_option("--timeout", options.timeoutSeconds,
                  "Limit of the CPU time of a case, in seconds; the limit of real time is 20 times as long")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
  line.add_option("--threads", options.check.threads, "Number of threads of each run")
      ->check(CLI::Range(1, maxThreads))
      ->capture_default_str();
  line.add_option("--rtol", options.check.rtol, "Relative tolerance of all cases, instead of their own")
      ->check(CLI::Range(0.0, 1e6));
  line.add_option("--atol", options.check.atol, "Absolute tolerance of all cases, instead of their own")
      ->check(CLI::Range(0.0, 1e6));
  line.add_option("--cache", options.check.cacheDirectory,
                  "Folder of the cache of compiled programs; 'off': no cache")
      ->check(checkName)
      ->type_name("DIR|off");
}

/// Options that select the mode of the check.
void declareModes(CommandLine &line, Options &options) {
  line.add_flag(
      "--reference", options.check.reference,
      "Runs programs by the reference evaluator instead of kernels; skips cases that it cannot run");
  line.add_flag("--dynamic-dims", options.check.dynamicDims,
                "Decomposes all ops with dynamic dims, and runs the result")
      ->needs("--reference");
  line.add_flag(
      "--sharding", options.check.sharding,
      "Runs each op in shards, split along each factor of its sharding rule, and compares with the whole op");
  line.add_option(
          "--mutants", options.check.mutants,
          "Number of random changes of each program (dims, dtypes, attributes), for which kernels are "
          "compared with the evaluator")
      ->check(CLI::Range(1, 1000000))
      ->type_name("COUNT");
  line.add_option("--seed", options.check.seed, "Seed of the random changes")
      ->check(checkSeed)
      ->capture_default_str();
  CLI::Option *via =
      line.add_option(
              "--via", options.via,
              "Exports programs to this format and runs them by its runtime: onnx, in ONNX Runtime, after a "
              "check by onnx.checker. Skips training cases")
          ->check(CLI::IsMember({"onnx"}))
          ->excludes("--reference")
          ->excludes("--sharding")
          ->excludes("--mutants");
  line.add_option("--opset", options.check.opset, "With --via=onnx: opset of the models")
      ->check(CLI::Range(exporter::oldestWrittenOpset, onnx::newestOpsetVersion))
      ->needs(via)
      ->type_name("N")
      ->capture_default_str();
  line.add_flag("--decompose", options.check.decompose,
                "Decomposes every composite op, also those with a kernel");
  line.add_flag(
      "--derive-gradients", options.check.deriveGradients,
      "Derives the gradients of training cases from their forward ops, instead of their gradient ops");
  line.add_flag(std::string("--recompute{") + cheapRecomputation + "}", options.recompute,
                "Recomputes values instead of keeping them, as in proa-run")
      ->check(checkMemoryBudget);
  // These modes run the program in their own ways.
  for (CLI::Option *option :
       {declareAmp(line, options.amp), declareCpu(line, options.check.cpu),
        declareNoOptimize(line, options.check.optimizesCode), declareTf32(line, options.check.allowsTf32),
        declareAtomicSums(line, options.check.allowsAtomicSums), declareTarget(line, options.check.target),
        declareSpecialization(line, options.check.specialization), declareMesh(line, options.mesh)})
    for (const char *mode : {"--reference", "--sharding", "--mutants", "--via"})
      option->excludes(line.get_option(mode));
  declareOffload(line, options.offload);
  line.add_option("--micro-batches", options.check.microBatches,
                  "Number of micro-batches for which gradients are computed one after the other")
      ->check(CLI::Range(1, 1000000))
      ->type_name("COUNT");
}

void declareReports(CommandLine &line, Options &options) {
  line.add_option("--reasons", options.reasons, "Maximum number of rows of the table of reasons")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  line.add_option(
          "--known-failures", options.known,
          "List of cases that fail, one 'case [modes]  # reason' per line. They count as skipped; a listed "
          "case that passes is an error")
      ->type_name("FILE");
  line.add_option("--update-known", options.updateKnown,
                  "Updates the list: adds and removes this mode of the checked cases, and keeps the reasons")
      ->type_name("FILE")
      ->excludes("--known-failures");
  line.add_option("--json", options.json, "Writes all results to this file")
      ->check(checkName)
      ->type_name("FILE");
  line.add_option("--junit", options.junit, "Writes all results as JUnit XML")
      ->check(checkName)
      ->type_name("FILE");
  line.add_flag("--list", options.list, "Prints the selected cases without checking them");
  line.add_flag("-v,--verbose", options.verbose,
                "Prints every case, every reason, and the output of failed cases");
}

/// The list named by --known-failures or --update-known; empty if it does not exist yet and will be written.
Result<KnownFailures> readKnownFailures(const Options &options) {
  if (!options.known.empty())
    return KnownFailures::read(options.known);
  if (!options.updateKnown.empty() && std::filesystem::exists(options.updateKnown))
    return KnownFailures::read(options.updateKnown);
  return KnownFailures();
}

/// Reports these errors, also in the file of --json.
int failWithReport(const Diagnostics &diagnostics, const Options &options) {
  if (!options.json.empty() && options.isMain)
    if (Result<void> written = writeFile(options.json, errorsJson(diagnostics)); !written)
      fail(written.diagnostics());
  return fail(diagnostics);
}

/// Checks the cases and prints failures as they occur.
class Session {
public:
  Session(std::vector<FoundCase> cases, const KnownFailures &known, const Options &options)
      : report{std::move(cases), {}}, known(known), options(options), mode(modeOf(options.check)) {
    report.outcomes.resize(report.cases.size());
    isFinished.resize(report.cases.size());
  }

  Report check() {
    std::optional<Interrupt> interrupt;
    if (!options.pool.combine) // the ranks of a mesh check each case together
      interrupt.emplace();
    checkAll(report.cases, options.pool,
             [&](size_t index, Outcome outcome) { take(index, std::move(outcome)); });
    if (interrupt && Interrupt::isRequested())
      keepFinished();
    return std::move(report);
  }

private:
  /// Removes the cases that an interruption left out.
  void keepFinished() {
    Report kept;
    for (size_t i = 0; i < report.cases.size(); ++i)
      if (isFinished[i]) {
        kept.cases.push_back(std::move(report.cases[i]));
        kept.outcomes.push_back(std::move(report.outcomes[i]));
      }
    kept.unfinished = report.cases.size() - kept.cases.size();
    report = std::move(kept);
  }

  void take(size_t index, Outcome outcome) {
    isFinished[index] = true;
    const FoundCase &found = report.cases[index];
    bool printsReason = options.verbose;
    if (!options.known.empty() && known.contains(found.folder, mode))
      expectFailure(found, outcome);
    else
      printsReason |= outcome.status == check::Status::Failed;
    if (options.isMain)
      print(found, outcome, printsReason || outcome.stage == unexpectedPass);
    report.outcomes[index] = std::move(outcome);
  }

  void print(const FoundCase &found, const Outcome &outcome, bool printsReason) {
    bar.clear();
    if (printsReason)
      fmt::print("{}", caseLine(found, outcome, options.verbose));
    std::fflush(stdout); // before a later case is forked, which would print it again
    ++done;
    failed += outcome.status == check::Status::Failed;
    bar.show(fmt::format("{} of {} cases, {} failed", done, report.cases.size(), failed),
             static_cast<double>(done) / static_cast<double>(report.cases.size()));
  }

  /// A listed case that fails counts as skipped. One that passes fails, to keep the list up to date.
  void expectFailure(const FoundCase &found, Outcome &outcome) {
    if (outcome.status == check::Status::Failed) {
      outcome.status = check::Status::Skipped;
    } else if (outcome.status == check::Status::Passed && !known.mayPass(found.folder, mode)) {
      outcome.status = check::Status::Failed;
      outcome.stage = unexpectedPass;
      outcome.diagnostics.add("", "unexpectedly passed in mode '" + mode + "'; " +
                                      known.removal(found.folder, mode, options.known));
    }
  }

  static constexpr const char *unexpectedPass = "known";

  Report report;
  std::vector<bool> isFinished; ///< of each case
  const KnownFailures &known;
  const Options &options;
  std::string mode;
  ProgressBar bar{std::chrono::milliseconds(0)};
  size_t done = 0, failed = 0;
};

Diagnostics writeReports(const Report &report, const Options &options) {
  Diagnostics diagnostics;
  auto write = [&](const std::string &file, const std::string &text) {
    if (file.empty())
      return;
    if (Result<void> written = writeFile(file, text); !written)
      diagnostics.append(written.diagnostics());
  };
  write(options.json, toJson(report));
  write(options.junit, toJunit(report));
  return diagnostics;
}

bool hasFailure(const Report &report) {
  return std::any_of(report.outcomes.begin(), report.outcomes.end(),
                     [](const Outcome &o) { return o.status == check::Status::Failed; });
}

int finish(const Report &report, KnownFailures known, const Options &options) {
  Diagnostics diagnostics = writeReports(report, options);
  if (!options.updateKnown.empty() && report.unfinished == 0) {
    known.update(report, modeOf(options.check));
    if (Result<void> written = writeFile(options.updateKnown, known.text()); !written)
      diagnostics.append(written.diagnostics());
  }
  std::string reasons = reasonTable(report, options.reasons);
  fmt::print("{}{}{}{}\n", groupTable(report), reasons.empty() ? "" : "\n", reasons, lastLine(report));
  if (report.unfinished > 0)
    diagnostics.add("", fmt::format("interrupted: {} cases were not checked", report.unfinished));
  fmt::print(stderr, "{}", diagnostics.text()); // not fail(), which other ranks would have to call too
  if (report.unfinished > 0)
    return Interrupt::exitCode;
  return hasFailure(report) || !diagnostics.empty() ? ExitCode::failure : ExitCode::success;
}

int work(Options &options, Ranks *ranks) {
  Result<std::vector<FoundCase>> cases = findCases(options.directories, options.selection);
  if (!cases) {
    int code = failWithReport(cases.diagnostics(), options);
    return checkExpression(options.selection.filter).empty() ? code : ExitCode::wrongCommandLine;
  }
  if (options.list) {
    for (const FoundCase &found : *cases)
      if (options.isMain)
        fmt::print("{}\n", found.folder);
    return ExitCode::success;
  }
  Result<KnownFailures> known = readKnownFailures(options);
  if (!known)
    return failWithReport(known.diagnostics(), options);
  if (!options.via.empty()) {
    Result<std::shared_ptr<check::OnnxRunner>> runner = check::OnnxRunner::start(onnxRunner);
    if (!runner)
      return failWithReport(runner.diagnostics(), options);
    options.check.onnxRunner = *runner;
  }
  Report report = Session(std::move(*cases), *known, options).check();
  int code = options.isMain ? finish(report, *known, options) : ExitCode::success;
  return ranks ? ranks->codeOfMain(code) : code;
}

/// Checks on the ranks of mpirun: all processes check each case together.
int workOnRanks(Options &options) {
  Result<Ranks> ranks = Ranks::open(options.pool.limits);
  if (!ranks)
    return fail(ranks.diagnostics());
  options.isMain = ranks->isMain();
  if (!options.isMain)
    options.check.onDiagnostic = [](const Diagnostic &) {};
  options.pool.check = ranks->withLimit(options.pool.check);
  options.pool.combine = [&](const std::string &folder, const Outcome &own) {
    return ranks->combine(folder, own);
  };
  return work(options, &*ranks);
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  options.pool.jobs = availableCores();
  CommandLine line(
      "proa-check",
      "Runs the programs of case folders and compares their outputs with the expected ones. A case "
      "folder has meta.json, a program, weights, inputs and expected outputs, or is a data set of "
      "ONNX's tests: test_data_set_N beside model.onnx.",
      "  proa-check test/corpus\n"
      "  proa-check test/corpus/ops --filter 'conv2d|pool' --verbose\n"
      "  proa-check test/corpus/models --jobs 2 --timeout 120 --json report.json\n"
      "  proa-check test/corpus/training --strategy dp2,mp2,zero1\n"
      "  mpirun -n 2 proa-check test/corpus/training --strategy dp2\n"
      "  gdb --args proa-check --jobs 0 test/corpus/ops/relu/basic\n");
  declareSelection(line, options);
  declareModes(line, options);
  declareReports(line, options);
  line.takeNextValue("--recompute", isMemoryBudget);
  bool onRanks = areProcessesOfMesh(argc, argv);
  if (onRanks)
    printErrorsOfRanks(/*startsMpi=*/true);
  if (std::optional<int> code = line.read(argc, argv))
    return *code;
  options.check.memoryBudget = memoryBudgetOf(options.recompute);
  options.check.amp = ampOf(options.amp);
  // Results are compared as for --amp.
  if (auto strategy = spmd::parseStrategy(options.mesh.mesh.strategy); strategy && strategy->ampLevel > 0)
    options.check.amp =
        AmpOptions{.level = strategy->ampLevel == 1 ? AmpOptions::Level::O1 : AmpOptions::Level::O2};
  options.mesh.mesh.simulate = !onRanks;
  options.check.mesh = meshOf(options.mesh);
  options.check.offload = offloadOf(options.offload);
  options.pool.limits.cpu = std::chrono::milliseconds(static_cast<int64_t>(options.timeoutSeconds * 1000));
  options.pool.limits.real = 20 * options.pool.limits.cpu;
  options.check.onDiagnostic = [](const Diagnostic &diagnostic) {
    fmt::print(stderr, "{}", diagnostic.text());
  };
  options.pool.check = [&](const std::string &folder, const std::function<void(check::Stage)> &onStage) {
    options.check.onStage = onStage;
    return check::checkCase(folder, options.check);
  };
  Diagnostics unwritable;
  for (const std::string &file : {options.json, options.junit, options.updateKnown})
    checkOutputFile(file, unwritable);
  if (!unwritable.empty())
    return fail(unwritable);
  return runTool(line, [&] { return onRanks ? workOnRanks(options) : work(options, nullptr); });
}
