/// The library kernels on label sequences: warpctc (logits, label, logits_length, label_length; blank,
/// norm_by_times), ctc_align (input, length, offsets; blank, merge_repeated, padding_value), edit_distance
/// (hyps, refs, their lengths, their offsets; normalized) and gather_tree (ids, parents).
/// dialects/pd/ops/sequence/Labels.td says what they compute.
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/sequence/Sequences.h"

#include "dialects/pd/ops/sequence/Labels.kernels.inc"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proa::runtime {
namespace {

//===-- warpctc -----------------------------------------------------------------------------------------===//

/// The cost of one sample by the forward-backward algorithm over the labels with blanks around each.
template <class T> class CtcSample {
public:
  /// logits: row t of `stride` numbers after row t - 1.
  CtcSample(const T *logits, int64_t stride, int64_t time, int64_t classes, std::span<const int64_t> labels,
            int64_t blank)
      : time(time), classes(classes), states(2 * static_cast<int64_t>(labels.size()) + 1), blank(blank),
        labels(labels), logits(logits), stride(stride),
        logProbabilities(static_cast<size_t>(time * classes)) {
    for (int64_t t = 0; t < time; ++t) {
      const T *row = logits + t * stride;
      T greatest = *std::max_element(row, row + classes), sum = 0;
      for (int64_t c = 0; c < classes; ++c)
        sum += std::exp(row[c] - greatest);
      for (int64_t c = 0; c < classes; ++c)
        logProbabilities[static_cast<size_t>(t * classes + c)] = row[c] - greatest - std::log(sum);
    }
  }

  /// Whether there is a path of that many steps: repeated labels need a blank between them.
  bool isPossible() const {
    int64_t needed = static_cast<int64_t>(labels.size());
    for (size_t i = 1; i < labels.size(); ++i)
      needed += labels[i] == labels[i - 1];
    return needed <= time && time > 0;
  }

  /// The negative logarithm of the probability; `gradient` gets its derivative by the logits.
  T cost(T *gradient, int64_t gradientStride) const {
    std::vector<T> alpha = forward(), beta = backward();
    auto at = [&](const std::vector<T> &table, int64_t t, int64_t s) {
      return table[static_cast<size_t>(t * states + s)];
    };
    T total = at(alpha, time - 1, states - 1);
    if (states > 1)
      total = logAdd(total, at(alpha, time - 1, states - 2));
    std::vector<T> perClass(static_cast<size_t>(classes));
    for (int64_t t = 0; gradient && t < time; ++t) {
      std::fill(perClass.begin(), perClass.end(), -std::numeric_limits<T>::infinity());
      for (int64_t s = 0; s < states; ++s) {
        T &sum = perClass[static_cast<size_t>(labelOf(s))];
        sum = logAdd(sum, at(alpha, t, s) + at(beta, t, s));
      }
      for (int64_t c = 0; c < classes; ++c)
        gradient[t * gradientStride + c] =
            std::exp(probability(t, c)) - std::exp(perClass[static_cast<size_t>(c)] - total);
    }
    return -total;
  }

private:
  int64_t labelOf(int64_t state) const {
    return state % 2 == 0 ? blank : labels[static_cast<size_t>(state / 2)];
  }
  T probability(int64_t t, int64_t c) const { return logProbabilities[static_cast<size_t>(t * classes + c)]; }
  bool skips(int64_t state) const {
    return state % 2 == 1 && state >= 2 && labelOf(state) != labelOf(state - 2);
  }

  /// For each step and state the paths that lead there, with that step.
  std::vector<T> forward() const {
    std::vector<T> alpha(static_cast<size_t>(time * states), -std::numeric_limits<T>::infinity());
    for (int64_t s = 0; s < std::min<int64_t>(2, states); ++s)
      alpha[static_cast<size_t>(s)] = probability(0, labelOf(s));
    for (int64_t t = 1; t < time; ++t) {
      const T *before = alpha.data() + (t - 1) * states;
      for (int64_t s = 0; s < states; ++s) {
        T sum = before[s];
        if (s >= 1)
          sum = logAdd(sum, before[s - 1]);
        if (skips(s))
          sum = logAdd(sum, before[s - 2]);
        alpha[static_cast<size_t>(t * states + s)] = sum + probability(t, labelOf(s));
      }
    }
    return alpha;
  }

  /// For each step and state the paths that lead from there to the end, without that step.
  std::vector<T> backward() const {
    std::vector<T> beta(static_cast<size_t>(time * states), -std::numeric_limits<T>::infinity());
    for (int64_t s = std::max<int64_t>(0, states - 2); s < states; ++s)
      beta[static_cast<size_t>((time - 1) * states + s)] = 0;
    for (int64_t t = time - 1; t-- > 0;) {
      const T *after = beta.data() + (t + 1) * states;
      auto next = [&](int64_t s) { return after[s] + probability(t + 1, labelOf(s)); };
      for (int64_t s = 0; s < states; ++s) {
        T sum = next(s);
        if (s + 1 < states)
          sum = logAdd(sum, next(s + 1));
        if (s + 2 < states && skips(s + 2))
          sum = logAdd(sum, next(s + 2));
        beta[static_cast<size_t>(t * states + s)] = sum;
      }
    }
    return beta;
  }

  int64_t time, classes, states, blank;
  std::span<const int64_t> labels;
  const T *logits;
  int64_t stride;
  std::vector<T> logProbabilities;
};

/// Lengths, or `otherwise` for all of `count` samples; each within [0, most].
Result<std::vector<int64_t>> lengthsOf(const View &lengths, int64_t count, int64_t otherwise) {
  std::vector<int64_t> out(static_cast<size_t>(count), otherwise);
  if (!lengths)
    return out;
  Result<std::vector<int64_t>> given = integersOf(lengths);
  if (!given)
    return given;
  if (given->size() != out.size())
    return failure("there are {} lengths for {} samples", given->size(), count);
  for (int64_t length : *given)
    if (length < 0 || length > otherwise)
      return failure("found the length {}; expected 0 to {}", length, otherwise);
  return given;
}

template <class T> Result<void> warpctc(Call &call, int64_t blank) {
  const View &logits = call.input(0), &label = call.input(1);
  if (logits.rank() != 3 || label.rank() != 2 || label.dims[0] != logits.dims[1])
    return failure("the logits are {}, the labels {}; expected [time, batch, classes] and [batch, length]",
                   describe(logits.dtype, logits.dims), describe(label.dtype, label.dims));
  int64_t time = logits.dims[0], batch = logits.dims[1], classes = logits.dims[2], width = label.dims[1];
  if (blank < 0 || blank >= classes)
    return failure("blank is {}; expected 0 to {}", blank, classes - 1);
  Result<std::vector<int64_t>> times = lengthsOf(call.input(2), batch, time),
                               counts = lengthsOf(call.input(3), batch, width);
  Result<std::vector<int64_t>> labels = integersOf(label);
  for (const auto *list : {&times, &counts, &labels})
    if (!*list)
      return list->diagnostics();
  for (int64_t i = 0; i < batch; ++i)
    for (int64_t j = 0; j < (*counts)[static_cast<size_t>(i)]; ++j)
      if (int64_t value = (*labels)[static_cast<size_t>(i * width + j)]; value < 0 || value >= classes)
        return failure("label {} of sample {} is {}; expected 0 to {}", j, i, value, classes - 1);
  const int64_t lossDims[] = {batch, 1};
  OutputMemory memory;
  Result<View> loss = memory.get(call, 0, logits.dtype, lossDims);
  Result<View> gradient = memory.get(call, 1, logits.dtype, logits.dims);
  for (const Result<View> *result : {&loss, &gradient})
    if (!*result)
      return result->diagnostics();
  std::fill_n(gradient->template as<T>(), gradient->size(), T(0));
  parallelFor(batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      auto sample = static_cast<size_t>(i);
      std::span<const int64_t> own(labels->data() + i * width, static_cast<size_t>((*counts)[sample]));
      CtcSample<T> ctc(logits.as<T>() + i * classes, batch * classes, (*times)[sample], classes, own, blank);
      loss->template as<T>()[i] =
          ctc.isPossible() ? ctc.cost(call.hasOutput(1) ? gradient->template as<T>() + i * classes : nullptr,
                                      batch * classes)
                           : T(0);
    }
  });
  return {};
}

//===-- ctc_align ---------------------------------------------------------------------------------------===//

struct AlignAttributes {
  int64_t blank = 0, padding = 0;
  bool merges = true;
};

std::vector<int64_t> align(std::span<const int64_t> tokens, const AlignAttributes &attributes) {
  std::vector<int64_t> out;
  int64_t previous = -1;
  for (int64_t token : tokens) {
    if (token != attributes.blank && !(attributes.merges && token == previous))
      out.push_back(token);
    previous = token;
  }
  return out;
}

void storeInts(const View &view, int64_t first, std::span<const int64_t> values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (view.dtype == DType::Int64)
      view.as<int64_t>()[first + static_cast<int64_t>(i)] = values[i];
    else
      view.as<int32_t>()[first + static_cast<int64_t>(i)] = static_cast<int32_t>(values[i]);
}

Result<void> ctcAlign(Call &call, const AlignAttributes &attributes) {
  const View &input = call.input(0), &offsets = call.input(2);
  Result<std::vector<SequenceSpan>> spans = sequenceSpans(input, call.input(1), offsets);
  Result<std::vector<int64_t>> tokens = integersOf(input);
  if (!spans)
    return spans.diagnostics();
  if (!tokens)
    return tokens.diagnostics();
  std::vector<std::vector<int64_t>> aligned;
  std::vector<int64_t> all, ends{0}, counts;
  for (auto [begin, length] : *spans) {
    aligned.push_back(align({tokens->data() + begin, static_cast<size_t>(length)}, attributes));
    all.insert(all.end(), aligned.back().begin(), aligned.back().end());
    ends.push_back(static_cast<int64_t>(all.size()));
    counts.push_back(static_cast<int64_t>(aligned.back().size()));
  }
  OutputMemory memory;
  if (!offsets) {
    const int64_t countDims[] = {input.dims[0], 1};
    Result<View> out = memory.get(call, 0, input.dtype, input.dims),
                 lengths = memory.get(call, 1, input.dtype, countDims);
    for (const Result<View> *result : {&out, &lengths})
      if (!*result)
        return result->diagnostics();
    storeInts(*out, 0, std::vector<int64_t>(static_cast<size_t>(out->size()), attributes.padding));
    for (size_t i = 0; i < aligned.size(); ++i)
      storeInts(*out, static_cast<int64_t>(i) * input.dims[1], aligned[i]);
    storeInts(*lengths, 0, counts);
    return {};
  }
  if (all.empty()) // as Paddle: one row that says that there is nothing
    all = {-1};
  const int64_t rows[] = {static_cast<int64_t>(all.size()), 1},
                levels[] = {static_cast<int64_t>(ends.size())};
  Result<View> out = memory.get(call, 0, input.dtype, rows), lod = memory.get(call, 1, DType::Int64, levels);
  for (const Result<View> *result : {&out, &lod})
    if (!*result)
      return result->diagnostics();
  storeInts(*out, 0, all);
  storeInts(*lod, 0, ends);
  return {};
}

//===-- edit_distance -----------------------------------------------------------------------------------===//

int64_t editDistance(std::span<const int64_t> a, std::span<const int64_t> b) {
  std::vector<int64_t> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j)
    row[j] = static_cast<int64_t>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int64_t diagonal = std::exchange(row[0], static_cast<int64_t>(i));
    for (size_t j = 1; j <= b.size(); ++j) {
      int64_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

Result<void> editDistances(Call &call, bool normalized) {
  Result<std::vector<SequenceSpan>> hyps = sequenceSpans(call.input(0), call.input(2), call.input(4));
  Result<std::vector<SequenceSpan>> refs = sequenceSpans(call.input(1), call.input(3), call.input(5));
  Result<std::vector<int64_t>> hypTokens = integersOf(call.input(0)), refTokens = integersOf(call.input(1));
  for (const auto *list : {&hyps, &refs})
    if (!*list)
      return list->diagnostics();
  for (const auto *list : {&hypTokens, &refTokens})
    if (!*list)
      return list->diagnostics();
  if (hyps->size() != refs->size())
    return failure("there are {} hypotheses for {} references", hyps->size(), refs->size());
  const int64_t one[] = {1}, columns[] = {static_cast<int64_t>(hyps->size()), 1};
  OutputMemory memory;
  Result<View> count = memory.get(call, 0, DType::Int64, one),
               out = memory.get(call, 1, DType::Float32, columns);
  for (const Result<View> *result : {&count, &out})
    if (!*result)
      return result->diagnostics();
  count->as<int64_t>()[0] = static_cast<int64_t>(hyps->size());
  for (size_t i = 0; i < hyps->size(); ++i) {
    auto [a, m] = (*hyps)[i];
    auto [b, n] = (*refs)[i];
    if (normalized && n == 0)
      return failure("reference {} is empty: its distance cannot be divided by its length", i);
    int64_t distance = editDistance({hypTokens->data() + a, static_cast<size_t>(m)},
                                    {refTokens->data() + b, static_cast<size_t>(n)});
    out->as<float>()[i] = static_cast<float>(distance) / (normalized ? static_cast<float>(n) : 1.0f);
  }
  return {};
}

//===-- gather_tree -------------------------------------------------------------------------------------===//

Result<void> gatherTree(Call &call) {
  const View &ids = call.input(0), &parents = call.input(1);
  if (ids.rank() != 3 ||
      !std::equal(ids.dims.begin(), ids.dims.end(), parents.dims.begin(), parents.dims.end()))
    return failure("ids are {}, parents {}; expected [time, batch, beam] of both",
                   describe(ids.dtype, ids.dims), describe(parents.dtype, parents.dims));
  Result<std::vector<int64_t>> tokens = integersOf(ids), links = integersOf(parents);
  for (const auto *list : {&tokens, &links})
    if (!*list)
      return list->diagnostics();
  Result<View> out = call.output(0, ids.dims);
  if (!out)
    return out.diagnostics();
  int64_t time = ids.dims[0], beam = ids.dims[2], row = ids.dims[1] * beam;
  std::vector<int64_t> chosen(tokens->size());
  for (int64_t i = 0; i < row; ++i) {
    int64_t from = i % beam;
    for (int64_t t = time; t-- > 0;) {
      if (from < 0 || from >= beam)
        return failure("a parent at time {} is {}; expected 0 to {}", t + 1, from, beam - 1);
      auto at = static_cast<size_t>(t * row + i / beam * beam + from);
      chosen[static_cast<size_t>(t * row + i)] = (*tokens)[at];
      from = (*links)[at];
    }
  }
  storeInts(*out, 0, chosen);
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeWarpctc(const WarpctcAttributes &op,
                                                   const KernelRequest &request) {
  int64_t blank = op.blank;
  return floatKernel(request, 2,
                     [blank](Call &call, auto zero) { return warpctc<decltype(zero)>(call, blank); });
}

Result<std::unique_ptr<LibraryKernel>> makeCtcAlign(const CtcAlignAttributes &op,
                                                    const KernelRequest &request) {
  Checks checks(request);
  AlignAttributes attributes;
  attributes.blank = op.blank;
  attributes.padding = op.paddingValue;
  attributes.merges = op.mergeRepeated;
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([attributes](Call &call) { return ctcAlign(call, attributes); });
}

Result<std::unique_ptr<LibraryKernel>> makeEditDistance(const EditDistanceAttributes &op,
                                                        const KernelRequest &request) {
  bool normalized = op.normalized;
  return makeKernel([normalized](Call &call) { return editDistances(call, normalized); });
}

Result<std::unique_ptr<LibraryKernel>> makeGatherTree(const GatherTreeAttributes &op,
                                                      const KernelRequest &request) {
  return makeKernel(gatherTree);
}

} // namespace proa::runtime
