"""What the reader and the writer of M2 say is wrong with a block or a sentence."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

MESSAGES = (
    _(
        "the block begins with %(text)s; it begins with an S line, and blank lines stand "
        "only between blocks"
    ),
    _(
        "%(what)s has an empty token: two spaces in a row, or one at an end; part tokens "
        "by one space"
    ),
    _("%(what)s has white space inside the token %(token)s; part tokens by one space"),
    _("the S line has no token; remove the block"),
    _(
        "the block has no T line; in a file with T lines every block has one (T0 没有错误 "
        "if it is error free)"
    ),
    _("type %(label)s needs span -1 -1 and correction -NONE-"),
    _("a second S line in the block; put a blank line before it"),
    _("%(text)s is no line of M2, which begin with S, A, or T and a number; remove it"),
    _(
        "%(count)s fields instead of 6, as A start "
        "end|||type|||correction|||REQUIRED|||-NONE-|||coder; is there a ||| inside a text?"
    ),
    _(
        "more than three bars in a row, so where a field ends is not certain; replace the "
        "| at the end of the type or correction"
    ),
    _("the coder is %(text)s; number the coders from 0"),
    _("span -1 -1 belongs to the types noop and NA alone"),
    _("the span is %(text)s; it is two token numbers, start end"),
    _("edit span '%(start)s %(end)s' is reversed; M2 spans are start end"),
    _("edit span '%(start)s %(end)s' ends after the source, which has %(length)s tokens"),
    _(
        "edit span '%(start)s %(end)s' ends after the source, which has %(length)s tokens; "
        "correct it, or read the file as the MaxMatch scorer does: --from m2-maxmatch"
    ),
    _("%(message)s; remove one of them"),
    _(
        "%(message)s; remove one of them, or read the file as the MaxMatch scorer does: "
        "--from m2-maxmatch"
    ),
    _("type %(label)s stands beside another line of coder %(coder)s; remove one of them"),
    _("an A line before the first T line; in a file with T lines every reference begins with one"),
    _("coder %(coder)s under %(target)s; write %(number)s"),
    _("%(text)s is no reference; write T0, T0-A0 and so on"),
    _("T%(number)s stands before %(text)s; without -A it stands before 没有错误 or 无法标注"),
    _("%(target)s after %(before)s is out of order; references count from T0, edit sets from A0"),
    _("%(target)s at the beginning is out of order; references count from T0, edit sets from A0"),
    _("%(target)s is another text than %(before)s; edit sets of one reference make one text"),
    _("%(target)s %(mark)s needs exactly one A line, of type %(label)s"),
    _(
        "%(target)s has no A line; a reference without edits is T%(number)s 没有错误 and a "
        "noop line"
    ),
    _(
        "type %(label)s under %(target)s, which is a target; it belongs under T%(number)s "
        "没有错误 or 无法标注"
    ),
    _(
        "%(target)s goes on with %(found)s after %(count)s characters, its A lines make "
        "%(made)s; correct one of them"
    ),
    _(
        "%(target)s goes on with %(found)s after %(count)s character, its A lines make "
        "%(made)s; correct one of them"
    ),
    _("m2 reads a sentence without references as error free"),
    _("the source has no token, which m2 cannot hold; leave it out"),
    _("the bars in %(text)s would divide fields"),
    _("the token %(token)s is empty or holds white space"),
    _("the replacement '-NONE-' means in m2 that there is none"),
)
