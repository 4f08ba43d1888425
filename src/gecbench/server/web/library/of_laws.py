"""What the laws of texts and of golden sets say is wrong; corrections are numbered from 1."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

MESSAGES = (
    _("%(what)s holds a NUL character at place %(place)s, which no text has; paste it anew"),
    _(
        "%(what)s holds half a character (U+%(code)s) at place %(place)s; it was damaged "
        "on its way, paste it anew"
    ),
    _("%(what)s has %(length)s characters; at most %(longest)s are allowed, shorten it"),
    _("the sentence is declared free of errors, and has %(count)s corrections; take one away"),
    _("correction %(number)s is the sentence itself; is the sentence free of errors?"),
    _("the sentence is declared not annotatable, and has %(count)s corrections; take one away"),
    _("correction %(number)s has no %(piece)s, others have it; all have it or none"),
    _(
        "correction %(number)s has %(piece)s %(count)s times, correction %(other_number)s "
        "has it %(expected)s times; all have as many"
    ),
    _(
        "correction %(number)s has %(piece)s at another place than correction "
        "%(other_number)s; right only where there are several ways"
    ),
    _(
        "correction %(number)s: %(piece)s is not how this project writes the placeholder; "
        "write %(repair)s"
    ),
    _(
        "correction %(number)s: half-width %(piece)s between Chinese characters; full "
        "width is %(repair)s"
    ),
    _("correction %(number)s: full-width %(piece)s in English; half width is %(repair)s"),
    _("correction %(number)s: the symbol %(piece)s inside Chinese text is still there"),
    _(
        "correction %(number)s: the word %(piece)s of the sentence has gone; words are "
        "corrected, not translated"
    ),
    _("the sentence has traditional characters (%(piece)s); this project is for simplified ones"),
    _("correction %(number)s has traditional characters (%(piece)s); write %(repair)s"),
    _(
        "traditional characters could not be looked for, because OpenCC is not installed; "
        "the operator can install gecbench[zh]"
    ),
    _("correction %(number)s is the same as correction %(other_number)s"),
    _(
        "there is no correction; write one, or declare the sentence free of errors or not "
        "annotatable"
    ),
    _("correction %(number)s is empty"),
    _("%(message)s (%(rule)s)"),
)
