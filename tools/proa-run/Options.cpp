#include "tools/proa-run/Options.h"

#include "lib/base/support/ThreadLimit.h"
#include "tools/common/Training.h"
#include "tools/proa-run/State.h"

#include <filesystem>

namespace proa::tools {

/// Files of other formats would have the suffix of what they are not.
static std::string checkOutputsName(const std::string &path) {
  std::string suffix = std::filesystem::path(path).extension().string();
  return suffix.empty() || suffix == ".safetensors"
             ? ""
             : "outputs are written as *.safetensors, found the suffix '" + suffix + "'";
}

/// The program, its weights and its state.
static void declareProgram(CommandLine &line, ToolOptions &options) {
  line.add_option("model", options.path,
                  "Folder of a program and its weights, the program's file, or an IR file (.mlir, .mlirbc); "
                  "'-': stdin")
      ->required()
      ->type_name("MODEL");
  line.add_option("--function", options.model.function,
                  "Function of an IR file; default: main, else the only public function")
      ->type_name("NAME");
  line.add_option(
          "--params", options.model.parameters,
          "Weights file, or random:SEED; default: the file in the model's folder, or random:0 for an IR "
          "file without weights")
      ->type_name("FILE");
  line.add_option("--set", options.set,
                  "Sets a parameter or state variable before the first run: NAME=VALUE, NAME=x.npy, or the "
                  "entries of [NAME=]x.safetensors; entry stepK/NAME before run K")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE|FILE");
  line.takeMoreValues("--set", isStateValue);
  line.add_option("--save-params", options.saved, "Writes parameters and state after the last run")
      ->check(checkName)
      ->type_name("FILE.safetensors|FILE.pdiparams");
}

static void declareFeeds(CommandLine &line, ToolOptions &options) {
  line.add_option("-i,--inputs", options.feeds.sources,
                  "Feeds: x.safetensors, x.npy, NAME=x.npy or random:SEED; entries stepK/NAME of "
                  "x.safetensors are fed to "
                  "run K; default: inputs.safetensors in the model's folder, else random:0")
      ->allow_extra_args(false)
      ->type_name("SOURCE");
  line.takeMoreValues("--inputs", isFeedSource);
  line.takeMoreValues("-i", isFeedSource);
  line.add_option(
          "--dims", options.feeds.dims,
          "Dims of random feeds; where they contradict the program, such as another batch, it is imported "
          "for them")
      ->check(checkFeedDims)
      ->allow_extra_args(false)
      ->type_name("NAME=1x3x224x224,...");
  line.takeMoreValues("--dims", isFeedDims);
  line.add_option("--feeds", options.model.feeds,
                  "Fed variables; any variable may be fed. Ops that no fetch needs are left out")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  line.add_option(
          "--fetches", options.model.fetches,
          "Fetched variables; any variable may be fetched. 'all': the own fetches, and all other values that "
          "ops outside of control flow compute")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
}

/// Outputs and comparisons. Returns the options that exclude a measured duration.
static std::vector<CLI::Option *> declareOutputs(CommandLine &line, ToolOptions &options) {
  line.add_option("-o,--outputs", options.outputs, "Writes the outputs of the last run")
      ->check(checkName)
      ->check(checkOutputsName)
      ->type_name("FILE.safetensors");
  line.add_flag(std::string("--expect{") + ToolOptions::beside + "}", options.expect,
                "Compares the outputs of the first run, or of each step with entries stepK/NAME, with "
                "expected.safetensors in the model's folder, or with --expect=FILE");
  line.takeNextValue("--expect", [](const std::string &text) { return text.ends_with(".safetensors"); });
  CLI::Option *compare =
      line.add_option(
              "--compare", options.compare,
              "Compares the values of all ops and names the first op that differs from: reference (the "
              "reference evaluator), f64 (the same in double precision), decomposed, cuda-emulated or "
              "another "
              "target, FILE.safetensors, a folder of tensors, or another model with equal names")
          ->check(checkName)
          ->type_name("SOURCE");
  CLI::Option *bisect =
      line.add_flag("--bisect", options.bisects,
                    "Finds the first pass that changes a result on these feeds, and the first rewrite in it");
  line.add_option("--rtol", options.rtol,
                  "Relative tolerance of --expect (default: of meta.json, else 1e-5), --compare and --bisect "
                  "(default: by the types of values)")
      ->check(CLI::NonNegativeNumber);
  line.add_option(
          "--atol", options.atol,
          "Absolute tolerance of --expect (default: of meta.json, else 1e-6) and --compare (default: rtol / "
          "10, relative to the largest element)")
      ->check(CLI::NonNegativeNumber);
  return {compare, bisect};
}

static CLI::Option *declareCheckpoint(CommandLine &line, ToolOptions &options) {
  CLI::Option *checkpoint =
      line.add_option("--save-checkpoint", options.checkpoint,
                      "Writes parameters, states, random state and step into this folder after the last step "
                      "(docs/checkpoints.md), on a mesh each rank what it holds")
          ->check(checkName)
          ->type_name("DIR");
  line.add_option("--every", options.every,
                  "Writes a checkpoint after each N steps too, while the next step runs")
      ->check(CLI::Range(1, 1000000000))
      ->needs(checkpoint)
      ->type_name("N");
  line.add_flag("--resume", options.resumes,
                "Continues from the checkpoint in the folder of --save-checkpoint, if there is one, with the "
                "step after it up to --steps; it may be of another mesh or strategy")
      ->needs(checkpoint);
  return checkpoint;
}

/// How often the program runs. `comparisons` exclude a measured duration.
static void declareRuns(CommandLine &line, ToolOptions &options,
                        const std::vector<CLI::Option *> &comparisons) {
  CLI::Option *repeat = line.add_option("--repeat,--steps", options.repeat,
                                        "Number of measured runs, or of training steps; with 1, only the "
                                        "time of a second run is measured, "
                                        "without changing the state")
                            ->check(CLI::Range(1, 1000000000))
                            ->capture_default_str();
  CLI::Option *checkpoint = declareCheckpoint(line, options);
  CLI::Option *duration =
      line.add_option("--duration", options.duration, "Measures runs for this many seconds")
          ->check(CLI::Range(0.001, 1e9))
          ->excludes(repeat)
          ->excludes(checkpoint)
          ->type_name("SECONDS");
  for (CLI::Option *comparison : comparisons)
    duration->excludes(comparison);
  line.add_option(
          "--concurrency", options.concurrency,
          "With --duration: number of runs at once, each in a session of its own. Without --threads they "
          "share the cores")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  line.add_option(
          "--warmup", options.warmup,
          "Number of runs before the measured ones; default: 1 if --repeat is above 1, because the first "
          "run also creates kernels and packs weights, but 0 for training programs")
      ->excludes(checkpoint)
      ->check(CLI::Range(0, 1000000000));
}

static void declareProfile(CommandLine &line, ToolOptions &options) {
  line.add_flag(
      std::string("--profile{") + ToolOptions::table + "}", options.profile,
      "Prints the time of each step (with --json as \"steps\"); --profile=FILE.json writes a Chrome "
      "trace");
  line.add_flag(std::string("--recompute{") + cheapRecomputation + "}", options.recompute,
                "Recomputes values instead of keeping them: those that are nearly free, or with "
                "--recompute=BYTES until peak memory is at most that many bytes (best effort)")
      ->check(checkMemoryBudget);
  // A file for --profile needs the equals sign, because program.json may be the model.
  line.takeNextValue("--profile", [](const std::string &) { return false; });
  line.takeNextValue("--recompute", isMemoryBudget);
}

/// Precision, meshes and plans.
static void declareParallel(CommandLine &line, ToolOptions &options) {
  declareLossScale(line, declareAmp(line, options.amp), options.amp);
  declareMesh(line, options.mesh);
  declareSimulatedMesh(line, options.mesh);
  line.add_option("--plan", options.plan,
                  "Runs by a plan of proa-plan: sets --strategy, --recompute, --offload and --amp")
      ->check(checkName)
      ->type_name("FILE");
  line.add_option(
          "--cluster", options.cluster,
          "With --strategy=auto: JSON file of the cluster for which the strategy is chosen, as by proa-plan")
      ->check(checkName)
      ->type_name("FILE");
  declareOffload(line, options.offload);
}

/// For which machine the program is compiled, and how.
static void declareCompiler(CommandLine &line, ToolOptions &options) {
  declareCpu(line, options.model.cpu);
  declareTargetFacts(line, options.model.targetFacts);
  declareCodeOptimization(line, options.model.codeOptimization);
  declareTf32(line, options.model.allowsTf32);
  declareAtomicSums(line, options.model.allowsAtomicSums);
  declareTarget(line, options.model.target);
  declareSpecialization(line, options.model.specialization);
  line.add_option("--micro-batches", options.model.microBatches,
                  "Number of micro-batches for which gradients are computed one after the other")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  line.add_option("--cache", options.model.cacheDirectory,
                  "Folder of the cache of compiled programs; 'off': no cache")
      ->check(checkName)
      ->type_name("DIR|off");
  line.add_option("--dump", options.model.dumpDirectory, "Writes the IR after each stage into this folder")
      ->check(checkName)
      ->type_name("DIR");
  declarePlugins(line, options.plugins, options.model.passes, options.model.patterns);
}

void declare(CommandLine &line, ToolOptions &options) {
  declareProgram(line, options);
  declareFeeds(line, options);
  std::vector<CLI::Option *> comparisons = declareOutputs(line, options);
  line.add_option("--threads", options.model.threads,
                  "Number of threads of a run; 0: one for each core that the process may use")
      ->check(CLI::Range(0, maxThreads))
      ->capture_default_str();
  line.add_option("--seed", options.model.seed, "Seed of random ops without a seed attribute")
      ->check(checkSeed)
      ->capture_default_str();
  line.add_flag("--check-finite", options.model.checkFinite,
                "Stops with an error at the first op that makes a NaN or Inf, and names the op");
  declareRuns(line, options, comparisons);
  declareProfile(line, options);
  declareParallel(line, options);
  declareCompiler(line, options);
  declareRemarks(line, options.model.remarks);
  declareWarnings(line, options.warnings);
  line.add_flag("--json", options.json,
                "Prints times and comparisons, or errors, as one line of JSON and nothing else");
}

} // namespace proa::tools
