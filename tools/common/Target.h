/// Options of compilation that tools share.
#pragma once

#include "proa/Amp.h"
#include "proa/Mesh.h"
#include "proa/Model.h"
#include "proa/Offload.h"
#include "tools/common/CommandLine.h"

#include <optional>
#include <string>

namespace proa::tools {

/// Values of --amp and --bf16.
struct AmpChoice {
  std::string level; ///< empty: no mixed precision
  bool bfloat16 = false;
  std::string lossScale; ///< empty: no loss scaling; `dynamic`, or a constant scale
};

/// Adds --amp and --bf16; returns --amp.
CLI::Option *declareAmp(CLI::App &line, AmpChoice &choice);

/// Adds --loss-scale, for training programs; `amp` is the option --amp.
void declareLossScale(CLI::App &line, CLI::Option *amp, AmpChoice &choice);

/// The options as AmpOptions; nothing without --amp.
std::optional<AmpOptions> ampOf(const AmpChoice &choice);

/// Values of --mesh, --shardings, --strategy and --simulate-mesh.
struct MeshChoice {
  MeshOptions mesh;
  bool isChosen = false;
};

/// Adds these options except --simulate-mesh; returns --mesh.
CLI::Option *declareMesh(CLI::App &line, MeshChoice &choice);
/// Adds --simulate-mesh.
void declareSimulatedMesh(CLI::App &line, MeshChoice &choice);

/// ModelOptions::mesh; nothing without any of the options.
std::optional<MeshOptions> meshOf(const MeshChoice &choice);

/// Options that keep states out of memory.
struct OffloadChoice {
  bool isChosen = false;
  OffloadOptions options;
};
void declareOffload(CLI::App &line, OffloadChoice &choice);
std::optional<OffloadOptions> offloadOf(const OffloadChoice &choice);

/// Adds --cpu (ModelOptions::cpu).
CLI::Option *declareCpu(CLI::App &line, std::string &cpu);
/// Adds --target-facts (ModelOptions::targetFacts).
void declareTargetFacts(CLI::App &line, std::string &file);

/// Adds --tf32 (ModelOptions::allowsTf32).
CLI::Option *declareTf32(CLI::App &line, bool &allowsTf32);
/// Adds --atomic-sums (ModelOptions::allowsAtomicSums).
CLI::Option *declareAtomicSums(CLI::App &line, bool &allowsAtomicSums);
/// Adds --optimize and --no-optimize (ModelOptions::codeOptimization).
void declareCodeOptimization(CLI::App &line, CodeOptimization &optimization);
/// Adds --no-optimize.
CLI::Option *declareNoOptimize(CLI::App &line, bool &optimizesCode);

/// Adds --specialize (ModelOptions::specialization).
CLI::Option *declareSpecialization(CLI::App &line, Specialization &specialization);

/// Adds --target (ModelOptions::target).
CLI::Option *declareTarget(CLI::App &line, std::string &target);

/// Adds --remarks (ModelOptions::remarks).
CLI::Option *declareRemarks(CLI::App &line, std::string &passes);

} // namespace proa::tools
