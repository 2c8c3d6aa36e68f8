//! Chooses and explains strategies of distributed training.
#include "tools/proa-plan/Plans.h"
#include "tools/proa-plan/Modes.h"

#include "lib/base/plan/Report.h"
#include "lib/base/support/Files.h"
#include "lib/compiler/measure/MeasureTarget.h"
#include "lib/compiler/plan/ImportedProgram.h"
#include "lib/compiler/plan/JudgePlans.h"
#include "lib/runtime/ranks/Communicator.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <thread>
#include <unistd.h>

namespace proa::tools {
namespace {

/// Lowers the programs of plans within the time of --lower, if it is a training program with the batch of the
/// model.
class Judge {
public:
  Judge(const plan::CostModel &model, const ProgramWorkload &described, const PlanOptions &options)
      : model(model), options(options) {
    isPossible = options.lowerSeconds > 0 && options.layers == 0 && described.isTraining &&
                 model.batch == described.batch;
  }

  void operator()(std::vector<plan::Candidate> &candidates) const {
    if (!isPossible)
      return;
    if (auto program = importProgram(options.path, options.feedDims))
      judgePlans(*program->module, model, {.seconds = options.lowerSeconds}, candidates);
  }

private:
  const plan::CostModel &model;
  const PlanOptions &options;
  bool isPossible = false;
};

Result<void> writePlan(const plan::CostModel &model, const plan::Candidate &candidate,
                       const PlanOptions &options) {
  return options.output.empty() ? Result<void>()
                                : writeFile(options.output, planJson(model, candidate).dump(2) + "\n");
}

Result<void> explainStrategy(const plan::CostModel &model, const PlanOptions &options, const Judge &judge) {
  auto plan = plan::planOfStrategy(model, options.strategy);
  if (!plan)
    return plan.diagnostics();
  std::vector<plan::Candidate> one{{.plan = *plan, .estimate = model.estimate(*plan)}};
  judge(one);
  if (Result<void> written = writePlan(model, one.front(), options); !written)
    return written;
  if (options.json)
    fmt::print("{}\n", planJson(model, one.front()).dump(2));
  else
    fmt::print("{}\n{}", describe(model), explain(model, one.front()));
  return {};
}

Result<void> choose(const plan::CostModel &model, const PlanOptions &options, const Judge &judge) {
  plan::SearchOptions search{.best = options.best, .judge = judge};
  if (options.executable)
    search.accepts = [](const plan::Frame &frame) { return plan::whyNotExecutable(frame).empty(); };
  plan::SearchResult result = plan::search(model, search);
  if (options.executable)
    std::erase_if(result.best, [&](const plan::Candidate &candidate) {
      return !plan::whyNotExecutable(candidate.plan, model.workload).empty();
    });
  if (result.best.empty())
    return whyNothingFits(model, result);
  const plan::Candidate &best = result.best.front();
  if (Result<void> written = writePlan(model, best, options); !written)
    return written;
  if (options.json) {
    fmt::print("{}\n", resultJson(model, result).dump(2));
    return {};
  }
  fmt::print("{}\n{}", describe(model), describe(model, result));
  if (options.explains)
    fmt::print("\n{}", explain(model, best));
  return {};
}

/// The program and the machines that it is planned for. Returns the number of layers, which excludes an
/// output.
CLI::Option *declareProblem(CommandLine &line, PlanOptions &options) {
  line.add_option("model", options.path, "Folder of a program, the program's file, or an IR file")
      ->type_name("MODEL");
  line.add_option("--cluster", options.cluster,
                  "JSON file with devices and levels of links (docs/planning.md)")
      ->check(checkName)
      ->type_name("FILE");
  line.add_option("--global-batch", options.batch,
                  "Examples of a step on all devices; default: from the program's feeds")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40))
      ->type_name("N");
  line.add_option("--memory", options.memory, "Memory of a device; default: from the cluster's file")
      ->type_name("80GB");
  line.add_option("--dims", options.dims,
                  "Dims of feeds that are dynamic in the program, or replace declared ones")
      ->check(checkFeedDims)
      ->allow_extra_args(false)
      ->type_name("NAME=1x2048,...");
  line.takeMoreValues("--dims", isFeedDims);
  CLI::Option *layers =
      line.add_option("--layers", options.layers, "Plans for this number of the equal layers of the program")
          ->check(CLI::Range(1, 100000))
          ->type_name("N");
  line.add_flag("--16-bit", options.workload.is16Bit,
                "Contractions and kept values have 16 bits, with float32 weights beside them");
  line.add_option(
          "--optimizer-bytes", options.workload.optimizerBytes,
          "Bytes that the optimizer keeps for each parameter; default: from the program, or 8 as Adam")
      ->check(CLI::Range(0.0, 1024.0))
      ->type_name("N");
  return layers;
}

void declareSearch(CommandLine &line, PlanOptions &options, CLI::Option *layers) {
  line.add_option("--strategy", options.strategy, "Explains this strategy instead of the best one")
      ->type_name("dp4,mp2,zero1");
  line.add_flag("--explain", options.explains, "Prints what to change to need less memory");
  line.add_option(
          "--lower", options.lowerSeconds,
          "Seconds in which the programs of the best plans are lowered: their time and memory replace "
          "the formulas. Of executable plans of training programs with their own batch")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str()
      ->type_name("SECONDS");
  line.add_flag("--executable", options.executable, "Considers only plans that proa-run can execute");
  line.add_flag("--no-overlap", options.noOverlap, "Collectives do not run while kernels do");
  line.add_option("--best", options.best, "Number of plans in the table")
      ->check(CLI::Range(size_t(1), size_t(1000)))
      ->capture_default_str();
  line.add_option("-o,--output", options.output,
                  "File for the best plan, or for --strategy, which proa-run --plan executes")
      ->check(checkName)
      ->excludes(layers)
      ->type_name("FILE");
}

void declareCalibration(CommandLine &line, PlanOptions &options) {
  line.add_flag(
      std::string("--calibrate{") + PlanOptions::automatic + "}", options.calibration,
      "Measures this machine, and links between ranks (of mpirun, or simulated), instead of planning. "
      "The file (--calibrate=FILE, else machine.json in the cache's folder, which --strategy=auto "
      "reads) is for --cluster and --target-facts");
  line.takeNextValue("--calibrate", [](const std::string &) { return false; });
  line.add_option(
          "--ranks", options.ranks,
          "With --calibrate: number of devices of the cluster; default: processes of mpirun, or cores")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 16))
      ->type_name("N");
}

} // namespace

void declarePlans(CommandLine &line, PlanOptions &options) {
  line.add_flag("--json", options.json, "Prints the result as JSON");
  line.option_defaults()->group(planGroup);
  declareSearch(line, options, declareProblem(line, options));
  line.option_defaults()->group(calibrationGroup);
  declareCalibration(line, options);
  line.option_defaults()->group("Options");
  declareWarnings(line, options.warnings);
}

void checkPlan(PlanOptions &options, Diagnostics &diagnostics) {
  if (options.path.empty())
    diagnostics.add("", "MODEL is required, or --schedule");
  else if (options.cluster.empty())
    diagnostics.add("", "--cluster is required");
  options.feedDims = parseFeedDims(options.dims, diagnostics);
}

Result<void> choosePlan(PlanOptions options) {
  options.path = inputPath(options.path);
  Diagnostics diagnostics;
  if (!options.output.empty())
    checkOutputFile(options.output, diagnostics);
  auto cluster = plan::readCluster(options.cluster, options.memory);
  if (!cluster)
    diagnostics.append(cluster.diagnostics());
  if (!diagnostics.empty())
    return diagnostics;
  options.workload.name = options.path;
  WarningPrinter warnings(options.warnings, [] {});
  auto described = describeWorkload(options.path, options.feedDims, options.workload,
                                    [&](const Diagnostic &diagnostic) { warnings.add(diagnostic); });
  warnings.finish();
  if (!described)
    return described.diagnostics();
  if (options.layers > 0)
    plan::setEqualLayers(described->workload, options.layers);
  plan::CostModel model(described->workload, *cluster, options.batch > 0 ? options.batch : described->batch,
                        !options.noOverlap);
  Judge judge(model, *described, options);
  return options.strategy.empty() ? choose(model, options, judge) : explainStrategy(model, options, judge);
}

Result<void> calibrate(const PlanOptions &options) {
  bool isDefault = options.calibration == PlanOptions::automatic;
  std::string path = isDefault ? defaultCalibrationFile() : options.calibration;
  if (path.empty())
    return errorAt("--calibrate", "no folder for the file was found, expected --calibrate=FILE");
  auto facts = measureTarget(/*device=*/0);
  if (!facts)
    return facts.diagnostics();
  runtime::StartedRank own = runtime::rankStartedByMpi();
  if (own.rank > 0)
    return {};
  int64_t ranks = options.ranks > 0 ? options.ranks
                  : own.size > 1    ? own.size
                                    : static_cast<int64_t>(std::thread::hardware_concurrency());
  auto pages = static_cast<double>(::sysconf(_SC_PHYS_PAGES));
  double memory = pages * static_cast<double>(::sysconf(_SC_PAGE_SIZE)) / static_cast<double>(ranks);
  std::string text = plan::calibrationJson(*facts, memory, ranks).dump(2) + "\n";
  if (Result<void> written = writeFile(path, text); !written)
    return written;
  if (options.json) {
    fmt::print("{}", text);
    return {};
  }
  fmt::print("{}\n{} devices of {}\n{} is for --cluster and --target-facts\n", describe(*facts), ranks,
             sizeText(static_cast<int64_t>(memory)), path);
  return {};
}

} // namespace proa::tools
