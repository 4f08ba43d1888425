"""What the readers and writers of formats say is wrong with a file or a sentence."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

MESSAGES = (
    _("the line is blank; remove it"),
    _("no TAB in %(text)s; a row is id TAB source TAB references"),
    _("the id is empty; a row is id TAB source TAB references"),
    _("the source of id %(id)s is empty; fill it or remove the row"),
    _("a reference is empty; remove the TAB before it, or write 没有错误 or 无法标注"),
    _("id %(id)s stands in line %(first)s already; ids are unique"),
    _("this looks like a header, not a sentence; remove the line"),
    _(
        "the first column looks like a sentence, %(text)s, not like an id; rows are id TAB "
        "source TAB references; where they are source TAB target, cut the columns into two "
        "files of lines (if these are ids, say --from mucgec)"
    ),
    _('the first line has no "format": "gecbench-corpus"; it is the header of the file'),
    _(
        'the first line has no "format": "gecbench-corpus"; these are perturbed cases, not a '
        "corpus; score systems on them by: gecbench analyse robustness"
    ),
    _("schema %(schema)s is not known, only %(known)s; read the file with a newer gecbench"),
    _("the source is empty; fill it or remove the line"),
    _("the source is empty; fill it or leave the sentence out"),
    _("a rewrite is one of: a text, error free, unannotatable; here are two at once"),
    _("a rewrite needs a text, edits, or one of error free, unannotatable"),
    _("the annotator is %(name)s; write a name, or leave it out where nobody knows who it was"),
    _("%(key)s is missing; expected %(type)s"),
    _("%(what)s is %(type)s; expected %(wanted)s"),
    _("%(what)s is %(type)s, %(seen)s; expected %(wanted)s"),
    _("unknown %(kind)s %(name)s; did you mean %(near)s?"),
    _("unknown %(kind)s %(name)s; did you mean %(near)s or %(other)s?"),
    _("unknown %(kind)s %(name)s; did you mean %(near)s or %(other)s or %(third)s?"),
    _("unknown %(kind)s %(name)s; known: %(names)s"),
    _("not JSON at column %(column)s: %(json)s; each line is one object"),
    _("a number has too many digits; write a token number"),
    _("brackets are nested too deep; each line is one object"),
    _("a string holds half a surrogate pair, as \\ud800; write the character"),
    _("key %(key)s occurs twice in one object; remove one"),
    _(
        "edit span %(start)s %(end)s is reversed or negative; a span is start end with 0 "
        "<= start <= end"
    ),
    _("edit span %(start)s %(end)s ends after the source, which has %(length)s tokens"),
    _("edit span %(start)s %(end)s overlaps edit span %(other_start)s %(other_end)s"),
    _("%(part)s is empty, which %(format)s cannot hold; fill it or leave it out"),
    _("%(part)s holds a line end, which %(format)s cannot"),
    _("%(part)s holds a TAB, which %(format)s cannot"),
    _("reference %(place)s is the text %(text)s, which %(format)s reads as a mark"),
    _("corpus %(name)s has no sentences"),
    _("the file would begin with U+FEFF, which reading %(format)s drops"),
)
