#include "lib/runtime/kernels/detection/TakenBoxes.h"

#include "lib/runtime/kernels/common/Vectors.h"
#include "lib/runtime/kernels/detection/Boxes.h"

#include <algorithm>

namespace proa::runtime {
namespace {

constexpr int64_t lanesOfGroup = vectorSize, rowsOfGroup = 5;

struct ComparedBox {
  const float *box;
  float area, pixel, limit;
  const float *groups;
  int64_t count;
};

} // namespace

PROA_VECTOR_INLINE static void compareBoxes(const ComparedBox &compared, bool &admitted) {
  constexpr IntVector lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const float *a = compared.box;
  Vector left = Vector{} + a[0], top = Vector{} + a[1], right = Vector{} + a[2], bottom = Vector{} + a[3];
  admitted = false;
  const float *group = compared.groups;
  for (int64_t first = 0; first < compared.count;
       first += lanesOfGroup, group += rowsOfGroup * lanesOfGroup) {
    Vector b[rowsOfGroup];
    std::memcpy(b, group, sizeof(b));
    IntVector isApart = (b[0] > right) | (b[2] < left) | (b[1] > bottom) | (b[3] < top);
    Vector width = (b[2] < right ? b[2] : right) - (left < b[0] ? b[0] : left) + compared.pixel;
    Vector height = (b[3] < bottom ? b[3] : bottom) - (top < b[1] ? b[1] : top) + compared.pixel;
    Vector common = width * height;
    Vector overlap = isApart ? Vector{} : common / (compared.area + b[4] - common);
    IntVector admits = (overlap <= compared.limit) | (lanes >= static_cast<int32_t>(compared.count - first));
    int32_t all = -1;
    for (int64_t lane = 0; lane < lanesOfGroup; ++lane)
      all &= admits[lane];
    if (all == 0)
      return;
  }
  admitted = true;
}

bool TakenBoxes::admit(const float *box, float limit) const {
  bool admitted = true;
  ComparedBox compared{box, boxArea(box, pixel == 0), pixel, limit, groups.data(), count};
  runVectors<compareBoxes>(compared, admitted);
  return admitted;
}

void TakenBoxes::add(const float *box) {
  int64_t lane = count % lanesOfGroup;
  if (lane == 0)
    groups.resize(groups.size() + rowsOfGroup * lanesOfGroup);
  float *group = groups.data() + count / lanesOfGroup * rowsOfGroup * lanesOfGroup + lane;
  for (int64_t corner = 0; corner < 4; ++corner)
    group[corner * lanesOfGroup] = box[corner];
  group[4 * lanesOfGroup] = boxArea(box, pixel == 0);
  ++count;
}

} // namespace proa::runtime
