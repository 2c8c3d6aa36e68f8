#include "tools/common/Target.h"

#include <cmath>
#include <cstdlib>

namespace proa::tools {

CLI::Option *declareAmp(CLI::App &line, AmpChoice &choice) {
  CLI::Option *amp =
      line.add_option("--amp", choice.level,
                      "Mixed precision: O1 computes matmuls and convolutions in 16 bits, O2 nearly all ops")
          ->check(CLI::IsMember({"O1", "O2"}));
  line.add_flag("--bf16", choice.bfloat16, "Uses bfloat16 instead of float16")->needs(amp);
  return amp;
}

namespace {

constexpr const char *dynamicScale = "dynamic";

/// A positive constant scale; nothing for other texts.
std::optional<double> scaleOf(const std::string &text) {
  char *end = nullptr;
  double scale = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && scale > 0 && std::isfinite(scale) ? std::optional(scale)
                                                                            : std::nullopt;
}

} // namespace

void declareLossScale(CLI::App &line, CLI::Option *amp, AmpChoice &choice) {
  line.add_option(
          "--loss-scale", choice.lossScale,
          "With --amp, for training programs: multiplies the loss by this scale and divides the gradients "
          "by it; dynamic: adapts the scale, and omits updates by gradients that are not finite")
      ->check([](const std::string &text) {
        return text == dynamicScale || scaleOf(text)
                   ? std::string()
                   : "found '" + text + "', expected dynamic or a positive number";
      })
      ->needs(amp)
      ->type_name("dynamic|NUMBER");
}

std::optional<AmpOptions> ampOf(const AmpChoice &choice) {
  if (choice.level.empty())
    return std::nullopt;
  AmpOptions options{.level = choice.level == "O1" ? AmpOptions::Level::O1 : AmpOptions::Level::O2,
                     .dtype = choice.bfloat16 ? DType::BFloat16 : DType::Float16};
  if (choice.lossScale == dynamicScale)
    options.scaling = AmpOptions::Scaling::Dynamic;
  else if (auto scale = scaleOf(choice.lossScale)) {
    options.scaling = AmpOptions::Scaling::Static;
    options.lossScale = *scale;
  }
  return options;
}

CLI::Option *declareMesh(CLI::App &line, MeshChoice &choice) {
  auto choose = [&choice](const std::string &) { choice.isChosen = true; };
  line.add_option("--shardings", choice.mesh.shardings,
                  "Shardings of feeds, parameters and fetches by name pattern (JSON)")
      ->check(checkName)
      ->each(choose)
      ->type_name("FILE");
  line.add_option(
          "--strategy", choice.mesh.strategy,
          "Strategy of parallel training: ppN with 1f1b or another schedule (auto searches for one, with "
          "memSIZE for the memory of a device), dpN, mpN, cpN, epN, sp, zero1, zero2, zero3, amp, amp2, "
          "recompute, accN, ring, noring, separated by commas")
      ->check(checkName)
      ->each(choose)
      ->type_name("PART,...");
  line.add_option("--schedule", choice.mesh.schedule,
                  "With stages (ppN): the order of their jobs, in the text form of proa-plan --schedule-text")
      ->check(checkName)
      ->each(choose)
      ->type_name("FILE");
  line.add_option("--rings", choice.mesh.rings,
                  "Axes of the process groups of a legacy collective program, by ring_id: 0=dp,1=mp,2=dp+mp; "
                  "auto: the "
                  "only axis, or all axes for group 0")
      ->check(checkName)
      ->each(choose)
      ->type_name("ID=AXIS,...");
  line.add_flag_callback(
      "--no-overlap", [&choice] { choice.mesh.overlap = false; },
      "With a mesh: collectives do not communicate while kernels run");
  line.add_option("--emulate-link", choice.mesh.emulatedLink,
                  "With a mesh: delays messages as a slower link does, such as 20us,1GB/s (measurements)")
      ->check(checkName)
      ->type_name("LATENCY,BANDWIDTH");
  line.add_option(
          "--memory-limit", choice.mesh.memoryLimit,
          "With a mesh: the most bytes of a device that source and result of one step of a reshard may take")
      ->check(CLI::PositiveNumber)
      ->type_name("BYTES");
  return line
      .add_option("--mesh", choice.mesh.axes,
                  "Runs on several devices: axes of the mesh and their sizes, from major to minor")
      ->check(checkName)
      ->each(choose)
      ->type_name("AXIS=SIZE,...");
}

void declareSimulatedMesh(CLI::App &line, MeshChoice &choice) {
  line.add_flag("--simulate-mesh", choice.mesh.simulate,
                "Runs all devices of the mesh as threads of this process, without mpirun")
      ->each([&choice](const std::string &) { choice.isChosen = true; });
}

std::optional<MeshOptions> meshOf(const MeshChoice &choice) {
  return choice.isChosen ? std::optional(choice.mesh) : std::nullopt;
}

void declareOffload(CLI::App &line, OffloadChoice &choice) {
  CLI::Option *folder =
      line.add_option(
              "--offload", choice.options.folder,
              "Training programs: keeps states of the optimizer in files of this folder between their uses")
          ->check(checkName)
          ->each([&choice](const std::string &) { choice.isChosen = true; })
          ->type_name("DIR");
  line.add_flag("--offload-parameters", choice.options.parameters, "With --offload: parameters too")
      ->needs(folder);
}

std::optional<OffloadOptions> offloadOf(const OffloadChoice &choice) {
  return choice.isChosen ? std::optional(choice.options) : std::nullopt;
}

CLI::Option *declareCpu(CLI::App &line, std::string &cpu) {
  return line
      .add_option(
          "--cpu", cpu,
          "The CPU that kernels are compiled for, by its LLVM name (x86-64-v3, znver4); default: this "
          "machine's CPU")
      ->check(checkName)
      ->type_name("NAME");
}

void declareTargetFacts(CLI::App &line, std::string &file) {
  line.add_option("--target-facts", file,
                  "JSON file of facts about the machine that differ from the known ones; proa-tune --measure "
                  "writes one")
      ->check(checkName)
      ->type_name("FILE");
}

CLI::Option *declareTf32(CLI::App &line, bool &allowsTf32) {
  return line.add_flag("--tf32", allowsTf32,
                       "On a GPU: matmuls and convolutions of float32 may round their operands to "
                       "TF32, with 10 bits of mantissa, which is several times as fast");
}

CLI::Option *declareAtomicSums(CLI::App &line, bool &allowsAtomicSums) {
  return line.add_flag(
      "--atomic-sums", allowsAtomicSums,
      "On a GPU: scattered elements may be added atomically, in an order that depends on the run");
}

CLI::Option *declareNoOptimize(CLI::App &line, bool &optimizesCode) {
  return line.add_flag_callback(
      "--no-optimize", [&optimizesCode] { optimizesCode = false; },
      "LLVM does not optimize kernels: they compile in about half the time, and run slower");
}

void declareCodeOptimization(CLI::App &line, CodeOptimization &optimization) {
  static const std::map<std::string, CodeOptimization> byName = {{"background", CodeOptimization::Background},
                                                                 {"always", CodeOptimization::Always},
                                                                 {"never", CodeOptimization::Never}};
  CLI::Option *when =
      line.add_option("--optimize", optimization,
                      "When LLVM optimizes kernels: background: those with little work after the first run, "
                      "but before runs are measured; always: before the first run; default: background")
          ->transform(CLI::CheckedTransformer(byName))
          ->type_name("never|always|background");
  line.add_flag_callback(
          "--no-optimize", [&optimization] { optimization = CodeOptimization::Never; },
          "The same as --optimize=never: kernels compile in about half the time, and run slower")
      ->excludes(when);
}

CLI::Option *declareSpecialization(CLI::App &line, Specialization &specialization) {
  static const std::map<std::string, Specialization> byName = {{"background", Specialization::Background},
                                                               {"always", Specialization::Always},
                                                               {"never", Specialization::Never}};
  return line
      .add_option(
          "--specialize", specialization,
          "Programs with dynamic dims: never: one program for all dims runs; always: each set of feed "
          "dims has a program of its own; background: the first step has, and others when they come "
          "back; default: background")
      ->transform(oneOf(byName));
}

CLI::Option *declareTarget(CLI::App &line, std::string &target) {
  return line
      .add_option("--target", target,
                  "The device: cpu, cuda, cuda:N (device number N), or cuda-emulated (kernels for a GPU, run "
                  "on the CPU); of a "
                  "list such as cuda,cpu the first that this machine can run; default: cpu")
      ->check(checkName)
      ->type_name("NAME,...");
}

CLI::Option *declareRemarks(CLI::App &line, std::string &passes) {
  return line
      .add_option("--remarks", passes,
                  "Prints what passes with a matching name did with an op, or why they left it unchanged")
      ->check(checkName)
      ->type_name("REGEX");
}

} // namespace proa::tools
