"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import settings

# The tests of a commit are the same every time they run; HYPOTHESIS_PROFILE=search looks further.
settings.register_profile("same", derandomize=True)
settings.register_profile("search", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
