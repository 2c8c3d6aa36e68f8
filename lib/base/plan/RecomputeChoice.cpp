#include "lib/base/plan/RecomputeChoice.h"

#include <algorithm>

namespace proa::plan {
namespace {

using Point = RecomputeFront::Point;
constexpr size_t mostPoints = 128;

/// Leaves the points that no other one is below, by ascending time, and at most `mostPoints` of them.
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

/// The points of the layers of one kind.
std::vector<Point> pointsOf(int count, const LayerCost &cost, AllowedModes allowed) {
  std::vector<Point> points;
  auto most = [&](Recompute mode, int left) { return allowed & (1 << static_cast<int>(mode)) ? left : 0; };
  for (int selective = 0; selective <= most(Recompute::Selective, count); ++selective)
    for (int full = 0; full <= most(Recompute::Full, count - selective); ++full)
      points.push_back(
          {(count - selective - full) * cost.kept[0] + selective * cost.kept[1] + full * cost.kept[2],
           selective * cost.extra[1] + full * cost.extra[2], 0, selective, full});
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
