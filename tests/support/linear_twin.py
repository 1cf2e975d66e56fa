"""Slow twins of the learner with features: dense matrices, inverses, an exact discounted fit."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class GaussianTwin:
    """One memory, from the definition: a precision that fades, with the prior brought back."""

    def __init__(self, d, memory, ridge=1.0):
        self.d, self.ridge, self.keep = d, ridge, 1 - 1 / memory
        self.A, self.theta, self.told = ridge * np.eye(d), np.zeros(d), 0

    def tell(self, z, o):
        chance = sigmoid(z @ self.theta)
        if self.keep < 1:
            self.A = self.keep * self.A
            i = self.told % self.d
            unit = np.eye(self.d)[i]
            back = (1 - self.keep) * self.ridge * self.d
            self.A = self.A + back * np.outer(unit, unit)
            self.theta = self.theta - np.linalg.inv(self.A) @ unit * back * self.theta[i]
        self.A = self.A + chance * (1 - chance) * np.outer(z, z)
        # The error is that of theta before the prior came back: one prediction for all.
        self.theta = self.theta + np.linalg.inv(self.A) @ z * (o - chance)
        self.told += 1
        return chance


def discounted_fit(Z, outcomes, memory, ridge=1.0):
    """The maximum of the discounted log likelihood with a Gaussian prior, by Newton's method."""
    n, d = Z.shape
    weights = (1 - 1 / memory) ** np.arange(n - 1, -1, -1.0)
    theta = np.zeros(d)
    for _ in range(100):
        chance = sigmoid(Z @ theta)
        slope = Z.T @ (weights * (outcomes - chance)) - ridge * theta
        curve = (Z.T * (weights * chance * (1 - chance))) @ Z + ridge * np.eye(d)
        step = np.linalg.solve(curve, slope)
        theta = theta + step
        if np.abs(step).max() < 1e-12:
            break
    return theta, np.linalg.inv(curve)


def max_pair(X, theta, V, width):
    def value(pair):
        i, j = pair
        z = X[i] - X[j]
        return (X[i] + X[j]) @ theta + width * np.sqrt(z @ V @ z)

    return set(max(((i, j) for i in range(len(X)) for j in range(len(X))), key=value))


def max_informative(X, theta, V, width):
    u = X @ theta
    apart = {
        (i, j): np.sqrt((X[i] - X[j]) @ V @ (X[i] - X[j]))
        for i in range(len(X))
        for j in range(len(X))
    }
    able = [
        i
        for i in range(len(X))
        if all(u[i] - u[j] + width * apart[i, j] >= 0 for j in range(len(X)) if j != i)
    ]
    if len(able) == 1:
        return {able[0]}
    return set(max(((i, j) for i in able for j in able if i < j), key=apart.get))


def colstim_second(X, theta, V, width, row):
    def reach(j):
        z = X[j] - X[row]
        return z @ theta + width * np.sqrt(z @ V @ z)

    return max(range(len(X)), key=reach)
