#include "lib/checkpoint/transform/Expand.h"
#include "lib/checkpoint/transform/Mapping.h"

#include "lib/base/support/Suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace proa::transform {
namespace {

using CompositionPointer = std::shared_ptr<const Composition>;

/// The current value of a name.
struct Variable {
  /// Null after an error of the operation that assigns it.
  CompositionPointer composition = nullptr;
  bool isRead = false;
};

std::string textOfDims(const std::vector<int64_t> &dims) {
  return fmt::format("[{}]", fmt::join(dims, ", "));
}

/// Executes operations on compositions.
class Engine {
public:
  Engine(const ExpandedProgram &program, const TensorInfos &parameters, const TensorInfos *outputs,
         Mapping &mapping)
      : program(program), outputs(outputs), mapping(mapping) {
    variables.reserve(parameters.size() * 2);
    for (const auto &[name, info] : parameters)
      variables[name].composition = addSource({name, info.dtype, info.dims});
  }

  /// Errors: operations that do not fit their tensors. Operations on a value that an error prevents are
  /// skipped.
  void run(Diagnostics &diagnostics) {
    for (const Operation &operation : program.operations) {
      current = &operation;
      error.clear();
      if (execute(operation))
        continue;
      if (!error.empty())
        diagnostics.add(program.diagnosticAt(Diagnostic::Severity::Error, operation.origin, error));
      for (const std::string &target : operation.targets)
        variables[target].composition = nullptr;
    }
  }

  std::unordered_map<std::string, Variable> &values() { return variables; }

private:
  bool fail(std::string message) {
    error = std::move(message);
    return false;
  }
  void warn(const std::string &message) {
    mapping.warnings.add(program.diagnosticAt(Diagnostic::Severity::Warning, current->origin, message));
  }

  CompositionPointer addSource(Source source) {
    auto index = static_cast<uint32_t>(mapping.sources.size());
    auto composition =
        std::make_shared<Composition>(wholeSource(index, source.dtype, source.dims, mapping.adaptations));
    mapping.sources.push_back(std::move(source));
    return composition;
  }

  /// The value of a name, or null.
  CompositionPointer read(const std::string &name) {
    auto at = variables.find(name);
    if (at == variables.end()) {
      fail(
          fmt::format("no tensor has the name `{}`, expected one of the input or one that a statement before "
                      "assigns{}",
                      name, suggest(name)));
      return nullptr;
    }
    at->second.isRead = true;
    return at->second.composition;
  }

  /// Near names for the first errors only: a search takes milliseconds in a large checkpoint.
  std::string suggest(const std::string &name) {
    if (++suggestions > 10)
      return "";
    std::vector<std::string> names;
    for (const auto &[known, variable] : variables)
      names.push_back(known);
    std::ranges::sort(names);
    return didYouMean(name, names);
  }

  bool assign(const std::string &name, Composition composition) {
    return assign(name, std::make_shared<Composition>(std::move(composition)));
  }
  bool assign(const std::string &name, CompositionPointer composition) {
    Variable &variable = variables[name];
    if (variable.composition && !variable.isRead)
      warn(fmt::format("`{}` is assigned again, its value was not read", name));
    variable = {std::move(composition)};
    return true;
  }

  /// The axis counted from the start, or an error.
  std::optional<size_t> axisOf(const Composition &composition) {
    auto rank = static_cast<int64_t>(composition.rank());
    int64_t axis = current->axis + (current->axis < 0 ? rank : 0);
    if (axis >= 0 && axis < rank)
      return static_cast<size_t>(axis);
    fail(fmt::format("`axis` is {}, but `{}` has dims {}, expected {}", current->axis,
                     current->sources.front(), textOfDims(composition.dims),
                     rank == 0 ? "a tensor with dimensions" : fmt::format("-{} to {}", rank, rank - 1)));
    return std::nullopt;
  }

  bool execute(const Operation &operation) {
    switch (operation.kind) {
    case OperationKind::Add:
      return add(operation);
    case OperationKind::Merge:
      return merge(operation);
    case OperationKind::Average:
      return average(operation);
    default:
      break;
    }
    CompositionPointer source = read(operation.sources.front());
    if (!source)
      return false;
    switch (operation.kind) {
    case OperationKind::Split:
      return split(operation, *source);
    case OperationKind::Transpose:
      return transpose(operation, *source);
    case OperationKind::Cast:
      return cast(operation, *source);
    case OperationKind::Rotary:
      return rotary(operation, *source);
    case OperationKind::Drop:
      variables.erase(operation.sources.front());
      return true;
    default:
      return assign(operation.targets.front(), source);
    }
  }

  /// Sizes of the targets of a split: the sizes in the statement, else of the tensors of the result, else
  /// equal ones.
  bool sizesOfSplit(const Operation &operation, const Composition &source, size_t axis,
                    std::vector<int64_t> &sizes) {
    int64_t whole = source.dims[axis];
    sizes = operation.sizes;
    if (sizes.empty() && outputs) {
      for (const std::string &target : operation.targets)
        if (auto at = outputs->find(target); at != outputs->end() && at->second.dims.size() == source.rank())
          sizes.push_back(at->second.dims[axis]);
      if (sizes.size() != operation.targets.size() ||
          std::accumulate(sizes.begin(), sizes.end(), int64_t(0)) != whole)
        sizes.clear();
    }
    auto count = static_cast<int64_t>(operation.targets.size());
    if (sizes.empty() && whole % count == 0)
      sizes.assign(operation.targets.size(), whole / count);
    if (sizes.empty())
      return fail(fmt::format(
          "dim {} of `{}` is {}, expected a multiple of {}, the number of targets; `sizes` splits "
          "unequally",
          axis, operation.sources.front(), whole, count));
    int64_t rest = whole;
    for (int64_t size : sizes)
      rest = rest < size ? -1 : rest - size;
    if (rest != 0)
      return fail(fmt::format("`sizes` are [{}], expected a sum of {}, dim {} of `{}`",
                              fmt::join(sizes, ", "), whole, axis, operation.sources.front()));
    return true;
  }

  bool split(const Operation &operation, const Composition &source) {
    std::vector<int64_t> sizes;
    std::optional<size_t> axis = axisOf(source);
    if (!axis || !sizesOfSplit(operation, source, *axis, sizes))
      return false;
    std::vector<Composition> results = splitComposition(source, *axis, sizes, mapping.adaptations);
    for (size_t i = 0; i < results.size(); ++i)
      assign(operation.targets[i], std::move(results[i]));
    return true;
  }

  /// The sources, of equal dtypes and of equal dims except along `axis`.
  bool readEqual(const Operation &operation, bool hasAxis, std::vector<CompositionPointer> &sources,
                 size_t &axis) {
    for (const std::string &name : operation.sources) {
      sources.push_back(read(name));
      if (!sources.back())
        return false;
    }
    const Composition &first = *sources.front();
    std::optional<size_t> checkedAxis = hasAxis ? axisOf(first) : first.rank();
    if (!checkedAxis)
      return false;
    axis = *checkedAxis;
    for (size_t i = 0; i < sources.size(); ++i) {
      const Composition &source = *sources[i];
      if (source.dtype != first.dtype)
        return fail(fmt::format("`{}` is {} and `{}` is {}, expected equal dtypes; cast one before",
                                operation.sources[0], nameOf(first.dtype), operation.sources[i],
                                nameOf(source.dtype)));
      bool fits = source.rank() == first.rank();
      for (size_t dim = 0; fits && dim < source.rank(); ++dim)
        fits = dim == axis || source.dims[dim] == first.dims[dim];
      if (!fits)
        return fail(fmt::format("`{}` has dims {} and `{}` has {}, expected equal dims{}",
                                operation.sources[0], textOfDims(first.dims), operation.sources[i],
                                textOfDims(source.dims), hasAxis ? fmt::format(" except dim {}", axis) : ""));
      if (!operation.sizes.empty() && source.dims[axis] != operation.sizes[i])
        return fail(fmt::format("dim {} of `{}` is {}, expected {} (`sizes`)", axis, operation.sources[i],
                                source.dims[axis], operation.sizes[i]));
    }
    return true;
  }

  /// Limits against statements that double a tensor again and again.
  bool fits(const std::vector<CompositionPointer> &sources, size_t axis) {
    constexpr size_t mostPieces = 1 << 20;
    size_t pieces = 0;
    std::vector<int64_t> dims = sources.front()->dims;
    dims[axis] = 0;
    for (const CompositionPointer &source : sources) {
      pieces += source->size();
      if (__builtin_add_overflow(dims[axis], source->dims[axis], &dims[axis]) || !elementCount(dims))
        return fail("the result of the merge has too many elements");
    }
    return pieces <= mostPieces ||
           fail(fmt::format("the result of the merge has {} pieces, at most {}", pieces, mostPieces));
  }

  bool merge(const Operation &operation) {
    std::vector<CompositionPointer> sources;
    size_t axis = 0;
    if (!readEqual(operation, true, sources, axis) || !fits(sources, axis))
      return false;
    std::vector<const Composition *> compositions;
    for (const CompositionPointer &source : sources)
      compositions.push_back(source.get());
    return assign(operation.targets.front(), mergeCompositions(compositions, axis, mapping.adaptations));
  }

  /// The most tensors that a piece is computed from.
  size_t tensorsOf(const Composition &composition) const {
    size_t most = 1;
    for (size_t i = 0; i < composition.size(); ++i)
      if (auto *average =
              std::get_if<Source::Average>(&mapping.sources[composition.piece(i).source].computed))
        most = std::max(most, average->tensors);
    return most;
  }

  bool average(const Operation &operation) {
    Source::Average average;
    size_t axis = 0;
    if (!readEqual(operation, false, average.terms, axis))
      return false;
    average.weights = operation.weights;
    const Composition first = *average.terms.front();
    if (first.dtype != DType::Float32 && first.dtype != DType::Float64 && first.dtype != DType::Float16 &&
        first.dtype != DType::BFloat16)
      return fail(fmt::format("`{}` is {}, expected a floating-point tensor for an average",
                              operation.sources[0], nameOf(first.dtype)));
    constexpr size_t mostTensors = 4096;
    for (const CompositionPointer &term : average.terms)
      average.tensors += tensorsOf(*term);
    if (average.tensors > mostTensors)
      return fail(fmt::format("the average is of {} tensors, at most {}", average.tensors, mostTensors));
    for (CompositionPointer &term : average.terms) {
      auto indexed = std::make_shared<Composition>(*term);
      indexed->buildIndex();
      term = indexed;
    }
    return assign(operation.targets.front(), addSource({"", first.dtype, first.dims, std::move(average)}));
  }

  bool transpose(const Operation &operation, const Composition &source) {
    std::vector<unsigned> permutation(operation.permutation.begin(), operation.permutation.end());
    if (permutation.empty())
      for (size_t dim = source.rank(); dim-- > 0;)
        permutation.push_back(static_cast<unsigned>(dim));
    if (permutation.size() != source.rank())
      return fail(fmt::format("`permute` has {} elements, but `{}` has dims {}", permutation.size(),
                              operation.sources.front(), textOfDims(source.dims)));
    return assign(operation.targets.front(), transposeComposition(source, permutation, mapping.adaptations));
  }

  bool cast(const Operation &operation, const Composition &source) {
    if (operation.sourceDType && *operation.sourceDType != source.dtype)
      warn(fmt::format("`{}` is {}, expected {} (`src_dtype`)", operation.sources.front(),
                       nameOf(source.dtype), nameOf(*operation.sourceDType)));
    if (nameOf(source.dtype).find("float") == std::string_view::npos || sizeOf(source.dtype) < 2)
      return fail(fmt::format("`{}` is {}, expected float16, bfloat16, float32 or float64 for a cast",
                              operation.sources.front(), nameOf(source.dtype)));
    return assign(operation.targets.front(), castComposition(source, *operation.dtype, mapping.adaptations));
  }

  bool rotary(const Operation &operation, const Composition &source) {
    std::optional<size_t> axis = axisOf(source);
    if (!axis)
      return false;
    int64_t whole = source.dims[*axis], head = whole / operation.heads;
    int64_t rotated = operation.rotaryDim == 0 ? head : operation.rotaryDim;
    if (whole % operation.heads != 0 || rotated > head || rotated % 2 != 0)
      return fail(fmt::format("dim {} of `{}` is {}, expected {} heads of an even size{}", *axis,
                              operation.sources.front(), whole, operation.heads,
                              operation.rotaryDim == 0 ? "" : fmt::format(" of at least {}", rotated)));
    if (whole == 0)
      return assign(operation.targets.front(), Composition(source));
    // Rows of rotated elements, and the rest of each head.
    std::vector<int64_t> sizes;
    for (int64_t i = 0; i < operation.heads; ++i) {
      sizes.insert(sizes.end(), static_cast<size_t>(rotated), 1);
      sizes.push_back(head - rotated);
    }
    std::vector<Composition> rows = splitComposition(source, *axis, sizes, mapping.adaptations);
    std::vector<const Composition *> order;
    for (int64_t i = 0; i < operation.heads; ++i) {
      auto first = static_cast<size_t>(i * (rotated + 1)), half = static_cast<size_t>(rotated / 2);
      for (size_t k = 0; k < 2 * half; ++k) {
        bool isHalf = operation.style == RotaryStyle::Half;
        order.push_back(&rows[first + (isHalf ? k % 2 * half + k / 2 : k % half * 2 + k / half)]);
      }
      order.push_back(&rows[first + 2 * half]);
    }
    return assign(operation.targets.front(), mergeCompositions(order, *axis, mapping.adaptations));
  }

  bool add(const Operation &operation) {
    const std::string &name = operation.targets.front();
    if (operation.dims)
      return assign(name, addSource({"", *operation.dtype, *operation.dims, Source::Fill{operation.value}}));
    // The tensor keeps its value: it has no pieces.
    const TensorInfo *info = nullptr;
    if (outputs)
      if (auto at = outputs->find(name); at != outputs->end())
        info = &at->second;
    if (!info)
      return fail(fmt::format("the dims of `{}` are not known, expected `shape` and `dtype`", name));
    return assign(name, Composition(info->dtype, info->dims));
  }

  const ExpandedProgram &program;
  const TensorInfos *outputs;
  Mapping &mapping;
  std::unordered_map<std::string, Variable> variables;
  const Operation *current = nullptr;
  std::string error;
  int suggestions = 0;
};

/// Creates the targets of the final values.
class TargetBuilder {
public:
  TargetBuilder(const TensorInfos &inputs, const TensorInfos *outputs, Mapping &mapping,
                Diagnostics &diagnostics)
      : inputs(inputs), outputs(outputs), mapping(mapping), diagnostics(diagnostics) {
    for (const auto &[name, info] : inputs)
      hasStates |= stateOf(name, inputs) != nullptr;
  }

  void run(std::unordered_map<std::string, Variable> &values) {
    if (outputs)
      addRequested(values);
    else
      addUnread(values);
    std::ranges::sort(mapping.targets, {}, &Target::name);
    if (outputs)
      checkRequested();
    for (Target &target : mapping.targets)
      index(target);
  }

private:
  void addUnread(std::unordered_map<std::string, Variable> &values) {
    std::vector<std::string_view> names;
    for (auto &[name, variable] : values)
      if (!variable.isRead)
        names.push_back(name);
    std::ranges::sort(names);
    for (std::string_view name : names)
      addParameter(std::string(name), values.at(std::string(name)).composition);
  }

  /// All tensors of the result.
  void addRequested(std::unordered_map<std::string, Variable> &values) {
    TensorInfos parameters = parametersOf(*outputs);
    for (const auto &[name, info] : parameters) {
      auto at = values.find(name);
      if (at == values.end())
        diagnostics.add(
            name, "the result needs this tensor, but the input does not have it and no statement assigns "
                  "it");
      else if (at->second.composition->dims != info.dims)
        diagnostics.add(name, fmt::format("is composed with dims {}, expected {}",
                                          textOfDims(at->second.composition->dims), textOfDims(info.dims)));
      else
        addParameter(name, at->second.composition);
    }
  }

  void checkRequested() {
    for (const auto &[name, info] : *outputs) {
      const Target *target = mapping.find(name);
      if (!target && stateOf(name, *outputs))
        diagnostics.add(
            name, "the result needs this optimizer state, but the input has none for the tensors of which "
                  "the parameter is composed");
      else if (target && target->dtype != info.dtype)
        diagnostics.add(name, fmt::format("is composed as {}, expected {}; add a cast", nameOf(target->dtype),
                                          nameOf(info.dtype)));
    }
  }

  bool isRequested(const std::string &name) const { return !outputs || outputs->contains(name); }

  void addParameter(const std::string &name, const CompositionPointer &composition) {
    std::vector<const Source *> stored;
    collect(*composition, stored);
    auto isMissing = [&](const Source *source) { return !inputs.contains(source->name); };
    auto missing = static_cast<size_t>(std::ranges::count_if(stored, isMissing));
    if (missing > 0 && missing < stored.size())
      diagnostics.add(name, fmt::format("is composed of `{}`, of which the input has optimizer states only",
                                        (*std::ranges::find_if(stored, isMissing))->name));
    if (missing == 0 && isRequested(name))
      mapping.targets.push_back({name, composition->dtype, composition});
    if (!hasStates)
      return;
    for (const OptimizerState &state : optimizerStates)
      if (isRequested(name + std::string(state.suffix)))
        addState(name, composition, state, stored);
  }

  /// The tensors of the input that a composition has pieces of, once each.
  void collect(const Composition &composition, std::vector<const Source *> &stored) const {
    for (size_t i = 0; i < composition.size(); ++i) {
      const Source &source = mapping.sources[composition.piece(i).source];
      if (auto *average = std::get_if<Source::Average>(&source.computed))
        for (const CompositionPointer &term : average->terms)
          collect(*term, stored);
      else if (source.isStored() && (stored.empty() || stored.back() != &source))
        stored.push_back(&source);
    }
    std::ranges::sort(stored);
    stored.erase(std::ranges::unique(stored).begin(), stored.end());
  }

  /// A state is composed as its parameter. A scalar comes from the first source.
  void addState(const std::string &name, const CompositionPointer &composition, const OptimizerState &kind,
                const std::vector<const Source *> &stored) {
    std::string suffix(kind.suffix);
    std::vector<const TensorInfo *> infos;
    std::string missing, present;
    for (const Source *source : stored) {
      auto at = inputs.find(source->name + suffix);
      (at == inputs.end() ? missing : present) = source->name;
      if (at != inputs.end())
        infos.push_back(&at->second);
    }
    if (infos.empty())
      return;
    std::string target = name + suffix;
    if (!kind.hasParameterDims) {
      auto index = static_cast<uint32_t>(mapping.sources.size());
      Source &state = mapping.sources.emplace_back(present + suffix, infos.back()->dtype, infos.back()->dims);
      Composition whole = wholeSource(index, state.dtype, state.dims, mapping.adaptations);
      mapping.targets.push_back({target, state.dtype, std::make_shared<Composition>(std::move(whole))});
      return;
    }
    if (!missing.empty())
      return diagnostics.add(
          target, fmt::format("`{}` has the optimizer state `{}`, but `{}` does not, expected it for "
                              "all tensors of which the parameter is composed",
                              present, suffix, missing));
    for (size_t i = 0; i < infos.size(); ++i)
      if (infos[i]->dims != stored[i]->dims || infos[i]->dtype != infos[0]->dtype)
        return diagnostics.add(stored[i]->name + suffix,
                               fmt::format("is {}, expected {}", describe(infos[i]->dtype, infos[i]->dims),
                                           describe(infos[0]->dtype, stored[i]->dims)));
    mapping.targets.push_back({target, infos[0]->dtype, composition, &kind});
  }

  void index(Target &target) {
    if (target.composition->size() < 2)
      return;
    CompositionPointer &sorted = indexed[target.composition];
    if (!sorted) {
      auto copy = std::make_shared<Composition>(*target.composition);
      copy->buildIndex();
      sorted = copy;
    }
    target.composition = sorted;
  }

  const TensorInfos &inputs;
  const TensorInfos *outputs;
  Mapping &mapping;
  Diagnostics &diagnostics;
  bool hasStates = false;
  std::unordered_map<CompositionPointer, CompositionPointer> indexed;
};

} // namespace

Result<Mapping> mapTensors(const std::vector<Statement> &statements, const TensorInfos &inputs,
                           const MappingOptions &options) {
  Mapping mapping;
  Diagnostics diagnostics;
  TensorInfos parameters = parametersOf(inputs);
  std::optional<TensorInfos> outputs;
  if (options.targets)
    outputs = parametersOf(*options.targets);
  const TensorInfos *known = outputs ? &*outputs : nullptr;
  Result<ExpandedProgram> program =
      expand(statements, parameters, known, options.isInverse, mapping.warnings);
  if (!program)
    return program.diagnostics();
  Engine engine(*program, parameters, known, mapping);
  engine.run(diagnostics);
  if (diagnostics.empty())
    TargetBuilder(inputs, options.targets, mapping, diagnostics).run(engine.values());
  if (!diagnostics.empty())
    return diagnostics;
  return mapping;
}

} // namespace proa::transform
