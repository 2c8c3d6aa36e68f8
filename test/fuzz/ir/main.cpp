// ir-fuzz: runs the passes of proa on mutants of valid modules.
#include "lib/base/support/Files.h"
#include "lib/compiler/compile/Registration.h"
#include "test/fuzz/ir/Minimize.h"
#include "test/fuzz/ir/Pipelines.h"
#include "test/fuzz/ir/Seeds.h"
#include "tools/common/CommandLine.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <set>

using namespace proa;
using namespace proa::fuzz;

namespace {

struct Options {
  std::vector<std::string> tests, programs, passes;
  std::string out = "ir-fuzz-failures";
  uint64_t seed = 1, cases = 0, seconds = 60;
  CaseLimits limits;
};

void declare(tools::CommandLine &line, Options &options) {
  line.add_option("tests", options.tests, "Folders of .mlir files")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR...");
  line.add_option("--program", options.programs,
                  "Model folder, or folder of cases, whose programs are imported")
      ->check(CLI::ExistingDirectory)
      ->allow_extra_args(false)
      ->type_name("DIR");
  line.add_option("--pass", options.passes, "Pass or pipeline; default: all of proa")
      ->allow_extra_args(false)
      ->type_name("NAME");
  line.add_option("--seed", options.seed, "Of the random numbers")->capture_default_str();
  line.add_option("--cases", options.cases, "Number of cases; 0: as many as the time allows")
      ->capture_default_str();
  line.add_option("--seconds", options.seconds, "Time limit; 0: none")->capture_default_str();
  line.add_option("--cpu-seconds", options.limits.cpuSeconds, "CPU time limit of a case")
      ->capture_default_str();
  line.add_option("-o,--out", options.out, "Folder for the failures, one file each")->capture_default_str();
}

class Fuzzer {
public:
  explicit Fuzzer(const Options &options)
      : options(options), context(registry(), mlir::MLIRContext::Threading::DISABLED), random(options.seed) {
    context.loadAllAvailableDialects();
  }

  Result<void> prepare() {
    for (const PassEntry &pass : registeredPasses())
      if (options.passes.empty() || llvm::is_contained(options.passes, pass.name))
        passes.push_back(pass);
    for (const std::string &folder : options.tests)
      addModulesOfTests(context, folder, modules);
    for (const std::string &folder : options.programs)
      addPrograms(context, folder, modules);
    if (modules.empty())
      return errorAt("", "there are no valid modules to begin with");
    if (passes.empty())
      return errorAt("--pass", "no pass has such a name");
    fmt::print("{} modules, {} passes and pipelines\n", modules.size(), passes.size());
    std::fflush(stdout); // a child would write it again
    return {};
  }

  bool run() {
    auto begin = std::chrono::steady_clock::now();
    auto isOver = [&](uint64_t cases) {
      auto elapsed = std::chrono::steady_clock::now() - begin;
      return (options.cases && cases >= options.cases) ||
             (options.seconds && elapsed > std::chrono::seconds(options.seconds));
    };
    uint64_t cases = 0;
    for (; !isOver(cases); ++cases)
      runOne(cases);
    fmt::print("{} cases:", cases);
    for (auto [outcome, count] : outcomes)
      fmt::print(" {} {},", count, nameOf(outcome));
    fmt::print(" {} different failures\n", failures.size());
    return failures.empty();
  }

private:
  const Options &options;
  mlir::MLIRContext context;
  Random random;
  Modules modules;
  std::vector<PassEntry> passes;
  std::map<Outcome, uint64_t> outcomes;
  std::set<std::string> failures;

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    registerProaPasses();
    return registry;
  }

  void runOne(uint64_t number) {
    size_t index = pick(random, modules.size());
    uint64_t seed = random();
    CaseResult result = runCase(
        *modules[index],
        [&](mlir::ModuleOp module) {
          Random own(seed);
          for (size_t i = pick(own, 5); i > 0; --i)
            mutate(module, own);
          return withOptions(pickFrom(own, passes), module, own);
        },
        options.limits);
    ++outcomes[result.outcome];
    if (result.outcome == Outcome::Passed)
      keep(result);
    // This process would crash too where it parses a mutant that crashes the verifier.
    if (isFailure(result.outcome) && failures.insert(failureKey(result)).second)
      report(number, result.pipeline == verifierName ? result : minimize(context, result, options.limits));
  }

  /// Results of passes become inputs of other passes.
  void keep(const CaseResult &result) {
    constexpr size_t maxModules = 5000;
    if (result.result == result.mutant)
      return;
    mlir::OwningOpRef<mlir::ModuleOp> module = parseSeed(context, result.result);
    if (module && modules.size() < maxModules)
      modules.push_back(std::move(module));
    else if (module)
      modules[pick(random, modules.size())] = std::move(module);
  }

  /// Writes the mutant as a failing test.
  void report(uint64_t number, const CaseResult &failure) {
    std::string name = failure.pipeline.substr(0, failure.pipeline.find('{')), values;
    if (name.size() < failure.pipeline.size())
      values =
          "='" + failure.pipeline.substr(name.size() + 1, failure.pipeline.size() - name.size() - 2) + "'";
    std::string pass = name == verifierName ? "" : " --" + name + values;
    std::string path = fmt::format("{}/{}-{}.mlir", options.out, number, name);
    std::string text = fmt::format("// RUN: proa-opt %s{}\n// {}\n", pass, nameOf(failure.outcome));
    for (llvm::StringRef line : llvm::split(llvm::StringRef(failure.message).trim(), '\n'))
      text += "// " + line.str() + "\n";
    std::filesystem::create_directories(options.out);
    if (Result<void> written = writeFile(path, text + "\n" + failure.mutant); !written)
      tools::fail(written.diagnostics());
    fmt::print("case {}: {}: {}: {}\n", number, failure.pipeline, nameOf(failure.outcome), path);
    std::fflush(stdout);
  }
};

} // namespace

int main(int argc, char **argv) {
  Options options;
  tools::CommandLine line("ir-fuzz",
                          "Runs the passes of proa on mutants of valid modules, each in a process of its own",
                          "A pass may refuse a module with a diagnostic. It fails if it crashes, hangs, "
                          "fails without a diagnostic, or makes "
                          "a module that does not verify.\n\nExample:\n  ir-fuzz test --program "
                          "test/corpus/models/nlp/tinybert --seconds 3600 "
                          "--seed 7");
  declare(line, options);
  if (std::optional<int> code = line.read(argc, argv))
    return *code;
  Fuzzer fuzzer(options);
  if (Result<void> prepared = fuzzer.prepare(); !prepared)
    return tools::fail(prepared.diagnostics());
  return tools::finishOutput(fuzzer.run() ? tools::ExitCode::success : tools::ExitCode::failure);
}
