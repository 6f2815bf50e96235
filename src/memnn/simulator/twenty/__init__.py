"""bAbI's twenty tasks, made anew: any number of stories, with supports, in any words.

A story is made in two steps. A task plots it as facts and questions (`meaning`, `plot`, one module
for every kind of task), and `wording` says them with the frames and names of a words file
(`words`, `english.toml`). Each step has its own random numbers: other words tell the same story.
"""

from memnn.simulator.twenty.mixture import read_mixture, simulate_tasks
from memnn.simulator.twenty.tasks import TASKS, Task
from memnn.simulator.twenty.words import Vocabulary

__all__ = ["TASKS", "Task", "Vocabulary", "read_mixture", "simulate_tasks"]
