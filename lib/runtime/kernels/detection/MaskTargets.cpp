/// The library kernel "generate_mask_labels" (regions, image sizes, classes, crowds, points, labels, offsets
/// of the regions, of objects, polygons and points). dialects/pd/ops/detection/Targets.td says what it
/// computes.
#include "lib/runtime/kernels/detection/Targets.h"

#include "dialects/pd/ops/detection/Targets.kernels.inc"

#include <algorithm>
#include <array>
#include <limits>

namespace proa::runtime {
namespace {

struct Point {
  float x, y;
};

struct GridPoint {
  int64_t x, y;
};

/// No image is that large; edges are walked step by step.
constexpr int64_t farthest = 1000000;

/// How many grid lines a pixel has in each direction.
constexpr int64_t fineness = 5;

/// Calls visit with the grid points of an edge from a to b, one for each step along its longer side. Both
/// directions of an edge have the same points: those between are counted from the end of the lesser
/// coordinate.
template <class Visit> void walkEdge(GridPoint a, GridPoint b, Visit visit) {
  int64_t width = std::abs(b.x - a.x), height = std::abs(b.y - a.y);
  bool isFlat = width >= height, isBackwards = isFlat ? a.x > b.x : a.y > b.y;
  GridPoint from = isBackwards ? b : a, to = isBackwards ? a : b;
  int64_t steps = isFlat ? width : height;
  double slope =
      steps == 0 ? 0
                 : static_cast<double>(isFlat ? to.y - from.y : to.x - from.x) / static_cast<double>(steps);
  for (int64_t step = 0; step <= steps; ++step) {
    int64_t t = isBackwards ? steps - step : step;
    auto across = [&](int64_t start) {
      return static_cast<int64_t>(static_cast<double>(start) + slope * static_cast<double>(t) + 0.5);
    };
    visit(isFlat ? GridPoint{from.x + t, across(from.y)} : GridPoint{across(from.x), from.y + t});
  }
}

/// Adds the pixels inside of a polygon, whose points are in pixels, to a mask of size x size.
void drawPolygon(const std::vector<Point> &points, int64_t size, std::vector<uint8_t> &mask) {
  auto onGrid = [](float coordinate) { return static_cast<int64_t>(fineness * double(coordinate) + 0.5); };
  // Column after column, each downwards: where the outline crosses the middle of a column, what follows
  // changes sides.
  std::vector<uint8_t> changes(static_cast<size_t>(size * size + 1));
  std::optional<GridPoint> last;
  auto cross = [&](GridPoint point) {
    GridPoint before = last.value_or(point);
    last = point;
    int64_t column = std::min(point.x, before.x) - fineness / 2;
    if (point.x == before.x || column < 0 || column % fineness != 0 || column / fineness >= size)
      return;
    double line = static_cast<double>(std::min(point.y, before.y));
    double row = std::clamp((line + 0.5) / fineness - 0.5, 0.0, static_cast<double>(size));
    changes[static_cast<size_t>(column / fineness * size + static_cast<int64_t>(std::ceil(row)))] ^= 1;
  };
  for (size_t i = 0; i < points.size(); ++i) {
    const Point &a = points[i], &b = points[(i + 1) % points.size()];
    walkEdge({onGrid(a.x), onGrid(a.y)}, {onGrid(b.x), onGrid(b.y)}, cross);
  }
  uint8_t isInside = 0;
  for (int64_t i = 0; i < size * size; ++i) {
    isInside ^= changes[static_cast<size_t>(i)];
    mask[static_cast<size_t>(i % size * size + i / size)] |= isInside;
  }
}

struct MaskShape {
  int64_t classes, resolution;
  int64_t pixels() const { return resolution * resolution; }
};

template <class T> struct MaskInputs {
  const T *rois, *sizes, *points;
  std::vector<int64_t> classes, crowds, labels, roiEnds, objects, polygons, pointEnds;

  static Result<MaskInputs> check(Call &call) {
    const View &rois = call.input(0), &sizes = call.input(1), &points = call.input(4);
    if (rois.rank() != 2 || rois.dims[1] != 4 || points.rank() != 2 || points.dims[1] != 2 ||
        points.dtype != rois.dtype)
      return failure("the regions are {}, the points {}; expected [n, 4] and [n, 2] of one dtype",
                     describe(rois.dtype, rois.dims), describe(points.dtype, points.dims));
    Result<std::vector<int64_t>> classes = integersOf(call.input(2)), crowds = integersOf(call.input(3)),
                                 labels = integersOf(call.input(5)),
                                 roiEnds = checkedOffsets(call.input(6), rois.dims[0]),
                                 pointEnds = checkedOffsets(call.input(9), points.dims[0]);
    if (!classes || !pointEnds)
      return classes ? pointEnds.diagnostics() : classes.diagnostics();
    auto objectCount = static_cast<int64_t>(classes->size());
    Result<std::vector<int64_t>> objects = checkedOffsets(call.input(7), objectCount),
                                 polygons = checkedOffsets(call.input(8),
                                                           static_cast<int64_t>(pointEnds->size()) - 1);
    for (const auto *list : {&crowds, &labels, &roiEnds, &objects, &polygons})
      if (!*list)
        return list->diagnostics();
    auto images = static_cast<int64_t>(roiEnds->size()) - 1;
    if (objects->size() != roiEnds->size() || sizes.rank() != 2 || sizes.dims[0] != images ||
        sizes.dims[1] != 3 || sizes.dtype != rois.dtype)
      return failure("there are regions of {} images, objects of {}, and im_info is {}", images,
                     objects->size() - 1, describe(sizes.dtype, sizes.dims));
    auto isFar = [](T x) { return !(std::abs(x) <= T(farthest)); };
    if (std::any_of(rois.as<T>(), rois.as<T>() + rois.size(), isFar) ||
        std::any_of(points.as<T>(), points.as<T>() + points.size(), isFar))
      return failure("the regions or the points have a coordinate that is not within {}", farthest);
    if (crowds->size() != classes->size() || polygons->size() != classes->size() + 1 ||
        static_cast<int64_t>(labels->size()) != rois.dims[0])
      return failure(
          "there are {} classes, {} marks of crowds, polygons of {} objects, {} labels of {} regions",
          classes->size(), crowds->size(), polygons->size() - 1, labels->size(), rois.dims[0]);
    return MaskInputs{rois.as<T>(),         sizes.as<T>(),        points.as<T>(),      std::move(*classes),
                      std::move(*crowds),   std::move(*labels),   std::move(*roiEnds), std::move(*objects),
                      std::move(*polygons), std::move(*pointEnds)};
  }

  /// Calls use(first point, points) for each polygon of an object.
  template <class Use> void eachPolygon(size_t object, Use use) const {
    for (auto p = static_cast<size_t>(polygons[object]); p < static_cast<size_t>(polygons[object + 1]); ++p)
      use(points + 2 * pointEnds[p], pointEnds[p + 1] - pointEnds[p]);
  }

  /// The corners around all polygons of an object, right and bottom above 0.
  std::array<T, 4> boxOf(size_t object) const {
    constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
    std::array<T, 4> box{most, most, least, least};
    eachPolygon(object, [&](const T *first, int64_t count) {
      for (int64_t i = 0; i < 2 * count; ++i) {
        auto axis = static_cast<size_t>(i % 2);
        box[axis] = std::min(box[axis], first[i]);
        box[axis + 2] = std::max(box[axis + 2], first[i]);
      }
    });
    return box;
  }
};

template <class T> struct MaskResults {
  std::vector<T> rois;
  std::vector<int64_t> numbers, ends{0};
  std::vector<int32_t> masks;

  /// A region with a mask of -1.
  void add(const T *corners, T scale, int64_t index, const MaskShape &shape) {
    for (size_t k = 0; k < 4; ++k)
      rois.push_back(corners[k] * scale);
    numbers.push_back(index);
    masks.resize(masks.size() + static_cast<size_t>(shape.classes * shape.pixels()), -1);
  }
};

/// The pixels of an object in a region.
template <class T>
std::vector<uint8_t> maskOf(const MaskInputs<T> &inputs, size_t object, const T *roi, int64_t size) {
  std::vector<uint8_t> mask(static_cast<size_t>(size * size));
  T width = std::max(roi[2] - roi[0], T(1)), height = std::max(roi[3] - roi[1], T(1));
  inputs.eachPolygon(object, [&](const T *first, int64_t count) {
    std::vector<Point> polygon;
    for (int64_t i = 0; i < count; ++i)
      polygon.push_back({static_cast<float>((first[2 * i] - roi[0]) * static_cast<T>(size) / width),
                         static_cast<float>((first[2 * i + 1] - roi[1]) * static_cast<T>(size) / height)});
    drawPolygon(polygon, size, mask);
  });
  return mask;
}

template <class T>
Result<void> maskImage(const MaskInputs<T> &inputs, size_t image, const MaskShape &shape,
                       MaskResults<T> &results) {
  std::vector<size_t> objects;
  std::vector<std::array<T, 4>> boxes;
  for (auto i = static_cast<size_t>(inputs.objects[image]);
       i < static_cast<size_t>(inputs.objects[image + 1]); ++i)
    if (inputs.classes[i] > 0 && inputs.crowds[i] == 0) {
      objects.push_back(i);
      boxes.push_back(inputs.boxOf(i));
    }
  T scale = inputs.sizes[3 * image + 2];
  int64_t begin = inputs.roiEnds[image], firstBackground = -1;
  size_t before = results.numbers.size();
  auto shrunk = [&](int64_t i) {
    std::array<T, 4> roi;
    std::transform(inputs.rois + 4 * i, inputs.rois + 4 * i + 4, roi.begin(), [&](T x) { return x / scale; });
    return roi;
  };
  for (int64_t i = begin; i < inputs.roiEnds[image + 1]; ++i) {
    int64_t label = inputs.labels[static_cast<size_t>(i)];
    if (label == 0 && firstBackground < 0)
      firstBackground = i - begin;
    if (label <= 0)
      continue;
    if (label >= shape.classes || objects.empty())
      return failure("a region of image {} has label {}: there are {} classes, and {} objects to draw", image,
                     label, shape.classes, objects.size());
    std::array<T, 4> roi = shrunk(i);
    size_t best = 0;
    T most = std::numeric_limits<T>::min();
    for (size_t j = 0; j < boxes.size(); ++j)
      if (T overlap = pixelOverlap(roi.data(), boxes[j].data()); overlap > most) {
        most = overlap;
        best = j;
      }
    results.add(roi.data(), scale, i - begin, shape);
    std::vector<uint8_t> mask = maskOf(inputs, objects[best], roi.data(), shape.resolution);
    std::copy(mask.begin(), mask.end(),
              results.masks.end() - static_cast<ptrdiff_t>((shape.classes - label) * shape.pixels()));
  }
  if (results.numbers.size() == before && begin < inputs.roiEnds[image + 1])
    results.add(shrunk(begin).data(), scale, std::max<int64_t>(0, firstBackground), shape);
  results.ends.push_back(static_cast<int64_t>(results.numbers.size()));
  return {};
}

template <class T> Result<void> maskLabels(Call &call, const MaskShape &shape) {
  Result<MaskInputs<T>> inputs = MaskInputs<T>::check(call);
  if (!inputs)
    return inputs.diagnostics();
  MaskResults<T> results;
  for (size_t image = 0; image + 1 < inputs->roiEnds.size(); ++image)
    if (Result<void> done = maskImage(*inputs, image, shape, results); !done)
      return done;
  using Dims = std::vector<int64_t>;
  int64_t rows = results.ends.back(), ends = static_cast<int64_t>(results.ends.size());
  for (const Result<void> &written :
       {writeOutput<T>(call, 0, Dims{rows, 4}, results.rois),
        writeOutput<int32_t>(call, 1, Dims{rows, 1}, results.numbers),
        writeOutput<int32_t>(call, 2, Dims{rows, shape.classes * shape.pixels()}, results.masks),
        writeOutput<int64_t>(call, 3, Dims{ends}, results.ends)})
    if (!written)
      return written;
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeGenerateMaskLabels(const GenerateMaskLabelsAttributes &op,
                                                              const KernelRequest &request) {
  Checks checks(request);
  MaskShape shape{op.numClasses, op.resolution};
  checks.expect(shape.classes > 0 && shape.resolution > 0, "expected num_classes and resolution above 0");
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(request, 10,
                     [=](Call &call, auto zero) { return maskLabels<decltype(zero)>(call, shape); });
}

} // namespace proa::runtime
