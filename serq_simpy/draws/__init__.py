"""Random streams, defined to the bit, and the laws that programs draw from."""

from serq_simpy.draws.rng import Rng
from serq_simpy.draws.streams import Stream, Streams

__all__ = ["Rng", "Stream", "Streams"]
