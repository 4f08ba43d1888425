# SynGEC's Chinese figures on MuCGEC's test set, beside the BART that it begins with
include: "rules/mucgec-test.smk"
include: "rules/syngec-zh.smk"


RESULTS = expand(
    "scores/test-{kind}-lang8-hsk-{seed}.json", kind=["seq2seq", "syngec"], seed=SEEDS
)


rule all:
    input:
        TABLE,
