# SynGEC's Chinese figures on NLPCC 2018, beside the BART that it begins with
include: "rules/mucgec-nlpcc18.smk"
include: "rules/syngec-zh.smk"


RESULTS = expand(
    "scores/nlpcc18-{kind}-lang8-hsk-{seed}.json", kind=["seq2seq", "syngec"], seed=SEEDS
)


rule all:
    input:
        TABLE,
