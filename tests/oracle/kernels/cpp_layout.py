"""How a wave's lanes hold the matrices of WMMA (RDNA4 ISA 7.12, wave32)."""
import numpy as np


def wmma_layout(matrix, k_per_lane):
    """16 x 16 (m x k) into lanes: lane l holds row l % 16, k from (l // 16) * k_per_lane."""
    return np.concatenate([matrix[:, :k_per_lane], matrix[:, k_per_lane:]], 0)


def accumulators(matrix):
    """16 x 16 (m x n) results: lane l, element e is row e + 8 * (l // 16), column l % 16."""
    return np.concatenate([matrix[:8].T, matrix[8:].T], 0)
