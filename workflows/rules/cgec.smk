# The Chinese metrics paper's ten baselines from scratch, scored by four metrics
include: "common.smk"


LANG8 = data(
    "lang8",
    "data/lang8.tsv",
    "Lang8's Chinese pairs as NLPCC 2018 gave them out, in any format or as source TAB target:"
    " ask for it as https://github.com/HillZhang1999/MuCGEC describes",
    small=SAMPLES / "zh/corpus.jsonl",
)
HSK = data(
    "hsk",
    "data/hsk.tsv",
    "the HSK pairs, in any format or as source TAB target:"
    " see https://github.com/HillZhang1999/MuCGEC",
    small=SAMPLES / "zh/corpus.jsonl",
)
NLPCC18 = data(
    "nlpcc18",
    "data/nlpcc18.gold",
    "the gold M2 file of NLPCC 2018, words divided by blanks:"
    " see https://github.com/zhaoyyoo/NLPCC2018_GEC",
    small=SAMPLES / "zh/corpus.jsonl",
)
SENTENCES = data(
    "nlpcc18-source",
    "data/nlpcc18.src",
    "its 2,000 sentences without blanks, one a line: take the blanks out of what stands behind S",
    small=SAMPLES / "zh/corpus.jsonl",
)
SEGMENTER = parameter("segmenter", "pkuseg")
TOOLS += by_form(full=[f"--metric m2 --segmenter {SEGMENTER}"], small=[])
# Name: recipe, units, whether characters are simplified, whether it learns from HSK, too
BASELINES = {
    "cnn-word": ("cgec-cnn", "words", False, False),
    "cnn-word-simplified-hsk": ("cgec-cnn", "words", True, True),
    "lstm-word": ("cgec-lstm", "words", False, False),
    "lstm-word-simplified-hsk": ("cgec-lstm", "words", True, True),
    "transformer-word": ("cgec-transformer", "words", False, False),
    "transformer-char": ("cgec-transformer", "characters", False, False),
    "transformer-word-hsk": ("cgec-transformer", "words", False, True),
    "transformer-char-hsk": ("cgec-transformer", "characters", False, True),
    "transformer-word-simplified-hsk": ("cgec-transformer", "words", True, True),
    "transformer-char-simplified-hsk": ("cgec-transformer", "characters", True, True),
}
SCORING = "--metric m2,sentence-accuracy,char-bleu,mp-prime " + by_form(
    full=f"--from m2-maxmatch --segmenter {SEGMENTER}", small="--scheme zh-char"
)
FILTER = by_form(full=f"--filter {SENTENCES}")


def training_data(wildcards):
    """Return the files that a baseline learns from."""
    hsk = BASELINES[wildcards.system][3]
    return ["data/cgec-lang8.jsonl", *(["data/cgec-hsk.jsonl"] if hsk else [])]


rule prepare_lang8:
    input:
        LANG8,
        SENTENCES,
    output:
        train="data/cgec-lang8.jsonl",
        dev="data/cgec-dev.jsonl",
    params:
        filter=FILTER,
        dev=by_form(full=5000, small=10),
    shell:
        "gecbench data prepare --corpus lang8={input[0]} {params.filter} --dev {params.dev}"
        " -o {output.train} --dev-output {output.dev}"


rule prepare_hsk:
    input:
        HSK,
        SENTENCES,
    output:
        "data/cgec-hsk.jsonl",
    params:
        filter=FILTER,
    shell:
        "gecbench data prepare --corpus hsk={input[0]} {params.filter} -o {output}"


rule baseline:
    input:
        train=training_data,
        dev="data/cgec-dev.jsonl",
    output:
        directory("runs/{system}/model"),
    log:
        "logs/{system}.log",
    params:
        recipe=lambda w: BASELINES[w.system][0],
        units=lambda w: BASELINES[w.system][1],
        simplify=lambda w: str(BASELINES[w.system][2]).lower(),
        train=lambda w: str(training_data(w)),
        seed=parameter("seed", 1),
        options=by_form(
            small="--set model.width=16 --set model.layers=1 --set training.epochs=1"
            " --set training.warmup_steps=1 --set training.threads=1"
            " --set model.correcting.beams=2 --set model.vocabulary.size=300"
        ),
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe {params.recipe} --set model.units={params.units}"
        " --set model.simplify={params.simplify} --set \"data.train={params.train}\""
        " --set data.dev={input.dev} --set training.seed={params.seed} {params.options}"
        " -o runs/{wildcards.system} 2> {log}"


rule correct:
    input:
        model="runs/{system}/model",
        sentences=SENTENCES,
    output:
        "systems/{system}.txt",
    resources:
        gpu=GPUS,
    shell:
        "gecbench correct {input.model} {input.sentences} --to lines -o {output}"


rule score:
    input:
        references=NLPCC18,
        systems=expand("systems/{system}.txt", system=BASELINES),
    output:
        "scores.json",
    params:
        scoring=SCORING,
    shell:
        "gecbench score {input.references} {input.systems} {params.scoring} -o {output}"


rule correlation:
    input:
        references=NLPCC18,
        systems=expand("systems/{system}.txt", system=BASELINES),
    output:
        "correlation.json",
    params:
        scoring=SCORING,
    shell:
        "gecbench analyse correlation {input.references} {input.systems} {params.scoring}"
        " -o {output}"
