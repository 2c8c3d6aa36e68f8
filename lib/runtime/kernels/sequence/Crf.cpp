/// The library kernels of linear-chain conditional random fields. The transitions [tags + 2, tags] hold in
/// row 0 the weights of beginning with a tag, in row 1 of ending with it, in row 2 + i of going from tag i to
/// each other. dialects/pd/ops/sequence/Labels.td says what they compute.
///
/// linear_chain_crf: emission, transition, label, length, offsets; its gradient: these and the cotangent.
/// crf_decoding: the same, label may be absent. viterbi_decode: input, transition, length;
/// include_bos_eos_tag.
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/sequence/Sequences.h"

#include "dialects/pd/ops/sequence/Labels.kernels.inc"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace proa::runtime {
namespace {

/// Emissions and transitions, checked.
struct Chain {
  std::vector<SequenceSpan> spans;
  int64_t tags = 0;

  static Result<Chain> check(Call &call) {
    const View &emission = call.input(0), &transition = call.input(1);
    int64_t tags = emission.rank() == 0 ? 0 : emission.dims.back();
    if (transition.rank() != 2 || transition.dims[0] != tags + 2 || transition.dims[1] != tags ||
        transition.dtype != emission.dtype)
      return failure("the transitions are {}; expected [{}, {}]", describe(transition.dtype, transition.dims),
                     tags + 2, tags);
    Result<std::vector<SequenceSpan>> spans = sequenceSpans(emission, call.input(3), call.input(4));
    if (!spans)
      return spans.diagnostics();
    return Chain{std::move(*spans), tags};
  }

  Result<std::vector<int64_t>> labels(const View &label, int64_t rows) const {
    Result<std::vector<int64_t>> out = integersOf(label);
    if (!out)
      return out;
    if (static_cast<int64_t>(out->size()) != rows)
      return failure("there are {} labels for {} rows", out->size(), rows);
    for (const SequenceSpan &span : spans)
      for (int64_t row = span.begin; row < span.begin + span.length; ++row)
        if (int64_t tag = (*out)[static_cast<size_t>(row)]; tag < 0 || tag >= tags)
          return failure("label {} is {}; expected 0 to {}", row, tag, tags - 1);
    return out;
  }
};

/// The row divided by its sum, which is returned.
template <class T> T normalize(T *row, int64_t count) {
  T sum = std::accumulate(row, row + count, T(0));
  for (int64_t i = 0; i < count; ++i)
    row[i] /= sum;
  return sum;
}

/// The probabilities of all paths of one sequence, normalized row by row so that none vanishes.
template <class T> class CrfSequence {
public:
  CrfSequence(const T *emission, const T *transition, int64_t length, int64_t tags, T *alpha,
              T *emissionPowers, const T *transitionPowers)
      : x(emission), w(transition), length(length), tags(tags), alpha(alpha), powers(emissionPowers),
        moves(transitionPowers) {}

  /// The logarithm of the sum over all paths.
  T partition() {
    T sum = 0;
    for (int64_t t = 0; t < length; ++t) {
      T greatest = *std::max_element(x + t * tags, x + (t + 1) * tags);
      for (int64_t i = 0; i < tags; ++i)
        powers[t * tags + i] = std::exp(x[t * tags + i] - greatest);
      for (int64_t i = 0; i < tags; ++i) {
        T paths = t == 0 ? moves[i] : T(0);
        for (int64_t j = 0; t > 0 && j < tags; ++j)
          paths += alpha[(t - 1) * tags + j] * moves[(j + 2) * tags + i];
        alpha[t * tags + i] = paths * powers[t * tags + i];
      }
      sum += greatest + std::log(normalize(alpha + t * tags, tags));
    }
    T last = 0;
    for (int64_t i = 0; i < tags; ++i)
      last += alpha[(length - 1) * tags + i] * moves[tags + i];
    return sum + std::log(last);
  }

  /// The weight of the labelled path.
  T score(const int64_t *labels) const {
    T sum = w[labels[0]] + x[labels[0]] + w[tags + labels[length - 1]];
    for (int64_t t = 1; t < length; ++t)
      sum += x[t * tags + labels[t]] + w[(labels[t - 1] + 2) * tags + labels[t]];
    return sum;
  }

  /// Adds the derivative of partition() - score(), times `factor`, after partition().
  void addGradient(const int64_t *labels, T factor, T *dx, T *dw) const {
    std::vector<T> beta(static_cast<size_t>(tags)), next(beta), pairs(static_cast<size_t>(tags * tags));
    for (int64_t i = 0; i < tags; ++i)
      beta[static_cast<size_t>(i)] = moves[tags + i];
    for (int64_t t = length; t-- > 0;) {
      for (int64_t i = 0; i < tags; ++i)
        next[static_cast<size_t>(i)] = alpha[t * tags + i] * beta[static_cast<size_t>(i)];
      normalize(next.data(), tags);
      for (int64_t i = 0; i < tags; ++i) {
        T share = factor * (next[static_cast<size_t>(i)] - (labels[t] == i ? T(1) : T(0)));
        dx[t * tags + i] += share;
        if (t == 0)
          dw[i] += share;
        if (t == length - 1)
          dw[tags + i] += share;
      }
      if (t == 0)
        break;
      for (int64_t j = 0; j < tags; ++j) {
        T sum = 0;
        for (int64_t i = 0; i < tags; ++i) {
          T after = moves[(j + 2) * tags + i] * powers[t * tags + i] * beta[static_cast<size_t>(i)];
          pairs[static_cast<size_t>(j * tags + i)] = alpha[(t - 1) * tags + j] * after;
          sum += after;
        }
        next[static_cast<size_t>(j)] = sum;
      }
      normalize(pairs.data(), tags * tags);
      pairs[static_cast<size_t>(labels[t - 1] * tags + labels[t])] -= 1;
      for (int64_t i = 0; i < tags * tags; ++i)
        dw[2 * tags + i] += factor * pairs[static_cast<size_t>(i)];
      normalize(next.data(), tags);
      std::swap(beta, next);
    }
  }

  /// The path of the greatest weight; of equal ones the path with the first tags.
  void decode(int64_t *path) const {
    std::vector<T> best(static_cast<size_t>(tags)), next(best);
    std::vector<int64_t> from(static_cast<size_t>(length * tags));
    for (int64_t i = 0; i < tags; ++i)
      best[static_cast<size_t>(i)] = w[i] + x[i];
    for (int64_t t = 1; t < length; ++t) {
      for (int64_t i = 0; i < tags; ++i) {
        int64_t chosen = 0;
        for (int64_t j = 1; j < tags; ++j)
          if (best[static_cast<size_t>(j)] + w[(j + 2) * tags + i] >
              best[static_cast<size_t>(chosen)] + w[(chosen + 2) * tags + i])
            chosen = j;
        from[static_cast<size_t>(t * tags + i)] = chosen;
        next[static_cast<size_t>(i)] =
            best[static_cast<size_t>(chosen)] + w[(chosen + 2) * tags + i] + x[t * tags + i];
      }
      std::swap(best, next);
    }
    for (int64_t i = 0; i < tags; ++i)
      best[static_cast<size_t>(i)] += w[tags + i];
    int64_t tag = std::max_element(best.begin(), best.end()) - best.begin();
    for (int64_t t = length; t-- > 0;) {
      path[t] = tag;
      tag = from[static_cast<size_t>(t * tags + tag)];
    }
  }

private:
  const T *x, *w;
  int64_t length, tags;
  T *alpha, *powers;
  const T *moves;
};

template <class T> Result<void> linearChainCrf(Call &call) {
  const View &emission = call.input(0), &transition = call.input(1);
  Result<Chain> chain = Chain::check(call);
  if (!chain)
    return chain.diagnostics();
  int64_t tags = chain->tags, rows = tags == 0 ? 0 : emission.size() / tags;
  Result<std::vector<int64_t>> labels = chain->labels(call.input(2), rows);
  if (!labels)
    return labels.diagnostics();
  const int64_t costDims[] = {static_cast<int64_t>(chain->spans.size()), 1};
  OutputMemory memory;
  Result<View> alpha = memory.get(call, 0, emission.dtype, emission.dims);
  Result<View> powers = memory.get(call, 1, emission.dtype, emission.dims);
  Result<View> moves = memory.get(call, 2, emission.dtype, transition.dims);
  Result<View> cost = memory.get(call, 3, emission.dtype, costDims);
  for (const Result<View> *result : {&alpha, &powers, &moves, &cost})
    if (!*result)
      return result->diagnostics();
  std::fill_n(alpha->as<T>(), alpha->size(), T(0));
  std::fill_n(powers->as<T>(), powers->size(), T(0));
  for (int64_t i = 0; i < transition.size(); ++i)
    moves->as<T>()[i] = std::exp(transition.as<T>()[i]);
  for (size_t i = 0; i < chain->spans.size(); ++i) {
    auto [begin, length] = chain->spans[i];
    CrfSequence<T> sequence(emission.as<T>() + begin * tags, transition.as<T>(), length, tags,
                            alpha->as<T>() + begin * tags, powers->as<T>() + begin * tags, moves->as<T>());
    cost->as<T>()[i] = length == 0 ? T(0) : sequence.partition() - sequence.score(labels->data() + begin);
  }
  return {};
}

template <class T> Result<void> linearChainCrfGradient(Call &call) {
  const View &emission = call.input(0), &transition = call.input(1), &cotangent = call.input(5);
  Result<Chain> chain = Chain::check(call);
  if (!chain)
    return chain.diagnostics();
  int64_t tags = chain->tags, rows = tags == 0 ? 0 : emission.size() / tags;
  Result<std::vector<int64_t>> labels = chain->labels(call.input(2), rows);
  if (!labels)
    return labels.diagnostics();
  if (cotangent.size() != static_cast<int64_t>(chain->spans.size()))
    return failure("the cotangent is {}; expected [{}, 1]", describe(cotangent.dtype, cotangent.dims),
                   chain->spans.size());
  OutputMemory memory;
  Result<View> dx = memory.get(call, 0, emission.dtype, emission.dims),
               dw = memory.get(call, 1, emission.dtype, transition.dims);
  for (const Result<View> *result : {&dx, &dw}) {
    if (!*result)
      return result->diagnostics();
    std::fill_n((*result)->template as<T>(), (*result)->size(), T(0));
  }
  std::vector<T> alpha(static_cast<size_t>(emission.size())), powers(alpha), moves;
  for (int64_t i = 0; i < transition.size(); ++i)
    moves.push_back(std::exp(transition.as<T>()[i]));
  for (size_t i = 0; i < chain->spans.size(); ++i) {
    auto [begin, length] = chain->spans[i];
    if (length == 0)
      continue;
    CrfSequence<T> sequence(emission.as<T>() + begin * tags, transition.as<T>(), length, tags,
                            alpha.data() + begin * tags, powers.data() + begin * tags, moves.data());
    sequence.partition();
    sequence.addGradient(labels->data() + begin, cotangent.as<T>()[i], dx->template as<T>() + begin * tags,
                         dw->template as<T>());
  }
  return {};
}

template <class T> Result<void> crfDecoding(Call &call) {
  const View &emission = call.input(0), &label = call.input(2);
  Result<Chain> chain = Chain::check(call);
  if (!chain)
    return chain.diagnostics();
  int64_t tags = chain->tags, rows = tags == 0 ? 0 : emission.size() / tags;
  const int64_t rowDims[] = {rows, 1};
  Result<View> path =
      call.output(0, emission.rank() == 2 ? std::span<const int64_t>(rowDims) : emission.dims.first(2));
  if (!path)
    return path.diagnostics();
  auto *out = path->as<int64_t>();
  std::fill_n(out, rows, 0);
  for (auto [begin, length] : chain->spans)
    if (length > 0)
      CrfSequence<T>(emission.as<T>() + begin * tags, call.input(1).as<T>(), length, tags, nullptr, nullptr,
                     nullptr)
          .decode(out + begin);
  if (!label)
    return {};
  Result<std::vector<int64_t>> labels = chain->labels(label, rows);
  if (!labels)
    return labels.diagnostics();
  for (auto [begin, length] : chain->spans)
    for (int64_t row = begin; row < begin + length; ++row)
      out[row] = out[row] == (*labels)[static_cast<size_t>(row)] ? 1 : 0;
  return {};
}

/// The best path of one sequence over an input [time, tags] and its weight.
template <class T>
T viterbi(const T *x, const T *w, int64_t length, int64_t tags, bool bounded, int64_t *path) {
  std::vector<T> best(x, x + tags), next(best);
  std::vector<int64_t> from(static_cast<size_t>(length * tags));
  for (int64_t i = 0; bounded && i < tags; ++i)
    best[static_cast<size_t>(i)] += w[(tags - 1) * tags + i];
  for (int64_t t = 1; t < length; ++t) {
    for (int64_t i = 0; i < tags; ++i) {
      int64_t chosen = 0;
      for (int64_t j = 1; j < tags; ++j)
        if (best[static_cast<size_t>(j)] + w[j * tags + i] >
            best[static_cast<size_t>(chosen)] + w[chosen * tags + i])
          chosen = j;
      from[static_cast<size_t>(t * tags + i)] = chosen;
      next[static_cast<size_t>(i)] =
          best[static_cast<size_t>(chosen)] + w[chosen * tags + i] + x[t * tags + i];
    }
    std::swap(best, next);
  }
  for (int64_t i = 0; bounded && i < tags; ++i)
    best[static_cast<size_t>(i)] += w[(tags - 2) * tags + i];
  int64_t tag = std::max_element(best.begin(), best.end()) - best.begin();
  T score = best[static_cast<size_t>(tag)];
  for (int64_t t = length; t-- > 0;) {
    path[t] = tag;
    tag = from[static_cast<size_t>(t * tags + tag)];
  }
  return score;
}

template <class T> Result<void> viterbiDecode(Call &call, bool bounded) {
  const View &x = call.input(0), &transition = call.input(1);
  int64_t tags = x.rank() == 3 ? x.dims[2] : 0;
  if (tags < (bounded ? 2 : 1) || transition.rank() != 2 || transition.dims[0] != tags ||
      transition.dims[1] != tags)
    return failure("the input is {}, the transitions are {}; expected [batch, time, tags] and [tags, tags]",
                   describe(x.dtype, x.dims), describe(transition.dtype, transition.dims));
  Result<std::vector<SequenceSpan>> spans = sequenceSpans(x, call.input(2), View());
  if (!spans)
    return spans.diagnostics();
  int64_t longest = 0;
  for (const SequenceSpan &span : *spans)
    longest = std::max(longest, span.length);
  const int64_t pathDims[] = {x.dims[0], longest};
  OutputMemory memory;
  Result<View> scores = memory.get(call, 0, x.dtype, x.dims.first(1)),
               paths = memory.get(call, 1, DType::Int64, pathDims);
  for (const Result<View> *result : {&scores, &paths})
    if (!*result)
      return result->diagnostics();
  std::fill_n(paths->as<int64_t>(), paths->size(), 0);
  for (size_t i = 0; i < spans->size(); ++i) {
    auto [begin, length] = (*spans)[i];
    scores->as<T>()[i] = length == 0
                             ? T(0)
                             : viterbi(x.as<T>() + begin * tags, transition.as<T>(), length, tags, bounded,
                                       paths->as<int64_t>() + static_cast<int64_t>(i) * longest);
  }
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeLinearChainCrf(const LinearChainCrfAttributes &op,
                                                          const KernelRequest &request) {
  return floatKernel(request, 3, [](Call &call, auto zero) { return linearChainCrf<decltype(zero)>(call); });
}

Result<std::unique_ptr<LibraryKernel>> makeLinearChainCrfGrad(const LinearChainCrfGradAttributes &op,
                                                              const KernelRequest &request) {
  return floatKernel(request, 3,
                     [](Call &call, auto zero) { return linearChainCrfGradient<decltype(zero)>(call); });
}

Result<std::unique_ptr<LibraryKernel>> makeCrfDecoding(const CrfDecodingAttributes &op,
                                                       const KernelRequest &request) {
  return floatKernel(request, 2, [](Call &call, auto zero) { return crfDecoding<decltype(zero)>(call); });
}

Result<std::unique_ptr<LibraryKernel>> makeViterbiDecode(const ViterbiDecodeAttributes &op,
                                                         const KernelRequest &request) {
  bool bounded = op.includeBosEosTag;
  return floatKernel(
      request, 3, [bounded](Call &call, auto zero) { return viterbiDecode<decltype(zero)>(call, bounded); });
}

} // namespace proa::runtime
