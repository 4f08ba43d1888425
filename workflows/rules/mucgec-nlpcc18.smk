# NLPCC 2018's test set, which is scored by MaxMatch over words
include: "common.smk"


SET = "nlpcc18"
REFERENCES = data(
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
SCORE = by_form(
    full=f"--from m2-maxmatch --metric m2 --segmenter {SEGMENTER}",
    small="--metric m2 --scheme zh-char",
)
TOOLS += by_form(full=[f"--metric m2 --segmenter {SEGMENTER}"], small=[])


include: "mucgec.smk"
