# SynGEC in Chinese: trees, parser, and the corrector upon the BART of MuCGEC (Zhang et al., EMNLP 2022)
import json

# What parses corrected sentences, as `gecbench parse` takes it; the authors took a parser of SuPar
# that learnt the Chinese Treebank by characters.
TREES = configured("trees", by_form(full="spacy:zh_core_web_sm", small="small/trees.conllu"))
ELECTRA = model("electra", "hfl/chinese-electra-180g-large-discriminator", small="bert-zh")


rule small_trees:
    input:
        SAMPLES / "zh/corpus.jsonl",
    output:
        "small/trees.conllu",
    run:
        # The head of each character is the one behind it.
        samples = map(json.loads, Path(input[0]).read_text("utf-8").splitlines()[1:])
        texts = {each["text"] for s in samples for each in s["references"] if each.get("text")}
        with Path(output[0]).open("w", encoding="utf-8") as file:
            for text in sorted(texts):
                words = [character for character in text if not character.isspace()]
                for n, word in enumerate(words, 1):
                    head = n + 1 if n < len(words) else 0
                    file.write(f"{n}\t{word}\t_\t_\t_\t_\t{head}\tdep\t_\t_\n")
                file.write("\n")


rule trees:
    input:
        train="data/lang8-hsk.jsonl",
        dev=DEV,
        trees=[TREES] if SMALL else [],
    output:
        train="data/lang8-hsk.conllu",
        dev="data/mucgec-dev.conllu",
    params:
        trees=TREES,
        scheme=SCHEME,
    shell:
        "gecbench parse {params.trees} {input.train} --project --lang zh --scheme {params.scheme}"
        " -o {output.train}\n"
        "gecbench parse {params.trees} {input.dev} --project --lang zh --scheme {params.scheme}"
        " -o {output.dev}"


rule parser:
    input:
        train="data/lang8-hsk.conllu",
        dev="data/mucgec-dev.conllu",
        encoder=model_input(ELECTRA),
    output:
        directory("runs/parser-zh/model"),
    log:
        "logs/parser-zh.log",
    params:
        encoder=ELECTRA,
        options=by_form(
            small="--set training.epochs=1 --set training.precision=no --set training.threads=1"
            " --set data.dev=train --set training.warmup_steps=1 --set model.layers=2"
        ),
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe syngec-parser-zh --set model.encoder={params.encoder}"
        " --set \"data.train=['{input.train}']\" --set data.dev={input.dev}"
        " {params.options} -o runs/parser-zh 2> {log}"


rule syngec:
    input:
        train="data/{data}.jsonl",
        dev=DEV,
        bart="runs/seq2seq-{data}-{seed}/model",
        parser="runs/parser-zh/model",
    output:
        directory("runs/syngec-{data}-{seed}/model"),
    log:
        "logs/syngec-{data}-{seed}.log",
    params:
        options=by_form(
            small="--set training.epochs=1 --set training.precision=no --set training.threads=1"
            " --set data.dev=train --set training.warmup_steps=1"
        ),
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe syngec-zh --set model.place={input.bart} --set model.parser={input.parser}"
        " --set \"data.train=['{input.train}']\" --set data.dev={input.dev}"
        " --set training.seed={wildcards.seed} {params.options}"
        " -o runs/syngec-{wildcards.data}-{wildcards.seed} 2> {log}"


rule correct_syngec:
    input:
        model="runs/syngec-{data}-{seed}/model",
        sentences=SENTENCES,
    output:
        f"{SET}/syngec-{{data}}-{{seed}}.txt",
    resources:
        gpu=GPUS,
    shell:
        "gecbench correct {input.model} {input.sentences} --split --to lines -o {output}"
