# MuCGEC's table 5: NLPCC 2018, MaxMatch over words
include: "rules/mucgec-nlpcc18.smk"


OTHERS = parameter("encoders", ["bert", "roberta", "macbert"], small=["bert"])
RESULTS = expand(
    "scores/nlpcc18-{system}.json",
    system=[
        *systems("lang8"),
        *systems("lang8-hsk"),
        *expand("seq2edit-{encoder}-{seed}", encoder=OTHERS, seed=SEEDS),
    ],
)


rule all:
    input:
        TABLE,
