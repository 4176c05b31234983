/** Words that somebody writes to run, to reach elsewhere, to hide, or to break what shows them. */

/** Runs, or asks elsewhere, in whatever is careless with it; `theirs` is what none of it may become. */
export const live = [
  `"'></textarea></title></style></script><script class=theirs>ran=1</script>`,
  '<img class=theirs src=http://elsewhere.example/a onerror=ran=1>',
  '<svg class=theirs onload=ran=1></svg><iframe class=theirs srcdoc="<script>top.ran=1</script>"></iframe>',
  '<a class=theirs href=javascript:ran=1>a</a><style class=theirs>*{color:red}</style>',
].join('')

/** As short as a name has to be. */
export const liveName = '"><img class=theirs src=x onerror=ran=1>'

/** What turns round what is read, or is not seen at all. */
export const unseen = ['\u202e', '\u2066', '\u200b', '\u00ad', '\ufeff', '\u{e0041}', '\u200f']
export const hidden = `gnp\u202eexe in\u200bvisible\u2066\u00ad\ufeff\u{e0041}\u200f`
export const template = `{{constructor.constructor("ran=1")()}} $\{ran=1} <%=1%> [a](javascript:ran=1)`
export const controls = '\u0007\u001b[31mred\u0085\u0008'
export const scripts = 'שלום עולם مرحبا بالعالم 👩‍👩‍👧‍👦🏳️‍🌈 नमस्ते'
export const unbroken = 'W'.repeat(10_000)
/** Refused where agents write; files of notes and mailboxes may have it. */
export const half = 'half \ud83d of a pair'

/** All of it, in lines. */
export const everything = [live, hidden, template, controls, scripts, unbroken].join('\n')

/** Names that mean something to programs, each of which somebody may have. */
export const awkwardNames = [
  ...[
    '__proto__',
    'constructor',
    'toString',
    '*',
    '**',
    '.',
    '..',
    '../..',
    'a/b',
    '%2F',
    '%',
    '&amp;',
  ],
  ...['?q=1#x', '#/x', 'a&b=c', '+', "'", '@', '=', 'all projects', 'null'],
  ...[
    liveName,
    'javascript:ran=1',
    'exe\u202egnp',
    'in\u200bvisible',
    'שלום',
    '👩‍👩‍👧',
    'N'.repeat(200),
  ],
]
