"""What is said beside the program: its inputs, its definitions, how long to run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from serq_simpy.cli.instances import Instance
from serq_simpy.errors import Diagnostic, UsageError

RUN_SETTINGS = ("seed", "horizon", "warmup", "arrivals", "trace")


@dataclass
class Settings:
    """`sets` are values of inputs and `defs` bodies of definitions, as text, by name.

    `run` holds those of `RUN_SETTINGS` that were given.
    """

    sets: dict[str, str] = field(default_factory=dict)
    defs: dict[str, str] = field(default_factory=dict)
    run: dict[str, Any] = field(default_factory=dict)

    def with_some_horizon(self) -> Settings:
        """The settings, with a horizon even where none was given: for looks, not for runs."""
        horizon = self.run.get("warmup", 0.0) + 1.0
        return Settings(self.sets, self.defs, {"horizon": horizon, **self.run})


def gather(given: Iterable[tuple[str, Any]], words: Sequence[str]) -> Settings:
    """The settings of options `given` in order, and of the inputs `words` after `--`.

    A later word wins over an earlier one, wherever either comes from.

    Raises:
        UsageError: a word has not the form it should have, or a file cannot be read.
        ProgramSyntaxError: an instance file is not of the language.
    """
    settings = Settings()
    for option, value in given:
        if option == "set_":
            settings.sets.update([_pair("--set", "NAME=VALUE", value)])
        elif option == "def_":
            settings.defs.update([_pair("--def", "NAME=BODY", value)])
        elif option == "instance":
            instance = Instance(value)
            settings.sets.update(instance.inputs())
            settings.run.update(instance.settings())
        else:
            settings.run[option] = value
    settings.sets.update(inputs(words))
    return settings


def _pair(option: str, form: str, value: str) -> tuple[str, str]:
    name, equals, text = value.partition("=")
    if not (equals and name.strip()):
        raise UsageError(f"`{option} {value}`: expected {option} {form}")
    return name.strip(), text


def inputs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The inputs of `--name value` and `--name=value`.

    Raises:
        UsageError: a word is neither, or an input has no value.
    """
    rest = iter(words)
    for word in rest:
        name, equals, value = word.removeprefix("--").partition("=")
        if not (word.startswith("--") and name):
            raise UsageError(
                Diagnostic(
                    f"unexpected `{word}`",
                    help="an input of the program is given as `-- --name value`",
                )
            )
        if not equals:
            following = next(rest, None)
            if following is None:
                raise UsageError(f"the input `{name}` has no value: expected --{name} VALUE")
            value = following
        yield name, value
