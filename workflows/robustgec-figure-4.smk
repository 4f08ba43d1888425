# RobustGEC's figure 4: the sweep of alpha, beside the curve of KEEP biases
include: "rules/common.smk"


EVALUATED = "data/divided/test.jsonl"
ORDERS = "--orders 0"


include: "rules/robustgec.smk"


ALPHAS = parameter("alphas", [0.0, 0.1, 0.5, 1.0, 2.0, 5.0], small=[0.0, 1.0])
BIASES = parameter("biases", [0.0, 0.1, 0.2, 0.3, 0.4, 0.5], small=[0.0, 0.2])
RESULTS = [
    *expand("robustness/bias-{bias}.json", bias=BIASES),
    *expand("robustness/cpr-{alpha}-{seed}.json", alpha=ALPHAS, seed=SEEDS),
]


rule all:
    input:
        TABLE,
