// proa-tune: measures the kernels of a program on a CUDA device and stores the fastest strategies.
#include "lib/base/support/Files.h"
#include "lib/base/target/FactsFile.h"
#include "lib/compiler/aot/CompileLibrary.h"
#include "lib/compiler/codegen/cuda/EmitPtx.h"
#include "lib/compiler/cuda/TuneKernels.h"
#include "lib/compiler/measure/MeasureTarget.h"
#include "tools/common/CommandLine.h"
#include "tools/common/Interrupt.h"
#include "tools/common/Target.h"
#include "translator/params/ModelFolder.h"
#include "translator/params/ModelMeta.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

using namespace proa;
using namespace proa::tools;

namespace {

struct Options {
  aot::LibraryRequest request;
  std::vector<std::string> dims;
  std::string database;
  int device = 0, launches = 20;
  size_t trials = 64;
  bool again = false, quiet = false;
  std::string countedChip; ///< of --count-instructions; empty: a device measures
  std::string results;     ///< file of --results
  std::string measured;    ///< file of --measure
};

void declare(CommandLine &line, Options &options) {
  aot::LibraryRequest &request = options.request;
  CLI::Option *model =
      line.add_option(
              "model", request.model,
              "Folder of a program and its weights, the program's file, or an IR file (.mlir, .mlirbc)")
          ->type_name("MODEL");
  line.add_option(
          "--measure", options.measured,
          "Measures this machine, instead of kernels, and writes its facts to a file for --target-facts")
      ->check(checkName)
      ->excludes(model)
      ->type_name("FILE");
  line.add_option("--dims", options.dims,
                  "Dims of feeds that are dynamic in the program; kernels need static dims")
      ->check(checkFeedDims)
      ->allow_extra_args(false)
      ->type_name("NAME=1x3x224x224,...");
  line.takeMoreValues("--dims", isFeedDims);
  declareTf32(line, request.allowsTf32);
  declareAtomicSums(line, request.allowsAtomicSums);
  line.add_option("--function", request.function,
                  "Function of an IR file; default: main, else the only public function")
      ->type_name("NAME");
  line.add_option("--database", options.database,
                  "The tuning database, which is extended; default: $PROA_TUNING, else tuning.json in the "
                  "cache's folder")
      ->check(checkName)
      ->type_name("FILE");
  line.add_option("--device", options.device, "The number of the CUDA device")
      ->check(CLI::Range(0, 1023))
      ->capture_default_str();
  line.add_option("--launches", options.launches,
                  "Launches of a measurement, with cold caches; the median counts")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  line.add_option("--trials", options.trials, "Most strategies of a kernel that are compiled")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  line.add_option("--results", options.results,
                  "Writes all strategies that were tried, with times or reasons, to a JSON file")
      ->check(checkName)
      ->type_name("FILE");
  std::vector<std::string> chips;
  for (const cuda::ChipInfo &chip : cuda::knownChips())
    chips.push_back(chip.name);
  line.add_option("--count-instructions", options.countedChip,
                  "Counts instructions of the code for this chip instead of measuring on a device: for tests "
                  "of the tool, as the count does not tell which strategy is fast")
      ->check(CLI::IsMember(chips))
      ->type_name("CHIP");
  line.add_flag("--again", options.again, "Measures kernels that the database has already");
  line.add_flag("-q,--quiet", options.quiet, "Prints totals only");
}

/// Feeds and fetches of a case folder.
Result<void> readCase(aot::LibraryRequest &request) {
  auto files = params::findModel(request.model, request.parameters);
  if (!files)
    return files.diagnostics();
  bool isIr = files->program.ends_with(".mlir") || files->program.ends_with(".mlirbc");
  if (files->meta.empty() || isIr)
    return {};
  auto meta = params::readModelMeta(files->meta);
  if (!meta)
    return meta.diagnostics();
  request.feeds = meta->feeds;
  request.fetches = meta->fetches;
  return {};
}

/// The chip, and what measures its kernels.
struct Machine {
  std::string name, chip;
  std::unique_ptr<KernelTimer> timer;
};

Result<Machine> openMachine(const Options &options) {
  if (!options.countedChip.empty())
    return Machine{options.countedChip + " by instructions", options.countedChip, createInstructionCounter()};
  auto context = cuda::cudaContext(options.device);
  if (!context)
    return context.diagnostics();
  const cuda::DeviceProperties &properties = context->driver->properties();
  auto chip = cuda::chipFor(properties.major, properties.minor);
  if (!chip)
    return chip.diagnostics();
  return Machine{properties.name, chip->name, createDeviceTimer(*context, options.launches)};
}

/// Writes the database, and the file of --results.
Result<void> store(const Options &options, const std::string &chip, const TuningDatabase &database,
                   const std::vector<TunedKernel> &kernels) {
  if (Result<void> written = database.write(options.database); !written || options.results.empty())
    return written;
  return writeFile(options.results, jsonOf(kernels, chip));
}

Result<void> tune(Options options) {
  if (options.database.empty())
    options.database = defaultTuningFile();
  if (options.database.empty())
    return errorAt("--database", "no folder for it was found; give a file");
  auto machine = openMachine(options);
  if (!machine)
    return machine.diagnostics();
  auto database = TuningDatabase::read(options.database);
  if (!database)
    return database.diagnostics();
  if (Result<void> read = readCase(options.request); !read)
    return read;
  std::vector<TunedKernel> tuned;
  TuneOptions tuning;
  tuning.search.timer = machine->timer.get();
  tuning.search.chip = machine->chip;
  tuning.search.trials = options.trials;
  tuning.search.isStopped = Interrupt::isRequested;
  tuning.again = options.again;
  if (!options.quiet)
    tuning.report = [](const std::string &line) {
      fmt::print("{}\n", line);
      std::fflush(stdout);
    };
  tuning.store = [&](const std::vector<TunedKernel> &kernels) {
    std::vector<TunedKernel> all = tuned;
    all.insert(all.end(), kernels.begin(), kernels.end());
    return store(options, machine->chip, *database, all);
  };
  options.request.chips = {machine->chip};
  options.request.name = "tune";
  options.request.tuningFile = "off";
  options.request.onDeviceKernels = [&](mlir::ModuleOp kernels) -> Result<void> {
    auto own = tuneKernels(kernels, *database, tuning);
    if (!own)
      return own.diagnostics();
    std::move(own->begin(), own->end(), std::back_inserter(tuned));
    return {};
  };
  Interrupt interrupt;
  if (auto compiled = aot::compileLibrary(options.request); !compiled)
    return compiled.diagnostics();
  if (Result<void> written = store(options, machine->chip, *database, tuned); !written)
    return written;
  if (!options.quiet && !tuned.empty())
    fmt::print("{}", tableOf(tuned));
  auto measured = std::ranges::count_if(tuned, [](const TunedKernel &own) { return own.refusal.empty(); });
  fmt::print("{} kernels measured on {}; {} has {}\n", measured, machine->name, options.database,
             database->size());
  if (Interrupt::isRequested())
    fmt::print("interrupted: run the same command again to continue\n");
  return {};
}

Result<void> measure(const Options &options) {
  auto facts = measureTarget(options.device);
  if (!facts)
    return facts.diagnostics();
  if (!options.quiet)
    fmt::print("{}", describe(*facts));
  return writeFile(options.measured, factsText(*facts));
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CommandLine line(
      "proa-tune",
      "Measures the kernels of a program on a CUDA device with several strategies, and stores the fastest\n"
      "ones in a database, which later compilations for the same chip read. With --measure: measures facts "
      "of\n"
      "this machine (docs/target.md).",
      "  proa-tune bert --dims input_ids=8x128\n"
      "  proa-tune kernels.mlir --database tuning.json --results results.json --again\n"
      "  proa-tune --measure here.json\n");
  declare(line, options);
  if (std::optional<int> code = line.read(argc, argv))
    return *code;
  Diagnostics diagnostics;
  if (options.request.model.empty() && options.measured.empty())
    diagnostics.add("", "model is required, or --measure");
  options.request.dims = parseFeedDims(options.dims, diagnostics);
  if (!diagnostics.empty())
    return failCommandLine(diagnostics);
  return runTool(line, [&] {
    if (!options.measured.empty()) {
      Result<void> done = measure(options);
      return done ? finishOutput(ExitCode::success) : fail(done.diagnostics());
    }
    options.request.model = inputPath(options.request.model);
    Result<void> done = tune(std::move(options));
    if (!done)
      return fail(done.diagnostics());
    int code = finishOutput(ExitCode::success);
    return Interrupt::isRequested() ? Interrupt::exitCode : code;
  });
}
