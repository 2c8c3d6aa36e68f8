/// Strategies of parallel training as text: "pp2,1f1b,dp2,mp2,zero1,amp,recompute".
#pragma once

#include "lib/base/pipeline/Builders.h"
#include "lib/base/spmd/Mesh.h"
#include "lib/base/spmd/RingCost.h"

#include "proa/Result.h"

#include <optional>
#include <vector>

namespace proa::spmd {

/// How often ZeRO (Rajbhandari et al. 2020) keeps a state on the ranks of data parallelism: each stage splits
/// one more of them.
enum class ZeroStage : uint8_t {
  None,
  /// States of the optimizer.
  Optimizer,
  /// Also gradients.
  Gradients,
  /// Also parameters.
  Parameters,
};

/// Components that are not in the text are off.
struct Strategy {
  /// Sizes of the axes; 1: the strategy does not use the axis; 0: the size of the axis of the mesh.
  int64_t pipeline = 1; ///< "pp": layers, in stages
  int64_t data = 1;     ///< "dp": batch
  int64_t context = 1;  ///< "cp": sequence, everywhere
  int64_t expert = 1;   ///< "ep": experts
  int64_t model = 1;    ///< "mp": columns and rows of weights (Shoeybi et al. 2019, "Megatron-LM")
  /// "sp": sequence over the axis mp, where tensor parallelism splits nothing (Korthikanti et al. 2022).
  bool sequence = false;
  ZeroStage zero = ZeroStage::None;
  /// ZeRO without "dp" and "sp" without "mp" use the axis of the mesh: its size is 0 then.
  bool impliesData = false, impliesModel = false;
  /// "amp" and "amp1": 1, "amp2": 2, off: 0.
  int ampLevel = 0;
  bool recompute = false;
  /// "acc4": the number of micro-batches. Without it a pipeline chooses one, and otherwise it is 1.
  std::optional<int64_t> microBatches;
  /// "1f1b", "zbh1", ...: the order in which the stages of a pipeline run their micro-batches
  /// (lib/base/pipeline/Builders.h); none: 1f1b.
  std::optional<pipeline::ScheduleKind> schedule;
  /// "interleaved2", "auto2": chunks of each rank of a pipeline; 0: as many as the schedule has by default,
  /// or of "auto" the number that is faster.
  int64_t chunks = 0;
  /// "mem80GB": bytes of a device, which the search of "auto" keeps; none: no limit.
  std::optional<double> memory;
  /// "cut12,cut40": stages after the first begin with these ops, by their indices in the imported program.
  std::vector<int64_t> cuts;
  /// "ring", "noring": whether attention over a split sequence (cp) and matmuls with a collective (mp) pass
  /// components around a ring of devices. Without it the model of costs decides (RingCost.h).
  RingUse rings = RingUse::ByCost;

  /// The size of an axis; 1 if no component has that name.
  int64_t sizeOf(std::string_view axis) const;
  /// The axes of size above 1, in the order pp, dp, cp, ep, mp.
  Mesh mesh() const;
};

/// Reads a strategy: components separated by commas, each at most once: ppN, the name of a schedule, dpN,
/// cpN, epN, mpN (or tpN), sp, zero1, zero2, zero3, amp (amp1), amp2, recompute, accN, memBYTES, ring,
/// noring, and cutN, which may occur several times. pp, dp, cp, ep and mp (tp) without a size have the size
/// of the axis of the mesh; so have dp where ZeRO is given without it, and mp where sp is. Errors: an unknown
/// component, a size that is missing or wrong, a component twice; all in one list.
Result<Strategy> parseStrategy(std::string_view text);

/// The strategy on a mesh, which may have axes that it does not use: all sizes are known. `mesh` is null if
/// there is none; then the strategy must have all sizes. Errors, in one list: a size that differs from the
/// size of the axis, an axis that the mesh lacks, sp without mp, ZeRO without dp, a schedule or cuts without
/// pp, a memory without "auto", another number of cuts than stages after the first.
Result<Strategy> strategyOnMesh(const Strategy &strategy, const Mesh *mesh);

} // namespace proa::spmd
