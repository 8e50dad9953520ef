"""Events that one customer waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simpy.events import Event

if TYPE_CHECKING:
    from serq_simpy.resources.customer import Customer


class Departed(Exception):
    """The customer has left: its process does nothing more."""


class Wait(Event):
    """An event of a resource that one customer waits for.

    Like a SimPy timeout it has its value from the start; it happens when the resource
    puts it into the ready line. `cancel` undoes the waiting: the customer, preempted,
    will not be resumed by it.
    """

    _ok = True
    _value: BaseException | None = None
    customer: Customer | None

    def cancel(self) -> None:
        """Forget the customer, and take the resource's own record of it away."""
        raise NotImplementedError


class Start(Wait):
    """The first event of a customer, which puts it into the ready line."""

    customer: Customer

    def __init__(self, customer: Customer) -> None:
        self.customer = customer
        self.callbacks = [customer._resume]


class Pause(Wait):
    """A run of no work: its customer goes to the back of the ready line."""

    customer: Customer

    def __init__(self, customer: Customer) -> None:
        self.customer = customer
        self.callbacks = []
        customer.env.ready(self)

    def cancel(self) -> None:
        """The ready line passes over an event that nobody waits for."""
        self.callbacks = []
