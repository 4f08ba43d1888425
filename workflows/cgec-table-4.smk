# The Chinese metrics paper's table 4: how far metrics agree over the ten baselines
include: "rules/cgec.smk"


RESULTS = ["correlation.json"]


rule all:
    input:
        TABLE,
