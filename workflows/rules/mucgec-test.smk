# MuCGEC's own test set, which tables 6 and 7 score by ChERRANT over characters
include: "common.smk"


SET = "test"
REFERENCES = SENTENCES = data(
    "test",
    "data/mucgec-test.jsonl",
    "MuCGEC's test set WITH references, which are not public: ask its authors, or name the dev"
    " set, which is of CGED alone",
    small=SAMPLES / "zh/corpus.jsonl",
)
SCORE = f"--metric cherrant --scheme {parameter('scheme', 'zh-cherrant', small='zh-char')} --by-type 1"


include: "mucgec.smk"
