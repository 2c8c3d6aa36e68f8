"""Pairs of placements of a matrix on meshes, the least number of elements that a change moves, and Paddle's algorithm.

A placement is one tuple of axes for each dimension, major to minor.
"""
import itertools

DIMS = (32, 32)
MESHES = {"2x4": {"x": 2, "y": 4}, "2x2x2": {"x": 2, "y": 2, "z": 2}}


def placements(axes):
    """All placements of a matrix without partial values."""
    found = [((), ())]
    for count in range(1, len(axes) + 1):
        for order in itertools.permutations(axes, count):
            found += [(order[:cut], order[cut:]) for cut in range(count + 1)]
    return sorted(set(found))


def pairs(axes):
    return [(a, b) for a, b in itertools.product(placements(axes), repeat=2) if a != b]


def ranges(placement, sizes, position):
    """The rows and columns that a device holds."""
    out = []
    for dim, axes in zip(DIMS, placement):
        part, parts = 0, 1
        for axis in axes:
            part, parts = part * sizes[axis] + position[axis], parts * sizes[axis]
        out.append((dim // parts * part, dim // parts * (part + 1)))
    return out


def received(source, target, sizes):
    """Elements that devices need and do not hold, in sum."""
    total = 0
    for coordinates in itertools.product(*(range(n) for n in sizes.values())):
        position = dict(zip(sizes, coordinates))
        have, need = ranges(source, sizes, position), ranges(target, sizes, position)
        common = 1
        whole = 1
        for (a, b), (c, d) in zip(have, need):
            common *= max(0, min(b, d) - max(a, c))
            whole *= d - c
        total += whole - common
    return total


def paddle_received(source, target, sizes):
    """Paddle's reshard on a mesh of several axes (nd_mesh_reshard_function): from the highest dimension that differs
    down, all dimensions are gathered over all their axes, then the target is sliced. It has no co-shard."""
    if any(len(axes) > 1 for axes in (*source, *target)):
        return None
    total, current = 0, list(source)
    for dim in (1, 0):
        if current[dim] != target[dim] and current[dim]:
            before = tuple(current)
            current[dim] = ()
            total += received(before, tuple(current), sizes)
    return total
