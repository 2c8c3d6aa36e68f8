//! Chooses and explains strategies of distributed training.
#include "tools/proa-plan/Plans.h"

#include "lib/compiler/plan/ImportedProgram.h"
#include "lib/compiler/plan/PlannedMemory.h"
#include "lib/plan/Report.h"
#include "lib/support/Files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace proa::tools {
namespace {

Result<void> explainStrategy(const plan::CostModel &model, const PlanOptions &options) {
  auto plan = plan::planOfStrategy(model, options.strategy);
  if (!plan)
    return plan.diagnostics();
  if (options.json)
    fmt::print("{}\n", planJson(model, {*plan, model.estimate(*plan)}).dump(2));
  else
    fmt::print("{}\n{}", describe(model), explain(model, *plan));
  return {};
}

/// The memory of plans by lowering their programs.
Result<void> printLowered(const plan::CostModel &model, const std::vector<plan::Candidate> &best,
                          const PlanOptions &options) {
  auto program = importProgram(options.path, options.feedDims);
  if (!program)
    return program.diagnostics();
  fmt::print("\nmemory of the lowered programs:\n");
  for (const plan::Candidate &candidate : best) {
    if (!plan::whyNotExecutable(candidate.plan).empty() || candidate.plan.frame.offload)
      continue;
    auto stored = plan::planOf(planJson(model, candidate), "plan");
    if (!stored)
      return stored.diagnostics();
    auto planned = plannedMemory(*program->module, stored->strategy, stored->memoryBudget);
    if (!planned)
      return planned.diagnostics();
    bool fits = static_cast<double>(planned->total()) <= model.cluster.memory;
    fmt::print("  {}: {} = arena {} + states {}, estimated {}{}\n", planText(candidate.plan),
               sizeText(planned->total()), sizeText(planned->arena), sizeText(planned->states),
               sizeText(static_cast<int64_t>(candidate.estimate.memory.total())),
               fits ? "" : "; does not fit");
  }
  return {};
}

Result<void> choose(const plan::CostModel &model, const PlanOptions &options) {
  plan::SearchOptions search{.best = options.best};
  if (options.executable)
    search.accepts = [](const plan::Frame &frame) { return plan::whyNotExecutable({frame, {}, {}}).empty(); };
  plan::SearchResult result = plan::search(model, search);
  if (result.best.empty())
    return whyNothingFits(model, result);
  const plan::Candidate &best = result.best.front();
  if (!options.output.empty())
    if (Result<void> written = writeFile(options.output, planJson(model, best).dump(2) + "\n"); !written)
      return written;
  if (options.json) {
    fmt::print("{}\n", resultJson(model, result).dump(2));
    return {};
  }
  fmt::print("{}\n{}", describe(model), describe(result));
  if (options.explains)
    fmt::print("\n{}", explain(model, best.plan));
  return options.lowers ? printLowered(model, result.best, options) : Result<void>();
}

} // namespace

void declarePlans(CommandLine &line, PlanOptions &options) {
  CLI::Option *json = line.add_flag("--json", options.json, "Prints the result as JSON");
  line.add_option("model", options.path, "Folder of a program, the program's file, or an IR file")
      ->excludes(line.get_option("--schedule"))
      ->type_name("MODEL");
  line.add_option("--cluster", options.cluster,
                  "JSON file with devices and levels of links (docs/planning.md)")
      ->check(checkName)
      ->type_name("FILE");
  line.add_option("--global-batch", options.batch,
                  "Examples of a step on all devices; default: those of the program's feeds")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40))
      ->type_name("N");
  line.add_option("--memory", options.memory, "Memory of a device, instead of that of the cluster's file")
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
          "Bytes that the optimizer keeps for each parameter; default: those of the program, or of Adam (8)")
      ->check(CLI::Range(0.0, 1024.0))
      ->type_name("N");
  line.add_option("--strategy", options.strategy, "Explains this strategy instead of the best one")
      ->type_name("dp4,mp2,zero1");
  line.add_flag("--explain", options.explains, "Prints what to change to need less memory");
  line.add_flag("--lower", options.lowers,
                "Also prints the memory that the lowered programs of the best plans have, which are "
                "executable and have "
                "the batch of the program")
      ->excludes(json)
      ->excludes(layers);
  line.add_flag("--executable", options.executable, "Considers only plans that proa-run can execute");
  line.add_flag("--no-overlap", options.noOverlap, "Collectives do not run while kernels do");
  line.add_option("--best", options.best, "Number of plans in the table")
      ->check(CLI::Range(size_t(1), size_t(1000)))
      ->capture_default_str();
  line.add_option("-o,--output", options.output, "File for the best plan, which proa-run --plan executes")
      ->check(checkName)
      ->excludes(layers)
      ->type_name("FILE");
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
  if (options.lowers && (!described->isTraining || (options.batch > 0 && options.batch != described->batch)))
    return errorAt("--lower", fmt::format("expected a training program and its batch, {}", described->batch));
  plan::CostModel model(described->workload, *cluster, options.batch > 0 ? options.batch : described->batch,
                        !options.noOverlap);
  return options.strategy.empty() ? choose(model, options) : explainStrategy(model, options);
}

} // namespace proa::tools
