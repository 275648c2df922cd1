"""Shapley values of trees: what each column contributes to what they say.

A leaf with value c is a product game. Let z_f be the share of the rows that pass all decisions on
column f on the way to it, and o_f be 1 if the row in question passes them, else 0. With the columns
S known and the others averaged over, the leaf counts c times the product of o over S and of z over
the rest. Shapley's weights k! (m - 1 - k)! / m! are integrals of t^k (1 - t)^(m - 1 - k), so that

    phi_f = c (o_f - z_f) * integral from 0 to 1 of prod_{g != f} (o_g t + z_g (1 - t)) dt,

a polynomial of degree m - 1, which Gauss-Legendre quadrature of half as many points integrates
exactly. The values are those of path-dependent TreeSHAP (Lundberg et al. 2020).
"""

from nacre.kernels.compile import compiled
from nacre.kernels.tree import FEATURE, LEFT, RIGHT, goes_left


@compiled
def count_rows(X, roots, links, numbers, sides, cover):
    """Add up how many rows come to each node."""
    for t in range(len(roots)):
        for i in range(X.shape[0]):
            node = roots[t]
            cover[node] += 1.0
            while links[node, FEATURE] >= 0:
                goes = goes_left(X[i], node, links, numbers, sides)
                node = roots[t] + (links[node, LEFT] if goes else links[node, RIGHT])
                cover[node] += 1.0


@compiled
def trace_path(node, links, parent, cover, feature, passed):
    """Write the columns decided on above a node and the share that passes; return how many."""
    m = 0
    while parent[node] >= 0:
        above = parent[node]
        share = cover[node] / cover[above] if cover[above] > 0.0 else 0.5
        f = 0
        while f < m and feature[f] != links[above, FEATURE]:
            f += 1
        if f == m:
            feature[m], passed[m] = links[above, FEATURE], 1.0
            m += 1
        passed[f] *= share
        node = above
    return m


@compiled
def follow_path(x, node, root, links, numbers, sides, parent, feature, own):
    """Write which of the columns above a node a row passes."""
    own[:] = 1.0
    while parent[node] >= 0:
        above = parent[node]
        left = root + links[above, LEFT] == node
        if goes_left(x, above, links, numbers, sides) != left:
            f = 0
            while feature[f] != links[above, FEATURE]:
                f += 1
            own[f] = 0.0
        node = above


@compiled
def share_out(m, passed, own, points, weights, before, share):
    """Write how a leaf of value 1 counts for each of ``m`` columns.

    ``points`` and ``weights`` are those of the quadrature on 0 to 1.
    """
    for f in range(m):
        share[f] = 0.0
    for q in range(len(points)):
        t = points[q]
        product = 1.0
        for f in range(m):
            before[f] = product
            product *= own[f] * t + passed[f] * (1.0 - t)
        product = weights[q]
        for f in range(m - 1, -1, -1):
            share[f] += before[f] * product
            product *= own[f] * t + passed[f] * (1.0 - t)
    for f in range(m):
        share[f] *= own[f] - passed[f]


@compiled
def add_contributions(
    X, roots, links, numbers, sides, cover, outputs, column, points, weights, starts,
    parent, feature, room, base, out,
):  # fmt: skip
    """Add what each column contributes to the outputs of all trees, and what they say without.

    Parameters
    ----------
    X, roots, links, numbers, sides : as for predicting
    cover : weight of the rows at each node
    outputs : (nodes, width), what each leaf says
    column : of ``out``, the first that each tree says something of
    points, weights, starts : quadratures; that of m columns is from ``starts[m]`` to the next
    parent : (nodes,), room
    feature, room : (depth,) and (4, depth), room
    base : (columns,), is added to
    out : (n, d, columns), is added to
    """
    passed, own, before, share = room[0], room[1], room[2], room[3]
    for t in range(len(roots)):
        root = roots[t]
        stop = roots[t + 1] if t + 1 < len(roots) else len(links)
        parent[root] = -1
        for node in range(root, stop):
            if links[node, FEATURE] >= 0:
                parent[root + links[node, LEFT]] = node
                parent[root + links[node, RIGHT]] = node
                continue
            m = trace_path(node, links, parent, cover, feature, passed)
            at, end = starts[m], starts[m + 1]
            alone = 1.0
            for f in range(m):
                alone *= passed[f]
            for c in range(outputs.shape[1]):
                base[column[t] + c] += alone * outputs[node, c]
            for i in range(X.shape[0]):
                follow_path(X[i], node, root, links, numbers, sides, parent, feature, own)
                share_out(m, passed, own, points[at:end], weights[at:end], before, share)
                for f in range(m):
                    for c in range(outputs.shape[1]):
                        out[i, feature[f], column[t] + c] += share[f] * outputs[node, c]
