// proa-compile: compiles a program to a shared library with a C interface.
#include "lib/base/support/Files.h"
#include "lib/compiler/aot/Dependencies.h"
#include "lib/compiler/aot/LinkLibrary.h"
#include "lib/compiler/codegen/cuda/EmitPtx.h"
#include "lib/runtime/cuda/Libraries.h"
#include "tools/common/CommandLine.h"
#include "tools/common/Plugins.h"
#include "tools/common/ProgressBar.h"
#include "tools/common/Target.h"
#include "tools/common/Warnings.h"
#include "translator/params/ModelFolder.h"
#include "translator/params/ModelMeta.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>

using namespace proa;
using namespace proa::tools;

namespace {

namespace fs = std::filesystem;

struct Options {
  aot::LibraryRequest request;
  aot::LinkOptions link;
  AmpChoice amp;
  PluginChoice plugins;
  std::string target = cpu;
  std::vector<std::string> chips;
  std::vector<std::string> cudaLibraries;
  std::vector<std::string> dims;
  std::string header;
  bool printsDependencies = false;
  std::string emit = library;
  WarningChoice warnings;

  static constexpr const char *cpu = "cpu", *cuda = "cuda";
  static constexpr const char *noLibraries = "none";
  static constexpr const char *library = "library";
  static constexpr const char *archive = "archive";
  static constexpr const char *plan = "plan";
};

/// The program and the files that are written.
void declareFiles(CommandLine &line, Options &options) {
  aot::LibraryRequest &request = options.request;
  line.add_option("model", request.model,
                  "Folder of a program and its weights, the program's file, or an IR file (.mlir, .mlirbc)")
      ->required()
      ->type_name("MODEL");
  line.add_option("-o,--output", options.link.output, "Output file")
      ->required()
      ->check(checkName)
      ->type_name("FILE");
  line.add_option("--header", options.header, "Writes the C header of the library")
      ->check(checkName)
      ->type_name("FILE");
  line.add_flag("--print-dependencies", options.printsDependencies,
                "Prints the shared libraries that the library needs at run time, and where they are here");
  line.add_option("--name", options.link.prefix,
                  "Prefix of the C functions: NAME_create, ...; default: the name of the output file")
      ->type_name("NAME");
  line.add_option("--dims", options.dims, "Static dims of feeds; others stay as the program declares them")
      ->check(checkFeedDims)
      ->allow_extra_args(false)
      ->type_name("NAME=1x3x224x224,...");
  line.takeMoreValues("--dims", isFeedDims);
}

/// The CPU, the GPU and its libraries.
void declareMachine(CommandLine &line, Options &options) {
  aot::LibraryRequest &request = options.request;
  declareCpu(line, request.cpu);
  declareTargetFacts(line, request.targetFacts);
  line.add_option("--target", options.target,
                  "The device that runs the program: cpu, or cuda with the CPU for the rest")
      ->check(CLI::IsMember({Options::cpu, Options::cuda}))
      ->capture_default_str();
  declareTf32(line, request.allowsTf32);
  declareAtomicSums(line, request.allowsAtomicSums);
  std::vector<std::string> known;
  for (const cuda::ChipInfo &chip : cuda::knownChips())
    known.push_back(chip.name);
  line.add_option(
          "--chips", options.chips,
          "With --target=cuda: the chips that machine code is embedded for, with PTX beside it; default: "
          "sm_80,sm_90a,sm_100a")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(known))
      ->type_name("NAME,...");
  std::vector<std::string> libraries(cuda::libraryNames.begin(), cuda::libraryNames.end());
  libraries.emplace_back(Options::noLibraries);
  line.add_option(
          "--cuda-libraries", options.cudaLibraries,
          "With --target=cuda: the libraries that the machine with the device has; kernels or the host "
          "compute the rest. none: no library. Default: all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(libraries))
      ->type_name("NAME,...");
}

/// Compilation and linking.
void declareCompiler(CommandLine &line, Options &options) {
  aot::LibraryRequest &request = options.request;
  line.add_flag("--embed-weights", request.embedWeights, "Embeds the weights into the library");
  line.add_option("--function", request.function,
                  "Function of an IR file; default: main, else the only public function")
      ->type_name("NAME");
  line.add_option("--dump", request.dumpDirectory,
                  "Writes the IR after each stage, and for CUDA the code of each kernel, into this folder")
      ->check(checkName)
      ->type_name("DIR");
  declarePlugins(line, options.plugins, request.passes, request.patterns);
  declareRemarks(line, request.remarks);
  declareWarnings(line, options.warnings);
  line.add_option("--params", request.parameters, "Weights file; default: the file in the model's folder")
      ->type_name("FILE");
  line.add_option("--feeds", request.feeds,
                  "Fed variables; any variable may be fed. Ops that no fetch needs are left out")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  line.add_option("--fetches", request.fetches, "Fetched variables; any variable may be fetched")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  line.add_option(
          "--emit", options.emit,
          "library: a shared library; archive: the object code of kernels only; plan: the plan only (CBOR)")
      ->check(CLI::IsMember({Options::library, Options::archive, Options::plan}))
      ->capture_default_str();
  line.add_option(
          "--rpath", options.link.runpath,
          "Folders, separated by ':', in which the library looks for libproa_runtime.so after its own "
          "folder; '': none; default: the folder of this installation")
      ->type_name("DIR:...");
  line.add_option("--linker", options.link.linker,
                  "C compiler that links; default: the first of clang-22, clang, gcc, cc in $PATH")
      ->type_name("PROGRAM");
}

void declare(CommandLine &line, Options &options) {
  declareFiles(line, options);
  declareAmp(line, options.amp);
  declareMachine(line, options);
  declareCompiler(line, options);
}

/// Checks that CLI11 does not do; reports all errors.
Diagnostics checkOptions(Options &options) {
  Diagnostics diagnostics;
  options.request.dims = parseFeedDims(options.dims, diagnostics);
  options.request.amp = ampOf(options.amp);
  if (!options.chips.empty() && options.target != Options::cuda)
    diagnostics.add("--chips", "requires --target=cuda");
  if (!options.cudaLibraries.empty() && options.target != Options::cuda)
    diagnostics.add("--cuda-libraries", "requires --target=cuda");
  if (bool isNone = llvm::is_contained(options.cudaLibraries, Options::noLibraries);
      isNone && options.cudaLibraries.size() > 1)
    diagnostics.add("--cuda-libraries", "found none with other libraries, expected none alone");
  else if (isNone)
    options.request.cudaLibraries.emplace();
  else if (!options.cudaLibraries.empty())
    options.request.cudaLibraries = options.cudaLibraries;
  for (const std::string &chip : options.chips)
    if (!llvm::is_contained(options.request.chips, chip))
      options.request.chips.push_back(chip);
  if (options.target == Options::cuda && options.chips.empty())
    options.request.chips = {"sm_80", "sm_90a", "sm_100a"};
  if (options.link.prefix.empty())
    options.link.prefix = aot::prefixOf(options.link.output);
  else if (!aot::isIdentifier(options.link.prefix))
    diagnostics.add("--name", "found '" + options.link.prefix + "', expected a C identifier");
  if (options.emit != Options::library && !options.header.empty())
    diagnostics.add("--header", "requires --emit=library, found --emit=" + options.emit);
  if (options.emit != Options::library && options.printsDependencies)
    diagnostics.add("--print-dependencies", "requires --emit=library, found --emit=" + options.emit);
  if (options.emit != Options::library && options.request.embedWeights)
    diagnostics.add("--embed-weights", "--emit=" + options.emit + " does not write weights");
  return diagnostics;
}

/// Reads feeds and fetches of a case folder.
Result<void> readCase(aot::LibraryRequest &request) {
  auto files = params::findModel(request.model, request.parameters);
  if (!files)
    return files.diagnostics();
  bool isIr = files->program.ends_with(".mlir") || files->program.ends_with(".mlirbc");
  if (files->meta.empty() || isIr) // an IR file describes its own interface
    return {};
  auto meta = params::readModelMeta(files->meta);
  if (!meta)
    return meta.diagnostics();
  if (request.feeds.empty())
    request.feeds = meta->feeds;
  if (request.fetches.empty())
    request.fetches = meta->fetches;
  return {};
}

/// The folder above the folder of this executable.
std::string installation(const char *program) {
  std::string path = llvm::sys::fs::getMainExecutable(program, reinterpret_cast<void *>(&installation));
  return fs::path(path).parent_path().parent_path().string();
}

Result<void> write(const Options &options, const aot::CompiledLibrary &compiled) {
  if (options.emit == Options::archive)
    return writeFile(options.link.output, compiled.archive);
  if (options.emit == Options::plan) {
    std::vector<uint8_t> plan = runtime::serialize(compiled.description.plan);
    return writeFile(options.link.output, std::as_bytes(std::span(plan)));
  }
  if (auto done = aot::linkLibrary(compiled, options.link); !done)
    return done;
  return options.header.empty()
             ? Result<void>()
             : writeFile(options.header, aot::headerText(compiled.description, options.link.prefix));
}

/// Prints the written files with their sizes.
void report(const Options &options) {
  const std::string what = options.emit == Options::library   ? "shared library"
                           : options.emit == Options::archive ? "archive of kernels"
                                                              : "plan";
  auto line = [](const std::string &file, const std::string &kind) {
    std::error_code error;
    uintmax_t bytes = fs::file_size(file, error); // a device has no size
    fmt::print("wrote {}: {}{}\n", file, kind, error ? "" : ", " + sizeText(static_cast<int64_t>(bytes)));
  };
  line(options.link.output, what);
  if (!options.header.empty())
    line(options.header, "C header");
}

Result<void> printDependencies(const std::string &library) {
  auto dependencies = aot::dependenciesOf(library);
  if (!dependencies)
    return dependencies.diagnostics();
  for (const aot::Dependency &dependency : *dependencies)
    fmt::print("needs {}: {}\n", dependency.name, dependency.path.empty() ? "not found" : dependency.path);
  return {};
}

Result<void> work(Options options) {
  Diagnostics diagnostics;
  checkOutputFile(options.link.output, diagnostics);
  checkOutputFile(options.header, diagnostics);
  if (std::error_code ignored; options.emit == Options::library && fs::exists(options.link.output, ignored) &&
                               !fs::is_regular_file(options.link.output, ignored) && diagnostics.empty())
    diagnostics.add(options.link.output, "found a device, expected a file name");
  if (!diagnostics.empty())
    return diagnostics;
  if (auto done = loadPlugins(options.plugins); !done)
    return done;
  ProgressBar bar;
  options.request.name = options.link.prefix;
  options.request.progress = [&](const std::string &what, double fraction) { bar.show(what, fraction); };
  WarningPrinter warnings(options.warnings, [&] { bar.clear(); });
  if (!options.warnings.printsNone() || !options.request.remarks.empty())
    options.request.onDiagnostic = [&](const Diagnostic &diagnostic) { warnings.add(diagnostic); };
  if (auto done = readCase(options.request); !done)
    return done;
  auto compiled = aot::compileLibrary(options.request);
  warnings.finish();
  if (!compiled)
    return compiled.diagnostics();
  bar.show("linking", 1);
  Result<void> done = write(options, *compiled);
  bar.clear();
  if (done)
    report(options);
  return done && options.printsDependencies ? printDependencies(options.link.output) : done;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CommandLine line(
      "proa-compile",
      "Compiles a program ahead of time to a shared library with a C interface, which needs only\n"
      "libproa_runtime.so to run.",
      "  proa-compile resnet50 -o libresnet50.so --header resnet50.h --dims image=1x3x224x224\n"
      "  proa-compile resnet50 -o libresnet50.so --header resnet50.h --embed-weights\n"
      "  proa-compile model.pdmodel --emit=archive -o kernels.a\n"
      "  proa-compile bert -o libbert.so --header bert.h --target=cuda --chips=sm_90a\n"
      "  cc main.c -Linstall/lib -L. -lresnet50 -lproa_runtime -o main   (see examples/aot)\n");
  declare(line, options);
  if (std::optional<int> code = line.read(argc, argv))
    return *code;
  if (Diagnostics diagnostics = checkOptions(options); !diagnostics.empty())
    return failCommandLine(diagnostics);
  options.request.model = inputPath(options.request.model);
  options.link.installation = installation(argv[0]);
  return runTool(line, [&] {
    Result<void> done = work(std::move(options));
    return done ? static_cast<int>(ExitCode::success) : fail(done.diagnostics());
  });
}
