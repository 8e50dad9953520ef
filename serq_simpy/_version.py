"""The version of this implementation."""

VERSION = "0.1.0"
