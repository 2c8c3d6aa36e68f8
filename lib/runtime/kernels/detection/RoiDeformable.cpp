/// The library kernels "deformable_psroi_pooling" (x, boxes, moves, boxes of each image) and
/// "deformable_psroi_pooling_grad" (x, boxes, moves, cotangent, boxes of each image).
/// dialects/pd/ops/detection/RoiPool.td says what they compute.
#include "lib/runtime/kernels/detection/Targets.h"

#include "dialects/pd/ops/detection/RoiPool.kernels.inc"

#include <algorithm>
#include <array>

namespace proa::runtime {
namespace {

struct CellAttributes {
  bool moves = true;
  double scale = 1, deviation = 0.1;
  int64_t channels = 1, rows = 1, columns = 1, samples = 1;
  std::vector<int64_t> groups, bins;

  int64_t cells() const { return rows * columns; }
};

/// The operands, checked.
template <class T> struct CellInputs {
  const T *x, *boxes, *moves;
  int64_t channels, height, width, classes;
  std::vector<int64_t> images; ///< of each box

  static Result<CellInputs> check(Call &call, const CellAttributes &attributes, size_t countInput) {
    const View &x = call.input(0), &boxes = call.input(1), &moves = call.input(2);
    if (x.rank() != 4 || boxes.rank() != 2 || boxes.dims[1] != 4 || boxes.dtype != x.dtype)
      return failure("x is {}, the boxes {}; expected [N, C, H, W] and [R, 4]", describe(x.dtype, x.dims),
                     describe(boxes.dtype, boxes.dims));
    int64_t expected = attributes.channels * attributes.groups[0] * attributes.groups[1];
    if (x.dims[1] < expected || x.dims[2] < 1 || x.dims[3] < 1)
      return failure("x is {}; expected {} channels", describe(x.dtype, x.dims), expected);
    int64_t classes = attributes.moves && moves.rank() == 4 ? moves.dims[1] / 2 : 1;
    bool fits =
        !attributes.moves || (moves.rank() == 4 && moves.dtype == x.dtype && moves.dims[0] == boxes.dims[0] &&
                              classes > 0 && attributes.channels >= classes &&
                              moves.dims[2] == attributes.bins[0] && moves.dims[3] == attributes.bins[1]);
    if (!fits)
      return failure("trans is {}; expected [{}, 2 * classes, {}, {}]", describe(moves.dtype, moves.dims),
                     boxes.dims[0], attributes.bins[0], attributes.bins[1]);
    CellInputs out{x.as<T>(), boxes.as<T>(), moves.as<T>(), x.dims[1], x.dims[2], x.dims[3], classes, {}};
    std::vector<int64_t> counts{boxes.dims[0]};
    if (const View &perImage = call.input(countInput)) {
      Result<std::vector<int64_t>> given = integersOf(perImage);
      if (!given)
        return given.diagnostics();
      counts = std::move(*given);
    }
    for (size_t i = 0; i < counts.size(); ++i)
      out.images.insert(out.images.end(), static_cast<size_t>(std::max<int64_t>(0, counts[i])),
                        static_cast<int64_t>(i));
    if (static_cast<int64_t>(out.images.size()) != boxes.dims[0] ||
        static_cast<int64_t>(counts.size()) > x.dims[0])
      return failure("there are {} boxes of {} images; expected {} of {} at most", out.images.size(),
                     counts.size(), boxes.dims[0], x.dims[0]);
    return out;
  }
};

/// One result element: the positions of its points, and the moves that they depend on.
template <class T> struct Cell {
  int64_t plane = 0;                    ///< where its channel of x begins
  int64_t across = -1, down = -1;       ///< elements of moves; -1: none
  T moveWidth = 0, moveHeight = 0;      ///< how far a move of 1 goes
  std::vector<std::array<T, 2>> points; ///< x, y
};

template <class T>
Cell<T> cellOf(const CellInputs<T> &inputs, const CellAttributes &attributes, int64_t element) {
  int64_t column = element % attributes.columns, row = element / attributes.columns % attributes.rows,
          channel = element / attributes.cells() % attributes.channels,
          box = element / attributes.cells() / attributes.channels;
  auto scale = static_cast<T>(static_cast<float>(attributes.scale)),
       deviation = static_cast<T>(static_cast<float>(attributes.deviation));
  const T *corners = inputs.boxes + 4 * box;
  auto start = [&](size_t axis) { return std::round(corners[axis]) * scale - T(0.5); };
  auto size = [&](size_t axis) {
    return std::max((std::round(corners[axis + 2]) + 1) * scale - T(0.5) - start(axis), T(0.1));
  };
  T width = size(0), height = size(1);
  T cellWidth = width / static_cast<T>(attributes.columns),
    cellHeight = height / static_cast<T>(attributes.rows);
  Cell<T> cell;
  T left = static_cast<T>(column) * cellWidth + start(0), top = static_cast<T>(row) * cellHeight + start(1);
  if (attributes.moves) {
    int64_t kind = channel / (attributes.channels / inputs.classes);
    kind = std::min(kind, inputs.classes - 1);
    // In floating point, as in Paddle: where that does not come out even, rounding decides.
    auto binOf = [](int64_t index, int64_t count, int64_t bins) {
      auto bin = std::floor(static_cast<T>(index) / static_cast<T>(count) * static_cast<T>(bins));
      return std::min(static_cast<int64_t>(bin), bins - 1);
    };
    int64_t bin = binOf(row, attributes.rows, attributes.bins[0]) * attributes.bins[1] +
                  binOf(column, attributes.columns, attributes.bins[1]);
    int64_t bins = attributes.bins[0] * attributes.bins[1];
    cell.across = (box * inputs.classes + kind) * 2 * bins + bin;
    cell.down = cell.across + bins;
    cell.moveWidth = deviation * width;
    cell.moveHeight = deviation * height;
    left += inputs.moves[cell.across] * cell.moveWidth;
    top += inputs.moves[cell.down] * cell.moveHeight;
  }
  int64_t group = row * attributes.groups[0] / attributes.rows * attributes.groups[1] +
                  column * attributes.groups[1] / attributes.columns;
  int64_t source = channel * attributes.groups[0] * attributes.groups[1] + group;
  cell.plane =
      (inputs.images[static_cast<size_t>(box)] * inputs.channels + source) * inputs.height * inputs.width;
  auto count = static_cast<T>(attributes.samples);
  for (int64_t i = 0; i < attributes.samples; ++i)
    for (int64_t j = 0; j < attributes.samples; ++j) {
      T x = left + static_cast<T>(j) * (cellWidth / count),
        y = top + static_cast<T>(i) * (cellHeight / count);
      T right = static_cast<T>(inputs.width) - 1, bottom = static_cast<T>(inputs.height) - 1;
      if (x >= T(-0.5) && x <= right + T(0.5) && y >= T(-0.5) && y <= bottom + T(0.5))
        cell.points.push_back({std::clamp(x, T(0), right), std::clamp(y, T(0), bottom)});
    }
  return cell;
}

/// The four elements around a point, and the fractions by which x and y are beyond the first.
template <class T> struct Surroundings {
  int64_t topLeft, topRight, bottomLeft, bottomRight;
  T right, down;

  Surroundings(const std::array<T, 2> &point, const Cell<T> &cell, int64_t width) {
    auto low = [](T position) { return static_cast<int64_t>(std::floor(position)); };
    auto high = [](T position) { return static_cast<int64_t>(std::ceil(position)); };
    int64_t top = cell.plane + low(point[1]) * width, bottom = cell.plane + high(point[1]) * width;
    topLeft = top + low(point[0]);
    topRight = top + high(point[0]);
    bottomLeft = bottom + low(point[0]);
    bottomRight = bottom + high(point[0]);
    right = point[0] - std::floor(point[0]);
    down = point[1] - std::floor(point[1]);
  }
};

template <class T> Result<void> pool(Call &call, const CellAttributes &attributes) {
  Result<CellInputs<T>> inputs = CellInputs<T>::check(call, attributes, 3);
  if (!inputs)
    return inputs.diagnostics();
  const int64_t dims[] = {call.input(1).dims[0], attributes.channels, attributes.rows, attributes.columns};
  OutputMemory memory;
  Result<View> out = memory.get(call, 0, call.input(0).dtype, dims),
               counts = memory.get(call, 1, call.input(0).dtype, dims);
  if (!out || !counts)
    return out ? counts.diagnostics() : out.diagnostics();
  const T *x = inputs->x;
  for (int64_t i = 0; i < out->size(); ++i) {
    Cell<T> cell = cellOf(*inputs, attributes, i);
    T sum = 0;
    for (const auto &point : cell.points) {
      Surroundings<T> at(point, cell, inputs->width);
      sum += (1 - at.down) * ((1 - at.right) * x[at.topLeft] + at.right * x[at.topRight]) +
             at.down * ((1 - at.right) * x[at.bottomLeft] + at.right * x[at.bottomRight]);
    }
    auto count = static_cast<T>(cell.points.size());
    out->template as<T>()[i] = cell.points.empty() ? T(0) : sum / count;
    counts->template as<T>()[i] = count;
  }
  return {};
}

template <class T> Result<void> poolGradient(Call &call, const CellAttributes &attributes) {
  Result<CellInputs<T>> inputs = CellInputs<T>::check(call, attributes, 4);
  if (!inputs)
    return inputs.diagnostics();
  const View &cotangent = call.input(3);
  int64_t size = call.input(1).dims[0] * attributes.channels * attributes.cells();
  if (cotangent.size() != size || cotangent.dtype != call.input(0).dtype)
    return failure("the cotangent is {}; expected {} elements", describe(cotangent.dtype, cotangent.dims),
                   size);
  OutputMemory memory;
  Result<View> dx = memory.get(call, 0, call.input(0).dtype, call.input(0).dims),
               dMoves = memory.get(call, 1, call.input(2).dtype, call.input(2).dims);
  if (!dx || !dMoves)
    return dx ? dMoves.diagnostics() : dx.diagnostics();
  T *toX = dx->template as<T>(), *toMoves = dMoves->template as<T>();
  std::fill_n(toX, dx->size(), T(0));
  std::fill_n(toMoves, dMoves->size(), T(0));
  const T *x = inputs->x;
  for (int64_t i = 0; i < size; ++i) {
    Cell<T> cell = cellOf(*inputs, attributes, i);
    T share = cell.points.empty() ? T(0) : cotangent.as<T>()[i] / static_cast<T>(cell.points.size());
    for (const auto &point : cell.points) {
      Surroundings<T> at(point, cell, inputs->width);
      toX[at.topLeft] += share * (1 - at.down) * (1 - at.right);
      toX[at.topRight] += share * (1 - at.down) * at.right;
      toX[at.bottomLeft] += share * at.down * (1 - at.right);
      toX[at.bottomRight] += share * at.down * at.right;
      if (cell.across < 0)
        continue;
      T slopeAcross = (1 - at.down) * (x[at.topRight] - x[at.topLeft]) +
                      at.down * (x[at.bottomRight] - x[at.bottomLeft]),
        slopeDown = (1 - at.right) * (x[at.bottomLeft] - x[at.topLeft]) +
                    at.right * (x[at.bottomRight] - x[at.topRight]);
      toMoves[cell.across] += share * slopeAcross * cell.moveWidth;
      toMoves[cell.down] += share * slopeDown * cell.moveHeight;
    }
  }
  return {};
}

template <class Op> Result<CellAttributes> cellsOf(const Op &op, const KernelRequest &request) {
  Checks checks(request);
  CellAttributes attributes;
  attributes.moves = !op.noTrans;
  attributes.scale = op.spatialScale;
  attributes.deviation = op.transStd;
  attributes.channels = op.outputDim;
  attributes.rows = op.pooledHeight;
  attributes.columns = op.pooledWidth;
  attributes.samples = op.samplePerPart;
  attributes.groups = op.groupSize;
  attributes.bins = op.partSize;
  for (int64_t value : {attributes.channels, attributes.rows, attributes.columns, attributes.samples})
    checks.expect(value > 0, "expected positive sizes");
  for (const auto &pair : {attributes.groups, attributes.bins})
    checks.expect(pair.size() == 2 && pair[0] > 0 && pair[1] > 0, "expected pairs of positive sizes");
  if (!checks.ok())
    return checks.diagnostics();
  return attributes;
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeDeformablePsroiPooling(const DeformablePsroiPoolingAttributes &op,
                                                                  const KernelRequest &request) {
  Result<CellAttributes> attributes = cellsOf(op, request);
  if (!attributes)
    return attributes.diagnostics();
  return floatKernel(
      request, 3, [given = *attributes](Call &call, auto zero) { return pool<decltype(zero)>(call, given); });
}

Result<std::unique_ptr<LibraryKernel>>
makeDeformablePsroiPoolingGrad(const DeformablePsroiPoolingGradAttributes &op, const KernelRequest &request) {
  Result<CellAttributes> attributes = cellsOf(op, request);
  if (!attributes)
    return attributes.diagnostics();
  return floatKernel(request, 4, [given = *attributes](Call &call, auto zero) {
    return poolGradient<decltype(zero)>(call, given);
  });
}

} // namespace proa::runtime
