# RobustGEC's models (Zhang et al., EMNLP 2023): trained on CLang8, post-trained on perturbed cases.
# The workflow says EVALUATED and ORDERS, see perturbed.smk.
TEST_CASES, DEV_CASES = 2500, 500


include: "perturbed.smk"


CLANG8 = data(
    "clang8",
    "data/clang8.tsv",
    "CLang8's English pairs, source TAB target:"
    " see https://github.com/google-research-datasets/clang8",
    small=SAMPLES / "en/corpus.jsonl",
)
BEA19_DEV = data(
    "bea19-dev",
    "data/bea19-dev.m2",
    "BEA-2019's dev set in M2, to stop by: see https://www.cl.cam.ac.uk/research/nl/bea2019st/",
    small=SAMPLES / "en/corpus.jsonl",
)
ROBERTA = model("roberta", "FacebookAI/roberta-large", small="roberta-en")
MASK = model("mask", "FacebookAI/roberta-base", small="roberta-en")
SEEDS = parameter("seeds", [1, 2, 3], small=[1])
POST_TRAINING = by_form(
    small="--set training.epochs=1 --set training.precision=no --set training.threads=1"
    " --set scoring.by=last --set training.learning_rate=0.001"
)


wildcard_constraints:
    seed=r"\d+",
    alpha=r"[\d.]+",
    bias=r"[\d.]+",


rule prepare:
    input:
        clang8=CLANG8,
        dev=BEA19_DEV,
    output:
        "data/clang8.jsonl",
    params:
        preset=by_form(full="clang8"),
        filter=by_form(full=f"--filter {BEA19_DEV}"),
    shell:
        "gecbench data prepare {params.preset} --corpus clang8={input.clang8} {params.filter}"
        " -o {output}"


rule gector:
    input:
        train="data/clang8.jsonl",
        dev=BEA19_DEV,
        encoder=model_input(ROBERTA),
    output:
        directory("runs/gector/model"),
    log:
        "logs/gector.log",
    params:
        encoder=ROBERTA,
        options=by_form(
            small="--set training.epochs=20 --set training.precision=no --set training.threads=1"
            " --set scoring.by=loss --set data.dev=train --set training.cold_epochs=0"
            " --set training.learning_rate=0.01"
        ),
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe robustgec-gector --set model.encoder={params.encoder}"
        " --set \"data.train=['{input.train}']\" --set data.dev={input.dev}"
        " --set training.seed=1 {params.options} -o runs/gector 2> {log}"


rule cpr:
    input:
        model="runs/gector/model",
        train="data/divided/train.jsonl",
        dev="data/divided/dev.jsonl",
    output:
        directory("runs/cpr-{alpha}-{seed}/model"),
    log:
        "logs/cpr-{alpha}-{seed}.log",
    params:
        options=POST_TRAINING,
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe robustgec-cpr --set model.continue_from={input.model}"
        " --set \"robust.cases=['{input.train}']\" --set data.dev={input.dev}"
        " --set robust.alpha={wildcards.alpha} --set training.seed={wildcards.seed}"
        " {params.options} -o runs/cpr-{wildcards.alpha}-{wildcards.seed} 2> {log}"


rule perturb:
    input:
        train="data/divided/train.jsonl",
        mask=model_input(MASK),
    output:
        "data/synthetic-{seed}.jsonl",
    params:
        mask=MASK,
    resources:
        gpu=GPUS,
    shell:
        "gecbench perturb {input.train} --filler mask:{params.mask} --seed {wildcards.seed}"
        " -o {output}"


rule synthetic:
    input:
        model="runs/gector/model",
        train="data/synthetic-{seed}.jsonl",
        dev="data/divided/dev.jsonl",
    output:
        directory("runs/synthetic-{seed}/model"),
    log:
        "logs/synthetic-{seed}.log",
    params:
        options=POST_TRAINING,
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe robustgec-cpr --set model.continue_from={input.model}"
        " --set \"robust.cases=['{input.train}']\" --set data.dev={input.dev}"
        " --set robust.alpha=1.0 --set training.seed={wildcards.seed}"
        " {params.options} -o runs/synthetic-{wildcards.seed} 2> {log}"


rule correct:
    input:
        model="runs/{run}/model",
        cases=lambda wildcards: EVALUATED,
    output:
        "systems/{run}.txt",
    resources:
        gpu=GPUS,
    shell:
        "gecbench correct {input.model} {input.cases} -o {output}"


rule correct_with_bias:
    input:
        model="runs/gector/model",
        cases=lambda wildcards: EVALUATED,
    output:
        "systems/bias-{bias}.txt",
    resources:
        gpu=GPUS,
    shell:
        "gecbench correct {input.model} {input.cases} --set keep_bias={wildcards.bias} -o {output}"


ruleorder: correct_with_bias > correct
