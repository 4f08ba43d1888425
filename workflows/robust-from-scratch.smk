# The small experiment: a tagger from scratch on a CPU, made robust in the ways of RobustGEC's table 5
include: "rules/common.smk"


EVALUATED = "data/divided/test.jsonl"
ORDERS = "--orders 0"
TEST_CASES, DEV_CASES = 500, 100


include: "rules/perturbed.smk"


CLEAN = data(
    "clean",
    "data/clean.txt",
    "correct English sentences, one a line, a blank between any two tokens",
    small=SAMPLES / "en/fluent.txt",
)
LEARNER = data(
    "learner",
    "data/learner.jsonl",
    "real learners' pairs, tokenised, without sentences of the cases: without any the tagger"
    " corrects next to nothing of them",
    small=SAMPLES / "en/corpus.jsonl",
)
SEEDS = parameter("seeds", [1, 2, 3], small=[1, 2])
ALPHAS = parameter("alphas", [0.0, 0.1, 0.5, 1.0, 2.0, 5.0], small=[0.0, 1.0])
BIASES = parameter("biases", [0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9], small=[0.0, 0.3])
POST_TRAINING = (
    f"--set data.limit={parameter('pairs', 0, small=12)}"
    f" --set training.learning_rate={parameter('rate', 1e-5)}"
)
RESULTS = [
    *expand("robustness/bias-{bias}-{seed}.json", bias=BIASES, seed=SEEDS),
    *expand("robustness/cpr-{alpha}-{seed}.json", alpha=ALPHAS, seed=SEEDS),
    *expand("robustness/synthetic-{seed}.json", seed=SEEDS),
]


wildcard_constraints:
    seed=r"\d+",
    alpha=r"[\d.]+",
    bias=r"[\d.]+",


rule all:
    input:
        TABLE,


rule corrupt:
    input:
        CLEAN,
    output:
        "data/corrupted.jsonl",
    shell:
        "gecbench corrupt {input} --seed 1 -o {output}"


rule tagger:
    input:
        synthetic="data/corrupted.jsonl",
        learner=LEARNER,
    output:
        directory("runs/tagger-{seed}/model"),
    log:
        "logs/tagger-{seed}.log",
    params:
        epochs=parameter("epochs", 8, small=1),
    shell:
        "{TRAIN} --recipe robust-small"
        " --set \"data.train=['{input.synthetic}', '{input.learner}']\""
        " --set training.epochs={params.epochs} --set training.seed={wildcards.seed}"
        " -o runs/tagger-{wildcards.seed} 2> {log}"


rule cpr:
    input:
        model="runs/tagger-{seed}/model",
        train="data/divided/train.jsonl",
        dev="data/divided/dev.jsonl",
    output:
        directory("runs/cpr-{alpha}-{seed}/model"),
    log:
        "logs/cpr-{alpha}-{seed}.log",
    params:
        options=POST_TRAINING,
    shell:
        "{TRAIN} --recipe robust-small-cpr --set model.continue_from={input.model}"
        " --set \"robust.cases=['{input.train}']\" --set data.dev={input.dev}"
        " --set robust.alpha={wildcards.alpha} --set training.seed={wildcards.seed}"
        " {params.options} -o runs/cpr-{wildcards.alpha}-{wildcards.seed} 2> {log}"


rule perturb:
    input:
        "data/divided/train.jsonl",
    output:
        "data/synthetic-{seed}.jsonl",
    shell:
        "gecbench perturb {input} --seed {wildcards.seed} -o {output}"


rule synthetic:
    input:
        model="runs/tagger-{seed}/model",
        train="data/synthetic-{seed}.jsonl",
        dev="data/divided/dev.jsonl",
    output:
        directory("runs/synthetic-{seed}/model"),
    log:
        "logs/synthetic-{seed}.log",
    params:
        options=POST_TRAINING,
    shell:
        "{TRAIN} --recipe robust-small-cpr --set model.continue_from={input.model}"
        " --set \"robust.cases=['{input.train}']\" --set data.dev={input.dev}"
        " --set robust.alpha=1.0 --set training.seed={wildcards.seed}"
        " {params.options} -o runs/synthetic-{wildcards.seed} 2> {log}"


rule correct:
    input:
        model="runs/{run}/model",
        cases=EVALUATED,
    output:
        "systems/{run}.txt",
    shell:
        "gecbench correct {input.model} {input.cases} -o {output}"


rule correct_with_bias:
    input:
        model="runs/tagger-{seed}/model",
        cases=EVALUATED,
    output:
        "systems/bias-{bias}-{seed}.txt",
    shell:
        "gecbench correct {input.model} {input.cases} --set keep_bias={wildcards.bias} -o {output}"


ruleorder: correct_with_bias > correct
