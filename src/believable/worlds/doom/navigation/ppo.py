"""The recipe: proximal policy optimisation (Schulman et al. 2017), whole in this file. Needs the
extra `train`.

Decisions are gathered from all environments for a while, then learned from several times: how much
better each action was than expected (generalised advantage estimation), limited to a change of
`clip` in its probability. Dropout is on while learning and off while acting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import MissingExtra
from believable.worlds.doom.navigation.declarations import NavigationAgent
from believable.worlds.doom.navigation.rollout_workers import EndedCourse, EnvGroup
from believable.worlds.doom.navigation.senses import SENSES

try:
    import torch
    from torch import nn
except ImportError as error:
    raise MissingExtra(what="training", extra="train") from error

Arrays = dict[str, NDArray[Any]]
#: While it learns, environments wait: a second thread takes a quarter of the time off. Always two,
#: so that the same seed learns the same on any number of cores.
LEARNING_THREADS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PpoRecipe:
    """The published values (Milani et al. 2023), but for the learning rate: theirs is a constant
    2.5e-4 for ten million decisions; ours begins higher and falls to a tenth, because we train for
    a twentieth of that.
    """

    batch: int = 2048
    minibatches: int = 4
    epochs: int = 4
    learning_rate: float = 1e-3
    last_rate_share: float = 0.1
    discount: float = 0.99
    trace: float = 0.95
    clip: float = 0.2
    gradient_norm: float = 0.5
    value_weight: float = 0.5
    entropy_weight: float = 0.0
    dropout: float = 0.1


class NavigationNetwork(nn.Module):
    """`policy.py` has the same in numpy."""

    def __init__(self, agent: NavigationAgent, dropout: float) -> None:
        super().__init__()
        self.senses, self.body = nn.Linear(SENSES, 128), nn.Linear(128, 128)
        self.sees_depth = agent.sees_depth
        if agent.sees_depth:
            self.near, self.far = nn.Conv2d(1, 16, 8, stride=4), nn.Conv2d(16, 32, 4, stride=2)
            self.seen = nn.Linear(32 * 2 * 2, 128)
        width = 256 if agent.sees_depth else 128
        self.action, self.value = nn.Linear(width, len(agent.actions)), nn.Linear(width, 1)
        self.dropout = nn.Dropout(dropout)
        for name, layer in self.named_children():
            if not isinstance(layer, nn.Dropout):
                gain = {"action": 0.01, "value": 1.0}.get(name, 2**0.5)
                nn.init.orthogonal_(layer.weight, gain)
                nn.init.zeros_(layer.bias)

    def forward(
        self, senses: torch.Tensor, depth: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.dropout(torch.relu(self.body(torch.relu(self.senses(senses)))))
        if self.sees_depth:
            assert depth is not None
            picture = depth[:, None].float() / 255
            far = torch.relu(self.far(torch.relu(self.near(picture))))
            hidden = torch.cat([hidden, self.dropout(torch.relu(self.seen(far.flatten(1))))], 1)
        return self.action(hidden), self.value(hidden)[:, 0]


@dataclass(frozen=True, slots=True)
class LearnedBatch:
    """What gathering and learning once gave."""

    decisions: int
    rounds: list[EndedCourse]
    losses: Mapping[str, float]


class Learner:
    """A network, its optimiser, and its random state. All of it is in `state()`, so that a training
    can resume.
    """

    def __init__(self, agent: NavigationAgent, recipe: PpoRecipe, seed: int) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.agent, self.recipe = agent, recipe
        self.network = NavigationNetwork(agent, recipe.dropout)
        self.optimiser = torch.optim.Adam(self.network.parameters(), recipe.learning_rate, eps=1e-5)
        self.rng = np.random.default_rng(seed)
        self.decisions = 0

    # ------------------------------------------------------------------------------------------
    # gathering and learning

    def go_on(self, group: EnvGroup, progress: float) -> LearnedBatch:
        """Gather one batch and learn from it. `progress` is the share of the training that is
        done.
        """
        for part in self.optimiser.param_groups:
            part["lr"] = self.recipe.learning_rate * (
                1 - min(progress, 1.0) * (1 - self.recipe.last_rate_share)
            )
        batch, rounds = self._gather(group)
        losses = self._learn(batch)
        self.decisions += batch["reward"].size
        return LearnedBatch(batch["reward"].size, rounds, losses)

    def _gather(self, group: EnvGroup) -> tuple[Arrays, list[EndedCourse]]:
        """While one part of the environments is under way, the others are decided for."""
        arrays, steps = group.arrays, self.recipe.batch // group.count
        seen = (
            {"senses": arrays.senses, "depth": arrays.depth}
            if self.agent.sees_depth
            else {"senses": arrays.senses}
        )
        batch: Arrays = {
            name: np.empty((steps, *rows.shape), rows.dtype) for name, rows in seen.items()
        }
        kinds = {
            "action": np.int64,
            "chance": np.float64,
            "value": np.float32,
            "reward": np.float32,
            "over": np.bool_,
        }
        batch |= {name: np.zeros((steps, group.count), kind) for name, kind in kinds.items()}
        rounds: list[EndedCourse] = []
        self.network.eval()
        for step in range(steps):
            for part, rows in enumerate(group.parts):
                if step:
                    rounds += self._earned(group, part, batch, step - 1)
                for name, values in seen.items():
                    batch[name][step, rows] = values[rows]
                logits, batch["value"][step, rows] = self._look(
                    arrays.senses[rows], arrays.depth[rows]
                )
                action = np.argmax(logits + self.rng.gumbel(size=logits.shape), 1)
                chance = logits[np.arange(len(action)), action] - np.logaddexp.reduce(logits, 1)
                batch["action"][step, rows], batch["chance"][step, rows] = action, chance
                arrays.action[rows] = action
                group.begin(part)
        for part in range(len(group.parts)):
            rounds += self._earned(group, part, batch, steps - 1)
        _, following = self._look(arrays.senses, arrays.depth)
        batch["advantage"] = advantages(batch, following, self.recipe)
        batch["target"] = batch["advantage"] + batch["value"]
        return {
            name: values.reshape(-1, *values.shape[2:]) for name, values in batch.items()
        }, rounds

    def _earned(self, group: EnvGroup, part: int, batch: Arrays, step: int) -> list[EndedCourse]:
        """The result of a part's step, once it is done."""
        ended, rows, arrays = group.ended(part), group.parts[part], group.arrays
        batch["reward"][step, rows] = arrays.reward[rows]
        cut_off = [course.number for course in ended if course.cut_off]
        if cut_off:  # the round would have continued: its expected rest counts
            _, rest = self._look(arrays.last_senses[cut_off], arrays.last_depth[cut_off])
            batch["reward"][step, cut_off] += self.recipe.discount * rest
        batch["over"][step, [course.number for course in ended]] = True
        return ended

    def _look(
        self, senses: NDArray[np.float32], depth: NDArray[np.uint8]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        with torch.no_grad():
            logits, value = self.network(torch.from_numpy(senses), torch.from_numpy(depth))
        return logits.numpy().astype(np.float64), value.numpy()

    def _learn(self, batch: Arrays) -> dict[str, float]:
        recipe, losses = self.recipe, []
        tensors = {
            name: torch.from_numpy(values.astype(_kind(values))) for name, values in batch.items()
        }
        self.network.train()
        torch.set_num_threads(LEARNING_THREADS)
        for chosen in self._minibatches(len(batch["reward"])):
            part = {name: values[chosen] for name, values in tensors.items()}
            logits, value = self.network(part["senses"], part.get("depth"))
            chances = torch.log_softmax(logits, 1)
            ratio = torch.exp(chances.gather(1, part["action"][:, None])[:, 0] - part["chance"])
            better = part["advantage"]
            better = (better - better.mean()) / (better.std() + 1e-8)
            held = torch.clamp(ratio, 1 - recipe.clip, 1 + recipe.clip)
            policy_loss = -torch.min(ratio * better, held * better).mean()
            value_loss = 0.5 * (value - part["target"]).pow(2).mean()
            entropy = -(chances.exp() * chances).sum(1).mean()
            loss = policy_loss + recipe.value_weight * value_loss - recipe.entropy_weight * entropy
            self.optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), recipe.gradient_norm)
            self.optimiser.step()
            losses.append((policy_loss.item(), value_loss.item(), entropy.item()))
        torch.set_num_threads(1)
        means = np.mean(losses, 0)
        return {
            "policy_loss": float(means[0]),
            "value_loss": float(means[1]),
            "entropy": float(means[2]),
        }

    def _minibatches(self, size: int) -> Iterator[torch.Tensor]:
        for _ in range(self.recipe.epochs):
            order = self.rng.permutation(size)
            for part in np.array_split(order, self.recipe.minibatches):
                yield torch.from_numpy(part)

    # ------------------------------------------------------------------------------------------
    # weights and state

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """What acting needs, and the value besides."""
        return {
            name: tensor.detach().numpy().copy()
            for name, tensor in self.network.state_dict().items()
        }

    def take(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        self.network.load_state_dict(
            {name: torch.from_numpy(np.array(values)) for name, values in weights.items()}
        )

    def state(self) -> Arrays:
        """Everything there is, as arrays by name."""
        state: Arrays = {f"network.{name}": values for name, values in self.weights().items()}
        for number, moments in self.optimiser.state_dict()["state"].items():
            state |= {
                f"optimiser.{number}.{name}": np.asarray(values) for name, values in moments.items()
            }
        state["chance.torch"] = torch.get_rng_state().numpy()
        return state

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        self.take(
            {
                name.removeprefix("network."): v
                for name, v in state.items()
                if name.startswith("network.")
            }
        )
        optimiser = self.optimiser.state_dict()
        for name, values in state.items():
            if name.startswith("optimiser."):
                _, number, moment = name.split(".")
                optimiser["state"].setdefault(int(number), {})[moment] = torch.from_numpy(
                    np.array(values)
                )
        self.optimiser.load_state_dict(optimiser)
        torch.set_rng_state(torch.from_numpy(np.array(state["chance.torch"])))


def advantages(batch: Arrays, following: NDArray[Any], recipe: PpoRecipe) -> NDArray[np.float32]:
    """How much better each action was than expected; nothing reaches back over the end of a
    round.
    """
    result = np.zeros_like(batch["reward"], dtype=np.float32)
    ahead = np.zeros(batch["reward"].shape[1])
    for step in reversed(range(len(result))):
        going_on = 1.0 - batch["over"][step]
        surprise = (
            batch["reward"][step] + recipe.discount * following * going_on - batch["value"][step]
        )
        ahead = surprise + recipe.discount * recipe.trace * going_on * ahead
        result[step] = ahead
        following = batch["value"][step]
    return result


def _kind(values: NDArray[Any]) -> type:
    return {"u": np.uint8, "i": np.int64, "b": np.float32}.get(values.dtype.kind, np.float32)
