#include "lib/base/plan/RecomputeChoice.h"

#include <algorithm>
#include <cmath>

namespace proa::plan {
namespace {

using Point = RecomputeFront::Point;
constexpr size_t mostPoints = 128;

/// Keeps the Pareto-optimal points, by ascending time, and at most `mostPoints` of them.
bool keepFront(std::vector<Point> &points) {
  std::ranges::sort(points, [](const Point &a, const Point &b) {
    return a.extra != b.extra ? a.extra < b.extra : a.kept < b.kept;
  });
  size_t count = 0;
  for (const Point &point : points)
    if (count == 0 || point.kept < points[count - 1].kept)
      points[count++] = point;
  bool isThinned = count > mostPoints;
  for (size_t i = 0; isThinned && i < mostPoints; ++i)
    points[i] = points[i * (count - 1) / (mostPoints - 1)];
  points.resize(isThinned ? mostPoints : count);
  return isThinned;
}

/// Bytes saved and seconds lost by a mode of recomputation, for one layer.
struct Trade {
  double saved = 0, extra = 0;
};

/// The least n for which n layers of `many` save as much as one layer of `one` and cost no more: then a layer
/// of `one` beside n - 1 layers without recomputation is never better. A large number: no n does.
int layersInstead(const Trade &many, const Trade &one) {
  constexpr int none = 1 << 20;
  if (many.saved <= 0)
    return none;
  double count = std::ceil(one.saved / many.saved);
  return count < none && count * many.extra <= one.extra ? std::max(static_cast<int>(count), 1) : none;
}

/// The same for the other direction: the most layers of `many` that one of `one` replaces.
int layersReplaced(const Trade &many, const Trade &one) {
  constexpr int none = 1 << 20;
  if (many.extra <= 0)
    return none;
  double count = std::ceil(one.extra / many.extra);
  return count < none && one.saved >= count * many.saved ? std::max(static_cast<int>(count), 1) : none;
}

/// The points of the layers of one kind, without most of the points that are not Pareto-optimal.
std::vector<Point> pointsOf(int count, const LayerCost &cost, AllowedModes allowed) {
  auto allows = [&](Recompute mode) { return (allowed & (1 << static_cast<int>(mode))) != 0; };
  bool both = allows(Recompute::Selective) && allows(Recompute::Full);
  Trade selective{cost.kept[0] - cost.kept[1], cost.extra[1]},
      full{cost.kept[0] - cost.kept[2], cost.extra[2]};
  int mostNone = both ? layersInstead(selective, full) - 2 : count; ///< beside a full layer
  int mostSelective = allows(Recompute::Selective) ? count : 0;
  if (both &&
      mostNone >= count) // both hold only for equal ratios, and then each leaves what the other does not
    mostSelective = std::min(mostSelective, layersReplaced(selective, full) - 1);
  std::vector<Point> points;
  for (int fulls = 0; fulls <= (allows(Recompute::Full) ? count : 0); ++fulls) {
    int most = std::min(mostSelective, count - fulls);
    int least = fulls > 0 ? std::clamp(count - fulls - std::max(mostNone, 0), 0, most) : 0;
    for (int selectives = least; selectives <= most; ++selectives)
      points.push_back(
          {(count - selectives - fulls) * cost.kept[0] + selectives * cost.kept[1] + fulls * cost.kept[2],
           selectives * cost.extra[1] + fulls * cost.extra[2], 0, selectives, fulls});
  }
  return points;
}

} // namespace

RecomputeFront::RecomputeFront(const std::vector<int> &counts, const std::vector<LayerCost> &costs,
                               const std::vector<AllowedModes> &allowed)
    : kindCount(counts.size()) {
  kinds.push_back({counts.size(), {Point()}});
  for (size_t kind = 0; kind < counts.size(); ++kind)
    if (counts[kind] > 0)
      addKind(kind, counts[kind], costs[kind], allowed[kind]);
}

void RecomputeFront::addKind(size_t kind, int count, const LayerCost &cost, AllowedModes allowed) {
  std::vector<Point> own = pointsOf(count, cost, allowed), sums;
  isThinned |= keepFront(own);
  sums.reserve(last().size() * own.size());
  for (size_t before = 0; before < last().size(); ++before)
    for (const Point &added : own)
      sums.push_back({last()[before].kept + added.kept, last()[before].extra + added.extra,
                      static_cast<int>(before), added.selective, added.full});
  isThinned |= keepFront(sums);
  kinds.push_back({kind, std::move(sums)});
}

const RecomputeFront::Point *RecomputeFront::within(double bytes) const {
  auto found = std::ranges::partition_point(last(), [&](const Point &point) { return point.kept > bytes; });
  return found == last().end() ? nullptr : &*found;
}

RecomputeCounts RecomputeFront::countsOf(const Point *point) const {
  RecomputeCounts counts{std::vector<int>(kindCount, 0), std::vector<int>(kindCount, 0)};
  for (size_t i = kinds.size(); i-- > 1;) {
    counts.selective[kinds[i].kind] = point->selective;
    counts.full[kinds[i].kind] = point->full;
    point = &kinds[i - 1].points[static_cast<size_t>(point->before)];
  }
  return counts;
}

} // namespace proa::plan
