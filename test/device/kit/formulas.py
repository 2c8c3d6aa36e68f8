"""The formulas of programs in double precision, with NumPy. Each returns the rows `rows` of the first axis of the
result, so that large programs are checked in a sample."""

import math

import numpy as np


def matmul(feeds, rows):
    return feeds[0][rows] @ feeds[1]


def matmul_tx(feeds, rows):
    return feeds[0].T[rows] @ feeds[1]


def matmul_ty(feeds, rows):
    return feeds[0][rows] @ feeds[1].T


def _gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def matmul_gelu(feeds, rows):
    return _gelu_tanh(feeds[0][rows] @ feeds[1] + feeds[2])


def relu(feeds, rows):
    return np.maximum(feeds[0][rows], 0)


def add(feeds, rows):
    return feeds[0][rows] + feeds[1][rows]


def gelu(feeds, rows):
    x = feeds[0][rows]
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def softmax(feeds, rows):
    x = feeds[0][rows]
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def transpose(feeds, rows):
    return feeds[0].T[rows]


def sum_rows(feeds, rows):
    return feeds[0][rows].sum(1)


def sum_columns(feeds, rows):
    return feeds[0][:, rows].sum(0)


def cumsum(feeds, rows):
    return np.cumsum(feeds[0][rows], 1)


def _attention(feeds, rows, is_causal):
    """Results of [1, heads, length, depth] at the positions `rows` of heads and lengths as one axis."""
    q, k, v = (feed[0] for feed in feeds)
    _, length, depth = q.shape
    result = np.empty((len(rows), depth))
    for i, row in enumerate(rows):
        head, position = divmod(int(row), length)
        scores = k[head] @ q[head, position] / math.sqrt(depth)
        if is_causal:
            scores[position + 1:] = -np.inf
        weights = np.exp(scores - scores.max())
        result[i] = weights @ v[head] / weights.sum()
    return result


def attention(feeds, rows):
    return _attention(feeds, rows, False)


def attention_causal(feeds, rows):
    return _attention(feeds, rows, True)


# The number of axes of the result that are one axis of `rows`.
JOINED_AXES = {"attention": 3, "attention_causal": 3}
