"""Recorded sessions, for programs to replay."""
