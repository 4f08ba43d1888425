# MuCGEC's table 6: its three sources, edits over characters
import json
from itertools import cycle


include: "rules/mucgec-test.smk"


# A table of id and origin, tab-separated, whose origins are NLPCC18, CGED and Lang8: write it from
# the order of the test set. Without it only the columns of all sentences are filled.
ORIGINS = configured("origins", by_form(small="small/origins.tsv"))
RESULTS = expand("scores/test-{system}.json", system=systems("lang8-hsk"))
if ORIGINS:
    RESULTS += expand("scores/sources-{system}.json", system=systems("lang8-hsk"))


rule all:
    input:
        TABLE,


rule score_by_source:
    input:
        references=REFERENCES,
        system="test/{system}.txt",
        origins=ORIGINS or [],
    output:
        "scores/sources-{system}.json",
    params:
        scheme=SCHEME,
    shell:
        "gecbench score {input.references} one={input.system} --meta {input.origins} --by origin"
        " --metric cherrant --scheme {params.scheme} -o {output}"


rule small_origins:
    input:
        SAMPLES / "zh/corpus.jsonl",
    output:
        "small/origins.tsv",
    run:
        samples = map(json.loads, Path(input[0]).read_text("utf-8").splitlines()[1:])
        names = cycle(["NLPCC18", "CGED", "Lang8"])
        lines = ["id\torigin", *(f"{each['id']}\t{name}" for each, name in zip(samples, names))]
        Path(output[0]).write_text("\n".join(lines) + "\n", "utf-8")
