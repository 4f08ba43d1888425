"""What the English pipeline learns from: the treebank, its trees' conversion, its lemmas."""

from __future__ import annotations

import pytest
from clearnlp import convert
from lemmas import closed_lemmas
from treebank import TreebankError, read
from trees import Word


def arcs(text: str) -> list[str]:
    """Return label(head) of each word after conversion; "word/TAG/label/head", heads from 1."""
    rows = [word.rsplit("/", 3) for word in text.split()]
    tree = tuple(
        Word(form, form.lower(), "X", tag, int(head) - 1 if head != "0" else place, label)
        for place, (form, tag, label, head) in enumerate(rows)
    )
    converted = convert(tree)
    assert [word.form for word in converted] == [word.form for word in tree]
    return [
        "ROOT" if word.head == place else f"{word.label}({converted[word.head].form})"
        for place, word in enumerate(converted)
    ]


CONVERSIONS = {
    "a copula heads its clause": (
        "She/PRP/nsubj/4 is/VBZ/cop/4 very/RB/advmod/4 tall/JJ/root/0 ././punct/4",
        "nsubj(is) ROOT advmod(tall) acomp(is) punct(is)",
    ),
    "a noun after a copula is an attribute": (
        "He/PRP/nsubj/4 was/VBD/cop/4 a/DT/det/4 man/NN/root/0",
        "nsubj(was) ROOT det(man) attr(was)",
    ),
    "negation and auxiliaries go to the copula": (
        "I/PRP/nsubj/5 will/MD/aux/5 not/RB/advmod/5 be/VB/cop/5 here/RB/root/0",
        "nsubj(be) aux(be) neg(be) ROOT advmod(be)",
    ),
    "negation right before an adjective too": (
        "I/PRP/nsubj/4 am/VBP/cop/4 not/RB/advmod/4 sad/JJ/root/0",
        "nsubj(am) ROOT neg(am) acomp(am)",
    ),
    "punctuation before a copula": (
        "(/-LRB-/punct/4 It/PRP/nsubj/4 is/VBZ/cop/4 good/JJ/root/0",
        "punct(is) nsubj(is) ROOT acomp(is)",
    ),
    "circumstances of a noun after a copula": (
        "He/PRP/nsubj/3 was/VBD/cop/3 king/NN/root/0 in/IN/case/5 May/NNP/obl/3",
        "nsubj(was) ROOT attr(was) prep(was) pobj(in)",
    ),
    "a copula in a question": (
        "Is/VBZ/cop/3 he/PRP/nsubj/3 good/JJ/root/0 at/IN/case/5 chess/NN/obl/3",
        "ROOT nsubj(Is) acomp(Is) prep(good) pobj(at)",
    ),
    "a copula before a preposition": (
        "It/PRP/nsubj/5 is/VBZ/cop/5 in/IN/case/5 the/DT/det/5 house/NN/root/0 ././punct/5",
        "nsubj(is) ROOT prep(is) det(house) pobj(in) punct(is)",
    ),
    "a clause after a copula": (
        "The/DT/det/2 point/NN/nsubj:outer/6 is/VBZ/cop/6 that/IN/mark/6 he/PRP/nsubj/6 "
        "left/VBD/root/0 ././punct/6",
        "det(point) nsubj(is) ROOT mark(left) nsubj(left) ccomp(is) punct(is)",
    ),
    "an infinitive after a copula": (
        "The/DT/det/2 aim/NN/nsubj:outer/5 is/VBZ/cop/5 to/TO/mark/5 win/VB/root/0",
        "det(aim) nsubj(is) ROOT aux(win) xcomp(is)",
    ),
    "what stands before a copula and a clause": (
        "Here/RB/advmod/5 life/NN/nsubj:outer/5 is/VBZ/cop/5 to/TO/mark/5 win/VB/root/0",
        "advmod(is) nsubj(is) ROOT aux(win) xcomp(is)",
    ),
    "two clauses with copulas": (
        "I/PRP/nsubj/3 am/VBP/cop/3 old/JJ/root/0 but/CC/cc/7 you/PRP/nsubj/7 are/VBP/cop/7 "
        "young/JJ/conj/3",
        "nsubj(am) ROOT acomp(am) cc(am) nsubj(are) conj(am) acomp(are)",
    ),
    "two adjectives after one copula": (
        "I/PRP/nsubj/3 am/VBP/cop/3 old/JJ/root/0 and/CC/cc/5 tired/JJ/conj/3",
        "nsubj(am) ROOT acomp(am) cc(old) conj(old)",
    ),
    "a preposition heads its noun": (
        "I/PRP/nsubj/2 went/VBD/root/0 to/IN/case/5 the/DT/det/5 shop/NN/obl/2",
        "nsubj(went) ROOT prep(went) det(shop) pobj(to)",
    ),
    "two prepositions hang on each other": (
        "He/PRP/nsubj/2 ran/VBD/root/0 out/IN/case/5 of/IN/case/5 town/NN/obl/2",
        "nsubj(ran) ROOT prep(ran) prep(out) pobj(of)",
    ),
    "because of": (
        "He/PRP/nsubj/2 cried/VBD/root/0 because/IN/case/5 of/IN/fixed/3 me/PRP/obl/2",
        "nsubj(cried) ROOT prep(cried) pcomp(because) pobj(because)",
    ),
    "according to": (
        "It/PRP/nsubj/2 rained/VBD/root/0 according/VBG/case/5 to/IN/fixed/3 him/PRP/obl/2",
        "nsubj(rained) ROOT prep(rained) prep(according) pobj(to)",
    ),
    "such as": (
        "Pets/NNS/root/0 such/JJ/case/4 as/IN/fixed/2 cats/NNS/nmod/1",
        "ROOT amod(as) prep(Pets) pobj(as)",
    ),
    "an adverb is no object of a preposition": (
        "Go/VB/root/0 from/IN/case/3 here/RB/obl/1",
        "ROOT prep(Go) pcomp(from)",
    ),
    "conjuncts that both have prepositions": (
        "Sit/VB/root/0 on/IN/case/3 it/PRP/obl/1 or/CC/cc/6 under/IN/case/6 it/PRP/conj/3",
        "ROOT prep(Sit) pobj(on) cc(on) conj(on) pobj(under)",
    ),
    "a prepositional phrase as a sentence": (
        "He/PRP/nsubj/3 in/IN/case/3 love/NN/root/0 !/./punct/3",
        "nsubj(in) ROOT pobj(in) punct(in)",
    ),
    "an adverb before a preposition": (
        "Sit/VB/root/0 just/RB/advmod/4 behind/IN/case/4 me/PRP/obl/1",
        "ROOT advmod(behind) prep(Sit) pobj(behind)",
    ),
    "a passive and its agent": (
        "It/PRP/nsubj:pass/3 was/VBD/aux:pass/3 eaten/VBN/root/0 by/IN/case/5 me/PRP/obl:agent/3",
        "nsubjpass(eaten) auxpass(eaten) ROOT agent(eaten) pobj(by)",
    ),
    "a gerund below a preposition": (
        "He/PRP/nsubj/2 won/VBD/root/0 by/IN/mark/4 running/VBG/advcl/2 fast/RB/advmod/4",
        "nsubj(won) ROOT prep(won) pcomp(by) advmod(running)",
    ),
    "an adverb before a preposition and gerund": (
        "He/PRP/nsubj/2 won/VBD/root/0 just/RB/advmod/5 by/IN/mark/5 running/VBG/advcl/2",
        "nsubj(won) ROOT advmod(by) prep(won) pcomp(by)",
    ),
    "a participle is no gerund": (
        "He/PRP/nsubj/2 came/VBD/root/0 since/IN/mark/4 asked/VBN/advcl/2",
        "nsubj(came) ROOT mark(asked) advcl(came)",
    ),
    "a gerund below a conjunction": (
        "He/PRP/nsubj/2 sang/VBD/root/0 while/IN/mark/4 running/VBG/advcl/2",
        "nsubj(sang) ROOT mark(running) advcl(sang)",
    ),
    "a clause with its own subject keeps its mark": (
        "He/PRP/nsubj/2 left/VBD/root/0 before/IN/mark/5 I/PRP/nsubj/5 came/VBD/advcl/2",
        "nsubj(left) ROOT mark(came) nsubj(came) advcl(left)",
    ),
    "conjuncts in a chain": (
        "apples/NNS/root/0 ,/,/punct/3 pears/NNS/conj/1 and/CC/cc/5 plums/NNS/conj/1",
        "ROOT punct(apples) conj(apples) cc(pears) conj(pears)",
    ),
    "brackets stay with what they enclose": (
        "apples/NNS/root/0 or/CC/cc/4 (/-LRB-/punct/4 pears/NNS/conj/1 )/-RRB-/punct/4",
        "ROOT cc(apples) punct(pears) conj(apples) punct(pears)",
    ),
    "a name is headed by its last word": (
        "Mr./NNP/nmod:desc/2 John/NNP/nsubj/4 Smith/NNP/flat/2 left/VBD/root/0",
        "compound(Smith) compound(Smith) nsubj(left) ROOT",
    ),
    "a name in two pieces is not": (
        "John/NNP/nsubj/4 ,/,/punct/4 Smith/NNP/flat/1 left/VBD/root/0",
        "nsubj(left) punct(left) compound(John) ROOT",
    ),
    "common nouns are not": (
        "word/NN/root/0 cat/NN/flat/1",
        "ROOT compound(word)",
    ),
    "a date is not": (
        "May/NNP/root/0 1/CD/flat/1",
        "ROOT nummod(May)",
    ),
    "each other": (
        "They/PRP/nsubj/2 help/VBP/root/0 each/DT/obj/2 other/JJ/fixed/3",
        "nsubj(help) ROOT det(other) dobj(help)",
    ),
    "objects, particles and possessors": (
        "Give/VB/root/0 up/RP/compound:prt/1 me/PRP/iobj/1 my/PRP$/nmod:poss/5 hat/NN/obj/1",
        "ROOT prt(Give) dative(Give) poss(hat) dobj(Give)",
    ),
    "an owner with a clitic": (
        "Ann/NNP/nmod:poss/3 's/POS/case/1 hat/NN/root/0",
        "poss(hat) case(Ann) ROOT",
    ),
    "an owner with a letter": (
        "Ann/NNP/nmod:poss/3 s/POS/case/1 hat/NN/root/0",
        "poss(hat) case(Ann) ROOT",
    ),
    "it is no expletive, there is": (
        "It/PRP/expl/2 seems/VBZ/root/0 there/EX/expl/4 is/VBZ/ccomp/2 rain/NN/nsubj/4",
        "nsubj(seems) ROOT expl(is) ccomp(seems) nsubj(is)",
    ),
    "an adjective without copula": (
        "It/PRP/nsubj/2 looks/VBZ/root/0 good/JJ/xcomp/2",
        "nsubj(looks) ROOT acomp(looks)",
    ),
    "an adjective of an object": (
        "It/PRP/nsubj/2 makes/VBZ/root/0 me/PRP/obj/2 happy/JJ/xcomp/2",
        "nsubj(makes) ROOT dobj(makes) oprd(makes)",
    ),
    "a noun of an object": (
        "Call/VB/root/0 me/PRP/obj/1 Al/NNP/xcomp/1",
        "ROOT dobj(Call) oprd(Call)",
    ),
    "an infinitive has an auxiliary": (
        "I/PRP/nsubj/2 want/VBP/root/0 to/TO/mark/4 be/VB/cop/5 good/JJ/xcomp/2",
        "nsubj(want) ROOT aux(be) xcomp(want) acomp(be)",
    ),
    "about ten": (
        "about/RB/advmod/2 ten/CD/nummod/3 men/NNS/root/0",
        "quantmod(ten) nummod(men) ROOT",
    ),
    "bare nouns of time": (
        "I/PRP/nsubj/2 left/VBD/root/0 last/JJ/amod/4 week/NN/obl:unmarked/2",
        "nsubj(left) ROOT amod(week) npadvmod(left)",
    ),
    "as well": (
        "Me/PRP/root/0 as/RB/advmod/1 well/RB/fixed/2",
        "ROOT advmod(Me) advmod(as)",
    ),
}


@pytest.mark.parametrize(("tree", "expected"), CONVERSIONS.values(), ids=CONVERSIONS)
def test_a_tree_is_converted(tree: str, expected: str):
    assert arcs(tree) == expected.split()


def conllu(*rows: str) -> str:
    return "".join(row.replace(" ", "\t") + "\n" for row in rows) + "\n"


class TestTreebank:
    def test_words_are_read_and_ranges_are_not(self, tmp_path):
        path = tmp_path / "a.conllu"
        path.write_text(
            "# text = Don't!\n"
            + conllu(
                "1-2 Don't _ _ _ _ _ _ _ _",
                "1 Do do AUX VB _ 0 root _ _",
                "2 n't not PART RB _ 1 advmod _ _",
                "2.1 x x X X _ _ _ _ _",
            )
            + conllu("1 Go go VERB VB _ 0 root _ _"),
            encoding="utf-8",
        )
        first, second = read(path)
        assert first == (
            Word("Do", "do", "AUX", "VB", 0, "root"),
            Word("n't", "not", "PART", "RB", 0, "advmod"),
        )
        assert [word.form for word in second] == ["Go"]

    def test_the_last_blank_line_may_be_missing(self, tmp_path):
        path = tmp_path / "a.conllu"
        path.write_text(conllu("1 Go go VERB VB _ 0 root _ _").rstrip("\n"), encoding="utf-8")
        assert len(read(path)) == 1

    @pytest.mark.parametrize(
        ("row", "expected"),
        [
            ("1 Go go VERB VB _ 0 root _", "a.conllu:1: 9 fields; CoNLL-U has ten"),
            ("1 Go go VERB VB _ 7 root _ _", "a.conllu:1: head '7' is no word of the sentence"),
            ("1 Go go VERB VB _ _ root _ _", "a.conllu:1: head '_' is no word of the sentence"),
        ],
    )
    def test_another_file_is_refused(self, tmp_path, row, expected):
        (tmp_path / "a.conllu").write_text(conllu(row), encoding="utf-8")
        with pytest.raises(TreebankError, match=expected):
            read(tmp_path / "a.conllu")


def test_lemmas_of_closed_classes_are_those_seen_often():
    seen = [
        ("is", "be", "AUX", "VBZ", 9),
        ("'s", "be", "AUX", "VBZ", 8),
        ("'s", "have", "AUX", "VBZ", 3),
    ]
    seen += [("would", "would", "AUX", "MD", 9), ("the", "they", "PRON", "PRP", 7)]
    seen += [("cats", "cat", "NOUN", "NNS", 9), ("Me", "I", "PRON", "PRP", 8)]
    tree = tuple(
        Word(form, lemma, pos, tag, 0, "dep") for form, lemma, pos, tag, n in seen for _ in range(n)
    )
    lemmas = {("is", "AUX"): "be", ("'s", "AUX"): "be", ("me", "PRON"): "I"}
    assert closed_lemmas([tree]) == lemmas
