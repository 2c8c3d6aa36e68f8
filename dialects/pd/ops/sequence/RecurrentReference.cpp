//! Reference kernels of recurrent layers over sequences. Gradients are derivatives of the same computation.
#include "dialects/pd/ops/sequence/Attention.h"
#include "dialects/pd/ops/sequence/Recurrent.h"
#include "dialects/pd/reference/ComplexStep.h"
#include "dialects/pd/reference/Evaluate.h"

#include <array>
#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

using namespace complexstep;

Number activate(Activation kind, Number x) {
  switch (kind) {
  case Activation::Identity:
    return x;
  case Activation::Sigmoid:
    return 1.0 / (1.0 + std::exp(-x));
  case Activation::Tanh:
    return std::tanh(x);
  case Activation::Relu:
    return x.real() > 0 ? x : Number(0);
  }
  return x;
}

/// The inputs of a layer, each empty where it is absent.
struct Inputs {
  Numbers x, weight, bias, h0, c0;
  llvm::SmallVector<int64_t> offsets;
  size_t width;

  Numbers &operator[](size_t i) { return *std::array{&x, &weight, &bias, &h0, &c0}[i]; }
};

/// Whether the sequences cover all rows, and there is an initial state for each.
bool isWhole(const Inputs &in, int64_t gates) {
  llvm::ArrayRef<int64_t> ends = in.offsets;
  bool fits = in.width > 0 && !ends.empty() && ends.front() == 0 && llvm::is_sorted(ends) &&
              static_cast<size_t>(ends.back() * gates) * in.width == in.x.size();
  for (const Numbers *states : {&in.h0, &in.c0})
    fits = fits && (states->empty() || states->size() == (ends.size() - 1) * in.width);
  return fits;
}

/// Calls step(row, sequence, row before or -1) in the order of time.
template <class Step> void walk(const Inputs &in, bool reverse, Step step) {
  for (size_t s = 0; s + 1 < in.offsets.size(); ++s) {
    int64_t begin = in.offsets[s], end = in.offsets[s + 1], before = -1;
    for (int64_t t = 0; t < end - begin; ++t) {
      int64_t row = reverse ? end - 1 - t : begin + t;
      step(static_cast<size_t>(row), s, before);
      before = row;
    }
  }
}

/// State `k` before a row: of the row before, of the initial states, or zero.
Number stateBefore(const Numbers &states, const Numbers &initial, int64_t before, size_t sequence,
                   size_t width, size_t k) {
  if (before >= 0)
    return states[static_cast<size_t>(before) * width + k];
  return initial.empty() ? Number(0) : initial[sequence * width + k];
}

template <class Op> Numbers runGru(Op op, const Inputs &in) {
  size_t width = in.width;
  Numbers hidden(in.x.size() / 3);
  walk(in, op.getIsReverse(), [&](size_t row, size_t sequence, int64_t before) {
    Numbers h(width), u(width), r(width);
    for (size_t k = 0; k < width; ++k)
      h[k] = stateBefore(hidden, in.h0, before, sequence, width, k);
    auto input = [&](size_t column) {
      return in.x[row * 3 * width + column] + (in.bias.empty() ? Number(0) : in.bias[column]);
    };
    for (size_t k = 0; k < width; ++k) {
      Number forU = input(k), forR = input(width + k);
      for (size_t j = 0; j < width; ++j) {
        forU += h[j] * in.weight[j * 2 * width + k];
        forR += h[j] * in.weight[j * 2 * width + width + k];
      }
      u[k] = activate(op.getGateActivation(), forU);
      r[k] = activate(op.getGateActivation(), forR);
    }
    for (size_t k = 0; k < width; ++k) {
      Number forC = input(2 * width + k);
      for (size_t j = 0; j < width; ++j)
        forC += r[j] * h[j] * in.weight[2 * width * width + j * width + k];
      Number c = activate(op.getActivation(), forC);
      hidden[row * width + k] =
          op.getOriginMode() ? u[k] * h[k] + (1.0 - u[k]) * c : (1.0 - u[k]) * h[k] + u[k] * c;
    }
  });
  return hidden;
}

/// Hidden states, then cells.
template <class Op> std::array<Numbers, 2> runLstm(Op op, const Inputs &in) {
  size_t width = in.width;
  std::array<Numbers, 2> out{Numbers(in.x.size() / 4), Numbers(in.x.size() / 4)};
  auto &[hidden, cells] = out;
  walk(in, op.getIsReverse(), [&](size_t row, size_t sequence, int64_t before) {
    auto block = [&](size_t index, size_t k) {
      size_t column = index * width + k;
      Number sum = in.x[row * 4 * width + column] + in.bias[column];
      for (size_t j = 0; j < width; ++j)
        sum += stateBefore(hidden, in.h0, before, sequence, width, j) * in.weight[j * 4 * width + column];
      return sum;
    };
    auto peephole = [&](size_t index, size_t k) {
      return op.getUsePeepholes() ? in.bias[(4 + index) * width + k] : Number(0);
    };
    for (size_t k = 0; k < width; ++k) {
      Number c = stateBefore(cells, in.c0, before, sequence, width, k);
      Number candidate = activate(op.getCandidateActivation(), block(0, k)),
             i = activate(op.getGateActivation(), block(1, k) + c * peephole(0, k)),
             f = activate(op.getGateActivation(), block(2, k) + c * peephole(1, k));
      Number cell = candidate * i + c * f;
      Number o = activate(op.getGateActivation(), block(3, k) + cell * peephole(2, k));
      cells[row * width + k] = cell;
      hidden[row * width + k] = o * activate(op.getCellActivation(), cell);
    }
  });
  return out;
}

template <class Op> Inputs commonInputs(Op op, llvm::ArrayRef<Tensor> operands, int64_t gates) {
  auto tensorOf = [&](Value value) -> const Tensor * {
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (value && operand == value)
        return &operands[i];
    return nullptr;
  };
  Inputs in;
  in.x = numbersOf(*tensorOf(op.getX()));
  in.weight = numbersOf(*tensorOf(op.getWeight()));
  if (const Tensor *bias = tensorOf(op.getBias()))
    in.bias = numbersOf(*bias);
  if (const Tensor *h0 = tensorOf(op.getH0()))
    in.h0 = numbersOf(*h0);
  for (const Number &end : numbersOf(*tensorOf(op.getOffsets())))
    in.offsets.push_back(static_cast<int64_t>(end.real()));
  in.width = static_cast<size_t>(tensorOf(op.getX())->dims()[1] / gates);
  return in;
}

template <class Op> Inputs lstmInputs(Op op, llvm::ArrayRef<Tensor> operands) {
  Inputs in = commonInputs(op, operands, 4);
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (op.getC0() && operand == op.getC0())
      in.c0 = numbersOf(operands[i]);
  return in;
}

/// The derivative of `loss` by each input of `which`; zeros if the input is absent.
template <class Loss>
LogicalResult derive(Inputs in, int64_t gates, llvm::ArrayRef<size_t> which,
                     llvm::MutableArrayRef<Tensor> results, Loss loss) {
  if (!isWhole(in, gates) ||
      static_cast<int64_t>((in.x.size() + in.weight.size()) * in.x.size() * in.width) > maxWork)
    return failure();
  for (auto [result, input] : llvm::enumerate(which)) {
    for (int64_t i = 0; i < results[result].size(); ++i)
      setReal(results[result], i, 0);
    store(results[result], derivative(in[input], [&] { return loss(in); }));
  }
  return success();
}

Number inner(const Numbers &a, const Numbers &b) {
  Number sum = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    sum += a[i] * b[i];
  return sum;
}

//===-- attention_lstm ----------------------------------------------------------------------------------===//

double activated(Activation kind, double x) { return activate(kind, Number(x)).real(); }

/// The rows of one sequence, which each step weights by their scores with the cell.
struct Attention {
  mutable AttentionLstmOp op; // whose accessors are not const
  llvm::ArrayRef<Tensor> operands;
  Rows rows;
  int64_t width, units;

  double numberOf(Value operand, double otherwise) const {
    const Tensor *tensor = operandOf(op, operands, operand);
    return tensor ? realAt(*tensor, 0) : otherwise;
  }

  double scoreOf(int64_t row, llvm::ArrayRef<double> cell) const {
    double score = numberOf(op.getAttentionBias(), 0);
    for (int64_t i = 0; i < width; ++i)
      score += realAt(operands[0], row * width + i) * realAt(operands[3], i);
    for (int64_t i = 0; i < units; ++i)
      score += cell[static_cast<size_t>(i)] * realAt(operands[3], width + i);
    score = std::max(score, 0.0);
    if (op.getAttentionScalar())
      score = std::max(
          score * numberOf(op.getAttentionScalar(), 1) + numberOf(op.getAttentionScalarBias(), 0), 0.0);
    return score;
  }

  /// The mean of the rows, weighted by the softmax of their scores.
  std::vector<double> meanFor(llvm::ArrayRef<double> cell) const {
    std::vector<double> mean(static_cast<size_t>(width), 0), scores;
    double sum = 0;
    for (int64_t row = rows.begin; row < rows.end; ++row)
      scores.push_back(scoreOf(row, cell));
    double most = *llvm::max_element(scores);
    for (double &score : scores)
      sum += score = std::exp(score - most);
    for (int64_t row = rows.begin; row < rows.end; ++row)
      for (int64_t i = 0; i < width; ++i)
        mean[static_cast<size_t>(i)] +=
            scores[static_cast<size_t>(row - rows.begin)] / sum * realAt(operands[0], row * width + i);
    return mean;
  }

  /// The state after a step.
  void step(std::vector<double> &hidden, std::vector<double> &cell) const {
    std::vector<double> mean = meanFor(cell), before = hidden;
    auto gate = [&](int64_t index, int64_t unit) {
      int64_t column = index * units + unit;
      double sum = realAt(operands[5], column);
      for (int64_t i = 0; i < units; ++i)
        sum += before[static_cast<size_t>(i)] * realAt(operands[4], i * 4 * units + column);
      for (int64_t i = 0; i < width; ++i)
        sum += mean[static_cast<size_t>(i)] * realAt(operands[4], (units + i) * 4 * units + column);
      return activated(index == 3 ? op.getCandidateActivation() : op.getGateActivation(), sum);
    };
    for (int64_t unit = 0; unit < units; ++unit) {
      double &own = cell[static_cast<size_t>(unit)];
      own = gate(0, unit) * own + gate(1, unit) * gate(3, unit);
      hidden[static_cast<size_t>(unit)] = gate(2, unit) * activated(op.getCellActivation(), own);
    }
  }
};

} // namespace

LogicalResult GruOp::computeReference(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results,
                                      RandomState *) {
  Inputs in = commonInputs(*this, operands, 3);
  if (!isWhole(in, 3))
    return failure();
  store(results[0], runGru(*this, in));
  return success();
}

LogicalResult LstmOp::computeReference(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results,
                                       RandomState *) {
  Inputs in = lstmInputs(*this, operands);
  if (!isWhole(in, 4))
    return failure();
  auto [hidden, cells] = runLstm(*this, in);
  store(results[0], hidden);
  store(results[1], cells);
  return success();
}

LogicalResult GruGradOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                          llvm::MutableArrayRef<Tensor> results, RandomState *) {
  Numbers cotangent = numbersOf(operands.back());
  return derive(commonInputs(*this, operands, 3), 3, {0, 1, 3, 2}, results,
                [&](const Inputs &in) { return inner(runGru(*this, in), cotangent); });
}

LogicalResult LstmGradOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                           llvm::MutableArrayRef<Tensor> results, RandomState *) {
  size_t next = operands.size();
  Numbers ofCell = getCellGrad() ? numbersOf(operands[--next]) : Numbers();
  Numbers ofHidden = getHiddenGrad() ? numbersOf(operands[--next]) : Numbers();
  return derive(lstmInputs(*this, operands), 4, {0, 1, 2, 3, 4}, results, [&](const Inputs &in) {
    auto [hidden, cells] = runLstm(*this, in);
    return inner(hidden, ofHidden) + inner(cells, ofCell);
  });
}

LogicalResult AttentionLstmOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                llvm::MutableArrayRef<Tensor> results, RandomState *) {
  const Tensor *first = operandOf(getOperation(), operands, getH0());
  std::vector<int64_t> offsets = integersOf(operands[1]);
  int64_t width = operands[0].dims()[1], units = operands[2].dims()[1];
  for (Tensor &result : results)
    result = Tensor(result.dtype(), {operands[0].dims()[0], units});
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    Attention sequence{*this, operands, {offsets[s], offsets[s + 1]}, width, units};
    std::vector<double> hidden, cell;
    for (int64_t i = 0; i < units; ++i) {
      int64_t position = static_cast<int64_t>(s) * units + i;
      hidden.push_back(first ? realAt(*first, position) : 0);
      cell.push_back(realAt(operands[2], position));
    }
    for (int64_t row = offsets[s]; row < offsets[s + 1]; ++row) {
      sequence.step(hidden, cell);
      for (int64_t i = 0; i < units; ++i) {
        setReal(results[0], row * units + i, hidden[static_cast<size_t>(i)]);
        setReal(results[1], row * units + i, cell[static_cast<size_t>(i)]);
      }
    }
  }
  return success();
}

} // namespace proa::pd
