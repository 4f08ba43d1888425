"""The public names and where they are: the table that `gecbench` resolves them by.

Type checkers and editors read it, too. A new name is one line here, and an entry in docs/python.md.
"""

from gecbench.analysis.options import HumanOptions as HumanOptions
from gecbench.analysis.options import Layout as Layout
from gecbench.analysis.options import Plan as Plan
from gecbench.api.analyse import agreement as agreement
from gecbench.api.analyse import breakdown as breakdown
from gecbench.api.analyse import correlation as correlation
from gecbench.api.analyse import human as human
from gecbench.api.analyse import references as references
from gecbench.api.combine import combine as combine
from gecbench.api.correct import correct as correct
from gecbench.api.correct import correct_file as correct_file
from gecbench.api.correct import open_corrector as open_corrector
from gecbench.api.corrupt import corrupt as corrupt
from gecbench.api.difficulty import difficulty as difficulty
from gecbench.api.extract import extract as extract
from gecbench.api.files import load as load
from gecbench.api.files import load_system as load_system
from gecbench.api.files import load_systems as load_systems
from gecbench.api.files import sample as sample
from gecbench.api.files import save as save
from gecbench.api.meta import meta as meta
from gecbench.api.options import DifficultyOptions as DifficultyOptions
from gecbench.api.options import Options as Options
from gecbench.api.options import PerturbOptions as PerturbOptions
from gecbench.api.options import Places as Places
from gecbench.api.options import Voting as Voting
from gecbench.api.perturb import perturb as perturb
from gecbench.api.prepare import prepare as prepare
from gecbench.api.report import report as report
from gecbench.api.report import save_report as save_report
from gecbench.api.robustness import check_perturbed as check_perturbed
from gecbench.api.robustness import load_perturbed as load_perturbed
from gecbench.api.robustness import robustness as robustness
from gecbench.api.robustness import save_perturbed as save_perturbed
from gecbench.api.schemes import load_scheme as load_scheme
from gecbench.api.score import compare as compare
from gecbench.api.score import score as score
from gecbench.api.segmentation import segmentation as segmentation
from gecbench.api.train import export as export
from gecbench.api.train import read_settings as read_settings
from gecbench.api.train import train as train
from gecbench.core.corrector import Correction as Correction
from gecbench.core.corrector import TextEdit as TextEdit
from gecbench.core.edit import Edit as Edit
from gecbench.core.errors import GecbenchError as GecbenchError
from gecbench.core.perturbed import PerturbedSet as PerturbedSet
from gecbench.core.sample import Corpus as Corpus
from gecbench.core.sample import Rewrite as Rewrite
from gecbench.core.sample import Sample as Sample
from gecbench.core.sample import SystemOutput as SystemOutput

__version__: str
__all__: list[str]
