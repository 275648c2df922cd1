"""The boosting algorithms, each in about ten naive lines.

Letters: w row weights (sum 1), h predicted codes, u = +1 on rows that h gets right and -1 on the
others, err the weight of the others, z margins, s sample weights, t the round, from 1.
`learn(w)` returns the codes that a weak learner fitted with weights w predicts on the same rows.
With `draws`, a (rounds, n) array of row multiplicities, it is fitted with w * draws[t - 1].
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linprog
from scipy.special import erfc

TOL = 1e-12
FLOOR = 1e-10  # err = 0 is taken as this, so that a perfect hypothesis has a finite vote

Array = np.ndarray
Learn = Callable[[Array], Array]


@dataclass
class Result:
    """What a run leaves behind; only hypotheses that were kept have an entry."""

    n: int
    votes: Array = field(default_factory=lambda: np.empty(0))
    hypotheses: list[Array] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    columns: list[Array] = field(default_factory=list)
    stop: str = "rounds done"

    @property
    def margins(self) -> Array:
        """n x rounds: z after each round."""
        return np.array(self.columns).reshape(-1, self.n).T

    def keep(self, h: Array, err: float, vote: float, z: Array, shrink: float = 1.0) -> None:
        self.votes = np.append(shrink * self.votes, vote)
        self.hypotheses.append(h)
        self.errors.append(float(err))
        self.columns.append(z)

    def end(self, reason: str) -> "Result":
        self.stop = reason
        return self


# Small parts ------------------------------------------------------------------------------------


def log(x: Array | float) -> Array:
    """log with log(0) = -inf and no warning."""
    with np.errstate(divide="ignore"):
        return np.log(x)


def start(y: Array, s: Array | None) -> tuple[Array, Array, Result]:
    """Log of the normalised sample weights, margins 0, an empty result."""
    s = np.ones(len(y)) if s is None else np.asarray(s, dtype=float)
    return log(s / s.sum()), np.zeros(len(y)), Result(len(y))


def normalise(log_w: Array) -> Array:
    """Weights that sum to 1 from their logs."""
    w = np.exp(log_w - log_w.max())
    return w / w.sum()


def look(
    learn: Learn, w: Array, y: Array, draws: Array | None, t: int
) -> tuple[Array, Array, float]:
    """Fit on the drawn rows, judge on all rows: codes, agreement, weighted error."""
    h = np.asarray(learn(w if draws is None else w * draws[t - 1]))
    return h, np.where(h == y, 1.0, -1.0), w[h != y].sum()


def half_log_odds(err: float) -> float:
    """AdaBoost's step A."""
    err = max(err, FLOOR)
    return 0.5 * np.log((1 - err) / err)


def averaged_step(err: float, t: int) -> float:
    """AveBoost's step G: AdaBoost's beta times gamma, in half log-odds."""
    err = max(err, FLOOR)
    beta, gamma = err / (1 - err), (2 * (1 - err) * t + 1) / (2 * err * t + 1)
    return -0.5 * np.log(beta * gamma)


def lowest(cost: Callable, slope: Callable, low: float, high: float) -> float:
    """Global minimum on [low, high]: a fine grid, then bisection of the slope around its best."""
    grid = np.linspace(low, high, 4001)
    k = int(np.argmin(cost(grid)))
    left, right = grid[max(k - 1, 0)], grid[min(k + 1, 4000)]
    for _ in range(60):
        middle = (left + right) / 2
        left, right = (middle, right) if slope(middle) < 0 else (left, middle)
    return (left + right) / 2


# AdaBoost ---------------------------------------------------------------------------------------


def adaboost_m1(learn, y, rounds, s=None, learning_rate=1.0, draws=None) -> Result:
    """AdaBoost.M1 (Freund and Schapire 1997)."""
    log_s, z, result = start(y, s)
    for t in range(1, rounds + 1):
        w = normalise(log_s - z)
        h, u, err = look(learn, w, y, draws, t)
        if err >= 1 / 2 - TOL:
            return result.end("no better than chance")
        vote = learning_rate * half_log_odds(err)
        z = z + vote * u
        result.keep(h, err, vote, z)
        if err == 0:
            return result.end("perfect")
    return result


def samme(learn, y, rounds, s=None, learning_rate=1.0, draws=None, n_classes=None) -> Result:
    """SAMME (Zhu, Zou, Rosset and Hastie 2009), votes halved."""
    log_s, z, result = start(y, s)
    n_classes = n_classes or int(y.max()) + 1
    for t in range(1, rounds + 1):
        w = normalise(log_s - z)
        h, u, err = look(learn, w, y, draws, t)
        if err >= 1 - 1 / n_classes - TOL:
            return result.end("no better than chance")
        vote = learning_rate * (half_log_odds(err) + 0.5 * np.log(n_classes - 1))
        z = z + vote * u
        result.keep(h, err, vote, z)
        if err == 0:
            return result.end("perfect")
    return result


def pseudo_costs(W: Array, y: Array) -> Array:
    """What saying class k on row i costs, n x K: the total over a column of answers is eps."""
    costs = (W.sum(axis=1, keepdims=True) + W) / 2
    costs[np.arange(len(y)), y] = 0
    return costs


def pseudo_gains(W: Array, y: Array) -> Array:
    """The same as gains: the weight of the row less the cost, for learners that maximise."""
    return W.sum(axis=1, keepdims=True) - pseudo_costs(W, y)


def adaboost_m2(learn, y, rounds, s=None, learning_rate=1.0, draws=None, n_classes=None) -> Result:
    """AdaBoost.M2 (Freund and Schapire 1997) for hypotheses that say one class.

    `learn` gets the n x K weights of the wrong labels. Margin: own class less the best other.
    """
    log_s, _, result = start(y, s)
    n_classes = n_classes or int(y.max()) + 1
    own = np.eye(n_classes, dtype=bool)[y]
    log_W = np.where(own, -np.inf, log_s[:, None] - np.log(n_classes - 1))
    F = np.zeros((len(y), n_classes))
    for t in range(1, rounds + 1):
        W = normalise(log_W)
        h = np.asarray(learn(W if draws is None else W * draws[t - 1][:, None]))
        err = pseudo_costs(W, y)[np.arange(len(y)), h].sum()
        if err >= 1 / 2 - TOL:
            return result.end("no better than chance")
        vote = learning_rate * half_log_odds(err)
        said = np.eye(n_classes)[h]
        log_W = log_W + vote * ((h != y)[:, None] + said)
        F = F + vote * said
        result.keep(h, err, vote, F[own] - np.where(own, -np.inf, F).max(axis=1))
        if err == 0:
            return result.end("perfect")
    return result


# AveBoost ---------------------------------------------------------------------------------------


def aveboost(learn, y, rounds, s=None, learning_rate=1.0, draws=None) -> Result:
    """AveBoost (Oza 2003): averaged distributions, AdaBoost's votes."""
    log_s, z, result = start(y, s)
    for t in range(1, rounds + 1):
        w = normalise(log_s - z)
        h, u, err = look(learn, w, y, draws, t)
        if err >= 1 / 2 - TOL:
            return result.end("no better than chance")
        z = z + learning_rate * averaged_step(err, t) * u
        result.keep(h, err, learning_rate * half_log_odds(err), z)
        if err == 0:
            return result.end("perfect")
    return result


def aveboost2(learn, y, rounds, s=None, learning_rate=1.0, draws=None) -> Result:
    """AveBoost2 (Oza 2004): averaged distributions, and votes to match."""
    log_s, z, result = start(y, s)
    for t in range(1, rounds + 1):
        w = normalise(log_s - z)
        h, u, err = look(learn, w, y, draws, t)
        if err >= 1 / 2 - TOL:
            return result.end("no better than chance")
        vote = learning_rate * averaged_step(err, t)
        z = z + vote * u
        result.keep(h, err, vote, z)
        if err == 0:
            return result.end("perfect")
    return result


# p-boosting -------------------------------------------------------------------------------------


def naive_pboost(learn, y, rounds, s=None, learning_rate=1.0, draws=None, p=1.0) -> Result:
    """Naive p-boosting (Barnes 1999): AdaBoost whose votes are stretched by the power 1/p."""
    log_s, z, result = start(y, s)
    for t in range(1, rounds + 1):
        w = normalise(log_s - z)
        h, u, err = look(learn, w, y, draws, t)
        if err >= 1 / 2 - TOL:
            return result.end("no better than chance")
        step = half_log_odds(err)
        z = z + learning_rate * step * u
        result.keep(h, err, learning_rate * step ** (1 / p), z)
        if err == 0:
            return result.end("perfect")
    return result


def sloppy_pboost(
    learn, y, rounds, s=None, learning_rate=1.0, draws=None, p=1.0, acceleration=0.0
) -> Result:
    """Sloppy p-boosting (Barnes 1999): AdaBoost's step, then back to votes of p-norm 1.

    acceleration > 0 is the accelerated form, with cost exp(-z t^acceleration).
    """
    log_s, z, result = start(y, s)
    for t in range(1, rounds + 1):
        speed = t**acceleration
        w = normalise(log_s - z * speed)
        h, u, err = look(learn, w, y, draws, t)
        if err >= 1 / 2 - TOL:
            return result.end("no better than chance")
        a = learning_rate * half_log_odds(err) / speed
        shrink = (1 + a**p) ** (-1 / p)
        vote = 1.0 if t == 1 else a * shrink
        z = shrink * z + vote * u
        result.keep(h, err, vote, z, shrink)
        if err == 0:
            return result.end("perfect")
    return result


def raw_pboost(
    learn, y, rounds, s=None, learning_rate=1.0, draws=None, p=1.0, tolerance=1e-3
) -> Result:
    """Sloppy p-boosting by appendix B of Barnes (1999), if its margins are not normalised."""
    log_s, z, result = start(y, s)
    for t in range(1, rounds + 1):
        w = normalise(log_s - z)
        h, u, err = look(learn, w, y, draws, t)
        if err >= 1 / 2 - TOL:
            return result.end("no better than chance")
        if t == 1:
            alpha, shrink, vote = 1.0, 1.0, 1.0
        else:
            if tolerance is None or err == 0:
                alpha = half_log_odds(err)
            else:
                alpha = newton_raphson(np.exp(log_s), z, u, t - 1, tolerance)
            alpha *= learning_rate
            shrink = (1 + alpha**p) ** (-1 / p)
            vote = alpha * shrink
        z = z + alpha * u
        result.keep(h, err, vote, z, shrink)
        if err == 0:
            return result.end("perfect")
    return result


def newton_raphson(s, z, u, iterations, tolerance):
    """The search of the listing: s exp(-(z + alpha u)) and its derivatives, half steps at most."""
    new_alpha, d, last_c, least, most = 0.5 / iterations, 1.0, 1e6, np.inf, -np.inf
    steps = 0
    while abs(d) >= tolerance and steps < 1000:
        alpha = new_alpha
        costs = s * np.exp(-(z + alpha * u))
        c, d, d2 = costs.sum(), -(costs * u).sum(), costs.sum()
        least, most = min(d, least), max(d, most)
        if d2 < np.finfo(float).eps:
            d2 = 0.01
        new_alpha = max(alpha / 2, alpha - d / d2)
        if abs(c - last_c) < tolerance and least * most > 0:
            break
        last_c = c
        steps += 1
    return alpha


def accelerated_pboost(
    learn, y, rounds, s=None, learning_rate=1.0, draws=None, p=1.0, acceleration=0.5
) -> Result:
    """Accelerated sloppy p-boosting (Barnes 1999)."""
    return sloppy_pboost(learn, y, rounds, s, learning_rate, draws, p, acceleration)


def hull_step(log_a: Array | float, p: float) -> tuple[Array, Array]:
    """(shrink, vote) of the step a on the p-convex hull."""
    log_norm = np.logaddexp(0, p * np.asarray(log_a)) / p
    return np.exp(-log_norm), np.exp(log_a - log_norm)


def hull_cost(log_a: Array | float, z: Array, u: Array, s: Array, p: float) -> Array:
    """Exponential cost after the step a (one value per entry of log_a)."""
    shrink, vote = (np.expand_dims(part, -1) for part in hull_step(log_a, p))
    return np.exp(-(shrink * z + vote * u)) @ s


def hull_slope(log_a: Array | float, z: Array, u: Array, s: Array, p: float) -> Array:
    """Derivative of `hull_cost` in log a."""
    shrink, vote = (np.expand_dims(part, -1) for part in hull_step(log_a, p))
    move = vote**p * shrink * z - shrink**p * vote * u  # shrink^p + vote^p = 1
    return (np.exp(-(shrink * z + vote * u)) * move) @ s


def strict_pboost(learn, y, rounds, s=None, learning_rate=1.0, draws=None, p=1.0) -> Result:
    """Strict p-boosting (Barnes 1999): the line search runs along the p-convex hull."""
    log_s, z, result = start(y, s)
    reach = 40 / min(p, 1)
    for t in range(1, rounds + 1):
        w = normalise(log_s - z)
        h, u, err = look(learn, w, y, draws, t)
        if err >= 1 / 2 - TOL:
            return result.end("no better than chance")
        line = (z, u, np.exp(log_s), p)
        shrink, vote = 0.0, 1.0
        if t > 1:
            log_a = lowest(
                lambda b, line=line: hull_cost(b, *line),
                lambda b, line=line: hull_slope(b, *line),
                -reach,
                reach,
            )
            if hull_cost(log_a, *line) >= (1 - TOL) * np.exp(log_s - z).sum():
                return result.end("no descent")
            shrink, vote = hull_step(log_a + np.log(learning_rate), p)
        z = shrink * z + vote * u
        result.keep(h, err, vote, z, shrink)
        if err == 0:
            return result.end("perfect")
    return result


def gravity_pboost(
    learn, y, rounds, s=None, learning_rate=1.0, draws=None, p=1.0, gravity=0.1
) -> Result:
    """Gravity p-boosting (Barnes 1999): exponential cost plus gravity times the p-norm of votes."""
    log_s, z, result = start(y, s)
    for t in range(1, rounds + 1):
        w = normalise(log_s - z)
        h, u, err = look(learn, w, y, draws, t)
        if err >= 1 / 2 - TOL:
            return result.end("no better than chance")
        height, wrong = np.exp(log_s - z).sum(), max(err, FLOOR)
        power = (np.abs(result.votes) ** p).sum()

        def cost(log_a, height=height, wrong=wrong, power=power):
            a = np.exp(log_a)
            pull = (power + a**p) ** (1 / p)
            return height * ((1 - wrong) * np.exp(-a) + wrong * np.exp(a)) + gravity * pull

        def slope(log_a, height=height, wrong=wrong, power=power):
            a = np.exp(log_a)
            pull = (power + a**p) ** (1 / p - 1) * a ** (p - 1)
            return height * (wrong * np.exp(a) - (1 - wrong) * np.exp(-a)) + gravity * pull

        top = np.log(half_log_odds(err))  # the penalty only ever shortens AdaBoost's step
        log_a = lowest(cost, slope, top - 40, top)
        if cost(log_a) >= (1 - TOL) * (height + gravity * power ** (1 / p)):
            return result.end("no descent")
        vote = learning_rate * np.exp(log_a)
        z = z + vote * u
        result.keep(h, err, vote, z)
        if err == 0:
            return result.end("perfect")
    return result


# MarginBoost and SNRBoost -----------------------------------------------------------------------


def log_pull(cost: str, z: Array, slope: float = 1.0, sigma2: float = 1.0) -> Array:
    """log(-c'(z)) of a cost, up to a constant."""
    if cost == "exponential":
        return -z
    if cost == "logistic":
        return -np.logaddexp(0, z)
    if cost == "tanh":
        return -2 * np.logaddexp(slope * z, -slope * z)
    if cost == "sigmoid":
        return slope * z - 2 * np.logaddexp(0, slope * z)
    if cost == "zero-one":
        return -(z**2) / (2 * sigma2)
    raise ValueError(cost)


def corrected(log_right: Array, log_flipped: Array, rate: Array | float) -> Array:
    """log of ((1-e) right + e flipped) / (1-2e): the pull corrected for a noise rate e."""
    rate = np.asarray(rate, dtype=float)
    return np.logaddexp(np.log1p(-rate) + log_right, log(rate) + log_flipped) - np.log1p(-2 * rate)


def noise_rates(n: int, rate: Array | float, noisy: Array | None) -> Array:
    """One rate per row: `rate` on the noisy rows (all rows if None), 0 on the clean ones."""
    noisy = np.ones(n, dtype=bool) if noisy is None else np.asarray(noisy, dtype=bool)
    return np.where(noisy, rate, 0.0)


def marginboost(
    learn,
    y,
    rounds,
    s=None,
    learning_rate=1.0,
    draws=None,
    cost="tanh",
    slope=1.0,
    sigma2=1.0,
    rate=0.0,
    noisy=None,
    k=None,
    stops=True,
) -> Result:
    """MarginBoost.L1 (Mason, Baxter, Bartlett and Frean 2000; Sano, Suzuki and Koda 2007).

    The descent test compares the edge of h with that of the ensemble: the move is along h - F.
    """
    e = noise_rates(len(y), rate, noisy)

    def weigh(log_s, z):
        pulls = (log_pull(cost, margin, slope, sigma2) for margin in (z, -z))
        return normalise(log_s + corrected(*pulls, e))

    return on_the_hull(weigh, learn, y, rounds, s, learning_rate, draws, k, stops)


def normalised_noise(draws: Array, sigma2: float) -> Array:
    """Draws shifted and scaled to sample mean 0 and sample variance sigma2 (1/M form)."""
    centred = draws - draws.mean()
    return centred * np.sqrt(sigma2 / (centred**2).mean())


def noise_reaction(z: Array, noise: Array, sigma2: float) -> Array:
    """Derivative of 1[z < 0] by stochastic noise reaction; exactly 0 where no draw crosses."""
    crossed = z[:, None] + noise < 0
    d = (crossed * noise).sum(axis=1) / (sigma2 * len(noise))
    return np.where(crossed.all(axis=1) | ~crossed.any(axis=1), 0.0, d)


def snrboost(
    learn,
    y,
    rounds,
    s=None,
    learning_rate=1.0,
    draws=None,
    sigma2=1.0,
    noise=None,
    k=None,
    stops=True,
) -> Result:
    """SNRBoost (Sano, Suzuki and Koda 2007), zero-one cost; `noise` holds normalised draws.

    noise=None is the limit of many draws: the pull is the Gaussian density of variance sigma2.
    """

    def weigh(log_s, z):
        if noise is None:
            return normalise(log_s + log_pull("zero-one", z, sigma2=sigma2))
        d = np.exp(log_s) * np.minimum(noise_reaction(z, noise, sigma2), 0)
        return d / d.sum() if d.any() else None

    return on_the_hull(weigh, learn, y, rounds, s, learning_rate, draws, k, stops)


def reaction_by_row(learn, y, rounds, noise, sigma2, loss, joint) -> Result:
    """SNRBoost by equations 4 and 5 to the letter: row i has draws `noise[i]`; any loss."""
    n, draws = noise.shape

    def derivative(z, i):
        total = 0.0
        for j in range(draws):
            shaken = [loss(z[k] + noise[k, j]) for k in (range(n) if joint else [i])]
            total += sum(shaken) * noise[i, j]
        return total / (sigma2 * draws)

    def weigh(log_s, z):
        if not z.any():
            return np.exp(log_s)
        d = np.exp(log_s) * [derivative(z, i) for i in range(n)]
        w = np.maximum(d / d.sum(), 0)
        return w / w.sum()

    return on_the_hull(weigh, learn, y, rounds, None, 1.0, None, None, False)


def on_the_hull(weigh, learn, y, rounds, s, learning_rate, draws, k, stops) -> Result:
    """The step that MarginBoost.L1 and SNRBoost share: votes K/(K+t), rescaled to sum 1."""
    log_s, z, result = start(y, s)
    k, total = k or rounds, 0.0
    for t in range(1, rounds + 1):
        w = weigh(log_s, z)
        if w is None:
            return result.end("weights vanished")
        h, u, err = look(learn, w, y, draws, t)
        if stops and w @ u <= w @ z + 2 * TOL:
            return result.end("no descent")
        v = k / (k + t)
        total += v
        shrink, vote = (total - v) / total, learning_rate * v / total
        z = shrink * z + vote * u
        result.keep(h, err, vote, z, shrink)
        if stops and err == 0:
            return result.end("perfect")
    return result


# Core AdaBoost ----------------------------------------------------------------------------------


def core_adaboost(
    learn, y, rounds, s=None, learning_rate=1.0, draws=None, rate=0.0, noisy=None
) -> Result:
    """Core AdaBoost (Weil 2015): exp(-z) on clean rows, the corrected cost on noisy ones."""
    log_s, z, result = start(y, s)
    e = noise_rates(len(y), rate, noisy)
    for t in range(1, rounds + 1):
        log_omega = log_s + corrected(-z, z, e)
        w = normalise(log_omega)
        h, u, err = look(learn, w, y, draws, t)
        a = np.exp(log_s + log(e / (1 - 2 * e)) + z - np.logaddexp.reduce(log_omega)).sum()
        if err >= 1 / 2 - TOL:
            return result.end("no better than chance")
        if 0 < err <= a:
            return result.end("step undefined")
        if err == 0:
            a = 0.0
        vote = learning_rate * 0.5 * np.log((1 - max(err, FLOOR) - a) / (max(err, FLOOR) - a))
        z = z + vote * u
        result.keep(h, err, vote, z)
        if err == 0:
            return result.end("perfect")
    return result


def stochastic_core(
    learn, y, rounds, s=None, learning_rate=1.0, draws=None, rate=0.0, noisy=None, stops=True
) -> Result:
    """Stochastic Core AdaBoost (Weil 2015): votes 1/t, hypotheses fitted on bootstraps."""
    log_s, z, result = start(y, s)
    e = noise_rates(len(y), rate, noisy)
    for t in range(1, rounds + 1):
        w = normalise(log_s + corrected(-z, z, e))
        h, u, err = look(learn, w, y, draws, t)
        if stops and err >= 1 / 2 - TOL:
            return result.end("no better than chance")
        vote = learning_rate / t
        z = z + vote * u
        result.keep(h, err, vote, z)
        if stops and err == 0:
            return result.end("perfect")
    return result


# BrownBoost -------------------------------------------------------------------------------------


def bisected(reached: Callable, low: float, high: float) -> float:
    """The least number at which `reached` is true, it being false at low and true at high."""
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return (low + high) / 2


def brownboost(learn, y, rounds, s=None, learning_rate=1.0, draws=None, c=1.0) -> Result:
    """BrownBoost (Freund 2001): `left` is the time left, c at first."""
    log_s, z, result = start(y, s)
    left = c
    for t in range(1, rounds + 1):
        w = normalise(log_s - (z + left) ** 2 / c)
        h, u, err = look(learn, w, y, draws, t)
        if err >= 1 / 2 - TOL:
            return result.end("no better than chance")

        def after(b, time, z=z, u=u, left=left):
            return z + b * u + left - time

        def potential(b, time, after=after):
            return np.exp(log_s) @ erfc(after(b, time) / np.sqrt(c))

        def time_of(b, potential=potential):
            before = potential(0, 0)
            return bisected(lambda at: potential(b, at) >= before, -b, b)

        def far(b, after=after, time_of=time_of, u=u, left=left):
            time = time_of(b)
            return np.exp(log_s - after(b, time) ** 2 / c) @ u <= 0 or time >= left

        if err == 0:
            vote, time = left, left
        else:
            high = 0.01
            while not far(high):
                high = 1.3 * high
            vote = bisected(far, 0.0, high)
            time = time_of(vote)
        z, left = z + vote * u, left - time
        result.keep(h, err, vote, z)
        if err == 0:
            return result.end("perfect")
        if left < TOL:
            return result.end("time is up")
    return result


# AdaBoost_Reg -----------------------------------------------------------------------------------


def adaboost_reg(learn, y, rounds, s=None, learning_rate=1.0, draws=None, strength=0.1) -> Result:
    """AdaBoost_Reg (Raetsch, Onoda and Mueller 2001): `influence` is what a row has weighed."""
    log_s, z, result = start(y, s)
    influence = np.zeros(len(y))
    for t in range(1, rounds + 1):
        w = normalise(log_s - z - strength * influence)
        h, u, err = look(learn, w, y, draws, t)
        if err >= 1 / 2 - TOL:
            return result.end("no better than chance")
        share = w / np.exp(log_s)
        if err == 0:
            vote = half_log_odds(0)
        elif (u + strength * share >= 0).all():
            return result.end("step undefined")
        else:

            def uphill(b, w=w, gain=u + strength * share):
                return (w * gain * np.exp(-b * gain + min(0, (b * gain).min()))).sum() <= 0

            high = 1.0
            while not uphill(high):
                high = 2 * high
            vote = bisected(uphill, 0.0, high)
        vote *= learning_rate
        z, influence = z + vote * u, influence + vote * share
        result.keep(h, err, vote, z)
        if err == 0:
            return result.end("perfect")
    return result


# LPBoost ----------------------------------------------------------------------------------------


def soft_margin(hits: Array, s: Array, nu: float) -> float:
    """LPBoost's program as printed (Demiriz, Bennett, Shawe-Taylor 2002): rho - sum s xi / nu."""
    rounds, n = hits.shape
    best = linprog(
        np.concatenate([np.zeros(rounds), [-1.0], s / nu]),
        A_ub=np.hstack([-hits.T, np.ones((n, 1)), -np.eye(n)]),
        b_ub=np.zeros(n),
        A_eq=[[1.0] * rounds + [0.0] * (n + 1)],
        b_eq=[1.0],
        bounds=[(0, None)] * rounds + [(None, None)] + [(0, None)] * n,
    )
    return -best.fun
