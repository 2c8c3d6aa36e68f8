// proa-check: runs the programs of case folders and compares their outputs with the expected ones.
#include "lib/check/CheckCase.h"
#include "lib/spmd/Strategy.h"
#include "lib/support/Files.h"
#include "tools/common/CommandLine.h"
#include "tools/common/ProgressBar.h"
#include "tools/common/Target.h"
#include "tools/common/Training.h"
#include "tools/proa-check/KnownFailures.h"
#include "tools/proa-check/Pool.h"
#include "tools/proa-check/Report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

using namespace proa;
using namespace proa::tools;

namespace {

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
  std::string known, updateKnown;
  bool verbose = false;
  bool list = false;
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
  line.add_option(
          "-j,--jobs", options.pool.jobs,
          "Number of cases checked in parallel, each in its own process; 0: in this process, for debuggers")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  line.add_option("--timeout", options.timeoutSeconds, "Time limit of a case, in seconds")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
  line.add_option("--threads", options.check.threads, "Number of threads of each run")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
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
      "Runs each op in parts, split along each factor of its sharding rule, and compares with the whole op");
  line.add_option(
          "--mutants", options.check.mutants,
          "Number of random changes of each program (dims, dtypes, attributes), for which kernels are "
          "compared with the evaluator")
      ->check(CLI::Range(1, 1000000))
      ->type_name("COUNT");
  line.add_option("--seed", options.check.seed, "Seed of the random changes")
      ->check(checkSeed)
      ->capture_default_str();
  line.add_flag("--decompose", options.check.decompose,
                "Decomposes every composite op, also those with a kernel");
  line.add_flag(
      "--derive-gradients", options.check.deriveGradients,
      "Derives the gradients of training cases from their forward part, in place of their gradient ops");
  line.add_flag(std::string("--recompute{") + cheapRecomputation + "}", options.recompute,
                "Recomputes values instead of keeping them, as in proa-run")
      ->check(checkMemoryBudget);
  // These modes run the program in their own ways.
  for (CLI::Option *option :
       {declareAmp(line, options.amp), declareCpu(line, options.check.cpu), declareMesh(line, options.mesh)})
    for (const char *mode : {"--reference", "--sharding", "--mutants"})
      option->excludes(line.get_option(mode));
  line.add_option("--micro-batches", options.check.microBatches,
                  "Number of equal parts of the batch for which gradients are computed one after the other")
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
int failWithReport(const Problems &problems, const Options &options) {
  if (!options.json.empty())
    if (Result<void> written = writeFile(options.json, errorsJson(problems)); !written)
      fail(written.problems());
  return fail(problems);
}

/// Checks the cases and prints failures as they occur.
class Session {
public:
  Session(std::vector<FoundCase> cases, const KnownFailures &known, const Options &options)
      : report{std::move(cases), {}}, known(known), options(options), mode(modeOf(options.check)) {
    report.outcomes.resize(report.cases.size());
  }

  Report check() {
    checkAll(report.cases, options.pool,
             [&](size_t index, Outcome outcome) { take(index, std::move(outcome)); });
    return std::move(report);
  }

private:
  void take(size_t index, Outcome outcome) {
    const FoundCase &found = report.cases[index];
    bool printsReason = options.verbose;
    if (!options.known.empty() && known.contains(found.folder, mode))
      expectFailure(found, outcome);
    else
      printsReason |= outcome.status == check::Status::Failed;
    bar.clear();
    if (printsReason || outcome.stage == unexpectedPass)
      fmt::print("{}", caseLine(found, outcome, options.verbose));
    std::fflush(stdout); // before a later case is forked, which would print it again
    ++done;
    failed += outcome.status == check::Status::Failed;
    bar.show(fmt::format("{} of {} cases, {} failed", done, report.cases.size(), failed),
             static_cast<double>(done) / static_cast<double>(report.cases.size()));
    report.outcomes[index] = std::move(outcome);
  }

  /// A listed case that fails counts as skipped. One that passes fails, to keep the list up to date.
  void expectFailure(const FoundCase &found, Outcome &outcome) {
    if (outcome.status == check::Status::Failed) {
      outcome.status = check::Status::Skipped;
    } else if (outcome.status == check::Status::Passed && !known.mayPass(found.folder, mode)) {
      outcome.status = check::Status::Failed;
      outcome.stage = unexpectedPass;
      outcome.problems.add("", "unexpectedly passed in mode '" + mode + "'; " +
                                   known.removal(found.folder, mode, options.known));
    }
  }

  static constexpr const char *unexpectedPass = "known";

  Report report;
  const KnownFailures &known;
  const Options &options;
  std::string mode;
  ProgressBar bar{std::chrono::milliseconds(0)};
  size_t done = 0, failed = 0;
};

Problems writeReports(const Report &report, const Options &options) {
  Problems problems;
  auto write = [&](const std::string &file, const std::string &text) {
    if (file.empty())
      return;
    if (Result<void> written = writeFile(file, text); !written)
      problems.append(written.problems());
  };
  write(options.json, toJson(report));
  write(options.junit, toJunit(report));
  return problems;
}

int finish(const Report &report, KnownFailures known, const Options &options) {
  Problems problems = writeReports(report, options);
  if (!options.updateKnown.empty()) {
    known.update(report, modeOf(options.check));
    if (Result<void> written = writeFile(options.updateKnown, known.text()); !written)
      problems.append(written.problems());
  }
  std::string reasons = reasonTable(report, options.reasons);
  fmt::print("{}{}{}{}\n", groupTable(report), reasons.empty() ? "" : "\n", reasons, lastLine(report));
  bool anyFailed = std::any_of(report.outcomes.begin(), report.outcomes.end(),
                               [](const Outcome &o) { return o.status == check::Status::Failed; });
  if (!problems.empty())
    return fail(problems);
  return anyFailed ? ExitCode::failure : ExitCode::success;
}

int work(const Options &options) {
  Result<std::vector<FoundCase>> cases = findCases(options.directories, options.selection);
  if (!cases) {
    int code = failWithReport(cases.problems(), options);
    return checkExpression(options.selection.filter).empty() ? code : ExitCode::wrongCommandLine;
  }
  if (options.list) {
    for (const FoundCase &found : *cases)
      fmt::print("{}\n", found.folder);
    return ExitCode::success;
  }
  Result<KnownFailures> known = readKnownFailures(options);
  if (!known)
    return failWithReport(known.problems(), options);
  return finish(Session(std::move(*cases), *known, options).check(), *known, options);
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  options.pool.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  CommandLine line("proa-check",
                   "Runs the programs of case folders (meta.json, program, weights, inputs, expected "
                   "outputs) and compares their outputs with the expected ones.",
                   "  proa-check test/corpus\n"
                   "  proa-check test/corpus/ops --filter 'conv2d|pool' --verbose\n"
                   "  proa-check test/corpus/models --jobs 2 --timeout 120 --json report.json\n"
                   "  proa-check test/corpus/training --strategy dp2,mp2,zero1\n"
                   "  gdb --args proa-check --jobs 0 test/corpus/ops/relu/basic\n");
  declareSelection(line, options);
  declareModes(line, options);
  declareReports(line, options);
  line.takeNextValue("--recompute", isMemoryBudget);
  if (std::optional<int> code = line.read(argc, argv))
    return *code;
  options.check.memoryBudget = memoryBudgetOf(options.recompute);
  options.check.amp = ampOf(options.amp);
  // Results are compared as for --amp.
  if (auto strategy = spmd::parseStrategy(options.mesh.mesh.strategy); strategy && strategy->ampLevel > 0)
    options.check.amp =
        AmpOptions{.level = strategy->ampLevel == 1 ? AmpOptions::Level::O1 : AmpOptions::Level::O2};
  options.mesh.mesh.simulate = true;
  options.check.mesh = meshOf(options.mesh);
  options.pool.timeout = std::chrono::milliseconds(static_cast<int64_t>(options.timeoutSeconds * 1000));
  options.check.onDiagnostic = [](const Diagnostic &diagnostic) {
    fmt::print(stderr, "{}", diagnostic.text());
  };
  options.pool.check = [&](const std::string &folder, const std::function<void(check::Stage)> &onStage) {
    options.check.onStage = onStage;
    return check::checkCase(folder, options.check);
  };
  Problems unwritable;
  for (const std::string &file : {options.json, options.junit, options.updateKnown})
    checkOutputFile(file, unwritable);
  if (!unwritable.empty())
    return fail(unwritable);
  return runTool(line, [&] { return work(options); });
}
