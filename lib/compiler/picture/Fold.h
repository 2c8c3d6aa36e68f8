/// Groups of nodes, so that a large graph is shown by groups.
#pragma once

#include "lib/compiler/picture/Graph.h"

namespace proa::picture {

/// Adds group nodes to the roots and to the children of each node:
/// 1. by the path of names, if most names are paths ("/encoder/layer.0/MatMul");
/// 2. else each repetition of a series of equal ops (equal op, attributes and types) is a group, "layer 2 of
/// 12";
/// 3. a list that is still long is cut where few values cross.
void fold(Graph &graph);

} // namespace proa::picture
