# RobustGEC's table 5: GECToR post-trained, and what each part is worth
include: "rules/common.smk"


EVALUATED = "data/divided/test.jsonl"
ORDERS = "--orders 0"


include: "rules/robustgec.smk"
include: "rules/syngec-en.smk"


BIASES = parameter("biases", [0.0, 0.1, 0.2, 0.3, 0.4, 0.5], small=[0.0, 0.2])
RESULTS = [
    *expand("robustness/bias-{bias}.json", bias=BIASES),
    *expand("robustness/cpr-{alpha}-{seed}.json", alpha=[0.0, 1.0], seed=SEEDS),
    *expand("robustness/synthetic-{seed}.json", seed=SEEDS),
    "robustness/syngec.json",
    *expand("robustness/syngec-cpr-{seed}.json", seed=SEEDS),
]


rule all:
    input:
        TABLE,
