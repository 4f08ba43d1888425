"""The public names and where they are: the table that `gecbench` resolves them by.

Type checkers and editors read it, too. A new name is one line here, and an entry in docs/python.md.
"""

from .analysis.options import HumanOptions as HumanOptions
from .analysis.options import Layout as Layout
from .analysis.options import Plan as Plan
from .analysis.paper_table import paper_table as paper_table
from .api.analyse import agreement as agreement
from .api.analyse import breakdown as breakdown
from .api.analyse import compare as compare
from .api.analyse import correlation as correlation
from .api.analyse import human as human
from .api.analyse import meta as meta
from .api.analyse import references as references
from .api.analyse import segmentation as segmentation
from .api.combine import combine as combine
from .api.correct import correct as correct
from .api.correct import correct_file as correct_file
from .api.correct import open_corrector as open_corrector
from .api.difficulty import difficulty as difficulty
from .api.files import load as load
from .api.files import load_system as load_system
from .api.files import load_systems as load_systems
from .api.files import sample as sample
from .api.files import save as save
from .api.options import Options as Options
from .api.options import Places as Places
from .api.report import report as report
from .api.report import save_report as save_report
from .api.robustness import check_perturbed as check_perturbed
from .api.robustness import load_perturbed as load_perturbed
from .api.robustness import robustness as robustness
from .api.robustness import save_perturbed as save_perturbed
from .api.schemes import extract as extract
from .api.schemes import load_scheme as load_scheme
from .api.score import score as score
from .api.score import score_texts as score_texts
from .api.train import export as export
from .api.train import read_settings as read_settings
from .api.train import train as train
from .api.training_data import corrupt as corrupt
from .api.training_data import perturb as perturb
from .api.training_data import prepare as prepare
from .api.verb_options import DifficultyOptions as DifficultyOptions
from .api.verb_options import PerturbOptions as PerturbOptions
from .api.verb_options import Voting as Voting
from .core.corrector import Correction as Correction
from .core.corrector import TextEdit as TextEdit
from .core.edit import Edit as Edit
from .core.errors import GecbenchError as GecbenchError
from .core.options import Cluster as Cluster
from .core.perturbed import PerturbedSet as PerturbedSet
from .core.sample import Corpus as Corpus
from .core.sample import Rewrite as Rewrite
from .core.sample import Sample as Sample
from .core.sample import SystemOutput as SystemOutput

__version__: str
__all__: list[str]
