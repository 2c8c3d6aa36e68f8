/// Mappings of checkpoints: how each tensor of the result is composed of tensors of the input.
#pragma once

#include "lib/checkpoint/transform/Composition.h"
#include "lib/checkpoint/transform/Statement.h"
#include "lib/checkpoint/transform/TensorInfo.h"

#include <deque>
#include <variant>

namespace proa::transform {

/// A tensor of which results are composed.
struct Source {
  /// All elements are `value`.
  struct Fill {
    double value = 0;
  };
  /// The sum of weights[i] * terms[i], computed in double and rounded to the dtype.
  struct Average {
    std::vector<std::shared_ptr<const Composition>> terms;
    std::vector<double> weights;
    /// Tensors that a computation reads: the tensors of the terms, which may be averages too.
    size_t tensors = 0;
  };

  /// The tensor of the input; empty for one that is computed.
  std::string name;
  DType dtype = DType::Float32;
  std::vector<int64_t> dims;
  std::variant<std::monostate, Fill, Average> computed = {};

  bool isStored() const { return computed.index() == 0; }
};

/// A tensor of the result.
struct Target {
  std::string name;
  DType dtype = DType::Float32;
  /// Of a parameter and of its optimizer states; without pieces, the tensor keeps the value that it has
  /// (`_ -> a` without `shape`).
  std::shared_ptr<const Composition> composition;
  /// Stored sources are states of this kind, and casts do not apply. Null: they are parameters.
  const OptimizerState *state = nullptr;

  const std::vector<int64_t> &dims() const { return composition->dims; }
};

/// A box of a target that is a box of one source.
struct Fragment {
  const Source *source = nullptr;
  Box sourceBox, targetBox;
  const Adaptation *adaptation = nullptr;
};

class Mapping {
public:
  /// Sorted by name.
  std::vector<Target> targets;
  /// Fragments point to them.
  std::deque<Source> sources;
  Adaptations adaptations;
  /// For example patterns that match nothing.
  Diagnostics warnings;

  const Target *find(std::string_view name) const;
  /// The fragments of a box of a target, for example of a shard. They are disjoint and cover it.
  void fragmentsOf(const Target &target, const Box &box, std::vector<Fragment> &fragments) const;
  /// The same for a box of a composition.
  void fragmentsOf(const Composition &composition, const Box &box, std::vector<Fragment> &fragments) const;
  /// The name of the tensor of the input that a source of a target is.
  static std::string nameOf(const Source &source, const Target &target) {
    return target.state ? source.name + std::string(target.state->suffix) : source.name;
  }
};

struct MappingOptions {
  /// The tensors of the result, if they are known: all are composed, dims and dtypes are checked, and `*` on
  /// the right matches their names. Otherwise the result has each name that is assigned or unchanged and that
  /// no statement reads afterwards.
  const TensorInfos *targets = nullptr;
  /// Apply the inverse of the statements, from the last to the first.
  bool isInverse = false;
};

/// Applies statements to the tensors of a checkpoint. Statements name parameters; optimizer states follow
/// their parameter. Errors, all at once if they are of one step: errors of `expand`; names that no tensor
/// has, dims that do not fit, dtypes that differ in a merge; targets that nothing assigns.
Result<Mapping> mapTensors(const std::vector<Statement> &statements, const TensorInfos &inputs,
                           const MappingOptions &options = {});

} // namespace proa::transform
