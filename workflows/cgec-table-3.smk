# The Chinese metrics paper's table 3: ten baselines from scratch
include: "rules/cgec.smk"


RESULTS = ["scores.json"]


rule all:
    input:
        TABLE,
