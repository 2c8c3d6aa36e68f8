#include "tools/proa-opt/Help.h"

#include "mlir/Pass/PassRegistry.h"

#include "llvm/Support/raw_ostream.h"

#include <vector>

namespace proa::tools {
namespace {

struct Group {
  const char *title;
  std::vector<const char *> passes;
};

/// In pipeline order. A test compares the list with the records in passes/.
const std::vector<Group> &groups() {
  static const std::vector<Group> groups = {
      {"Normalization: types and shapes", {"pd-refine-shapes", "pd-canonicalize"}},
      {"Decomposition into primitives", {"pd-decompose"}},
      {"Derivatives",
       {"pd-checkpoint", "pd-grad", "pd-vjp", "pd-jvp", "pd-vmap", "pd-hessian", "pd-lower-for"}},
      {"Training programs",
       {"pd-scale-loss", "pd-accumulate", "pd-amp", "pd-widen-library-ops", "pd-rematerialize"}},
      {"Layout", {"pd-drop-taps", "pd-scale-channels", "pd-channels-last", "pd-read-channels-first"}},
      {"Sharding",
       {"pd-annotate-sharding-rules", "dist-annotate", "dist-apply-strategy", "dist-propagate",
        "dist-pipeline", "dist-partition", "dist-expand-reshard", "dist-split-all-reduce",
        "dist-merge-collectives", "dist-sink-reductions", "dist-choose-rings", "dist-decompose-rings",
        "dist-hoist-collectives", "dist-gather-at-uses", "dist-overlap-collectives",
        "dist-from-process-groups", "dist-to-process-groups", "dist-lower-collectives"}},
      {"Fusion",
       {"pd-form-attention", "pd-fold-repeats", "pd-form-block-matmuls", "pd-form-integer-products",
        "pd-fold-batch-norm", "pd-merge-branches", "pd-fuse-epilogues", "pd-form-composites",
        "pd-form-kernels"}},
      {"Patterns of users", {"pd-apply-patterns"}},
      {"The machine", {"proa-set-target"}},
      {"States outside of the program", {"rt-offload-states"}},
      {"Kernels for the CPU, in pipeline order", {"proa-extract-kernels",      "pd-lower-to-linalg",
                                                  "proa-check-dims",           "proa-store-as-bytes",
                                                  "proa-widen-half-precision", "proa-canonicalize-kernels",
                                                  "proa-fuse-elementwise",     "proa-collapse-loops",
                                                  "proa-mark-fast-math",       "proa-choose-rows",
                                                  "proa-outline-shapes",       "proa-tile-rows",
                                                  "proa-bufferize-kernels",    "proa-block-sums",
                                                  "proa-transpose-blocks",     "proa-bound-scratch",
                                                  "proa-place-scratch",        "proa-split-short-loops",
                                                  "proa-expand-math",          "proa-call-remainders",
                                                  "proa-expand-arith",         "proa-expand-half-conversions",
                                                  "proa-wrap-kernels"}},
      {"Kernels for GPUs, in pipeline order",
       {"pd-expand-for-device", "proa-choose-attention", "proa-form-online-sums", "proa-choose-contraction",
        "proa-lower-grouped", "proa-choose-slices", "proa-split-reductions", "proa-stage-transposes",
        "proa-choose-launch", "proa-place-barriers", "proa-map-to-threads", "proa-lower-attention",
        "proa-place-shared", "proa-outline-device", "proa-convert-device-math", "proa-inline-device",
        "proa-emulate-gpu"}},
      {"Common passes of MLIR",
       {"canonicalize", "cse", "inline", "symbol-dce", "sccp", "print-ir", "location-snapshot",
        "strip-debuginfo"}},
  };
  return groups;
}

constexpr const char *usage = R"(proa-opt: runs passes of proa and of MLIR on IR files (text or bytecode)

Usage: proa-opt [options] <input file>        '-', or no file: stdin

Examples:
  proa-translate MODEL | proa-opt --pd-refine-shapes --canonicalize
  proa-opt --pd-decompose=only=pd.layer_norm model.mlir
  proa-opt --pass-pipeline='builtin.module(func.func(pd-channels-last),pd-form-kernels)' model.mlir
  proa-opt --proa-cpu --mlir-print-ir-after-all model.mlir

Options:
  -o <file>                       Output file; '-': stdout
  --pass-pipeline=<pipeline>      Runs a textual pass pipeline
  --pdl-patterns=<file>           Applies patterns in PDLL (*.pdll, or *.mlir of mlir-pdll) before the passes
  --cpu=<name>, --chip=<name>     The target: a CPU (avx2, avx512, generic) and a GPU (such as sm_90a)
  --target-facts=<file>           JSON file of facts of the target that differ from the known ones
  --print-target                  Prints the facts of the target that these options describe
  --load-pass-plugin=<file>       Loads a plugin of MLIR with passes
  --load-dialect-plugin=<file>    Loads a plugin of MLIR with dialects
  --verify-diagnostics            Compares the errors with the expected-error comments of the input
  --split-input-file              Processes each module between lines of '// -----' separately
  --emit-bytecode                 Writes bytecode (to a terminal only with -f)
  --check-numerics                Runs the program before and after each pass; names the first that changes results
  --check-numerics-inputs=<file>  Inputs by name from a safetensors file
  --check-numerics-range=<low,high>
                                  Bounds of random inputs; default: floats in [-1, 1), integers 0 or 1
  --check-numerics-samples=<n>    Number of samples of random inputs
  --check-numerics-seed=<n>       Seed of random inputs
  --check-numerics-finite         Leaves out samples with NaN and infinities
  --check-numerics-dynamic-dim=<n>
                                  Size of dynamic dims
  --check-numerics-tolerance=<x>  Relative and absolute tolerance
  --check-numerics-bisect         Names the first rewrite of a pass that changed a result
  --mlir-print-ir-after-all       Prints the IR after each pass
  --mlir-print-ir-before-all      Prints the IR before each pass
  --mlir-print-ir-after-change    Prints the IR after each pass that changes it
  --mlir-print-op-on-diagnostic   Prints the op, which may be the whole module, with each error
  --mlir-print-ir-tree-dir=<dir>  Prints the IR into files
  --mlir-timing                   Prints the time of each pass
  --remarks=<regex>               Prints what passes with a matching name did and why they left an op unchanged
  --pass-statistics               Prints the ops before and after each pass, and how many it left unchanged with a
                                  reason (also --mlir-pass-statistics)
  --explain-sharding=<value>      Prints the decisions of dist-propagate that gave a value its sharding
  --show-dialects                 Lists the dialects
  --help, -h                      Prints this page
  --help-all                      Prints all passes of MLIR and all options of LLVM
  --version
)";

constexpr const char *exitCodes = R"(
Exit codes: 0 done, 1 something failed, 2 wrong command line.
)";

constexpr const char *pipelines = R"(
Pipelines:
    --proa-cpu                                    -   Lowers imported pd to library ops and kernel calls
    --proa-lower-kernels                          -   Lowers kernels to the LLVM dialect, without the other functions
)";

} // namespace

void printHelp() {
  llvm::outs() << usage << pipelines;
  constexpr size_t indent = 4, descriptionColumn = 52;
  for (const Group &group : groups()) {
    llvm::outs() << "\n" << group.title << ":\n";
    for (const char *argument : group.passes)
      if (const mlir::PassInfo *pass = mlir::PassInfo::lookup(argument))
        pass->printHelpStr(indent, descriptionColumn);
  }
  llvm::outs() << exitCodes;
}

} // namespace proa::tools
