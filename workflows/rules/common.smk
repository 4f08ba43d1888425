# What all workflows have in common: parameters, data, the small form, training, the table.
import importlib.util
from pathlib import Path

import gecbench

NAME = Path(workflow.main_snakefile).stem
WORKFLOWS = Path(workflow.main_snakefile).parent
SAMPLES = Path(gecbench.__file__).parent / "samples"
TABLE = f"{NAME}.txt"

KNOWN = {"small"}  # names that --config may have, as the functions below are asked for them


def configured(name, default):
    """Return what --config NAME=VALUE says, else `default`."""
    KNOWN.add(name)
    return config.get(name, default)


SMALL = str(configured("small", False)).lower() == "true"
if str(config.get("small", False)).lower() not in ("true", "false"):
    raise WorkflowError(f"--config small is {config['small']!r}; it is true or false")

# Parses of English sentences are shared by all steps.
shell.prefix("set -euo pipefail; export GECBENCH_PARSE_CACHE=parses; ")


def parameter(name, default, small=None):
    """Return a parameter: that of --config NAME=VALUE, else that of the small or full form."""
    value = configured(name, small if SMALL and small is not None else default)
    if isinstance(value, list) != isinstance(default, list):
        raise WorkflowError(f"--config {name}: write it as {name}={default}")
    return value


def data(name, place, about, small=""):
    """Return where data are: what --config NAME=PATH says, else `place`; in the small form
    something that takes its place."""
    path = configured(name, place)
    if SMALL and name not in config:
        return str(small)
    if path and not Path(path).exists():
        logger.warning(f"MISSING: {name}, {about}. Looked for at {path}; --config {name}=PATH")
    return path


def model(name, place, small):
    """Return a model: a folder, or a name on the hub; in the small form a tiny one."""
    path = configured(name, place)
    return f"small/models/{small}" if SMALL and name not in config else path


def model_input(place):
    """Return a model as an input of a rule: a name on the hub is none."""
    return place if place.startswith("small/") or Path(place).exists() else []


def by_form(full="", small=""):
    """Return what one of the two forms has, as options that it adds to a command."""
    return small if SMALL else full


# What starts training, as --config launcher="torchrun --nproc_per_node 8 -m".
TRAIN = f"{configured('launcher', '')} gecbench train".strip()
GPUS = int(configured("gpus", 1)) * (not SMALL)


# Options that name schemes and segmenters: tried before hours are spent on training.
TOOLS = []


onstart:
    for tool in TOOLS:
        shell(f"gecbench score {SAMPLES}/zh/corpus.jsonl {SAMPLES}/zh/eager.txt {tool} >/dev/null")


localrules:
    all,
    table,


def results(wildcards):
    """Return the results of the table; by now all names that --config may have are known."""
    unknown = sorted(set(config) - KNOWN)
    if unknown:
        raise WorkflowError(
            f"--config {unknown[0]}: {NAME} has no such name; it has: {', '.join(sorted(KNOWN))}"
        )
    return RESULTS


rule table:
    input:
        results=results,
        paper=local(WORKFLOWS / "tables" / f"{NAME}.toml"),
    output:
        multiext(NAME, ".txt", ".json", ".tex", ".md"),
    params:
        small=by_form(small="--small"),
        figures="--figures figures" if importlib.util.find_spec("matplotlib") else "",
    shell:
        "for file in {output}; do\n"
        "gecbench analyse paper-table {input.paper} {input.results} {params.small} -o $file\n"
        "done\n"
        "gecbench analyse paper-table {input.paper} {input.results} {params.small} {params.figures}"


rule tiny_model:
    output:
        directory("small/models/{name}"),
    shell:
        "python {WORKFLOWS}/scripts/tiny_model.py {wildcards.name} {output}"
