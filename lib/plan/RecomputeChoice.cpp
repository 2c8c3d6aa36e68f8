#include "lib/plan/RecomputeChoice.h"

#include <algorithm>

namespace proa::plan {
namespace {

constexpr size_t mostPoints = 400;

/// Leaves the points that no other one is below, by ascending time, and at most `mostPoints` of them.
template <class Point> bool keepFront(std::vector<Point> &points) {
  std::ranges::sort(points, [](const Point &a, const Point &b) {
    return a.extra != b.extra ? a.extra < b.extra : a.kept < b.kept;
  });
  size_t count = 0;
  for (Point &point : points)
    if (count == 0 || point.kept < points[count - 1].kept)
      std::swap(points[count++], point);
  bool isThinned = count > mostPoints;
  for (size_t i = 0; isThinned && i < mostPoints; ++i)
    std::swap(points[i], points[i * (count - 1) / (mostPoints - 1)]);
  points.resize(isThinned ? mostPoints : count);
  return isThinned;
}

/// The points of the layers of one kind.
struct KindPoint {
  double kept = 0, extra = 0;
  int selective = 0, full = 0;
};

std::vector<KindPoint> pointsOf(int count, const LayerCost &cost, AllowedModes allowed) {
  std::vector<KindPoint> points;
  auto most = [&](Recompute mode, int left) { return allowed & (1 << static_cast<int>(mode)) ? left : 0; };
  for (int selective = 0; selective <= most(Recompute::Selective, count); ++selective)
    for (int full = 0; full <= most(Recompute::Full, count - selective); ++full)
      points.push_back(
          {(count - selective - full) * cost.kept[0] + selective * cost.kept[1] + full * cost.kept[2],
           selective * cost.extra[1] + full * cost.extra[2], selective, full});
  return points;
}

} // namespace

RecomputeFront::RecomputeFront(const std::vector<int> &counts, const std::vector<LayerCost> &costs,
                               const std::vector<AllowedModes> &allowed) {
  points.push_back({0, 0, std::vector<int>(counts.size(), 0), std::vector<int>(counts.size(), 0)});
  for (size_t kind = 0; kind < counts.size(); ++kind)
    if (counts[kind] > 0)
      addKind(kind, counts[kind], costs[kind], allowed[kind]);
}

void RecomputeFront::addKind(size_t kind, int count, const LayerCost &cost, AllowedModes allowed) {
  std::vector<KindPoint> own = pointsOf(count, cost, allowed);
  isThinned |= keepFront(own);
  std::vector<RecomputePoint> sums;
  sums.reserve(points.size() * own.size());
  for (const RecomputePoint &point : points)
    for (const KindPoint &added : own) {
      RecomputePoint &sum = sums.emplace_back(point);
      sum.selective[kind] = added.selective;
      sum.full[kind] = added.full;
      sum.kept += added.kept;
      sum.extra += added.extra;
    }
  isThinned |= keepFront(sums);
  points = std::move(sums);
}

const RecomputePoint *RecomputeFront::within(double bytes) const {
  auto found = std::ranges::partition_point(points, [&](const RecomputePoint &p) { return p.kept > bytes; });
  return found == points.end() ? nullptr : &*found;
}

} // namespace proa::plan
