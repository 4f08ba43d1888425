# BART, and SynGEC upon it, trained on CLang8, as RobustGEC compares them (Zhang et al., EMNLP 2023).
BART = model("bart", "facebook/bart-large", small="bart-en")
# What parses corrected sentences, as `gecbench parse` takes it; the authors took a parser of SuPar.
TREES = configured("trees", "spacy:en")
ELECTRA = model("electra", "google/electra-large-discriminator", small="roberta-en")
SMALL_TRAINING = (
    "--set training.epochs=1 --set training.precision=no --set training.threads=1"
    " --set scoring.by=loss --set data.dev=train --set training.warmup_steps=1"
)


rule bart:
    input:
        train="data/clang8.jsonl",
        dev=BEA19_DEV,
        model=model_input(BART),
    output:
        directory("runs/bart/model"),
    log:
        "logs/bart.log",
    params:
        model=BART,
        options=by_form(small=SMALL_TRAINING),
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe robustgec-bart --set model.place={params.model}"
        " --set \"data.train=['{input.train}']\" --set data.dev={input.dev}"
        " --set training.seed=1 {params.options} -o runs/bart 2> {log}"


rule trees:
    input:
        train="data/clang8.jsonl",
        dev=BEA19_DEV,
    output:
        train="data/clang8.conllu",
        dev="data/bea19-dev.conllu",
    params:
        trees=TREES,
    shell:
        "gecbench parse {params.trees} {input.train} --project -o {output.train}\n"
        "gecbench parse {params.trees} {input.dev} --project -o {output.dev}"


rule parser:
    input:
        train="data/clang8.conllu",
        dev="data/bea19-dev.conllu",
        encoder=model_input(ELECTRA),
    output:
        directory("runs/parser/model"),
    log:
        "logs/parser.log",
    params:
        encoder=ELECTRA,
        options=by_form(
            small="--set training.epochs=1 --set training.precision=no --set training.threads=1"
            " --set data.dev=train --set training.warmup_steps=1"
        ),
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe syngec-parser --set model.encoder={params.encoder}"
        " --set \"data.train=['{input.train}']\" --set data.dev={input.dev}"
        " {params.options} -o runs/parser 2> {log}"


rule syngec:
    input:
        train="data/clang8.jsonl",
        dev=BEA19_DEV,
        bart="runs/bart/model",
        parser="runs/parser/model",
    output:
        directory("runs/syngec/model"),
    log:
        "logs/syngec.log",
    params:
        options=by_form(small=SMALL_TRAINING),
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe syngec-en --set model.place={input.bart} --set model.parser={input.parser}"
        " --set \"data.train=['{input.train}']\" --set data.dev={input.dev}"
        " --set training.seed=1 {params.options} -o runs/syngec 2> {log}"


rule syngec_cpr:
    input:
        model="runs/syngec/model",
        train="data/divided/train.jsonl",
        dev="data/divided/dev.jsonl",
    output:
        directory("runs/syngec-cpr-{seed}/model"),
    log:
        "logs/syngec-cpr-{seed}.log",
    params:
        options=POST_TRAINING,
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe syngec-cpr --set model.place={input.model}"
        " --set \"robust.cases=['{input.train}']\" --set data.dev={input.dev}"
        " --set training.seed={wildcards.seed} {params.options}"
        " -o runs/syngec-cpr-{wildcards.seed} 2> {log}"
